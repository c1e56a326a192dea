"""The first page of a server with many workspaces: which there are, and how one is made."""
