"""Lossless edits of JSON, JSONC and JSON5.

`document` is the entry point; `verify` checks each edit with an independent parser.
"""
