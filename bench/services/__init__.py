"""What language servers and compilers answer, asked for references: one module for each."""
