"""Toolset agent: the smallest set of tools that does everything."""
