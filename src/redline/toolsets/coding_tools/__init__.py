"""Toolset coding: seed 001."""
