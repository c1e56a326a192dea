"""What every format's engine returns: slices, planned edits, and the Document interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound, TooLarge
from redline.core.records import dataclass
from redline.core.splice import Splice, apply_splices
from redline.core.textfile import SNIFFED, undecodable_at
from redline.core.wording import join_texts, naming
from redline.documents.base.path import (
    Path,
    Segment,
    quote_segment,
    read_as_pointer,
    render_path,
)

MAX_DEPTH = 200
MAX_BYTES = 256 * 1024 * 1024
# What a parser reads whole, old and new, to verify an edit: YAML, TOML, JSON5.
MAX_PARSED_BYTES = 32 * 1024 * 1024
_PIECE = 1 << 16
_CONTINUATIONS = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class Slice:
    """A node's source bytes and their position; `line` and `column` count from 1."""

    data: bytes
    start: int
    end: int
    line: int
    column: int
    kind: str
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The source text, exactly."""
        return self.data.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """A verified change of one document: what is spliced, what comes out, what to mention."""

    before: bytes
    splices: tuple[Splice, ...]
    after: bytes
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, before: bytes, splices: Sequence[Splice], notes: Sequence[str] = ()
    ) -> DocumentEdit:
        """Return the edit that *splices* make of *before*; the caller still has to verify it."""
        return cls(before, tuple(splices), apply_splices(before, splices), tuple(notes))


class Document(Protocol):
    """A parsed document of any format. Nothing here writes; every edit is verified."""

    @property
    def source(self) -> bytes:
        """The bytes this was parsed from."""

    @property
    def format(self) -> str:
        """Its name in `formats.FORMATS`."""

    def get(self, path: Path) -> Slice:
        """Return the node's source slice; NodeNotFound."""

    def set(self, path: Path, value: str, *, create_parents: bool = False) -> DocumentEdit:
        """Replace the node, or create the leaf; CannotApply, the document unchanged."""

    def insert(self, path: Path, value: str, *, after: str | None = None) -> DocumentEdit:
        """A new list item before an index (index = length appends) or a new key; CannotApply.

        The key goes behind the last one, or behind *after*, a key of the same mapping.
        """

    def delete(self, path: Path) -> DocumentEdit:
        """Remove the node; NodeNotFound, CannotApply."""

    def rename(self, path: Path, name: str) -> DocumentEdit:
        """Give a key another name where it is; NodeNotFound, CannotApply."""

    def data(self) -> Any:
        """Return the whole document as plain values, for queries and schemas."""

    def render(self, value: Any, at: Path = ()) -> str:
        """Return a plain value in this format's own syntax; CannotApply where it has none.

        *at* is where it is put: text that replaces a block of lines is a block again.
        """

    def read_typed(self, value: str, at: Path) -> str:
        """A value as a person types it, in this format's syntax; CannotApply if it is misread."""


def slice_of(source: bytes, start: int, end: int, kind: str, notes: Sequence[str] = ()) -> Slice:
    """Return the slice [start, end) of *source* with its place counted in lines and characters."""
    line, column = line_column(source, start)
    return Slice(source[start:end], start, end, line, column, kind, tuple(notes))


def line_column(source: bytes, offset: int) -> tuple[int, int]:
    """Line and column of *offset*, from 1, columns in characters."""
    line_start = source.rfind(b"\n", 0, offset) + 1
    # By first bytes and in pieces: a file may be one line.
    column = 1 + sum(
        len(source[at : min(at + _PIECE, offset)].translate(None, _CONTINUATIONS))
        for at in range(line_start, offset, _PIECE)
    )
    if not line_start and source.startswith(b"\xef\xbb\xbf") and offset >= 3:
        column -= 1
    return source.count(b"\n", 0, offset) + 1, column


def syntax_error(source: bytes, offset: int, reason: str, form: str) -> DocumentSyntax:
    """Return the error for a document that does not parse, with the position."""
    line, column = line_column(source, max(0, min(offset, len(source))))
    return DocumentSyntax(
        f"Invalid {form} at line {line}, column {column}: {reason}", line=line, column=column
    )


def require_size(source: bytes, form: str, limit: int) -> None:
    """Refuse a document of more than *limit* bytes; TooLarge."""
    if len(source) > limit:
        raise TooLarge(
            "document",
            f"{form} document is larger than {limit >> 20} MB",
            hint="split the file, or edit it as text",
        )


def require_text(source: bytes, form: str, limit: int = MAX_BYTES) -> None:
    """Refuse what is not UTF-8 text, or more of it than an engine should see."""
    require_size(source, form, limit)
    wrong = undecodable_at(source)
    if wrong is None and b"\0" in source[:SNIFFED]:  # no format has this character
        wrong = source.index(b"\0")
    if wrong is not None:
        raise syntax_error(source, wrong, f"documents must be UTF-8, {_describe(source)}", form)


def _describe(source: bytes) -> str:
    """Say what a file is that is not UTF-8 text."""
    from redline.core.encodings.opening import open_text

    found = open_text(source)
    if found.is_foreign:
        return f"this is text in {found.encoding}"
    return "this is a binary file" if found.is_binary else "this byte is not"


def missing_key(path: Sequence[Segment], at: int, keys: Sequence[str]) -> NodeNotFound:
    """Return the error for a missing key path[at], with the nearest keys of its mapping."""
    where = render_path(path[:at]) or "the top level"
    wanted = path[at]
    hint = _dotted_hint(path, at, keys) or _pointer_hint(path, keys)
    hint = hint or _near_hint(str(wanted), keys)
    details = {"path": render_path(path), "missing": render_path(path[: at + 1])}
    meant = _find_meant(str(wanted), keys)
    if meant is not None:
        details["meant"] = render_path((*path[:at], meant, *path[at + 1 :]))
    return NodeNotFound(
        f"No key {str(wanted)!r} in {where}: {render_path(path)}", hint=hint, details=details
    )


def key_exists(path: Sequence[Segment]) -> CannotApply:
    """Return the refusal of an insert whose key exists; a list grows by naming an index."""
    shown = render_path(path)
    return CannotApply(
        f"Key already exists: {shown}",
        hint=f"set replaces it where it is; to append to a list, insert at {shown}[+]",
    )


def not_a_key(path: Sequence[Segment]) -> CannotApply:
    """Return the refusal to rename what has no name of its own."""
    shown = render_path(path) or "the document"
    return CannotApply(f"Only a key can be renamed: {shown}", hint="name a key of a mapping")


def no_sibling(path: Sequence[Segment], after: str) -> CannotApply:
    """Return the refusal of a new key behind one that is not there with a value of its own."""
    where = render_path(path[:-1]) or "the top level"
    return CannotApply(
        f"No key {after!r} with a value in {where} to place {path[-1]!r} after",
        hint="name a key of the same mapping, or leave after out",
    )


def wrong_shape(path: Sequence[Segment], at: int, kind: str) -> NodeNotFound:
    """path[at] cannot be applied to the node at path[:at], which is a *kind*."""
    where = render_path(path[:at]) or "The top level"
    segment = path[at]
    wanted = f"index [{segment}]" if isinstance(segment, int) else f"key {segment!r}"
    hint, details = None, {"path": render_path(path)}
    if kind == "sequence":
        hint = f"items are addressed by index: {render_path(path[:at])}[0]"
        if isinstance(segment, str) and segment.isascii() and segment.isdecimal():
            details["meant"] = render_path((*path[:at], int(segment), *path[at + 1 :]))
    elif kind == "mapping":
        quoted = quote_segment(str(segment))
        hint = f"keys are addressed by name: {render_path(path[:at])}[{quoted}]"
    return NodeNotFound(
        f"{where} is a {kind} and has no {wanted}: {render_path(path)}",
        hint=hint,
        details=details,
    )


def out_of_range(path: Sequence[Segment], at: int, length: int) -> NodeNotFound:
    """Return the error for an index path[at] beyond the end of the sequence at path[:at]."""
    where = render_path(path[:at]) or "the top level"
    return NodeNotFound(
        f"Index [{path[at]}] is out of range in {where} ({length} items): {render_path(path)}",
        hint=f"the last is [{length - 1}]; insert at [{length}] appends" if length else None,
        details={"path": render_path(path), "length": length},
    )


def resolve_index(index: int, length: int) -> int | None:
    """Return the position *index* names in a sequence of *length*, or None."""
    position = index + length if index < 0 else index
    return position if 0 <= position < length else None


def as_refusal(error: NodeNotFound) -> CannotApply:
    """The same fact as the refusal of a change."""
    return CannotApply(error.message, hint=error.hint, details=error.details)


def missing_levels(error: NodeNotFound) -> CannotApply:
    """Return the refusal when several levels are missing and `create_parents` was not given."""
    failure, way = as_refusal(error), naming("{create_parents} builds the missing levels")
    failure.hint = join_texts(error.hint, "; ", way) if error.hint else way
    return failure


def _dotted_hint(path: Sequence[Segment], at: int, keys: Sequence[str]) -> str | None:
    for stop in range(len(path), at + 1, -1):
        names = [s for s in path[at:stop] if isinstance(s, str)]
        if len(names) == stop - at and ".".join(names) in keys:
            better = (*path[:at], ".".join(names), *path[stop:])
            return f"a key with dots is written in quotes: {render_path(better)}"
    return None


def _pointer_hint(path: Sequence[Segment], keys: Sequence[str]) -> str | None:
    meant = read_as_pointer(path)
    return f"a path is written {render_path(meant)}" if meant and meant[0] in keys else None


def _find_meant(wanted: str, keys: Sequence[str]) -> str | None:
    """Return the key that alone is written nearly like *wanted*; None if there is no such key."""
    from difflib import get_close_matches

    near = get_close_matches(wanted, keys[:500], n=2, cutoff=0.75)
    return near[0] if len(near) == 1 else None


def _near_hint(wanted: str, keys: Sequence[str]) -> str | None:
    if not keys:
        return None
    from difflib import get_close_matches

    near = get_close_matches(wanted, keys[:500], n=3, cutoff=0.6) or list(keys[:8])
    more = ", ..." if len(keys) > len(near) else ""
    return f"keys here: {', '.join(near)}{more}"
