"""Many workspaces of one server, and the object stores they rest in."""
