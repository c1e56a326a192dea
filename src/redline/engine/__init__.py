"""Commit, undo and redo of change sets over ports."""
