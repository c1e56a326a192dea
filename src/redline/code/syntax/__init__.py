"""Syntax trees by tree-sitter grammar: languages, nodes, definitions, uses.

One file at a time; nothing here resolves a name across files.
"""
