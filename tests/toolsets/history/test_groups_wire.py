"""Merged, partial and grouped undo, and whose change is whose, over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from redline.cli.main import main
from tests.toolsets.history.conftest import Place
from tests.wire.client import Client, HttpClient, connect

Json = dict[str, Any]
LINES = [f"line {number}\n" for number in range(1, 41)]
FLAGS = ["--tools", "history,files"]
TRANSPORTS_TAKE_TURNS = True


@pytest.fixture
def clients(transport: str, place: Place) -> Iterator[tuple[Client, Client]]:
    """Two clients on one workspace."""
    with ExitStack() as stack:
        one = stack.enter_context(connect(transport, [*FLAGS, *place.flags]))
        other = stack.enter_context(connect(transport, [*FLAGS, *place.flags]))
        yield one, other


def _ok(reply: Json) -> Json:
    assert not reply["result"].get("isError"), reply
    structured: Json = reply["result"]["structuredContent"]
    return structured


def _error(reply: Json) -> Json:
    assert reply["result"]["isError"], reply
    error: Json = reply["result"]["_meta"]["redline/failure"]["error"]
    return error


def _write(client: Client, path: str, text: str) -> str:
    reply = client.call("write_file", {"path": path, "content": text})
    assert not reply["result"].get("isError"), reply
    changes = _ok(client.call("list_changes", {"limit": 1}))["changes"]
    return str(changes[0]["id"])


def _text(**changed: str) -> str:
    lines = list(LINES)
    for name, line in changed.items():
        lines[int(name[1:]) - 1] = line
    return "".join(lines)


@pytest.mark.requirement("history-undo-merges")
def test_a_merged_undo_says_so_and_shows_the_diff(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    path = str(place.root / "f")
    _write(one, path, _text())
    change = _write(one, path, _text(_5="five\n"))
    (place.root / "f").write_text(_text(_5="five\n") + "mine\n")
    planned = _ok(one.call("undo_change", {"dry_run": True}))
    assert planned["merged"]
    assert planned["id"] is None
    reply = one.call("undo_change")
    done = _ok(reply)
    assert (done["merged"], done["reverts"]) == (True, change)
    assert "-five\n+line 5\n" in done["diff"]
    assert "merged" in reply["result"]["content"][0]["text"]
    assert (place.root / "f").read_text() == _text() + "mine\n"


@pytest.mark.requirement("history-undo-merges")
def test_a_refusal_names_the_change_in_the_way(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, other = clients
    path = str(place.root / "f")
    _write(one, path, _text())
    _write(one, path, _text(_5="five\n"))
    later = _write(other, path, _text(_5="cinq\n"))
    error = _error(one.call("undo_change"))
    assert error["code"] == "UNDO_BLOCKED"
    assert error["details"]["operations"] == [later]
    (conflict,) = error["details"]["conflicts"]
    assert (conflict["now"], conflict["wanted"]) == (["cinq"], ["line 5"])
    assert (place.root / "f").read_text() == _text(_5="cinq\n")


@pytest.mark.requirement("history-whose")
def test_a_bare_undo_takes_the_callers_own_latest_change(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, other = clients
    mine = _write(one, str(place.root / "a"), "mine\n")
    theirs = _write(other, str(place.root / "b"), "theirs\n")
    assert _ok(one.call("undo_change"))["reverts"] == mine
    error = _error(one.call("undo_change"))
    assert error["code"] == "NOTHING_TO_UNDO"
    assert theirs in error["message"]
    assert _ok(one.call("undo_change", {"id": theirs[:6]}))["reverts"] == theirs
    assert _error(other.call("redo_change"))["code"] == "NOTHING_TO_UNDO"
    assert _ok(one.call("redo_change"))
    assert (place.root / "b").exists()


@pytest.mark.requirement("history-whose")
def test_listing_tells_who_made_a_change_and_filters_by_it(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, other = clients
    mine = _write(one, str(place.root / "a"), "mine\n")
    theirs = _write(other, str(place.root / "b"), "theirs\n")
    rows = {row["id"]: row for row in _ok(one.call("list_changes"))["changes"]}
    sessions = {rows[mine]["session"], rows[theirs]["session"]}
    assert len(sessions) == 2
    assert "" not in sessions
    assert rows[mine]["client"]
    own = _ok(one.call("list_changes", {"session": "current"}))["changes"]
    assert [row["id"] for row in own] == [mine]
    named = _ok(one.call("list_changes", {"session": rows[theirs]["session"]}))["changes"]
    assert [row["id"] for row in named] == [theirs]
    assert _ok(one.call("list_changes", {"principal": "nobody"}))["changes"] == []
    client = rows[mine]["client"].split(" ")[0]
    assert len(_ok(one.call("list_changes", {"client": client}))["changes"]) == 2
    assert _ok(one.call("show_change", {"id": mine}))["session"] == rows[mine]["session"]


@pytest.mark.requirement("history-undo-groups")
def test_a_session_goes_back_to_its_checkpoint_around_another_ones_work(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, other = clients
    path = str(place.root / "f")
    place.write("f", _text())
    assert _ok(one.call("create_checkpoint", {"name": "before refactoring"}))["id"]
    _write(one, path, _text(_5="five\n"))
    _write(other, path, _text(_5="five\n", _20="twenty\n"))
    _write(one, path, _text(_5="five\n", _20="twenty\n", _35="x\n"))
    _write(one, str(place.root / "new"), "new\n")
    done = _ok(one.call("undo_change", {"to": "before refactoring"}))
    assert done["merged"]
    assert len(done["reverts"].split(",")) == 3
    assert (place.root / "f").read_text() == _text(_20="twenty\n")
    assert not (place.root / "new").exists()
    _ok(one.call("redo_change"))
    assert (place.root / "f").read_text() == _text(_5="five\n", _20="twenty\n", _35="x\n")
    session = _ok(one.call("list_changes", {"limit": 1}))["changes"][0]["session"]
    _ok(other.call("undo_change", {"session": session}))
    assert _error(other.call("undo_change", {"session": session}))["code"] == "NOTHING_TO_UNDO"


@pytest.mark.requirement("history-undo-groups")
def test_since_takes_the_named_change_back_too(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    for name in ("a", "b", "c"):
        last = _write(one, str(place.root / name), name)
    second = _ok(one.call("list_changes", {"limit": 2}))["changes"][1]["id"]
    _ok(one.call("undo_change", {"since": second}))
    assert [path.name for path in place.root.iterdir()] == ["a"]
    _ok(one.call("undo_change", {"since": last}))
    names = {path.name for path in place.root.iterdir()}
    assert names == {"a", "b"}, "back then, b had not been undone"
    both = _error(one.call("undo_change", {"since": last, "to": last}))
    assert both["code"] == "INVALID_ARGUMENT"
    assert _ok(one.call("undo_change", {"session": "current"}))
    assert list(place.root.iterdir()) == []


@pytest.mark.requirement("history-undo-parts")
def test_hunks_are_numbered_where_there_are_several_and_undone_by_number(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    path = str(place.root / "f")
    _write(one, path, _text())
    change = _write(one, path, _text(_2="two\n", _20="twenty\n", _38="x\n"))
    _write(one, str(place.root / "g"), "g\n")
    shown = _ok(one.call("show_change", {"id": change}))["diff"]
    assert [line for line in shown.splitlines() if line.startswith("@@")] == [
        "@@ -1,5 +1,5 @@ hunk 1",
        "@@ -17,7 +17,7 @@ hunk 2",
        "@@ -35,6 +35,6 @@ hunk 3",
    ]
    part = _ok(one.call("undo_change", {"id": change, "hunks": [1, 3]}))
    assert (place.root / "f").read_text() == _text(_20="twenty\n")
    _ok(one.call("undo_change", {"id": part["id"]}))
    assert (place.root / "f").read_text() == _text(_2="two\n", _20="twenty\n", _38="x\n")
    _ok(one.call("undo_change", {"id": change, "paths": ["f"]}))
    assert (place.root / "f").read_text() == _text()


@pytest.mark.requirement("history-whose")
def test_texts_name_the_client_and_session_and_a_part_in_words(
    place: Place, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    path = str(place.root / "f")
    _write(one, path, _text())
    change = _write(one, path, _text(_5="five\n", _30="thirty\n"))
    row = _ok(one.call("list_changes", {"limit": 1}))["changes"][0]
    for tool in ("list_changes", "show_change"):
        text = one.call(tool)["result"]["content"][0]["text"]
        assert f"[{row['client']}, session {row['session']}]" in text
    text = one.call("undo_change", {"hunks": [2]})["result"]["content"][0]["text"]
    assert text.startswith(f"Undid a part of {change} (f); this is change ")
    one.call("move_file", {"source": path, "destination": str(place.root / "g")})
    text = one.call("undo_change", {"session": "current"})["result"]["content"][0]["text"]
    assert "(f);" in text, "a file that is moved and edited is named once"


@pytest.mark.requirement("history-command-line")
def test_status_says_where_the_server_listens(
    place: Place, clients: tuple[Client, Client], capsys: pytest.CaptureFixture[str]
) -> None:
    one, _ = clients
    _write(one, str(place.root / "f"), "x\n")
    assert main(["status", *place.flags]) == 0
    shown = capsys.readouterr().out
    address = f"http://{one.host}:{one.port}/mcp" if isinstance(one, HttpClient) else "stdio"
    assert f"served   {address} by process {one.process.pid}, " in shown
