"""Resolve references in C: by linkage, visible headers, and declared struct types."""
