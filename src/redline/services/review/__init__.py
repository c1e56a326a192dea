"""What a person decides about changes, for the page, the command line and the library."""
