"""read_file and read_multiple_files."""

from __future__ import annotations

from base64 import b64encode

from redline.core.budget import MAX_ANSWER_CHARS, MAX_TEXT_BYTES
from redline.core.encodings.opening import open_file, open_text
from redline.core.errors import InvalidArgument, NotFound, RedlineError, TooLarge
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Entry
from redline.core.textfile import TextFile
from redline.toolsets.call import Call, Result
from redline.toolsets.files.answer import clean, file_uri, mime_type, resolve, shown
from redline.toolsets.tool import Json

WHOLE = 10 << 20
SLICE = 1 << 20
_HEAD = 1 << 16
_MAX_FILES = 50
_ROOM_FOR_NAMES = 1 << 20
_INSIDE_A_LINE = "grep_files shows a part of a long line around what it finds"
_RANGE = ("start_line", "end_line", "head", "tail")


def read_file(call: Call) -> Result:
    """Return the text of a file, a part of it, or its bytes as a resource."""
    path = resolve(call, call.arguments["path"])
    first, last = _range(call)
    if (first, last) != (1, None):
        return Result(_part(call, path, first, last))
    try:
        content = call.runtime.tree.read(path, WHOLE)
    except TooLarge:
        return Result(_beginning(call, path, _stat(call, path)))
    call.runtime.reads.note(call.client.connection, path, content)
    file = _open(call, path, content)
    return Result([_block(call, path, file), *_encoding_notice(file)])


def read_multiple_files(call: Call) -> Result:
    """Return one text block per file, failures in their places."""
    paths = call.arguments["paths"]
    blocks = []
    room = MAX_ANSWER_CHARS - _ROOM_FOR_NAMES
    for raw in paths[:_MAX_FILES]:
        call.cancel.check()
        text = _label(call, raw)
        if len(text) > room:
            text = f"{clean(raw)}:\n[error: the answer has no room for it; read it alone]"
        room -= len(text)
        blocks.append({"type": "text", "text": text})
    if len(paths) > _MAX_FILES:
        too_many = f"[error: too many files (max {_MAX_FILES})]"
        blocks.append({"type": "text", "text": f"{clean(paths[_MAX_FILES])}:\n{too_many}"})
    return Result(blocks, is_counted=True)


def _label(call: Call, raw: str) -> str:
    name = clean(raw)
    try:
        path = resolve(call, raw)
        name = shown(call, path)
        content = call.runtime.tree.read(path, WHOLE)
        file = _open(call, path, content)
    except RedlineError as error:
        return f"{name}:\n[error: {clean(error.message)}]"
    call.runtime.reads.note(call.client.connection, path, content)
    text = _as_text(file)
    if text is None:
        return f"{name}:\n[binary, base64]\n{b64encode(content).decode()}"
    return "\n".join((f"{name}:", *(each["text"] for each in _encoding_notice(file)), text))


def _open(call: Call, path: WorkspacePath, content: bytes) -> TextFile:
    encoding = call.arguments.get("encoding")
    return open_file(call.runtime.tree, path, content, encoding, shown(call, path))


def _encoding_notice(file: TextFile) -> list[Json]:
    """Return the name of an encoding other than UTF-8."""
    return [_notice(f"[encoding: {file.encoding}]")] if file.is_foreign else []


def _block(call: Call, path: WorkspacePath, file: TextFile) -> Json:
    text = _as_text(file)
    if text is not None:
        return {"type": "text", "text": text}
    place = call.runtime.workspace.absolute(path)
    kind = mime_type(path.name)
    resource = {
        "uri": file_uri(place),
        "mimeType": kind if kind and not kind.startswith("text/") else "application/octet-stream",
        "blob": b64encode(file.raw).decode(),
    }
    return {"type": "resource", "resource": resource}


def _as_text(file: TextFile) -> str | None:
    """Return the content as it is, or None when it is not text in a known encoding."""
    content = file.view
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _range(call: Call) -> tuple[int, int | None]:
    """First and last line, from 1; a negative first counts from the end."""
    given = {key: call.arguments[key] for key in _RANGE if call.arguments.get(key) is not None}
    if "head" in given and "tail" in given:
        raise InvalidArgument("Give head or tail, not both", field="tail")
    if ("head" in given or "tail" in given) and ("start_line" in given or "end_line" in given):
        raise InvalidArgument("Give head or tail, or start_line and end_line", field="start_line")
    if "tail" in given:
        return -given["tail"], None
    if "head" in given:
        return 1, given["head"]
    first, last = given.get("start_line", 1), given.get("end_line")
    if last is not None and last < first:
        raise InvalidArgument(f"end_line {last} is before start_line {first}", field="end_line")
    return first, last


def _part(call: Call, path: WorkspacePath, first: int, last: int | None) -> list[Json]:
    tree = call.runtime.tree
    try:
        content = tree.read(path, WHOLE)
    except TooLarge:
        entry = _stat(call, path)
        if not _is_foreign(call, path, entry):
            if first < 0:
                return _limit(_last_lines(call, path, entry.size, -first))
            return _limit(_lines_from(call, path, entry.size, first, last))
        content = tree.read(path)
    call.runtime.reads.note(call.client.connection, path, content)
    file = _open(call, path, content)
    ended = _split(file.view)
    picked = ended[first:] if first < 0 else ended[first - 1 : last]
    if first > len(ended):
        raise InvalidArgument(
            f"start_line {first} is past the last line, {len(ended)}", field="start_line"
        )
    return _limit(b"".join(picked)) + _encoding_notice(file)


def _stat(call: Call, path: WorkspacePath) -> Entry:
    """Return what a file that is too large to be read whole is now."""
    entry = call.runtime.tree.stat(path)
    if entry is None:
        raise NotFound(shown(call, path))
    return entry


def _limit(content: bytes) -> list[Json]:
    cut = content[:WHOLE]
    blocks: list[Json] = [{"type": "text", "text": clean(cut.decode("utf-8", "surrogateescape"))}]
    if len(cut) < len(content):
        way = "ask for fewer lines" if b"\n" in cut else _INSIDE_A_LINE
        blocks.append(_notice(f"[cut after {WHOLE} bytes; {way}]"))
    return blocks


def _beginning(call: Call, path: WorkspacePath, entry: Entry) -> list[Json]:
    """Return the first megabyte up to a line end, and how to get the rest."""
    size, notice = entry.size, list[Json]()
    if _is_foreign(call, path, entry):
        file = _open(call, path, call.runtime.tree.read(path))
        content, size, notice = file.view[:SLICE], len(file.view), _encoding_notice(file)
    else:
        content = call.runtime.tree.read_range(path, 0, SLICE)
    if b"\0" in content:
        raise TooLarge(
            shown(call, path),
            f"Binary file of {entry.size} bytes, more than the {WHOLE} that are sent whole: "
            f"{shown(call, path)}",
        )
    end = content.rfind(b"\n") + 1
    lines = content.count(b"\n", 0, end)
    shown_part = f"the first {lines} lines, {end} of {size} bytes"
    rest = f"continue with start_line {lines + 1}, or use tail or grep_files"
    if not end:
        end = _whole_characters(content)
        shown_part, rest = f"the first {end} of {size} bytes", f"line 1 goes on: {_INSIDE_A_LINE}"
    return [
        {"type": "text", "text": clean(content[:end].decode("utf-8", "surrogateescape"))},
        _notice(f"[{shown_part}; {rest}]"),
        *notice,
    ]


def _whole_characters(content: bytes) -> int:
    """Return the length of *content* without the start of a character at its end."""
    for back in range(1, min(4, len(content)) + 1):
        if content[-back] >= 0xC0:
            return len(content) - back
        if content[-back] < 0x80:
            break
    return len(content)


def _is_foreign(call: Call, path: WorkspacePath, entry: Entry) -> bool:
    """Return whether a large file is text in another encoding, and not too large to be decoded."""
    if entry.size > MAX_TEXT_BYTES // 4:
        return False
    if call.arguments.get("encoding") is not None:
        return True
    head = call.runtime.tree.read_range(path, 0, _HEAD)
    return open_text(head if b"\0" in head else head[: head.rfind(b"\n") + 1]).is_foreign


def _notice(text: str) -> Json:
    return {"type": "text", "text": text}


def _lines_from(call: Call, path: WorkspacePath, size: int, first: int, last: int | None) -> bytes:
    """Lines of a huge file, read piece by piece and no further than needed."""
    line, kept = 1, bytearray()
    for offset in range(0, size, SLICE):
        call.cancel.check()
        piece = call.runtime.tree.read_range(path, offset, SLICE)
        for part in _split(piece):
            if line >= first:
                kept += part
            if part.endswith(b"\n"):
                line += 1
                if (last is not None and line > last) or len(kept) > WHOLE:
                    return bytes(kept)
    if line < first:
        raise InvalidArgument(f"start_line {first} is past the last line, {line}")
    return bytes(kept)


def _split(piece: bytes) -> list[bytes]:
    lines = piece.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _last_lines(call: Call, path: WorkspacePath, size: int, count: int) -> bytes:
    """Return the last lines of a huge file, read from its end."""
    tail = b""
    offset = size
    while offset > 0 and tail.count(b"\n") <= count and len(tail) < WHOLE:
        call.cancel.check()
        length = min(SLICE, offset)
        offset -= length
        tail = call.runtime.tree.read_range(path, offset, length) + tail
    return b"".join(_split(tail)[-count:])
