"""Noise after which no reading is safe: the edit must be refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from bench.trials.changes import WORD, alter_line
from bench.trials.drafts import (
    Case,
    Draft,
    Quoted,
    envelope,
    hunk_of,
    is_already_applied,
    is_trivial,
    places,
    plain,
    render,
)


def refusing(quote: Quoted, dialect: str, noise: str, rng: random.Random) -> Case | None:
    """A case in which no reading is safe."""
    draft = Draft.of(quote)
    if is_trivial(draft):
        return None
    made = REFUSE[noise](draft, rng)
    if made is None:
        return None
    rendered = render(dialect, draft, rng)
    call: dict[str, Any] | None = rendered
    if dialect == "ai_edit" and noise.startswith("duplicate"):
        call = _numbers_elsewhere(rendered, draft, rng)
    if call is None:
        return None
    content = draft.content()
    seen = made if isinstance(made, bytes) else None
    return Case(dialect, noise, "refuse", quote.change.name, content, call, content, seen)


def _numbers_elsewhere(
    call: dict[str, Any], draft: Draft, rng: random.Random
) -> dict[str, Any] | None:
    """Numbers at which the expected text is not."""
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
    """The quoted lines are there a second time."""
    spots = [i for i in range(len(draft.file) + 1) if not draft.quote.first < i < draft.quote.last]
    at = rng.choice(spots)
    draft.file[at:at] = draft.old
    draft.ends = ["\n"] * len(draft.file)
    return None if is_already_applied(draft) else True


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
    return None if is_already_applied(draft) else True


def _stale(draft: Draft, rng: random.Random) -> bool | None:
    """Another program changed one of the quoted lines."""
    spots = [i for i in range(draft.quote.first, draft.quote.last) if WORD.search(draft.file[i])]
    if not spots:
        return None
    at = rng.choice(spots)
    draft.file[at] = alter_line(draft.file[at], rng)
    return _nowhere(draft)


def _gone(draft: Draft, rng: random.Random) -> bool | None:
    """One of the quoted lines is no longer there, or a new one is between them."""
    if len(draft.old) < 2 or any(line.strip(" #/*") == "..." for line in draft.old):
        return None  # "..." may stand for the line that is gone
    at = rng.randrange(draft.quote.first + 1, draft.quote.last)
    if rng.random() < 0.5:
        if not draft.file[at].strip():
            return None
        del draft.file[at]
    else:
        draft.file.insert(at, f"fresh_{rng.randrange(10**6)} = 1")
    draft.ends = ["\n"] * len(draft.file)
    return _nowhere(draft)


def misquote(draft: Draft, rng: random.Random) -> bool | None:
    """The call quotes a word that is not in the file."""
    spots = [i for i, line in enumerate(draft.old) if WORD.search(line)]
    if not spots:
        return None
    at = rng.choice(spots)
    draft.old[at] = alter_line(draft.old[at], rng)
    return _nowhere(draft)


def _elide(draft: Draft, rng: random.Random) -> bool | None:
    """The call leaves lines out."""
    if len(draft.old) < 3:
        return None
    mark = rng.choice(("...", "    ...", "# ...", "// ...", "# ... rest of the code ...", "…"))
    middle = range(1, len(draft.old) - 1)
    cut = rng.choice(middle)
    draft.old = [*draft.old[:cut], mark, *draft.old[-1:]]
    return _nowhere(draft)


def _nowhere(draft: Draft) -> bool | None:
    if places(draft.file, draft.old) != 0 or is_already_applied(draft):
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
    "misquoted": misquote,
    "elided": _elide,
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
    if misquote(stale, rng) is None or is_trivial(draft):
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
