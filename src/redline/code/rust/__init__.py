"""Resolve references in Rust: by module path, scope, and declared types."""
