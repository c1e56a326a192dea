"""The programs of `make bench`: each measures one thing and writes one file of results."""
