"""Many workspaces of one server: directories in a folder or a list in a file, and how they are
parked in an object store."""
