"""The native parser says what the standard library says, and parts say what the whole says."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from redline.core.errors import CannotApply, DocumentSyntax, RedlineError
from redline.core.splice import Splice
from redline.documents.model import Edit
from redline.documents.query import paths_of
from redline.documents.toml_check import Checked, load
from redline.documents.toml_doc import TomlDocument
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_read import Intent, as_spelled, read
from tests.documents.suites import folder
from tests.documents.test_fuzz import mutate
from tests.documents.writers import random_data, write

ROUNDS = 20_000 if os.environ.get("REDLINE_LONG") == "1" else 400
NAMES = ["a", "b", "c", '"a"', "'b'", "a.b", "a.a", "b.c", "a.b.c", 'a."b"']
VALUES = ["1", '"x"', "[1, 2]", "{ a = 1 }", "[{ b = 1 }]", '"""\n[a]\n"""', "[\n  [1], # [\n]"]


def sections(rng: random.Random) -> bytes:
    """Sections whose few names meet in every way, allowed or not."""
    lines: list[str] = []
    for _ in range(rng.randrange(1, 7)):
        if lines or rng.random() < 0.7:
            mark = rng.choice(["[{}]", "[{}]", "[[{}]]", "  [{}] # c", "[[ {} ]]"])
            lines += rng.choice([[], [""], ["# about"]])
            lines.append(mark.format(rng.choice(NAMES)))
        for _ in range(rng.randrange(3)):
            lines.append(f"{rng.choice(NAMES)} = {rng.choice(VALUES)}")
    return ("\n".join(lines) + rng.choice(["\n", ""])).encode()


def suite() -> list[bytes]:
    base = folder("toml-test") / "tests"
    names = (base / "files-toml-1.0.0").read_text().split()
    return [(base / name).read_bytes() for name in names if name.endswith(".toml")]


def outcome(source: bytes, part: int) -> bool:
    """Whether the document is accepted when cut into parts of at least *part* bytes."""
    try:
        Checked(TomlIndex(source), part)
    except (DocumentSyntax, UnicodeDecodeError):
        return False
    return True


def verdict(source: bytes, edit: Edit, intent: Intent, part: int) -> bool:
    """Whether an edit is let through."""
    try:
        Checked(TomlIndex(source), part).verify(edit, intent)
    except (CannotApply, UnicodeDecodeError):
        return False
    return True


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
            return repr(read(source, as_spelled, native=False))
        except DocumentSyntax:
            return None
    text = source.decode("utf-8-sig")
    try:
        return repr(toml_rs.loads(text, parse_float=as_spelled, toml_version="1.0.0"))
    except ValueError:
        return None


def test_parts_accept_every_suite_file_that_the_whole_accepts_and_no_other() -> None:
    files = suite()
    rng = random.Random("joined")
    joined = [b"\n".join(rng.sample(files, 2)) for _ in range(ROUNDS)]
    ends: Counter[bool] = Counter()
    for source in [*files, *joined]:
        whole = outcome(source, 1 << 30)
        assert outcome(source, 1) == whole, source
        ends[whole] += 1
    assert min(ends[True], ends[False]) > 30, ends


def test_parts_accept_meeting_sections_as_the_whole_does() -> None:
    rng = random.Random("meeting")
    ends: Counter[bool] = Counter()
    for _ in range(ROUNDS * 4):
        source = sections(rng)
        whole = outcome(source, 1 << 30)
        assert outcome(source, rng.choice([1, 20])) == whole, source
        ends[whole] += 1
    assert min(ends[True], ends[False]) > ROUNDS // 10, ends


def test_an_edit_verified_in_parts_is_one_the_whole_verifies() -> None:
    """Right edits, right edits with a wrong intent, and arbitrary splices."""
    rng = random.Random("verdicts")
    ends: Counter[bool] = Counter()
    for _ in range(ROUNDS * 6):
        source = sections(rng)
        try:
            data = load(source)
        except DocumentSyntax:
            continue
        found = _any_edit(source, data, rng)
        if found is None:
            continue
        edit, intent = found
        whole = verdict(source, edit, intent, 1 << 30)
        assert verdict(source, edit, intent, rng.choice([1, 20])) == whole, (edit, intent)
        ends[whole] += 1
    assert min(ends[True], ends[False]) > ROUNDS // 4, ends


def _any_edit(source: bytes, data: Any, rng: random.Random) -> tuple[Edit, Intent] | None:
    path = rng.choice(list(paths_of(data))[1:] or [()])
    if not path:
        return None
    value = rng.choice(VALUES)
    action = rng.choice(["set", "set", "insert", "delete"])
    intent = Intent(action, path, value)
    document = TomlDocument(source)
    if rng.random() < 0.5:
        return _odd_edit(document, intent, rng)
    try:
        if action == "delete":
            edit = document.delete(path)
        elif action == "set":
            edit = document.set(path, value)
        else:
            path = (*path, rng.choice(["c", 0])) if rng.random() < 0.7 else ("c",)
            intent = Intent(action, path, value)
            edit = document.insert(path, value)
    except RedlineError:
        return None
    if rng.random() < 0.2:
        intent = Intent(intent.action, ("a", 0, "b"), intent.fragment)
    return edit, intent


def _odd_edit(
    document: TomlDocument, intent: Intent, rng: random.Random
) -> tuple[Edit, Intent] | None:
    """A splice no engine would make, often with an intent it seems to carry out."""
    source = document.source
    at = rng.choice([0, rng.randrange(len(source) + 1)])
    if rng.random() < 0.5:
        path = rng.choice([("a",), ("c", "b"), ("b", "b")])
        text = f"{'.'.join(path)} = 1\n"
        return Edit.of(source, [Splice(at, at, text.encode())]), Intent("insert", path, "1")
    try:
        found = document.get(intent.path)
    except RedlineError:
        # Both parsers let a dotted key reach into the last item of an array of tables; we do not.
        return None
    if found.kind != "scalar":
        return None
    breaks = [i for i, byte in enumerate(source) if byte == 0x0A]
    at = rng.choice(breaks or [0])
    text = rng.choice(["", "", "\n\n", "# c\n", " "])
    edit = Edit.of(source, [Splice(at, at + 1, text.encode())])
    return edit, Intent("set", intent.path, found.text)


def test_a_large_file_is_edited_in_parts_as_it_would_be_whole() -> None:
    tables = b"".join(b"[t%d]\nn = %d\n\n" % (i, i) for i in range(200))
    items = b"".join(b"[[p]]\nn = %d\n[p.s]\nm = 1\n\n" % i for i in range(200))
    source = b"top = 1\n\n" + tables + items
    for path in [("t150", "n"), ("p", 0, "n"), ("p", -1, "s", "m"), ("p", 120, "n"), ("top",)]:
        done = [TomlDocument(source, part=part).set(path, "[9]").after for part in (300, 1 << 30)]
        assert done[0] == done[1] != source
        edit = TomlDocument(source).set(path, "[9]")
        exact = tuple(199 if step == -1 else step for step in path)
        checked = Checked(TomlIndex(source), 300)
        assert checked._parts is not None
        assert checked._parts.agree(edit.splices, Intent("set", exact, "[9]"))
    for path in [("p", 77), ("t3",), ("t9", "n")]:
        done = [TomlDocument(source, part=part).delete(path).after for part in (300, 1 << 30)]
        assert done[0] == done[1] != source
    for path in [("new",), ("p", 200), ("p", 60), ("p", 3, "s", "x"), ("t1", "x")]:
        done = [
            TomlDocument(source, part=part).insert(path, "{ n = 1 }").after
            for part in (300, 1 << 30)
        ]
        assert done[0] == done[1] != source


CHILD = """
import random, sys
import toml_rs
from redline.core.errors import DocumentSyntax
from redline.documents.toml_index import TomlIndex
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
