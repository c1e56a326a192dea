"""Operations as journal text and back; roots by path, since their numbers change between runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import orjson

from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin

# Within a JSON string the quotes would be escaped, so this is always a state of a file.
_FILE = re.compile(rb'\["f","([0-9a-f]{64})",')


def encode_body(
    change_set: ChangeSet, origin: Origin, notes: tuple[str, ...], root_path: Callable[[int], str]
) -> bytes:
    """The body of a journal record; contents stand beside it or in blobs."""
    roots: dict[int, int] = {}

    def place(path: WorkspacePath) -> list[Any]:
        return [roots.setdefault(path.root, len(roots)), "/".join(path.parts)]

    steps: list[list[Any]] = []
    for step in change_set.steps:
        if isinstance(step, Rename):
            steps.append(["m", place(step.source), place(step.target)])
        else:
            steps.append(["c", place(step.path), _state(step.before), _state(step.after)])
    body = {
        "origin": [origin.tool, origin.client, origin.principal, origin.summary],
        "roots": [root_path(number) for number in roots],
        "steps": steps,
        "notes": list(notes),
    }
    try:
        return orjson.dumps(body)
    except TypeError:  # a name that is not UTF-8: only the slower way can spell it
        return json.dumps(body, separators=(",", ":")).encode("ascii")


def decode_body(
    body: bytes, root_number: Callable[[str], int]
) -> tuple[ChangeSet, Origin, tuple[str, ...]]:
    """The inverse of `encode_body`, contents not loaded."""
    try:
        data = orjson.loads(body)
    except ValueError:  # the other spelling of the two above
        data = json.loads(body)
    numbers = [root_number(path) for path in data["roots"]]

    def place(pair: list[Any]) -> WorkspacePath:
        return WorkspacePath(numbers[pair[0]], tuple(pair[1].split("/")) if pair[1] else ())

    steps: list[Change | Rename] = []
    for step in data["steps"]:
        if step[0] == "m":
            steps.append(Rename(place(step[1]), place(step[2])))
        else:
            steps.append(Change(place(step[1]), _read_state(step[2]), _read_state(step[3])))
    return ChangeSet(tuple(steps)), Origin(*data["origin"]), tuple(data["notes"])


def may_name(body: bytes, name: str) -> bool:
    """False when no path in *body* has the part *name*: much cheaper than reading it."""
    plain = name.isascii() and name.isprintable() and '"' not in name and "\\" not in name
    return not plain or name.encode() in body


def digests_in(body: bytes) -> set[str]:
    """The contents that *body* speaks of, found without reading it."""
    return {digest.decode() for digest in _FILE.findall(body)}


def _state(state: State) -> list[Any] | None:
    match state:
        case FileState():
            return ["f", state.digest, state.size, state.mode]
        case DirState():
            return ["d", state.mode]
        case LinkState():
            return ["l", state.target]
        case Absent():
            return None


def _read_state(data: list[Any] | None) -> State:
    if data is None:
        return ABSENT
    if data[0] == "f":
        return FileState(data[1], data[2], data[3])
    return DirState(data[1]) if data[0] == "d" else LinkState(data[1])
