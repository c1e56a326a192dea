"""Toolset docs: lossless YAML, JSON, JSONC, JSON5 and TOML."""
