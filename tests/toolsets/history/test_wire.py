"""The history toolset over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.toolsets.history.conftest import Place
from tests.wire.client import Client, connect

Json = dict[str, Any]
TRANSPORTS_TAKE_TURNS = True


@pytest.fixture
def client(transport: str, place: Place) -> Iterator[Client]:
    """A client of a server on *place*."""
    with connect(transport, ["--tools", "history", *place.flags]) as connected:
        yield connected


def _ok(reply: Json) -> Json:
    assert not reply["result"]["isError"], reply
    structured: Json = reply["result"]["structuredContent"]
    return structured


def _code(reply: Json) -> str:
    assert reply["result"]["isError"], reply
    return str(reply["result"]["_meta"]["redline/failure"]["error"]["code"])


@pytest.mark.requirement("history-lists-newest-first")
def test_changes_are_listed_newest_first_with_who_made_them(place: Place, client: Client) -> None:
    first = place.write("a.txt", "one\n")
    second = place.write("a.txt", "two\n", tool="edit_file")
    rows = _ok(client.call("list_changes"))["changes"]
    assert [row["id"] for row in rows] == [second.id, first.id]
    assert rows[0]["tool"] == "edit_file"
    assert rows[0]["client"] == "tests 1"
    assert rows[0]["files"] == [{"path": "a.txt", "action": "edit", "kind": "file"}]


@pytest.mark.requirement("history-filters-and-pages")
def test_listing_filters_and_pages(place: Place, client: Client) -> None:
    operations = [place.write(f"f{n}.txt", "x", tool=f"tool{n % 2}") for n in range(5)]
    newest_first = [operation.id for operation in reversed(operations)]
    page = _ok(client.call("list_changes", {"limit": 2}))
    rest = _ok(client.call("list_changes", {"limit": 10, "cursor": page["next_cursor"]}))
    assert [row["id"] for row in page["changes"] + rest["changes"]] == newest_first
    assert rest["next_cursor"] is None
    by_path = _ok(client.call("list_changes", {"path": "f3.txt"}))["changes"]
    assert [row["id"] for row in by_path] == [operations[3].id]
    by_tool = _ok(client.call("list_changes", {"tool": "tool1"}))["changes"]
    assert {row["tool"] for row in by_tool} == {"tool1"}
    assert len(by_tool) == 2
    assert _ok(client.call("list_changes", {"until": "2001-01-01T00:00:00Z"}))["changes"] == []
    assert len(_ok(client.call("list_changes", {"since": "2001-01-01"}))["changes"]) == 5


def test_of_a_huge_change_the_first_files_are_named_and_all_are_counted(
    place: Place, client: Client
) -> None:
    made = place.write_all({f"f{n:04}.txt": f"text {n}\n" for n in range(700)})
    reply = client.call("list_changes")
    (row,) = _ok(reply)["changes"]
    assert (len(row["files"]), row["files_total"]) == (20, 700)
    assert "create f0002.txt +697" in reply["result"]["content"][0]["text"]
    (by_path,) = _ok(client.call("list_changes", {"path": "f0699.txt"}))["changes"]
    assert by_path == row, "found by a file that is not named"
    assert _ok(client.call("list_changes", {"path": "f0700.txt"}))["changes"] == []
    shown = _ok(client.call("show_change", {"id": made.id, "max_bytes": 1024}))
    assert (len(shown["files"]), shown["files_total"], shown["truncated"]) == (500, 700, True)
    assert shown["diff"].startswith("--- /dev/null\n+++ b/f0000.txt\n")
    undone = client.call("undo_change")
    assert (len(_ok(undone)["files"]), _ok(undone)["files_total"]) == (500, 700)
    assert "and 680 more" in undone["result"]["content"][0]["text"]
    place.write("small.txt", "x")
    assert "files_total" not in _ok(client.call("show_change"))


@pytest.mark.requirement("history-shows-a-diff")
def test_a_change_is_shown_as_a_diff(place: Place, client: Client) -> None:
    first = place.write("a.txt", "one\ntwo\n")
    place.write("a.txt", "one\n2\n")
    latest = _ok(client.call("show_change"))
    assert "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" in latest["diff"]
    assert latest["truncated"] is False
    named = _ok(client.call("show_change", {"id": first.id}))
    assert named["diff"].startswith("--- /dev/null\n+++ b/a.txt\n")


@pytest.mark.requirement("history-shows-a-diff")
def test_hidden_characters_in_a_diff_are_shown_and_counted(place: Place, client: Client) -> None:
    place.write("a.txt", "safe\u202e text\n")
    shown = _ok(client.call("show_change"))["diff"]
    assert "\u202e" not in shown
    assert "\\u202e" in shown
    assert "warning: 1 hidden character is shown escaped\n" in shown


@pytest.mark.requirement("history-undo-latest")
def test_undo_takes_back_the_latest_change_that_is_not_undone(place: Place, client: Client) -> None:
    first = place.write("a.txt", "one\n")
    second = place.write("a.txt", "two\n")
    undone = _ok(client.call("undo_change"))
    assert undone["reverts"] == second.id
    assert undone["id"] not in ("", first.id, second.id)
    assert (place.root / "a.txt").read_text() == "one\n"
    assert _ok(client.call("undo_change"))["reverts"] == first.id
    assert not (place.root / "a.txt").exists()
    assert _code(client.call("undo_change")) == "NOTHING_TO_UNDO"


@pytest.mark.requirement("history-redo")
@pytest.mark.parametrize("named", ["undo", "original", "latest"])
def test_redo_takes_an_undo_back_however_it_is_named(
    place: Place, client: Client, named: str
) -> None:
    change = place.write("a.txt", "one\n")
    undo = _ok(client.call("undo_change"))["id"]
    wanted = {"undo": {"id": undo}, "original": {"id": change.id}, "latest": {}}[named]
    assert _ok(client.call("redo_change", wanted))["id"]
    assert (place.root / "a.txt").read_text() == "one\n"


@pytest.mark.requirement("history-blocked")
def test_an_undo_over_somebodys_later_work_is_refused_with_the_difference(
    place: Place, client: Client
) -> None:
    change = place.write("a.txt", "one\n")
    (place.root / "a.txt").write_text("one\nmine\n")
    reply = client.call("undo_change", {"id": change.id})
    assert _code(reply) == "UNDO_BLOCKED"
    assert "+mine" in reply["result"]["content"][0]["text"]
    assert (place.root / "a.txt").read_text() == "one\nmine\n"


@pytest.mark.requirement("history-dry-run")
def test_a_dry_run_shows_the_diff_and_changes_nothing(place: Place, client: Client) -> None:
    place.write("a.txt", "one\n")
    planned = _ok(client.call("undo_change", {"dry_run": True}))
    assert planned["id"] is None
    assert "-one\n" in planned["diff"]
    assert (place.root / "a.txt").read_text() == "one\n"
    assert len(_ok(client.call("list_changes"))["changes"]) == 1


@pytest.mark.requirement("history-errors-teach")
def test_wrong_calls_are_told_how_to_go_on(place: Place, client: Client) -> None:
    assert _code(client.call("show_change", {"id": "nonesuch"})) == "UNKNOWN_CHANGE"
    assert _code(client.call("undo_change", {"id": "nonesuch"})) == "UNKNOWN_CHANGE"
    assert _code(client.call("undo_change")) == "NOTHING_TO_UNDO"
    assert _code(client.call("list_changes", {"since": "yesterday"})) == "INVALID_ARGUMENT"
    assert _code(client.call("list_changes", {"limit": 0})) == "INVALID_ARGUMENT"


@pytest.mark.requirement("history-read-only")
def test_read_only_servers_do_not_undo(place: Place, transport: str) -> None:
    place.write("a.txt", "one\n")
    with connect(transport, ["--tools", "history", "--read-only", *place.flags]) as client:
        listed = {tool["name"] for tool in client.list_tools()}
        assert "list_changes" in listed
        assert not listed & {"undo_change", "redo_change"}
        assert _code(client.call("undo_change")) == "READ_ONLY"
    assert (place.root / "a.txt").read_text() == "one\n"
