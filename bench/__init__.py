"""Programs that measure Redline and its peers side by side; nothing here is a test."""
