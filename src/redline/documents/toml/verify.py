"""Verify a TOML edit: old and new, parsed whole, differ only as intended.

The native parser (toml-rs) reads what brackets and keys nest within bounds; the standard library's
reads the rest, and words every error. Workspace content reaches both in a worker process that can
be killed (see `isolated`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

import toml_rs as _toml_rs

from redline.core.errors import CannotApply, DocumentSyntax, NestsTooDeep
from redline.core.records import dataclass
from redline.documents.base.depth import too_deep
from redline.documents.base.model import DocumentEdit, syntax_error
from redline.documents.base.path import Path
from redline.documents.toml.engine.scan import read_sections

# Brackets nested deeper than this are left to the parser that cannot exhaust its stack.
_NATIVE_DEPTH = 64
_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True)
class TomlIntent:
    """What an edit is meant to do at a path without negative indexes.

    It sets, inserts or deletes a value, or renames a key to `fragment`.
    """

    action: str
    path: Path
    fragment: str = ""


class TomlVerifier:
    """The parsed document that edits are compared with; making it validates the document."""

    def __init__(self, source: bytes, depth: int) -> None:
        self._source = source
        self._depth = depth
        self._data: Any = parse(source, as_text, depth)

    def check(self, edit: DocumentEdit, intent: TomlIntent) -> None:
        """Refuse *edit* unless old-with-the-intent and new are the same data."""
        try:
            actual = parse(edit.after)
        except NestsTooDeep:
            raise CannotApply("The result would be nested too deeply") from None
        except DocumentSyntax as error:
            raise CannotApply(f"The result would not parse: {error.message}") from None
        # The old data is changed in place, which is cheaper than a copy; it is parsed again if this
        # document is asked for another edit.
        expected = (
            self._data if self._data is not None else parse(self._source, as_text, self._depth)
        )
        self._data = None
        try:
            same = _is_as_intended(expected, actual, intent)
        except (LookupError, TypeError):
            raise CannotApply("The two parsers disagree on where the path leads") from None
        except RecursionError:
            raise CannotApply("The result would be nested too deeply") from None
        if not same:
            raise CannotApply("The result would change something else too; nothing was changed")


def as_text(number: str) -> tuple[str, str]:
    """Return a float that equals only one written the same way."""
    return ("float", number)


def parse(
    source: bytes, parse_float: Callable[[str], Any] = as_text, depth: int | None = None
) -> Any:
    """Plain values, each float by its text unless *parse_float* says otherwise; DocumentSyntax.

    *depth* is how deep brackets nest, if that is known.
    """
    if depth is None:
        try:
            depth = read_sections(source, 3 if source.startswith(b"\xef\xbb\xbf") else 0).depth
        except NestsTooDeep:
            # For a key with thousands of parts every parser creates thousands of tables.
            raise
        except DocumentSyntax:
            return parse_slowly(source, parse_float)
    if depth <= _NATIVE_DEPTH:
        try:
            text = source.decode("utf-8-sig")
            return _toml_rs.loads(text, parse_float=parse_float, toml_version="1.0.0")
        except ValueError:
            pass  # the other parser decides, and its messages fit on one line
    return parse_slowly(source, parse_float)


def parse_slowly(source: bytes, parse_float: Callable[[str], Any]) -> Any:
    """Return what the standard library makes of *source*; DocumentSyntax."""
    try:
        return tomllib.loads(source.decode("utf-8-sig"), parse_float=parse_float)
    except RecursionError:
        raise too_deep() from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, error) from None
    except ValueError as error:  # more digits than the interpreter reads
        raise DocumentSyntax(f"Invalid TOML: {error}") from None


def _syntax(source: bytes, error: tomllib.TOMLDecodeError) -> DocumentSyntax:
    text = str(error)
    position = _POSITION.search(text)
    if position is None:
        return syntax_error(source, len(source), text.replace(" (at end of document)", ""), "TOML")
    line, column = int(position[1]), int(position[2])
    reason = text[: position.start()].strip()
    return DocumentSyntax(
        f"Invalid TOML at line {line}, column {column}: {reason}", line=line, column=column
    )


def _is_as_intended(expected: Any, actual: Any, intent: TomlIntent) -> bool:
    """Whether *expected*, changed as intended, is *actual*; LookupError or TypeError if it cannot.

    *expected* is changed in place.
    """
    _apply(expected, intent)
    if expected != actual:
        return False
    # 1 and true are equal; the value itself must also be of the same type.
    if intent.action == "delete":
        return True
    path = intent.path
    if intent.action == "rename":
        path = (*path[:-1], intent.fragment)
    for segment in path:
        expected, actual = expected[segment], actual[segment]
    try:
        return repr(expected) == repr(actual)
    except ValueError:  # more digits than the interpreter writes
        raise CannotApply("A number has more digits than can be compared") from None


def _apply(data: Any, intent: TomlIntent) -> None:
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
    if intent.action == "rename":
        data[intent.fragment] = data.pop(last)
        return
    value = tomllib.loads(f"x = {intent.fragment}\n", parse_float=as_text)["x"]
    if intent.action == "insert" and isinstance(data, list):
        if last > len(data):
            raise IndexError(last)
        data.insert(last, value)
    else:
        data[last] = value
