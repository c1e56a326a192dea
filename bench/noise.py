"""Edits as models send them: real changes of real files, rendered per dialect, with seeded noise.

Every case says what is right: `apply` (one reading only, and this is the outcome), `refuse` (no
reading is safe) or `either` (the outcome or a refusal, never anything else). `outcome` plans the
edit with the same functions the tools call. `python -m bench.noise --count 20000` prints the table.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from redline.adapters.workers.failed_content import FailedContent
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.code.analysis import IsolatedAnalysis
from redline.code.syntax.languages import language_of
from redline.core.errors import RedlineError
from redline.core.textfile import TextFile
from redline.plan.patch.envelope import UpdateFile, parse_patch
from redline.plan.patch.hunks import place_hunks
from redline.plan.replace import TextEdit, replace_all
from redline.toolsets.ai_code_editing.edit.planning import plan_edit
from redline.toolsets.ai_code_editing.edit.request import EditRequest
from redline.toolsets.ai_code_editing.edit.source import FileUnderEdit

REPO = Path(__file__).resolve().parents[1]
FULL = 20_000
DIALECTS = ("edit_file", "apply_patch", "ai_edit")
EXTENSIONS = (".py", ".js", ".ts", ".c", ".h", ".md", ".rst", ".toml", ".yaml", ".css", ".rs")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_SPECIAL = (r"s.replace('$1', '\1')", 'echo "$& ${x} $$"', r"re.sub(r'\g<0>')")
_QUOTES = str.maketrans({'"': "\u201c", "'": "\u2019", "-": "\u2013"})


@dataclass(frozen=True, slots=True)
class Change:
    """Lines [start, stop) of a file become `new`; bodies only."""

    name: str
    lines: tuple[str, ...]
    start: int
    stop: int
    new: tuple[str, ...]

    @property
    def after(self) -> tuple[str, ...]:
        """The lines of the file afterwards."""
        return self.lines[: self.start] + self.new + self.lines[self.stop :]


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a call quotes of a change: context before and after, old and new lines."""

    change: Change
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


# Real files and real changes


def corpus(limit: int, rng: random.Random) -> list[tuple[str, tuple[str, ...]]]:
    """Text files of installed packages, headers and this repository, as lines."""
    places = [REPO, Path(sysconfig.get_paths()["purelib"]), Path(sysconfig.get_paths()["stdlib"])]
    places += [Path("/usr/include"), REPO / ".cache"]
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            files = [p for p in place.rglob("*") if p.suffix in EXTENSIONS and p.is_file()]
            files = [p for p in files if ".git/" not in str(p)]
            files.sort()
            rng.shuffle(files)
            found += files[: limit * 2 // len(places) + limit // 4]
    rng.shuffle(found)
    kept: list[tuple[str, tuple[str, ...]]] = []
    for path in found:
        lines = _lines_of(path)
        if lines is not None:
            kept.append((path.name, lines))
        if len(kept) >= limit:
            break
    return kept


def _lines_of(path: Path) -> tuple[str, ...] | None:
    raw = path.read_bytes()
    if len(raw) > 80_000 or b"\0" in raw or b"\r" in raw:
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = tuple(text.split("\n")[:-1]) if text.endswith("\n") else ()
    return lines if 12 <= len(lines) <= 1500 else None


def history(limit: int) -> list[Change]:
    """Changes from this repository's own commits, one region each."""
    log = _git("log", "--format=%H", "--no-merges", f"-{limit}")
    changes: list[Change] = []
    for commit in log.split():
        for row in _git(
            "diff-tree", "-r", "--diff-filter=M", "--no-commit-id", commit
        ).splitlines():
            fields = row.split()
            if len(fields) < 6 or not fields[5].endswith(EXTENSIONS):
                continue
            old, new = _git("cat-file", "blob", fields[2]), _git("cat-file", "blob", fields[3])
            changes += _regions(fields[5], old.split("\n")[:-1], new.split("\n")[:-1])
    return changes


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(REPO), *arguments], capture_output=True, check=False, text=True
    )
    return done.stdout if done.returncode == 0 else ""


def _regions(name: str, old: list[str], new: list[str]) -> Iterator[Change]:
    import difflib

    if not 4 <= len(old) <= 1500:
        return
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal" and i2 - i1 < 40 and j2 - j1 < 40:
            yield Change(name.rsplit("/", 1)[-1], tuple(old), i1, i2, tuple(new[j1:j2]))


def invented(name: str, lines: tuple[str, ...], rng: random.Random) -> Change | None:
    """A change as people make them: alter, add, remove, or wrap lines."""
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if not filled:
        return None
    at = rng.choice(filled)
    size = rng.randint(1, 4)
    block = lines[at : at + size]
    kind = rng.choice(("alter", "alter", "add", "add", "remove", "wrap", "rewrite"))
    if kind == "alter":
        new = tuple(_altered(line, rng) for line in block)
        return Change(name, lines, at, at + len(block), new) if new != block else None
    if kind == "add":
        return Change(name, lines, at + 1, at + 1, _added(lines, at, rng))
    if kind == "remove":
        return Change(name, lines, at, at + len(block), ())
    margin = _margin(lines[at])
    if kind == "wrap":
        deeper = tuple("    " + line if line.strip() else line for line in block)
        return Change(name, lines, at, at + len(block), (f"{margin}if ready:", *deeper))
    return Change(name, lines, at, at + len(block), _added(lines, at, rng))


def _altered(line: str, rng: random.Random) -> str:
    words = list(_WORD.finditer(line))
    if not words:
        return line
    word = rng.choice(words)
    fresh = word[0] + rng.choice(("_new", "2", "Ex", "s"))
    return line[: word.start()] + fresh + line[word.end() :]


def _added(lines: tuple[str, ...], at: int, rng: random.Random) -> tuple[str, ...]:
    margin = _margin(lines[at])
    pool = [line.strip() for line in lines if line.strip()]
    bodies = [_altered(rng.choice(pool), rng) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.2:
        bodies.append(rng.choice(_SPECIAL))
    return tuple(margin + body for body in bodies)


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


# What is unique


def plain(line: str) -> str:
    """*line* without anything a tolerant reader may overlook."""
    table = {
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
    return "".join(table.get(c, c) for c in line).strip()


def places(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """In how many places *wanted* stands when read tolerantly, as text within lines."""
    text = "\n".join(map(plain, lines)) + "\n"
    old = "\n".join(map(plain, wanted))
    if not old.strip():
        return 99
    count, at = 0, text.find(old)
    while at >= 0:
        count, at = count + 1, text.find(old, at + 1)
    return count


def quoted(change: Change, rng: random.Random) -> Quoted | None:
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


# Rendering


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
        call = {"edits": [{"oldText": old, "newText": new}]}
        return _crlf(call) if draft.crlf_call else call
    if dialect == "apply_patch":
        return {"patch": envelope(draft.quote.change.name, [hunk_of(draft)], draft.crlf_call)}
    quote = draft.quote
    call = {
        "target_file": quote.change.name,
        "edit_instruction": "Apply the change.",
        "edit_type": "replace",
        "start_line": quote.first + 1,
        "end_line": quote.last,
        "code_block": _block(draft.new, rng),
        "expected_text": _block(draft.old, rng),
    }
    return _crlf(call) if draft.crlf_call else call


def _block(lines: list[str], rng: random.Random) -> str:
    """Lines as one text; the last newline may be missing unless it says that a line is blank."""
    closed = bool(lines) and (not lines[-1].strip() or rng.random() < 0.5)
    return "\n".join(lines) + ("\n" if closed else "")


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


# Noise that changes nothing about what is meant


def _clean(_draft: Draft, _rng: random.Random) -> bool:
    return True


def _crlf_file(draft: Draft, _rng: random.Random) -> bool:
    draft.ends = ["\r\n"] * len(draft.ends)
    return True


def _crlf_call(draft: Draft, _rng: random.Random) -> bool:
    draft.crlf_call = True
    return True


def _mixed_ends(draft: Draft, rng: random.Random) -> bool:
    draft.ends = [rng.choice(("\n", "\r\n")) for _ in draft.ends]
    return True


def _bom(draft: Draft, _rng: random.Random) -> bool:
    draft.bom = True
    return True


def _no_final_newline(draft: Draft, _rng: random.Random) -> bool:
    draft.ends[-1] = ""
    change = draft.quote.change
    # Where the last lines go, whether the new last line is closed is a matter of taste.
    taste = change.stop == len(change.lines) and not change.new
    return bool(draft.outcome) and bool(draft.file[-1]) and bool(draft.outcome[-1]) and not taste


def _odd_separators(draft: Draft, rng: random.Random) -> bool:
    """A form feed, a lone CR or U+2028 in a line far from the edit or in its context."""
    spots = [i for i in range(len(draft.file)) if not _inside(draft, i)]
    if not spots:
        return False
    at = rng.choice(spots)
    _put(draft, at, draft.file[at] + rng.choice(("\x0c", "\u2028", "\rx", "\x0b")))
    return True


def _inside(draft: Draft, index: int) -> bool:
    return draft.quote.first <= index < draft.quote.last


def _put(draft: Draft, index: int, body: str) -> None:
    """Let line *index* of the file, which the edit keeps, be *body*."""
    change = draft.quote.change
    draft.file[index] = body
    shift = len(change.new) - (change.stop - change.start) if index >= change.stop else 0
    draft.outcome[index + shift] = body


def _kept_spots(draft: Draft) -> list[int]:
    change = draft.quote.change
    return [
        i
        for i in range(draft.quote.first, draft.quote.last)
        if not change.start <= i < change.stop and draft.file[i].strip()
    ]


def _trailing_in_file(draft: Draft, rng: random.Random) -> bool:
    """The file's lines end in blanks that the call lost (not behind the last quoted word)."""
    quote = draft.quote
    spots = [i for i in range(quote.first, quote.last - 1) if draft.file[i].strip()]
    if not spots:
        return False
    for at in rng.sample(spots, rng.randint(1, len(spots))):
        body = draft.file[at].rstrip() + rng.choice((" ", "  ", "\t"))
        if quote.change.start <= at < quote.change.stop:
            draft.file[at] = body
            if draft.quote.change.lines[at] in draft.quote.change.new:
                return False
        elif draft.quote.change.lines[at] in draft.quote.change.new:
            return False  # which of the two is the kept one, nobody can say
        else:
            _put(draft, at, body)
    return True


def _trailing_in_call(draft: Draft, rng: random.Random) -> bool:
    """The call quotes blanks at line ends that the file does not have."""
    kept = draft.quote.before
    for at in range(len(draft.old)):
        if draft.old[at].strip() and rng.random() < 0.5:
            blank = rng.choice((" ", "   ", "\t"))
            draft.old[at] += blank
            behind = len(draft.old) - at
            if at < kept:
                draft.new[at] += blank
            elif behind <= draft.quote.behind:
                draft.new[len(draft.new) - behind] += blank
    return True


def _smart_call(draft: Draft, _rng: random.Random) -> bool:
    """The call writes typographic quotes and dashes where the file has plain ones."""
    if any(not line.isascii() for line in (*draft.file, *draft.new)):
        return False
    if not any(c in line for line in draft.old for c in "\"'-"):
        return False
    draft.old = [line.translate(_QUOTES) for line in draft.old]
    draft.new = [line.translate(_QUOTES) for line in draft.new]
    # A character that only the new lines have has no plain form to be learnt from.
    return all(
        char in "".join(draft.old) for char in "\u201c\u2019\u2013" if char in "".join(draft.new)
    )


def _smart_file(draft: Draft, rng: random.Random) -> bool:
    """A kept line of the file has typographic characters that the call writes plainly."""
    spots = [i for i in _kept_spots(draft) if any(c in draft.file[i] for c in "\"'- ")]
    if not spots:
        return False
    at = rng.choice(spots)
    margin = _margin(draft.file[at])
    core = draft.file[at][len(margin) :]
    fancy = core.replace("'", "\u2019").replace(" - ", " \u2013 ").replace(" ", "\u00a0", 1)
    written = "".join(draft.quote.change.new)
    unclear = any(core.count(c) != fancy.count(c) and c in written for c in "'-")
    if fancy == core or unclear or draft.file[at] in draft.quote.change.new:
        return False
    _put(draft, at, margin + fancy)
    return True


def _shift(draft: Draft, rng: random.Random) -> bool:
    """Old and new are quoted from another margin."""
    filled = [line for line in (*draft.old, *draft.new) if line.strip()]
    if sum(bool(line.strip()) for line in draft.old) < 2:
        return False
    shared = _shared([_margin(line) for line in filled])
    if shared and rng.random() < 0.7:
        cut = len(shared)
        if set(shared) == {" "} and cut > 4 and rng.random() < 0.5:
            cut = 4
        draft.old = [line[cut:] if line.strip() else "" for line in draft.old]
        draft.new = [line[cut:] if line.strip() else "" for line in draft.new]
        return True
    if any("\t" in _margin(line) for line in filled):
        return False
    more = rng.choice(("  ", "    "))
    draft.old = [more + line if line.strip() else "" for line in draft.old]
    draft.new = [more + line if line.strip() else "" for line in draft.new]
    return True


def _shared(margins: list[str]) -> str:
    first, last = min(margins), max(margins)
    count = 0
    while count < min(len(first), len(last)) and first[count] == last[count]:
        count += 1
    return first[:count]


def _tabs(draft: Draft, _rng: random.Random) -> bool:
    """The call has tabs where the file has runs of four blanks, or the other way round."""
    filled = [line for line in (*draft.old, *draft.new) if line.strip()]
    margins = [_margin(line) for line in filled]
    if not any(margins) or sum(bool(line.strip()) for line in draft.old) < 2:
        return False
    old_margins = {_margin(line) for line in draft.old if line.strip()}
    blanks = all(set(m) <= {" "} and len(m) % 4 == 0 for m in margins)
    if not any(old_margins) or not (blanks or all(set(m) <= {"\t"} for m in margins)):
        return False
    draft.old = [_swapped(line, blanks) for line in draft.old]
    draft.new = [_swapped(line, blanks) for line in draft.new]
    return True


def _swapped(line: str, blanks: bool) -> str:
    margin = _margin(line)
    swapped = "\t" * (len(margin) // 4) if blanks else "    " * len(margin)
    return swapped + line.lstrip(" \t") if line.strip() else ""


APPLY: dict[str, Callable[[Draft, random.Random], bool]] = {
    "none": _clean,
    "crlf file": _crlf_file,
    "crlf call": _crlf_call,
    "mixed line ends": _mixed_ends,
    "byte order mark": _bom,
    "no final newline": _no_final_newline,
    "form feed, lone CR, U+2028": _odd_separators,
    "trailing blanks in the file": _trailing_in_file,
    "trailing blanks in the call": _trailing_in_call,
    "smart quotes in the call": _smart_call,
    "smart quotes in the file": _smart_file,
    "indentation shifted": _shift,
    "tabs and spaces swapped": _tabs,
}


def applying(quote: Quoted, dialect: str, noise: str, rng: random.Random) -> Case | None:
    """A case that has one right outcome."""
    draft = Draft.of(quote)
    if not APPLY[noise](draft, rng) or _is_trivial(draft):
        return None
    if places(draft.file, quote.old) != 1 or _already(draft):
        return None
    content, right = draft.content(), draft.right()
    if content == right:
        return None
    call = render(dialect, draft, rng)
    # Of several blank lines nobody can say which is the new one: the quoted ones count as well.
    fresh = range(quote.first, quote.last + len(quote.change.new))
    return Case(
        dialect,
        noise,
        "apply",
        quote.change.name,
        content,
        call,
        right,
        fresh=fresh if noise == "mixed line ends" else None,
    )


def _is_trivial(draft: Draft) -> bool:
    return draft.old == draft.new


def _already(draft: Draft) -> bool:
    """Whether the outcome stands in the file already, so that an edit sent twice looks the same."""
    new = "\n".join(map(plain, draft.new))
    return bool(new) and new in "\n".join(map(plain, draft.file))


# Noise of single dialects


def wrong_numbers(quote: Quoted, rng: random.Random) -> Case | None:
    """Line numbers that are off, or `@@ -n` numbers that lie."""
    draft = Draft.of(quote)
    if _already(draft):
        return None
    if rng.random() < 0.5:
        n = rng.randint(1, 900)
        heading = f"@@ -{n},{len(draft.old)} +{n},{len(draft.new)} @@"
        call = {"patch": envelope(quote.change.name, [hunk_of(draft, heading)])}
        dialect = "apply_patch"
    else:
        call = render("ai_edit", draft, rng)
        off = rng.choice((-40, -5, -2, -1, 1, 2, 5, 40))
        start = max(1, call["start_line"] + off)
        call |= {"start_line": start, "end_line": start + len(draft.old) - 1}
        dialect = "ai_edit"
    return _plain_case(dialect, "wrong line numbers", draft, call)


def blank_context(quote: Quoted, _rng: random.Random) -> Case | None:
    """A blank context line that lost its leading space."""
    draft = Draft.of(quote)
    rows = hunk_of(draft).split("\n")
    # A blank line at the very end of an envelope's hunk says nothing.
    if " " not in rows[:-1] or rows[-1] == " " or _already(draft):
        return None
    rows = ["" if row == " " else row for row in rows]
    call = {"patch": envelope(quote.change.name, ["\n".join(rows)])}
    return _plain_case("apply_patch", "empty line as blank context", draft, call)


def headed(quote: Quoted, _rng: random.Random) -> Case | None:
    """A heading that names the definition above, for a hunk that alone would be ambiguous."""
    draft = Draft.of(quote)
    if _already(draft):
        return None
    above = quote.change.lines[: quote.first]
    heads = [line for line in above if re.match(r"\s*(?:class|def|function|func|fn) \w+", line)]
    if not heads or above.count(heads[-1]) != 1 or quote.change.lines.count(heads[-1]) != 1:
        return None
    call = {"patch": envelope(quote.change.name, [hunk_of(draft, f"@@ {heads[-1].strip()}")])}
    return _plain_case("apply_patch", "heading as an anchor", draft, call)


def blank_lines_differ(quote: Quoted, rng: random.Random) -> Case | None:
    """Between two lines of context before the change the call has another number of blank lines."""
    draft = Draft.of(quote)
    filled = [i for i in range(quote.before) if draft.old[i].strip()]
    if len(filled) < 2 or _already(draft) or _is_trivial(draft):
        return None
    at = rng.randrange(len(filled) - 1)
    first, second = filled[at], filled[at + 1]
    gap = [""] * rng.choice([n for n in range(4) if n != second - first - 1])
    draft.old = [*draft.old[: first + 1], *gap, *draft.old[second:]]
    draft.new = [*draft.new[: first + 1], *gap, *draft.new[second:]]
    wanted = [line for line in draft.old if line.strip()]
    lines = [line for line in draft.file if line.strip()]
    found = sum(lines[i : i + len(wanted)] == wanted for i in range(len(lines)))
    if found != 1 or places(draft.file, draft.old):
        return None
    call = render("edit_file", draft, rng)
    return _plain_case("edit_file", "blank lines differ in number", draft, call)


def elided_in_both(quote: Quoted, rng: random.Random) -> Case | None:
    """Old and new text leave the same lines of context out; each part is there once."""
    draft = Draft.of(quote)
    if quote.before < 3 or _already(draft) or _is_trivial(draft):
        return None
    head, tail = draft.old[:1], draft.old[quote.before - 1 :]
    parts = [head, tail]
    if any(places(draft.file, part) != 1 or not "".join(part).strip() for part in parts):
        return None
    draft.old, draft.new = [*head, "...", *tail], [*head, "...", *draft.new[quote.before - 1 :]]
    if any(line.strip(" #/*") == "..." for line in (*tail, *head, *quote.change.new)):
        return None
    return _plain_case("edit_file", "elided in both texts", draft, render("edit_file", draft, rng))


def changed_elsewhere(quote: Quoted, rng: random.Random) -> Case | None:
    """The file gained or lost lines somewhere else since the caller read it."""
    draft = Draft.of(quote)
    seen = draft.content()
    lines = list(draft.file)
    spots = [i for i in range(len(lines)) if not quote.first - 2 <= i <= quote.last + 1]
    if not spots or _already(draft):
        return None
    at = rng.choice(spots)
    extra = [f"# inserted {rng.random()}" for _ in range(rng.randint(1, 5))]
    change = quote.change
    moved = [*lines[:at], *extra, *lines[at:]]
    offset = len(extra) if at <= quote.first else 0
    outcome = moved[: change.start + offset] + list(change.new) + moved[change.stop + offset :]
    content, right = _encoded(moved), _encoded(outcome)
    if places(moved, quote.old) != 1:
        return None
    dialect = rng.choice(DIALECTS)
    call = render(dialect, draft, rng)
    if dialect == "ai_edit" and rng.random() < 0.7:
        del call["expected_text"]
    noise = "changed elsewhere since read"
    return Case(dialect, noise, "apply", change.name, content, call, right, seen)


def _encoded(lines: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def _plain_case(dialect: str, noise: str, draft: Draft, call: dict[str, Any]) -> Case | None:
    content, right = draft.content(), draft.right()
    if content == right:
        return None
    return Case(dialect, noise, "apply", draft.quote.change.name, content, call, right)


# Calls that must be refused


def refusing(quote: Quoted, dialect: str, noise: str, rng: random.Random) -> Case | None:
    """A case in which no reading is safe."""
    draft = Draft.of(quote)
    if _is_trivial(draft):
        return None
    made = REFUSE[noise](draft, rng)
    if made is None:
        return None
    call = render(dialect, draft, rng)
    if dialect == "ai_edit" and noise.startswith("duplicate"):
        call = _numbers_elsewhere(call, draft, rng)
        if call is None:
            return None
    content = draft.content()
    seen = made if isinstance(made, bytes) else None
    return Case(dialect, noise, "refuse", quote.change.name, content, call, content, seen)


def _numbers_elsewhere(
    call: dict[str, Any], draft: Draft, rng: random.Random
) -> dict[str, Any] | None:
    """Numbers at which the expected text does not stand."""
    wanted = [plain(line) for line in draft.old]
    size = len(wanted)
    bodies = [plain(line) for line in draft.file]
    spots = [
        i
        for i in range(len(bodies) - size + 1)
        if not any(bodies[j : j + size] == wanted for j in range(i - size, i + size + 1) if j >= 0)
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    return {**call, "start_line": at + 1, "end_line": at + size}


def _duplicate(draft: Draft, rng: random.Random) -> bool | None:
    """The quoted lines stand a second time."""
    spots = [i for i in range(len(draft.file) + 1) if not draft.quote.first < i < draft.quote.last]
    at = rng.choice(spots)
    draft.file[at:at] = draft.old
    draft.ends = ["\n"] * len(draft.file)
    return None if _already(draft) else True


def _near_duplicate(draft: Draft, rng: random.Random) -> bool | None:
    """Two places fit only when blanks are overlooked, and the call fits neither exactly."""
    if not any(line.strip() for line in draft.old) or sum(map(bool, map(str.strip, draft.old))) < 2:
        return None
    at = rng.choice((0, len(draft.file)))
    copy = [line + " " if line.strip() else line for line in draft.old]
    first, last = draft.quote.first, draft.quote.last
    draft.file[first:last] = [line + "\t" if line.strip() else line for line in draft.old]
    draft.file[at:at] = copy
    draft.ends = ["\n"] * len(draft.file)
    return None if _already(draft) else True


def _stale(draft: Draft, rng: random.Random) -> bool | None:
    """Somebody changed one of the quoted lines."""
    spots = [i for i in range(draft.quote.first, draft.quote.last) if _WORD.search(draft.file[i])]
    if not spots:
        return None
    at = rng.choice(spots)
    draft.file[at] = _altered(draft.file[at], rng)
    return _nowhere(draft)


def _gone(draft: Draft, rng: random.Random) -> bool | None:
    """One of the quoted lines is no longer there, or a new one stands between them."""
    if len(draft.old) < 2:
        return None
    at = rng.randrange(draft.quote.first + 1, draft.quote.last)
    if rng.random() < 0.5:
        if not draft.file[at].strip():
            return None
        del draft.file[at]
    else:
        draft.file.insert(at, f"fresh_{rng.randrange(10**6)} = 1")
    draft.ends = ["\n"] * len(draft.file)
    return _nowhere(draft)


def _misquoted(draft: Draft, rng: random.Random) -> bool | None:
    """The call quotes a word that is not in the file."""
    spots = [i for i, line in enumerate(draft.old) if _WORD.search(line)]
    if not spots:
        return None
    at = rng.choice(spots)
    draft.old[at] = _altered(draft.old[at], rng)
    return _nowhere(draft)


def _elided(draft: Draft, rng: random.Random) -> bool | None:
    """The call leaves lines out."""
    if len(draft.old) < 3:
        return None
    mark = rng.choice(("...", "    ...", "# ...", "// ...", "# ... rest of the code ...", "…"))
    middle = range(1, len(draft.old) - 1)
    cut = rng.choice(middle)
    draft.old = [*draft.old[:cut], mark, *draft.old[-1:]]
    return _nowhere(draft)


def _nowhere(draft: Draft) -> bool | None:
    if places(draft.file, draft.old) != 0 or _already(draft):
        return None
    return True


def _changed_lines(draft: Draft, rng: random.Random) -> bytes | None:
    """Lines that changed since this connection read them, addressed by number alone."""
    seen = draft.content()
    return seen if _stale(draft, rng) else None


REFUSE: dict[str, Callable[[Draft, random.Random], bool | bytes | None]] = {
    "duplicate": _duplicate,
    "duplicate after normalising": _near_duplicate,
    "stale": _stale,
    "line gone or added": _gone,
    "misquoted": _misquoted,
    "elided": _elided,
    "changed since read": _changed_lines,
}


def bad_call(quote: Quoted, dialect: str, rng: random.Random) -> Case:
    """Empty old text or a range that is not in the file."""
    draft = Draft.of(quote)
    call = render(dialect, draft, rng)
    if dialect == "edit_file":
        call = {"edits": [{"oldText": "", "newText": "x"}]}
    elif dialect == "apply_patch":
        call = {"patch": envelope(quote.change.name, ["@@ no such heading anywhere\n+x"])}
    else:
        n = len(draft.file)
        first, last = rng.choice(((n + 1, n + 2), (3, 2), (n, n + 5)))
        call = {**call, "start_line": first, "end_line": last}
        del call["expected_text"]
    content = draft.content()
    return Case(
        dialect, "empty old text, bad range", "refuse", quote.change.name, content, call, content
    )


def half_failing(quote: Quoted, dialect: str, rng: random.Random) -> Case | None:
    """Two edits of which the second is stale."""
    draft, stale = Draft.of(quote), Draft.of(quote)
    if _misquoted(stale, rng) is None or _is_trivial(draft):
        return None
    if places(draft.outcome, stale.old) != 0:
        return None
    if dialect == "edit_file":
        good, bad = (render("edit_file", d, rng)["edits"][0] for d in (draft, stale))
        call: dict[str, Any] = {"edits": [good, bad]}
    elif dialect == "apply_patch":
        call = {"patch": envelope(quote.change.name, [hunk_of(draft), hunk_of(stale)])}
    else:
        return None
    content = draft.content()
    return Case(dialect, "one of two fails", "refuse", quote.change.name, content, call, content)


# Either, but never wrong


def doubtful(quote: Quoted, dialect: str, rng: random.Random) -> Case | None:
    """Cases that may be refused, but not gone wrong."""
    noise = rng.choice(("not utf-8", "only old mis-indented", "line numbers pasted", "sent twice"))
    draft = Draft.of(quote)
    if _already(draft) or _is_trivial(draft):
        return None
    if noise == "not utf-8":
        spots = [i for i in range(len(draft.file)) if not _inside(draft, i)]
        if not spots:
            return None
        _put(draft, rng.choice(spots), "caf\udce9")
    elif noise == "only old mis-indented":
        shared = _shared([_margin(line) for line in draft.old if line.strip()])
        if not shared:
            return None
        draft.old = [line[len(shared) :] if line.strip() else line for line in draft.old]
        if dialect == "apply_patch":
            return None
    elif noise == "line numbers pasted":
        first = quote.first + 1
        draft.old = [f"{first + i}: {line}" for i, line in enumerate(draft.old)]
        draft.new = [f"{first + i}: {line}" for i, line in enumerate(draft.new)]
    content, right = draft.content(), draft.right()
    if noise == "sent twice":
        call = render(dialect, draft, rng)
        return Case(dialect, noise, "either", quote.change.name, right, call, right)
    if content == right:
        return None
    call = render(dialect, draft, rng)
    return Case(dialect, noise, "either", quote.change.name, content, call, right)


# Making and judging


def cases(count: int, seed: int = 1, files: int = 400) -> Iterator[Case]:
    """*count* cases, the same for the same seed and the same files."""
    rng = random.Random(seed)
    texts = corpus(files, rng)
    past = history(200)
    made = 0
    while made < count:
        if past and rng.random() < 0.3:
            change: Change | None = rng.choice(past)
        else:
            change = invented(*rng.choice(texts), rng)
        if change is None or change.new == change.lines[change.start : change.stop]:
            continue
        quote = quoted(change, rng)
        if quote is None:
            continue
        case = _case(quote, rng)
        if case is not None:
            made += 1
            yield case


_SINGLE = (
    wrong_numbers,
    blank_context,
    headed,
    changed_elsewhere,
    blank_lines_differ,
    elided_in_both,
)


def _case(quote: Quoted, rng: random.Random) -> Case | None:
    dialect = rng.choice(DIALECTS)
    roll = rng.random()
    if roll < 0.5:
        return applying(quote, dialect, rng.choice(list(APPLY)), rng)
    if roll < 0.65:
        return rng.choice(_SINGLE)(quote, rng)
    if roll < 0.86:
        noise = rng.choice(list(REFUSE))
        if noise == "changed since read":
            case = refusing(quote, "ai_edit", noise, rng)
            if case is not None:
                call = {k: v for k, v in case.call.items() if k != "expected_text"}
                case = replace(case, call=call)
            return case
        return refusing(quote, dialect, noise, rng)
    if roll < 0.9:
        return bad_call(quote, dialect, rng)
    if roll < 0.93:
        return half_failing(quote, dialect, rng)
    return doubtful(quote, dialect, rng)


def outcome(case: Case) -> bytes | None:
    """The file after the call, or None when it was refused: planned as the tools plan it."""
    file = TextFile(case.content)
    try:
        return file.with_text(_PLANS[case.dialect](case, file))
    except RedlineError:
        return None


def _plan_text(case: Case, file: TextFile) -> str:
    edits = [TextEdit(e["oldText"], e["newText"]) for e in case.call["edits"]]
    return replace_all(file.text, edits, None)  # type: ignore[arg-type]


def _plan_hunks(case: Case, file: TextFile) -> str:
    (update,) = parse_patch(case.call["patch"])
    assert isinstance(update, UpdateFile)
    return place_hunks(file.text, update.hunks, case.name)[0]


_ANALYSIS = IsolatedAnalysis(IsolatedCalls(), FailedContent(os.devnull))


def _plan_lines(case: Case, file: TextFile) -> str:
    request = EditRequest.of(case.call)
    seen = TextFile(case.seen).text if case.seen is not None else None
    return plan_edit(
        FileUnderEdit(file.text, seen, language_of(case.name), _ANALYSIS), request
    ).text


_PLANS: dict[str, Callable[[Case, TextFile], str]] = {
    "edit_file": _plan_text,
    "apply_patch": _plan_hunks,
    "ai_edit": _plan_lines,
}


def judged(case: Case, after: bytes | None) -> str:
    """exact, refused or wrong."""
    if after is None:
        return "refused"
    if case.verdict == "refuse":
        return "refused" if after == case.content else "wrong"
    if after == case.right:
        return "exact"
    if case.fresh is not None and _same_but_new_ends(case.right, after, case.fresh):
        return "exact"
    return "refused" if after == case.content else "wrong"


def _same_but_new_ends(right: bytes, after: bytes, fresh: range) -> bool:
    """Whether only the ends of lines the edit wrote differ from what was expected."""
    got, want = after.split(b"\n"), right.split(b"\n")
    return len(got) == len(want) and all(
        a == b or (i in fresh and a.rstrip(b"\r") == b.rstrip(b"\r"))
        for i, (a, b) in enumerate(zip(got, want, strict=True))
    )


def table(results: Counter[tuple[str, str, str, str]]) -> str:
    """Counts per verdict, noise and dialect."""
    rows = ["| should | noise | dialect | calls | exact | refused | wrong |", "|" + "---|" * 7]
    groups: dict[tuple[str, str, str], Counter[str]] = {}
    for (verdict, noise, dialect, result), count in results.items():
        groups.setdefault((verdict, noise, dialect), Counter())[result] += count
        groups.setdefault((verdict, "all", "all"), Counter())[result] += count
    for key in sorted(groups, key=lambda k: (k[0], k[1] != "all", k)):
        counts = groups[key]
        numbers = " | ".join(str(counts[r]) for r in ("exact", "refused", "wrong"))
        rows.append(f"| {' | '.join(key)} | {sum(counts.values())} | {numbers} |")
    return "\n".join(rows)


def main() -> int:
    """Run and print the table; the exit code says whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="failing cases to print")
    args = parser.parse_args()
    results: Counter[tuple[str, str, str, str]] = Counter()
    shown = 0
    for case in cases(args.count, args.seed):
        after = outcome(case)
        result = judged(case, after)
        results[case.verdict, case.noise, case.dialect, result] += 1
        failed = result == "wrong" or (case.verdict == "apply" and result != "exact")
        if failed and shown < args.show:
            shown += 1
            _show(case, result, after)
    print(table(results))
    totals = Counter[tuple[str, str]]()
    for (verdict, _, _, result), count in results.items():
        totals[verdict, result] += count
    applied = totals["apply", "exact"] / max(
        1, sum(n for (v, _), n in totals.items() if v == "apply")
    )
    wrong = sum(n for (_, result), n in totals.items() if result == "wrong")
    print(f"\nshould-apply exact {applied:.4%}, wrong {wrong}")
    keep_facts("first generator", _facts(totals), short=args.count < FULL)
    return 0 if wrong == 0 and applied >= 0.999 else 1


def _facts(totals: Counter[tuple[str, str]]) -> dict[str, int]:
    """The figures that have bars."""
    by_verdict = Counter[str]()
    for (verdict, _), count in totals.items():
        by_verdict[verdict] += count
    return {
        "calls": by_verdict.total(),
        "wrong": sum(count for (_, result), count in totals.items() if result == "wrong"),
        "should apply": by_verdict["apply"],
        "applied": totals["apply", "exact"],
        "should refuse": by_verdict["refuse"],
        "refused": totals["refuse", "refused"],
        "either": by_verdict["either"],
    }


def keep_facts(name: str, facts: dict[str, Any], *, short: bool) -> None:
    """Put the figures of one generator beside those of the other in bench/results/noise.json."""
    from bench.measure import RESULTS, Report

    if short:
        return
    kept = RESULTS / "noise.json"
    before = json.loads(kept.read_text("utf-8"))["facts"] if kept.exists() else {}
    saved = Report("noise", facts={**before, name: facts}).save()
    saved.with_suffix(".svg").unlink()  # there is nothing to draw
    print(f"saved to {saved.relative_to(REPO)}")


def _show(case: Case, result: str, after: bytes | None) -> None:
    import difflib

    print(f"--- {result}: {case.verdict} / {case.noise} / {case.dialect} / {case.name}")
    for key, value in case.call.items():
        print(f"{key}: {value!r}")
    old = case.right.decode("utf-8", "replace").splitlines(keepends=True)
    new = (after or case.content).decode("utf-8", "replace").splitlines(keepends=True)
    sys.stdout.writelines(
        repr(line) + "\n" for line in difflib.unified_diff(old, new, "right", "got", n=2)
    )
    if after is None:
        try:
            _PLANS[case.dialect](case, TextFile(case.content))
        except RedlineError as error:
            print("refusal:", error.text)


if __name__ == "__main__":
    sys.exit(main())
