"""Parse of a large file only what can matter to a name.

What is left out is closed by itself, as far as a few rules for each language can determine.
"""
