"""Write the reference of the library: signatures of its calls, fields of what they return."""

from __future__ import annotations

import inspect
import re

from redline.core.ports.history import Operation, Origin
from redline.library.editor import Editor
from redline.library.workspace import Workspace
from redline.services.history.lines import BlamedLine


def library_reference() -> str:
    """Return the tables of calls and of fields for docs/library.md."""
    parts = [_calls(Workspace), _calls(Editor)]
    parts += [_fields(each) for each in (Operation, Origin, BlamedLine)]
    return "\n\n".join(parts)


def _calls(kind: type) -> str:
    rows = [f"### `{kind.__name__}`\n\n| call | does |", "|---|---|"]
    for name, member in vars(kind).items():
        call = inspect.unwrap(getattr(member, "__func__", member))
        if name.startswith("_") or not inspect.isfunction(call):
            continue
        signature = inspect.signature(call)
        kept = [each for key, each in signature.parameters.items() if key not in ("self", "cls")]
        shown = str(signature.replace(parameters=kept))
        shown = re.sub(r"((?:\w: |-> ))'([^']*)'", r"\1\2", shown).replace("|", "\\|")
        rows.append(f"| `{name}{shown}` | {_first_line(call)} |")
    return "\n".join(rows)


def _fields(kind: type) -> str:
    given = kind.__annotations__.items()
    shown = [(name, str(getattr(each, "__forward_arg__", each))) for name, each in given]
    rows = [f"| `{name}` | `{wanted}` |".replace(" | None", " \\| None") for name, wanted in shown]
    head = f"### `{kind.__name__}`\n\n{inspect.getdoc(kind)}\n\n| field | type |"
    return "\n".join([head, "|---|---|", *rows])


def _first_line(documented: object) -> str:
    text = (inspect.getdoc(documented) or "").split("\n\n")[0]
    return re.sub(r"\*(\w+)\*", r"`\1`", " ".join(text.split()))
