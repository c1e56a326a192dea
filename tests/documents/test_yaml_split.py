"""Where large streams of YAML are cut: every shape into small texts, and never inside a meaning."""

from __future__ import annotations

import random
import re

import pytest

from redline.core.errors import CannotApply, RedlineError
from redline.documents.yaml_columns import Columns
from redline.documents.yaml_doc import YamlDocument
from redline.documents.yaml_region import Run
from redline.documents.yaml_runs import outermost, without
from redline.documents.yaml_split_text import _BEHIND_ESCAPES
from redline.documents.yaml_stream import Stream

STEP = 256
SIZE = 20_000


def filled(item: str, head: str = "", tail: str = "") -> bytes:
    """*item* again and again, numbered, until there is enough of it."""
    count = SIZE // len(item.format(n=100)) + 1
    return (head + "".join(item.format(n=number) for number in range(count)) + tail).encode()


def words(line: str, head: str, tail: str) -> bytes:
    """One scalar of many lines."""
    return (head + line * (SIZE // len(line)) + tail).encode()


def nested(deepest_first: bool) -> bytes:
    """A mapping in a mapping in a mapping, with entries at every level."""
    levels = range(12)
    entries = ["".join("  " * level + f"k{n}: {n}\n" for n in range(80)) for level in levels]
    keys = ["  " * level + "down:\n" for level in levels]
    leaf = "  " * 12 + "leaf: 1\n"
    if deepest_first:
        return ("".join(keys) + leaf + "".join(reversed(entries))).encode()
    return ("".join(a + b for a, b in zip(entries, keys, strict=True)) + leaf).encode()


DOWN = ("down",) * 12
SHAPES: dict[str, tuple[bytes, tuple[str | int, ...], int]] = {
    "keys": (filled("k{n}: {n}\n"), ("k30",), 0),
    "services": (
        filled("  s{n}:\n    image: a:{n} # c\n    l: [1]\n", "all:\n"),
        ("all", "s30"),
        0,
    ),
    "comments": (filled("# c {n}\nk{n}: # d\n  # e\n  a: {n}\n"), ("k30", "a"), 0),
    "crlf": (filled("k{n}:\r\n  a: |\r\n    b\r\n"), ("k30", "a"), 0),
    "bom": (filled("k{n}: a\ufeffb\n", "\ufeff"), ("k30",), 0),
    "list": (filled("- a: {n}\n  b: c\n"), (30, "a"), 0),
    "list at the column of its key": (filled("- a: {n}\n", "k:\n", "l: 1\n"), ("k", 30, "a"), 0),
    "list in list": (filled("  - {n}\n", "- - a\n", "- b\n"), (0, 30), 0),
    "question marks": (filled("? k{n}\n: v\n"), ("k30",), 0),
    "collections as keys": (filled("? [a, {n}]\n: v\nk{n}: 1\n"), ("k30",), 0),
    "set": (filled("? k{n}\n", "--- !!set\n"), ("k30",), 0),
    "marked keys": (filled("&a{n} k{n}: &b{n} v\n!!str l{n}: *b{n}\n"), ("k30",), 0),
    "aliases as keys": (filled("k{n}: &b{n} v{n}\n*b{n} : q\n"), ("k30",), 0),
    "merge keys": (filled("k{n}:\n  <<: *b\n  a: *b\n", "b: &b {c: 1}\n"), ("k30", "a"), 0),
    "tags": (filled("k{n}: !e!x {n}\n", "%TAG !e! tag:e,1:\n---\n"), ("k30",), 0),
    "documents": (filled("---\na: {n}\n"), ("a",), 30),
    "ended documents": (filled("---\na: {n}\n...\n# c\n"), ("a",), 30),
    "directives": (filled("%YAML 1.2\n---\na: {n}\n...\n"), ("a",), 30),
    "one flow mapping": (filled("k{n}: {{a: [1, {n}]}},\n ", "{", "z: 1}\n"), ("k30", "a"), 0),
    "json": (filled('{{"a":{n},"b":["c"]}},', '{"r":[', "1]}\n"), ("r", 30, "a"), 0),
    "json with a large text": (words("word \\n \\u00e9", '{"a": "', '", "b": 1}\n'), ("b",), 0),
    "flow deep in block": (
        filled("{{a: {n}}}, ", "a:\n- b:\n  - [", "1]\n"),
        ("a", 0, "b", 0, 30),
        0,
    ),
    "literal": (words("  a: text\n  - more\n", "a: 1\nt: |\n", "b: 2\n"), ("b",), 0),
    "literal that is set": (words("  text\n", "a: 1\nt: |\n", "b: 2\n"), ("t",), 0),
    "literal with tabs": (words("  a:\n  \tb\n  -\tc: d\n", "a: 1\nt: |+\n", "b: 2\n"), ("b",), 0),
    "folded": (words("  one two\n   more\n\n", "a: 1\nt: >\n", "b: 2\n"), ("b",), 0),
    "double quoted": (words("word \\t \\\\ ", 'a: 1\nt: "', '"\nb: 2\n'), ("b",), 0),
    "single quoted": (words("it''s\n  so ", "a: 1\nt: '", "'\nb: 2\n"), ("b",), 0),
    "plain": (words("word\n  word ", "a: 1\nt: ", "\nb: 2\n"), ("b",), 0),
    "comments alone": (words("# text: [\n", "a: 1\n", "b: 2\n"), ("b",), 0),
    "comments below": (words("  # text\n\n", "a:\n  c: {d: 1}\n", "b: 2\n"), ("a", "c", "d"), 0),
    "blank lines": (words("\n", "a: 1\n", "b: 2\n"), ("b",), 0),
    "root scalar": (words("word \u4e2d\u6587\n", "", ""), (), 0),
    "many texts": (filled("k{n}: |\n" + "  some text\n" * 150), ("k2",), 0),
    "deepest last": (nested(deepest_first=False), (*DOWN, "leaf"), 0),
    "deepest first": (nested(deepest_first=True), (*DOWN, "leaf"), 0),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_stream_of_any_shape_is_read_in_small_texts(shape: str) -> None:
    source, _, index = SHAPES[shape]
    regions = YamlDocument(source, index, step=STEP)._opinion._regions
    runs = [run for region in regions for run in region.runs]
    rest = without(source, runs)
    inside = [run for run in runs if run.size > 0]
    assert len(rest) < len(source) / 2, (len(rest), len(source))
    assert max((run.size for run in inside), default=0) <= 16 * STEP
    assert outermost(runs)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.requirement("004-lossless")
def test_edits_of_any_shape_are_those_of_the_whole(shape: str) -> None:
    source, path, index = SHAPES[shape]
    pieces, whole = (YamlDocument(source, index, step=step) for step in (STEP, 1 << 30))
    assert pieces.get(path) == whole.get(path)
    edited = pieces.set(path, '"new"')
    assert edited.after == whole.set(path, '"new"').after
    assert YamlDocument(edited.after, index, step=STEP).get(path).data == b'"new"'
    if path:
        place = path if isinstance(path[-1], int) else (*path[:-1], "new")
        assert pieces.insert(place, "[1]").after == whole.insert(place, "[1]").after
        if shape in ("marked keys", "aliases as keys"):
            with pytest.raises(CannotApply, match="An alias elsewhere needs the anchor"):
                pieces.delete(path)
        else:
            assert pieces.delete(path).after == whole.delete(path).after


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_broken_anywhere_is_refused_in_pieces_as_in_whole(shape: str) -> None:
    source, _, index = SHAPES[shape]
    rng = random.Random(shape)
    refused = 0
    for _ in range(12):
        at = rng.randrange(len(source))
        broken = source[:at] + rng.choice([b"\n[\n", b'"', b"\n\t- a: b\n", b"}", b"\n- : *\n"])
        broken += source[at:]
        found = opens(broken, index, STEP)
        assert found == opens(broken, index, 1 << 30), (shape, at, broken[at - 40 : at + 40])
        refused += not found
    assert refused or re.search("text|literal|folded|comments", shape)


def opens(source: bytes, index: int, step: int) -> bool:
    """Whether a stream is read."""
    try:
        YamlDocument(source, index, step=step)
    except RedlineError:
        return False
    return True


@pytest.mark.parametrize("lone", ["&a", "!t", "&a !t # c", "&a\n# c\n"])
def test_a_tag_or_an_anchor_on_a_line_of_its_own_stays_with_its_entry(lone: str) -> None:
    # An alias can have neither; cut between the two lines, nobody would see them together.
    source = b"!t k: 1\n" + f"{lone}\n*a : 2\n".encode() + b"!t l: 1\n"
    for step in (1, 4, STEP, 1 << 20):
        assert not opens(source, 0, step)
    assert opens(source.replace(lone.encode() + b"\n", b""), 0, 1)


def test_no_text_is_cut_inside_an_escape() -> None:
    rng = random.Random("escapes")
    parts = [
        rb"\x41",
        rb"\u1234",
        rb"\U0001F600",
        rb"\n",
        rb"\\",
        rb"\"",
        b"a",
        b"word",
        b" ",
        b"4",
    ]
    cuts = 0
    for _ in range(500):
        text = [rng.choice(parts) for _ in range(rng.randrange(1, 30))]
        at, inner = 0, set()
        for part in text:
            inner |= set(range(at + 1, at + len(part))) if part.startswith(b"\\") else set()
            at += len(part)
        found = {match.start() for match in _BEHIND_ESCAPES.finditer(b"".join(text))}
        assert not found & inner, text
        cuts += len(found)
    assert cuts > 500


def test_a_lone_surrogate_in_a_large_text_is_no_failure() -> None:
    source = b'a: "' + b"word \\ud800 " * 2000 + b'"\nb: 2\n'
    assert YamlDocument(source, step=STEP).set(("b",), "3").after == source[:-2] + b"3\n"


def test_a_text_that_the_parser_does_not_see_as_text_is_read_whole() -> None:
    # Behind a second mark the skimmer sees a plain scalar, the parser a mapping.
    source = b"\xef\xbb\xbf\xef\xbb\xbf{" + b"a: word,\n" * 500 + b'"b: [}\n'
    assert not opens(source, 0, STEP)
    assert not opens(source, 0, 1 << 30)


@pytest.mark.parametrize("above", ["a: |", "a: >+", "a:", "a: 1", "a: [1]", "- 'x'", "a: &b"])
def test_tabs_below_a_value_are_judged_where_they_stand(above: str) -> None:
    last = "- b\n" if above.startswith("-") else "b: 1\n"
    for line in ("\t\n", "\t# c\n", " \t\n", "\n", "# c\n", "  # c\n"):
        source = (above + "\n" + line * 40 + last).encode()
        for step in (1, 3, 10):
            assert opens(source, 0, step) == opens(source, 0, 1 << 30), (source, step)


@pytest.mark.parametrize("blank", [0, 1, 40])
def test_blank_lines_below_a_value_are_part_of_a_text_that_keeps_them(blank: int) -> None:
    source = b"l:\n- a: 1\n  b: []\n" + b"\n" * blank + b"# c\n" * 20 + b"m: 2\n"
    for step in (1, 3, 10, 1 << 20):
        document = YamlDocument(source, step=step)
        if blank:
            with pytest.raises(CannotApply, match="read differently"):
                document.set(("l", 0, "b"), "|+\n  one\n")
        else:
            assert b"b: |+\n    one\n# c" in document.set(("l", 0, "b"), "|+\n  one\n").after


def test_documents_are_counted_and_found_as_if_they_were_listed() -> None:
    rng = random.Random("stream")
    lines = ["---\n", "--- a\n", "...\n", "a: 1\n", "# c\n", "\n", "%YAML 1.2\n", "---", "--\n"]
    uniform = 0
    for _ in range(3000):
        source = "".join(rng.choices(lines, k=rng.randrange(1, 12))).encode()
        stream = Stream(source)
        listed = list(stream.parts())
        assert stream.count == len(listed), source
        places = [(p.start, p.end, p.slot, p.is_marked) for p in listed]
        found = [stream.part(index) for index in range(len(listed))]
        assert [(p.start, p.end, p.slot, p.is_marked) for p in found] == places, source
        uniform += stream.is_uniform
    assert uniform > 300


def test_columns_find_what_a_plain_search_finds() -> None:
    rng = random.Random("columns")
    lines = [
        b"\n" + b" " * rng.choice([0, 1, 2, 4, 8, 70]) + rng.choice([b"a: b", b"#", b"", b"- "])
    ]
    found = 0
    for _ in range(300):
        lines = [
            b"\n"
            + b" " * rng.choice([2, 4, 8, 8, 8, 70])
            + rng.choice([b"a: b", b"# c", b"", b"- x"])
            for _ in range(rng.randrange(1, 4000))
        ]
        text = b"".join(lines)
        columns, column = Columns(text), rng.choice([0, 2, 4, 8, 70])
        pattern = re.compile(rb"\n {%d}(?=[^ \n#])" % column)
        at = rng.randrange(len(text))
        limit = rng.randrange(at, len(text) + 1)
        mine, plain = columns.search(pattern, column, at, limit), pattern.search(text, at, limit)
        assert (mine and mine.span()) == (plain and plain.span())
        left = re.compile(rb"\n {0,%d}[^ \t\r\n#]" % (column - 1)).search if column else None
        if left:
            assert columns.is_left(column, at, limit) == bool(left(text, at, limit))
        found += mine is not None
    assert found > 50


def test_runs_inside_others_go_with_them() -> None:
    source = b"0123456789"
    runs = [Run(2, 8), Run(3, 4), Run(5, 6), Run(8, 9)]
    assert outermost(runs) == [Run(2, 8), Run(8, 9)]
    assert without(source, runs) == b"019"
