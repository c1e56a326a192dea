"""Redline for Python programs: `workspace`, and `editor` for several changes at once."""
