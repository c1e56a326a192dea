"""The commands `watch` and `hooks`."""
