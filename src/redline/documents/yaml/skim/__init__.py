"""Locating a YAML node by path without parsing the whole text.

Byte ranges only; nothing here builds values.
"""
