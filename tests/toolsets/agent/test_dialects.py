"""Calls in the words of other tools do what was meant, or nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.server.calls.catalog import load_toolsets
from redline.toolsets.agent.tools import TOOLS
from redline.toolsets.agent.trained_names import TOOL_NAMES, WORDS
from redline.toolsets.tool import Json, Tool
from redline.toolsets.trained_words import fold, translate
from tests.toolsets.agent.conftest import Desk, text_of
from tests.toolsets.agent.test_rules import CHANGING
from tests.wire.client import StdioClient, connect
from tests.wire.test_dry_run_names import contents

CALLS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "dialects.toml").read_text(encoding="utf-8")
)["call"]
LONG = "".join(f"line {number}\n" for number in range(1, 51))


def _start(desk: Desk, command: str) -> str:
    started = desk.call("run", command=command, wait=0, tty=True)
    return str(started["structuredContent"]["session"])


def _send(desk: Desk, call: dict[str, Any]) -> tuple[bool, str]:
    """Return whether the call failed, and its text. The arguments are sent as they are written."""
    session = _start(desk, call["first"]) if "first" in call else ""
    text = call["arguments"].replace("$root", str(desk.root)).replace("$session", session)
    params = f'{{"name": "{call["tool"]}", "arguments": {text}}}'
    line = f'{{"jsonrpc": "2.0", "id": "dialect", "method": "tools/call", "params": {params}}}'
    assert isinstance(desk.client, StdioClient)
    desk.client.send_raw(line.encode())
    result = desk.client.next_stray()["result"]
    return bool(result["isError"]), text_of(result)


def _files(desk: Desk) -> dict[str, bytes]:
    return {
        name: data
        for name, data in contents(desk.root).items()
        if data is not None and not name.startswith(".git/")
    }


@pytest.mark.requirement("agent-trained-words")
@pytest.mark.parametrize(
    "call", CALLS, ids=[f"{number}-{c['client']}-{c['tool']}" for number, c in enumerate(CALLS)]
)
def test_a_call_in_the_words_of_another_tool_does_what_was_meant(
    desk: Desk, call: dict[str, Any]
) -> None:
    desk.write({"long.txt": LONG})
    before = _files(desk)
    failed, text = _send(desk, call)
    assert failed == ("refused" in call), text
    for part in (*call.get("says", ()), *call.get("refused", ())):
        assert part in text
    for part in call.get("hides", ()):
        assert part not in text
    wanted = {**before, **{k: v and v.encode() for k, v in call.get("files", {}).items()}}
    assert _files(desk) == {name: data for name, data in wanted.items() if data is not False}


@pytest.mark.requirement("agent-trained-words")
def test_nineteen_of_twenty_calls_are_done_and_the_others_refused() -> None:
    clients = {call["client"].split(",")[0] for call in CALLS}
    for client in ("Claude Code", "Codex", "Gemini CLI", "Cursor", "VS Code", "text editor"):
        assert any(each.startswith(client) for each in clients)
    done = [call for call in CALLS if "refused" not in call]
    assert len(CALLS) >= 51
    assert len(done) / len(CALLS) >= 0.95


@pytest.mark.requirement("agent-trained-words")
@pytest.mark.parametrize(
    ("tool", "arguments", "names"),
    [
        ("read", {"path": "a.txt", "file_path": "conf.json"}, ("path", "file_path")),
        ("read", {"path": "a.txt", "lines": "1-2", "offset": 2}, ("lines", "offset")),
        ("run", {"command": "true", "cmd": "false"}, ("command", "cmd")),
        ("run", {"command": "true", "timeout": 5, "timeout_ms": 9000}, ("timeout", "timeout_ms")),
        ("run", {"command": "true", "wait": 5, "run_in_background": True}, ("wait", "run_in_back")),
        ("search", {"query": "a", "pattern": "b"}, ("query", "pattern")),
        ("edit", {"path": "a.txt", "old": "one", "old_string": "two", "new": "2"}, ("old",)),
        (
            "edit",
            {"path": "a.txt", "edits": [{"old": "one", "old_str": "two", "new": "2"}]},
            ("edits[0].old", "edits[0].old_str"),
        ),
        (
            "edit",
            {"path": "a.txt", "all": True, "edits": [{"old": "e", "new": "E", "all": False}]},
            ("all", "edits[0].all"),
        ),
    ],
)
def test_two_names_of_one_thing_that_disagree_are_refused(
    desk: Desk, tool: str, arguments: dict[str, Any], names: tuple[str, ...]
) -> None:
    before = _files(desk)
    text = desk.failure(tool, **arguments)
    assert "disagree" in text
    assert all(name in text for name in names), text
    assert _files(desk) == before


@pytest.mark.requirement("agent-trained-words")
def test_two_names_that_agree_are_one(desk: Desk) -> None:
    assert "one" in desk.text("read", path="a.txt", file_path="a.txt")
    assert "src" in desk.text("run", command="pwd", cwd="src", workdir="src")


@pytest.mark.requirement("agent-versions")
def test_a_version_beside_one_edit_or_several_is_that_of_the_file(desk: Desk) -> None:
    before = _files(desk)
    assert "STALE" in desk.failure("edit", path="a.txt", old="two", new="2", version="00000000")
    edits = [{"old": "two", "new": "2"}]
    assert "STALE" in desk.failure("edit", path="a.txt", edits=edits, version="00000000")
    assert _files(desk) == before


@pytest.mark.requirement("agent-trained-words")
def test_a_whole_number_with_a_fraction_of_zero_is_that_number(desk: Desk) -> None:
    assert desk.text("run", command="echo ok", timeout=5.0, wait=5.0) == "ok"
    assert "[a.txt:2-2/3" in desk.text("read", path="a.txt", offset=2.0, limit="1")


@pytest.mark.requirement("agent-trained-words")
def test_a_search_for_files_names_those_that_it_could_not_decode(desk: Desk) -> None:
    (desk.root / "old.txt").write_bytes("Łódź".encode("iso-8859-2"))
    lines = desk.text("search", query="Łódź").splitlines()
    assert desk.text("search", query="Łódź", output_mode="count").splitlines() == lines
    assert lines[0] == "(no match)"
    assert "old.txt" in lines[-1]


@pytest.mark.requirement("agent-unknown-arguments")
@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_an_argument_that_a_tool_does_not_know_is_refused_with_those_it_knows(
    desk: Desk, tool: str
) -> None:
    before = _files(desk)
    text = desk.failure(tool, **{**CHANGING.get(tool, {}), "frobnicate": "hard"})
    assert f"Unknown argument for {tool}: frobnicate" in text
    assert f"{tool} takes {next(iter(_properties(tool)))}" in text
    assert "Nothing was done" in text
    assert _files(desk) == before


@pytest.mark.requirement("agent-unknown-arguments")
@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("run", {"command": "touch x", "work_directory": "src"}, "cwd"),
        ("run", {"comand": "touch x"}, "command"),
        ("edit", {"path": "a.txt", "old_sting": "two", "new": "2"}, "old"),
        ("edit", {"path": "a.txt", "edits": [{"odl": "two", "new": "2"}]}, "edits[0].old"),
        ("move", {"path": "a.txt", "destinaton": "b.txt"}, "to"),
        ("search", {"query": "a", "includ_pattern": "*.py"}, "globs"),
    ],
)
def test_a_name_that_is_nearly_one_of_another_tool_is_answered_with_the_one_that_is_meant(
    desk: Desk, tool: str, arguments: dict[str, Any], meant: str
) -> None:
    before = _files(desk)
    assert f"did you mean {meant}?" in desk.failure(tool, **arguments)
    assert _files(desk) == before


@pytest.mark.requirement("agent-unknown-arguments")
def test_prose_about_a_call_is_ignored_and_said(desk: Desk) -> None:
    said = desk.text("run", command="echo ok", toolCallId="7", _trace="x", explanation="try")
    assert said.startswith("ok")
    assert "ignored: toolCallId, _trace, explanation" in said
    edits = [{"old": "two", "new": "2", "explanation": "a number"}]
    assert "ignored: edits[0].explanation" in desk.text("edit", path="a.txt", edits=edits)


@pytest.mark.requirement("agent-trained-words")
def test_files_and_counts_are_cut_at_max_and_say_so(desk: Desk) -> None:
    desk.write({f"many/{number}.txt": "needle\n" * 3 for number in range(9)})
    counted = desk.call("search", pattern="needle", output_mode="count", head_limit=4)
    assert text_of(counted).splitlines()[0] == "many/0.txt:3"
    assert "[4 of 9 files; narrow it, or raise max]" in text_of(counted)
    assert counted["structuredContent"]["total"] == 27
    files = desk.text("search", query="needle", output_mode="files", glob="[0-3].txt")
    assert files == "many/{0.txt,1.txt,2.txt,3.txt}"
    assert "output_mode: some" in desk.failure("search", query="a", output_mode="some")


@pytest.mark.requirement("agent-numbers-are-clamped")
@pytest.mark.parametrize(
    ("tool", "arguments", "note"),
    [
        ("run", {"command": "echo ok", "wait": 100}, "wait is at most 60; 100 was taken"),
        ("run", {"command": "echo ok", "timeout": 900}, "timeout is at most 600; 900 was taken"),
        ("run", {"command": "echo ok", "timeout_ms": 900_000}, "timeout is at most 600; 900 was"),
        ("search", {"query": "two", "context": 50}, "context is at most 20; 50 was taken"),
        ("find", {"depth": 99}, "depth is at most 20; 99 was taken"),
        ("changes", {"limit": 5000}, "max is at most 200; 5000 was taken"),
    ],
)
def test_a_number_over_its_maximum_is_taken_for_the_maximum_and_the_answer_says_so(
    desk: Desk, tool: str, arguments: dict[str, Any], note: str
) -> None:
    assert f"note: {note}" in desk.text(tool, **arguments)


@pytest.mark.requirement("agent-numbers-are-clamped")
def test_a_number_under_its_minimum_is_refused(desk: Desk) -> None:
    assert "timeout must be 1 to 600, got 0" in desk.failure("run", command="true", timeout=0)


@pytest.mark.requirement("agent-tool-names")
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("Bash", "call run"),
        ("Grep", "call search"),
        ("LS", "call find"),
        ("Glob", "call find"),
        ("MultiEdit", "call edit"),
        ("KillShell", "call session with stop: true"),
        ("read_file", "call read"),
        ("run_shell_command", "call run"),
        ("exec_command", "call run"),
        ("replace_string_in_file", "call edit"),
        ("str_replace_based_edit_tool", "call read, edit or write"),
        ("Read", "did you mean read?"),
    ],
)
def test_a_tool_that_models_know_is_answered_with_the_one_to_call(
    desk: Desk, name: str, instead: str
) -> None:
    assert f"hint: {instead}" in desk.client.call(name, {})["error"]["message"]


@pytest.mark.requirement("agent-tool-names")
def test_a_client_that_may_only_read_is_not_sent_to_a_tool_that_it_cannot_call(
    tmp_path: Path,
) -> None:
    with connect("stdio", ["--tools", "agent", "--read-only"], cwd=tmp_path) as client:
        assert "call run" not in client.call("Bash", {})["error"]["message"]
        assert "call read" in client.call("read_file", {})["error"]["message"]


@pytest.mark.requirement("agent-trained-words")
def test_every_word_leads_to_an_argument_of_its_tool() -> None:
    tools = {tool.name: tool for tool in TOOLS}
    for name, words in WORDS.items():
        read = {each for reader in words.readers for each in reader.names}
        known = {*_properties(name), *_fields(name)}
        assert words.names.keys() <= known | read, name
        others = [other for texts in words.names.values() for other in texts.split()]
        assert len(others) == len(set(others)), name
        assert known.isdisjoint(others), name
        assert known.isdisjoint(words.refused), name
    assert WORDS.keys() <= tools.keys()
    for known_name, instead in TOOL_NAMES.items():
        assert known_name == fold(known_name)
        assert known_name not in map(fold, tools)
        assert instead.partition(" ")[0].rstrip(",") in tools


@pytest.mark.requirement("agent-trained-words")
def test_the_tools_of_other_toolsets_know_their_own_words_only() -> None:
    for toolset in load_toolsets(["all"]):
        assert not toolset.tool_names
        assert not any(tool.words for tool in toolset.tools), toolset.name


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=5),
    "integer": st.integers(0, 9999) | st.integers(0, 9999).map(float),
    "boolean": st.booleans(),
    "object": st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
}


def _values(schema: Json) -> st.SearchStrategy[Any]:
    if schema.get("type") == "array":
        return st.lists(_values(schema["items"]), max_size=3)
    if "properties" in schema:
        return st.fixed_dictionaries(
            {}, optional={name: _values(each) for name, each in schema["properties"].items()}
        )
    return _VALUES[schema["type"]] if "type" in schema else st.none() | st.text() | st.integers()


@pytest.mark.requirement("agent-trained-words")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(data=st.data())
@settings(max_examples=50)
def test_a_call_in_the_listed_words_is_left_as_it_is(tool: Tool, data: st.DataObject) -> None:
    arguments = data.draw(_values(tool.input_schema))
    assert translate(tool, arguments) == (arguments, ())


def _properties(tool: str) -> Json:
    found: Json = next(each for each in TOOLS if each.name == tool).input_schema["properties"]
    return found


def _fields(tool: str) -> Json:
    found: Json = _properties(tool).get("edits", {}).get("items", {}).get("properties", {})
    return found
