"""The names that each scope of a Rust file binds.

One file at a time; `code.rust.paths` resolves across files.
"""
