"""What holds for every tool of the set: spelling, descriptions, dry runs, errors, results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.library.tokenizer import count_tokens, tool_text
from redline.server.calls.catalog import Catalog, CatalogError, load_toolsets
from redline.toolsets.agent.tools import TOOLS
from redline.toolsets.tool import Client as Who
from redline.toolsets.tool import Json
from tests.support import need_node
from tests.toolsets.agent.conftest import Desk, text_of
from tests.toolsets.agent.each_tool import CALLS, FILES, session_in
from tests.wire.client import MODERN, StdioClient, connect
from tests.wire.test_dry_run_names import NAMES, contents

MAX_TOKENS = 2_600
PYTHON = {"language": "python"}
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch"
CHANGING: dict[str, dict[str, Any]] = {
    "edit": {"path": "a.txt", "edits": [{"old": "two", "new": "2"}]},
    "apply_patch": {"patch": PATCH},
    "write": {"path": "b.txt", "content": "b"},
    "move": {"path": "a.txt", "to": "b.txt"},
    "delete": {"path": "a.txt"},
    "run": {"command": "echo 2 > b.txt"},
    "rewrite": {"pattern": "sum($A)", "rewrite": "len($A)", "language": "python"},
    "rename": {"symbol": "total", "to": "grand_total"},
    "set": {"path": "conf.yaml", "edits": [{"key": "server.port", "value": 81}]},
    "undo": {},
}


# Calls that are refused, with the code and what the hint names.
FAILURES: list[tuple[str, dict[str, Any], str, str]] = [
    ("read", {"path": "missing"}, "NOT_FOUND", "find"),
    ("read", {"path": "src"}, "IS_A_DIRECTORY", "find"),
    ("read", {"path": "/etc/passwd"}, "OUTSIDE_WORKSPACE", "find"),
    ("read", {"path": "src/app.py", "symbol": "nope"}, "NO_VALUE", "context"),
    ("edit", {"path": "a.txt", "edits": [{"old": "zzz"}]}, "NO_MATCH", "read"),
    ("edit", {"path": "a.txt", "edits": [{"old": "e"}]}, "AMBIGUOUS", "quote"),
    ("edit", {"path": "dot.png", "edits": [{"old": "e"}]}, "BINARY", "write"),
    ("move", {"path": "a.txt", "to": "conf.json"}, "ALREADY_EXISTS", "overwrite"),
    ("get", {"path": "conf.yaml", "key": "nope"}, "NO_VALUE", ""),
    ("undo", {"id": "zzzzzzzz"}, "NO_CHANGE", "changes"),
    ("session", {"session": "nope"}, "NO_SESSION", "run"),
    ("rewrite", {**PYTHON, "pattern": "zzz($A)", "rewrite": "$A"}, "NO_MATCH", "search"),
    ("rewrite", {**PYTHON, "pattern": "sum($A)", "rewrite": "$B"}, "BAD_PATTERN", "$A"),
    ("rewrite", {**PYTHON, "pattern": "sum($A)", "rewrite": "(("}, "CANNOT_APPLY", "rewrite"),
    ("rename", {"symbol": "nope", "to": "x"}, "NO_VALUE", "context"),
    ("rename", {"symbol": "total", "to": "sum"}, "CANNOT_APPLY", "another name"),
    ("find", {"max": 0}, "INVALID_ARGUMENT", ""),
]  # fmt: skip


def _properties(schema: Json, where: str) -> Iterator[tuple[str, Json]]:
    for name, part in schema.get("properties", {}).items():
        yield f"{where}.{name}", part
        yield from _properties(part.get("items", {}), f"{where}.{name}")


@pytest.mark.requirement("agent-one-spelling")
def test_every_parameter_is_described_and_in_snake_case() -> None:
    assert len(TOOLS) == 17
    found = [each for tool in TOOLS for each in _properties(tool.input_schema, tool.name)]
    for name, part in found:
        assert part.get("description"), name
        assert re.fullmatch(r"[a-z_.]+", name), name


@pytest.mark.requirement("agent-dry-run")
def test_everything_that_changes_has_a_dry_run() -> None:
    changing = {tool.name for tool in TOOLS if tool.writes}
    assert changing - {"session"} == set(CHANGING)
    for tool in TOOLS:
        assert ("dry_run" in tool.input_schema["properties"]) == (tool.name in CHANGING)


@pytest.mark.requirement("agent-dry-run")
@pytest.mark.parametrize("tool", CHANGING)
def test_a_dry_run_under_any_name_shows_the_change_and_makes_none(desk: Desk, tool: str) -> None:
    if tool == "undo":
        desk.text("write", path="made.txt", content="x")
    before = contents(desk.root)
    for name in NAMES:
        result = desk.call(tool, **CHANGING[tool], **{name: True})
        assert result["structuredContent"]["diff"], (name, result)
        assert contents(desk.root) == before, name


@pytest.mark.requirement("agent-results")
@pytest.mark.parametrize("tool", [name for name in CHANGING if name not in ("undo", "run")])
def test_a_change_is_answered_with_its_lines_and_its_id_and_undo_gives_every_byte_back(
    desk: Desk, tool: str
) -> None:
    before = contents(desk.root)
    result = desk.call(tool, **CHANGING[tool])
    structured = result["structuredContent"]
    assert contents(desk.root) != before
    assert structured["id"] in result["content"][0]["text"]
    assert structured["diff"]
    assert structured["files"]
    desk.text("undo", id=structured["id"])
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-results")
def test_a_long_diff_is_named_and_changes_shows_it(desk: Desk) -> None:
    text = "".join(f"line {number}\n" for number in range(500))
    desk.text("write", path="long.txt", content=text)
    said = desk.text("edit", path="long.txt", edits=[{"old": "line", "new": "row", "all": True}])
    assert len(said) < 200
    assert "edited long.txt (+500 -500)" in said
    assert "+row 499" in desk.text("changes", id=said.split()[-1])


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize(("tool", "arguments", "code", "next_call"), FAILURES)
def test_an_error_has_a_code_and_names_the_next_call(
    desk: Desk, tool: str, arguments: dict[str, Any], code: str, next_call: str
) -> None:
    before = contents(desk.root)
    text = desk.failure(tool, **arguments)
    assert text.startswith(f"{code}: ")
    assert next_call in text.partition("hint: ")[2] if next_call else text
    for other in ("oldText", "edit_file", "read_file", "exec_command", "list_changes"):
        assert other not in text
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-paths")
def test_every_path_may_be_absolute_or_relative(desk: Desk) -> None:
    for path in ("a.txt", str(desk.root / "a.txt")):
        assert "two" in desk.text("read", path=path)
        assert desk.text("search", query="two", path=path).startswith("a.txt:2")
        assert "a.txt" in desk.text("find", path=path)
        desk.text("edit", path=path, edits=[{"old": "two", "new": "two "}])
        desk.text("undo")


def test_files_that_cannot_be_read_are_named_with_one_hint(desk: Desk) -> None:
    text = desk.text("read", paths=["no.txt", "a.txt", "none.txt"])
    assert "no.txt: NOT_FOUND: " in text
    assert "two" in text
    assert text.endswith("none.txt\nhint: find with a glob shows what there is")


@pytest.mark.requirement("agent-edit-all-or-nothing")
def test_edits_of_several_files_are_made_together_or_not_at_all(desk: Desk) -> None:
    before = contents(desk.root)
    good = {"path": "a.txt", "old": "two", "new": "2"}
    said = desk.failure("edit", edits=[good, {"path": "src/app.py", "old": "zzz", "new": "y"}])
    assert "src/app.py" in said
    assert contents(desk.root) == before
    desk.text("edit", edits=[good, {"path": "src/app.py", "old": "sum", "new": "len"}])
    assert (desk.root / "a.txt").read_text() == "one\n2\nthree\n"
    assert "len(rows)" in (desk.root / "src/app.py").read_text()
    desk.text("undo")
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-versions")
def test_an_edit_of_another_version_is_refused(desk: Desk) -> None:
    seen = desk.call("read", path="a.txt")["structuredContent"]["files"][0]["version"]
    (desk.root / "a.txt").write_text("one\ntwo\nfour\n")
    edits = [{"old": "two", "new": "2", "version": seen}]
    assert desk.failure("edit", path="a.txt", edits=edits).startswith("STALE: ")
    assert desk.failure("write", path="a.txt", content="", version=seen).startswith("STALE: ")
    versions = {"a.txt": seen}
    assert desk.failure("apply_patch", patch=PATCH, versions=versions).startswith("STALE: ")
    now = desk.call("read", path="a.txt")["structuredContent"]["files"][0]["version"]
    desk.text("edit", path="a.txt", edits=[{"old": "two", "new": "2", "version": now}])


@pytest.mark.requirement("agent-set-keeps-numbers")
def test_a_number_is_written_as_it_was_given(desk: Desk) -> None:
    params = '{"name":"set","arguments":{"path":"conf.yaml","edits":[{"key":"server.port","value":'
    line = f'{{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{params}1.10}}]}}}}}}'
    assert isinstance(desk.client, StdioClient)
    desk.client.send_raw(line.encode())
    assert not desk.client.next_stray()["result"]["isError"]
    assert "port: 1.10  # http" in (desk.root / "conf.yaml").read_text()


@pytest.mark.requirement("agent-not-in-all")
def test_all_lists_what_it_always_listed_and_agent_is_chosen_by_name() -> None:
    together = Catalog(load_toolsets(["all"])).names
    assert "read" not in together
    assert [tool.name for tool in load_toolsets(["agent"])[0].tools] == [t.name for t in TOOLS]
    with pytest.raises(CatalogError, match="apply_patch"):
        Catalog(load_toolsets(["agent", "all"]))


@pytest.mark.node
@pytest.mark.requirement("agent-token-budget")
def test_the_list_costs_no_more_than_its_budget() -> None:
    need_node()
    listed = Catalog(load_toolsets(["agent"])).list(Who())
    counts = count_tokens([tool_text(tool) for tool in listed])
    assert sum(counts) <= MAX_TOKENS, dict(zip((t["name"] for t in listed), counts, strict=True))


@pytest.mark.requirement("agent-read-only")
def test_a_read_only_server_lists_the_tools_that_read(tmp_path: Path) -> None:
    names = Catalog(load_toolsets(["agent"]), read_only=True).names
    assert names == ["read", "find", "search", "context", "get", "changes"]


@pytest.mark.requirement("agent-answers-in-text")
def test_no_answer_is_json_that_a_client_takes_for_a_structured_one(tmp_path: Path) -> None:
    (tmp_path / "conf.yaml").write_text("port: 80\nnames: [a]\n")
    with connect("stdio", ["--tools", "agent"], cwd=tmp_path) as client:

        def ask(tool: str, **arguments: Any) -> str:
            result = client.call(tool, arguments)["result"]
            assert "structuredContent" not in result
            return str(result["content"][0]["text"])

        for printed in ("5", "-1.5e3", "true", "null", '"text"', "[1, 2]"):
            assert ask("run", command=f"echo '{printed}'") == f"{printed}\n[end]"
        assert ask("get", path="conf.yaml", key="port") == "80\n[end]"
        assert ask("run", command="echo '{}'") == "{}"
        assert ask("run", command="echo 5 apples") == "5 apples"


@pytest.mark.requirement("agent-answers-in-text")
@pytest.mark.parametrize("protocol", ["2025-11-25", MODERN])
def test_the_text_is_the_whole_answer(tmp_path: Path, protocol: str) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    session = ""
    with connect("stdio", ["--tools", "agent"], cwd=tmp_path, protocol=protocol) as client:
        assert not any("outputSchema" in tool for tool in client.list_tools())
        for tool, given in CALLS:
            arguments = json.loads(json.dumps(given).replace("$session", session))
            result = client.call(tool, arguments)["result"]
            assert not result["isError"], (tool, result)
            assert "structuredContent" not in result, tool
            session = session_in(text_of(result), session)
        failed = client.call("edit", {"path": "a.txt", "edits": [{"old": "absent", "new": ""}]})
        assert failed["result"]["isError"]
        assert "structuredContent" not in failed["result"]
        assert text_of(failed["result"]).startswith("NO_MATCH")


@pytest.mark.requirement("agent-failures-fit-their-schema")
def test_a_failure_that_its_schema_does_not_allow_is_structured_in_meta(desk: Desk) -> None:
    failed = desk.call("edit", path="a.txt", edits=[{"old": "absent", "new": ""}])
    assert "structuredContent" not in failed
    assert failed["_meta"]["redline/failure"]["error"]["code"] == "NO_MATCH"
