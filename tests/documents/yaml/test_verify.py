"""An edit of YAML is accepted only when old and new, parsed whole, differ as intended."""

from __future__ import annotations

from typing import Any

import pytest

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.yaml import strict
from redline.documents.yaml.verify import Where, YamlVerifier

SOURCE = b"a: 1\nb:\n  - x\n  - y\nt: !t {k: 1}\n3.10: z\n---\nc: .nan\n"


def at(*steps: bytes | int, document: int = 0) -> Where:
    return Where(document, steps)


def edited(old: bytes, new: bytes) -> bytes:
    assert SOURCE.count(old) == 1
    return SOURCE.replace(old, new)


@pytest.mark.parametrize(
    ("after", "where", "value"),
    [
        (edited(b"a: 1", b"a: 2"), at(b"a"), 2),
        (edited(b"- y", b"- [y]"), at(b"b", 1), ["y"]),
        (edited(b"3.10: z", b"3.10: w"), at(b"3.10"), "w"),
        (edited(b"{k: 1}", b"{k: 2}"), at(b"t", b"k"), 2),
        (edited(b".nan", b"1"), at(b"c", document=1), 1),
    ],
)
def test_a_value_that_alone_changed_is_accepted(after: bytes, where: Where, value: Any) -> None:
    YamlVerifier(SOURCE).check_set(after, where, [value])


@pytest.mark.parametrize(
    ("after", "where", "value"),
    [
        (edited(b"a: 1", b"a: 2"), at(b"a"), 3),
        (edited(b"a: 1", b"a: true"), at(b"a"), 1),
        (edited(b"a: 1", b"a: '1'"), at(b"a"), 1),
        (edited(b"a: 1", b"a: 2\nz: 3"), at(b"a"), 2),
        (edited(b"a: 1\nb:\n  - x", b"a: 2\nb:\n  - w"), at(b"a"), 2),
        (edited(b"a: 1", b"a: 2").replace(b"!t ", b""), at(b"a"), 2),
        (edited(b"{k: 1}", b"{k: 2}").replace(b"!t", b"!u"), at(b"t", b"k"), 2),
        (edited(b"a: 1", b"a: 2").replace(b"3.10", b"3.1 "), at(b"z"), 2),
        (edited(b"a: 1", b"a: 2").replace(b".nan", b".inf"), at(b"a"), 2),
        (edited(b"a: 1", b"a: 2") + b"---\n", at(b"a"), 2),
        (edited(b"a: 1", b"a: ["), at(b"a"), []),
        (edited(b"a: 1", b"a: *no"), at(b"a"), None),
        (edited(b"  - x\n", b""), at(b"b", 1), "y"),
        (SOURCE, at(b"no"), 1),
        (SOURCE, at(b"b", 5), 1),
        (SOURCE, at(b"a", document=7), 1),
    ],
)
def test_a_set_that_does_something_else_is_refused(after: bytes, where: Where, value: Any) -> None:
    with pytest.raises(CannotApply):
        YamlVerifier(SOURCE).check_set(after, where, [value])


def test_an_entry_is_added_alone() -> None:
    verifier = YamlVerifier(SOURCE)
    verifier.check_added(edited(b"3.10: z\n", b"3.10: z\nn: 1\n"), at(b"n"), [1])
    verifier.check_added(edited(b"  - x\n", b"  - x\n  - w\n"), at(b"b", 1), ["w"])
    for after, where in [
        (edited(b"3.10: z\n", b"3.10: w\nn: 1\n"), at(b"n")),
        (edited(b"3.10: z\n", b"3.10: z\nn: 1\nm: 1\n"), at(b"n")),
        (edited(b"3.10: z\n", b"3.10: z\n'a': 1\n"), at(b"'a'")),
        (edited(b"  - x\n", b"  - w\n  - 1\n"), at(b"b", 1)),
    ]:
        with pytest.raises(CannotApply):
            verifier.check_added(after, where, [1])


def test_an_entry_is_removed_alone() -> None:
    verifier = YamlVerifier(SOURCE)
    verifier.check_removed(edited(b"a: 1\n", b""), at(b"a"))
    verifier.check_removed(edited(b"{k: 1}", b"{}"), at(b"t", b"k"))
    for after, where in [
        (edited(b"a: 1\n", b""), at(b"b", 0)),
        (edited(b"  - x\n  - y\n", b"  - x\n"), at(b"b", 0)),
        (edited(b"!t {k: 1}", b"{}"), at(b"t", b"k")),
    ]:
        with pytest.raises(CannotApply):
            verifier.check_removed(after, where)


def test_aliases_are_values_of_their_own() -> None:
    source = b"a: &x [1]\nb: *x\nc: ['*x', a *x b]\n*x : d\n"
    (document,) = strict.parse(source)
    assert strict.alias_name(document["b"]) == "x"
    assert strict.original_text(document["c"][1]) == "a *x b"
    assert [strict.alias_name(key) for key in document][-1] == "x"
    after = source.replace(b"[1]", b"[2]")
    YamlVerifier(source).check_set(after, at(b"a"), [[2]])


@pytest.mark.parametrize("source", [b"a: &x *x\n", b"a: !t *x\n", b"a: *x\n"])
def test_an_alias_without_an_anchor_or_with_marks_is_refused(source: bytes) -> None:
    with pytest.raises(DocumentSyntax):
        YamlVerifier(source)
