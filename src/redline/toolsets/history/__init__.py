"""Toolset history: list, show, undo and redo every change."""
