"""Pure: an instruction and a document become typed operations."""
