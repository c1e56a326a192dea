"""What a failed match teaches: the nearest place and the first thing that differs there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from redline.core.diff import visible
from redline.core.errors import NoMatch
from redline.core.text_limits import shorten
from redline.core.textfile import line_body, split_lines
from redline.plan.match.elision import find_elision
from redline.plan.match.typography import fold
from redline.plan.match.views import occurrences

# Bounds on what is looked at and on what is said: a refusal must stay cheap and short.
_MAX_FILE_LINES = 200_000
_MAX_COMPARED = 5_000
_MAX_COUNTED = 8
_MAX_VOTES = 20_000
_RARE = 100
_MAX_OLD_LINES = 200
_MAX_WORDS = 60
_MAX_LINE_CHARS = 163
_LIKENESS = 0.5
# Bytes that are not UTF-8, as decoding escapes them.
_UNDECODED = re.compile("[\udc80-\udcff]")
_WORD = re.compile(r"\w+|[^\w\s]")


def nearest(text: str, old: str) -> NoMatch:
    """The refusal of *old*: where the file comes closest, and what differs there."""
    wanted = [line_body(line) for line in split_lines(old)]
    elided = find_elision(wanted)
    if elided is not None:
        return NoMatch(
            f"The text is not in the file; it leaves lines out: {_quote(elided)}",
            hint="quote every line of the text to change, without an ellipsis",
        )
    bodies = [line.removesuffix("\r") for line in text.split("\n")]
    if not bodies[-1]:
        bodies.pop()
    start = _closest(text, bodies, wanted[:_MAX_OLD_LINES])
    if start is None and not old.isascii() and _UNDECODED.search(text):
        return NoMatch(
            "The text is not in the file, of which some bytes are not UTF-8",
            hint="pass encoding, as cp1252 or gbk, if the tool takes it; else quote only ASCII",
        )
    if start is None:
        return NoMatch(
            "The text is not in the file, and nothing there resembles it",
            hint="read the file and quote the text exactly as it is",
        )
    line, fact = _first_difference(bodies, wanted, start)
    return NoMatch(
        f"The text is not in the file; the nearest place is line {start + 1}. {fact}",
        hint="quote the file's own lines, or read the file again if it changed",
        details={"line": start + 1, "differs_at": line},
    )


def _closest(text: str, bodies: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The line (from 0) where most of *wanted* is, by whole lines first, by words second."""
    index: dict[str, list[int]] = {}
    for j, line in enumerate(wanted):
        if _core(line):
            index.setdefault(_core(line), []).append(j)
    votes: Counter[int] = Counter()
    for at, body in enumerate(bodies[:_MAX_FILE_LINES]):
        core = body.strip()
        for j in index.get(core if core.isascii() else fold(core), ())[:8]:
            votes[max(at - j, 0)] += 1 + min(len(core), 40)
        if len(votes) > _MAX_VOTES:
            break
    if votes:
        best = max(votes.values())
        return min(start for start, count in votes.items() if count == best)
    return _likest(text, bodies, wanted)


def _likest(text: str, bodies: Sequence[str], wanted: Sequence[str]) -> int | None:
    offset, line = next(((j, w) for j, w in enumerate(wanted) if w.strip()), (0, ""))
    words = set(_words(line))
    if not words:
        return None
    best, where = _LIKENESS, None
    for at in _with_rare_words(text, line) or range(min(len(bodies), _MAX_COMPARED)):
        have = set(_words(bodies[at]))
        likeness = 2 * len(words & have) / (len(words) + len(have)) if have else 0.0
        if likeness > best or (likeness == best and where is None):
            best, where = likeness, at
    return None if where is None else max(where - offset, 0)


def _with_rare_words(text: str, line: str) -> list[int]:
    """Lines (from 0) that hold the words of *line* which are rarest in *text*."""
    words = sorted(set(_WORD.findall(line[:2000])), key=len)[-_MAX_COUNTED:]
    counts = sorted((count, word) for word in words if (count := text.count(word)))
    found: set[int] = set()
    for count, word in counts:
        if count > _RARE or len(found) > _RARE:
            break
        line_number, position = 0, 0
        for at in occurrences(text, word, _RARE):
            line_number, position = line_number + text.count("\n", position, at), at
            found.add(line_number)
    return sorted(found)


def _words(line: str) -> list[str]:
    return _WORD.findall(fold(line[:2000]).lower())[:_MAX_WORDS]


def _core(line: str) -> str:
    return fold(line).strip()


def _first_difference(bodies: Sequence[str], wanted: Sequence[str], start: int) -> tuple[int, str]:
    for j, line in enumerate(wanted):
        at = start + j
        if at >= len(bodies):
            return at, f"The file ends before the quoted line {_quote(line)}"
        if bodies[at] != line:
            both = f"the file has {_quote(bodies[at])}, the call has {_quote(line)}"
            return at + 1, f"Line {at + 1} {_fact(bodies[at], line)}: {both}"
    return start + 1, "Every line is there, but not as whole lines in this order"


def _fact(have: str, want: str) -> str:
    """What differs between a line of the file and a line of the call."""
    checks = (
        ("differs in trailing whitespace", have.rstrip() == want.rstrip()),
        ("differs in indentation", have.strip() == want.strip()),
        ("differs in typographic characters", fold(have).rstrip() == fold(want).rstrip()),
        (
            "differs in indentation and typographic characters",
            fold(have).strip() == fold(want).strip(),
        ),
        ("differs in carriage returns", have.replace("\r", "") == want.replace("\r", "")),
        ("differs in upper and lower case", have.lower() == want.lower()),
        ("differs in whitespace", have.split() == want.split()),
    )
    for fact, holds in checks:
        if holds:
            return fact
    return _changed_word(have, want)


def _changed_word(have: str, want: str) -> str:
    ours, theirs = _WORD.findall(have[:2000]), _WORD.findall(want[:2000])
    for mine, other in zip(ours, theirs, strict=False):
        if mine != other:
            return f"differs at {_quote(other)} (the file has {_quote(mine)})"
    if len(ours) < len(theirs):
        return f"lacks {_quote(theirs[len(ours)])}"
    return f"goes on with {_quote(ours[len(theirs)])}" if len(ours) > len(theirs) else "differs"


def _quote(line: str) -> str:
    """*line* between quotes with its blanks made visible, cut when long."""
    cut = shorten(line, _MAX_LINE_CHARS)
    body = cut.rstrip(" ")
    marked = body + "\u00b7" * (len(cut) - len(body))
    marked = marked.replace("\t", "\u2192").replace("\u00a0", "\\u00a0")
    return f"`{visible(marked)[0]}`"
