"""Verified or unchanged: an independent parse of old and new TOML must agree with the intent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from redline.core.errors import CannotApply, DocumentSyntax
from redline.core.splice import Splice, apply_splices
from redline.documents.model import Edit
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_read import NATIVE_DEPTH, Intent, as_spelled, is_as_meant, read

if TYPE_CHECKING:
    from redline.documents.toml_parts import Parts

PART = 8 * 1024
# A file of so many parts is read in parts, a smaller one whole.
_LARGE = 4


class Checked:
    """A document that an independent parser has read; DocumentSyntax when it cannot."""

    def __init__(self, index: TomlIndex, part: int = PART) -> None:
        self._index = index
        self._data: Any = None
        self._parts: Parts | None = None
        if len(index.source) > _LARGE * part:
            # Imported here: most files are small.
            from redline.documents.toml_parts import parts_of

            self._parts = parts_of(index, part)
        if self._parts is None:
            self._data = self._load(index.source)

    def verify(self, edit: Edit, intent: Intent, *, swaps: bool = False) -> None:
        """Refuse *edit* unless old-with-the-intent and new are the same data.

        *swaps* says that it puts one value exactly where another one was.
        """
        if self._parts is not None and self._parts.agree(edit.splices, intent):
            return
        try:
            native = (swaps and self._is_shallow(intent)) or self._is_native(edit.splices)
            actual = read(edit.after, as_spelled, native=native)
        except DocumentSyntax as error:
            raise CannotApply(f"The result would not parse: {error.message}") from None
        # The old data is changed in place, which is cheaper than a copy; it is parsed anew if this
        # document is asked for another edit.
        expected = self._data if self._data is not None else self._load(self._index.source)
        self._data = None
        try:
            same = is_as_meant(expected, actual, intent)
        except (LookupError, TypeError):
            raise CannotApply("The two parsers disagree on where the path leads") from None
        except RecursionError:
            raise CannotApply("The result would be nested too deeply") from None
        if not same:
            raise CannotApply("The result would change something else too; nothing was changed")

    def _load(self, source: bytes) -> Any:
        return read(source, as_spelled, native=self._index.depth <= NATIVE_DEPTH)

    def _is_shallow(self, intent: Intent) -> bool:
        """Whether the value can stand anywhere in this document and not nest deeply."""
        brackets = intent.fragment.count("[") + intent.fragment.count("{")
        return self._index.depth + brackets <= NATIVE_DEPTH

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
            return max(TomlIndex(new).depth, index.depth) <= NATIVE_DEPTH
        except DocumentSyntax:
            return False


def _spliced(source: bytes, splices: Sequence[Splice], start: int) -> bytes:
    return apply_splices(source, [Splice(s.start - start, s.end - start, s.data) for s in splices])


def _ends_a_line(text: bytes) -> bool:
    return text.rstrip(b" \t").endswith(b"\n")


def load(source: bytes, parse_float: Callable[[str], Any] | None = None) -> Any:
    """Plain values, floats by their spelling unless told otherwise; DocumentSyntax."""
    return read(source, parse_float or as_spelled, native=TomlIndex(source).depth <= NATIVE_DEPTH)
