"""Every way to put a change into words, as data."""
