"""A change in the fewest words: what became of each file, and the lines that differ.

Names and counts come from the change itself, never from a text that was cut.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest

from redline.core.changes import Absent, Change, ChangeSet, DirState, Rename
from redline.core.diff import NO_NEWLINE, changed_lines
from redline.core.line_diff import LineCounts, LineHunk, count_hunks, split_lines
from redline.core.long_lines import LONG, fold_line
from redline.core.records import dataclass, field
from redline.core.wording import visible
from redline.plan.describe import EncodingOf, Label, mode_line, pieces_of, texts_of

# More files than this are counted together, of which the first few are named.
MAX_FILES = 20
_FEW = 5
# Seconds after which files are named without being compared.
_PATIENCE = 2.0
_WARNING = "warning: hidden characters are shown escaped"


def brief_change(
    change_set: ChangeSet, label: Label, max_chars: int, configured: EncodingOf | None = None
) -> str:
    """Return the changed lines without context; above *max_chars* only what became of the files.

    New and deleted files are named, not shown.
    """
    files = _read(change_set, label, configured)
    if sum(sum(file.counts or ()) for file in files if file.verb == "edited") > max_chars:
        return "\n".join(_heads(files))
    whole: list[str] = []
    size = 0
    for file in files:
        for line in file.lines():
            whole.append(line)
            size += len(line) + 1
            if size > max_chars + 1:
                return "\n".join(_heads(files))
    return "\n".join([_WARNING, *whole] if any(file.is_hiding for file in files) else whole)


def name_changes(
    change_set: ChangeSet, label: Label, configured: EncodingOf | None = None, left_out: int = 0
) -> list[str]:
    """Return what became of each file; of many, how many there are and which come first.

    *left_out* is how many further steps the change has.
    """
    heads = _heads(_read(change_set, label, configured))
    return [*heads, f"and {left_out} more"] if left_out else heads


def _read(change_set: ChangeSet, label: Label, configured: EncodingOf | None) -> list[_Touched]:
    deadline = time.monotonic() + _PATIENCE
    return [_Touched(step, label, configured, deadline) for step in change_set.steps]


def _heads(files: Sequence[_Touched]) -> list[str]:
    if len(files) <= MAX_FILES:
        return [file.head for file in files]
    groups: dict[str, list[_Touched]] = {}
    for file in files:
        groups.setdefault(file.verb, []).append(file)
    return [_name_group(verb, group) for verb, group in groups.items()]


def _name_group(verb: str, group: Sequence[_Touched]) -> str:
    """Return the files of one kind on one line: `edited 30 files (+90 -90): a, b and 28 more`."""
    if len(group) == 1:
        return group[0].head
    counts = [file.counts for file in group if file.counts is not None]
    total = LineCounts(sum(n.added for n in counts), sum(n.removed for n in counts))
    noun = "directories" if verb.endswith("directory") else "files"
    more = f" and {len(group) - _FEW} more" if len(group) > _FEW else ""
    names = ", ".join(file.name for file in group[:_FEW])
    shown = f" ({_show_counts(verb, total)})" if any(total) else ""
    if shown and len(counts) < len(group):
        shown = f"{shown[:-1]} in {len(counts)} of them)"
    verb = verb.removesuffix(" directory")
    return f"{verb} {len(group)} {noun}{shown}: {names}{more}"


def _show_counts(verb: str, counts: LineCounts) -> str:
    if verb == "created":
        return f"+{counts.added}"
    return f"-{counts.removed}" if verb == "deleted" else f"+{counts.added} -{counts.removed}"


@dataclass
class _Touched:
    """One step of a change, compared when it is first asked for."""

    step: Change | Rename
    label: Label
    configured: EncodingOf | None
    deadline: float
    # Whether a character that a reader does not see was among the lines.
    is_hiding: bool = field(default=False, init=False)

    @cached_property
    def name(self) -> str:
        """What is shown for the path."""
        if isinstance(self.step, Rename):
            return f"{self.label(self.step.source)} to {self.label(self.step.target)}"
        return self.label(self.step.path)

    @cached_property
    def verb(self) -> str:
        """What happened: created, deleted, edited, moved, or a word of its own."""
        if isinstance(self.step, Rename):
            return "moved"
        is_new, is_gone = (isinstance(s, Absent) for s in (self.step.before, self.step.after))
        verb = "created" if is_new else "deleted" if is_gone else "edited"
        return verb if self._is_file else f"{verb} directory"

    @cached_property
    def _is_file(self) -> bool:
        return isinstance(self.step, Change) and not any(
            isinstance(state, DirState) for state in (self.step.before, self.step.after)
        )

    @cached_property
    def texts(self) -> tuple[bytes, bytes] | None:
        """Both versions; None where there is no text, or no time is left to compare it."""
        if isinstance(self.step, Rename) or not self._is_file or time.monotonic() > self.deadline:
            return None
        return texts_of(self.step, self.configured)

    @cached_property
    def parts(self) -> list[LineHunk]:
        """The lines that differ."""
        return [] if self.texts is None else changed_lines(*self.texts)

    @property
    def counts(self) -> LineCounts | None:
        """How many lines were added and removed; None if that is not known."""
        return None if self.texts is None else count_hunks(self.parts)

    @cached_property
    def head(self) -> str:
        """What happened to the file, and how much of it."""
        if self.verb == "moved":
            return f"moved {self.name}"
        if self.parts:
            return f"{self.verb} {self.name} ({_show_counts(self.verb, count_hunks(self.parts))})"
        if self.verb == "edited" and self.texts is None and time.monotonic() > self.deadline:
            return f"edited {self.name}"
        return "".join(pieces_of(ChangeSet((self.step,)), self.label, self.configured)).rstrip("\n")

    def lines(self) -> Iterator[str]:
        """Yield the lines that differ, each with where it is; the head where they are not shown."""
        if not self.parts or self.texts is None or self.verb != "edited":
            yield self.head
            return
        old, new = (_Side(split_lines(text)) for text in self.texts)
        for part in self.parts:
            run = [*old.marked("-", part.i1, part.i2), *new.marked("+", part.j1, part.j2)]
            around = [*old.lines[part.i1 : part.i2], *new.lines[max(0, part.j1 - 1) : part.j2 + 1]]
            if all(line.endswith(b"\r\n") for line in around if line.endswith(b"\n")):
                run = [line.removesuffix("\r") for line in run]
            for line in _show_run(f"{self.name}:{part.j1 + 1}", run):
                shown, hidden = visible(line)
                self.is_hiding |= hidden > 0
                yield shown
        assert isinstance(self.step, Change)
        if mode := mode_line(self.step, self.name):
            yield mode.rstrip("\n")


@dataclass(frozen=True, slots=True)
class _Side:
    """The lines of one version."""

    lines: list[bytes]

    def marked(self, mark: str, start: int, end: int) -> Iterator[str]:
        """Yield lines [start, end), each after *mark*, and the note about a missing newline."""
        for line in self.lines[start:end]:
            yield mark + line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
            if not line.endswith(b"\n"):
                yield NO_NEWLINE.rstrip("\n")


def _show_run(where: str, lines: list[str]) -> list[str]:
    """Show changed lines that follow each other; each line once where most of it stays."""
    removed = [line[1:] for line in lines if line[0] == "-"]
    added = [line[1:] for line in lines if line[0] == "+"]
    if any(len(line) > LONG for line in lines):
        pairs_of = list(zip_longest(removed, added))
        removed = [fold_line(old, new, is_old=True) for old, new in pairs_of if old is not None]
        added = [fold_line(new, old, is_old=False) for old, new in pairs_of if new is not None]
        notes = [line for line in lines if line[0] == "\\"]
        lines = [*(f"-{line}" for line in removed), *(f"+{line}" for line in added), *notes[-1:]]
    pairs = [_merge(*pair) for pair in zip(removed, added, strict=False)]
    if len(removed) != len(added) or None in pairs:
        # Where only the newline at the end differs, nothing else would tell the lines apart.
        is_same = bool(removed and added) and removed[-1] == added[-1]
        return [where, *(line for line in lines if is_same or line[0] != "\\")]
    return [f"{where}:{pairs[0]}", *(f" {pair}" for pair in pairs[1:])]


def _merge(old: str, new: str) -> str | None:
    """Return two lines as one, `[-old-]{+new+}` where they differ; None if most of it differs."""
    if old == new:
        return None
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if head is None:
        head = min(len(old), len(new))
    most = min(len(old), len(new)) - head
    ends = zip(reversed(old), reversed(new), strict=False)
    tail = next((i for i, (a, b) in enumerate(ends) if a != b or i >= most), most)
    # Whole words are read more easily than parts of them.
    while head and _is_word(old[head - 1]):
        head -= 1
    while tail and _is_word(old[len(old) - tail]):
        tail -= 1
    if (head + tail) * 2 < len(old) or "[-" in old + new or "{+" in old + new:
        return None
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    marks = (f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else "")
    return f"{old[:head]}{marks}{old[len(old) - tail :]}"


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_."
