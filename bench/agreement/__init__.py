"""What Redline says of code, beside what ctags and language servers say of it."""
