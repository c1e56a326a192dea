resource "aws_x" "name" { a = 1 }
variable "v" { default = 2 }
locals { z = 1 }
