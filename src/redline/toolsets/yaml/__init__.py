"""Toolset yaml: seed 004."""
