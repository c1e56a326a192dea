"""What the parser is given for its own opinion: quick looks say what the slow ones say."""

from __future__ import annotations

import os
import random

import pytest

from redline.core.errors import DocumentSyntax
from redline.documents import yaml_native, yaml_view
from tests.documents.test_yaml_brackets import nested

ROUNDS = 60_000 if os.environ.get("REDLINE_LONG") == "1" else 4_000
LINES = ["k: |", "- k: |", "k: >-", "- - k: |", "k: |2", "k:", "- a", "a: 1", "!e!x y", "a !e!x b"]
LINES += ["k: !e!x 1", "- !e!x 1", 'k: "a', '  b"', "k: 'a", "  b' ", "[a, !e!x b]", "", "# k: |"]
LINES += ["!e!x k: |", "&a k: |", "? k", ": v", "k: [a,", "  !e!x b]", "it's", "---", "k.l-m: |+"]
KEYS = ["? [a, 1]\n: v", "? {a: b}\n: [1]", "? [a, [b]]\n: v", "? [a\n  , b]\n: v", "k: v", "? k"]
KEYS += [
    "? [it's]\n: v",
    "? [a] # c\n: v",
    "j: |\n  ? [b]\n  : c",
    "? [d]",
    "? [e]\n:",
    "l: 'a\n  ? [b]'",
]
KEYS += ["m:\n  ? [b, c]\n  : v", "?  [f]\n:  ? [g]\n   : 1", "n:\n- ? [h]\n  : v", "? []\n: v"]


def some_lines(rng: random.Random, lines: list[str]) -> bytes:
    """Lines at various columns."""
    picked = [" " * rng.choice([0, 0, 2, 2, 4, 6]) + rng.choice(lines) for _ in range(8)]
    return ("\n".join(picked[: rng.randrange(1, 9)]) + "\n").encode()


def test_handles_in_texts_are_passed_over_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random("handles")
    passed = 0
    quick = yaml_view._without_texts
    for _ in range(ROUNDS):
        text = b"top:\n" + some_lines(rng, LINES)
        try:
            with monkeypatch.context() as patch:
                patch.setattr(yaml_native, "undeclared_handle", lambda _: None)
                yaml_native.parse(text)
        except DocumentSyntax:
            continue
        found = yaml_view.undeclared_handle(text)
        with monkeypatch.context() as patch:
            patch.setattr(yaml_view, "_without_texts", lambda text: text)
            assert yaml_view.undeclared_handle(text) == found, text
        passed += found is None and b"!e!" in text and b"!e!" not in quick(text)
    assert passed > ROUNDS // 200


def test_simple_collections_as_keys_are_read_as_all_others_are() -> None:
    rng = random.Random("keys")
    simple = 0
    for _ in range(ROUNDS):
        text = ("\n".join(["top: 1", *rng.choices(KEYS, k=rng.randrange(1, 6)), ""])).encode()
        flat = yaml_view._without_flat_keys(text)
        if nested(text.decode()) < 0:
            continue
        slow = yaml_view.without_collection_keys(text)
        assert yaml_view.without_collection_keys(flat) == slow, text
        simple += flat != text
    assert simple > ROUNDS // 50
