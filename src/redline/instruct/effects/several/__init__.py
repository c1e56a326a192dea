"""Clauses that change several places at once, each in its own way."""
