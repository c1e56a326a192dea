"""Edits as models send them, made from real files with seeded noise, and what is right for each."""
