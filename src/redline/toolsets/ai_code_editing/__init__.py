"""Toolset code: the AI Code Editing tool specification."""
