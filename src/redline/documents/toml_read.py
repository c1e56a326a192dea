"""What an independent parser makes of TOML text, and what an edit is meant to make of that."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax
from redline.core.loading import load_native
from redline.documents.depth import too_deep
from redline.documents.model import syntax_error
from redline.documents.path import Path
from redline.documents.toml_scan import read_sections, require_short_keys

# Brackets nested deeper than this are left to the parser that cannot exhaust its stack.
NATIVE_DEPTH = 64
_toml_rs = load_native("toml_rs")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True)
class Intent:
    """What an edit is meant to do: set, insert or delete at a path without negative indexes."""

    action: str
    path: Path
    fragment: str = ""


def read(source: bytes, parse_float: Callable[[str], Any], *, native: bool) -> Any:
    """What the native parser or else the standard library's makes of *source*."""
    require_short_keys(source)
    text = source.decode("utf-8-sig")
    if native:
        try:
            return _toml_rs.loads(text, parse_float=parse_float, toml_version="1.0.0")
        except ValueError:
            # The other parser has the last word, and words that fit on a line.
            pass
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError:
        raise too_deep() from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, error) from None
    except ValueError as error:  # more digits than the interpreter reads
        raise DocumentSyntax(f"Invalid TOML: {error}") from None


def read_guarded(source: bytes) -> Any:
    """The same for text nobody has looked at yet: the native parser sees it only if it may."""
    try:
        native = read_sections(source, 0).depth <= NATIVE_DEPTH
    except DocumentSyntax:
        native = False
    return read(source, as_spelled, native=native)


def explain(source: bytes, error: DocumentSyntax) -> DocumentSyntax:
    """The reason an independent parser gives for refusing *source*, else *error*."""
    try:
        read(source, float, native=False)
    except DocumentSyntax as better:
        return better
    return error


def as_spelled(number: str) -> tuple[str, str]:
    """A float that equals only one written the same way."""
    return ("float", number)


def _syntax(source: bytes, error: tomllib.TOMLDecodeError) -> DocumentSyntax:
    text = str(error)
    place = _PLACE.search(text)
    if place is None:
        return syntax_error(source, len(source), text.replace(" (at end of document)", ""), "TOML")
    line, column = int(place[1]), int(place[2])
    reason = text[: place.start()].strip()
    return DocumentSyntax(
        f"Invalid TOML at line {line}, column {column}: {reason}", line=line, column=column
    )


def is_as_meant(expected: Any, actual: Any, intent: Intent) -> bool:
    """Whether *expected*, changed as meant, is *actual*; LookupError or TypeError if it cannot be.

    *expected* is changed in place, which is cheaper than a copy.
    """
    _apply(expected, intent)
    if expected != actual:
        return False
    # 1 and true are equal; the value itself must also be of the same type.
    if intent.action == "delete":
        return True
    for segment in intent.path:
        expected, actual = expected[segment], actual[segment]
    try:
        return repr(expected) == repr(actual)
    except ValueError:  # more digits than the interpreter writes
        raise CannotApply("A number has more digits than can be compared") from None


def _apply(data: Any, intent: Intent) -> None:
    path = intent.path
    for position, segment in enumerate(path[:-1]):
        if intent.action == "insert" and isinstance(data, dict) and segment not in data:
            following = path[position + 1]
            data[segment] = [] if isinstance(following, int) else {}
        data = data[segment]
    last: Any = path[-1]
    if intent.action == "delete":
        del data[last]
        return
    value = tomllib.loads(f"x = {intent.fragment}\n", parse_float=as_spelled)["x"]
    if intent.action == "insert" and isinstance(data, list):
        if last > len(data):
            raise IndexError(last)
        data.insert(last, value)
    else:
        data[last] = value
