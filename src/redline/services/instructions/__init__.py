"""Changing a document by instruction: read it, propose operations, plan the file, keep them."""
