"""Commands on recorded changes: log, show, undo, redo.

`view` and `revert` have what they share.
"""
