"""Parts of a TOML document let through only what the whole document lets through."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import pytest

from redline.core.errors import CannotApply, DocumentSyntax, RedlineError
from redline.core.splice import Splice
from redline.documents.model import Edit
from redline.documents.query import paths_of
from redline.documents.toml_check import Checked, load
from redline.documents.toml_doc import TomlDocument
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_parts import parts_of
from redline.documents.toml_read import Intent

ROUNDS = 8_000 if os.environ.get("REDLINE_LONG") == "1" else 600
WHOLE = 1 << 30
SIZES = [1, 1, 8, 20, 60]
# Few names, so that sections and keys meet in every way, allowed or not.
KEYS = ["a", "b", "c", '"a"', "'b'", "a.b", "b.a", "a . c", "b.c", "a.b.c", "c.a.b", '"a.b"', "d"]
HEADERS = ["a", "b", "c", '"a"', "a.b", "a.b.c", "b.a", "a.c", 'a."b"', "c.a", "b.a.c", "d", "e.f"]
SCALARS = ["1", "1.50", "true", '"x"', "'y'", "1979-05-27", '"\\u0061"', '"""\n[a]\nq\\\n  z\n"""']
BREAK = "\n" * 64


def value(rng: random.Random, depth: int = 0) -> str:
    """A value of any kind, nested a little."""
    kind = rng.choice(["scalar", "scalar", "array", "inline", "deep", "text"])
    if depth > 2 or kind == "scalar":
        return rng.choice(SCALARS)
    inner = [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == "array":
        gap = rng.choice([" ", "", "\n  ", " # c\n"])
        end = rng.choice(["", ",", gap]) if inner else gap
        return f"[{gap}{f',{gap}'.join(inner)}{end}{gap}]"
    if kind == "inline":
        names = rng.choices(["a", "b", "c", "a.b", "d", '"a"'], k=len(inner))
        pairs = [f"{name} = {text}" for name, text in zip(names, inner, strict=True)]
        return "{ " + ", ".join(pairs).replace("\n", "") + " }"
    if kind == "deep":
        return "[[[[" + ", ".join(rng.choices(["1", "2"], k=3)) + "]]]]"
    return rng.choice(['"""', "'''"]).join(["", "line\n" * rng.randrange(4), ""])


def document(rng: random.Random) -> bytes:
    """Sections and statements in any order, some of them cut by long gaps."""
    lines: list[str] = []
    for _ in range(rng.randrange(1, 7)):
        if lines or rng.random() < 0.6:
            mark = rng.choice(["[{}]", "[{}]", "[[{}]]", "  [{}] # c", "[[ {} ]]"])
            lines.append(mark.format(rng.choice(HEADERS)))
        for _ in range(rng.randrange(5)):
            lines.append(f"{rng.choice(KEYS)} = {value(rng)}")
            if rng.random() < 0.2:
                lines.append(rng.choice([BREAK, "", "# about"]))
    return (rng.choice(["\n", "\r\n"]).join(lines) + rng.choice(["\n", ""])).encode()


def valid_document(rng: random.Random) -> bytes:
    """A document that the whole parse reads."""
    while True:
        source = document(rng)
        if accepted(source):
            return source


def accepted(source: bytes) -> bool:
    """Whether the document is valid when it is read whole."""
    try:
        load(source)
    except DocumentSyntax:
        return False
    return True


def scanned(source: bytes) -> TomlIndex | None:
    """The located document, if it has the shape of one."""
    try:
        return TomlIndex(source)
    except DocumentSyntax:
        return None


def test_parts_that_can_stand_for_a_document_stand_for_a_valid_one() -> None:
    rng = random.Random("parts")
    ends: Counter[tuple[bool, bool]] = Counter()
    for _ in range(ROUNDS * 4):
        source = document(rng)
        index = scanned(source)
        if index is None:
            continue
        in_parts = parts_of(index, rng.choice(SIZES)) is not None
        whole = accepted(source)
        assert whole or not in_parts, source
        ends[whole, in_parts] += 1
    assert min(ends[True, True], ends[False, False]) > ROUNDS // 4, ends
    assert ends[True, True] > 3 * ends[True, False], ends


def test_an_edit_that_parts_agree_with_is_one_the_whole_agrees_with() -> None:
    """Right edits, right edits told as other ones, and splices no engine would make."""
    rng = random.Random("agree")
    ends: Counter[tuple[bool, bool]] = Counter()
    for _ in range(ROUNDS * 4):
        source = valid_document(rng)
        parts = parts_of(TomlIndex(source), rng.choice(SIZES))
        found = edit_of(source, rng)
        if parts is None or found is None:
            continue
        edit, intent = found
        in_parts = parts.agree(edit.splices, intent)
        whole = agreed(source, edit, intent)
        assert whole or not in_parts, (edit, intent)
        ends[whole, in_parts] += 1
    assert min(ends[True, True], ends[False, False]) > ROUNDS // 20, ends
    assert ends[True, True] > 3 * ends[True, False], ends


def agreed(source: bytes, edit: Edit, intent: Intent) -> bool:
    """Whether the edit is let through when the document is read whole."""
    try:
        Checked(TomlIndex(source), WHOLE).verify(edit, intent)
    except CannotApply:
        return False
    return True


def edit_of(source: bytes, rng: random.Random) -> tuple[Edit, Intent] | None:
    """An edit and what it is said to do, rightly or wrongly."""
    data = load(source)
    paths = list(paths_of(data))[1:]
    if not paths:
        return None
    path = rng.choice(paths)
    document = TomlDocument(source, part=WHOLE)
    found = engine_edit(document, path, data, rng)
    if found is None:
        return None
    edit, intent = found
    odd = rng.random()
    if odd < 0.1:
        intent = Intent(intent.action, rng.choice(paths), intent.fragment)
    elif odd < 0.2:
        intent = Intent(rng.choice(["set", "insert", "delete"]), intent.path, "7")
    elif odd < 0.4:
        edit = odd_edit(edit, rng)
    return edit, intent


def engine_edit(
    document: TomlDocument, path: Any, data: Any, rng: random.Random
) -> tuple[Edit, Intent] | None:
    """What the engine makes of a random wish."""
    text = value(rng).replace("\r\n", "\n")
    action = rng.choice(["set", "insert", "delete"])
    try:
        if action == "delete":
            return document.delete(path), Intent(action, path)
        if action == "set":
            return document.set(path, text), Intent(action, path, text)
        step = rng.choice(["c", "n", 0, 1])
        path = (*path[:-1], step) if rng.random() < 0.5 else (*path, step)
        return document.insert(path, text), Intent(action, path, text)
    except RedlineError:
        return None


def odd_edit(edit: Edit, rng: random.Random) -> Edit:
    """The edit with a splice less, with one moved, or with one that takes more than it should."""
    source = edit.before
    splices = list(edit.splices)
    at = rng.randrange(len(source) + 1)
    one = splices.pop(rng.randrange(len(splices)))
    made = rng.choice(
        [
            Splice(at, at, rng.choice([b"\n", b"c = 1\n", b"[a]\n", b"#", b",", b'"'])),
            Splice(at, min(at + rng.randrange(4), len(source)), one.data),
            Splice(one.start, min(one.end + rng.randrange(6), len(source)), one.data),
            Splice(max(one.start - rng.randrange(6), 0), one.end, one.data),
        ]
    )
    if splices and rng.random() < 0.7:
        return Edit.of(source, splices)
    return Edit.of(source, [made])


def tables(rng: random.Random) -> bytes:
    """Tables and items beneath few names, most of them in several places of the file."""
    lines: list[str] = rng.choice([[], ["top = 1"], ["e.x = 1", BREAK, "e.y = 1"]])
    names = ["[a.p]", "[a.q]", "[a.r]", "[a.p.s]", "[b.p]", "[b.q]", "[c]", "[a.q.t]", "[a]"]
    items = ["[[d]]\n[d.k]", "[[a.i]]\n[[a.i.j]]", "[[a.i]]"]
    for header in rng.sample([*names, *rng.choices(items, k=3)], k=9):
        lines.append(header)
        lines += [f"{key} = {rng.choice(SCALARS)}" for key in rng.sample("uvw", k=rng.randrange(3))]
        lines += rng.choice([[], [], [BREAK, "z = 1"], ["# about"]])
    return ("\n".join(lines) + "\n").encode()


def test_a_removal_that_parts_agree_with_is_one_the_whole_agrees_with() -> None:
    """Tables that are removed rightly, not wholly, or with something beside them."""
    rng = random.Random("removal")
    ends: Counter[tuple[bool, bool]] = Counter()
    for _ in range(ROUNDS * 2):
        source = tables(rng)
        if not accepted(source):
            continue
        parts = parts_of(TomlIndex(source), rng.choice([1, 1, 30]))
        path = rng.choice([("a",), ("b",), ("d",), ("c",), ("a", "p"), ("a", "q"), ("a", "i")])
        try:
            edit = TomlDocument(source, part=WHOLE).delete(path)
        except RedlineError:
            continue
        if parts is None:
            continue
        if rng.random() < 0.6:
            edit = spoiled(edit, rng)
        intent = Intent("delete", rng.choice([path, path, path, ("a",), ("b",)]))
        in_parts, whole = parts.agree(edit.splices, intent), agreed(source, edit, intent)
        assert whole or not in_parts, (edit, intent)
        ends[whole, in_parts] += 1
    assert min(ends[True, True], ends[False, False]) > ROUNDS // 20, ends
    assert ends[True, True] > 3 * ends[True, False], ends


def spoiled(edit: Edit, rng: random.Random) -> Edit:
    """The edit with one splice shorter by some lines, or away."""
    splices = list(edit.splices)
    one = splices.pop(rng.randrange(len(splices)))
    breaks = [at + 1 for at in range(one.start, one.end) if edit.before[at] == 0x0A]
    if not splices or rng.random() < 0.7:
        start, end = sorted(rng.choices([one.start, *breaks, one.end], k=2))
        splices.append(rng.choice([Splice(one.start, start, b""), Splice(start, end, b"")]))
    return Edit.of(edit.before, splices)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\n{}a = 2\n",
        "[t]\na = 1\n{}a = 2\n",
        "[t]\na.b = 1\n{}a.b = 2\n",
        "[t]\na.b = 1\n{}a = 2\n",
        "[t]\na = {{ b = 1 }}\n{}a.c = 2\n",
        "[t]\na = 1\n{}[t]\nb = 1\n",
        "[t.a]\nb = 1\n{}[t]\na.c = 1\n",
        "[t]\na.b = 1\n{}[t.a]\nc = 1\n",
        "[t]\na.b = 1\n{}[t.a.b]\nc = 1\n",
        "[t]\na = 1\n{}[t.a]\nc = 1\n",
        "[[t]]\na = 1\n{}[t]\nc = 1\n",
        "[t]\na = 1\n{}[[t]]\nc = 1\n",
        "[t.a]\nb = 1\n{}[[t]]\nc = 1\n",
        "t = [{{ a = 1 }}]\n{}[[t]]\nc = 1\n",
        "t = [{{ a = 1 }}]\n{}[t.b]\nc = 1\n",
        "[[t]]\n[t.a]\nb = 1\n{}[t.a]\nc = 1\n",
        "[[t]]\n[[t.a]]\nb = 1\n{}[t.a]\nc = 1\n",
        "[[t]]\na = 1\n{}a = 1\n",
    ],
)
def test_names_that_meet_across_parts_are_refused_as_in_the_whole(text: str) -> None:
    """Each pair of lines is apart by gaps, and so in different parts."""
    source = text.format(BREAK * 2).encode()
    assert not accepted(source)
    index = TomlIndex(source)
    assert parts_of(index, 8) is None
    with pytest.raises(DocumentSyntax):
        TomlDocument(source, part=8)


LARGE = {
    "statements": (b"".join(b"k%d = %d\n" % (n, n) for n in range(900)), ("k450",)),
    "a table": (b"[t]\n" + b"".join(b"k%d = %d\n" % (n, n) for n in range(900)), ("t", "k450")),
    "numbers": (b"a = [\n" + b"".join(b"  %d,\n" % n for n in range(900)) + b"]\n", ("a", 450)),
    "tables in braces": (
        b"a = [" + b", ".join(b"{ x = %d, y = [1, [2]] }" % n for n in range(400)) + b"]\n",
        ("a", 200, "y", 1, 0),
    ),
    "one table in braces": (
        b"a = { " + b", ".join(b"k%d = { x = %d }" % (n, n) for n in range(400)) + b" }\n",
        ("a", "k200", "x"),
    ),
    "dotted keys": (
        b"".join(b"a.b%d.c%d = %d\n" % (n // 9, n % 9, n) for n in range(900)),
        ("a", "b50", "c1"),
    ),
    "sub-tables": (
        b"".join(b"[a.t%d]\nx = 1\n[a.t%d.u]\ny = 1\n" % (n, n) for n in range(300)),
        ("a", "t150", "u", "y"),
    ),
    "items": (
        b"".join(b"[[a]]\nx = %d\n[[a.b]]\ny = 1\n[[a.b]]\ny = 2\n" % n for n in range(300)),
        ("a", 150, "b", 1, "y"),
    ),
    "one item": (
        b"[[a]]\nx = 1\n" + b"".join(b"[[a.b]]\ny = %d\n" % n for n in range(900)),
        ("a", 0, "b", 450, "y"),
    ),
    "joined lines": (b'a = """\n' + b"some \\  \n" * 900 + b'"""\nb = 1\n', ("a",)),
    "deep lists": (
        b"a = " + b"[" * 12 + b", ".join(b"%d" % n for n in range(900)) + b"]" * 12 + b"\n",
        ("a", *[0] * 11, 450),
    ),
    "a long text": (b'a = """\n' + b"some text\n" * 900 + b'"""\nb = 1\n', ("a",)),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_document_of_any_shape_is_edited_in_parts_as_it_would_be_whole(name: str) -> None:
    source, path = LARGE[name]
    parts = parts_of(TomlIndex(source), 1000)
    assert parts is not None
    whole = TomlDocument(source, part=WHOLE)
    edit = whole.set(path, '"new"')
    assert TomlDocument(source, part=1000).set(path, '"new"').after == edit.after != source
    assert parts.agree(edit.splices, Intent("set", path, '"new"'))
    assert not parts.agree(edit.splices, Intent("set", path, '"old"'))
    edit = whole.delete(path)
    assert TomlDocument(source, part=1000).delete(path).after == edit.after != source
    assert parts.agree(edit.splices, Intent("delete", path))
    edit = whole.delete(path[:1])
    assert TomlDocument(source, part=1000).delete(path[:1]).after == edit.after != source
    assert parts.agree(edit.splices, Intent("delete", path[:1]))
    beside = (*path[:-1], "new" if isinstance(path[-1], str) else path[-1])
    edit = whole.insert(beside, "[1]")
    assert TomlDocument(source, part=1000).insert(beside, "[1]").after == edit.after != source
    assert parts.agree(edit.splices, Intent("insert", beside, "[1]"))
    assert not parts.agree(edit.splices, Intent("insert", beside, "[2]"))


KEYS_OF_P = b"[a.p]\n" + b"".join(b"k%d = 1\n" % n for n in range(300))


@pytest.mark.parametrize(
    ("source", "end", "path"),
    [
        (KEYS_OF_P + b"# c\n", len(KEYS_OF_P), ("a", "p")),
        (KEYS_OF_P + b"[a]\n[c]\n", len(KEYS_OF_P), ("a",)),
        (b"# c\n" + KEYS_OF_P, 4, ("b",)),
    ],
)
def test_what_a_removal_leaves_or_takes_does_not_hide_behind_repeated_headers(
    source: bytes, end: int, path: tuple[str, ...]
) -> None:
    """The table above goes too; a header of the table stays; there is nothing to remove."""
    parts = parts_of(TomlIndex(source), 100)
    assert parts is not None
    edit, intent = Edit.of(source, [Splice(0, end, b"")]), Intent("delete", path)
    assert not agreed(source, edit, intent)
    assert not parts.agree(edit.splices, intent)
