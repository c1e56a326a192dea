"""References in Java: what each word refers to, by declarations, types and overloads."""
