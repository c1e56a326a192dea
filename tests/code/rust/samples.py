"""Small Rust projects whose lines say what is expected of them."""

from __future__ import annotations

from redline.code.rust.resolver import RustResolver
from tests.code import marked


def holds(name: str, project: str) -> None:
    """Check that exactly the marked lines are found."""
    marked.holds(RustResolver, name, project)
