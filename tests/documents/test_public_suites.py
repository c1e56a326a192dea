"""JSONTestSuite, json5-tests and toml-test: valid files are editable, invalid ones refused."""

from __future__ import annotations

import json
from typing import Any

import pyjson5
import pytest

from redline.core.errors import DocumentSyntax, RedlineError
from redline.documents.formats import open_document
from redline.documents.json.document import JsonDocument
from redline.documents.toml.document import TomlDocument
from redline.documents.toml.verify import parse
from tests.documents.writers import paths_of
from tests.support import need_data


def test_json_files_are_accepted_and_refused_as_the_suite_says() -> None:
    files = sorted((need_data("JSONTestSuite") / "test_parsing").glob("*.json"))
    assert len(files) > 300
    wrong = []
    for file in files:
        try:
            JsonDocument(file.read_bytes())
            accepted = True
        except DocumentSyntax:
            accepted = False
        if {"y": True, "n": False}.get(file.name[0], accepted) != accepted:
            wrong.append(file.name)
    assert wrong == []


@pytest.mark.parametrize("form", ["json", "jsonc"])
def test_every_value_of_every_valid_json_file_can_be_set_alone(form: str) -> None:
    tried = 0
    for file in sorted((need_data("JSONTestSuite") / "test_parsing").glob("[yi]_*.json")):
        source = file.read_bytes()
        try:
            document = JsonDocument(source, form)
            data = json.loads(source.decode("utf-8-sig"))
        except (RedlineError, ValueError, RecursionError):
            continue
        for path in paths_of(data):
            found = document.get(path)
            if found.notes:
                continue
            edit = document.set(path, '{"new": 1.50}')
            before, after = source[: found.start], source[found.end :]
            assert edit.after == before + b'{"new": 1.50}' + after, (file.name, path)
            tried += 1
    assert tried > 150


def test_json5_files_are_accepted_and_refused_as_the_suite_says() -> None:
    wrong, edited = [], 0
    for file in sorted(need_data("json5-tests").rglob("*.*")):
        kind = file.suffix
        if kind not in (".json", ".json5", ".js", ".txt"):
            continue
        source = file.read_bytes()
        try:
            document = JsonDocument(source, "json5")
        except RedlineError:
            if kind in (".json", ".json5"):
                wrong.append(file.name)
            continue
        if kind in (".js", ".txt"):
            wrong.append(file.name)
            continue
        for path in paths_of(document.data()):
            if document.get(path).notes:
                continue
            edit = document.set(path, "[0xF, 'new']")
            value: Any = pyjson5.decode(edit.after.decode())
            for step in path:
                value = value[step]
            assert value == [15, "new"], (file.name, path)
            edited += 1
    assert wrong == []
    assert edited > 80


def test_toml_1_0_files_are_accepted_and_refused_as_the_suite_says() -> None:
    base = need_data("toml-test") / "tests"
    listed = (base / "files-toml-1.0.0").read_text().split()
    wrong, edited, refused = [], 0, []
    for name in listed:
        if not name.endswith(".toml"):
            continue
        source = (base / name).read_bytes()
        try:
            document = TomlDocument(source)
        except RedlineError:
            if name.startswith("valid"):
                wrong.append(name)
            continue
        if name.startswith("invalid"):
            wrong.append(name)
            continue
        done, no = _set_everything(document)
        edited += done
        refused += [f"{name}: {path}" for path in no]
    assert wrong == []
    assert edited > 700
    assert refused == []


def _set_everything(document: TomlDocument) -> tuple[int, list[str]]:
    """How many values were set right, and the paths of scalars and arrays that were refused."""
    done, refused = 0, []
    for path in paths_of(document.data()):
        found = document.get(path)
        if found.kind == "mapping" or not path:
            continue
        try:
            after = document.set(path, '"new"').after
        except RedlineError:
            if not found.text.startswith("[["):
                refused.append(str(path))
            continue
        value = parse(after)
        for step in path:
            value = value[step]
        assert value == "new", path
        assert after == (
            document.source[: found.start] + b'"new"' + document.source[found.end :]
        ), path
        done += 1
    return done, refused


def test_sniffing_finds_the_format_of_every_valid_json_file() -> None:
    for file in sorted((need_data("JSONTestSuite") / "test_parsing").glob("y_*.json")):
        source = file.read_bytes()
        from redline.documents.formats import sniff

        form = sniff(source)
        assert open_document(source, form).data() is not ...
