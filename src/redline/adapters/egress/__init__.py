"""The way out of a command's network namespace: a proxy process to allowed host names only."""
