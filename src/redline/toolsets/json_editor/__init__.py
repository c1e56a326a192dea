"""Toolset json: the JSON Editor API."""
