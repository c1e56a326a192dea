"""Cases of every kind, the same for the same random numbers and files."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.trials.changes import SourceChange, invent_change, margin_of
from bench.trials.drafts import (
    DIALECTS,
    Case,
    Draft,
    Quoted,
    is_already_applied,
    is_quoted,
    is_trivial,
    put_line,
    quote_uniquely,
    render,
)
from bench.trials.harmful import REFUSE, bad_call, half_failing, refusing
from bench.trials.harmless import APPLY, applying, shared_prefix
from bench.trials.single import (
    anchor_heading,
    blank_context,
    blank_lines_differ,
    changed_elsewhere,
    elided_in_both,
    wrong_numbers,
)


def doubtful(quote: Quoted, dialect: str, rng: random.Random) -> Case | None:
    """Cases that may be refused, but not gone wrong."""
    noise = rng.choice((*_DOUBTFUL, "sent twice"))
    draft = Draft.of(quote)
    if is_already_applied(draft) or is_trivial(draft):
        return None
    if noise in _DOUBTFUL and not _DOUBTFUL[noise](draft, rng):
        return None
    if noise == "only old mis-indented" and dialect == "apply_patch":
        return None
    content, right = draft.content(), draft.right()
    if noise == "sent twice":
        call = render(dialect, draft, rng)
        return Case(dialect, noise, "either", quote.change.name, right, call, right)
    if content == right:
        return None
    call = render(dialect, draft, rng)
    if noise == "only old mis-indented" and dialect == "edit_file":
        right = _to_the_letter(content, call["edits"][0]) or right
    return Case(dialect, noise, "either", quote.change.name, content, call, right)


def _leave_utf8(draft: Draft, rng: random.Random) -> bool:
    """A line elsewhere in the file is not UTF-8."""
    spots = [i for i in range(len(draft.file)) if not is_quoted(draft, i)]
    if spots:
        put_line(draft, rng.choice(spots), "caf\udce9")
    return bool(spots)


def _unindent_old(draft: Draft, _rng: random.Random) -> bool:
    """Only the old text is quoted from the margin."""
    shared = shared_prefix([margin_of(line) for line in draft.old if line.strip()])
    draft.old = [line[len(shared) :] if line.strip() else line for line in draft.old]
    return bool(shared)


def _paste_numbers(draft: Draft, _rng: random.Random) -> bool:
    """Both texts have line numbers before each line."""
    first = draft.quote.first + 1
    draft.old = [f"{first + i}: {line}" for i, line in enumerate(draft.old)]
    draft.new = [f"{first + i}: {line}" for i, line in enumerate(draft.new)]
    return True


_DOUBTFUL = {
    "not utf-8": _leave_utf8,
    "only old mis-indented": _unindent_old,
    "line numbers pasted": _paste_numbers,
}


def _to_the_letter(content: bytes, edit: dict[str, str]) -> bytes | None:
    """What replacing a text that the file has once gives; None where it has it not, or often."""
    old, new = edit["oldText"].encode(), edit["newText"].encode()
    return content.replace(old, new) if content.count(old) == 1 else None


def make_cases(
    texts: Sequence[tuple[str, tuple[str, ...]]], past: Sequence[SourceChange], rng: random.Random
) -> Iterator[Case]:
    """Cases without end: changes of *texts* (name and lines), or changes that were really made."""
    while True:
        if past and rng.random() < 0.3:
            change: SourceChange | None = rng.choice(past)
        else:
            change = invent_change(*rng.choice(texts), rng)
        if change is None or change.new == change.lines[change.start : change.stop]:
            continue
        quote = quote_uniquely(change, rng)
        if quote is None:
            continue
        case = _case(quote, rng)
        if case is not None:
            yield case


_SINGLE = (
    *(wrong_numbers, blank_context, anchor_heading),
    *(changed_elsewhere, blank_lines_differ, elided_in_both),
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
