"""Patterns with possessive groups mean the same in the form for older interpreters."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.documents.base import possessive
from redline.documents.base.possessive import compile_pattern, with_atomic_groups
from tests.support import REPO

STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
COMMENTED = rb'(?:[^"/]++|' + STRING + rb"|/(?![/*]))*+(//[^\r\n]*+|/\*.*?\*/)"


def test_groups_with_a_possessive_quantifier_are_made_atomic_and_nothing_else() -> None:
    assert with_atomic_groups(rb"(?:a|b)*+") == rb"(?:(?>a|b))*+"
    assert with_atomic_groups(rb"(?:a(?:b)?+)++(c)[)*+(?:]\)*+") == (
        rb"(?:(?>a(?:(?>b))?+))++(c)[)*+(?:]\)*+"
    )
    assert with_atomic_groups(rb"(?:a|b)*(?=c)(d)?+") == rb"(?:a|b)*(?=c)(?:(?>(d)))?+"


@settings(max_examples=300)
@given(st.text(alphabet='a"\\/*\n ', max_size=20).map(str.encode))
@pytest.mark.skipif(not possessive.SOUND, reason="the plain form is wrong on this interpreter")
def test_both_forms_find_the_same(source: bytes) -> None:
    plain = re.compile(COMMENTED, re.DOTALL).match(source)
    atomic = re.compile(with_atomic_groups(COMMENTED), re.DOTALL).match(source)
    assert (plain and plain.regs) == (atomic and atomic.regs)


def test_this_interpreter_finds_a_comment_behind_text_and_strings() -> None:
    found = compile_pattern(COMMENTED, re.DOTALL).match(b'{\n "a//": "b", // c\n}')
    assert found is not None
    assert found[1] == b"// c"


def test_no_module_of_documents_compiles_possessive_groups_by_itself() -> None:
    seen = 0
    source = Path(REPO, "src")
    for path in sorted((source / "redline/documents").rglob("*.py")):
        module = import_module(".".join(path.relative_to(source).with_suffix("").parts))
        for name in re.findall(r"^(\w+) = re\.compile\(", path.read_text(), re.MULTILINE):
            pattern = getattr(module, name).pattern
            raw = (
                pattern if isinstance(pattern, bytes) else pattern.encode("utf-8", "surrogatepass")
            )
            assert with_atomic_groups(raw) == raw, f"{path.name}: {name} needs possessive.compiled"
            seen += 1
    assert seen
