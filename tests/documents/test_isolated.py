"""Documents handled in a worker: the same answers, and no native parser in this process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.core.errors import CannotApply, DocumentSyntax, InvalidArgument, NodeNotFound, TooLarge
from redline.core.ports.confined import Confined
from redline.documents import editing, isolated
from redline.documents.base import model
from redline.documents.editing import DocEdit, Options
from redline.documents.formats import open_document
from redline.documents.isolated import DocumentSource
from redline.settings import Settings
from redline.wiring.workspace import Redline

SOURCES = {
    "a.yaml": b"# c\nk: {a: 1}\nl: [x]\n",
    "a.toml": b"# c\nk = { a = 1 }\nl = ['x']\n",
    "a.json5": b"{k: {a: 1}, l: ['x'],}\n",
    "a.jsonc": b'{"k": {"a": 1}, "l": ["x"]} // c\n',
    "a.json": b'{"k": {"a": 1}, "l": ["x"]}\n',
    "no-name": b"k:\n  a: 1\nl: [x]\n",
}
EDITS = [
    DocEdit("set", ("k", "a"), "2"),
    DocEdit("insert", ("l", 0), "[3]"),
    DocEdit("delete", ("k",)),
]


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Confined]:
    folder = tmp_path_factory.mktemp("workspace")
    settings = Settings(workspace=str(folder), state_dir=str(folder / "state"), allow_any_root=True)
    with Redline(settings) as redline:
        yield redline.confined


@pytest.mark.parametrize("name", SOURCES)
def test_a_worker_answers_what_the_engine_answers(workers: Confined, name: str) -> None:
    source = SOURCES[name]
    form = isolated.detect(workers, name, source)
    mine = isolated.apply_edits(workers, name, source, EDITS, Options())
    assert mine == editing.apply_edits(name, source, EDITS, Options())
    document = DocumentSource(source, form)
    assert isolated.read(workers, document, ("k", "a")) == open_document(source, form).get(
        ("k", "a")
    )
    assert isolated.read_value(workers, document, ("l",)) == ["x"]
    assert isolated.named_schema(workers, document) is None


def test_a_refusal_keeps_its_kind_its_place_and_its_hint(workers: Confined) -> None:
    with pytest.raises(DocumentSyntax) as syntax:
        isolated.read(workers, DocumentSource(b"a: 1\nb: [\n", "yaml"), ())
    assert syntax.value.line is not None
    with pytest.raises(NodeNotFound) as missing:
        isolated.read(workers, DocumentSource(b"port: 1\n", "yaml"), ("prot",))
    assert "port" in str(missing.value.hint)
    edit = DocEdit("set", ("a",), "@daily")
    with pytest.raises(CannotApply) as refused:
        isolated.apply_edits(workers, "a.yaml", b"a: 1\n", [edit], Options())
    assert '"@daily"' in str(refused.value.hint)
    with pytest.raises(InvalidArgument):
        isolated.read(workers, DocumentSource(b"a: 1\n", "yaml", 3), ())


@pytest.mark.parametrize("name", SOURCES)
def test_a_value_that_is_not_there_is_refused_by_its_path(workers: Confined, name: str) -> None:
    document = DocumentSource(SOURCES[name], isolated.detect(workers, name, SOURCES[name]))
    for path in (("no",), ("k", "no"), ("l", 9), ("l", 0, 0), ("k", "a", "b"), ("l", "a")):
        with pytest.raises(NodeNotFound):
            isolated.read_value(workers, document, path)


def test_keys_that_are_one_number_to_the_parser_are_not_confused(workers: Confined) -> None:
    document = DocumentSource(b"1: a\ntrue: b\nx: c\n", "yaml")
    for path in ((), ("1",), ("true",), ("x",)):
        with pytest.raises(CannotApply, match="cannot be read apart: 1, true, x"):
            isolated.read_value(workers, document, path)
    twice = DocumentSource(b"1: a\n1: b\n", "yaml")
    assert isolated.read_value(workers, twice, ()) == {"1": "b"}


@pytest.mark.requirement("docs-limits")
@pytest.mark.parametrize("name", ["a.yaml", "a.toml", "a.json5", "no-name"])
def test_what_is_over_the_limit_is_not_even_sent(
    name: str, workers: Confined, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MAX_PARSED_BYTES", 1 << 20)
    source = b"# text\n" * 200_000
    with pytest.raises(TooLarge, match="larger than 1 MB"):
        isolated.apply_edits(workers, name, source, EDITS, Options())


PROGRAM = """
import sys
from redline.wiring.workspace import Redline
from redline.documents import isolated as confined
from redline.documents.isolated import DocumentSource
from redline.documents.editing import DocEdit, Options
from redline.documents.json.operations import JsonOp
from redline.services.instructions import read_document
from redline.settings import Settings
sources = {"a.yaml": b"k: 1\\n", "a.toml": b"k = 1\\n", "a.json5": b"{k: 1}", "x": b"k = 1\\n"}
with Redline(Settings(workspace=sys.argv[1], allow_any_root=True)) as redline:
    for name, source in sources.items():
        edits = [DocEdit("set", ("k",), "2"), DocEdit("insert", ("n",), "[3]")]
        confined.apply_edits(redline.confined, name, source, edits, Options())
        form = confined.detect(redline.confined, name, source)
        confined.read(redline.confined, DocumentSource(source, form), ("k",))
        confined.named_schema(redline.confined, DocumentSource(source, form))
        read_document(redline.confined, source, form)
        steps = [JsonOp("replace", "/k", "2"), JsonOp("rename", "/k", "m")]
        changed = confined.apply_steps(redline.confined, DocumentSource(source, form), steps)
        assert b"m" in changed and b"2" in changed, changed
print(*sorted({"yaml12", "toml_rs", "pyjson5"} & set(sys.modules)))
"""


@pytest.mark.requirement("docs-parsers-killable")
def test_native_parsers_are_loaded_in_the_worker_alone(tmp_path: Path) -> None:
    done: Any = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr[-500:]
