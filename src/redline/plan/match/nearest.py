"""What a failed match teaches: the nearest place whole, or the lines that tell places apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from redline.core.errors import NoMatch
from redline.core.late_regex import late_regex
from redline.core.text_limits import shorten
from redline.core.textfile import line_body, split_lines, unify_ends
from redline.core.wording import Text, join_texts, naming, visible
from redline.plan.match.elision import find_elision
from redline.plan.match.normalized import occurrences
from redline.plan.match.typography import fold

# Bounds on the work and on the message: a refusal must stay cheap and short.
_MAX_FILE_LINES = 200_000
_MAX_COMPARED = 5_000
_MAX_COUNTED = 8
_MAX_VOTES = 20_000
_MAX_TIED = 20
_RARE = 100
_MAX_OLD_LINES = 200
_MAX_WORDS = 60
_MAX_LINE_CHARS = 163
_LIKENESS = 0.5
# A place is printed only if every other one has less than this part of its likeness.
_CLEAR = 0.75
# A longer place is named and not printed.
_MAX_BLOCK_LINES = 30
_MAX_BLOCK_CHARS = 4_000
# Lines that the file may have more than the call, in the place that is meant.
_MAX_BETWEEN = 10
# Places that are compared, places that are told apart, and how far from each a line may be.
_MAX_PLACES = 50
_SHOWN_PLACES = 8
_MAX_DISTANCE = 40
# Bytes that are not UTF-8, as decoding escapes them.
_UNDECODED = late_regex("[\udc80-\udcff]")
_WORD = late_regex(r"\w+|[^\w\s]")


def nearest(text: str, old: str, *, in_hunk: bool = False) -> NoMatch:
    """Return the refusal of *old*: where the file comes closest, and what differs there."""
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
    start, is_clear = _closest(text, bodies, wanted[:_MAX_OLD_LINES])
    if start is None and not old.isascii() and _UNDECODED.search(text):
        return NoMatch(
            "The text is not in the file, of which some bytes are not UTF-8",
            hint="pass encoding, such as cp1252 or gbk, if the tool has it; else quote only ASCII",
        )
    if start is None:
        return NoMatch(
            "The text is not in the file, and nothing there resembles it",
            hint="read the file and quote the text exactly as it is",
        )
    line, fact = _first_difference(bodies, wanted, start)
    block = _block_at(bodies, wanted, start, old.endswith("\n")) if is_clear else ""
    return NoMatch(
        f"The text is not in the file; the nearest place is line {start + 1}. {fact}",
        hint=quote_block(text, block, in_hunk=in_hunk),
        details={"line": start + 1, "differs_at": line},
    )


def quote_block(text: str, block: str, *, in_hunk: bool = False) -> Text:
    """Return the hint to send *block*, lines of *text*, as the old text; in words if it is long.

    A hunk has no argument for it.
    """
    own = "quote the file's own lines"
    is_short = block.count("\n") <= _MAX_BLOCK_LINES and len(block) <= _MAX_BLOCK_CHARS
    if not block.strip() or not is_short or unify_ends(text).count(block) != 1:
        return f"{own}, or read the file again if it changed"
    quoted = json.dumps(block, ensure_ascii=False)
    if in_hunk:
        return f"{own}, {quoted}, and indent new ones as they are"
    start = naming(f'{own}, {{"{{oldText}}": ', quoted, "}")
    return join_texts(start, naming(", and indent {newText} as they are"))


def tell_apart(text: str, lines: Sequence[int], height: int) -> str:
    """Return for each place the nearest line above or below that no other place has there.

    *lines* are where the places begin, from 1; each has *height* lines. "" if nothing tells.
    """
    bodies = unify_ends(text).split("\n")
    places = list(dict.fromkeys(lines))[:_MAX_PLACES]
    if len(places) < 2:
        return ""
    said = [_telling_line(bodies, place, places, height) for place in places[:_SHOWN_PLACES]]
    return ", ".join(filter(None, said))


def _telling_line(bodies: Sequence[str], place: int, places: Sequence[int], height: int) -> str:
    for distance in range(1, _MAX_DISTANCE):
        for step, word in ((-distance, "above"), (height - 1 + distance, "below")):
            mine = _body_at(bodies, place + step)
            others = (_body_at(bodies, other + step) for other in places if other != place)
            if mine.strip() and all(mine != other for other in others):
                return f"line {place} has {_quote(mine)} {word} it at line {place + step}"
    return ""


def _body_at(bodies: Sequence[str], line: int) -> str:
    return bodies[line - 1] if 0 < line <= len(bodies) else ""


def _block_at(bodies: Sequence[str], wanted: Sequence[str], start: int, is_ended: bool) -> str:
    """Return the lines of the file, from line *start* (from 0) on, that *wanted* may mean.

    The first one comes without its indentation where the call leaves that out.
    """
    window = [_core(body) for body in bodies[start : start + len(wanted) + _MAX_BETWEEN]]
    cores = list(map(_core, wanted))
    matched = SequenceMatcher(None, cores, window, autojunk=False).get_matching_blocks()
    *_, last = [(0, 0, 0), *(found for found in matched if found[2])]
    stop = last[1] + len(wanted) - last[0]
    if sum(map(str.__eq__, cores, window)) >= sum(found[2] for found in matched):
        stop = len(wanted)  # as many lines are the same one by one: none is missing between
    lines = list(bodies[start : start + max(stop, 1)])
    if lines and not wanted[0][:1].isspace():
        lines[0] = lines[0].lstrip(" \t")
    return "\n".join(lines) + "\n" * is_ended


def _closest(text: str, bodies: Sequence[str], wanted: Sequence[str]) -> tuple[int | None, bool]:
    """Return the line (from 0) where most of *wanted* is, by whole lines first, by words second.

    And whether no other place comes near to that.
    """
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
    if not votes:
        return _likest(text, bodies, wanted)
    best = max(votes.values())
    starts = sorted(start for start, count in votes.items() if count == best)
    likeness = {start: _likeness_at(bodies, wanted, start) for start in starts[:_MAX_TIED]}
    start = max(likeness, key=likeness.__getitem__)
    reach = max(len(wanted), _MAX_BETWEEN)
    rivals = [count for other, count in votes.items() if abs(other - start) >= reach]
    return start, max(rivals, default=0) < best * _CLEAR


def _likest(text: str, bodies: Sequence[str], wanted: Sequence[str]) -> tuple[int | None, bool]:
    offset, line = next(((j, w) for j, w in enumerate(wanted) if w.strip()), (0, ""))
    if not _words(line):
        return None, False
    best, where = _LIKENESS, None
    second = 0.0
    for at in _with_rare_words(text, line) or range(min(len(bodies), _MAX_COMPARED)):
        likeness = _likeness(line, bodies[at])
        if likeness > best or (likeness == best and where is None):
            best, where, second = likeness, at, max(second, best if where is not None else 0.0)
        else:
            second = max(second, likeness)
    return (None if where is None else max(where - offset, 0)), second < best * _CLEAR


def _likeness_at(bodies: Sequence[str], wanted: Sequence[str], start: int) -> float:
    """How alike the words are of the lines that differ between *wanted* and the file at *start*."""
    pairs = zip(wanted, bodies[start : start + len(wanted)], strict=False)
    return sum(_likeness(*pair) for pair in pairs if pair[0] != pair[1])


def _likeness(one: str, other: str) -> float:
    ours, theirs = set(_words(one)), set(_words(other))
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


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
    """Return what differs between a line of the file and a line of the call."""
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
