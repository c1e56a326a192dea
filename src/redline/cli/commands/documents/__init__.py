"""Commands on YAML, JSON and TOML files.

`open_file` has what they share.
"""
