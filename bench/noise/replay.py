"""Play the caller: mistakes that are refused with a call or a block, sent again as printed.

Every call is made from a real file and a change whose outcome is known, quoted with one of the
mistakes that models make. What a refusal prints is read from its text alone and sent back; the
bytes say whether it was a promise.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bench.noise.corpus import corpus, history
from bench.noise.plans import is_broken, plan_edits
from bench.trials.changes import SourceChange, alter_line, invent_change
from bench.trials.drafts import Quoted, quote_uniquely
from redline.core.errors import RedlineError
from redline.plan.replace import TextEdit

APPLIED, WRONG, WORKS, PRINTED_WRONG, REFUSED_AGAIN, SILENT = (
    "applied",
    "wrong",
    "printed and works",
    "printed and wrong",
    "printed and refused",
    "nothing printed",
)
OUTCOMES = (APPLIED, WRONG, WORKS, PRINTED_WRONG, REFUSED_AGAIN, SILENT)
_PRINTED = re.compile(r'(?:edits\[(\d+)\]: )?(\{"oldText")')
_TELLING = re.compile(r"line (\d+) has `.*?` (?:above|below) it at line (\d+)")


class Mistake(NamedTuple):
    """A call with a mistake in it, and the file as it should be afterwards."""

    kind: str
    name: str
    text: str
    edits: list[TextEdit]
    right: str


def mistakes(
    count: int, seed: int, files: int = 300, *, is_settled: bool = False
) -> Iterator[Mistake]:
    """Yield *count* mistakes, the same for the same seed and the same files."""
    rng = random.Random(seed)
    texts = corpus(files, rng, is_settled=is_settled)
    past = history(200, is_settled=is_settled)
    made = 0
    while made < count:
        real = past and rng.random() < 0.3
        change = rng.choice(past) if real else invent_change(*rng.choice(texts), rng)
        if change is None or change.new == change.lines[change.start : change.stop]:
            continue
        mistake = rng.choice(MISTAKES)(change, rng)
        if mistake is not None:
            made += 1
            yield mistake


def replay(mistake: Mistake) -> str:
    """Send a call, and once more as its refusal prints it; return one of OUTCOMES."""
    try:
        return APPLIED if _send(mistake, mistake.edits) == mistake.right else WRONG
    except RedlineError as refused:
        repaired = _read_refusal(mistake, refused.text)
    if repaired is None:
        return SILENT
    try:
        return WORKS if _send(mistake, repaired) == mistake.right else PRINTED_WRONG
    except RedlineError:
        return REFUSED_AGAIN


def count_outcomes(
    count: int, seed: int, files: int = 300, *, is_settled: bool = False
) -> Counter[tuple[str, str]]:
    """Return how often each kind of mistake came to each outcome."""
    drawn = mistakes(count, seed, files, is_settled=is_settled)
    return Counter((mistake.kind, replay(mistake)) for mistake in drawn)


def _send(mistake: Mistake, edits: Sequence[TextEdit]) -> str:
    return plan_edits(mistake.name, mistake.text, edits)


def _read_refusal(mistake: Mistake, said: str) -> list[TextEdit] | None:
    """Return the edits as a refusal prints them, or with lines that it says tell places apart."""
    edits = list(mistake.edits)
    found = False
    said = said.rpartition("\nhint: ")[2]
    if said.startswith("quote more"):
        return _extend(mistake, said)
    for at in _PRINTED.finditer(said):
        try:
            call, _ = json.JSONDecoder().raw_decode(said, at.start(2))
        except ValueError:  # it is in what the refusal quotes
            continue
        number = int(at[1] or 0)
        edits[number] = TextEdit(call["oldText"], call.get("newText", edits[number].new))
        found = True
    return edits if found else None


def _extend(mistake: Mistake, said: str) -> list[TextEdit] | None:
    """Return the edit with the file's lines up to the one that tells its place apart."""
    edit = mistake.edits[0]
    lines = mistake.text.split("\n")
    height = edit.old.count("\n")
    for place, telling in (map(int, found) for found in _TELLING.findall(said)):
        above = "".join(f"{line}\n" for line in lines[telling - 1 : place - 1])
        below = "".join(f"{line}\n" for line in lines[place - 1 + height : telling])
        wider = TextEdit(above + edit.old + below, above + edit.new + below)
        if mistake.text.replace(wider.old, wider.new, 1) == mistake.right:
            return [wider]
    return None


# The mistakes


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _outdent(lines: Sequence[str], margin: str) -> list[str] | None:
    """Return *lines* without *margin*; None where one is shallower."""
    if any(line.strip() and not line.startswith(margin) for line in lines):
        return None
    return [line.removeprefix(margin) if line.strip() else line for line in lines]


def _mistake(kind: str, change: SourceChange, edits: list[TextEdit]) -> Mistake | None:
    text, right = ("".join(f"{line}\n" for line in lines) for lines in (change.lines, change.after))
    unique = all(text.count(edit.old) == 1 for edit in edits)
    return Mistake(kind, change.name, text, edits, right) if unique else None


def _quoted(change: SourceChange, rng: random.Random, least: int) -> Quoted | None:
    quote = quote_uniquely(change, rng)
    if quote is None or len(quote.old) < least or not (quote.old[0].strip() and quote.new):
        return None
    return quote if _margin(quote.old[0]) and quote.new[0].strip() else None


def line_from_its_word(change: SourceChange, _rng: random.Random) -> Mistake | None:
    """One line without its indentation, and all new lines counted from it."""
    old = change.lines[change.start : change.stop]
    margin = _margin(old[0]) if len(old) == 1 and old[0].strip() else ""
    new = _outdent(change.new, margin)
    if not margin or new is None or not new or not new[0].strip() or new[0][0] in " \t":
        return None
    if not any(line and line[0] not in " \t" for line in new[1:]):
        return None
    edit = TextEdit(old[0].lstrip(" \t"), "\n".join(new))
    return _mistake("one line from its word on", change, [edit])


def lines_from_their_words(change: SourceChange, rng: random.Random) -> Mistake | None:
    """Two lines of one call without their indentation, each with a line before it."""
    spots = [
        at
        for at, line in enumerate(change.lines)
        if _margin(line) and change.lines.count(line) == 1 and len(line.strip()) > 8
    ]
    if len(spots) < 2:
        return None
    after = list(change.lines)
    edits: list[TextEdit] = []
    for at in sorted(rng.sample(spots, 2), reverse=True):
        body, margin = change.lines[at].lstrip(" \t"), _margin(change.lines[at])
        fresh = alter_line(body, rng)
        if fresh is None or fresh == body:
            return None
        after[at : at + 1] = [margin + fresh, change.lines[at]]
        edits.insert(0, TextEdit(body, f"{fresh}\n{body}"))
    whole = SourceChange(change.name, change.lines, 0, len(change.lines), tuple(after))
    return _mistake("two lines from their words on", whole, edits)


def block_from_its_word(change: SourceChange, rng: random.Random) -> Mistake | None:
    """Several lines of which the first lacks its indentation, and new lines counted from it."""
    quote = _quoted(change, rng, 2)
    new = _outdent(quote.new, _margin(quote.old[0])) if quote else None
    if quote is None or new is None or new[0][0] in " \t" or new == quote.new:
        return None
    if _outdent(quote.old, _margin(quote.old[0])) is None:
        return None
    if not any(line and line[0] not in " \t" for line in new[1:]):
        return None
    old = "\n".join(quote.old).lstrip(" \t")
    return _mistake("a block from its word on", change, [TextEdit(old, "\n".join(new))])


def hanging_block(change: SourceChange, rng: random.Random) -> Mistake | None:
    """Only the first lines lack their indentation, which is right to the letter.

    A change that breaks the file is left out: nobody means it.
    """
    quote = _quoted(change, rng, 1)
    if quote is None or _margin(quote.old[0]) != _margin(quote.new[0]):
        return None
    if any(line and line[0] not in " \t" for line in quote.new) and quote.before < 1:
        return None
    old, new = ("\n".join(lines).lstrip(" \t") for lines in (quote.old, quote.new))
    made = _mistake("first lines hang", change, [TextEdit(old, new)])
    return None if made is None or is_broken(made.name, made.text, made.right) else made


def lost_tab(change: SourceChange, rng: random.Random) -> Mistake | None:
    """Every line lacks one tab, or one step of blanks."""
    quote = _quoted(change, rng, 2)
    if quote is None:
        return None
    step = "\t" if _margin(quote.old[0])[0] == "\t" else "    "
    old, new = _outdent(quote.old, step), _outdent(quote.new, step)
    if old is None or new is None:
        return None
    text = "\n".join(change.lines)
    if "\n".join(old) in text:
        return None
    edit = TextEdit("\n".join(old), "\n".join(new))
    right = "".join(f"{line}\n" for line in change.after)
    return Mistake("one step lost", change.name, text + "\n", [edit], right)


def misquoted(change: SourceChange, rng: random.Random) -> Mistake | None:
    """Lines of the old text that the edit replaces are not as the file has them."""
    quote = _quoted(change, rng, 4)
    gone = range(quote.before, len(quote.old) - quote.behind) if quote else range(0)
    if quote is None or len(gone) < 1:
        return None
    old = list(quote.old)
    for at in rng.sample(gone, min(len(gone), rng.randint(1, 2))):
        old[at] = alter_line(old[at], rng) or old[at]
    text = "".join(f"{line}\n" for line in change.lines)
    if "\n".join(old) in text:
        return None
    edit = TextEdit("\n".join(old) + "\n", "\n".join(quote.new) + "\n")
    right = "".join(f"{line}\n" for line in change.after)
    return Mistake("lines misquoted", change.name, text, [edit], right)


def repeated(change: SourceChange, _rng: random.Random) -> Mistake | None:
    """Lines that the file has several times."""
    old = "".join(f"{line}\n" for line in change.lines[change.start : change.stop])
    text, right = ("".join(f"{line}\n" for line in lines) for lines in (change.lines, change.after))
    if not old.strip() or not 1 < f"\n{text}".count(f"\n{old}") < 8:
        return None
    new = "".join(f"{line}\n" for line in change.new)
    return Mistake("several places", change.name, text, [TextEdit(old, new)], right)


MISTAKES: tuple[Callable[[SourceChange, random.Random], Mistake | None], ...] = (
    line_from_its_word,
    line_from_its_word,
    lines_from_their_words,
    block_from_its_word,
    hanging_block,
    lost_tab,
    misquoted,
    repeated,
)
