"""What may be reached: the rights of people, the host names of commands."""
