"""Cases that are more than one noise in one edit: several edits, reads, ranges, symbols."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.noise.independent import formats
from tests.noise.independent.cases import (
    APPLY,
    APPLY_PATCH,
    CODE,
    DIALECTS,
    EDIT_FILE,
    EITHER,
    REFUSE,
    STILL,
    Ask,
    Case,
    Hunk,
    Write,
    call_for,
    code_call,
    code_text,
    edit_call,
    edit_texts,
    frame,
    literal_count,
    outcome,
    patch_call,
    stands_already,
)
from tests.noise.independent.corpus import Pair, Spot
from tests.noise.independent.noises import stale_word
from tests.noise.independent.text import CRLF, LF, Doc, is_blank

# Files that one shift of the new text can keep from breaking.
INDENTED = (".py", ".pyi", ".yaml", ".yml")
Build = Callable[[random.Random, Pair, Spot, str, str], Case | None]


def _ready(rng: random.Random, spot: Spot, dialect: str) -> Hunk | None:
    hunk = frame(rng, spot, dialect)
    hunk = hunk and formats.pick(rng)[1](rng, hunk)
    return hunk if hunk and literal_count(hunk, dialect) == 1 else None


def _case(rule: str, dialect: str, must: str, path: str, hunk: Hunk, *steps: Write | Ask) -> Case:
    after = () if must == REFUSE else (outcome(hunk, dialect),)
    if must == APPLY and stands_already(hunk):
        must = EITHER
    return Case(rule, dialect, must, {path: hunk.doc.encode()}, steps, {path: after})


def _several(rng: random.Random, pair: Pair, dialect: str) -> list[Hunk]:
    """Edits of one file that stay clear of each other, each unique whichever went before."""
    spots = pair.changes()
    found: list[Hunk] = []
    for spot in sorted(rng.sample(spots, min(len(spots), 3)), key=lambda spot: spot.start):
        hunk = frame(rng, spot, dialect)
        if hunk and (not found or hunk.first > found[-1].last):
            found.append(hunk)
    doc = found[0].doc if found else Doc((), ())
    for hunk in reversed(found):
        doc = replace(hunk, doc=doc).outcome()
        others = [other for other in found if other is not hunk]
        if any(literal_count(replace(o, doc=hunk.outcome()), dialect) != 1 for o in others):
            return []
    return found if len(found) > 1 else []


def _call_several(dialect: str, path: str, hunks: list[Hunk]) -> Ask:
    return edit_call(path, *hunks) if dialect == EDIT_FILE else patch_call({path: hunks})


def several(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """Several clean edits in one call, in any order."""
    hunks = _several(rng, pair, dialect)
    if not hunks:
        return None
    doc = hunks[0].doc
    crlf = rng.random() < 0.3
    if crlf:
        doc = replace(doc, ends=tuple(CRLF for _ in doc.ends))
    content = doc.encode()
    for hunk in reversed(hunks):
        doc = replace(hunk, doc=doc).outcome()
    rng.shuffle(hunks)
    call = _call_several(dialect, path, hunks)
    must = EITHER if any(map(stands_already, hunks)) else APPLY
    return Case("several edits", dialect, must, {path: content}, (call,), {path: (doc,)})


def one_fails(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """Several edits in one call, one of them stale."""
    hunks = _several(rng, pair, dialect)
    if not hunks:
        return None
    at = rng.randrange(len(hunks))
    stale = stale_word(rng, hunks[at])
    if stale is None or stale.doc.loose_count(stale.old):
        return None
    if any(other.outcome().loose_count(stale.old) for other in hunks):
        return None
    content = stale.doc.encode()
    hunks[at] = stale
    call = _call_several(dialect, path, hunks)
    return Case("one edit fails", dialect, REFUSE, {path: content}, (call,), {path: ()})


def one_in_place(
    rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str
) -> Case | None:
    """Several edits in one call, one of which somebody made before."""
    hunks = _several(rng, pair, dialect)
    if not hunks:
        return None
    done = hunks[rng.randrange(len(hunks))]
    doc = done.doc
    before = done.outcome()
    for hunk in reversed(hunks):
        doc = replace(hunk, doc=doc).outcome()
    old, new = edit_texts(done)
    sure = (
        len(new.strip()) > 11 and before.literal_count(new) == 1 and not before.literal_count(old)
    )
    sure = sure and not any(text in done.old for text in done.new if not is_blank(text))
    must, call = APPLY if sure else EITHER, _call_several(dialect, path, hunks)
    content = before.encode()
    return Case("one edit in place", dialect, must, {path: content}, (call,), {path: (doc,)})


def two_files(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """A patch over two files; half of the time the second one is stale."""
    one = _ready(rng, spot, dialect)
    two = _ready(rng, rng.choice(pair.changes()), dialect)
    if one is None or two is None:
        return None
    other, fails = "b-" + path, rng.random() < 0.5
    if fails:
        stale = stale_word(rng, two)
        if stale is None or stale.doc.loose_count(stale.old):
            return None
        two = stale
    before = {path: one.doc.encode(), other: two.doc.encode()}
    files = [(path, one), (other, two)]
    rng.shuffle(files)
    call = patch_call({name: [hunk] for name, hunk in files})
    after = {name: () if fails else (hunk.outcome(),) for name, hunk in files}
    rule = "one file fails" if fails else "two files"
    return Case(rule, dialect, REFUSE if fails else APPLY, before, (call,), after)


def empty_old(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """Nothing to look for."""
    edit = {"oldText": "", "newText": "\n".join(spot.added) or "x"}
    call = Ask(EDIT_FILE, {"path": path, "edits": [edit]})
    return Case("empty old text", dialect, REFUSE, {path: spot.doc.encode()}, (call,), {path: ()})


def raw_literal(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """Any piece of the file, cut anywhere, replaced by any text."""
    doc = spot.doc
    text = "".join(line + "\n" for line in doc.lines)
    start = rng.randrange(len(text))
    stop = min(len(text), start + rng.choice((6, 20, 60, 200)))
    old = text[start:stop]
    new = rng.choice((old[: len(old) // 2], old + " more", "\n".join(spot.added) or "x", ""))
    if "\r" in text or not old.strip() or doc.literal_count(old) != 1:
        return None
    crlf = rng.random() < 0.3
    changed = text[:start] + new + text[stop:]
    before, after = (t.replace("\n", CRLF) if crlf else t for t in (text, changed))
    call = Ask(EDIT_FILE, {"path": path, "edits": [{"oldText": old, "newText": new}]})
    accepted = {path: (after.encode(),)}
    # To the letter, unless that breaks a file whose indentation matters, or it is there already.
    begins = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    again = old in new and new in text
    must = EITHER if again or (begins and spot.suffix in INDENTED) else APPLY
    return Case("any literal piece", dialect, must, {path: before.encode()}, (call,), accepted)


def by_lines(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """A range and the new code, nothing quoted."""
    hunk = _ready(rng, spot, dialect)
    if hunk is None:
        return None
    call = code_call(path, hunk, quote=False)
    if rng.random() < 0.3:
        call.arguments["expected_hash"] = hashlib.sha256(hunk.doc.encode()).hexdigest()
    return _case("lines alone", dialect, APPLY, path, hunk, call)


def hash_stale(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """The hash of a version that is not there any more."""
    hunk = _ready(rng, spot, dialect)
    if hunk is None:
        return None
    call = code_call(path, hunk, quote=False)
    call.arguments["expected_hash"] = hashlib.sha256(pair.after.encode()).hexdigest()
    return _case("stale hash", dialect, REFUSE, path, hunk, call)


def bad_range(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """Numbers that name no lines of the file."""
    hunk = _ready(rng, spot, dialect)
    if hunk is None:
        return None
    n = len(hunk.doc.lines)
    start, end = rng.choice(
        ((n + 2, n + 4), (n, n + 3), (5, 2), (0, 2), (-3, 2), (n + 1, n + 1), (1, n + 1))
    )
    call = code_call(path, hunk, quote=False)
    call.arguments.update(start_line=start, end_line=end)
    return _case("bad range", dialect, REFUSE, path, hunk, call)


def _read(path: str) -> Ask:
    return Ask("read_file", {"path": path})


def _elsewhere(rng: random.Random, hunk: Hunk, *, above: bool) -> Hunk | None:
    """The file after somebody changed other lines of it: same number above, any below."""
    if above:
        lines = [i for i in range(hunk.first) if not is_blank(hunk.doc.lines[i])]
        at = rng.choice(lines) if lines else -1
        return hunk.with_doc_line(at, hunk.doc.lines[at] + " changed") if lines else None
    places = range(hunk.last + 1, len(hunk.doc.lines))
    if not places:
        return None
    return hunk.with_inserted(rng.choice(places), ["somebody was here", "and wrote this"])


def changed_elsewhere(
    rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str
) -> Case | None:
    """Read, then somebody changes another part of the file, then the edit."""
    hunk = _ready(rng, spot, dialect)
    now = hunk and _elsewhere(rng, hunk, above=rng.random() < 0.5)
    if hunk is None or now is None or literal_count(now, dialect) != 1:
        return None
    quote = rng.random() < 0.3
    call = code_call(path, now, quote=quote) if dialect == CODE else call_for(dialect, path, now)
    steps = (_read(path), Write(path, now.doc.encode()), call)
    before, must = {path: hunk.doc.encode()}, EITHER if stands_already(now) else APPLY
    after = {path: (outcome(now, dialect),)}
    return Case("changed elsewhere", dialect, must, before, steps, after)


def changed_since_read(
    rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str
) -> Case | None:
    """Read, then somebody changes one of the very lines, then the edit by lines."""
    hunk = _ready(rng, spot, dialect)
    if hunk is None:
        return None
    at = hunk.line_of(rng.choice(hunk.quotes()))
    now = hunk.with_doc_line(at, hunk.doc.lines[at] + " changed")
    steps = (_read(path), Write(path, now.doc.encode()), code_call(path, now, quote=False))
    before = {path: hunk.doc.encode()}
    return Case("changed since read", dialect, REFUSE, before, steps, {path: ()})


def moved_since_read(
    rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str
) -> Case | None:
    """Read, then lines are inserted above, then the edit by the old numbers."""
    hunk = _ready(rng, spot, dialect)
    if hunk is None:
        return None
    at = rng.randint(0, hunk.first)
    now = hunk.with_inserted(at, [f"inserted {i}" for i in range(rng.randint(1, 6))])
    quote = rng.random() < 0.5
    steps = (_read(path), Write(path, now.doc.encode()), code_call(path, hunk, quote=quote))
    before = {path: hunk.doc.encode()}
    sure = quote and now.doc.loose_count(now.old) == 1 and not stands_already(now)
    rule, must = ("moved since read, quoted" if quote else "moved since read", EITHER)
    after = {path: (outcome(now, dialect),)}
    return Case(rule, dialect, APPLY if sure else must, before, steps, after)


def stale_version(
    rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str
) -> Case | None:
    """The edit was made for the earlier version; the file is the later one."""
    hunk = frame(rng, spot, dialect)
    if hunk is None or not any(not is_blank(text) for text in spot.removed):
        return None
    added = (*spot.added, *spot.removed, "and something of its own")
    rows = tuple(row for row in hunk.rows if row[0] != "+")
    at = next(i for i, row in enumerate(rows) if row[0] == "-")
    rows = (
        *rows[: at + len(spot.removed)],
        *(("+", a) for a in added),
        *rows[at + len(spot.removed) :],
    )
    now = replace(hunk, rows=rows, doc=pair.later)
    if pair.later.loose_count(now.old) or now.last > len(pair.later.lines):
        return None
    call = call_for(dialect, path, now)
    return _case("stale version", dialect, REFUSE, path, now, call)


def sent_twice(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """The very same call once more."""
    hunk = _ready(rng, spot, dialect)
    if hunk is None or stands_already(hunk):  # that is refused the first time
        return None
    call = call_for(dialect, path, hunk)
    return _case("sent twice", dialect, STILL, path, hunk, call, call)


def not_utf8(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """A file in another encoding."""
    hunk = frame(rng, spot, dialect)
    at = hunk.outside(rng) if hunk else -1
    if hunk is None or at < 0:
        return None
    hunk = hunk.with_inserted(at, ["caf\xe9 \xfc"])
    try:
        before, after = hunk.doc.encode("latin-1"), hunk.outcome().encode("latin-1")
    except UnicodeEncodeError:
        return None
    if literal_count(hunk, dialect) != 1:
        return None
    call = call_for(dialect, path, hunk)
    return Case("not utf-8", dialect, EITHER, {path: before}, (call,), {path: (after,)})


def symbol(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """A whole function by its name."""
    functions = pair.functions()
    if not functions:
        return None
    spot = rng.choice(functions)
    hunk = Hunk(spot.doc, spot.start, (), spot.start, spot.stop, spot.added)
    crlf = rng.random() < 0.3
    if crlf:
        hunk = replace(hunk, doc=replace(hunk.doc, ends=tuple(CRLF for _ in hunk.doc.ends)))
    style = CRLF if crlf else LF
    after = hunk.doc.with_lines(spot.start, spot.stop, spot.added, style)
    known = rng.random() < 0.8
    text = code_text(spot.added, closed=rng.random() < 0.5)
    call = Ask(
        CODE,
        {
            "target_file": path,
            "edit_instruction": "Update this function.",
            "symbol": spot.symbol if known else spot.symbol + "_nobody",
            "code_block": text.replace("\n", CRLF) if rng.random() < 0.2 else text,
            "edit_type": "replace",
        },
    )
    before, must = {path: hunk.doc.encode()}, APPLY if known else REFUSE
    rule = "symbol" if known else "unknown symbol"
    return Case(rule, dialect, must, before, (call,), {path: (after,) if known else ()})


def insert_at(rng: random.Random, pair: Pair, spot: Spot, dialect: str, path: str) -> Case | None:
    """New lines before or after a numbered line."""
    if spot.removed or not spot.added or not 0 < spot.start < len(spot.doc.lines):
        return None
    if is_blank(spot.added[-1]) or is_blank(spot.added[0]):
        return None
    hunk = Hunk(spot.doc, spot.start, (), spot.start, spot.stop, spot.added)
    name, change = rng.choice(list(formats.FORMATS.items()))
    if "cr" in name.split() or "feed" in name or "line" in name.split():
        return None
    found = change[1](rng, hunk)
    if found is None:
        return None
    style = found.doc.style()
    after = found.doc.with_lines(spot.start, spot.start, spot.added, style)
    place = f"after line {spot.start}" if rng.random() < 0.5 else f"before line {spot.start + 1}"
    call = Ask(
        CODE,
        {
            "target_file": path,
            "edit_instruction": f"Insert this {place}.",
            "code_block": code_text(spot.added, closed=rng.random() < 0.5),
            "edit_type": "insert",
        },
    )
    before = {path: found.doc.encode()}
    return Case("insert at a line", dialect, APPLY, before, (call,), {path: (after,)})


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene by name, where it can be played, and how often it is drawn."""

    build: Build
    dialects: tuple[str, ...] = DIALECTS
    weight: int = 4


SCENES = (
    Scene(several, (EDIT_FILE, APPLY_PATCH), 6),
    Scene(one_fails, (EDIT_FILE, APPLY_PATCH), 6),
    Scene(one_in_place, (EDIT_FILE,), 5),
    Scene(two_files, (APPLY_PATCH,), 6),
    Scene(empty_old, (EDIT_FILE,), 1),
    Scene(raw_literal, (EDIT_FILE,), 8),
    Scene(by_lines, (CODE,), 6),
    Scene(hash_stale, (CODE,), 2),
    Scene(bad_range, (CODE,), 4),
    Scene(changed_elsewhere, DIALECTS, 4),
    Scene(changed_since_read, (CODE,), 6),
    Scene(moved_since_read, (CODE,), 6),
    Scene(stale_version, DIALECTS, 6),
    Scene(sent_twice, DIALECTS, 4),
    Scene(not_utf8, DIALECTS, 2),
    Scene(symbol, (CODE,), 10),
    Scene(insert_at, (CODE,), 8),
)
