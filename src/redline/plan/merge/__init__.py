"""Merge lines: what two texts have in common, and a change carried over to a later text."""
