"""One server, many workspaces: who sees which, and that none reaches another."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire.client import HttpClient, connect
from tests.wire.many import BASE, KIND, Site, write_people

EVERYTHING = ["read", "write", "run", "undo-others", "approve", "admin"]
PEOPLE: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "chief": (EVERYTHING, {}),
    "ana": ([], {"red": ["read", "write", "run", "approve"]}),
    "bob": (["read"], {"red": []}),
    "keeper": (["admin"], {"blue": ["admin"]}),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base = tmp_path_factory.mktemp("many")
    for name in ("red", "blue"):
        (base / "ws" / name).mkdir(parents=True)
        (base / "ws" / name / "a.txt").write_text(f"{name} secret\n")
    (base / "ws" / "link").symlink_to(base / "ws" / "red")
    (base / "ws" / ".hidden").mkdir()
    write_people(base / "users.toml", PEOPLE)
    args = ["--workspaces", str(base / "ws"), "--users", str(base / "users.toml"), "--audit-log",
            str(base / "audit.jsonl"), "--rate-limit", "0", "--no-record"]  # fmt: skip
    with connect("http", args, cwd=base, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield Site(client, base)


def listed(site: Site, who: str) -> list[str]:
    headers = {"Authorization": f"Bearer token-of-{who}"}
    status, _, body = site.client.fetch("GET", "/workspaces", None, headers)
    assert status == 200
    return [each["name"] for each in json.loads(body)["workspaces"]]


@pytest.mark.requirement("many-listed")
def test_everybody_sees_the_workspaces_they_may_read(site: Site) -> None:
    assert listed(site, "chief") == ["blue", "red"]
    assert listed(site, "ana") == ["red"]
    assert listed(site, "bob") == ["blue"]
    assert listed(site, "keeper") == []
    assert site.client.fetch("GET", "/workspaces")[0] == 401
    page = site.get(site.sign_in("ana"), "/")[1]
    assert 'href="/w/red/"' in page
    assert "blue" not in page


@pytest.mark.requirement("many-unseen")
def test_nobody_learns_of_a_workspace_they_have_no_right_to(site: Site) -> None:
    def ask(name: str, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
        method, body = ("POST", b"{}") if path == "mcp" else ("GET", None)
        given = {**(BASE if body else {}), **headers}
        while True:  # failed logins are limited: five a second
            status, _, data = site.client.fetch(method, f"/w/{name}/{path}", body, given)
            if status != 429:
                return status, data.replace(f"/w/{name}/".encode(), b"/w/NAME/")
            threading.Event().wait(0.1)

    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer token-of-ana"},
        site.sign_in("ana"),
    ):
        for path in ("mcp", "", "change/x"):
            names = ("blue", "nowhere", "link", ".hidden", "..")
            answers = {ask(name, path, headers) for name in names}
            assert len(answers) == 1, (headers, path, answers)
            assert answers.pop()[0] in (401, 404)


@pytest.mark.requirement("many-apart")
def test_files_and_history_of_one_are_not_reached_from_another(site: Site) -> None:
    red, blue = site.base / "ws" / "red", site.base / "ws" / "blue"
    assert "red secret" in json.dumps(site.call("ana", "red", "read_file", path="a.txt"))
    for path in (str(blue / "a.txt"), "../blue/a.txt"):
        found = site.call("ana", "red", "read_file", path=path)
        assert found.get("isError"), found
        assert "blue secret" not in json.dumps(found)
    made = site.call("ana", "red", "write_file", path=str(red / "b.txt"), content="b\n")
    assert not made["isError"], made
    change = site.call("ana", "red", "list_changes")["structuredContent"]["changes"][0]
    assert change["principal"] == "ana"
    assert site.call("chief", "blue", "list_changes")["structuredContent"]["changes"] == []
    refused = site.call("chief", "blue", "undo_change", id=change["id"])
    assert refused["isError"]
    assert (red / "b.txt").read_text() == "b\n"
    assert site.get(site.sign_in("chief"), f"/w/red/change/{change['id']}")[0] == 200
    assert site.get(site.sign_in("chief"), f"/w/blue/change/{change['id']}")[0] == 404


@pytest.mark.requirement("many-apart")
def test_previews_sessions_and_answers_count_where_they_were_given(site: Site) -> None:
    arguments = {"document": {"count": 1}, "instruction": "set count to 2"}
    shown = site.call("chief", "red", "json_editor_preview", **arguments)["structuredContent"]
    apply = {"session_id": shown["session_id"]}
    assert site.call("chief", "blue", "json_editor_apply", **apply)["isError"]
    assert not site.call("chief", "red", "json_editor_apply", **apply)["isError"]
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    headers = {**BASE, "Authorization": "Bearer token-of-chief"}
    body = json.dumps(hello).encode()
    _, found, _ = site.client.fetch("POST", "/w/red/mcp", body, headers)
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    headers["Mcp-Session-Id"] = found["mcp-session-id"]
    assert site.client.fetch("POST", "/w/red/mcp", ping, headers)[0] == 200
    assert site.client.fetch("POST", "/w/blue/mcp", ping, headers)[0] == 404
    wanted = {"name": "apply_patch", "arguments": {"patch": "*** Begin Patch\n*** Add File: "
              ".vscode/tasks.json\n+{}\n*** End Patch"}}  # fmt: skip
    asked = site.ask("chief", "red", "tools/call", able=True, **wanted)[1]["result"]
    (key,) = asked["inputRequests"]
    yes = {"action": "accept", "content": {"decision": "allow"}}
    answer = {"requestState": asked["requestState"], "inputResponses": {key: yes}}
    elsewhere = site.ask("chief", "blue", "tools/call", able=True, **wanted, **answer)[1]
    assert "requestState" in elsewhere["error"]["message"]
    assert not (site.base / "ws" / "blue" / ".vscode").exists()
    done = site.ask("chief", "red", "tools/call", able=True, **wanted, **answer)[1]
    assert not done["result"].get("isError"), done


@pytest.mark.requirement("many-apart")
def test_a_command_sees_no_other_workspace(site: Site) -> None:
    red, blue = site.base / "ws" / "red", site.base / "ws" / "blue"
    (red / "look.sh").write_text(  # a script, since a command line that names them is refused
        f"cat {blue}/a.txt ../blue/a.txt\nls {blue} ..\necho x > {blue}/c.txt\necho done\n"
    )
    found = json.dumps(site.call("chief", "red", "execute_command", command="sh look.sh"))
    assert "done" in found, found
    assert "blue secret" not in found
    assert not (blue / "c.txt").exists()
    found = json.dumps(site.call("chief", "red", "execute_command", command="cat a.txt"))
    assert "red secret" in found, found


@pytest.mark.requirement("many-admin")
def test_somebody_with_admin_makes_and_archives_workspaces(site: Site) -> None:
    ana, keeper = site.sign_in("ana"), site.sign_in("keeper")
    assert site.post(ana, "/create", name="green")[0] == 403
    assert site.post(keeper, "/create", name="../x")[0] == 400
    assert site.post(keeper, "/create", name="green") == (303, "/")
    assert (site.base / "ws" / "green").is_dir()
    assert site.post(keeper, "/create", name="green")[0] == 400
    assert listed(site, "chief") == ["blue", "green", "red"]
    site.call("chief", "green", "write_file", path="g.txt", content="g\n")
    assert site.post(ana, "/archive", name="green")[0] == 403
    forged = site.client.fetch(
        "POST", "/archive", b"name=green", {**KIND, "Cookie": keeper["Cookie"]}
    )
    assert forged[0] == 401
    assert site.post(keeper, "/archive", name="green") == (303, "/")
    assert listed(site, "chief") == ["blue", "red"]
    assert site.ask("chief", "green", "tools/list")[0] == 404
    events = [json.loads(line) for line in (site.base / "audit.jsonl").read_text().splitlines()]
    assert any(e["kind"] == "admin" and e["principal"] == "keeper" for e in events)
    assert any(e.get("workspace") == "green" and e["kind"] == "change" for e in events)


@pytest.mark.requirement("many-pages")
def test_every_address_of_a_page_stays_in_its_workspace(site: Site) -> None:
    import re

    cookie = site.sign_in("chief")
    site.call("chief", "red", "write_file", path=str(site.base / "ws/red/p.txt"), content="p\n")
    pages = ["/w/red/", "/w/red/held", "/w/red/comments", "/w/red/checkpoints"]
    change = re.search(r'href="(/w/red/change/\w+)"', site.get(cookie, "/w/red/")[1])
    assert change
    for page in [*pages, change[1]]:
        status, text = site.get(cookie, page)
        assert status == 200
        found = re.findall(r'(?:href|src|action)="(/[^"]*)"', text)
        assert found
        assert all(each.startswith("/w/red/") for each in found), (page, found)
        for each in {each for each in found if "/assets/" in each}:
            assert site.get(cookie, each.replace("&amp;", "&"))[0] == 200
    status, where = site.post(cookie, "/w/red/checkpoint", name="here")
    assert (status, where.partition("?")[0]) == (303, "/w/red/checkpoints")
    assert "Checkpoint" not in site.get(cookie, "/w/blue/")[1].partition("<main")[2]


@pytest.mark.requirement("many-rules")
def test_a_list_gives_each_workspace_its_own_rules(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    (tmp_path / "strict.toml").write_text('[[rule]]\npaths = ["*.lock"]\naction = "deny"\n')
    (tmp_path / "list.toml").write_text(
        f'[workspaces.one]\npath = "{tmp_path}/one"\npolicy = "{tmp_path}/strict.toml"\n'
        f'[workspaces.two]\npath = "{tmp_path}/two"\n'
        f'[workspaces.three]\npath = "{tmp_path}/three"\nread_only = true\n'
    )
    args = ["--workspaces", str(tmp_path / "list.toml"), "--no-record"]
    with connect("http", args, cwd=tmp_path, handshake=False) as client:
        assert isinstance(client, HttpClient)
        site = Site(client, tmp_path)
        path = {name: str(tmp_path / name / "a.lock") for name in ("one", "two", "three")}
        results = {
            name: site.call("", name, "write_file", path=each, content="x")
            for name, each in path.items()
        }
        assert "*.lock" in json.dumps(results["one"]) or results["one"].get("isError")
        assert not Path(path["one"]).exists()
        assert Path(path["two"]).read_text() == "x"
        assert "read-only" in json.dumps(results["three"])
        assert not Path(path["three"]).exists()


@pytest.mark.requirement("many-settings")
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--sandbox", "trusted"], "safe mode only"),
        (["--allow-write", "."], "directories"),
        (["--workspace", "."], "workspace"),
        (["--stdio"], "over HTTP"),
    ],
)
def test_settings_that_would_join_workspaces_are_refused(
    tmp_path: Path, flags: list[str], said: str
) -> None:
    import subprocess
    import sys

    from tests.wire.client import ROOT

    (tmp_path / "ws").mkdir()
    command = [sys.executable, "-m", "redline", "serve", "--port", "0", "--workspaces", "ws"]
    env = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    found = subprocess.run(
        [*command, *flags], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (found.returncode, said in found.stderr) == (2, True), found.stderr
