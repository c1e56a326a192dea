"""Noise that only one toolset's calls can have; the edit must be applied."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from bench.trials.drafts import (
    DIALECTS,
    Case,
    Draft,
    Quoted,
    envelope,
    hunk_of,
    is_already_applied,
    is_trivial,
    places,
    render,
)

# Of more lines than this, all but one are nearly all.
_FEW_LINES = 2
_MAX_BETWEEN = 4


def wrong_numbers(quote: Quoted, rng: random.Random) -> Case | None:
    """Line numbers that are off, or `@@ -n` numbers that lie."""
    draft = Draft.of(quote)
    if is_already_applied(draft):
        return None
    if rng.random() < 0.5:
        n = rng.randint(1, 900)
        heading = f"@@ -{n},{len(draft.old)} +{n},{len(draft.new)} @@"
        call: Any = {"patch": envelope(quote.change.name, [hunk_of(draft, heading)])}
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
    if " " not in rows[:-1] or rows[-1] == " " or is_already_applied(draft):
        return None
    rows = ["" if row == " " else row for row in rows]
    call = {"patch": envelope(quote.change.name, ["\n".join(rows)])}
    return _plain_case("apply_patch", "empty line as blank context", draft, call)


def anchor_heading(quote: Quoted, _rng: random.Random) -> Case | None:
    """A heading that names the definition above, for a hunk that alone would be ambiguous."""
    draft = Draft.of(quote)
    if is_already_applied(draft):
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
    if len(filled) < 2 or is_already_applied(draft) or is_trivial(draft):
        return None
    at = rng.randrange(len(filled) - 1)
    first, second = filled[at], filled[at + 1]
    gap = [""] * rng.choice([n for n in range(4) if n != second - first - 1])
    draft.old = [*draft.old[: first + 1], *gap, *draft.old[second:]]
    draft.new = [*draft.new[: first + 1], *gap, *draft.new[second:]]
    wanted = [line for line in draft.old if line.strip()]
    lines = [line for line in draft.file if line.strip()]
    found = [i for i in range(len(lines)) if lines[i : i + len(wanted)] == wanted]
    if len(found) != 1 or places(draft.file, draft.old):
        return None
    if _has_twin(lines[: found[0]] + lines[found[0] + len(wanted) :], wanted):
        return None
    call = render("edit_file", draft, rng)
    return _plain_case("edit_file", "blank lines differ in number", draft, call)


def _has_twin(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether nearly all of *wanted* are near each other, so that they may be meant."""
    needed = len(wanted) - (len(wanted) > _FEW_LINES)
    return any(
        sum(line in lines[at : at + len(wanted) + _MAX_BETWEEN] for line in wanted) >= needed
        for at in range(len(lines))
    )


def elided_in_both(quote: Quoted, rng: random.Random) -> Case | None:
    """Old and new text leave the same lines of context out; each part is there once."""
    draft = Draft.of(quote)
    if quote.before < 3 or is_already_applied(draft) or is_trivial(draft):
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
    if not spots or is_already_applied(draft):
        return None
    at = rng.choice(spots)
    extra = [f"# inserted {rng.random()}" for _ in range(rng.randint(1, 5))]
    change = quote.change
    moved = [*lines[:at], *extra, *lines[at:]]
    offset = len(extra) if at <= quote.first else 0
    outcome = moved[: change.start + offset] + list(change.new) + moved[change.stop + offset :]
    content, right = _encode(moved), _encode(outcome)
    if places(moved, quote.old) != 1:
        return None
    dialect = rng.choice(DIALECTS)
    call = render(dialect, draft, rng)
    if dialect == "ai_edit" and rng.random() < 0.7:
        del call["expected_text"]
    noise = "changed elsewhere since read"
    return Case(dialect, noise, "apply", change.name, content, call, right, seen)


def _encode(lines: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def _plain_case(dialect: str, noise: str, draft: Draft, call: dict[str, Any]) -> Case | None:
    content, right = draft.content(), draft.right()
    if content == right:
        return None
    return Case(dialect, noise, "apply", draft.quote.change.name, content, call, right)
