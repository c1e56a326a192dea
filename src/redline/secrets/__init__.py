"""Secrets: found in texts, masked where they would leave for a model, put back where they land."""
