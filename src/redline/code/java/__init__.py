"""Resolve references in Java: by declared types, overloads and overrides."""
