"""Toolset files: sixteen file tools over absolute paths."""
