"""Small Java projects in memory whose lines say by comments what is expected of them."""

from __future__ import annotations

from redline.code.java.resolver import JavaResolver
from tests.code import marked
from tests.code.marked import Sample, path_of

__all__ = ["Sample", "holds", "path_of"]


def holds(name: str, project: str) -> None:
    """Check that exactly the marked lines are found."""
    marked.holds(JavaResolver, name, project)
