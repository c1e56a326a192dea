"""What people with different rights see and can do over HTTP, in both eras."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.audit_file import verify_chain
from redline.core.access.rights import Right
from redline.teams.people.users import digest
from tests.wire.by_hand import LIST, greet, post
from tests.wire.client import ROOT, HttpClient, connect

RUNNERS = {"exec_command", "write_stdin", "kill_session", "execute_command", "request_permissions"}
WRITERS = {
    "apply_patch", "write_file", "create_directory", "move_file", "delete_file", "edit_file",
    "edit_files", "ai_code_editing.edit_file", "json_editor_apply", "noyalib_set", "doc_set",
    "doc_insert", "doc_delete", "undo_change", "redo_change", "create_checkpoint",
    "review_comments",
}  # fmt: skip
PEOPLE = {
    "reader": ["read"],
    "writer": ["read", "write"],
    "runner": ["read", "write", "run"],
    "visitor": [],
    "blind": ["write", "run"],
    "chief": list(Right),
    **{f"only-{right}": [right] for right in Right},
    **{f"all-but-{right}": [each for each in Right if each is not right] for right in Right},
}
ERAS = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "stateless"])
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}


def needs(tool: str) -> set[str]:
    if tool in RUNNERS:
        return {"read", "run"} if tool == "request_permissions" else {"read", "write", "run"}
    return {"read", "write"} if tool in WRITERS else {"read"}


def write_users(path: Path, **more: str) -> None:
    path.write_text(
        "".join(
            f"[users.{name}]\nrights = {json.dumps(rights)}\n{more.get(name, '')}"
            f'[[users.{name}.tokens]]\nid = "{name}"\nsha256 = "{digest("token-of-" + name)}"\n'
            for name, rights in PEOPLE.items()
        )
    )


class Office:
    """A server with people, and each of them as a client of either era."""

    def __init__(self, client: HttpClient, folder: Path, users: Path, log: Path) -> None:
        self.client, self.folder, self.users, self.log = client, folder, users, log
        self._sessions: dict[str, str] = {}

    def ask(self, who: str, method: str, *, modern: bool, **params: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer token-of-{who}"}
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        if modern:
            params["_meta"] = META
            headers |= {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
            if "name" in params:
                headers["Mcp_Name"] = params["name"]
        else:
            if who not in self._sessions:
                self._sessions[who] = greet(self.client, **headers)
            headers["Mcp_Session_Id"] = self._sessions[who]
        status, _, reply = post(self.client, message, **headers)
        return status, reply

    def call(self, who: str, tool: str, *, modern: bool = True, **arguments: Any) -> Any:
        return self.ask(who, "tools/call", modern=modern, name=tool, arguments=arguments)[1]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    base = tmp_path_factory.mktemp("office")
    folder, users, log = base / "site", base / "users.toml", base / "audit.jsonl"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    write_users(users)
    args = ["--tools", "all", "--users", str(users), "--audit-log", str(log), "--rate-limit", "0",
            "--no-record"]  # fmt: skip
    with connect("http", args, cwd=folder, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield Office(client, folder, users, log)


@pytest.mark.requirement("people-rights")
@ERAS
@pytest.mark.parametrize("who", PEOPLE)
def test_tools_without_their_rights_are_neither_listed_nor_callable(
    office: Office, who: str, modern: bool
) -> None:
    complete = office.ask("chief", "tools/list", modern=modern)[1]["result"]["tools"]
    every = {tool["name"] for tool in complete}
    assert every >= RUNNERS | WRITERS
    listed = office.ask(who, "tools/list", modern=modern)[1]["result"]
    names = {tool["name"] for tool in listed["tools"]}
    rights = set(PEOPLE[who])
    allowed = {tool for tool in every if needs(tool) <= rights}
    assert names == allowed, "a new tool that writes or runs commands goes into WRITERS or RUNNERS"
    if modern:
        assert listed["cacheScope"] == ("public" if who == "chief" else "private")
    before = sorted(path.name for path in office.folder.iterdir())
    for tool in sorted(every - names):
        reply = office.call(who, tool, modern=modern)
        text = json.dumps(reply)
        assert "error" in reply or reply["result"]["isError"], text
        assert "does not have the right to" in text, text
    assert sorted(path.name for path in office.folder.iterdir()) == before


@pytest.mark.requirement("people-rights")
@ERAS
@pytest.mark.parametrize("who", ["visitor", "all-but-read", "only-write", "only-approve"])
def test_nothing_of_a_workspace_is_read_without_the_right(
    office: Office, who: str, modern: bool
) -> None:
    """Prompts, resources and completions show contents as tools do."""
    made = office.call("chief", "write_file", path=str(office.folder / "s.txt"), content="SECRET")
    assert not made["result"]["isError"]
    asked = [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "redline://changes"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "review_changes", "arguments": {}}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "review_changes"},
                                 "argument": {"name": "since", "value": ""}}),
        ("tools/call", {"name": "read_file", "arguments": {"path": str(office.folder / "s.txt")}}),
    ]  # fmt: skip
    for method, params in asked:
        reply = office.ask(who, method, modern=modern, **params)[1]
        text = json.dumps(reply)
        assert "s.txt" not in text.replace(str(office.folder / "s.txt"), ""), (method, text)
        assert "SECRET" not in text, (method, text)


@pytest.mark.requirement("people-rights")
def test_instructions_promise_only_what_somebody_may_do(office: Office) -> None:
    texts = {
        who: office.ask(who, "server/discover", modern=True)[1]["result"].get("instructions", "")
        for who in ("reader", "chief")
    }
    assert "nothing can be changed" in texts["reader"]
    assert "exec_command" not in texts["reader"]
    assert "exec_command" in texts["chief"]


@pytest.mark.requirement("people-approve")
@ERAS
def test_only_somebody_who_may_approve_is_asked(office: Office, modern: bool) -> None:
    """A guarded file and a permission: no question, no answer and no state of another helps."""
    path = office.folder / ".vscode" / "tasks.json"
    write = {"path": str(path), "content": "{}\n"}
    for who in ("all-but-approve", "runner", "writer"):
        refused = office.call(who, "write_file", modern=modern, **write)
        assert "error" in refused or refused["result"]["isError"], refused
    wanted = {"tool_name": "exec_command", "permission": "network", "reason": "r",
              "arguments": {"cmd": "curl http://example.org"}}  # fmt: skip
    reply = office.call("all-but-approve", "request_permissions", modern=modern, **wanted)
    assert "does not have the right to approve" in json.dumps(reply)
    if modern:
        able = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
        head = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call",
                "Mcp_Name": "write_file"}  # fmt: skip

        def ask(who: str, **more: Any) -> Any:
            params = {"name": "write_file", "arguments": write, "_meta": able, **more}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            bearer = {"Authorization": f"Bearer token-of-{who}"}
            return post(office.client, message, **head, **bearer)[2]

        asked = ask("chief")["result"]
        assert asked["resultType"] == "input_required"
        (key,) = asked["inputRequests"]
        yes = {key: {"action": "accept", "content": {"decision": "allow"}}}
        for who in ("all-but-approve", "runner"):
            refused = ask(who)
            assert "error" in refused or refused["result"]["isError"], refused
            reply = ask(who, requestState=asked["requestState"], inputResponses=yes)
            assert "error" in reply or reply["result"]["isError"], reply
        assert not path.exists()
        done = ask("chief", requestState=asked["requestState"], inputResponses=yes)
        assert not done["result"].get("isError"), done
        assert path.exists()
    else:
        assert not path.exists()


@pytest.mark.requirement("people-undo-others")
def test_somebody_elses_change_is_taken_back_only_with_the_right(office: Office) -> None:
    path = str(office.folder / "a.txt")
    made = office.call("writer", "write_file", path=path, content="two\n")
    assert not made["result"]["isError"]
    change = office.call("reader", "list_changes")["result"]["structuredContent"]["changes"][0]
    assert change["principal"] == "writer"
    for arguments in ({"id": change["id"]}, {"session": change["session"]}):
        for who in ("runner", "all-but-undo-others"):
            for modern in (False, True):
                refused = office.call(who, "undo_change", modern=modern, **arguments)
                assert "undo-others" in json.dumps(refused), refused
    assert Path(path).read_text() == "two\n"
    undone = office.call("chief", "undo_change", id=change["id"])
    assert not undone["result"]["isError"]
    assert Path(path).read_text() == "one\n"


@pytest.mark.requirement("people-audit-success", "people-audit-chain")
def test_logins_and_changes_are_written_down_in_a_chain(office: Office) -> None:
    made = office.call("writer", "write_file", path=str(office.folder / "b.txt"), content="b\n")
    assert not made["result"]["isError"]
    lines = office.log.read_bytes().splitlines()
    assert verify_chain(lines).broken_at is None
    events = [json.loads(line) for line in lines]
    assert any(e["kind"] == "login" and e["principal"] == "writer" for e in events)
    assert any(
        e["kind"] == "change" and e["principal"] == "writer" and e["tool"] == "write_file"
        for e in events
    )
    assert "token-of-" not in office.log.read_text()
    command = [sys.executable, "-m", "redline", "audit", "verify", str(office.log)]
    env = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    good = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert good.returncode == 0, good.stderr
    assert verify_chain(lines).last in good.stdout
    cut = office.log.with_name("cut.jsonl")
    cut.write_bytes(b"\n".join([*lines[:1], *lines[2:]]) + b"\n")
    bad = subprocess.run(
        [*command[:-1], str(cut)], capture_output=True, text=True, env=env, check=False
    )
    assert (bad.returncode, "broken at line 2" in bad.stderr) == (1, True)


@pytest.mark.requirement("people-token-command", "people-users-file")
def test_a_running_server_follows_the_users_file(office: Office) -> None:
    env = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}

    def token(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "redline", "token", *args, "--users", str(office.users)]
        return subprocess.run(command, capture_output=True, text=True, env=env, check=False)

    made = token("new", "dora", "--rights", "read,write")
    assert made.returncode == 0, made.stderr
    secret = made.stdout.splitlines()[0]
    assert office.users.stat().st_mode & 0o777 == 0o600
    header = {"Authorization": f"Bearer {secret}"}
    assert post(office.client, LIST, **header)[0] == 200
    listed = token("list").stdout
    assert "dora" in listed
    assert secret not in listed
    name = secret.split("_")[1]
    assert token("revoke", name).returncode == 0
    assert post(office.client, LIST, **header)[0] == 401
    assert token("revoke", name).returncode == 1
    assert token("new", "eve").returncode == 1
    assert token("new", "eve", "--rights", "reed").returncode == 2
    good = office.users.read_text()
    office.users.write_text(good + "\n[users.broken\n")
    assert post(office.client, LIST, Authorization="Bearer token-of-chief")[0] == 401
    office.users.write_text(good)
    assert post(office.client, LIST, Authorization="Bearer token-of-chief")[0] == 200


@pytest.mark.requirement("people-scopes")
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "stateless"])
def test_a_token_without_the_scope_is_told_which_scopes_to_ask_for(
    issuer: Any, tmp_path: Path, modern: bool
) -> None:
    base, sign = issuer
    args = ["--tools", "files", "--oauth-issuer", base, "--oauth-audience",
            "https://redline.test/mcp", "--no-record"]  # fmt: skip
    (tmp_path / "site").mkdir()
    write = {"name": "write_file", "arguments": {"path": str(tmp_path / "site/x"), "content": "x"}}
    with connect("http", args, cwd=tmp_path / "site", handshake=False) as client:
        assert isinstance(client, HttpClient)

        def ask(method: str, scope: str, **params: Any) -> tuple[int, dict[str, str], Any]:
            headers = {"Authorization": f"Bearer {sign(scope=scope)}"}
            if modern:
                params["_meta"] = META
                headers |= {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
                headers |= {"Mcp_Name": params["name"]} if "name" in params else {}
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            return post(client, message, **headers)

        status, headers, _ = ask("tools/list", "openid")
        assert status == 403
        assert 'scope="redline:read"' in headers["www-authenticate"]
        status, _, reply = ask("tools/list", "redline:read")
        names = {tool["name"] for tool in reply["result"]["tools"]}
        assert "read_file" in names
        assert not names & {"write_file", "execute_command"}
        status, headers, reply = ask("tools/call", "redline:read", **write)
        challenge = headers["www-authenticate"]
        assert status == 403
        assert 'error="insufficient_scope"' in challenge
        assert 'scope="redline:read redline:write"' in challenge
        assert "resource_metadata=" in challenge
        assert not (tmp_path / "site/x").exists()
        status, _, reply = ask("tools/call", "redline:read redline:write", **write)
        assert (status, reply["result"]["isError"]) == (200, False)


@pytest.mark.requirement("people-limits")
def test_somebody_with_a_lower_rate_is_held_to_it(tmp_path: Path) -> None:
    users = tmp_path / "users.toml"
    write_users(users, reader="rate_limit = 1\n")
    (tmp_path / "site").mkdir()
    args = ["--tools", "files", "--users", str(users), "--rate-limit", "0", "--no-record"]
    with connect("http", args, cwd=tmp_path / "site", handshake=False) as client:
        assert isinstance(client, HttpClient)
        codes = {
            who: [post(client, LIST, Authorization=f"Bearer token-of-{who}")[0] for _ in range(8)]
            for who in ("reader", "writer")
        }
    assert 429 in codes["reader"]
    assert set(codes["writer"]) == {200}


def test_the_server_does_not_start_with_a_users_file_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "users.toml").write_text("[users.a]\nright = []\n")
    (tmp_path / "ws").mkdir()
    command = [sys.executable, "-m", "redline", "serve", "--port", "0", "--users", "users.toml"]
    command += ["--workspace", "ws"]
    env = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    found = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert "users.a: unknown key right" in found.stderr
