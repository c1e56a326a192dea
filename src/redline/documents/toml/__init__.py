"""Lossless edits of TOML 1.0.

`document` is the entry point; `verify` checks each edit with an independent parser.
"""
