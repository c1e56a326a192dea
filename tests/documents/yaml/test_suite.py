"""yaml-test-suite: every valid case x every addressable node x seven kinds of value."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from redline.core.errors import RedlineError
from redline.documents.yaml import strict
from redline.documents.yaml.edit.document import YamlDocument
from tests.documents.suites import documents_of, places, replaced, same, yaml_cases

TWO = [(("val", "k", True), ("val", "v", True)), (("val", "l", True), ("val", "w", True))]
VALUES: dict[str, Any] = {
    "hello world": ("val", "hello world", True),
    '"it\'s: #1"': ("val", "it's: #1", False),
    "42": ("val", "42", True),
    "~": ("val", "~", True),
    "[1, two]": ("seq", [("val", "1", True), ("val", "two", True)]),
    "|\n  one\n  two": ("val", "one\ntwo\n", False),
    "k: v\nl: w": ("map", TWO),
}


@pytest.mark.requirement("yaml-lossless")
def test_sets_on_every_valid_case_are_exact_or_refused() -> None:
    counts: Counter[str] = Counter()
    for case in yaml_cases():
        documents = documents_of(case.tree) if case.tree is not None else []
        if len(documents) != 1:
            continue
        for path in places(documents[0]):
            for value, wanted in VALUES.items():
                outcome = _set(case.source, path, value)
                if outcome is None:
                    counts["refused"] += 1
                    continue
                (found,) = strict.parse(outcome)
                expected = replaced(documents[0], path, wanted)
                assert same(found, expected), (case.name, path, value, outcome)
                counts["exact"] += 1
    total = counts["exact"] + counts["refused"]
    assert total > 6500
    assert counts["exact"] / total >= 0.98, counts


def _set(source: bytes, path: tuple[Any, ...], value: str) -> bytes | None:
    try:
        return YamlDocument(source).set(path, value).after
    except RedlineError:
        return None


@pytest.mark.requirement("yaml-parse-error")
def test_every_invalid_case_is_refused() -> None:
    invalid = [case for case in yaml_cases() if case.tree is None]
    accepted = []
    for case in invalid:
        try:
            YamlDocument(case.source)
        except RedlineError:
            continue
        accepted.append(case.name)
    assert len(invalid) > 80
    assert accepted == []


def test_streams_of_several_documents_are_right_or_refused() -> None:
    tried = 0
    for case in yaml_cases():
        documents = documents_of(case.tree) if case.tree is not None else []
        if len(documents) < 2:
            continue
        for index, document in enumerate(documents):
            for path in places(document):
                try:
                    edit = YamlDocument(case.source, index).set(path, "42")
                except RedlineError:
                    continue
                shapes = strict.parse(edit.after)
                wanted = [*documents]
                wanted[index] = replaced(document, path, VALUES["42"])
                assert len(shapes) == len(wanted), (case.name, index, path)
                for actual, expected in zip(shapes, wanted, strict=True):
                    assert same(actual, expected), (case.name, index, path, edit.after)
                tried += 1
    assert tried > 50
