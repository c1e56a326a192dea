"""Stores for previews that wait to be applied: memory, SQLite, Redis.

`open_store` picks the one that the settings name.
"""
