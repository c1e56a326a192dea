"""No agent approves its own changes or changes the rules, by a tool or by a command."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from redline.review.held import approve_held, list_held, refuse_held
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.wire.client import ROOT, Client, connect

Json = dict[str, Any]
POLICY = "[[rule]]\nname = 'look'\npaths = ['a.txt']\naction = 'ask'\n"
WRITE = {"path": "a.txt", "content": "two\n"}


class Home:
    """A home with a workspace, a configuration and a state directory as they are by default."""

    def __init__(self, base: Path, policy: str = POLICY) -> None:
        self.home = base / "home"
        self.root = self.home / "work"
        self.root.mkdir(parents=True)
        (self.root / "a.txt").write_text("one\n")
        self.config = self.home / ".config" / "redline"
        self.config.mkdir(parents=True)
        (self.config / "policy.toml").write_text(policy)
        self.state = self.home / ".local" / "state" / "redline" / "ws"
        self.env = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": "",
            "XDG_STATE_HOME": "",
            "REDLINE_STATE_DIR": str(self.state),
        }

    @contextmanager
    def serve(self, *args: str, **more: Any) -> Iterator[Client]:
        wanted = ["--errors", "result", "--tool-names", "original", *args]
        with connect("stdio", wanted, cwd=self.root, env=self.env, **more) as client:
            yield client

    def open(self) -> Redline:
        policy = str(self.config / "policy.toml")
        return Redline(Settings(workspace=str(self.root), state_dir=str(self.state), policy=policy))


def run(client: Client, root: Path, line: str) -> str:
    """Run a line as a script, which no text rule reads: only the sandbox is in the way."""
    (root / "try.sh").write_text(f"{line}\necho ended with $?\n")
    given = {"cmd": "sh try.sh", "timeout_ms": 60_000, "yield_time_ms": 30_000}
    said = json.dumps(client.call("exec_command", given))
    assert "ended with" in said, said
    return said


def approving(home: Home, held_id: str) -> list[str]:
    """Ways in which a command may try to approve a change or to lift the rules."""
    python = shlex.quote(sys.executable)
    source, state = shlex.quote(str(ROOT / "src")), shlex.quote(str(home.state))
    redline = f"PYTHONPATH={source} REDLINE_STATE_DIR={state} {python} -m redline"
    policy = shlex.quote(str(home.config / "policy.toml"))
    return [
        f"{redline} held approve {held_id}",
        f"{redline} held refuse {held_id}",
        f"HOME={home.home} {redline} held approve {held_id} --by somebody",
        f"echo > {policy}",
        f"rm -rf {home.config}",
        f"mv {home.config} {home.config}-old; mkdir -p {home.config}; echo > {policy}",
        f"echo > {home.state}/held.db",
        (
            f"{python} -c \"import sqlite3; sqlite3.connect('{home.state}/held.db')"
            ".execute('update held set decision = 1')\""
        ),
    ]


@pytest.mark.requirement("policy-no-self-approval")
@pytest.mark.parametrize("mode", ["safe", "trusted"])
@pytest.mark.parametrize("is_home_root", [False, True])
def test_no_command_approves_a_change_or_lifts_a_rule(
    tmp_path: Path, mode: str, is_home_root: bool
) -> None:
    home = Home(tmp_path)
    more = ["--allow-write", str(home.home), "--allow-any-root"] if is_home_root else []
    with home.serve("--sandbox", mode, "--workspace", str(home.root), *more) as client:
        held = client.call("write_file", WRITE)["result"]
        assert "held as" in json.dumps(held)
        with home.open() as redline:
            (waiting,) = list_held(redline)
        for line in approving(home, waiting.id):
            run(client, home.root, line)
            assert (home.root / "a.txt").read_text() == "one\n", line
            assert (home.config / "policy.toml").read_text() == POLICY, line
        with home.open() as redline:
            assert [held.id for held in list_held(redline)] == [waiting.id]
        # The same change is still held, and an approval from outside still works.
        assert waiting.id in json.dumps(client.call("write_file", WRITE))
    with home.open() as redline:
        approve_held(redline, waiting.id, "Ada")
    assert (home.root / "a.txt").read_text() == "two\n"


@pytest.mark.requirement("policy-no-self-approval")
@pytest.mark.parametrize("mode", ["safe", "trusted", "dangerous"])
def test_no_tool_reaches_policy_configuration_or_held_changes(tmp_path: Path, mode: str) -> None:
    home = Home(tmp_path)
    names = [home.config / "policy.toml", home.config / "redline.toml", home.state / "held.db"]
    args = ["--sandbox", mode, "--workspace", str(home.home), "--allow-any-root"]
    with home.serve(*args) as client:
        client.call("write_file", {"path": str(home.root / "a.txt"), "content": "x"})
        for name in names:
            before = name.read_bytes() if name.exists() else None
            for tool, given in (
                ("write_file", {"path": str(name), "content": ""}),
                ("delete_file", {"path": str(name)}),
                ("move_file", {"source": str(name), "destination": str(home.home / "x")}),
                ("move_file", {"source": str(name.parent), "destination": str(home.home / "y")}),
                ("move_file", {"source": str(home.home / ".config"), "destination": "z"}),
                ("delete_file", {"path": str(name.parent), "recursive": True}),
            ):
                client.call(tool, given)
                assert (name.read_bytes() if name.exists() else None) == before, (tool, given)


@pytest.mark.requirement("policy-no-self-approval")
def test_no_tool_decides(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.serve() as client:
        names = {tool["name"] for tool in client.list_tools()}
    assert not [n for n in names if any(w in n for w in ("approve", "held", "policy", "refuse"))]


@pytest.mark.requirement("policy-held-reason")
def test_the_reason_of_a_refusal_comes_with_the_next_answer(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.serve() as client:
        client.call("write_file", WRITE)
        with home.open() as redline:
            (waiting,) = list_held(redline)
            refuse_held(redline, waiting.id, "Ada", "use b.txt")
        answer = client.call("read_file", {"path": "a.txt"})["result"]["content"]
        assert answer[-1]["text"] == f'Held change {waiting.id} was refused by "Ada": "use b.txt".'
        assert len(client.call("read_file", {"path": "a.txt"})["result"]["content"]) == 1
        again = json.dumps(client.call("write_file", WRITE))
        assert "use b.txt" in again


@pytest.mark.requirement("policy-hold")
@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
def test_the_question_goes_to_a_client_that_can_ask(tmp_path: Path, protocol: str) -> None:
    home = Home(tmp_path)
    allow = {"action": "accept", "content": {"decision": "allow"}}
    asked: list[str] = []

    def reply(message: Json) -> Json:
        asked.append(message["params"]["message"])
        return allow

    capabilities = {"elicitation": {"form": {}}}
    with home.serve(protocol=protocol, capabilities=capabilities) as client:
        client.on_request = reply
        result = client.call("write_file", WRITE)["result"]
        if protocol == "2026-07-28":
            assert result["resultType"] == "input_required"
            [key] = result["inputRequests"]
            asked.append(result["inputRequests"][key]["params"]["message"])
            state = {"requestState": result["requestState"], "inputResponses": {key: allow}}
            result = client.call("write_file", WRITE, **state)["result"]
        assert not result["isError"]
    assert (home.root / "a.txt").read_text() == "two\n"
    assert "look (line 1)" in asked[0]
    assert "| +two" in asked[0]
    with home.open() as redline:
        assert not list_held(redline)


@pytest.mark.requirement("policy-unreadable")
def test_a_server_with_a_broken_policy_does_not_start(tmp_path: Path) -> None:
    import subprocess

    home = Home(tmp_path, "[[rule]]\nactoin = 'deny'\n")
    env = {**os.environ, **home.env, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "redline", "serve", "--stdio"],
        cwd=home.root, env=env, input=b"", capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert b"policy.toml:2: unknown key actoin (did you mean action?)" in done.stderr
