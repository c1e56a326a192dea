"""Toolset yaml: the noyalib-mcp interface."""
