"""The commands `token` and `workspace`, and what `serve` does for many workspaces."""
