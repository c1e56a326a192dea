"""Verified or unchanged: an independent parse of old and new TOML must agree with the intent.

A large file is parsed in parts, each a run of whole sections, so that its data never stands in
memory at once. The parts say what the whole says: TOML carries no lexical state from one statement
to the next, and two sections can only meet in a name of the top level. A name that two parts share
is therefore allowed only where both hold items of an array of tables, which are then counted on.
Whatever does not fit is parsed whole.
"""

from __future__ import annotations

import re
import tomllib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import toml_rs

from redline.core.errors import CannotApply, DocumentSyntax
from redline.core.splice import Splice, apply_splices
from redline.documents.depth import too_deep
from redline.documents.model import Edit, syntax_error
from redline.documents.path import Path
from redline.documents.toml_index import TomlIndex

PART = 32 * 1024
# Brackets nested deeper than this are left to the parser that cannot exhaust its stack.
_NATIVE_DEPTH = 64
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True)
class Intent:
    """What an edit is meant to do: set, insert or delete at a path without negative indexes."""

    action: str
    path: Path
    fragment: str = ""


class Checked:
    """A document that an independent parser has read; DocumentSyntax when it cannot."""

    def __init__(self, index: TomlIndex, part: int = PART) -> None:
        self._index = index
        self._data: Any = None
        self._bounds = _bounds(index, part)
        # Per part: how many items its arrays of tables have in the parts before.
        self._before: list[dict[str, int]] = []
        if len(self._bounds) <= 2 or not self._read_parts():
            self._bounds = [0, len(index.source)]
            self._before = [{}]
            self._data = self._load(index.source)

    def verify(self, edit: Edit, intent: Intent) -> None:
        """Refuse *edit* unless old-with-the-intent and new are the same data."""
        if len(self._bounds) > 2 and self._agrees_in_part(edit.splices, intent):
            return
        try:
            actual = read(edit.after, as_spelled, native=self._is_native(edit.splices))
        except DocumentSyntax as error:
            raise CannotApply(f"The result would not parse: {error.message}") from None
        # The old data is changed in place, which is cheaper than a copy; it is parsed anew if this
        # document is asked for another edit.
        expected = self._data if self._data is not None else self._load(self._index.source)
        self._data = None
        try:
            same = _same(expected, actual, intent)
        except (KeyError, IndexError, TypeError):
            raise CannotApply("The two parsers disagree on where the path leads") from None
        except RecursionError:
            raise CannotApply("The result would be nested too deeply") from None
        if not same:
            raise CannotApply("The result would change something else too; nothing was changed")

    def _load(self, source: bytes) -> Any:
        return read(source, as_spelled, native=self._index.depth <= _NATIVE_DEPTH)

    def _is_native(self, splices: Sequence[Splice]) -> bool:
        """Whether the native parser may see the new text: its changed sections have the shape."""
        index = self._index
        first = index.section_at(min(s.start for s in splices) - 1)
        start = 0 if first < 0 else index.starts[first]
        stop = index.stop(index.section_at(max(s.end for s in splices)))
        new = _spliced(index.source[start:stop], splices, start)
        if stop < len(index.source) and not _ends_a_line(new):
            return False
        try:
            return max(TomlIndex(new).depth, index.depth) <= _NATIVE_DEPTH
        except DocumentSyntax:
            return False

    def _read_parts(self) -> bool:
        """Whether the parts can stand for the whole."""
        names, items = array("q"), dict[str, int]()
        for number, (start, stop) in enumerate(pairwise(self._bounds)):
            try:
                data = self._load(self._index.source[start:stop])
            except DocumentSyntax:
                return False
            shared: dict[str, int] = {}
            for name, value in data.items():
                # The first part is the top level itself, where a list is one value.
                if number and isinstance(value, list):
                    known = items.get(name, 0)
                    items[name] = known + len(value)
                    if known:
                        shared[name] = known
                        continue
                names.append(hash(name))
            self._before.append(shared)
        return all(left != right for left, right in pairwise(sorted(names)))

    def _agrees_in_part(self, splices: Sequence[Splice], intent: Intent) -> bool:
        """Whether the parts that change are changed as meant, and the others not at all."""
        # A part keeps its first byte, the bracket of a header: what is put before it is read with
        # the part before.
        first = max(bisect_left(self._bounds, min(s.start for s in splices)) - 1, 0)
        last = max(bisect_left(self._bounds, max(s.end for s in splices)), first + 1)
        start, stop = self._bounds[first], self._bounds[last]
        old = self._index.source[start:stop]
        new = _spliced(old, splices, start)
        if stop < len(self._index.source) and not _ends_a_line(new):
            return False
        try:
            actual = read(new, as_spelled, native=self._is_native(splices))
            expected = self._load(old)
            known = set(expected)
            local = Intent(intent.action, self._local(intent.path, first), intent.fragment)
            same = _same(expected, actual, local)
        except (DocumentSyntax, KeyError, IndexError, TypeError, RecursionError):
            return False
        return same and not self._used_elsewhere(set(actual) - known, first, last)

    def _local(self, path: Path, part: int) -> Path:
        if len(path) > 1 and isinstance(path[0], str) and isinstance(path[1], int):
            return (path[0], path[1] - self._before[part].get(path[0], 0), *path[2:])
        return path

    def _used_elsewhere(self, names: set[str], first: int, last: int) -> bool:
        if not names:
            return False
        for number, (start, stop) in enumerate(pairwise(self._bounds)):
            inside = first <= number < last
            if not inside and names & set(self._load(self._index.source[start:stop])):
                return True
        return False


def _spliced(source: bytes, splices: Sequence[Splice], start: int) -> bytes:
    return apply_splices(source, [Splice(s.start - start, s.end - start, s.data) for s in splices])


def _ends_a_line(text: bytes) -> bool:
    return text.rstrip(b" \t").endswith(b"\n")


def _bounds(index: TomlIndex, part: int) -> list[int]:
    """Where the file is cut: behind the top level, then at headers where a new name begins."""
    bounds = [0]
    if len(index.source) > part and index.starts:
        bounds.append(index.starts[0])
        for section in range(1, len(index.starts)):
            start = index.starts[section]
            if start - bounds[-1] >= part and _may_cut(index, section):
                bounds.append(start)
    return [*bounds, len(index.source)]


def _may_cut(index: TomlIndex, section: int) -> bool:
    names = index.names(section)
    if len(names) == 1 and index.is_double(section):
        return True
    return names[0] != index.names(section - 1)[0]


def _same(expected: Any, actual: Any, intent: Intent) -> bool:
    _apply(expected, intent)
    if expected != actual:
        return False
    # 1 and true are equal; the value itself must also be of the same type.
    if intent.action == "delete":
        return True
    for segment in intent.path:
        expected, actual = expected[segment], actual[segment]
    return repr(expected) == repr(actual)


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
        data.insert(last, value)
    else:
        data[last] = value


def load(source: bytes, parse_float: Callable[[str], Any] | None = None) -> Any:
    """Plain values, floats by their spelling unless told otherwise; DocumentSyntax."""
    return read(source, parse_float or as_spelled, native=TomlIndex(source).depth <= _NATIVE_DEPTH)


def explain(source: bytes, error: DocumentSyntax) -> DocumentSyntax:
    """The reason an independent parser gives for refusing *source*, else *error*."""
    try:
        read(source, float, native=False)
    except DocumentSyntax as better:
        return better
    return error


def read(source: bytes, parse_float: Callable[[str], Any], *, native: bool) -> Any:
    """What the native parser or else the standard library's makes of *source*."""
    text = source.decode("utf-8-sig")
    if native:
        try:
            return toml_rs.loads(text, parse_float=parse_float, toml_version="1.0.0")
        except ValueError:
            # The other parser has the last word, and words that fit on a line.
            pass
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError:
        raise too_deep() from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax(source, error) from None


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
