"""Paths into a document: `a.b`, `a[0]`, `a[-1]`, `a["x.y"]`, `a['z']`; strict, never a prefix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.core.wording import naming

Segment: TypeAlias = str | int
Path: TypeAlias = tuple[Segment, ...]

_NAME = late_regex(r"""[^.\[\]"'\s](?:[^.\[\]\r\n]*[^.\[\]\s])?""")
_BRACKET = late_regex(
    r"""\[(?:(?P<index>-?(?:0|[1-9][0-9]{0,8}))|"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)')\]"""
)
_ESCAPE = late_regex(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/"}
_HALF = late_regex("[\ud800-\udfff]")
_BARE = late_regex(r"""[^.\[\]"'\s](?:[^.\[\]\s]*[^.\[\]\s])?""")
_INDEX = late_regex(r"0|[1-9][0-9]{0,8}")
# `$` of JSONPath before a step or alone; `$ref` is a key.
_FROM_ROOT = late_regex(r"\$(?=[.\[]|$)")
_QUOTED = late_regex(r"""\["(?:[^"\\]|\\.)*"\]|\['(?:[^'\\]|\\.)*'\]""")
# What only JSONPath has: descendants, any item, filters, slices, several names.
_SELECTS = late_regex(r"\.\.|\[\*\]|\[\?|\[[-0-9]*:|\[[^\]]*,")
_ANY_MEMBER = late_regex(r"\.\*(?=[.\[]|$)")
MAX_SEGMENTS = 200
_FORMS = 'write a.b, a[0], a[-1] or a["x.y"]; the empty path is the whole document'


def parse_path(raw: str | Sequence[Segment]) -> Path:
    """Return the segments *raw* names; InvalidArgument when any of it is malformed."""
    path = _parse_text(raw) if isinstance(raw, str) else _check_segments(raw)
    if len(path) > MAX_SEGMENTS:
        raise InvalidArgument(f"Path has more than {MAX_SEGMENTS} segments", field="path")
    return path


def read_path(text: str) -> Path:
    """Return what `parse_path` does, for a text that may begin as in jq (`.a`) or JSONPath (`$.a`).

    InvalidArgument for a JSONPath that can match several values.
    """
    rest = text[1:] if _FROM_ROOT.match(text) else text
    if selects_several(text):
        raise InvalidArgument(
            f"A path names one value, this selects several: {text}",
            field="path",
            hint=naming("{query} lists what it selects"),
        )
    if rest.startswith(".") and len(rest) > 1:
        rest = rest[1:]
    return parse_path("" if rest == "." else rest)


def selects_several(text: str) -> bool:
    """Return whether *text* is a JSONPath that can match several values, not a path."""
    unquoted = _QUOTED.sub("", text)
    is_rooted = _FROM_ROOT.match(text) is not None
    return bool(_SELECTS.search(unquoted) or (is_rooted and _ANY_MEMBER.search(unquoted)))


def as_jsonpath(text: str) -> str:
    """Return a JSONPath that may be written as a path is, without its `$`."""
    if not text or text.startswith("$"):
        return text or "$"
    return f"${text}" if text[0] in ".[" else f"$.{text}"


def render_path(path: Sequence[Segment]) -> str:
    """Return the text that `parse_path` reads back as *path*."""
    text = ""
    for segment in path:
        if isinstance(segment, int):
            text += f"[{segment}]"
        elif _BARE.fullmatch(segment) and (text or segment != "$"):
            text += f".{segment}" if text else segment
        else:
            text += f"[{quote_segment(segment)}]"
    return text


def read_as_pointer(path: Sequence[Segment]) -> Path:
    """Return the path that was meant by a JSON Pointer where a path should be; () if it is none."""
    if len(path) != 1 or not isinstance(path[0], str) or not path[0].startswith("/"):
        return ()
    parts = (part.replace("~1", "/").replace("~0", "~") for part in path[0][1:].split("/"))
    return tuple(int(part) if _INDEX.fullmatch(part) else part for part in parts)


def quote_segment(name: str) -> str:
    """*name* in the double quotes of the bracket form."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    for letter, char in (("n", "\n"), ("t", "\t"), ("r", "\r")):
        escaped = escaped.replace(char, f"\\{letter}")
    return f'"{escaped}"'


def whole_keys(path: Path) -> list[Segment]:
    """The segments of *path*; InvalidArgument for half a character, which only JSON can hold."""
    for segment in path:
        if isinstance(segment, str) and _HALF.search(segment):
            raise InvalidArgument(
                f"Half a character is in no key of this format: {segment!r}",
                field="path",
                hint="write both halves of the surrogate pair, or the character itself",
            )
    return list(path)


def _check_segments(raw: Sequence[Segment]) -> Path:
    for segment in raw:
        if isinstance(segment, bool) or not isinstance(segment, str | int):
            raise InvalidArgument(
                f"A path segment is a string or an integer, not {segment!r}", field="path"
            )
    return tuple(raw)


def _parse_text(text: str) -> Path:
    segments: list[Segment] = []
    at = 0
    while at < len(text):
        if text[at] == "[":
            segment, at = _bracket(text, at)
        else:
            segment, at = _name(text, at, first=not segments)
        segments.append(segment)
    return tuple(segments)


def _bracket(text: str, at: int) -> tuple[Segment, int]:
    match = _BRACKET.match(text, at)
    if match is None:
        raise _malformed_path(text, at)
    if match["index"] is not None:
        return int(match["index"]), match.end()
    quoted = match["double"] if match["double"] is not None else match["single"]
    return _join_halves(_ESCAPE.sub(_unescape, quoted)), match.end()


def _name(text: str, at: int, *, first: bool) -> tuple[str, int]:
    if not first:
        if text[at] != ".":
            raise _malformed_path(text, at)
        at += 1
    match = _NAME.match(text, at)
    if match is None:
        raise _malformed_path(text, at)
    return match[0], match.end()


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) == 5:
        return chr(int(escape[1:], 16))
    return _ESCAPES.get(escape, escape)


def _join_halves(name: str) -> str:
    """Make one character of two escapes that are its halves, as JSON writes them."""
    if not _HALF.search(name):
        return name
    return name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _malformed_path(text: str, at: int) -> InvalidArgument:
    return InvalidArgument(
        f"Path is malformed at character {at + 1}: {text}", field="path", hint=_FORMS
    )
