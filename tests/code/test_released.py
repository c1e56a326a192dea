"""What a resolver reads for an answer is garbage once the resolver is dropped."""

from __future__ import annotations

import gc

import pytest

from redline.code.c.chunks import Chunk
from redline.code.references.file_access import SourceFiles
from redline.code.references.resolver import ReferenceResolver
from redline.code.references.typed.units import Unit
from redline.code.registry import TYPED_LANGUAGES, resolver_of
from redline.services.code.reference_search import collect_cycles
from tests.code.marked import Make, Sample

SOURCES = {
    "c": ("shop.c", "int price(int n) { return n; } // it\nint a = price(1); // ref\n"),
    "go": ("shop.go", "package a\nfunc price() int { return 1 } // it\nvar b = price() // ref\n"),
    "java": (
        "Shop.java",
        "class Shop {\n int price; // it\n int f() { return price; } // ref\n}\n",
    ),
    "rust": ("lib.rs", "fn price() {} // it\nfn f() { price(); } // ref\n"),
}


def _kept() -> list[object]:
    return [one for one in gc.get_objects() if isinstance(one, (Unit, Chunk))]


def _make(language: str) -> Make:
    def made(name: str, files: SourceFiles) -> ReferenceResolver:
        found = resolver_of(language, name, files)
        assert found is not None
        return found

    return made


@pytest.mark.parametrize("language", sorted(TYPED_LANGUAGES))
def test_nothing_keeps_a_files_names_or_tree_after_the_answer(language: str) -> None:
    """The worker that answers lives on: a cache beyond one resolver would grow with each."""
    name, text = SOURCES[language]
    gc.collect()
    before = len(_kept())

    gc.disable()  # what is left is not to be collected by chance
    try:
        with collect_cycles():
            bound, _ = Sample({name: text}).found("price", _make(language))
        left = len(_kept())
    finally:
        gc.enable()

    assert bound == Sample({name: text}).marked("ref")
    assert left == before
