"""Small Go modules in memory whose lines say by comments what is expected of them."""

from __future__ import annotations

from redline.code.go.resolver import GoResolver
from tests.code import marked


def holds(name: str, project: str) -> None:
    """Check that exactly the marked lines are found, in a module called `example.com/shop`."""
    manifest = "=== go.mod\nmodule example.com/shop // the root\n\ngo 1.22\n"
    marked.holds(GoResolver, name, manifest + marked.dedent(project))
