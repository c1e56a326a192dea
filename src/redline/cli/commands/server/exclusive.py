"""Turning a client's own edit tools off, so that it edits with Redline, and on again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from redline.core.errors import CannotApply
from redline.core.records import dataclass
from redline.documents.json.document import JsonDocument


@dataclass(frozen=True, slots=True)
class EditTools:
    """Where a client's settings list the tools that it must not use, and its tools that edit."""

    file: str
    place: tuple[str, str]
    names: tuple[str, ...]
    note: str = ""


def edit_tools_of(client: str, workspace: str) -> EditTools | None:
    """Return how a client's own edit tools are turned off; None when it has no such setting."""
    here = os.path.abspath(workspace)
    known = {
        "claude-code": EditTools(
            os.path.join(here, ".claude", "settings.json"),
            ("permissions", "deny"),
            ("Edit", "Write", "MultiEdit", "NotebookEdit"),
        ),
        "cursor": EditTools(
            os.path.join(here, ".cursor", "cli.json"),
            ("permissions", "deny"),
            ("Write(**)",),
            note="this concerns Cursor's command line agent; its editor has no such setting",
        ),
        "gemini": EditTools(
            os.path.join(here, ".gemini", "settings.json"),
            ("tools", "exclude"),
            ("write_file", "replace"),
        ),
    }
    return known.get(client)


def turn_off(tools: EditTools, source: bytes) -> bytes:
    """Return *source* with the tools on the list; everything else stays byte for byte."""
    if not source.strip():
        group, key = tools.place
        return (json.dumps({group: {key: list(tools.names)}}, indent=2) + "\n").encode()
    for name in tools.names:
        known = _read_list(tools, source)
        document = JsonDocument(source, "jsonc")
        if known is None:
            text = json.dumps([name])
            source = document.set(tools.place, text, create_parents=True).after
        elif name not in known:
            source = document.insert((*tools.place, len(known)), json.dumps(name)).after
    return source


def turn_on(tools: EditTools, source: bytes) -> bytes:
    """Return *source* without the tools on the list, and without a list that is empty then."""
    for name in tools.names:
        known = _read_list(tools, source) or []
        if name not in known:
            continue
        place: tuple[str | int, ...] = (*tools.place, known.index(name))
        data: Any = JsonDocument(source, "jsonc").data()
        if len(known) == 1:
            group = tools.place[:1]
            place = group if len(data[tools.place[0]]) == 1 else tools.place
        source = JsonDocument(source, "jsonc").delete(place).after
    return source


def _read_list(tools: EditTools, source: bytes) -> Sequence[Any] | None:
    found: Any = JsonDocument(source, "jsonc").data() if source.strip() else {}
    for key in tools.place:
        found = found.get(key) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, list):
        raise CannotApply(f"Not a list: {'.'.join(tools.place)}", hint="fix the file by hand")
    return found
