"""Cases of one noise in one edit: the verdict follows from the construction alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from tests.noise.independent import formats
from tests.noise.independent.cases import (
    APPLY,
    CODE,
    DIALECTS,
    EDIT_FILE,
    EITHER,
    REFUSE,
    Case,
    Hunk,
    call_for,
    frame,
    literal_count,
    outcome,
    stands_already,
)
from tests.noise.independent.corpus import Pair, Spot
from tests.noise.independent.noises import NOISES, Noise
from tests.noise.independent.scenes import SCENES, Scene
from tests.noise.independent.text import ANY, fold, indent_of, is_blank, is_elision, plain

DOUBLED = "doubled"
MISQUOTED = {"stale word", "wrong case", "inner blanks", "line left out", "line too many", "elided"}
# Lines that may be between those of a twin.
_FEW = 4


def cases(pairs: list[Pair], seed: int) -> Iterator[Case]:
    """Cases for ever; the same seed over the same pairs gives the same ones."""
    rng = random.Random(seed)
    number = 0
    while True:
        pair = rng.choice(pairs)
        spots = pair.changes()
        if not spots:
            continue
        dialect = rng.choice(DIALECTS)
        for _ in range(4):
            path = f"n{number}{rng.choice(spots).suffix}"
            case = _one(rng, pair, rng.choice(spots), dialect, path)
            if case is not None:
                yield case
                number += 1


def _one(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    known: list[Scene | Noise] = [*SCENES, *NOISES]
    fitting = [drawn for drawn in known if dialect in drawn.dialects]
    drawn = rng.choices(fitting, [drawn.weight for drawn in fitting])[0]
    if isinstance(drawn, Noise):
        return noisy(rng, spot, dialect, path, drawn)
    return drawn.build(rng, pair, spot, dialect, path)


def noisy(rng: random.Random, spot: Spot, dialect: str, path: str, noise: Noise) -> Case | None:
    """One edit with one noise on a file of some format."""
    name, change = formats.pick(rng)
    hunk = frame(rng, spot, dialect)
    hunk = hunk and change(rng, hunk)
    if hunk is None or literal_count(hunk, dialect) != 1:
        return None
    sent = noise.change(rng, hunk)
    must = _verdict(noise, sent, dialect) if sent else None
    if sent is None or must is None:
        return None
    by = _shift(rng, noise, sent, dialect, must)
    if by is None:
        return None
    rule = noise.name + (", numbers off" if by else "")
    call = call_for(dialect, path, sent, by=by)
    content = sent.doc.encode()
    after = () if must == REFUSE else (outcome(sent, dialect),)
    return Case(f"{rule} [{name}]", dialect, must, {path: content}, (call,), {path: after})


def _verdict(noise: Noise, sent: Hunk, dialect: str) -> str | None:
    """What must come of the edit as sent; None where the noise took no hold."""
    literal, loose = literal_count(sent, dialect), sent.doc.loose_count(sent.old)
    if noise.literal:
        if literal != 1 and noise.name != "heading decides":
            return None
        return EITHER if stands_already(sent) or _moves_lines(noise, sent) else noise.must
    if noise.name == "hanging line returns":
        return noise.must if literal == 1 else None
    if noise.name.startswith(DOUBLED) or noise.name.startswith("number points"):
        plain = noise.name in (DOUBLED, "number points at a double")
        return noise.must if (literal >= 2 if plain else literal == 0) else None
    if noise.name == "heading missing":
        return noise.must if literal == 1 else None
    if literal:
        return None
    if noise.must == REFUSE:
        if noise.name == "uneven indent" and _is_scaled(sent):
            return EITHER
        if noise.name in MISQUOTED and (loose or _is_there(sent)):
            return None
        return _of_misquoted(sent) if dialect == EDIT_FILE else REFUSE
    if noise.name == "blank lines differ":
        sure = not stands_already(sent) and not _is_there(sent) and not _has_twin(sent)
        return (APPLY if sure else EITHER) if sent.doc.filled_count(sent.old) == 1 else REFUSE
    if noise.must == APPLY:
        sure = loose == 1 and _same_frame(sent) and not stands_already(sent)
        return APPLY if sure and not sent.respelled and _spelled_in_file(sent) else EITHER
    return noise.must


def _is_there(sent: Hunk) -> bool:
    """Whether the new text stands in the file, and not because it is a piece of the old one."""
    old, new = ([fold(text) for text in lines] for lines in (sent.old, sent.new))
    cut = any(old[i : i + len(new)] == new for i in range(len(old)))
    return not cut and sent.doc.block_count(sent.new) > 0


def _has_twin(sent: Hunk) -> bool:
    """Whether another place has the quoted lines, or all but one of several, near each other.

    The call may mean that place as it was before.
    """
    lines = [line.rstrip() for line in sent.doc.lines if not is_blank(line)]
    wanted = [line.rstrip() for line in sent.old if not is_blank(line)]
    n = len(wanted)
    found = next(i for i in range(len(lines)) if lines[i : i + n] == wanted)
    others = lines[:found] + lines[found + n :]
    needed = n - 1 if n > 2 else n
    return any(
        sum(line in others[i : i + n + _FEW] for line in wanted) >= needed
        for i in range(len(others))
    )


def _of_misquoted(sent: Hunk) -> str | None:
    """Text that is not in the file: refused, unless only blank lines or dots make it so."""
    if sent.doc.filled_count(sent.old) == 1:
        # Blank lines that come or go besides have two readings.
        unclear = any(tag != " " and is_blank(text) for tag, text in sent.rows)
        return None if unclear or sent.doc.style() == ANY else EITHER
    marks = [i for i, text in enumerate(sent.old) if is_elision(text)]
    kept = [row for row in sent.rows if is_elision(row[1])]
    if len(marks) != 1 or kept != [(" ", sent.old[marks[0]])]:
        return REFUSE
    parts = sent.old[: marks[0]], sent.old[marks[0] + 1 :]
    if any(all(map(is_blank, part)) or sent.doc.block_count(part) != 1 for part in parts):
        return REFUSE
    return None if sent.doc.style() == ANY else EITHER if stands_already(sent) else APPLY


def _moves_lines(noise: Noise, sent: Hunk) -> bool:
    """Whether a line of the old text comes back at another indentation, its first one cut."""
    gone = {text.strip() for tag, text in sent.rows if tag == "-"}
    return noise.name == "substring" and any(
        tag == "+" and text.strip() in gone and not is_blank(text) for tag, text in sent.rows
    )


def _is_scaled(sent: Hunk) -> bool:
    """Whether twice or half the indentation explains every line: one change, if an odd one."""
    pairs = {
        (len(indent_of(text)), len(indent_of(sent.doc.lines[line])))
        for _, text, line in sent.places()
        if not is_blank(text)
    }
    (a, b) = max(pairs)
    return all(mine * b == its * a for mine, its in pairs)


def _spelled_in_file(sent: Hunk) -> bool:
    """Whether the new lines' quotes and dashes can only be meant as they are.

    Where the file has no plain ones, a caller who writes them may mean others; where the call
    dresses up plain ones, the typographic ones of its new lines may be plain as well.
    """
    file, new = "".join(sent.doc.lines), "".join(sent.added)
    dressed = any(
        text != plain(text) != "" and text != sent.doc.lines[line]
        for _, text, line in sent.places()
    )
    if dressed and new != plain(new):
        return False
    return all(mark in file for mark in "'\"-" if mark in new)


def _same_frame(sent: Hunk) -> bool:
    """Whether old and new text plainly are indented from the same margin.

    They are not where more of the new lines read as in the file than as in the quotation: only
    the old text may be shifted then.
    """
    quoted, there = set(sent.old), set(sent.doc.lines[sent.first : sent.last])
    shown = {text for text in sent.new if not is_blank(text)}
    if len(shown & (there - quoted)) > len(shown & (quoted - there)):
        return False
    if any(tag == " " and not is_blank(text) for tag, text in sent.rows):
        return True
    old = next((text for text in sent.old if not is_blank(text)), "")
    new = next((text for text in sent.new if not is_blank(text)), old)
    return indent_of(old) == indent_of(new)


def _shift(rng: random.Random, noise: Noise, sent: Hunk, dialect: str, must: str) -> int | None:
    """How far off the line numbers of a range edit are; None where they cannot be."""
    if dialect != CODE:
        return 0
    doubled = noise.name.startswith(DOUBLED)
    unique = must == APPLY and sent.doc.loose_count(sent.old) == 1
    if not doubled and not (unique and rng.random() < 0.35):
        return 0
    size = sent.last - sent.first
    most = len(sent.doc.lines)
    places = [
        by
        for by in range(-9, 10)
        if by
        and sent.first + by >= 0
        and sent.last + by <= most
        and not _alike(sent, sent.first + by, size)
    ]
    return rng.choice(places) if places else (None if doubled else 0)


def _alike(sent: Hunk, first: int, size: int) -> bool:
    there = replace(sent.doc, lines=sent.doc.lines[first : first + size], ends=("\n",) * size)
    return there.loose_count(sent.old) > 0
