"""Serve many workspaces: find the one a request is for, open it here or pass the request on."""
