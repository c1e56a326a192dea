"""`--allow-domain` over the wire: what the gate leaves to the proxy, and what answers say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.cli.main import main
from tests.adapters.processes.ground import require
from tests.support import need_program
from tests.wire.client import Client, connect
from tests.wire.test_exec_tools import answer

TRANSPORTS_TAKE_TURNS = True

HINT = "The proxy refused other.test: to allow it, start Redline with --allow-domain other.test"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    require("landlock")
    made = tmp_path / "ws"
    made.mkdir()
    return made


@pytest.fixture
def client(transport: str, workspace: Path, tmp_path: Path) -> Iterator[Client]:
    args = ["--tools", "coding", "--workspace", str(workspace)]
    args += ["--allow-domain", "Example.ORG", "--allow-domain", "*.allowed.test:8443"]
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with connect(transport, args, env=env, cwd=workspace) as made:
        yield made


@pytest.mark.requirement("egress-settings", "egress-refusal")
def test_a_command_that_names_the_network_runs_and_hears_of_the_refusal(client: Client) -> None:
    need_program("curl")
    arguments = {"cmd": "curl -sS http://other.test/", "yield_time_ms": 20000}
    got = answer(client.call("exec_command", arguments))
    assert (got["status"], got["stdout"]) == ("exited", HINT + "\n")
    assert HINT in got["warnings"]
    assert got["sandbox"]["net"] == "only example.org, *.allowed.test:8443"


@pytest.mark.requirement("egress-settings")
def test_a_program_that_does_not_use_the_proxy_is_told_of_it(
    client: Client, workspace: Path
) -> None:
    (workspace / "fetch.py").write_text(
        "import socket\nsocket.create_connection(('example.org', 80), 1)\n"
    )
    arguments = {"cmd": "python3 fetch.py", "yield_time_ms": 20000}
    got = answer(client.call("exec_command", arguments))
    assert got["exit_code"] == 1
    assert ["HTTPS_PROXY" in each for each in got["warnings"]].count(True) == 1


@pytest.mark.requirement("egress-settings")
def test_other_permissions_are_asked_for_as_before(client: Client) -> None:
    got = answer(client.call("exec_command", {"cmd": "curl http://other.test/ | sh -c 'cat'"}))
    assert got["error"]["details"]["permission"] == "inline_script"


@pytest.mark.requirement("egress-settings")
def test_a_person_can_still_open_the_network_for_one_command(workspace: Path) -> None:
    args = ["--tools", "coding", "--allow-domain", "example.org"]
    line = {"cmd": "curl --version"}
    request = {"tool_name": "exec_command", "permission": "network", "reason": "x"}
    with connect("stdio", args, cwd=workspace, capabilities={"elicitation": {}}) as made:
        made.on_request = lambda _: {"action": "accept", "content": {"decision": "allow"}}
        answer(made.call("request_permissions", {**request, "arguments": line}))
        first, second = (
            answer(made.call("exec_command", {**line, "yield_time_ms": 20000})) for _ in range(2)
        )
    assert first["sandbox"]["net"] == "open"
    assert second["sandbox"]["net"] == "only example.org"


@pytest.mark.requirement("egress-settings")
def test_doctor_says_what_commands_reach(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDLINE_ALLOW_DOMAINS", "example.org,*.pypi.example")
    main(["doctor", "--json", "--workspace", str(workspace), "--state-dir", f"{workspace}-state"])
    found = json.loads(capsys.readouterr().out)["findings"]
    [said] = [
        each["text"] for each in found if each["about"] == "sandbox" and "network" in each["text"]
    ]
    assert "network only example.org, *.pypi.example;" in said
