"""Renaming in one file: by scope where scopes are known, otherwise by word.

`in_file` is the entry point.
"""
