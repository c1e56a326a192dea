"""Pure: bytes and a path become a Splice, for YAML, JSON, JSONC, JSON5 and TOML."""
