"""Resolve references in Go: by package, local scope, and declared types."""
