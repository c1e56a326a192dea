"""What the code index stores of a file, and how files are ranked.

Pure: `adapters.code_index` keeps it in SQLite.
"""
