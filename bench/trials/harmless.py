"""Noise that changes nothing about what is meant: the edit must be applied."""

from __future__ import annotations

import random
from collections.abc import Callable

from bench.trials.changes import margin_of
from bench.trials.drafts import (
    Case,
    Draft,
    Quoted,
    is_already_applied,
    is_quoted,
    is_trivial,
    places,
    put_line,
    render,
)

_QUOTES = str.maketrans({'"': "\u201c", "'": "\u2019", "-": "\u2013"})


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
    spots = [i for i in range(len(draft.file)) if not is_quoted(draft, i)]
    if not spots:
        return False
    at = rng.choice(spots)
    put_line(draft, at, draft.file[at] + rng.choice(("\x0c", "\u2028", "\rx", "\x0b")))
    return True


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
            put_line(draft, at, body)
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
    margin = margin_of(draft.file[at])
    core = draft.file[at][len(margin) :]
    fancy = core.replace("'", "\u2019").replace(" - ", " \u2013 ").replace(" ", "\u00a0", 1)
    written = "".join(draft.quote.change.new)
    unclear = any(core.count(c) != fancy.count(c) and c in written for c in "'-")
    if fancy == core or unclear or draft.file[at] in draft.quote.change.new:
        return False
    put_line(draft, at, margin + fancy)
    return True


def _shift(draft: Draft, rng: random.Random) -> bool:
    """Old and new are quoted from another margin."""
    filled = [line for line in (*draft.old, *draft.new) if line.strip()]
    if sum(bool(line.strip()) for line in draft.old) < 2:
        return False
    shared = shared_prefix([margin_of(line) for line in filled])
    if shared and rng.random() < 0.7:
        cut = len(shared)
        if set(shared) == {" "} and cut > 4 and rng.random() < 0.5:
            cut = 4
        draft.old = [line[cut:] if line.strip() else "" for line in draft.old]
        draft.new = [line[cut:] if line.strip() else "" for line in draft.new]
        return True
    if any("\t" in margin_of(line) for line in filled):
        return False
    more = rng.choice(("  ", "    "))
    draft.old = [more + line if line.strip() else "" for line in draft.old]
    draft.new = [more + line if line.strip() else "" for line in draft.new]
    return True


def shared_prefix(margins: list[str]) -> str:
    """What all margins begin with."""
    first, last = min(margins), max(margins)
    count = 0
    while count < min(len(first), len(last)) and first[count] == last[count]:
        count += 1
    return first[:count]


def _tabs(draft: Draft, _rng: random.Random) -> bool:
    """The call has tabs where the file has runs of four blanks, or the other way round."""
    filled = [line for line in (*draft.old, *draft.new) if line.strip()]
    margins = [margin_of(line) for line in filled]
    if not any(margins) or sum(bool(line.strip()) for line in draft.old) < 2:
        return False
    old_margins = {margin_of(line) for line in draft.old if line.strip()}
    blanks = all(set(m) <= {" "} and len(m) % 4 == 0 for m in margins)
    if not any(old_margins) or not (blanks or all(set(m) <= {"\t"} for m in margins)):
        return False
    draft.old = [_swap_margin(line, blanks) for line in draft.old]
    draft.new = [_swap_margin(line, blanks) for line in draft.new]
    return True


def _swap_margin(line: str, blanks: bool) -> str:
    margin = margin_of(line)
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
    if not APPLY[noise](draft, rng) or is_trivial(draft):
        return None
    if places(draft.file, quote.old) != 1 or is_already_applied(draft):
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
