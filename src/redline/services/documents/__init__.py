"""Structured documents (YAML, JSON, TOML): select files, read values, query, validate, edit."""
