"""Toolset code: seed 000."""
