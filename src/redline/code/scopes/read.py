"""The languages whose scopes are known, and reading the names of a file in one of them."""

from __future__ import annotations

from collections.abc import Sequence

from redline.code.scopes.model import Names
from redline.code.syntax.definitions import Parsed

SCOPED = {"python", "javascript", "typescript", "tsx"}


def read_names(parsed: Parsed, spots: Sequence[int] | None = None) -> Names:
    """Every name of a file with its binding; with *spots* only what bears on those offsets."""
    if parsed.language.name == "python":
        from redline.code.scopes.python import python_names

        return python_names(parsed.root, spots)
    from redline.code.scopes.javascript import script_names

    return script_names(parsed.root, spots)
