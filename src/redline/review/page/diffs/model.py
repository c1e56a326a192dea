"""A change set as files, hunks and lines; independent of how they are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, FileState, LinkState, Rename, State
from redline.core.diff import hunks_of_files
from redline.core.encodings.opening import open_versions
from redline.core.line_diff import LineHunk, count_hunks
from redline.core.paths import show_name
from redline.core.records import dataclass, field, replace
from redline.engine.reverting.selection import hunks_of
from redline.plan.describe import EncodingOf, Label, Touched, list_touched

_GENERATED = re.compile(
    r"(^|/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|Cargo\.lock|go\.sum"
    r"|composer\.lock|Gemfile\.lock|[^/]+\.min\.(js|css)|[^/]+\.map|[^/]+_pb2\.py|[^/]+\.snap)$"
    r"|(^|/)(node_modules|vendor|dist|build)/"
)
_GENERATED_MARK = re.compile(
    rb"@generated|Code generated .* DO NOT EDIT|do not edit", re.IGNORECASE
)
_MARK_WITHIN = 400
Mask = Callable[[str, str], str]


class DiffShape(StrEnum):
    """How a file of a change is shown."""

    TEXT = "text"
    BINARY = "binary"
    FACTS = "facts"  # a rename, a directory, a mode: nothing but its heading


class DiffLine(NamedTuple):
    """One line: `old` and `new` are its numbers from 1, None where it is not there.

    `mate` is the other version of a replaced line.
    """

    sign: str
    old: int | None
    new: int | None
    content: str
    mate: str | None = None
    lacks_newline: bool = False


@dataclass(frozen=True, slots=True)
class HunkView:
    """Lines that changed with those around them; `number` as undo takes it, 0 if it cannot.

    `parts` are the lines that differ.
    """

    number: int
    lines: LineHunk
    section: str = ""
    parts: tuple[LineHunk, ...] = ()


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a change made of one file."""

    step: int
    touched: Touched
    shape: DiffShape
    old_lines: Sequence[str] = field(repr=False, default=())
    new_lines: Sequence[str] = field(repr=False, default=())
    hunks: tuple[HunkView, ...] = ()
    mode: tuple[int, int] | None = None
    added: int = 0
    removed: int = 0
    is_generated: bool = False

    @property
    def line_count(self) -> int:
        """How many lines its hunks have, drawn one below the other."""
        return sum(h.lines.i2 - h.lines.i1 + h.lines.j2 - h.lines.j1 for h in self.hunks)


def read_files(
    change_set: ChangeSet,
    label: Label,
    configured: EncodingOf | None = None,
    mask: Mask = lambda text, _: text,
) -> list[FileDiff]:
    """Return the files of a change in order, hunks numbered through all of them.

    *mask* takes the text of a file and its name; it keeps the number of lines.
    """
    found: list[FileDiff] = []
    number = 0
    for index, (step, touched) in enumerate(
        zip(change_set.steps, list_touched(change_set, label), strict=True)
    ):
        file = _read_file(index, step, touched, number, configured)
        if file.hunks:
            old, new = (
                mask_lines(each, touched.path, mask) for each in (file.old_lines, file.new_lines)
            )
            file = replace(file, old_lines=old, new_lines=new)
        number += sum(1 for hunk in file.hunks if hunk.number)
        found.append(file)
    return found


def mask_lines(lines: Sequence[str], name: str, mask: Mask) -> Sequence[str]:
    """Return the lines of the file *name* with their secrets masked."""
    *masked, last = mask("".join(lines), name).split("\n")
    return [*(f"{line}\n" for line in masked), *([last] if last else [])]


def _read_file(
    index: int,
    step: Change | Rename,
    touched: Touched,
    number: int,
    configured: EncodingOf | None,
) -> FileDiff:
    if isinstance(step, Rename):
        return FileDiff(index, touched, DiffShape.FACTS)
    mode = _modes(step)
    texts = _texts(step, configured)
    if texts is None:
        is_file = any(isinstance(s, FileState) for s in (step.before, step.after))
        shape = DiffShape.BINARY if is_file and touched.action != "mode" else DiffShape.FACTS
        return FileDiff(index, touched, shape, mode=mode)
    old, new, views = texts
    found, is_part = hunks_of(step), True
    if not found:  # an encoding of which no part can be taken back
        found, is_part = hunks_of_files(*views), False
    hunks = tuple(
        HunkView(number + n if is_part else 0, hunk.lines, _section(new, hunk.lines.j1), hunk.parts)
        for n, hunk in enumerate(found, 1)
    )
    added, removed = count_hunks(part for hunk in hunks for part in hunk.parts)
    generated = bool(_GENERATED.search(touched.path)) or _has_mark(step)
    shape = DiffShape.TEXT if hunks else DiffShape.FACTS
    return FileDiff(index, touched, shape, old, new, hunks, mode, added, removed, generated)


class _Texts(NamedTuple):
    """The lines of both versions as they are shown, and what they are in UTF-8."""

    old: list[str]
    new: list[str]
    views: tuple[bytes, bytes]


def _texts(step: Change, configured: EncodingOf | None) -> _Texts | None:
    """Return both versions; None when one of them is not text."""
    old, new = _content(step.before), _content(step.after)
    if old is None or new is None:
        return None
    lookup = configured and partial(configured, step.path)
    files = open_versions(old, new, configured=lookup)
    if any(file.is_binary for file in files):
        return None
    views = files[0].view, files[1].view
    if views[0] == views[1]:  # they differ in a mark of the encoding only
        views = old, new
    before, after = map(_decode, views)
    if all(line.endswith("\r\n") for line in (*before, *after) if line.endswith("\n")):
        # Line ends that all lines share are not worth a mark on each.
        before, after = ([_drop_cr(line) for line in lines] for lines in (before, after))
    return _Texts(before, after, views)


def _drop_cr(line: str) -> str:
    return f"{line[:-2]}\n" if line.endswith("\r\n") else line


def _decode(content: bytes) -> list[str]:
    """Return the lines of a text with their ends; only LF ends one."""
    *lines, last = show_name(content.decode("utf-8", "surrogateescape")).split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _content(state: State) -> bytes | None:
    if isinstance(state, Absent):
        return b""
    if isinstance(state, LinkState):
        return state.target.encode("utf-8", "surrogateescape")
    return state.content if isinstance(state, FileState) else None


def _modes(step: Change) -> tuple[int, int] | None:
    before, after = getattr(step.before, "mode", None), getattr(step.after, "mode", None)
    return None if before is None or after is None or before == after else (before, after)


def _has_mark(step: Change) -> bool:
    content = _content(step.after) or b""
    return bool(_GENERATED_MARK.search(content[:_MARK_WITHIN]))


def _section(lines: Sequence[str], before: int) -> str:
    """Return the nearest line above that is not indented, as git shows it."""
    for line in reversed(lines[max(0, before - 200) : before]):
        if line[:1].isalpha() or line[:1] in "_$":
            return line.rstrip()[:100]
    return ""


def lines_of(file: FileDiff, hunk: HunkView) -> Iterator[DiffLine]:
    """Yield the lines of a hunk from top to bottom: removed before added."""
    i, j = hunk.lines.i1, hunk.lines.j1
    end = LineHunk(hunk.lines.i2, hunk.lines.i2, hunk.lines.j2, hunk.lines.j2)
    for part in [*hunk.parts, end]:
        while i < part.i1:
            yield _line(" ", i, j, file.new_lines[j])
            i, j = i + 1, j + 1
        old, new = file.old_lines[part.i1 : part.i2], file.new_lines[part.j1 : part.j2]
        for n, line in enumerate(old):
            yield _line("-", i + n, None, line, new[n] if n < len(new) else None)
        for n, line in enumerate(new):
            yield _line("+", None, j + n, line, old[n] if n < len(old) else None)
        i, j = part.i2, part.j2


def _line(
    sign: str, old: int | None, new: int | None, raw: str, mate: str | None = None
) -> DiffLine:
    return DiffLine(
        sign,
        None if old is None else old + 1,
        None if new is None else new + 1,
        raw.removesuffix("\n"),
        None if mate is None else mate.removesuffix("\n"),
        not raw.endswith("\n"),
    )
