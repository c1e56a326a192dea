"""The native parser reads what the standard library reads; edits are verified or refused."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from redline.core.errors import CannotApply, DocumentSyntax, NestsTooDeep, TooLarge
from redline.core.splice import Splice
from redline.documents.base import model
from redline.documents.base.model import DocumentEdit
from redline.documents.toml import document, verify
from redline.documents.toml.document import TomlDocument
from redline.documents.toml.engine.index import TomlIndex
from redline.documents.toml.verify import TomlIntent, TomlVerifier, as_text, parse_slowly
from tests.documents.mutations import mutate
from tests.documents.writers import random_data, write
from tests.support import LONG, need_data

ROUNDS = 20_000 if LONG else 400


def suite() -> list[bytes]:
    base = need_data("toml-test") / "tests"
    names = (base / "files-toml-1.0.0").read_text().split()
    return [(base / name).read_bytes() for name in names if name.endswith(".toml")]


def test_both_parsers_read_every_suite_file_alike() -> None:
    accepted = 0
    for source in suite():
        try:
            TomlIndex(source)
            native = _either(source, native=True)
        except (DocumentSyntax, UnicodeDecodeError):
            continue
        assert native == _either(source, native=False), source
        accepted += native is not None
    assert accepted > 190


def test_both_parsers_read_mutated_documents_alike() -> None:
    rng = random.Random("two parsers")
    files = [source for source in suite() if len(source) < 3000]
    ends: Counter[bool] = Counter()
    for _ in range(ROUNDS * 2):
        base = rng.choice([rng.choice(files), write("toml", random_data(rng, 2), rng)])
        source = mutate(base, rng)
        try:
            TomlIndex(source)
            native = _either(source, native=True)
        except (DocumentSyntax, UnicodeDecodeError):
            continue
        assert native == _either(source, native=False), source
        ends[native is not None] += 1
    assert min(ends[True], ends[False]) > ROUNDS // 10, ends


def _either(source: bytes, *, native: bool) -> str | None:
    """What a parser reads, types and all, or None."""
    import toml_rs

    if not native:
        try:
            return repr(parse_slowly(source, as_text))
        except DocumentSyntax:
            return None
    text = source.decode("utf-8-sig")
    try:
        return repr(toml_rs.loads(text, parse_float=as_text, toml_version="1.0.0"))
    except ValueError:
        return None


CHILD = """
import random, sys
import toml_rs
from redline.core.errors import DocumentSyntax
from redline.documents.toml.engine.index import TomlIndex
rng = random.Random("bomb")
PIECES = ["a", "=", " = ", ".", ",", "[", "]", "{", "}", '"', "'", '\"\"\"', "'''", "#", "\\n", " ",
          "\\r", "\\r\\n", "\\\\", "1", "b = 1\\n", "a = [\\n", '"x"', "'y'", "[a]\\n", "\\x0b"]
BOMB = "[" * 20_000
seen = 0
for _ in range(int(sys.argv[1])):
    pieces = rng.choices(PIECES, k=rng.randrange(1, 12))
    pieces.insert(rng.randrange(len(pieces) + 1), BOMB)
    if rng.random() < 0.7:
        pieces = ["a = ["] * rng.randrange(2) + ['"'] + pieces + ['"'] + ["]"] * rng.randrange(2)
    text = "".join(pieces)
    try:
        TomlIndex(text.encode())
    except DocumentSyntax:
        continue
    seen += 1
    try:
        toml_rs.loads(text, toml_version="1.0.0")
    except ValueError:
        pass
print(seen)
"""


def test_what_the_scanner_lets_through_does_not_exhaust_the_native_parser() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(ROUNDS * 10)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > ROUNDS // 10


@pytest.mark.parametrize("depth", [3, 4, 64, 65, 190])
def test_brackets_of_any_allowed_depth_are_read_and_set(depth: int) -> None:
    source = b"x = 1\na = " + b"[" * depth + b"]" * depth + b" # c\n[t]\nb = 1\n"
    assert TomlDocument(source).set(("t", "b"), "2").after == source[:-2] + b"2\n"
    after = TomlDocument(source).set(("a", *(0,) * (depth - 1)), "'x'").after
    assert after == source.replace(b"[]", b"'x'")


SOURCE = b"a = 1\nt.x = 1\n\n[s]\nb = [1, 2]\n"


@pytest.mark.parametrize(
    ("splices", "intent"),
    [
        ([Splice(4, 5, b"2")], TomlIntent("set", ("a",), "3")),
        ([Splice(4, 5, b"true")], TomlIntent("set", ("a",), "1")),
        ([Splice(4, 5, b"2"), Splice(12, 13, b"2")], TomlIntent("set", ("a",), "2")),
        ([Splice(4, 5, b"2\nz = 1")], TomlIntent("set", ("a",), "2")),
        ([Splice(4, 5, b"[")], TomlIntent("set", ("a",), "2")),
        ([Splice(0, 6, b"")], TomlIntent("delete", ("t",))),
        ([Splice(0, 0, b"z = 1\n")], TomlIntent("insert", ("s", "z"), "1")),
        ([Splice(4, 5, b"2")], TomlIntent("set", ("a", "b"), "2")),
    ],
)
def test_an_edit_that_does_something_else_is_refused(
    splices: list[Splice], intent: TomlIntent
) -> None:
    with pytest.raises(CannotApply):
        TomlVerifier(SOURCE, 3).check(DocumentEdit.of(SOURCE, splices), intent)


def test_an_edit_that_does_what_is_intended_is_accepted() -> None:
    verifier = TomlVerifier(SOURCE, 3)
    for splices, intent in [
        ([Splice(4, 5, b"2")], TomlIntent("set", ("a",), "2")),
        ([Splice(0, 6, b"")], TomlIntent("delete", ("a",))),
        ([Splice(0, 0, b"z = 1\n")], TomlIntent("insert", ("z",), "1")),
    ]:
        verifier.check(DocumentEdit.of(SOURCE, splices), intent)


@pytest.mark.requirement("docs-limits")
def test_a_key_of_thousands_of_parts_reaches_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers are replaced by something that fails the test when it is called."""

    def parser(*_: Any, **__: Any) -> None:
        pytest.fail("a parser was called")

    key = ".".join(["a"] * 30_000)
    monkeypatch.setattr(verify, "parse_slowly", parser)
    monkeypatch.setattr(document, "parse_slowly", parser)
    monkeypatch.setattr(verify._toml_rs, "loads", parser)
    for source in (f"{key} = 1\n", f"[{key}]\n", f"[[{key}]]\n", f"x = {{ {key} = 1 }}\n"):
        with pytest.raises(NestsTooDeep):
            TomlDocument(source.encode())
    monkeypatch.undo()
    monkeypatch.setattr(document, "parse_slowly", parser)
    with pytest.raises(CannotApply, match="deep"):
        TomlDocument(b"x = 1\n").set(("x",), f"{{ {key} = 1 }}")


@pytest.mark.requirement("docs-limits")
def test_a_document_over_the_limit_is_refused_with_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model, "MAX_PARSED_BYTES", 1 << 20)
    with pytest.raises(TooLarge, match="larger than 1 MB"):
        TomlDocument(b"a = 1\n" * 200_000)
