"""Changes made outside Redline become operations of the journal."""
