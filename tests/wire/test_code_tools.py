"""The code toolset over the wire, on both transports."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect

TRANSPORTS_TAKE_TURNS = True

EDIT = "ai_code_editing.edit_file"
CONTEXT = "ai_code_editing.get_code_context"
CALCULATIONS = """\"\"\"Sums.\"\"\"

import os
import sys


LIMIT = 100


def first(xs):
    return xs[0]


def old_sum_function(arr):
    total = 0
    for x in arr:
        total += x
    return total
    # end


def last(xs):
    return xs[-1]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "utils.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "src" / "calculations.py").write_text(CALCULATIONS)
    return tmp_path


Start = Callable[..., Client]


@pytest.fixture
def start(root: Path, transport: str) -> Iterator[Start]:
    clients: list[Client] = []

    def go(*args: str) -> Client:
        client = connect(transport, list(args) or ["--tools", "code,history"], cwd=root)
        clients.append(client)
        return client

    yield go
    for client in clients:
        client.close()


def _good(reply: dict[str, Any]) -> dict[str, Any]:
    result = reply["result"]
    assert not result.get("isError"), result
    structured: dict[str, Any] = result["structuredContent"]
    assert structured["status"] == "success"
    return structured


def _bad(reply: dict[str, Any], code: str) -> dict[str, Any]:
    result = reply["result"]
    assert result["isError"] is True, result
    structured: dict[str, Any] = result["structuredContent"]
    assert structured["status"] == "failure"
    assert structured["code"] == code, structured
    assert structured["error"]
    assert structured["message"]
    assert "file_path" in structured
    return structured


def _edit(client: Client, file: str, **arguments: Any) -> dict[str, Any]:
    arguments.setdefault("edit_instruction", "change it")
    return client.call(EDIT, {"target_file": file, **arguments})


@pytest.mark.requirement("code-names")
@pytest.mark.parametrize(
    "name", [EDIT, "ai_edit_code", "ai_code_editing_edit_file"], ids=lambda n: n
)
def test_the_edit_tool_answers_to_its_names(start: Start, root: Path, name: str) -> None:
    client = start()
    listed = [tool["name"] for tool in client.request("tools/list", {})["result"]["tools"]]
    assert EDIT in listed
    assert CONTEXT in listed
    arguments = {"target_file": "src/utils.py", "edit_instruction": "add", "code_block": "x = 1"}
    _good(client.call(name, arguments))
    assert (root / "src/utils.py").read_text().endswith("\nx = 1\n")


@pytest.mark.requirement("code-schema")
def test_the_schema_has_the_parameters_of_the_seed(start: Start) -> None:
    tools = start().request("tools/list", {})["result"]["tools"]
    schema = next(tool for tool in tools if tool["name"] == EDIT)["inputSchema"]
    assert schema["required"] == ["target_file", "edit_instruction"]
    types = {key: schema["properties"][key]["type"] for key in schema["properties"]}
    assert types["start_line"] == types["end_line"] == "integer"
    assert types["code_block"] == "string"
    assert schema["properties"]["edit_type"]["enum"] == ["insert", "replace", "delete"]


@pytest.mark.requirement("code-example-insert", "code-output", "code-default-insert")
@pytest.mark.parametrize("given", [{"edit_type": "insert"}, {}], ids=["explicit", "inferred"])
def test_the_first_example_of_the_seed(start: Start, root: Path, given: dict[str, str]) -> None:
    answer = _good(
        start().call(
            EDIT,
            {
                "target_file": "src/utils.py",
                "edit_instruction": "Add a new Python function called 'greet' that takes a name "
                "and prints a greeting.",
                "code_block": 'def greet(name):\n  print(f"Hello, {name}!")',
                **given,
            },
        )
    )
    after = 'def add(a, b):\n    return a + b\ndef greet(name):\n  print(f"Hello, {name}!")\n'
    assert (root / "src/utils.py").read_text() == after
    assert answer["file_path"] == "src/utils.py"
    assert answer["message"].startswith("File updated successfully.")
    assert answer["diff"].startswith("--- a/src/utils.py\n+++ b/src/utils.py\n@@ ")
    assert "+def greet(name):\n" in answer["diff"]
    assert answer["file_hash"] == hashlib.sha256(after.encode()).hexdigest()


@pytest.mark.requirement("code-example-replace", "code-default-replace")
@pytest.mark.parametrize("given", [{"edit_type": "replace"}, {}], ids=["explicit", "inferred"])
def test_the_second_example_of_the_seed(start: Start, root: Path, given: dict[str, str]) -> None:
    _good(
        start().call(
            EDIT,
            {
                "target_file": "src/calculations.py",
                "edit_instruction": "Replace the old_sum_function with a more efficient version.",
                "start_line": 15,
                "end_line": 20,
                "code_block": "def new_sum_function(arr):\n  return sum(arr)",
                **given,
            },
        )
    )
    lines = CALCULATIONS.splitlines(keepends=True)
    lines[14:20] = ["def new_sum_function(arr):\n", "  return sum(arr)\n"]
    assert (root / "src/calculations.py").read_text() == "".join(lines)


@pytest.mark.requirement("code-delete")
def test_lines_are_deleted(start: Start, root: Path) -> None:
    _good(_edit(start(), "src/utils.py", edit_type="delete", start_line=2, end_line=2))
    assert (root / "src/utils.py").read_text() == "def add(a, b):\n"


@pytest.mark.requirement("code-text")
def test_the_text_is_the_json_of_the_answer(start: Start) -> None:
    client = start()
    made = _edit(client, "src/utils.py", code_block="name = '\u2603'")["result"]
    failed = _edit(client, "src/none.py", code_block="x = 1")["result"]
    lost = client.call(CONTEXT, {"file": "none.py"})["result"]
    for result in (made, failed, lost):
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert failed["structuredContent"]["code"] == "FILE_NOT_FOUND"
    assert "\u2603" in made["content"][0]["text"]


@pytest.mark.requirement("code-file-not-found")
def test_a_missing_file_is_not_found(start: Start, root: Path) -> None:
    answer = _bad(_edit(start(), "src/none.py", code_block="x"), "FILE_NOT_FOUND")
    assert answer["file_path"] == "src/none.py"
    assert not (root / "src/none.py").exists()


@pytest.mark.requirement("code-permission-denied")
def test_paths_that_may_not_be_written_are_denied(start: Start, root: Path) -> None:
    client = start()
    outside = root.parent / "outside.py"
    outside.write_text("x = 1\n")
    (root / "link.py").symlink_to(outside)
    for path in ("../outside.py", str(outside), str(root / "src/utils.py"), "link.py"):
        _bad(_edit(client, path, code_block="y"), "PERMISSION_DENIED")
    assert outside.read_text() == "x = 1\n"


@pytest.mark.requirement("code-edit-conflict", "code-context-gathered")
def test_lines_that_changed_since_the_context_call_conflict(start: Start, root: Path) -> None:
    client = start()
    file = root / "src/utils.py"
    _good(client.call(CONTEXT, {"symbol": "add"}))
    file.write_text("def add(a, b):\n    return a - b\n")
    answer = _bad(
        _edit(client, "src/utils.py", start_line=2, code_block="    return 0"), "EDIT_CONFLICT"
    )
    assert "changed at line 2" in answer["error"]
    assert file.read_text() == "def add(a, b):\n    return a - b\n"


@pytest.mark.requirement("code-edit-conflict")
@pytest.mark.parametrize("reader", ["files", "coding"])
def test_lines_that_changed_since_read_file_conflict(start: Start, root: Path, reader: str) -> None:
    client = start("--tools", f"{reader},code")
    file = root / "src/utils.py"
    path = str(file) if reader == "files" else "src/utils.py"
    assert "result" in client.call("read_file", {"path": path})
    file.write_text("def add(a, b):\n    return a - b\n")
    _bad(_edit(client, "src/utils.py", start_line=2, code_block="    return 0"), "EDIT_CONFLICT")
    assert file.read_text() == "def add(a, b):\n    return a - b\n"


@pytest.mark.requirement("code-edits-are-no-context")
def test_lines_of_a_file_that_was_only_edited_are_taken_as_they_are(
    start: Start, root: Path
) -> None:
    client = start()
    file = root / "src/utils.py"
    edit = {"start_line": 2, "end_line": 2}
    _good(_edit(client, "src/utils.py", **edit, code_block="    return 0"))
    file.write_text("one\ntwo\n    return 0\n")
    _good(_edit(client, "src/utils.py", **edit, code_block="2"))
    assert file.read_text() == "one\n2\n    return 0\n"


@pytest.mark.requirement("code-edit-conflict")
def test_lines_that_changed_since_the_answer_of_an_edit_conflict(start: Start, root: Path) -> None:
    client = start()
    file = root / "src/utils.py"
    _good(client.call(CONTEXT, {"symbol": "add"}))
    _good(_edit(client, "src/utils.py", start_line=2, code_block="    return 0"))
    file.write_text("def add(a, b):\n    return 1\n")
    _bad(_edit(client, "src/utils.py", start_line=2, code_block="    return 2"), "EDIT_CONFLICT")


@pytest.mark.requirement("code-edit-conflict")
def test_lines_that_moved_since_the_context_call_are_followed(start: Start, root: Path) -> None:
    client = start()
    file = root / "src/utils.py"
    _good(client.call(CONTEXT, {"file": "src/utils.py"}))
    file.write_text("import os\n\n" + file.read_text())
    answer = _good(_edit(client, "src/utils.py", start_line=2, code_block="    return 0"))
    assert "corrected" in answer["message"]
    assert file.read_text() == "import os\n\ndef add(a, b):\n    return 0\n"


@pytest.mark.requirement("code-parallel")
def test_edits_that_are_sent_together_are_all_made(start: Start, root: Path) -> None:
    client = start()
    names = [f"value_{n}" for n in range(8)]
    started = []
    for name in names:
        arguments = {"target_file": "src/utils.py", "edit_instruction": "add a constant"}
        params = {"name": EDIT, "arguments": {**arguments, "code_block": f"{name} = 1"}}
        started.append(client.start("tools/call", params))
    for each in started:
        _good(client.finish(each))
    lines = (root / "src/utils.py").read_text().splitlines()
    assert sorted(lines[2:]) == [f"{name} = 1" for name in names]


@pytest.mark.requirement("code-expected")
def test_expected_text_and_hash_guard_an_edit(start: Start, root: Path) -> None:
    client = start()
    file = root / "src/utils.py"
    before = file.read_text()
    edit = {"start_line": 1, "code_block": "    return 1"}
    _bad(_edit(client, "src/utils.py", **edit, expected_text="    return x"), "EDIT_CONFLICT")
    _bad(_edit(client, "src/utils.py", **edit, expected_hash="0" * 64), "EDIT_CONFLICT")
    assert file.read_text() == before
    good = hashlib.sha256(before.encode()).hexdigest()
    answer = _good(
        _edit(client, "src/utils.py", **edit, expected_text="    return a + b", expected_hash=good)
    )
    assert "corrected" in answer["message"]
    assert file.read_text() == "def add(a, b):\n    return 1\n"


@pytest.mark.requirement("code-twice")
@pytest.mark.parametrize(
    "edit",
    [
        {"start_line": 10, "end_line": 14, "code_block": "def total(arr):\n    return sum(arr)"},
        {"code_block": "x = 1"},
        {"edit_type": "delete", "start_line": 3, "end_line": 4},
        {"edit_instruction": "delete line 3"},
    ],
    ids=["replace", "insert", "delete", "order"],
)
def test_an_edit_sent_twice_changes_nothing_and_says_so(
    start: Start, root: Path, edit: dict[str, Any]
) -> None:
    client = start()
    _good(_edit(client, "src/calculations.py", **edit))
    once = (root / "src/calculations.py").read_bytes()
    answer = _good(_edit(client, "src/calculations.py", **edit))
    assert "nothing was changed" in answer["message"]
    assert (root / "src/calculations.py").read_bytes() == once
    version = {"expected_hash": hashlib.sha256(once).hexdigest()}
    _good(_edit(client, "src/calculations.py", **edit, **version))
    assert (root / "src/calculations.py").read_bytes() != once


@pytest.mark.requirement("code-invalid-input")
@pytest.mark.parametrize(
    "arguments",
    [
        {"target_file": "src/utils.py"},
        {"edit_instruction": "x"},
        {"target_file": "src/utils.py", "edit_instruction": "x", "start_line": "one"},
        {"target_file": "src/utils.py", "edit_instruction": "x", "edit_type": "move"},
        {"target_file": "src/utils.py", "edit_instruction": "x", "code_block": 3},
        {"target_file": "src/utils.py", "edit_instruction": "x", "end_line": 1, "code_block": "y"},
        {"target_file": "src", "edit_instruction": "x", "code_block": "y"},
        {
            "target_file": "src/utils.py",
            "edit_instruction": "x",
            "start_line": 2,
            "end_line": 9,
            "code_block": "y",
        },
    ],
    ids=lambda a: ",".join(a),
)
def test_malformed_calls_are_invalid_input(
    start: Start, root: Path, arguments: dict[str, Any]
) -> None:
    before = (root / "src/utils.py").read_bytes()
    _bad(start().call(EDIT, arguments), "INVALID_INPUT")
    assert (root / "src/utils.py").read_bytes() == before


@pytest.mark.requirement("code-no-stub")
def test_what_would_need_invention_asks_for_the_code(start: Start, root: Path) -> None:
    reply = _edit(start(), "src/utils.py", edit_instruction="Add a function that sums two numbers")
    assert "pass code_block" in _bad(reply, "INVALID_INPUT")["message"]
    assert (root / "src/utils.py").read_text() == "def add(a, b):\n    return a + b\n"


@pytest.mark.requirement("code-create")
def test_a_file_is_created_only_when_asked_for(start: Start, root: Path) -> None:
    client = start()
    _bad(_edit(client, "new/a.py", code_block="x = 1"), "FILE_NOT_FOUND")
    assert not (root / "new").exists()
    answer = _good(_edit(client, "new/a.py", code_block="x = 1", create=True))
    assert answer["diff"].startswith("--- /dev/null\n+++ b/new/a.py\n")
    assert (root / "new/a.py").read_text() == "x = 1\n"
    _good(_edit(client, "b.py", edit_instruction="Create a new file b.py", code_block="y = 1"))
    assert (root / "b.py").read_text() == "y = 1\n"


@pytest.mark.requirement("code-dry-run")
def test_a_dry_run_shows_the_diff_and_writes_nothing(start: Start, root: Path) -> None:
    answer = _good(_edit(start(), "src/utils.py", code_block="x = 1", dry_run=True))
    assert "+x = 1\n" in answer["diff"]
    assert "operation" not in answer
    assert (root / "src/utils.py").read_text() == "def add(a, b):\n    return a + b\n"


@pytest.mark.requirement("code-syntax-guard")
def test_a_new_syntax_error_is_reported_and_with_strict_refused(start: Start, root: Path) -> None:
    client = start()
    broken = {"code_block": "def f(:\n    pass"}
    answer = _bad(_edit(client, "src/utils.py", **broken, strict=True), "INVALID_INPUT")
    assert "line 3" in answer["error"]
    assert (root / "src/utils.py").read_text() == "def add(a, b):\n    return a + b\n"
    answer = _good(_edit(client, "src/utils.py", **broken))
    assert "line 3: " in answer["message"]
    assert "def f(:" in answer["message"]


@pytest.mark.requirement("code-syntax-guard")
def test_the_server_can_be_strict_for_every_call(start: Start, root: Path) -> None:
    client = start("--tools", "code", "--strict-syntax")
    _bad(_edit(client, "src/utils.py", code_block="def f(:"), "INVALID_INPUT")
    assert (root / "src/utils.py").read_text() == "def add(a, b):\n    return a + b\n"


@pytest.mark.requirement("code-symbol")
def test_a_symbol_says_where(start: Start, root: Path) -> None:
    client = start()
    _good(
        _edit(client, "src/calculations.py", symbol="first", code_block="def first(xs): return 0")
    )
    _good(_edit(client, "src/calculations.py", symbol="last", edit_type="delete"))
    _good(
        _edit(
            client,
            "src/calculations.py",
            symbol="old_sum_function",
            edit_type="insert",
            edit_instruction="before it",
            code_block="X = 1",
        )
    )
    text = (root / "src/calculations.py").read_text()
    assert "def first(xs): return 0\n\n\nX = 1\ndef old_sum_function" in text
    assert "last" not in text


@pytest.mark.requirement("code-unknown-place")
def test_an_insert_at_a_place_that_is_not_understood_is_refused(start: Start, root: Path) -> None:
    client = start()
    for instruction in (
        "Add a check before the return statement",
        "Insert it in the loop",
        "Add a method to Shelf",
        "Put it after the third function",
        "two lines below add",
        "around add()",
    ):
        reply = _edit(client, "src/utils.py", edit_instruction=instruction, code_block="x = 1")
        refused = _bad(reply, "INVALID_INPUT")["message"]
        assert "names a place that is not understood" in refused
        assert "at the start or end of function NAME" in refused
    wrapped = _edit(client, "src/utils.py", edit_instruction="wrap add", code_block="x = 1")
    assert "says something else: wrap" in _bad(wrapped, "INVALID_INPUT")["message"]
    missing = _edit(client, "src/utils.py", edit_instruction="to class Missing", code_block="x = 1")
    assert "No such symbol" in _bad(missing, "INVALID_INPUT")["message"]
    assert (root / "src/utils.py").read_text() == "def add(a, b):\n    return a + b\n"


@pytest.mark.requirement("code-instruction-places")
def test_an_instruction_replaces_and_inserts_where_it_says(start: Start, root: Path) -> None:
    file = root / "src/shop.py"
    shop = "class Shop:\n    def open(self):\n        return 1\n\n\ndef main():\n    run()\n"
    file.write_text(shop)
    client = start()

    def edit(instruction: str, block: str) -> None:
        _good(_edit(client, "src/shop.py", edit_instruction=instruction, code_block=block))

    edit("Add a method to Shop", "def close(self):\n    return 0")
    edit("at the start of function main", "setup()")
    edit("Replace Shop.open", "def open(self):\n    return 2")
    assert file.read_text() == (
        "class Shop:\n    def open(self):\n        return 2\n    def close(self):\n"
        "        return 0\n\n\ndef main():\n    setup()\n    run()\n"
    )
    refused = _edit(client, "src/shop.py", edit_instruction="Replace nope", code_block="x = 1")
    assert "what to replace" in _bad(refused, "INVALID_INPUT")["message"]


@pytest.mark.requirement("code-large-files")
def test_a_file_over_the_limit_of_lines_is_edited_by_text_and_line_alone(
    start: Start, root: Path
) -> None:
    file = root / "src/large.py"
    text = "".join(f"def f{n}(a):\n    b = a + {n}\n    return b\n\n" for n in range(6_000))
    file.write_text(text)
    client = start()
    for order in (
        {"code_block": "a += 1", "edit_instruction": "at the start of function f4000"},
        {"edit_instruction": "rename f4000 to g"},
    ):
        refused = _edit(client, "src/large.py", **order)
        said = json.dumps(refused["result"]["structuredContent"])
        assert "files of at most 20,000 lines; this one has 24,000" in said
        assert "by its text or by its lines" in said
    assert file.read_text() == text
    wrong = {"start_line": 16_002, "code_block": "    b = (a"}
    warned = _good(_edit(client, "src/large.py", **wrong, dry_run=True))["message"]
    assert "syntax not checked: the file is too large" in warned
    strict = _edit(client, "src/large.py", **wrong, strict=True)
    assert "line 16002" in _bad(strict, "INVALID_INPUT")["message"]
    right = _edit(client, "src/large.py", start_line=16_002, code_block="    b = a")
    assert "syntax not checked" in _good(right)["message"]
    assert file.read_text() == text.replace("    b = a + 4000\n", "    b = a\n")


@pytest.mark.requirement("code-rename")
def test_a_rename_leaves_strings_and_comments(start: Start, root: Path) -> None:
    file = root / "a.py"
    file.write_text("def f():  # f\n    return 'f'\n\n\nprint(f(), f'{f}')\n")
    answer = _good(_edit(start(), "a.py", edit_instruction="rename f to g"))
    assert file.read_text() == "def g():  # f\n    return 'f'\n\n\nprint(g(), f'{g}')\n"
    assert "3 references" in answer["message"]


@pytest.mark.requirement("code-undo")
def test_an_edit_can_be_undone(start: Start, root: Path) -> None:
    client = start()
    before = (root / "src/utils.py").read_bytes()
    answer = _good(_edit(client, "src/utils.py", code_block="x = 1"))
    assert "result" in client.call("undo_change", {"id": answer["operation"]})
    assert (root / "src/utils.py").read_bytes() == before


@pytest.mark.requirement("code-context")
def test_context_finds_definitions_references_outlines_and_structure(
    start: Start, root: Path
) -> None:
    (root / "main.py").write_text("from src.utils import add\n\nprint(add(1, 2))\n")
    client = start()
    found = _good(client.call("ai_get_code_context", {"symbol": "add"}))
    snippet = found["snippets"][0]
    assert snippet["path"] == "src/utils.py"
    assert (snippet["start_line"], snippet["end_line"]) == (1, 2)
    assert snippet["language"] == "python"
    assert snippet["symbol"] == "add"
    assert snippet["signature"] == "def add(a, b)"
    content = (root / "src/utils.py").read_bytes()
    assert snippet["file_hash"] == hashlib.sha256(content).hexdigest()
    assert snippet["text"] == "def add(a, b):\n    return a + b"
    used = _good(client.call(CONTEXT, {"symbol": "add", "kind": "references"}))
    assert {item["path"] for item in used["snippets"]} == {"main.py"}
    assert {item["certainty"] for item in used["snippets"]} == {"bound"}
    outline = _good(client.call(CONTEXT, {"file": "src/calculations.py", "kind": "outline"}))
    assert "old_sum_function" in outline["snippets"][0]["text"]
    structure = _good(client.call(CONTEXT, {"kind": "structure"}))
    assert structure["snippets"][0]["path"] == "src/utils.py"
    free = _good(client.call(CONTEXT, {"query": "where is the sum computed"}))
    assert any("sum" in item["text"] for item in free["snippets"])


@pytest.mark.requirement("code-context")
def test_references_say_which_definition_they_are_of_and_how_sure_that_is(
    start: Start, root: Path
) -> None:
    (root / "one.py").write_text("class One:\n    def run(self):\n        self.run()\n")
    (root / "two.py").write_text("class Two:\n    def run(self):\n        self.run()\n")
    (root / "use.py").write_text(
        "from one import One\n\n\ndef go(thing):\n    One().run()\n\n\n\n\n\n    thing.run()\n"
    )
    (root / "use.js").write_text("thing.run();\n")
    client = start()
    every = _good(client.call(CONTEXT, {"symbol": "run", "kind": "references"}))
    told = {(s["path"], s.get("of", ""), s["certainty"]) for s in every["snippets"]}
    assert told == {
        ("one.py", "one.py:2", "bound"),
        ("two.py", "two.py:2", "bound"),
        ("use.py", "one.py:2", "bound"),
        ("use.py", "", "possible"),
    }
    assert every["snippets"][-1]["certainty"] == "possible"
    assert every["message"] == "4 lines with references to run: 3 bound, 1 possible."
    asked = {"symbol": "run", "kind": "references"}
    for chosen in ({"file": "one.py", "line": 2}, {"file": "use.py", "line": 5}):
        one = _good(client.call(CONTEXT, {**asked, **chosen}))
        told = {(s["path"], s["certainty"]) for s in one["snippets"]}
        assert told >= {("one.py", "bound"), ("use.py", "possible")}
        assert "two.py" not in {s["path"] for s in one["snippets"]}
    named = _good(client.call(CONTEXT, {"symbol": "Two.run", "kind": "references"}))
    assert {(s["path"], s["certainty"]) for s in named["snippets"]} == {
        ("two.py", "bound"),
        ("use.py", "possible"),
    }


@pytest.mark.requirement("code-context-overlap")
def test_a_search_shows_no_line_twice(start: Start, root: Path) -> None:
    lines = ["zebra = 1", "b = 2", "zebra += b", *["pass"] * 20, "print('zebra')"]
    (root / "src" / "flat.txt").write_text("\n".join(lines) + "\n")
    (root / "src" / "deep.py").write_text("def zebra():\n    return 'zebra'\n")
    found = _good(start().call(CONTEXT, {"query": "the zebra"}))
    spans = [(s["path"], s["start_line"], s["end_line"]) for s in found["snippets"]]
    assert sorted(spans) == [
        ("src/deep.py", 1, 2),
        ("src/flat.txt", 1, 5),
        ("src/flat.txt", 22, 24),
    ]


@pytest.mark.requirement("code-context")
def test_a_line_without_a_file_is_refused(start: Start) -> None:
    reply = start().call(CONTEXT, {"symbol": "add", "kind": "references", "line": 3})
    assert reply["result"]["isError"]
    assert "line needs file" in reply["result"]["content"][0]["text"]
    assert reply["result"]["structuredContent"]["kind"] == "references"


@pytest.mark.requirement("code-context")
def test_context_sees_an_edit_made_a_moment_before(start: Start, root: Path) -> None:
    client = start()
    _good(client.call(CONTEXT, {"symbol": "add"}))
    _good(_edit(client, "src/utils.py", code_block="def brand_new(): pass"))
    found = _good(client.call(CONTEXT, {"symbol": "brand_new"}))
    assert [item["start_line"] for item in found["snippets"]] == [3]
    os.remove(root / "src/utils.py")
    assert _good(client.call(CONTEXT, {"symbol": "brand_new"}))["snippets"] == []


@pytest.mark.requirement("code-context-budget")
def test_context_keeps_to_its_budget_and_maps_the_rest(start: Start, root: Path) -> None:
    for number in range(40):
        body = "\n".join(f"    value_{i} = {i}" for i in range(20))
        (root / f"m{number}.py").write_text(f"def handler():\n{body}\n")
    reply = start().call(CONTEXT, {"symbol": "handler", "max_tokens": 600})
    found = _good(reply)
    assert found["snippets"]
    assert found["omitted"]
    assert found["tokens"] <= 600
    assert len(reply["result"]["content"][0]["text"]) / 3 <= 600
    named = len(found["snippets"]) + sum(item.get("more", 1) for item in found["omitted"])
    assert named == 40


@pytest.mark.requirement("code-context-errors")
def test_context_fails_in_the_shape_of_the_seed(start: Start) -> None:
    client = start()
    _bad(client.call(CONTEXT, {"file": "none.py"}), "FILE_NOT_FOUND")
    _bad(client.call(CONTEXT, {"file": "../x.py"}), "PERMISSION_DENIED")
    _bad(client.call(CONTEXT, {"kind": "definition"}), "INVALID_INPUT")
    _bad(client.call(CONTEXT, {"kind": "map"}), "INVALID_INPUT")
