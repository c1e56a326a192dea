"""What a reading does to the document: each frame's roles become typed operations."""
