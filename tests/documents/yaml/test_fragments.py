"""Any text as a value at any kind of place: accepted only if other parsers find it there."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from redline.core.errors import RedlineError
from redline.documents.yaml.edit.document import YamlDocument
from tests.documents.judges import NotRead, Npm, npm_yaml, py_value
from tests.support import LONG

INDICATORS = ["-", "?", ":", ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">"]
INDICATORS += ["'", '"', "%", "@", "`", "!!", "&a", "*a", "!t", "!!str", "---", "...", "<<", "~"]
WORDS = ["", "x", "daily", " x", "x y", "\tx", "1", "x: y", "x:y", "x #y", "x#y", "- x", "=", "."]
AROUND = ["x", "x ", "", "a b", "a: ", "- ", "[", "{k: ", "1"]
CONTROLS = ["\0", "\x01", "\x07", "\b", "\x1b", "\x7f", "\x80", "\x85", "\x9f", "\u2028", "\ufeff"]
CONTROLS += ["\ufffe", "\uffff", "\t", "\r", "\x0b", "\x0c", "\u00a0", "\U0001f600", "é"]
SHAPES = ["{}", '"{}"', "'{}'", "x{}y", "[{}]", "|\n  x{}\n", "k: x{}"]
QUOTED = ['"x', 'x"', "'x", "x'", '"x" y', "'x' y", '"x\\"', "'it''s'", '"\\x"', '"\\q"', '"\\u12"']
QUOTED += ['"\\/"', '"\\ud83d\\ude00"', '"\\ud83d"', '"a\n b"', "'a\n\n b'", '"\\\n x"', '"a\\tb"']
MARKED = ["&a 1", "&a", "&a &b 1", "&é 1", "&a.b 1", "&a: 1", "*a", "*é", "&x *a", "!t 1", "! 1"]
MARKED += [
    "!<t> 1",
    "!<tag:x,2000:y> 1",
    "!e!t 1",
    "!!int 1",
    "!!int x",
    "!!str 1",
    "!t",
    "!t &a 1",
]
MARKED += [
    "&a !t 1",
    "!t !u 1",
    "!é 1",
    "!t%20 1",
    "[&a 1, *a]",
    "{&k k: 1}",
    "!!binary aGk=",
    "!!x 1",
]
BLOCKS = [
    "|\n x",
    "|-\n  x\n",
    ">\n  a\n  b\n",
    "|+\n  x\n\n",
    "|2\n   x\n",
    "|9\n x",
    "| x",
    "|\n\tx",
]
BLOCKS += [
    "|\n  x\n y",
    ">\n\n\n x\n\n  y\n",
    "|2+\n  x\n\n",
    "|-2\n  x",
    "|0\n x",
    "|\n",
    ">-",
    "|#\n x",
]
BLOCKS += [
    "a: 1\nb: 2",
    "a:\n- 1\n- 2",
    "- a\n- b: c\n  d: e",
    "a: 1\n b: 2",
    "? a\n: b",
    "? a",
    ": b",
]
BLOCKS += [
    "a: 1\na: 2",
    "a:\tb",
    "-\ta",
    "- - a\n  - b",
    "a:\n  b: |\n    x\n",
    "[a,\n b]",
    "{a: 1,\n b}",
]
FLOWS = [
    "[a, b]",
    "{a: 1}",
    "[a: 1]",
    "{a}",
    "[,]",
    "[a,,b]",
    "{a: }",
    "{: a}",
    "[a",
    "a]",
    "{a: [}]",
]
FLOWS += [
    "{a:1}",
    '{"a":1}',
    "[?x]",
    "[? x]",
    "[-]",
    "[- x]",
    "[a:b]",
    "[:x]",
    "{? a : b}",
    "[*a]",
    "[x #y]",
]
FLOWS += [
    "[a: {k: v, l: w}]",
    "{[a]: b}",
    "{{a: b}: c}",
    "[a]b",
    "{}x",
    "[a]:",
    "[]: x",
    "[%a]",
    "[@a]",
    "[`]",
]
TYPED = [
    "1",
    "1.0",
    "0x1f",
    "0o7",
    "1e3",
    "1_000",
    "yes",
    "null",
    "~",
    "",
    "2024-01-01",
    "1:30",
    "+1",
    ".5",
]
PLACES: dict[str, tuple[str, tuple[str | int, ...]]] = {
    "value": ("k: old\nz: 1\n", ("k",)),
    "value with comment": ("# h\nk: old # c\nz: 1\n", ("k",)),
    "last, no line end": ("a: 1\nk: old", ("k",)),
    "nested": ("a:\n  b:\n    k: old\n    z: 1\nc: 2\n", ("a", "b", "k")),
    "item": ("- a\n- old\n- b\n", (1,)),
    "item of a key": ("k:\n- old # c\n- b\nz: 1\n", ("k", 0)),
    "member of an item": ("- k: old\n  z: 1\n", (0, "k")),
    "flow item": ("k: [a, old, b]\n", ("k", 1)),
    "flow member": ("k: {a: 1, m: old, z: 2}\n", ("k", "m")),
    "flow over lines": ("k: {\n  m: old, # c\n  z: 2\n}\n", ("k", "m")),
    "json": ('{"k": {"m": "old", "z": [1]}}\n', ("k", "m")),
    "empty": ("k:\nz: 1\n", ("k",)),
    "empty item": ("-\n- b\n", (0,)),
    "block scalar": ("k: | # c\n  old\n  text\nz: 1\n", ("k",)),
    "collection": ("k:\n  a: 1\n  b: 2\nz: 1\n", ("k",)),
    "anchored": ("k: &a old\nz: *a\n", ("k",)),
    "beside an anchor": ("a: &a 5\nk: old\nz: *a\n", ("k",)),
    "tagged": ("k: !t old\nz: 1\n", ("k",)),
    "explicit": ("? k\n: old\nz: 1\n", ("k",)),
    "new key": ("a: 1\nb: 2\n", ("k",)),
    "new flow key": ("f: {a: 1}\n", ("f", "k")),
    "root": ("old\n", ()),
    "root behind a marker": ("--- old\n", ()),
    "first key": ("# only a comment\n", ("k",)),
    "windows": ("k: old\r\nz: 1\r\n", ("k",)),
}


def fragments() -> list[str]:
    """More than a thousand texts, each once."""
    found = [mark + word for mark, word in product(INDICATORS, WORDS)]
    found += [word + mark for word, mark in product(AROUND, INDICATORS)]
    found += [shape.format(control) for shape, control in product(SHAPES, CONTROLS)]
    found += [
        f"{mark} {word}"
        for mark, word in product(INDICATORS, ["x", "1", "[a]", '"q"', "k: v", "x y"])
    ]
    found += [*QUOTED, *MARKED, *BLOCKS, *FLOWS, *TYPED]
    return list(dict.fromkeys(found))


def tries() -> Iterator[tuple[str, str]]:
    """Fragments and the places they are put at: all in the long mode, some for each otherwise."""
    for number, fragment in enumerate(fragments()):
        rng = random.Random(number)
        for place in PLACES if LONG else rng.sample(sorted(PLACES), 4):
            yield fragment, place


def readings(judge: Any, fragment: str) -> list[Any]:
    """What a judge reads when the fragment is the whole text, or the value of a key."""
    found = []
    stripped = fragment.rstrip("\n")
    texts = [(text, ()) for text in (fragment, stripped, stripped + "\n", fragment.strip())]
    texts += [(f"z: &a old\nk: {stripped}\n", ("k",)), (f"z: &a 5\nk: {stripped}\n", ("k",))]
    below = stripped.replace("\n", "\n  ")
    texts += [(f"z: &a {old}\nk:\n  {below}\n", ("k",)) for old in ("old", "5")]
    for text, path in texts:
        try:
            found.append(judge(text, path))
        except NotRead:
            continue
    return found


@pytest.mark.requirement("docs-yaml-others-read")
def test_a_fragment_is_accepted_only_where_other_parsers_find_it() -> None:
    assert len(fragments()) > 1000
    ends: Counter[str] = Counter()
    wrong: list[Any] = []
    with npm_yaml() as npm:
        for fragment, place in tries():
            source, path = PLACES[place]
            try:
                after = YamlDocument(source.encode()).set(path, fragment).after.decode()
            except RedlineError:
                ends["refused"] += 1
                continue
            ends["accepted"] += 1
            # A tag stays unless the value has its own, or none can be there.
            with_tag = [f"!t {fragment}", f"!t\n{fragment}"] if "!t" in after else []
            reason = min(judged(npm, after, path, meant) for meant in (fragment, *with_tag))
            if reason:
                wrong.append((place, fragment, after, reason))
    assert not wrong, (len(wrong), wrong[:10])
    assert ends["accepted"] > len(fragments()), ends


def judged(npm: Npm, after: str, path: tuple[str | int, ...], fragment: str) -> str:
    """Why a result is wrong; empty when both judges find the value."""
    for name, judge in (("PyYAML", py_value), ("npm yaml", npm.value)):
        try:
            value = judge(after, path)
        except NotRead as error:
            return f"{name} does not read it: {error}"
        if value not in readings(judge, fragment):
            return f"{name} reads {value!r}"
    return ""
