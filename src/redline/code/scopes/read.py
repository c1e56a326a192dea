"""Read the names of a file in a language whose scopes are known."""

from __future__ import annotations

from collections.abc import Sequence

from redline.code.scopes.model import Names
from redline.code.syntax.definitions import Parsed

SCOPED = {"python", "javascript", "typescript", "tsx"}


def read_names(parsed: Parsed, offsets: Sequence[int] | None = None) -> Names:
    """Return every name of a file with its binding; only what concerns *offsets*, if given."""
    if parsed.language.name == "python":
        from redline.code.scopes.python import python_names

        return python_names(parsed.root, offsets)
    from redline.code.scopes.javascript import script_names

    return script_names(parsed.root, offsets)
