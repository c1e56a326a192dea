"""The tools of `agent` as commands: the same call, the same bytes, the same text."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redline.cli.commands.tools import DOORS
from redline.toolsets.agent.tools import TOOLS
from redline.toolsets.trained_words import translate
from tests.cli.shell import Shell
from tests.toolsets.agent.conftest import Desk
from tests.toolsets.agent.test_dialects import CALLS, LONG, _files, _send
from tests.toolsets.agent.test_rules import CHANGING, FAILURES

pytestmark = pytest.mark.requirement("agent-shell-same-calls")
_IDS = re.compile(r"(?<=change )[a-z0-9]{8}\b|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{8}\b")
_COMMANDS = {door.tool: name for name, door in DOORS.items()}
_TOOLS = {tool.name: tool for tool in TOOLS}
# A running command needs a process that goes on; at the command line it is followed to its end.
_GOES_ON = ("sleep 60", '"tty": true')
_ROWS = [
    call
    for call in CALLS
    if call["tool"] != "session" and not any(each in call["arguments"] for each in _GOES_ON)
]


@pytest.fixture
def shell(desk: Desk, tmp_path: Path) -> Shell:
    """The command line in the directory that the server serves, with a history of its own."""
    shell = Shell(tmp_path)
    shell.folder = desk.root
    return shell


def _said(shell: Shell, *args: str, stdin: bytes = b"") -> tuple[int, str]:
    code, printed, errors = shell(*args, stdin=stdin)
    return code, (printed.decode() + errors).strip()


def _plain(text: str) -> str:
    return _IDS.sub("ID", text).strip()


def _argv(tool: str, given: dict[str, Any]) -> list[str]:
    """Write the arguments of a call as flags of its command."""
    name, rest, words = _COMMANDS[tool], dict(given), []
    tail: list[str] = []
    for place in DOORS[name].places:
        key = place.rstrip("?*")
        if tool == "read" and "path" in rest:
            rest[key] = [rest.pop("path")]
        if tool == "context" and "symbol" not in rest:
            rest[key] = rest.pop("path", None)
        value = rest.pop(key, None)
        if key == "patch":
            continue
        tail += value if isinstance(value, list) else [] if value is None else [str(value)]
    edits = rest.get("edits")
    if (
        edits
        and len(edits) == 1
        and "path" not in edits[0]
        and "edits" in _TOOLS[tool].input_schema["properties"]
    ):
        rest |= rest.pop("edits")[0]
    for key, value in rest.items():
        flag = f"--{'glob' if key == 'globs' else key.replace('_', '-')}"
        if value is True or (value is False and key in ("imports", "possible")):
            words.append(flag if value else f"--no-{key}")
        elif value is False:
            continue
        elif key == "env":
            words += [part for item in value.items() for part in (flag, "=".join(item))]
        elif isinstance(value, list) and key != "edits":
            words += [f"{flag}={each}" for each in value]
        else:
            words.append(f"{flag}={value if isinstance(value, str | int) else json.dumps(value)}")
    return [name, *words, "--", *tail]


def _row_id(call: dict[str, Any]) -> str:
    return f"{CALLS.index(call)}-{call['client']}-{call['tool']}"


@pytest.mark.parametrize("call", _ROWS, ids=_row_id)
def test_a_call_of_the_table_does_the_same_at_the_command_line(
    desk: Desk,
    shell: Shell,
    call: dict[str, Any],
) -> None:
    desk.write({"long.txt": LONG})
    failed, wanted = _send(desk, call)
    files = _files(desk)
    desk.reset()
    desk.write({"long.txt": LONG})
    raw = call["arguments"].replace("$root", str(desk.root))
    code, text = _said(shell, "call", call["tool"], "-", stdin=raw.encode())
    assert _files(desk) == files
    assert (code != 0) == failed or code == 3
    if "[running: session" not in wanted:  # a command is followed until it ends
        assert _plain(text) == _plain(wanted)


@pytest.mark.parametrize(
    "call", [c for c in _ROWS if "refused" not in c and c["tool"] in _COMMANDS], ids=_row_id
)
def test_a_call_of_the_table_can_be_written_with_flags(
    desk: Desk,
    shell: Shell,
    call: dict[str, Any],
) -> None:
    raw = json.loads(call["arguments"].replace("$root", str(desk.root)))
    given, _ = translate(_TOOLS[call["tool"]], raw)
    given = {k: v for k, v in given.items() if k in _TOOLS[call["tool"]].input_schema["properties"]}
    for hidden in DOORS[_COMMANDS[call["tool"]]].hidden:
        given.pop(hidden, None) if hidden != "path" else None
    desk.write({"long.txt": LONG})
    before = _files(desk)
    stdin = given.pop("patch", given.pop("content", "") if call["tool"] == "write" else "")
    code, text = _said(shell, *_argv(call["tool"], given), stdin=stdin.encode())
    assert code in (0, 3), text
    changed = {**before, **{k: v and v.encode() for k, v in call.get("files", {}).items()}}
    assert _files(desk) == {name: data for name, data in changed.items() if data is not False}


@pytest.mark.parametrize(("tool", "arguments", "code", "next_call"), FAILURES)
def test_a_refusal_is_the_same_at_the_command_line(
    desk: Desk,
    shell: Shell,
    tool: str,
    arguments: dict[str, Any],
    code: str,
    next_call: str,
) -> None:
    before = _files(desk)
    wanted = desk.failure(tool, **arguments)
    returned, printed, errors = shell("call", tool, json.dumps(arguments))
    assert returned in (1, 2, 3)
    assert (_plain(errors), printed) == (_plain(wanted), b"")
    assert _files(desk) == before


@pytest.mark.parametrize("tool", [name for name in CHANGING if name in _COMMANDS])
def test_a_dry_run_changes_nothing_and_undo_gives_every_byte_back(
    desk: Desk,
    shell: Shell,
    tool: str,
) -> None:
    before = _files(desk)
    given = dict(CHANGING[tool])
    stdin = given.pop("patch", given.pop("content", "")).encode()
    argv = _argv(tool, given)
    code, text = _said(shell, argv[0], "--dry-run", *argv[1:], stdin=stdin)
    assert code == 0, text
    assert "dry run: nothing was changed" in text
    assert _files(desk) == before
    assert _said(shell, *argv, stdin=stdin)[0] == 0
    assert _files(desk) != before
    assert _said(shell, "undo")[0] == 0
    assert _files(desk) == before


@pytest.mark.requirement("agent-shell-run")
def test_a_command_is_contained_recorded_and_returns_its_own_exit_code(shell: Shell) -> None:
    code, printed, _ = shell("run", "--", "sh", "-c", "echo hi > made.txt; echo said; exit 7")
    assert (code, printed.decode().splitlines()[0]) == (7, "said")
    assert (shell.folder / "made.txt").exists()
    outside = shell.folder.parent / "outside.txt"
    shell("run", f"echo x > {outside}")
    assert not outside.exists()
    assert shell("run", "--stdin-file", "-", "cat", stdin=b"typed")[1] == b"typed\n"
    assert shell("undo")[0] == 0
    assert not (shell.folder / "made.txt").exists()


@pytest.mark.requirement("agent-shell-input")
def test_texts_come_from_heredocs_and_paths_from_where_the_caller_is(shell: Shell) -> None:
    edit = f"{shlex.quote(sys.executable)} -m redline edit app.py --old-file /dev/fd/3 --new-file -"
    line = f"""{edit} 3<<'OLD' <<'NEW'
def total(rows: list[int]) -> int:
OLD
def total(rows: list[int], start: int = 0) -> int:
NEW"""
    place = shell.folder / "src"
    done = subprocess.run(["sh", "-c", line], cwd=place, env=shell.env, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "start: int = 0" in (place / "app.py").read_text()
    assert b"src/app.py" in done.stdout


def test_a_refusal_names_flags_and_arguments_that_the_command_line_takes(shell: Shell) -> None:
    _, _, errors = shell("edit", "src/app.py", "--old", "return sum(row)", "--new", "")
    assert "oldText" not in errors
    assert '{"old": "return sum(rows)"}' in errors


@pytest.mark.requirement("agent-shell-json")
def test_an_answer_in_json_has_the_fields_of_the_tool(shell: Shell) -> None:
    code, printed, _ = shell("search", "two", "--json")
    assert (code, json.loads(printed)["total"]) == (0, 1)
    code, printed, _ = shell("edit", "a.txt", "--old", "absent", "--new", "x", "--json")
    assert (code, json.loads(printed)["error"]["code"]) == (1, "NO_MATCH")
    assert shell("search", "nowhere", "--json")[0] == 3


@pytest.mark.requirement("agent-shell-rules")
def test_a_flag_of_the_person_allows_guarded_files_and_goes_past_the_policy(
    shell: Shell, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\npaths = ["a.txt"]\naction = "deny"\nreason = "kept"\n')
    shell.env["REDLINE_POLICY"] = str(policy)
    edit = ["edit", "a.txt", "--old", "two", "--new", "2"]
    code, _, errors = shell(*edit)
    assert (code, "kept" in errors) == (1, True)
    assert shell(*edit, "--as-owner")[0] == 0
    write = ["write", ".envrc", "--content", "x"]
    assert shell(*write)[0] == 1
    assert shell(*write, "--allow-guarded")[0] == 0


def test_every_flag_leads_to_an_argument_of_its_tool() -> None:
    for door in DOORS.values():
        known = _TOOLS[door.tool].input_schema["properties"]
        inner = known.get("edits", {}).get("items", {}).get("properties", {})
        for name in (*(each.rstrip("?*") for each in door.places), *door.inputs, *door.hidden):
            assert name in known or name in inner
