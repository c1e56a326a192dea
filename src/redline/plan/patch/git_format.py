"""Changes in the format of `git diff`, so that `git apply` takes every kind of them, byte for byte.

What `plan.describe` writes is for people: it decodes texts and names what it cannot show.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from redline.core.changes import FileState, LinkState, State
from redline.core.diff import unified_diff
from redline.core.errors import CannotApply
from redline.core.textfile import encode

_PLAIN, _EXECUTABLE, _LINK = 0o100644, 0o100755, 0o120000
_NOTHING = "0" * 40
_TO_ESCAPE = re.compile(rb'[\x00-\x1f"\\\x7f]')
_TO_QUOTE = re.compile(rb"%s|^ | $" % _TO_ESCAPE.pattern)
_LOOK_FOR_NUL = 8000  # bytes at the start of a file in which git looks for one
_LINE = 52  # bytes in a line of a binary patch
_LENGTHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class _Blob(NamedTuple):
    """A file as git knows it."""

    mode: int
    content: bytes

    @property
    def name(self) -> str:
        head = b"blob %d\0" % len(self.content)
        return hashlib.sha1(head + self.content, usedforsecurity=False).hexdigest()


class NamedState(NamedTuple):
    """A name, and what is there."""

    name: str
    state: State


def write_rename(source: str, target: str) -> bytes:
    """Return the patch that moves a file or link as it is."""
    return _head(source, target) + b"similarity index 100%\n" + _rename_lines(source, target)


def write_change(old: NamedState, new: NamedState) -> bytes:
    """Return the patch of one file or link, including its move.

    It moves only if it is there before and after. Empty for what git does not know, as
    directories; CannotApply where a content is not known.
    """
    before = _blob_of(old, None)
    after = _blob_of(new, before)
    if before and after and (before.mode == _LINK) == (after.mode == _LINK):
        if before == after:
            return write_rename(old.name, new.name) if old.name != new.name else b""
        return _write(old.name, before, new.name, after)
    removed = _write(old.name, before, old.name, None) if before else b""
    return removed + (_write(new.name, None, new.name, after) if after else b"")


def _blob_of(named: NamedState, before: _Blob | None) -> _Blob | None:
    state = named.state
    if isinstance(state, LinkState):
        return _Blob(_LINK, encode(state.target))
    if not isinstance(state, FileState):
        return None
    if state.content is None:
        raise CannotApply(
            f"The history does not keep the content of this file: {named.name}",
            hint="export the other changes, and copy the file",
        )
    if state.mode is not None:
        return _Blob(_EXECUTABLE if state.mode & 0o100 else _PLAIN, state.content)
    return _Blob(before.mode if before and before.mode != _LINK else _PLAIN, state.content)


def _write(source: str, before: _Blob | None, target: str, after: _Blob | None) -> bytes:
    lines = [_head(source, target)]
    index = f"index {before.name if before else _NOTHING}..{after.name if after else _NOTHING}"
    if before is None and after:
        lines.append(b"new file mode %o\n" % after.mode)
    elif before and after is None:
        lines.append(b"deleted file mode %o\n" % before.mode)
    elif before and after and before.mode != after.mode:
        lines.append(b"old mode %o\nnew mode %o\n" % (before.mode, after.mode))
    elif before:
        index += f" {before.mode:o}"
    if source != target:
        lines.append(_rename_lines(source, target))
    lines.append(index.encode() + b"\n")
    was, becomes = (blob.content if blob else b"" for blob in (before, after))
    if was == becomes:
        return b"".join(lines)
    if b"\0" in was[:_LOOK_FOR_NUL] or b"\0" in becomes[:_LOOK_FOR_NUL]:
        lines += [b"GIT binary patch\n", _literal(becomes), _literal(was)]
    else:
        lines.append(b"--- %s\n" % (_quote("a/" + source) if before else b"/dev/null"))
        lines.append(b"+++ %s\n" % (_quote("b/" + target) if after else b"/dev/null"))
        lines.append(_hunks(was, becomes))
    return b"".join(lines)


def _head(source: str, target: str) -> bytes:
    return b"diff --git %s %s\n" % (_quote("a/" + source), _quote("b/" + target))


def _rename_lines(source: str, target: str) -> bytes:
    return b"rename from %s\nrename to %s\n" % (_quote(source), _quote(target))


def _hunks(old: bytes, new: bytes) -> bytes:
    """Return the hunks of a unified diff, whatever the encoding."""
    # Each byte becomes one character and back again.
    diff = unified_diff(old.decode("latin-1"), new.decode("latin-1"), "", "").encode("latin-1")
    return diff.split(b"\n", 2)[2]


def _literal(content: bytes) -> bytes:
    return b"literal %d\n" % len(content) + b"".join(_encoded_lines(content)) + b"\n"


def _encoded_lines(content: bytes) -> Iterator[bytes]:
    packed = zlib.compress(content)
    for start in range(0, len(packed), _LINE):
        piece = packed[start : start + _LINE]
        yield _LENGTHS[len(piece) - 1].encode() + base64.b85encode(piece, pad=True) + b"\n"


def _quote(name: str) -> bytes:
    """Return a name as headers have it: between quotes where something could be misread."""
    raw = encode(name)
    if not _TO_QUOTE.search(raw):
        return raw
    return b'"%s"' % _TO_ESCAPE.sub(lambda m: b"\\%03o" % m[0][0], raw)
