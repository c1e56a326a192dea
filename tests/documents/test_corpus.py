"""Real-world YAML files in all their forms: one value changes, nothing else, 0 wrong."""

from __future__ import annotations

import random
from typing import Any

import pytest

from redline.core.errors import RedlineError
from redline.documents.yaml.edit.document import YamlDocument
from tests.documents.corpus import files, forty_thousand_lines, variants
from tests.documents.oracle import agrees
from tests.documents.writers import paths_of
from tests.support import LONG

EACH = 60 if LONG else 20
PATHS = 1000 if LONG else 3
LARGE = 60 if LONG else 1


def leaves(document: YamlDocument) -> list[tuple[Any, ...]]:
    """Paths of scalars that are no aliases."""
    return [path for path in paths_of(document.data()) if document.get(path).kind == "scalar"]


def change_one(source: bytes, index: int, path: tuple[Any, ...], value: str) -> bytes:
    """The file after a set; the bytes outside the value's slice must be the old ones."""
    document = YamlDocument(source, index)
    found = document.get(path)
    edit = document.set(path, value)
    tail = len(source) - found.end
    assert edit.after[: found.start] == source[: found.start], path
    if found.data[:1] not in (b"|", b">"):
        assert edit.after[len(edit.after) - tail :] == source[found.end :], path
        assert edit.after == source[: found.start] + value.encode() + source[found.end :], path
    return edit.after


@pytest.mark.requirement("yaml-lossless", "yaml-bytes-kept")
@pytest.mark.parametrize(
    "kind", ["workflow", "compose", "kubernetes", "openapi", "helm", "ansible"]
)
def test_sets_on_real_files_change_one_value_in_every_form(kind: str) -> None:
    count = 0
    for name, plain in files(EACH):
        if not name.startswith(kind):
            continue
        rng = random.Random(name)
        for form, source in variants(plain):
            document = YamlDocument(source)
            places = leaves(document)
            for path in rng.sample(places, min(PATHS, len(places))):
                value = rng.choice(["9.9.9", '"quoted # text"', "some words", "42"])
                after = change_one(source, 0, path, value)
                assert agrees(source, after, value.strip('"')), (name, form, path)
                count += 1
    assert count > 8 * EACH


@pytest.mark.requirement("yaml-bytes-kept")
@pytest.mark.parametrize(
    "kind", ["workflow", "compose", "kubernetes", "openapi", "helm", "ansible"]
)
def test_copies_of_forty_thousand_lines_are_no_different(kind: str) -> None:
    done = 0
    for name, plain in files(LARGE):
        if not name.startswith(kind):
            continue
        source = forty_thousand_lines(plain)
        assert source.count(b"\n") >= 40_000
        for form, copy in variants(source) if LONG else [("plain", source)]:
            done += change_in_copies(name, form, plain, copy)
    assert done >= 2


def change_in_copies(name: str, form: str, plain: bytes, source: bytes) -> int:
    """Set two values two thirds down a file of copies; how many were set."""
    rng = random.Random(name + form)
    each = plain.count(b"\n---") + 1
    is_stream = each > 1
    copies = (source.count(b"\n---") + 1) // each if is_stream else source.count(b"- copy:")
    index = copies * 2 // 3 * each if is_stream else 0
    document = YamlDocument(source, index)
    places = leaves(YamlDocument(plain))
    for path in rng.sample(places, min(2, len(places))):
        where = path if is_stream else (copies * 2 // 3, "copy", *path)
        found = document.get(where)
        after = document.set(where, "42").after
        if found.data[:1] not in (b"|", b">"):
            assert after == source[: found.start] + b"42" + source[found.end :], (name, form, path)
        assert YamlDocument(after, index).get(where).text == "42", (name, form, path)
    return min(2, len(places))


def test_every_collection_of_a_real_file_can_be_replaced_and_deleted() -> None:
    refused, done = [], 0
    for name, source in files(20 if LONG else 4):
        document = YamlDocument(source)
        for path in paths_of(document.data()):
            if not path or document.get(path).kind == "alias" or document.get(path).notes:
                continue
            for action in ("set", "delete"):
                try:
                    document = YamlDocument(source)
                    edit = document.set(path, "[new]") if action == "set" else document.delete(path)
                except RedlineError as error:
                    if "alias" not in error.message:
                        refused.append((name, path, action, error.message))
                    continue
                kept = [line for line in source.split(b"\n") if b"# --" in line]
                assert action == "delete" or all(line in edit.after for line in kept)
                done += 1
    assert done > 200
    assert len(refused) <= done // 100, refused[:5]
