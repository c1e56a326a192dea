"""The hook never fails or holds up the client that runs it, and finds the right recorder."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from redline.adapters.files.platform import state_dir_of
from redline.recorder.adapters import hook_program as program
from redline.recorder.adapters.hook_listener import MAX_LINE, HookListener, read_event
from redline.recorder.ports import HookEvent, Moment
from redline.recorder.wiring import hook_program
from tests.recorder.adapters.hook_runs import CLIENTS, payloads, run_hook

pytestmark = pytest.mark.requirement("hooks-harmless")

MAX_SECONDS = 3.0
HOSTILE = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"\xff\xfe\x00",
    b"[" * 200_000,
    b'{"hook_event_name": {"a": 1}, "cwd": 3, "tool_input": []}',
    b'{"hook_event_name": "PreToolUse", "cwd": "/\\u0000", "tool_input": {"file_path": "\\u0000"}}',
    b'{"hook_event_name": "PreToolUse", "cwd": "/", "session_id": "\\ud800"}',
]


class Heard:
    """A recorder's ear."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.events: list[HookEvent] = []
        self.listener = HookListener(str(state), self.events.append)
        assert self.listener.limits == ""

    def until(self, holds: Callable[[], object]) -> None:
        ends = time.monotonic() + 30
        while not holds():
            assert time.monotonic() < ends, self.events
            time.sleep(0.01)

    @property
    def path(self) -> Path:
        return self.state / program.FOLDER / program.SOCKET

    def send(self, *pieces: bytes) -> None:
        """Connect and send, as any process of this user may."""
        with socket.socket(socket.AF_UNIX) as peer:
            here = os.open(self.path.parent, os.O_RDONLY)
            try:
                peer.connect(f"/proc/self/fd/{here}/{program.SOCKET}")
                for piece in pieces:
                    peer.sendall(piece)
            except OSError:  # it hung up: the line was too long
                pass
            finally:
                os.close(here)


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    state = tmp_path / "state"
    state.mkdir()
    found = Heard(state)
    yield found
    found.listener.close()


@pytest.mark.parametrize("client", CLIENTS)
def test_without_a_recorder_every_event_ends_well_and_says_nothing(
    client: str, tmp_path: Path
) -> None:
    for name, event in payloads(client, tmp_path).items():
        done = run_hook(client, json.dumps(event).encode(), env={"XDG_STATE_HOME": str(tmp_path)})
        answers = client in ("cursor", "gemini") or (client, name) == ("codex", "stop")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n" if answers else b"", b"")


@pytest.mark.parametrize("stdin", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("client", ["claude-code", "gemini", "unknown"])
def test_hostile_input_ends_well(client: str, stdin: bytes, heard: Heard) -> None:
    done = run_hook(client, stdin, state=heard.state)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout in (b"", b"{}\n")


def test_no_arguments_and_a_missing_directory_end_well(tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-S", hook_program()]
    done = subprocess.run(argv, input=b"{}", capture_output=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    gone = payloads("claude-code", tmp_path / "gone")["before_shell"]
    assert run_hook("claude-code", json.dumps(gone).encode()).returncode == 0


def test_input_that_never_ends_is_given_up(tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-S", hook_program(), "claude-code"]
    begun = time.monotonic()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as hook:
        assert hook.stdin is not None
        hook.stdin.write(b"{")
        hook.stdin.flush()
        assert hook.wait(30) == 0
    assert time.monotonic() - begun < MAX_SECONDS + 2  # the interpreter starts, under load


def test_a_recorder_that_hangs_is_given_up(tmp_path: Path) -> None:
    home = tmp_path / program.FOLDER
    home.mkdir()
    event = payloads("claude-code", tmp_path)["before_shell"]
    waiting: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as deaf:
        here = os.open(home, os.O_RDONLY)
        name = f"/proc/self/fd/{here}/{program.SOCKET}"
        deaf.bind(name)
        deaf.listen(0)
        for _ in range(4):  # nobody accepts, and no place is left to wait in
            peer = socket.socket(socket.AF_UNIX)
            peer.setblocking(False)
            peer.connect_ex(name)
            waiting.append(peer)
        begun = time.monotonic()
        done = run_hook("claude-code", json.dumps(event).encode(), state=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert time.monotonic() - begun < program.MAX_TIME - 0.5
        for peer in waiting:
            peer.close()
        os.close(here)


def test_the_hook_computes_the_state_directory_as_redline_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for workspace in ("/", "/home/person/my project", f"/x/{'n' * 80}", "/é/ü"):
        assert program.state_dir_of(workspace) == state_dir_of(workspace)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert program.state_dir_of("/a") == state_dir_of("/a")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert program.state_dir_of("/a") == state_dir_of("/a")


def test_it_finds_the_recorder_of_a_directory_above_the_one_it_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / ("long" * 30)))
    root = tmp_path / "ws"
    (root / "deep" / "below").mkdir(parents=True)
    state = Path(state_dir_of(str(root)))
    state.mkdir(parents=True)
    ear = Heard(state)
    event = payloads("codex", root / "deep" / "below")["before_edit"]
    assert run_hook("codex", json.dumps(event).encode()).returncode == 0
    ear.until(lambda: ear.events)
    (found,) = ear.events
    assert found.files == {str(root / "deep" / "below" / "b.txt")}
    assert (found.client, found.moment, found.tool) == ("codex", Moment.BEFORE, "apply_patch")
    ear.listener.close()
    assert not ear.path.exists()


def test_the_socket_is_private(tmp_path: Path) -> None:
    (tmp_path / program.FOLDER).mkdir(mode=0o755)
    heard = Heard(tmp_path)
    assert stat.S_IMODE(heard.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(heard.path.stat().st_mode) == 0o600
    heard.listener.close()


def test_a_socket_that_a_killed_recorder_left_is_replaced(heard: Heard) -> None:
    again = Heard(heard.state)
    again.send(_line())
    again.until(lambda: again.events)
    again.listener.close()


def test_what_is_malformed_or_late_or_too_long_is_ignored(heard: Heard) -> None:
    heard.send(b"not json\n")
    heard.send(b"{}\n", b"more")
    heard.send(b"x" * (2 * MAX_LINE))
    heard.send(_line(tool="Long", more="x" * MAX_LINE))
    heard.send(b"no end")
    heard.send()
    heard.send(_line())
    heard.until(lambda: heard.events)
    assert [event.tool for event in heard.events] == ["Bash"]


def test_a_hook_that_is_held_up_after_it_connected_is_heard(heard: Heard) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        here = os.open(heard.path.parent, os.O_RDONLY)
        peer.connect(f"/proc/self/fd/{here}/{program.SOCKET}")
        os.close(here)
        time.sleep(0.6)
        peer.sendall(_line())
    heard.until(lambda: heard.events)


@pytest.mark.parametrize(
    "wrong",
    [
        {"client": "other"},
        {"client": []},
        {"moment": "sometime"},
        {"moment": []},
        {"time": "now"},
        {"time": True},
        {"files": "a"},
        {"files": [1]},
        {"files": ["x"] * 1000},
        {"files": ["x" * 5000]},
    ],
)
def test_a_line_that_no_hook_sends_is_ignored(wrong: dict[str, object]) -> None:
    assert read_event(_line(), 10**18) is not None
    assert read_event(_line(**wrong), 10**18) is None


def test_a_time_that_is_not_now_is_not_believed() -> None:
    now = 10**18
    late = read_event(_line(time=2 * now), now)
    early = read_event(_line(time=0), now)
    assert late is not None
    assert early is not None
    assert late.time_ns == now
    assert early.time_ns > now - 60 * 10**9


def _line(**fields: object) -> bytes:
    said = {"client": "codex", "moment": "before", "time": 10**18, "tool": "Bash", "files": []}
    return json.dumps({**said, **fields}).encode() + b"\n"


PATCH = """*** Begin Patch
*** Update File: b.txt
@@
-one
+two
*** Add File: new/c.txt
+c
*** End Patch
"""


@pytest.mark.requirement("hooks-origins")
@pytest.mark.parametrize(
    ("command", "files"),
    [
        (PATCH, ["b.txt", "new/c.txt"]),
        (f"apply_patch <<'EOF'\n{PATCH}EOF\n", ["b.txt", "new/c.txt"]),
        (f"apply_patch <<EOF\n{PATCH}EOF", ["b.txt", "new/c.txt"]),
        (f"cd deep && apply_patch <<'EOF'\n{PATCH}EOF\n", ["deep/b.txt", "deep/new/c.txt"]),
        (f"apply_patch <<'EOF'\n{PATCH}EOF\nrm a.txt\n", []),
        (f"rm a.txt; apply_patch <<'EOF'\n{PATCH}EOF\n", []),
        (f"cat > patch.txt <<'EOF'\n{PATCH}EOF\n", []),
        ("apply_patch < patch.txt", []),
    ],
)
def test_a_command_that_only_applies_a_patch_names_its_files(
    tmp_path: Path, command: str, files: list[str]
) -> None:
    event = {"hook_event_name": "PreToolUse", "cwd": str(tmp_path), "tool_name": "Bash"}
    found = program.describe("codex", {**event, "tool_input": {"command": command}}, 1)
    assert found is not None
    assert found["files"] == [str(tmp_path / file) for file in files]
    assert found["command"] == ("" if files else command[: program.MAX_TEXT])


def test_catching_up_waits_until_what_hooks_have_sent_is_passed_on(tmp_path: Path) -> None:
    gate = threading.Event()
    ear = Heard(tmp_path / "other")
    ear.listener.close()
    ear.listener = HookListener(str(ear.state), lambda e: (gate.wait(30), ear.events.append(e)))
    said = {"client": "codex", "moment": Moment.BEFORE, "time": 1, "files": []}
    for _ in range(3):
        ear.send(json.dumps(said).encode() + b"\n")
    threading.Timer(0.05, gate.set).start()
    ear.listener.catch_up()
    assert len(ear.events) == 3
    ear.listener.close()
    ear.listener.catch_up()
