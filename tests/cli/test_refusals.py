"""What a person reads at a command that cannot be carried out, and what to type instead."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import Shell

CODE = "from shop import load\n\n\nclass Item:\n    def gross(self):\n        return 1\n\n\n"
CODE += "class Tax:\n    def gross(self):\n        return 2\n\n\n"
CODE += "def total():\n    return sum(item.gross() for item in load())\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.requirement("meta-first-hour")
@pytest.mark.parametrize(
    "command",
    [["log"], ["get", "a.yaml"], ["serve", "--stdio"], ["config", "codex"], ["hooks", "status"]],
    ids=" ".join,
)
def test_a_directory_that_was_removed_is_said_without_a_traceback(
    shell: Shell, command: list[str]
) -> None:
    gone = shell.folder / "gone"
    gone.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", "from redline.cli.main import run; run()", *command],
        cwd=gone,
        env=shell.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        preexec_fn=gone.rmdir,
    )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "redline: The current directory no longer exists",
        "  hint: change to another directory",
    ]


@pytest.mark.requirement("meta-first-hour")
@pytest.mark.parametrize(
    ("command", "fact", "hint"),
    [
        (
            "set a",
            "The following arguments are required: PATH",
            "redline set FILE PATH [VALUE] [flags]; redline set --help lists them",
        ),
        (
            "restore a",
            "The following arguments are required: --at",
            "redline restore --at POINT FILE [flags]; redline restore --help lists them",
        ),
        (
            "rename a b --line x",
            "Argument --line: invalid int value: 'x'",
            "redline rename SYMBOL TO [flags]; redline rename --help lists them",
        ),
        (
            "token new",
            "The following arguments are required: user",
            "redline token new user [flags]; redline token new --help lists them",
        ),
        (
            "serve --workspace /",
            "The root directory is too broad for a workspace: /",
            "name a project directory, or pass --allow-any-root",
        ),
        (
            "serve --host 0.0.0.0",
            "A token is required to listen beyond this machine: 0.0.0.0",
            "set REDLINE_AUTH_TOKEN (16 characters or more), --users or --oauth-issuer",
        ),
    ],
)
def test_a_wrong_command_line_is_said_as_every_other_error(
    shell: Shell, command: str, fact: str, hint: str
) -> None:
    code, printed, said = shell(*command.split())
    assert (code, printed) == (2, b"")
    assert said.splitlines() == [f"redline: {fact}", f"  hint: {hint}"]


@pytest.mark.requirement("meta-first-hour")
def test_flags_may_come_between_the_arguments(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text("a: 'x'\n")
    assert shell("get", "a.yaml", "-r", "a")[1] == b"x\n"
    assert shell("get", "--json", "a.yaml", "a")[1] == b'"x"\n'
    (shell.folder / "a.py").write_text("print(1)\n")
    assert shell("rewrite", "print($A)", "--language", "python", "log($A)")[0] == 0
    assert (shell.folder / "a.py").read_text() == "log(1)\n"
    code, _, said = shell("get", "a.yaml", "-r", "a", "more")
    assert code == 2
    assert "does not take this: more" in said
    for command in (
        ["token", "list", "a", "b", "c"],
        ["audit", "verify", "a", "b"],
        ["log", "a", "b"],
    ):
        code, _, said = shell(*command)
        assert code == 2
        assert "does not take this: " in said


@pytest.mark.requirement("meta-first-hour")
def test_a_refused_rename_or_rewrite_names_flags_and_not_arguments_of_tools(shell: Shell) -> None:
    (shell.folder / "a.py").write_text(CODE)
    (shell.folder / "b.py").write_text("def total():\n    pass\n")
    for args, wanted in (
        (["rename", "Item.gross", "net"], "--possible renames them, --no-possible leaves them"),
        (["rename", "total", "sum_up"], "give --file, and --line if one file has several"),
        (["rename", "nothing", "x"], "redline context finds symbols; or give --file and --line"),
        (["rewrite", "f($A)"], "INVALID_ARGUMENT: --language or --file is needed"),
        (["rewrite", "return $A", "x(", "--language", "python"], "--glob '!NAME'"),
        (["rewrite", "return $A", "$B", "--language", "python"], "the replacement uses a metavar"),
    ):
        code, _, said = shell(*args)
        assert code in (1, 2, 3)
        assert wanted in said
    assert (shell.folder / "a.py").read_text() == CODE


@pytest.mark.requirement("meta-first-hour")
def test_an_instruction_without_quotes_is_refused_with_what_is_missing(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text("a: 1\n")
    for line in (["instruct", "a.yaml", "set", "a", "to", "2"], ["json", "set", "a", "a.yaml"]):
        code, _, said = shell(*line)
        assert code == 2
        assert "hint: put the instruction in quotes" in said


@pytest.mark.requirement("meta-first-hour")
def test_context_says_what_is_not_there(shell: Shell) -> None:
    (shell.folder / "a.py").write_text(CODE)
    assert "No such file or directory: d/nothing.py" in shell("context", "d/nothing.py")[2]
    assert shell("context", "nothing")[0] == 3
    assert b"1 definition of Item" in shell("context", "Item")[1]
    assert b"def gross" in shell("context", "a.py")[1]


@pytest.mark.requirement("meta-first-hour")
def test_a_point_that_does_not_exist_is_answered_with_what_a_point_is(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text("a: 1\n")
    shell("set", "a.yaml", "a", "2")
    for command in (["status", "--since"], ["restore", "a.yaml", "--at"], ["rewind"], ["diff"]):
        code, printed, said = shell(*command, "nonsense")
        assert (code, printed) == (3, b"")
        assert "No point in history is called: nonsense" in said
        assert "a point is a change's id, a checkpoint, @prompt, a session, a time, or 30m" in said
    for moment in ("2 minutes ago", "1 minute", "90 secs ago", "5min", "1 hour ago", "2 weeks ago"):
        assert b"edit  +1  -1  a.yaml" in shell("status", "--since", moment)[1]


@pytest.mark.requirement("meta-first-hour")
def test_an_index_that_is_not_there_is_answered_with_the_last_one(shell: Shell) -> None:
    (shell.folder / "a.yaml").write_text("a: [1, 2]\n")
    assert "the last is [1]; insert at [2] appends" in shell("get", "a.yaml", "a[5]")[2]
    assert shell("insert", "a.yaml", "a[2]", "3")[0] == 0
    assert (shell.folder / "a.yaml").read_text() == "a: [1, 2, 3]\n"
    assert shell("query", "a.yaml", "$.a[*]", "--limit", "0")[0] == 2


@pytest.mark.requirement("meta-first-hour")
def test_the_only_table_of_a_list_is_refused_with_the_key_to_delete(shell: Shell) -> None:
    text = '[[pkg]]\nname = "one"\n'
    (shell.folder / "a.toml").write_text(text)
    code, _, said = shell("delete", "a.toml", "pkg[0]")
    assert code == 1
    assert "It is the only [[pkg]] table" in said
    assert "hint: delete pkg" in said
    assert (shell.folder / "a.toml").read_text() == text
    assert shell("delete", "a.toml", "pkg")[0] == 0


@pytest.mark.requirement("meta-first-hour")
def test_what_config_wrote_is_undone_by_its_own_id_also_after_later_changes(shell: Shell) -> None:
    _, printed, _ = shell("config", "cursor", "--write")
    (undo,) = [line for line in printed.decode().splitlines() if line.startswith("to undo it: ")]
    (shell.folder / "a.yaml").write_text("a: 1\n")
    assert shell("set", "a.yaml", "a", "2")[0] == 0
    assert shell("undo", *undo.rpartition(" undo ")[2].split())[0] == 0
    assert not (shell.folder / ".cursor/mcp.json").exists()
    assert (shell.folder / "a.yaml").read_text() == "a: 2\n"


@pytest.mark.requirement("meta-first-hour")
def test_a_held_change_of_a_person_is_answered_with_how_the_person_makes_it(shell: Shell) -> None:
    policy = shell.folder.parent / "policy.toml"
    policy.write_text('[[rule]]\nname = "ask"\npaths = ["*.yaml"]\naction = "ask"\n')
    shell.env["REDLINE_POLICY"] = str(policy)
    (shell.folder / "a.yaml").write_text("a: 1\n")
    code, _, said = shell("set", "a.yaml", "a", "2")
    assert code == 1
    (held,) = json.loads(shell("held", "--json")[1])
    assert f"redline held approve {held['id']} makes it, --as-owner asks no rule" in said
    assert "go on with other work" not in said
    assert os.path.exists(shell.folder / "a.yaml")


@pytest.mark.requirement("meta-first-hour")
def test_the_status_of_hooks_is_a_table(shell: Shell) -> None:
    rows = shell("hooks", "status")[1].decode().splitlines()
    assert len({row.index("not installed") for row in rows}) == 1


def test_the_command_to_type_names_the_directory_and_no_variable_of_files(shell: Shell) -> None:
    printed = shell("config", "claude-code")[1].decode()
    (typed,) = [line for line in printed.splitlines() if line.startswith("# or: claude mcp add")]
    assert f"--workspace {shell.folder} --tools agent" in typed
    assert '"${CLAUDE_PROJECT_DIR:-.}"' in printed


@pytest.mark.requirement("meta-first-hour")
def test_a_server_whose_history_would_be_in_the_workspace_does_not_start(shell: Shell) -> None:
    code, _, said = shell("serve", "--stdio", "--state-dir", str(shell.folder / "state"))
    assert code == 2
    assert said.splitlines() == [
        f"redline: The state directory lies inside the workspace: {shell.folder}/state",
        "  hint: choose a directory outside of every allowed directory",
    ]


@pytest.mark.requirement("meta-first-hour")
def test_text_for_json_is_refused_with_the_call_that_writes_it(shell: Shell) -> None:
    (shell.folder / "a.json").write_text('{"version": "1"}\n')
    code, _, said = shell("set", "a.json", "version", "1.2.0")
    assert code == 1
    assert "hint: for text: redline set a.json version --string=1.2.0" in said
    assert shell("set", "a.json", "version", "--string=1.2.0")[0] == 0
    assert (shell.folder / "a.json").read_text() == '{"version": "1.2.0"}\n'


@pytest.mark.requirement("meta-first-hour")
@pytest.mark.parametrize("command", ["serve", "review"])
def test_a_port_that_is_taken_is_said_as_every_other_error(shell: Shell, command: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, said = shell(command, "--port", str(port))
    assert code == 1
    fact, hint = said.splitlines()
    assert fact.startswith(f"redline: Cannot listen on 127.0.0.1:{port}: ")
    assert hint.startswith("  hint: choose another with --port, or ")
