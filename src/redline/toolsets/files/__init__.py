"""Toolset files: seed 003."""
