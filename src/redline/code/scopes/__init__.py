"""Scopes and bindings of Python, JavaScript and TypeScript files.

`read` picks the reader for a language; `model` is what all of them return.
"""
