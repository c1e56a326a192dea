"""read: one or many files, whole, by lines or one symbol; pictures as pictures."""

from __future__ import annotations

import re
from base64 import b64encode

from redline.core.errors import BinaryFile, InvalidArgument, NotFound, PathError, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.text_limits import MAX_SHOWN
from redline.services.reading import TextPart, read_part
from redline.toolsets.agent.answer import resolve
from redline.toolsets.agent.errors import name_similar, say
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json

_MAX_FILES = 50
_SMALLEST = 500
_MAX_PICTURE_FILE = 64 << 20
_MAX_PICTURE = 5 << 20
_MAX_SIDE = 2000
_SUFFIX = re.compile(r"(?P<path>.+?)(?::(?P<lines>\d+(?:-\d*)?)|#(?P<symbol>[^#]+))\Z", re.DOTALL)


def read(call: Call) -> Result:
    """Return the files with their versions; of several, failures are in their places."""
    given = call.arguments
    one, several = given.get("path"), given.get("paths")
    if (one is None) == (several is None):
        raise InvalidArgument("Give path for one file or paths for several", field="path")
    if one is not None:
        return _read_one(call, one, given.get("lines") or "", given.get("symbol") or "")
    assert several is not None
    if not several:
        raise InvalidArgument("paths is empty", field="paths", hint="give one path or more")
    if given.get("lines") or given.get("symbol"):
        raise InvalidArgument(
            "lines and symbol go with path", field="lines", hint='paths take "a.py:10-40", "a.py#f"'
        )
    return _read_several(call, several)


def _read_one(call: Call, raw: str, lines: str, symbol: str) -> Result:
    if lines or symbol:
        path = resolve(call, raw, exists=True)
    else:
        path, lines, symbol = _split(call, raw)
    try:
        part = _read_part(call, path, lines, symbol)
    except BinaryFile:
        picture = _picture(call, path)
        if picture is None:
            raise
        return picture
    return Result.of_text(_format(call, part), {"files": [_wire(call, part)]})


def _read_several(call: Call, several: list[str]) -> Result:
    if len(several) > _MAX_FILES:
        raise InvalidArgument(f"At most {_MAX_FILES} files at once", field="paths")
    texts: list[str] = []
    files: list[Json] = []
    hints: dict[str, None] = {}
    room = MAX_SHOWN
    for raw in several:
        call.cancel.check()
        if room < _SMALLEST:
            full = "the answer has no room for it; read it alone"
            texts.append(f"{show_name(raw)}: {full}")
            files.append({"path": show_name(raw), "error": full})
            continue
        try:
            part = _read_part(call, *_split(call, raw), room)
        except RedlineError as error:
            if isinstance(error, NotFound):
                name_similar(error, call.runtime, {})
            code, message, hint = say(error)
            hints[hint] = None
            texts.append(f"{show_name(raw)}: {code}: {message}")
            files.append({"path": show_name(raw), "error": message})
            continue
        texts.append(_format(call, part))
        room -= len(texts[-1].encode("utf-8", "replace"))
        files.append(_wire(call, part))
    texts += [f"hint: {hint}" for hint in hints if hint]
    return Result.of_text("\n".join(texts), {"files": files})


def _split(call: Call, raw: str) -> tuple[WorkspacePath, str, str]:
    """Return the path, the lines and the symbol that `path` or an entry of `paths` names.

    A file whose name ends like that is meant itself.
    """
    found = _SUFFIX.fullmatch(raw)
    if found is None:
        return resolve(call, raw, exists=True), "", ""
    try:
        return resolve(call, raw, exists=True), "", ""
    except PathError:
        path = resolve(call, found["path"], exists=True)
        return path, found["lines"] or "", found["symbol"] or ""


def _read_part(
    call: Call, path: WorkspacePath, lines: str, symbol: str, room: int = MAX_SHOWN
) -> TextPart:
    encoding = call.arguments.get("encoding")
    part, content = read_part(
        call.runtime, path, lines=lines, symbol=symbol, encoding=encoding, room=room
    )
    call.runtime.reads.note(call.client.connection, path, content)
    return part


def _format(call: Call, part: TextPart) -> str:
    """Return the text under a line that says which lines these are, and of which version."""
    span = "" if part.is_whole else f":{part.first}-{part.last}/{part.total}"
    encoding = "" if part.encoding == "utf-8" else f" {part.encoding}"
    head = f"[{call.label(part.path)}{span} @{part.version}{encoding}]"
    rest = f"\n[cut here; go on with lines {part.next_line}-]" if part.next_line else ""
    if part.cuts_line:
        rest = f"\n[line {part.first} is cut here; search shows what is around a match in it]"
    return f"{head}\n{part.text}{rest}"


def _wire(call: Call, part: TextPart) -> Json:
    fields: Json = {
        "path": call.label(part.path),
        "content": part.text,
        "start_line": part.first,
        "end_line": part.last,
        "total_lines": part.total,
        "encoding": part.encoding,
        "version": part.version,
    }
    if part.next_line is not None:
        fields["next_line"] = part.next_line
    return fields


def _picture(call: Call, path: WorkspacePath) -> Result | None:
    """Return a picture that fits into an answer; None for any other content."""
    images = call.runtime.images
    original = images.recognise(call.runtime.tree.read(path, _MAX_PICTURE_FILE))
    if original is None:
        return None
    image = images.fit(original, width=_MAX_SIDE, height=_MAX_SIDE, limit=_MAX_PICTURE)
    name = call.label(path)
    text = f"[{name}: {original.mime}, {original.width}x{original.height}]"
    fields = {"path": name, "mime_type": image.mime, "width": image.width, "height": image.height}
    block = {"type": "image", "data": b64encode(image.data).decode(), "mimeType": image.mime}
    return Result([block, {"type": "text", "text": text}], {"files": [fields]})
