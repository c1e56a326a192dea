"""A document that nobody holds is gone at once: no ring of references waits for the collector."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator

import pytest

from redline.documents.base.model import Document
from redline.documents.base.path import parse_path
from redline.documents.formats import open_document

ROWS = range(3000)
SOURCES = {
    "yaml": "".join(f"k{n}:\n  a: [1, two]\n" for n in ROWS),
    "toml": "".join(f"[k{n}]\na = [1, 'two']\n" for n in ROWS),
    "json": "{\n" + ",\n".join(f'"k{n}": {{"a": [1, 2]}}' for n in ROWS) + "}\n",
    "jsonc": "{\n" + ", // b\n".join(f'"k{n}": {{"a": [1, 2]}}' for n in ROWS) + "}\n",
    "json5": "{\n" + ", // b\n".join(f"k{n}: {{a: [+1, 'two',]}}" for n in ROWS) + "}\n",
}
ACTIONS: dict[str, Callable[[Document], object]] = {
    "get": lambda document: document.get(parse_path("k7.a")),
    "set": lambda document: document.set(parse_path("k7.a"), "[3]"),
    "insert": lambda document: document.insert(parse_path("k7.a[0]"), "3"),
    "delete": lambda document: document.delete(parse_path("k7.a[0]")),
}


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("form", SOURCES)
def test_nothing_keeps_the_bytes_of_a_document(form: str, action: str) -> None:
    source = SOURCES[form].encode()
    held = sys.getrefcount(source)
    document = open_document(source, form)
    ACTIONS[action](document)
    assert sys.getrefcount(source) > held
    del document
    assert sys.getrefcount(source) == held
