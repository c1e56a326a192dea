"""A container looked at in runs is the container looked at whole."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from redline.core.errors import DocumentSyntax, RedlineError
from redline.documents.json.document import JsonDocument
from tests.documents.writers import paths_of, random_data, write
from tests.support import LONG

FORMS = ["json", "jsonc", "json5"]
ROUNDS = 10_000 if LONG else 300
BROKEN = [b",", b"[", b"]", b"}", b":", b'"', b"'", b"/*", b"//", b"1", b"a", b"\\", b"\n", b",,"]


def made(form: str, rng: random.Random) -> tuple[Any, bytes]:
    """Containers with more members than a small run takes, deep ones and long strings."""
    data = random_data(rng, 3)
    data["list"] = [_item(rng) for _ in range(rng.randrange(30))]
    data["deep"] = [[[[[[{"x": [1, [2]]}, 3]]], 4]], {"y": {"z": {"a": {"b": {"c": 1}}}}}]
    data["flat"] = {f"k{n}": _item(rng) for n in range(rng.randrange(30))}
    data["long"] = rng.choice(["lorem [", "\n", "é", '"', "'"]) * rng.randrange(200)
    return data, write(form, data, rng)


def _item(rng: random.Random) -> Any:
    return rng.choice([1, "two", {"three": 3}, [], [4, [5]], {"k1": "k2"}, "a], [b", 1.5])


@pytest.mark.parametrize("form", FORMS)
def test_every_node_is_found_where_it_is(form: str) -> None:
    rng = random.Random(f"runs {form}")
    for _ in range(ROUNDS // 10):
        data, source = made(form, rng)
        whole = JsonDocument(source, form)
        cut = JsonDocument(source, form, piece=rng.choice([1, 8, 40, 200]))
        for path in paths_of(data):
            assert cut.get(path) == whole.get(path), (source, path)
            near = (*path, rng.choice(["new", "k1", "", 0, -1, 5]))
            assert _found(cut, near) == _found(whole, near), (source, near)


def _found(document: JsonDocument, path: tuple[Any, ...]) -> Any:
    try:
        return document.get(path)
    except RedlineError as error:
        return str(error), error.hint


@pytest.mark.parametrize("form", FORMS)
def test_edits_in_runs_end_as_edits_of_the_whole(form: str) -> None:
    rng = random.Random(f"edits {form}")
    ends: Counter[bool] = Counter()
    for _ in range(ROUNDS):
        data, source = made(form, rng)
        path = rng.choice(list(paths_of(data)))
        if rng.random() < 0.4:
            path = (*path, rng.choice(["new", "", 0, 1, -1, 2]))
        action = rng.choice(["set", "insert", "delete"])
        value = rng.choice(["1", '{"a": [1, 2]}', "[", '"x"'])
        piece = rng.choice([1, 8, 40, 200])
        whole = _edited(JsonDocument(source, form, whole=1 << 20), action, path, value)
        for check in (-1, 100, 1 << 20):
            document = JsonDocument(source, form, whole=check, piece=piece)
            assert _edited(document, action, path, value) == whole, (source, action, path, value)
        ends[isinstance(whole, bytes)] += 1
    assert min(ends.values()) > ROUNDS // 5, ends


def _edited(document: JsonDocument, action: str, path: tuple[Any, ...], value: str) -> Any:
    try:
        if action == "delete":
            return document.delete(path).after
        return getattr(document, action)(path, value).after
    except RedlineError as error:
        return type(error)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_refused_whole_is_refused_in_runs(form: str) -> None:
    rng = random.Random(f"broken {form}")
    ends: Counter[bool] = Counter()
    for _ in range(ROUNDS * 5):
        _, source = made(form, rng)
        at = rng.randrange(len(source))
        source = source[:at] + rng.choice(BROKEN) + source[at + rng.randrange(3) :]
        whole = _refusal(source, form, 1 << 20)
        assert _refusal(source, form, rng.choice([1, 8, 40, 200])) == whole, source
        ends[whole is None] += 1
    assert min(ends.values()) > ROUNDS // 5, ends


def _refusal(source: bytes, form: str, piece: int) -> str | None:
    try:
        JsonDocument(source, form, piece=piece)
    except DocumentSyntax as error:
        return error.message
    return None


@pytest.mark.parametrize(
    "source",
    [
        b"[,1]",
        b"[1,,2]",
        b"[[1] 2]",
        b"[[1],,]",
        b"{a:[1] b:2}",
        b"{a:[1],,}",
        b"{,a:1}",
        b"{a:[1}]",
        b"[[[[[1]]]]",
        b"[[[[[1]]]]]]",
        b"{a: 1, b: [[[[[1",
        b"[1, [[[[[[[1]",
        b"[1, {a: {b: {c: {d: {e: 'x",
        b"[[[[[1]]]]] 2",
        b"[[[[[1]]]]] /*",
        b"/* [[[[[1]]]]]",
        b"{'a':{b:{c:{d:{e:{f:1}}}}} 'g':1}",
        b"{a:{b:{c:{d:{e:{f:1}}}}},g}",
        b"{a b:{c:{d:{e:{f:{g:1}}}}}}",
        b"['" + b"x" * 50 + b"\n" + b"x" * 50 + b"']",
    ],
)
def test_no_comma_or_bracket_is_forgiven_between_runs(source: bytes) -> None:
    for piece in (1, 4, 16):
        with pytest.raises(DocumentSyntax):
            JsonDocument(source, "json5", piece=piece)


def test_a_name_that_is_there_twice_is_seen_in_any_run() -> None:
    for form, key in (("json", b'"k5"'), ("jsonc", b'"\\u006b5"'), ("json5", b"'k\\x35'")):
        members = b", ".join(b'"k%d": %d' % (n, n) for n in range(30))
        source = b"{" + members + b", " + key + b": 7}"
        found = JsonDocument(source, form, piece=32).get(("k5",))
        assert (found.text, found.notes) == ("7", JsonDocument(source, form).get(("k5",)).notes)
        assert "2 times" in found.notes[0]


@pytest.mark.parametrize("form", FORMS)
def test_names_with_quotes_escapes_and_surrogates_are_found_in_a_large_object(form: str) -> None:
    names = ['q"t', "b\\s", "t\tab", "é", "", "type", "\ud800"]
    data = {name: n for n, name in enumerate(names)}
    if form != "json5":
        document = JsonDocument(json.dumps(data, indent=1).encode(), form, piece=8)
        for name, n in data.items():
            assert document.get((name,)).text == str(n)
    source = json.dumps({name: n for name, n in data.items() if name != "\ud800"}).encode()
    document = JsonDocument(source, form, piece=8)
    for n, name in enumerate(names[:-1]):
        assert document.set((name,), "77").after == source.replace(b": %d" % n, b": 77")
    with pytest.raises(RedlineError):
        document.get(("\ud800",))


def test_a_long_string_of_json5_is_validated_in_parts() -> None:
    for inner in (b"x" * 300, b"\\u00e9" * 100, "é漢".encode() * 100, b"\\\n" * 90, b"ab\\'" * 99):
        source = b"{a: '" + inner + b"', b: 1}"
        assert JsonDocument(source, "json5", piece=32).get(("b",)).text == "1"
        assert JsonDocument(source, "json5", piece=32).get(("a",)).data == b"'" + inner + b"'"
    for bad in (b"\\u00g0", b"\\x1", b"\n", b"\\1"):
        source = b"{a: '" + b"x" * 100 + bad + b"x" * 100 + b"', b: 1}"
        with pytest.raises(DocumentSyntax):
            JsonDocument(source, "json5", piece=32)
