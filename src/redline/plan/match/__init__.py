"""Finding the text that an edit means, exactly or by tolerant levels.

`engine` is the entry point.
"""
