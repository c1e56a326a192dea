"""Locating and laying out TOML: sections, entries, values.

Finds what is on the way to a path without reading the rest.
"""
