"""The lines of the journal as bytes.

checksum R id kind reverts time added body
checksum C id kind reverts time added contents body
checksum V id
checksum F id
checksum K contents
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileAttributes,
    FileState,
    LinkState,
    Rename,
    SpecialKind,
    SpecialState,
    State,
)
from redline.core.late_regex import late_regex
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin

# How many fields precede the body of an `R` line, and how long a digest is.
FIELDS = 7
DIGEST = 64
# How many bytes of a line precede its payload, and how many surround it.
PREFIX, FRAME = 9, 10


class Head(NamedTuple):
    """The fixed fields of an operation's line."""

    id: str
    kind: str
    reverts: str | None
    time: float
    added: int


class Line(NamedTuple):
    """Where an operation is in the file; pruning writes a new file, with other offsets."""

    head: Head
    offset: int
    length: int
    file: tuple[int, int]


def format_operation(head: Head, body: bytes, contents: Mapping[str, bytes] | None = None) -> bytes:
    """Return the line of an operation, with contents in base64."""
    fields = (head.id, head.kind, head.reverts or "-", f"{head.time:.6f}", str(head.added))
    encoded = " ".join(fields).encode()
    if not contents:
        return format_line(b"R " + encoded + b" " + body)
    inline = b",".join([format_content(digest, text) for digest, text in contents.items()])
    return format_line(b"C " + encoded + b" " + inline + b" " + body)


def body_of(raw: bytes) -> bytes:
    """Return the body of an operation's line."""
    fields = raw.rstrip(b"\n").split(b" ", FIELDS)
    return fields[FIELDS].partition(b" ")[2] if fields[1] == b"C" else fields[FIELDS]


def checksum_of(payload: bytes) -> bytes:
    """Return what a line begins with."""
    return b"%08x" % zlib.crc32(payload)


def format_line(payload: bytes) -> bytes:
    """Return a line with its checksum, which a line that was cut off fails."""
    return checksum_of(payload) + b" " + payload + b"\n"


def format_content(digest: str, text: bytes) -> bytes:
    """Return a content, in base64, with its digest."""
    return digest.encode() + b":" + text


def tokens_of(raw: bytes) -> list[bytes]:
    """Return the contents that a line of the file carries."""
    fields = raw.split(b" ", FIELDS + 1)
    return fields[FIELDS].split(b",") if fields[1] == b"C" else []


# Within a JSON string the quotes would be escaped, so these are always what they seem: a state of
# a file, a step, and what surrounds all steps.
_FILE = late_regex(rb'\["f","([0-9a-f]{64})",')

_STEP = late_regex(rb'\["[cm]",\[')

# How a step begins that renames something.
RENAME = b'["m",['

_ROOTS, _STEPS, _NOTES = b',"roots":[', b',"steps":[', b'],"notes":'

_TEXT = rb'"(?:[^"\\]|\\.)*"'

_SESSION = late_regex(rb"\{\"origin\":\[(?:" + _TEXT + rb",){4}(" + _TEXT + rb")[\],]")

# In this order; older journals lack the last ones. A session of hooks is behind them, if any.
_ORIGIN = ("tool", "client", "principal", "summary", "session")


def encode_body(
    change_set: ChangeSet, origin: Origin, notes: tuple[str, ...], root_path: Callable[[int], str]
) -> bytes:
    """Return the body of a journal record; contents are beside it in the line, or in blobs."""
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
        "origin": _origin(origin),
        "roots": [root_path(number) for number in roots],
        "steps": steps,
        "notes": list(notes),
    }
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # a name that is not UTF-8 is written in escapes
        return json.dumps(body, separators=(",", ":")).encode("ascii")


def decode_body(
    body: bytes, root_number: Callable[[str], int]
) -> tuple[ChangeSet, Origin, tuple[str, ...]]:
    """Decode what `encode_body` returned; contents are not loaded."""
    data = _loads(body)
    numbers = [root_number(path) for path in data["roots"]]

    def place(pair: list[Any]) -> WorkspacePath:
        return WorkspacePath(numbers[pair[0]], tuple(pair[1].split("/")) if pair[1] else ())

    steps: list[Change | Rename] = []
    for step in data["steps"]:
        if step[0] == "m":
            steps.append(Rename(place(step[1]), place(step[2])))
        else:
            steps.append(Change(place(step[1]), _read_state(step[2]), _read_state(step[3])))
    return ChangeSet(tuple(steps)), _read_origin(data["origin"]), tuple(data["notes"])


def decode_origin(body: bytes) -> Origin:
    """Return the origin alone: cheap, however many steps there are."""
    return _read_origin(_loads(body[: body.index(_STEPS)] + b"}")["origin"])


def _origin(origin: Origin) -> list[str]:
    kept = [getattr(origin, name) for name in _ORIGIN]
    return [*kept, origin.hook_session] if origin.hook_session else kept


def _read_origin(kept: list[Any]) -> Origin:
    names = (*_ORIGIN, "hook_session")
    return Origin(**dict(zip(names, kept, strict=False)))


def read_session(line: bytes, start: int) -> tuple[bytes, bytes]:
    """How the body that begins at *start* begins, up to its session, and the session as written.

    The session is empty if it has none; `decode_origin` has it as text.
    """
    found = _SESSION.match(line, start)
    return (b"\n", b"") if found is None else (found[0], found[1])


def is_all_of(lines: bytes, session: str) -> bool:
    """Return whether every operation in *lines* is of *session*, decided without reading them."""
    wanted = json.dumps(session).encode()
    bodies = ((line, line.find(b"{")) for line in lines.split(b"\n"))
    return all(start < 0 or read_session(line, start)[1] == wanted for line, start in bodies)


def _loads(body: bytes) -> Any:
    # A server has loaded the quicker one, and a command that reads a few operations need not.
    decoder: Any = sys.modules.get("orjson", json)
    try:
        return decoder.loads(body)
    except ValueError:  # a name that is not UTF-8
        return json.loads(body)


def plain_part(name: str) -> bytes:
    """What every body has in which a path has the part *name*; looked for without reading it."""
    return name.encode() if _is_plain(name) else b""


def renames(body: bytes) -> bool:
    """Return whether a step renames something."""
    return RENAME in body


def _is_plain(name: str) -> bool:
    """Return whether JSON writes a name without escapes."""
    return name.isascii() and name.isprintable() and '"' not in name and "\\" not in name


def touches(body: bytes, place: WorkspacePath, root_number: Callable[[str], int]) -> bool:
    """Whether a path in *body* is *place* or lies beneath it, decided without reading it all."""
    if plain_part(place.name) not in body:
        return False
    named = _loads(body[body.index(_ROOTS) + len(_ROOTS) - 1 : body.index(_STEPS)])
    roots = [n for n, path in enumerate(named) if root_number(path) == place.root]
    relative = "/".join(place.parts)
    if not relative:
        return any(b'[%d,"' % root in body for root in roots)
    if _is_plain(relative):
        starts = [b'[%d,"%s' % (root, relative.encode()) for root in roots]
        return any(start + b'"]' in body or start + b"/" in body for start in starts)
    pairs = (pair for step in _loads(body)["steps"] for pair in _places_of(step))
    inner = relative + "/"
    return any(n in roots and (path == relative or path.startswith(inner)) for n, path in pairs)


def _places_of(step: list[Any]) -> list[list[Any]]:
    return step[1:3] if step[0] == "m" else step[1:2]


def shorten(body: bytes, most: int | None) -> tuple[bytes, int]:
    """Return a body with only the first *most* steps, and how many it lost."""
    if most is None:
        return body, 0
    starts = _STEP.finditer(body)
    beyond = next(islice(starts, most, None), None)
    if beyond is None:
        return body, 0
    kept = body[: beyond.start()].rstrip(b",")
    return kept + body[body.rindex(_NOTES) :], 1 + sum(1 for _ in starts)


def digests_in(body: bytes) -> set[str]:
    """Return the digests in *body*, found without parsing it."""
    return {digest.decode() for digest in _FILE.findall(body)}


def _state(state: State) -> list[Any] | None:
    match state:
        case FileState():
            known = ["f", state.digest, state.size, state.mode]
            given = state.attributes
            if given is None or (given.owner is None and not given.extended):
                return known
            return [*known, _attributes(given)]
        case DirState():
            return ["d", state.mode]
        case LinkState():
            return ["l", state.target]
        case SpecialState():
            return ["s", state.kind]
        case Absent():
            return None


def _read_state(data: list[Any] | None) -> State:
    if data is None:
        return ABSENT
    if data[0] == "f":
        attributes = _read_attributes(*data[4]) if len(data) > 4 else None
        return FileState(data[1], data[2], data[3], attributes=attributes)
    if data[0] == "s":
        return SpecialState(SpecialKind(data[1]))
    return DirState(data[1]) if data[0] == "d" else LinkState(data[1])


def _attributes(attributes: FileAttributes) -> list[Any]:
    extended = [[name, base64.b64encode(value).decode()] for name, value in attributes.extended]
    return [attributes.owner, extended]


def _read_attributes(owner: list[int] | None, extended: list[list[str]]) -> FileAttributes:
    pairs = tuple((name, base64.b64decode(value)) for name, value in extended)
    return FileAttributes(None if owner is None else (owner[0], owner[1]), pairs)
