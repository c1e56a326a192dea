"""The `charset` that `.editorconfig` files set for a path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.core.cancellation import checkpoint
from redline.core.encodings.names import find_codec
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Tree

_MAX_BYTES = 64 << 10
_MAX_SECTIONS = 100
_MAX_GLOB = 200
_MAX_PATH = 512
_MAX_WILDCARDS = 6
_MAX_ALTERNATIVES = 20
_NAME = ".editorconfig"
_RANGE = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})\Z")
_BRACES = re.compile(r"\{([^{}]*)\}")
_TOKEN = re.compile(r"\\.|\*\*/|\*\*|\*|\?|\[!?[^]/]+\]|.", re.DOTALL)
_EMPTIABLE = ("*", "**", "**/")


def configured_encoding(tree: Tree, path: WorkspacePath) -> str | None:
    """Return the codec set for *path* by the nearest `.editorconfig` that sets one."""
    for depth in range(len(path.parts) - 1, -1, -1):
        folder = WorkspacePath(path.root, path.parts[:depth])
        text = _read(tree, WorkspacePath(path.root, (*folder.parts, _NAME)))
        if text is None:
            continue
        charset, is_top = _charset(text, "/".join(path.parts[depth:]))
        if charset is not None:
            return find_codec(charset)
        if is_top:
            return None
    return None


def _read(tree: Tree, path: WorkspacePath) -> str | None:
    try:
        return tree.read(path, _MAX_BYTES).decode("utf-8", "replace")
    except RedlineError:
        return None


def _charset(text: str, relative: str) -> tuple[str | None, bool]:
    """Return the charset for a path below the file's directory, and whether to look no higher."""
    charset, is_top, applies, sections = None, False, False, 0
    for line in _lines(text):
        if line.startswith("[") and line.endswith("]"):
            sections += 1
            applies = sections <= _MAX_SECTIONS and _selects(line[1:-1], relative)
            continue
        key, _, value = (part.strip().lower() for part in line.partition("="))
        if not sections and key == "root":
            is_top = value == "true"
        elif applies and key == "charset":
            charset = None if value == "unset" else value.replace("-bom", "")
    return charset, is_top


def _lines(text: str) -> Iterator[str]:
    for line in text.removeprefix("\ufeff").splitlines():
        line = line.strip()
        if line and line[0] not in "#;":
            yield line


def _selects(glob: str, relative: str) -> bool:
    """Whether a section's glob selects a path; in time that grows with both lengths only."""
    if len(glob) > _MAX_GLOB or len(relative) > _MAX_PATH or glob.count("*") > _MAX_WILDCARDS:
        return False
    checkpoint()
    anchored = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    return any(_matches(_TOKEN.findall(plain), relative) for plain in _alternatives(anchored))


def _alternatives(glob: str) -> list[str]:
    """Return *glob* without braces, once for each choice; the first ones where there are many."""
    pending, plain = [glob], list[str]()
    while pending and len(plain) + len(pending) <= _MAX_ALTERNATIVES:
        each = pending.pop()
        found = _BRACES.search(each)
        if found is None:
            plain.append(each)
            continue
        pending += [each[: found.start()] + c + each[found.end() :] for c in _choices(found[1])]
    return plain


def _choices(body: str) -> list[str]:
    ends = _RANGE.match(body)
    if ends is None:
        return body.split(",")
    low, high = sorted((int(ends[1]), int(ends[2])))
    return [str(number) for number in range(low, min(high, low + _MAX_ALTERNATIVES) + 1)]


def _matches(tokens: list[str], path: str) -> bool:
    at = _skip_empty(tokens, {0})
    for letter in path:
        at = _skip_empty(tokens, {after for i in at for after in _step(tokens, i, letter)})
    return len(tokens) in at


def _skip_empty(tokens: list[str], at: set[int]) -> set[int]:
    """Add the positions after wildcards that may match nothing."""
    pending, reached = list(at), set(at)
    while pending:
        i = pending.pop()
        new = {i + 1} - reached if i < len(tokens) and tokens[i] in _EMPTIABLE else set()
        reached |= new
        pending += new
    return reached


def _step(tokens: list[str], i: int, letter: str) -> tuple[int, ...]:
    """Return where position *i* leads with one more letter of the path."""
    match tokens[i] if i < len(tokens) else "":
        case "**":
            return (i,)
        case "**/":
            return (i, i + 1) if letter == "/" else (i,)
        case "*":
            return () if letter == "/" else (i,)
        case wanted:
            return (i + 1,) if _fits(wanted, letter) else ()


def _fits(wanted: str, letter: str) -> bool:
    if wanted == "?":
        return letter != "/"
    if len(wanted) > 2 and wanted[0] == "[":
        is_negated = wanted[1] == "!"
        return _in_class(wanted[1 + is_negated : -1], letter) != is_negated
    return wanted[-1:] == letter


def _in_class(body: str, letter: str) -> bool:
    spans = re.findall(r"(.)-(.)|(.)", body, re.DOTALL)
    return any(low <= letter <= high if low else letter == one for low, high, one in spans)
