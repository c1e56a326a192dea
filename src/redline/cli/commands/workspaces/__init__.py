"""Commands about many workspaces of one server."""
