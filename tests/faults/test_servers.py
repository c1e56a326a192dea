"""Several servers over one workspace, driven over the wire."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults.children import in_child
from tests.faults.gates import dies_before
from tests.faults.scene import Scene
from tests.wire.client import Client, connect

SERVERS, EDITS = 4, 10


def _edit_over_and_over(client: Client, name: str) -> tuple[list[str], list[str]]:
    """What was acknowledged, and the words of every refusal."""
    done, refused = [], []
    for number in range(EDITS):
        line = f"{name}-{number}"
        edits = [{"oldText": "END", "newText": f"{line}\nEND"}]
        reply = client.call("edit_file", {"path": "f.txt", "edits": edits})
        if "error" in reply or reply["result"].get("isError"):
            refused.append(str(reply))
        else:
            done.append(line)
    return done, refused


@pytest.mark.requirement("engine-no-lost-update")
def test_four_servers_editing_one_file_keep_every_acknowledged_edit(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "f.txt").write_text("END\n")
    state = tmp_path / "state"
    env = {"XDG_STATE_HOME": str(state), "REDLINE_STATE_DIR": str(state / "journal")}
    args = ["--workspace", str(root), "--tools", "files,history"]
    clients = [connect("stdio", args, cwd=root, env=env) for _ in range(SERVERS)]
    try:
        with ThreadPoolExecutor(SERVERS) as pool:
            names = [f"s{number}" for number in range(SERVERS)]
            answers = list(pool.map(_edit_over_and_over, clients, names))
        listed = clients[0].call("list_changes", {"limit": 100})
    finally:
        for client in clients:
            client.close()
    acknowledged = [line for done, _ in answers for line in done]
    refusals = [words for _, refused in answers for words in refused]
    assert (root / "f.txt").read_text().split()[-1] == "END"
    assert sorted((root / "f.txt").read_text().split()[:-1]) == sorted(acknowledged)
    assert len(acknowledged) + len(refusals) == SERVERS * EDITS
    assert len(acknowledged) >= EDITS
    assert all("changed since" in words for words in refusals), refusals
    assert len(listed["result"]["structuredContent"]["changes"]) == len(acknowledged)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_that_listens_is_told_what_a_crash_cut_short(top: Path, transport: str) -> None:
    scene = Scene(top / "scene")
    before, after = scene.both()
    for number in range(1, 200):
        scene.lay_out()

        def dying(number: int = number) -> None:
            _, editor = scene.open(dies_before(number))
            scene.change(editor)

        in_child(dying)
        if scene.snapshot() != before:
            break
    args = ["--workspace", str(scene.root), "--state-dir", str(scene.state / "j")]
    with connect(transport, args, cwd=scene.root) as client:
        client.request("logging/setLevel", {"level": "notice"})
        client.call("read_file", {"path": "a"})
        client.call("read_file", {"path": "a"})
        (told,) = [note["params"] for note in client.notifications]
    assert "1 change that a crash interrupted" in client.stderr  # all of it is read by now
    assert told["level"] == "notice"
    assert "1 change that a crash interrupted" in told["data"]["message"]
    assert scene.snapshot() in (before, after)
