"""Real clients, led by a scripted model, change a recorded workspace with their own tools."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from redline.cli.main import main
from redline.core.ports.history import OUTSIDE, HistoryQuery, Operation, Origin
from redline.recorder.claims import SLACK_NS
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.clients.at_work import REAL_CLIENTS, Desktop, work
from tests.clients.record_payloads import name_events, recorded, shape_of
from tests.support import REPO, need_node

pytestmark = [pytest.mark.node, pytest.mark.requirement("hooks-real-clients")]

PATIENCE = 60.0
RENEW = "python -m tests.clients.record_payloads renews what is pinned"
# Which file each step changes, and by which tool and text the history names it.
CHANGES = {
    "claude-code": {
        "a.txt": ("Bash", "sed -i s/one/two/ a.txt"),
        "b.txt": ("Edit", "@ROOT@/b.txt"),
        "n.txt": ("Write", "@ROOT@/n.txt"),
    },
    "codex": {
        "a.txt": ("Bash", "sed -i s/one/two/ a.txt"),
        "b.txt": ("apply_patch", "@ROOT@/b.txt"),
        "d.txt": ("Bash", "@ROOT@/d.txt"),
    },
    "gemini": {
        "a.txt": ("run_shell_command", "sed -i s/one/two/ a.txt"),
        "b.txt": ("replace", "@ROOT@/b.txt"),
        "n.txt": ("write_file", "@ROOT@/n.txt"),
    },
}


@dataclass(frozen=True)
class Finished:
    """What a client and a person beside it have done."""

    client: str
    desktop: Desktop
    redline: Redline
    first: dict[str, bytes]
    persons: list[str]
    outside: list[str]


@pytest.fixture(scope="module", params=REAL_CLIENTS)
def finished(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Finished]:
    need_node()
    client: str = request.param
    desktop = Desktop(tmp_path_factory.mktemp("at-work"))
    desktop.prepare()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("HOME", str(desktop.home))
        monkeypatch.setenv("XDG_STATE_HOME", str(desktop.home / "state"))
        monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
        monkeypatch.delenv("CODEX_HOME", raising=False)
        place = ["--workspace", str(desktop.folder), "--state-dir", str(desktop.state)]
        assert main(["hooks", "install", client, *place]) == 0
        settings = Settings(workspace=str(desktop.folder), state_dir=str(desktop.state))
        with Redline(settings) as redline:
            yield _watch_at_work(client, desktop, redline)


def _watch_at_work(client: str, desktop: Desktop, redline: Redline) -> Finished:
    """Record what a client does, and a person between the runs of its tools."""
    first = _texts(desktop.folder)
    persons: list[str] = []

    def write_beside(step: str) -> None:
        time.sleep(2 * SLACK_NS / 1e9)  # the tool ended, but clocks may differ by that much
        persons.append(f"person-{step}.txt")
        written = desktop.folder.parent / persons[-1]
        written.write_text("a person's\n")
        written.rename(desktop.folder / persons[-1])  # there at once, with its text

    learned = threading.Event()
    session = redline.recording.open(lambda _: learned.set())
    assert session is not None
    session.start()
    assert learned.wait(PATIENCE)
    model = work(client, desktop, write_beside)
    wanted = {*persons, "own.txt", *CHANGES[client]}
    _until(lambda: wanted <= _by_file(redline).keys())
    session.close()
    assert list(session.limits) == []
    return Finished(client, desktop, redline, first, persons, model.unknown)


def _until(holds: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def _texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.txt")}


def _by_file(redline: Redline) -> dict[str, Operation]:
    """The operation that changed each file; each was changed once."""
    found: dict[str, Operation] = {}
    for operation in redline.history.list(HistoryQuery(limit=1000)):
        for path in operation.change_set.paths:
            assert path.relative not in found or not path.name.endswith(".txt"), path
            found[path.relative] = operation
    return found


def test_what_a_client_changes_is_its_own_and_what_a_person_does_beside_it_the_persons(
    finished: Finished,
) -> None:
    found = _by_file(finished.redline)
    (session,) = {payload["session_id"] for payload in finished.desktop.payloads()}
    for name, (tool, text) in CHANGES[finished.client].items():
        origin = found[name].origin
        named = (origin.client, origin.tool, origin.session)
        assert named == (finished.client, tool, session), name
        assert origin.summary.startswith(text.replace("@ROOT@", str(finished.desktop.folder)))
    for name in finished.persons:
        origin = found[name].origin
        assert (origin.client, origin.tool) == ("", OUTSIDE), name
    assert found["own.txt"].origin.tool == "edit_file"


def test_its_hooks_are_sent_the_fields_that_are_pinned_for_its_version(finished: Finished) -> None:
    pinned, real = recorded(finished.client), REAL_CLIENTS[finished.client]
    assert pinned["version"] == real.version, RENEW
    steps = list(real.steps(finished.desktop))
    events = name_events(finished.client, steps, finished.desktop.payloads())
    assert shape_of(events) == shape_of(pinned["events"]), RENEW


def test_it_asks_for_nothing_outside_this_machine(finished: Finished) -> None:
    assert finished.outside == []


def test_undone_one_by_one_everything_is_as_it_was(finished: Finished) -> None:
    for operation in finished.redline.history.list(HistoryQuery(limit=1000)):
        if any(path.name.endswith(".txt") for path in operation.change_set.paths):
            finished.redline.editor.undo(operation.id, Origin("undo_change"))
    assert _texts(finished.desktop.folder) == finished.first


def test_the_documentation_names_the_versions_that_are_pinned() -> None:
    page = (REPO / "docs" / "clients" / "who.md").read_text()
    assert [name for name in REAL_CLIENTS if recorded(name)["version"] not in page] == []
