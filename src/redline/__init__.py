"""Redline: the editing runtime for AI agents."""

from redline._version import __version__

__all__ = ["__version__"]
