"""Tags and anchors before a node: as many as YAML allows, and a refusal instead of a crash."""

from __future__ import annotations

import subprocess
import sys

import pytest

from redline.documents.yaml_properties import refuse_heaps
from redline.documents.yaml_verify import parse

HEAPS = [
    b"&a !!map\n&b !!st-\n&c !!map\n&d !!str k: v",
    b"&a !!map\n&b !!st-\n!!c k: v",
    b"!a\n!b\n!c\n!d\n!e\n!f x",
    b"!a # one\n# two\n!b\n!c k: v",
    b"- [!a !b !c x]",
    b"x: &a &b &c 1",
]
PARSE = """
import sys
from redline.core.errors import DocumentSyntax
from redline.documents.yaml_verify import parse
try:
    parse(sys.stdin.buffer.read())
except DocumentSyntax as refusal:
    print(refusal.message)
"""


@pytest.mark.parametrize("source", HEAPS)
def test_a_heap_of_properties_is_refused_and_the_process_lives(source: bytes) -> None:
    # In a process of its own: without the check the parser may take this one down.
    done = subprocess.run([sys.executable, "-c", PARSE], input=source, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"too many tags or anchors" in done.stdout


@pytest.mark.parametrize(
    "source",
    [
        b"&a !!map\n&b !!str k: v",
        b"- !a &b x\n- !c &d y\n- !e z",
        b"k: !a 1\nl: !b 2\nm: !c 3",
        b"t: |\n  wait! and then! and now!\n",
        b"[!a x, !b y, !c z]",
        b"---\n!a\n---\n!b\n---\n!c x",
    ],
)
def test_what_yaml_allows_is_read(source: bytes) -> None:
    refuse_heaps(source)
    parse(source)


def test_the_check_is_linear() -> None:
    for text in (b"! " * 2 + b"x ", b"!a #" + b"c" * 50 + b"\n", b"&" * 60 + b" "):
        refuse_heaps((text + b"k ") * 20_000)
