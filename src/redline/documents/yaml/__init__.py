"""Lossless edits of YAML 1.2.

`edit` plans them, `skim` locates nodes, `verify` checks with an independent parser.
"""
