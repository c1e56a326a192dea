"""A change quoted as a call quotes it, and rendered as a call of each toolset."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.trials.changes import SourceChange

DIALECTS = ("edit_file", "apply_patch", "ai_edit")
_ALIKE = str.maketrans(
    {
        "\u201c": '"',
        "\u201d": '"',
        "\u2018": "'",
        "\u2019": "'",
        "\u2013": "-",
        "\u2014": "-",
        "\u00a0": " ",
        "\u2011": "-",
        "\u2010": "-",
        "\u2212": "-",
        "\u201e": '"',
        "\u201a": "'",
    }
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a call quotes of a change: context before and after, old and new lines."""

    change: SourceChange
    before: int
    behind: int

    @property
    def first(self) -> int:
        """The first quoted line, from 0."""
        return self.change.start - self.before

    @property
    def last(self) -> int:
        """The line after the last quoted one."""
        return self.change.stop + self.behind

    @property
    def old(self) -> list[str]:
        """The quoted lines as they are in the file."""
        return list(self.change.lines[self.first : self.last])

    @property
    def new(self) -> list[str]:
        """The same lines as they shall be."""
        lines = self.change.lines
        head, tail = lines[self.first : self.change.start], lines[self.change.stop : self.last]
        return [*head, *self.change.new, *tail]


@dataclass(frozen=True, slots=True)
class Case:
    """One call against one file, and what is right."""

    dialect: str
    noise: str
    verdict: str
    name: str
    content: bytes
    call: dict[str, Any]
    right: bytes
    seen: bytes | None = None
    fresh: range | None = None


def plain(line: str) -> str:
    """*line* without anything a tolerant reader may overlook."""
    return (line if line.isascii() else line.translate(_ALIKE)).strip()


def places(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """How often *wanted* occurs when read tolerantly, as text within lines."""
    text = "\n".join(map(plain, lines)) + "\n"
    old = "\n".join(map(plain, wanted))
    if not old.strip():
        return 99
    count, at = 0, text.find(old)
    while at >= 0:
        count, at = count + 1, text.find(old, at + 1)
    return count


def quote_uniquely(change: SourceChange, rng: random.Random) -> Quoted | None:
    """The change with enough context to be unique."""
    before, behind = rng.randint(0, 3), rng.randint(0, 3)
    for _ in range(8):
        quote = Quoted(
            change, min(before, change.start), min(behind, len(change.lines) - change.stop)
        )
        if any(line.strip() for line in quote.old) and places(change.lines, quote.old) == 1:
            return quote
        before, behind = before + 1, behind + 1
    return None


@dataclass(slots=True)
class Draft:
    """A case being made: the file's lines with ends, and the call's lines."""

    quote: Quoted
    ends: list[str]
    old: list[str]
    new: list[str]
    file: list[str] = field(default_factory=list)
    outcome: list[str] = field(default_factory=list)
    bom: bool = False
    crlf_call: bool = False

    @classmethod
    def of(cls, quote: Quoted) -> Draft:
        """Without any noise."""
        lines = quote.change.lines
        return cls(
            quote, ["\n"] * len(lines), quote.old, quote.new, list(lines), list(quote.change.after)
        )

    def content(self) -> bytes:
        """The file."""
        text = "".join(body + end for body, end in zip(self.file, self.ends, strict=True))
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode("utf-8", "surrogateescape")

    def right(self) -> bytes:
        """The file afterwards; new lines take the ends the lines around them have."""
        change = self.quote.change
        fresh = self.ends[0] or "\n"
        ends = self.ends[: change.start] + [fresh] * len(change.new) + self.ends[change.stop :]
        if self.ends and not self.ends[-1] and ends and len(ends) == len(self.outcome):
            ends = [end or fresh for end in ends[:-1]] + [""]
        text = "".join(body + end for body, end in zip(self.outcome, ends, strict=True))
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode("utf-8", "surrogateescape")


def render(dialect: str, draft: Draft, rng: random.Random) -> dict[str, Any]:
    """The call of one dialect."""
    if dialect == "edit_file":
        end = "\n" if rng.random() < 0.5 or not draft.new else ""
        old, new = "\n".join(draft.old) + end, "\n".join(draft.new) + (end if draft.new else "")
        edits: dict[str, Any] = {"edits": [{"oldText": old, "newText": new}]}
        return _crlf_values(edits) if draft.crlf_call else edits
    if dialect == "apply_patch":
        return {"patch": envelope(draft.quote.change.name, [hunk_of(draft)], draft.crlf_call)}
    quote = draft.quote
    call: dict[str, Any] = {
        "target_file": quote.change.name,
        "edit_instruction": "Apply the change.",
        "edit_type": "replace",
        "start_line": quote.first + 1,
        "end_line": quote.last,
        "code_block": _block(draft.new, rng),
        "expected_text": _block(draft.old, rng),
    }
    return _crlf_values(call) if draft.crlf_call else call


def _block(lines: list[str], rng: random.Random) -> str:
    """Lines as one text; the last newline may be missing unless it says that a line is blank."""
    closed = bool(lines) and (not lines[-1].strip() or rng.random() < 0.5)
    return "\n".join(lines) + ("\n" if closed else "")


def _crlf_values(call: dict[str, Any]) -> dict[str, Any]:
    return {key: _crlf(value) for key, value in call.items()}


def _crlf(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\n", "\r\n")
    if isinstance(value, list):
        return [_crlf(item) for item in value]
    return {k: _crlf(v) for k, v in value.items()} if isinstance(value, dict) else value


def hunk_of(draft: Draft, heading: str = "@@") -> str:
    """A patch hunk with the roles a diff would give."""
    quote = draft.quote
    tail = len(draft.old) - quote.behind
    fresh_tail = len(draft.new) - quote.behind
    rows = [heading]
    rows += [" " + line for line in draft.old[: quote.before]]
    rows += ["-" + line for line in draft.old[quote.before : tail]]
    rows += ["+" + line for line in draft.new[quote.before : fresh_tail]]
    rows += [" " + line for line in draft.old[tail:]]
    return "\n".join(rows)


def envelope(name: str, hunks: list[str], crlf: bool = False) -> str:
    """Hunks of one file as a patch."""
    text = "\n".join(["*** Begin Patch", f"*** Update File: {name}", *hunks, "*** End Patch", ""])
    return text.replace("\n", "\r\n") if crlf else text


def is_quoted(draft: Draft, index: int) -> bool:
    """Whether the call quotes line *index* of the file."""
    return draft.quote.first <= index < draft.quote.last


def put_line(draft: Draft, index: int, body: str) -> None:
    """Let line *index* of the file, which the edit keeps, be *body*."""
    change = draft.quote.change
    draft.file[index] = body
    shift = len(change.new) - (change.stop - change.start) if index >= change.stop else 0
    draft.outcome[index + shift] = body


def is_trivial(draft: Draft) -> bool:
    """Whether the edit changes nothing."""
    return draft.old == draft.new


def is_already_applied(draft: Draft) -> bool:
    """Whether the file has the outcome already, so that an edit sent twice looks the same."""
    new = "\n".join(map(plain, draft.new))
    return bool(new) and new in "\n".join(map(plain, draft.file))
