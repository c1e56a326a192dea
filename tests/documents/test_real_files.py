"""Files of other projects on this machine: read, edited, and read by other parsers afterwards."""

from __future__ import annotations

import json
import random
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.core.errors import RedlineError
from redline.documents.base.model import Document
from redline.documents.formats import open_document
from tests.documents.judges import NotRead, Npm, npm_yaml, py_reads
from tests.documents.writers import paths_of
from tests.support import LONG, NODE_MODULES, REPO, need

ROOTS = [
    REPO / "tests",
    Path(sys.prefix),
    NODE_MODULES,
    Path("/usr/share"),
    Path("/usr/lib"),
    Path.home() / ".cache",
]
MAX_SIZE = 200_000
FILES = 100_000 if LONG else 60
EDITS = 3
VALUES = {
    "yaml": ["9.9", '"quoted # text"', "some words", "[1, {a: b}]", "k: v\nl: [w]", "- x\n- y: z"],
    "json": ["9.9", '"quoted"', "[1, {}]", '{"k": "v"}', "null"],
    "toml": ["9.9", '"quoted"', "[1, 2]", "{ k = 'v' }", "true"],
}
VALUES["yaml"].append("|\n  one\n  two\n")


def found(*names: str) -> Iterator[bytes]:
    """The content of files with such names, each once, in an order that is always the same."""
    paths: set[Path] = set()
    for root in ROOTS if LONG else ROOTS[:3]:
        paths |= {path for name in names for path in root.rglob(name)}
    ordered = sorted(paths)
    random.Random("files").shuffle(ordered)
    seen: set[bytes] = set()
    for path in ordered:
        try:
            data = path.read_bytes() if path.stat().st_size <= MAX_SIZE else b""
        except OSError:
            continue
        if data.strip() and data not in seen:
            seen.add(data)
            yield data


class Tally:
    """What became of files and edits."""

    def __init__(self) -> None:
        self.files = self.edits = 0
        self.refused: list[Any] = []
        self.refused_edits: list[Any] = []

    def judge(self) -> None:
        """At most 2 of 1,000 refused, of files and of edits."""
        need(self.files > 10, "files of other projects (make node)")
        assert len(self.refused) <= self.files * 0.002, self.refused[:5]
        assert len(self.refused_edits) <= self.edits * 0.002, self.refused_edits[:5]


def edits_of(source: bytes, form: str, tally: Tally) -> Iterator[tuple[Any, str, bytes]]:
    """Some edits of one file: path, value (empty for a removal) and the file afterwards."""
    try:
        document: Document = open_document(source, form)
        paths = [path for path in paths_of(document.data()) if path]
    except RedlineError as error:
        tally.refused.append((error.message, source[:300]))
        return
    rng = random.Random(source)
    for path in rng.sample(paths, min(EDITS, len(paths))):
        value = rng.choice(["", *VALUES[form]])
        try:
            document = open_document(source, form)
            edit = document.set(path, value) if value else document.delete(path)
        except RedlineError as error:
            if not is_by_rule(error, form):
                tally.refused_edits.append((error.message, path, value, source[:300]))
            continue
        tally.edits += 1
        yield path, value, edit.after


def is_by_rule(error: RedlineError, form: str) -> bool:
    """Whether the edit cannot be done: aliases, duplicate keys, TOML tables with own lines."""
    words = ("alias", "anchor", "times;", "table", "dotted")
    return any(word in error.message for word in words[: 5 if form == "toml" else 3])


def at(value: Any, path: Any) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.requirement("docs-yaml-others-read")
def test_yaml_that_both_judges_read_is_edited_and_read_by_both_afterwards() -> None:
    tally = Tally()
    with npm_yaml() as npm:
        for source in found("*.yml", "*.yaml"):
            try:
                text = source.decode("utf-8-sig")
                npm.value(text)
            except (UnicodeDecodeError, NotRead):
                continue
            if not py_reads(text):
                continue
            tally.files += 1
            for path, value, after in edits_of(source, "yaml", tally):
                require_read(npm, path, value, after.decode("utf-8-sig"))
            if tally.files >= FILES:
                break
    tally.judge()


def require_read(npm: Npm, path: Any, value: str, after: str) -> None:
    assert py_reads(after), (path, value, after[:300])
    read = npm.value(after, path if value else ())
    if value:
        assert read in [npm.value(text) for text in (value, value.rstrip())], (path, value)


def test_json_is_edited_and_read_afterwards() -> None:
    tally = Tally()
    for source in found("*.json"):
        try:
            data = json.loads(source.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            continue
        tally.files += 1
        for path, value, after in edits_of(source, "json", tally):
            read = json.loads(after.decode("utf-8-sig"))
            assert not value or at(read, path) == json.loads(value), path
            assert value or read != data, path
        if tally.files >= FILES:
            break
    tally.judge()


def test_toml_is_edited_and_read_afterwards() -> None:
    tally = Tally()
    for source in found("*.toml", "*.lock"):
        try:
            tomllib.loads(source.decode())
        except (ValueError, RecursionError):
            continue
        tally.files += 1
        for path, value, after in edits_of(source, "toml", tally):
            read = tomllib.loads(after.decode())
            assert not value or at(read, path) == tomllib.loads(f"x = {value}")["x"], path
        if tally.files >= FILES:
            break
    tally.judge()
