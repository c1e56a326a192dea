"""Tags and anchors before a node: as many as YAML allows, and a refusal instead of a crash."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import suppress

import pytest

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents import yaml_properties
from redline.documents.formats import open_document
from redline.documents.yaml_native import parse
from redline.documents.yaml_properties import refuse_heaps

HEAPS = [
    b"&a !!map\n&b !!st-\n&c !!map\n&d !!str k: v",
    b"&a !!map\n&b !!st-\n!!c k: v",
    b"!a\n!b\n!c\n!d\n!e\n!f x",
    b"!a # one\n# two\n!b\n!c k: v",
    b"- [!a !b !c x]",
    b"x: &a &b &c 1",
    # The end of a document, a directive, a stray bracket or comma does not make them wait less.
    b"!a\n!b\n...\n!c\n...\n!d\n...\n!e\n!f x",
    b"!a\n!b #\n%TAG ! x\n!c",
    b"!}\n!\n!",
    b"&a\n&b[ &c",
    b"!<a b>!<c>!<d>x",
    b"!]m\n!\n!",
    b"[!a]!b]!c",
    b":\n...\n!\n--- !\n!",
    b"A\n...\n a:\n!\n!}: !",
    b"!a\x0b\n!b\n!\x0bc x",
]
UNDEFINED = {
    b"&a\n\t: 1": b"a tab indents",
    b"--- !a\n\n  \t- x": b"a tab indents",
    b"x\n...\n!a\n\t\t:": b"a tab indents",
    b':\n...\n a:\n! "\n":': b"spans several lines",
    b"[! ?\n--,! !": b"before ?",
    b"!\n\xef\xbb\xbf:": b"a byte order mark",
    b"{!a\n ? b, !c\n ? d, !e\n ? f": b"before ?",
    b"[!a\n ? b, !c !d x]": b"before ?",
    b'!a "\n": x': b"spans several lines",
    b"--- &a 'b''\n'  : x": b"spans several lines",
}
BYTES = {
    b">\nc\n\r \n ": b"a CR without LF",
    b"a: 1\rb: 2\r": b"a CR without LF",
    b'a: "x\0y"\n': b"a NUL character",
}
PARSE = """
import sys
from redline.core.errors import DocumentSyntax
from redline.documents.yaml_native import parse
try:
    parse(sys.stdin.buffer.read())
except DocumentSyntax as refusal:
    print(refusal.message)
"""


def parsed(source: bytes) -> bytes:
    """What a process of its own says: without the checks the parser may take it down or hang."""
    command = [sys.executable, "-c", PARSE]
    done = subprocess.run(command, input=source, capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("source", HEAPS)
def test_a_heap_of_properties_is_refused_and_the_process_lives(source: bytes) -> None:
    assert b"too many tags or anchors" in parsed(source)


@pytest.mark.parametrize("source", UNDEFINED)
def test_what_the_parser_leaves_undefined_after_a_property_is_refused(source: bytes) -> None:
    assert UNDEFINED[source] in parsed(source)


@pytest.mark.parametrize("source", BYTES)
def test_bytes_that_hang_or_blind_the_parser_are_refused(source: bytes) -> None:
    assert BYTES[source] in parsed(source)


@pytest.mark.parametrize("value", [">\nc\n\r \n ", '"a\0b"', "!a\n!b\n...\n!c"])
def test_values_go_through_the_same_checks(value: str) -> None:
    with pytest.raises(CannotApply, match="Value is not YAML"):
        open_document(b"a: 1\n", "yaml").set(("a",), value)


@pytest.mark.parametrize(
    "source",
    [
        b"&a !!map\n&b !!str k: v",
        b"- !a &b x\n- !c &d y\n- !e z",
        b"k: !a 1\nl: !b 2\nm: !c 3",
        b"t: |\n  wait! and then! and now!\n",
        b"[!a x, !b y, !c z]",
        b"---\n!a\n---\n!b\n---\n!c x",
        b"- !a\n- !b\n- !c\n",
        b"!!map\n? a\n: b\n",
        b"a: [1]\nb: !!set\n  ? b\n  ? c\n",
        b"a: |\n  x &&\n  \ty\n  z!\n\n  \tw",
        b'!a "b": 1',
        b'!a "b\n c"',
    ],
)
def test_what_yaml_allows_is_read(source: bytes) -> None:
    refuse_heaps(source)
    parse(source)


def test_a_look_at_usual_marks_finds_what_the_whole_pattern_finds() -> None:
    rng = random.Random("marks")
    parts = [
        b"!",
        b"&",
        b"!!",
        b"a",
        b"b ",
        b" ",
        b"\n",
        b"\n  ",
        b"<",
        b">",
        b"]",
        b"}",
        b",",
        b"[",
    ]
    parts += [
        b"#",
        b"# c\n",
        b"...\n",
        b"---\n",
        b"%",
        b"x: ",
        b"- ",
        b"\t",
        b"!t ",
        b"&a ",
        b"!<x> ",
    ]
    alone = 0
    for _ in range(20_000):
        text = b"".join(rng.choices(parts, k=rng.randrange(1, 14)))
        for pattern in (yaml_properties._ALONE, yaml_properties._ALONE_BEHIND_ENDS):
            whole, start = pattern.match(text), yaml_properties._unusual(text)
            assert whole is not None
            assert yaml_properties._end(pattern, text, start) == whole.end(), text
        alone += start == len(text) and (b"!" in text or b"&" in text)
    assert alone > 1000


def test_the_check_is_linear() -> None:
    many = [b"! ! x ", b"!a #" + b"c" * 50 + b"\n", b"&" * 60 + b" ", b"&a!b!", b"!<a ", b"x&y "]
    many += [b'!a "', b"!a '", b'!a "\\"', b"!a '''", b"\n...\n", b"\n--- #\n", b"&a\n\n"]
    many += [b"!", b"&!", b"!a\n?\n", b"[]\n!a\n? x\n", b"...\n!a x\n"]
    for text in many:
        with suppress(DocumentSyntax):
            refuse_heaps(text * 100_000)
        with suppress(DocumentSyntax):
            refuse_heaps((text + b"k ") * 20_000)
