"""Toolset coding: the coding-tools-mcp v0.1 profile."""
