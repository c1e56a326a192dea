"""Toolset json: seed 002."""
