"""Workspaces in a folder, a list or an object store, and what several servers share in Redis."""
