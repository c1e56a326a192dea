"""The recorder at work on a real watcher: what other programs do is in the history soon."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from redline.core.changes import Change
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command
from redline.core.ports.history import OUTSIDE, HistoryQuery, Operation, Origin
from redline.recorder import entries, wiring
from redline.recorder.adapters.watching import KernelWatcher
from redline.recorder.ports import Noticed
from redline.recorder.session import RecordingSession
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.adapters.processes.ground import Patience, require
from tests.support import need

PATIENCE = 60.0


class Recorded:
    """A workspace that is recorded from the outside."""

    def __init__(self, base: Path) -> None:
        self.root = base / "ws"
        self.root.mkdir()
        (self.root / "a.txt").write_text("one\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        self.redline = Redline(Settings(workspace=str(self.root), state_dir=str(base / "state")))
        self.seen: list[Operation] = []
        self.started = False
        session = self.redline.recording.open(self._report)
        assert session is not None
        self.session = session
        session.start()
        self.until(lambda: self.started)

    def _report(self, operations: Sequence[Operation]) -> None:
        self.seen += operations
        self.started = True

    def until(self, holds: Callable[[], object]) -> None:
        ends = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < ends, self.session.limits
            time.sleep(0.02)

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Recorded]:
    made = Recorded(tmp_path)
    yield made
    made.redline.close()


@pytest.mark.requirement("recorder-records")
def test_an_editors_save_by_rename_is_recorded(recorded: Recorded) -> None:
    swap = recorded.root / "a.txt.swp"
    swap.write_text("one\ntwo\n")
    os.replace(swap, recorded.root / "a.txt")
    recorded.until(lambda: recorded.seen)
    [operation] = recorded.seen
    assert [path.relative for path in operation.change_set.paths] == ["a.txt"]


@pytest.mark.requirement("recorder-git")
def test_a_checkout_is_one_operation_named_as_such(recorded: Recorded) -> None:
    recorded.git("checkout", "-q", "-b", "other")
    for number in range(30):
        (recorded.root / f"f{number}.txt").write_text(f"{number}\n")
    recorded.until(lambda: sum(o.step_count for o in recorded.seen) == 30)
    recorded.git("add", ".")
    recorded.git("commit", "-qm", "many")
    count = len(recorded.seen)
    recorded.git("checkout", "-q", "main")
    recorded.until(lambda: len(recorded.seen) > count)
    operation = recorded.seen[-1]
    assert operation.origin.summary == "git checkout: moving from other to main"
    assert operation.step_count == 30


@pytest.mark.requirement("recorder-own-once")
def test_what_a_command_of_ours_changes_is_recorded_as_the_commands(recorded: Recorded) -> None:
    require("bubblewrap")
    line = "for i in 1 2 3 4 5; do echo $i > c$i.txt; sleep 0.2; done"
    command = Command(line, WorkspacePath(0, ()), timeout=60.0)
    recorded.redline.commands.run(command, Origin("exec_command"), Patience(), 1 << 20)
    (recorded.root / "person.txt").write_text("mine\n")
    recorded.until(lambda: recorded.seen)
    [operation] = recorded.seen
    assert operation.origin.tool == OUTSIDE
    assert [path.relative for path in operation.change_set.paths] == ["person.txt"]


@pytest.mark.requirement("recorder-own-once")
@pytest.mark.parametrize("is_known", [False, True])
def test_what_a_command_wrote_before_the_recorder_started_is_only_the_commands(
    tmp_path: Path, is_known: bool
) -> None:
    require("bubblewrap")
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))

    def record(redline: Redline) -> tuple[RecordingSession, threading.Event]:
        started = threading.Event()
        session = redline.recording.open(lambda _: started.set())
        assert session is not None
        session.start()
        return session, started

    if is_known:
        with Redline(settings) as redline:
            assert record(redline)[1].wait(PATIENCE)
    with Redline(settings) as redline:
        line = "echo two > a.txt; echo new > b.txt; sleep 1; echo three >> a.txt"
        job = redline.commands.start(
            Command(line, WorkspacePath(0, ()), timeout=60.0), Origin("exec_command")
        )
        while not (root / "b.txt").exists():
            time.sleep(0.01)
        session, started = record(redline)
        redline._processes.finish(job, Patience(), 1 << 20)
        assert started.wait(PATIENCE)
        (root / "person.txt").write_text("mine\n")
        session.close()
        latest, *others = redline.history.list(HistoryQuery())
    assert [path.relative for path in latest.change_set.paths] == ["person.txt"]
    assert [each.origin.tool for each in others] == ["exec_command"]


@pytest.mark.requirement("recorder-one")
def test_a_second_recorder_of_a_workspace_is_refused(recorded: Recorded) -> None:
    settings = recorded.redline.settings
    with Redline(settings) as other:
        assert other.recording.open(lambda _: None) is None


@pytest.mark.requirement("recorder-one")
def test_status_names_the_recorder_and_what_it_leaves_out(recorded: Recorded) -> None:
    with Redline(recorded.redline.settings) as other:
        condition = other.recorder()
        assert condition is not None
        assert (condition.pid, condition.limits) == (os.getpid(), ())
        (recorded.root / "large.bin").write_bytes(bytes(5 << 20))
        recorded.until(lambda: (other.recorder() or condition).limits)
        condition = other.recorder()
        assert condition is not None
        assert condition.limits == ("not recorded: large.bin",)
        found = [(each.level, each.text) for each in other.examine() if each.about == "recorder"]
        assert found[0][1].startswith(f"process {os.getpid()} records what other programs change")
        assert found[1] == ("weak", "not recorded: large.bin")
    elsewhere = Settings(workspace=str(recorded.root), state_dir=str(recorded.root.parent / "no"))
    with Redline(elsewhere) as other:
        assert other.recorder() is None
        (finding,) = [each for each in other.examine() if each.about == "recorder"]
        assert "are not recorded" in finding.text


@pytest.mark.requirement("recorder-restart")
def test_after_a_failure_it_begins_with_what_was_saved_and_records_everything_once(
    recorded: Recorded,
) -> None:
    database = sqlite3.connect(Path(recorded.redline.state_dir) / "recorder.db")
    database.execute("begin immediate")
    (recorded.root / "a.txt").write_text("two\n")
    recorded.until(lambda: recorded.session.failure)
    assert any("tried again" in text for text in recorded.session.limits)
    database.rollback()
    database.close()
    (recorded.root / "b.txt").write_text("new\n")
    recorded.until(lambda: not recorded.session.failure)
    steps = [
        step.path.relative
        for operation in recorded.redline.history.list(HistoryQuery(limit=100))
        for step in operation.change_set.steps
        if isinstance(step, Change)
    ]
    assert sorted(steps) == ["a.txt", "b.txt"]


def test_a_change_while_it_learns_is_recorded(tmp_path: Path) -> None:
    watcher = KernelWatcher([str(tmp_path)])
    (tmp_path / "a.txt").write_text("written before anything waits\n")
    noticed = watcher.wait()
    assert noticed is not None
    assert noticed.paths == {str(tmp_path / "a.txt")}
    watcher.close()


@pytest.mark.requirement("recorder-fallback")
@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_without_watches_it_looks_again_and_says_so(tmp_path: Path, limit: str) -> None:
    root = tmp_path / "ws"
    for number in range(20):
        (root / str(number)).mkdir(parents=True)
    alone = ["unshare", "-Ur", "sh", "-c", f'echo 3 > /proc/sys/user/{limit} && exec "$@"', "sh"]
    if limit == "max_inotify_instances":
        alone[4] = alone[4].replace("echo 3", "echo 0")
    can = shutil.which("unshare") and subprocess.run([*alone, "true"], capture_output=True)
    need(bool(can) and can.returncode == 0, "user namespaces with limits of their own")
    program = [sys.executable, "-m", "redline", "watch", "--workspace", str(root)]
    program += ["--state-dir", str(tmp_path / "state")]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen([*alone, *program], env=env, stdout=-1, text=True) as process:
        assert process.stdout is not None
        while "changes are looked for every 5 s" not in (line := process.stdout.readline()):
            assert line, "it ended without saying so"
        settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))
        with Redline(settings) as redline:
            condition = redline.recorder()
            assert condition is not None
            assert "no more watches" in condition.limits[0]
            assert "each directory takes one" in condition.limits[0]
            assert "fs.inotify.max_user_watches is " in condition.limits[0]
            ends = time.monotonic() + PATIENCE
            while not redline.history.list(HistoryQuery(limit=1)):
                # It may still learn the workspace, and takes for known what is there by then.
                (root / "19" / "new.txt").write_text(f"{time.monotonic()}\n")
                time.sleep(0.5)
                assert time.monotonic() < ends, "it records nothing"
        process.terminate()


@pytest.mark.requirement("recorder-fallback")
def test_without_watches_a_look_that_takes_long_is_followed_by_a_longer_wait(
    tmp_path: Path,
) -> None:
    watcher = KernelWatcher([str(tmp_path)], look_again=0.001)
    watcher._kernel = None
    assert watcher.wait() == Noticed(None)
    began = time.thread_time()
    while (looked := time.thread_time() - began) < 0.05:
        pass
    waits = time.monotonic()
    assert watcher.wait() == Noticed(None)
    assert time.monotonic() - waits >= 4 * looked
    watcher.close()


class _Quiet:
    """The kernel's watcher as it is after a burst of which nothing else was reported."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    def watch(self, *_: object) -> object:
        return self.answers.pop(0)


@pytest.mark.requirement("recorder-overflow")
def test_more_at_once_than_the_kernel_may_keep_is_a_look_at_everything(tmp_path: Path) -> None:
    watcher = KernelWatcher([str(tmp_path)], max_events=20)
    for number in range(40):
        (tmp_path / f"{number}.txt").write_text("new\n")
    noticed = watcher.wait()
    watcher.close()
    assert noticed is not None
    assert noticed.paths is None
    assert "changes at once: looking at every file" in noticed.reason


@pytest.mark.requirement("recorder-overflow")
def test_a_quiet_minute_after_changes_is_time_for_one_look_at_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = KernelWatcher([str(tmp_path)])
    changed = {(1, str(tmp_path / "a.txt"))}
    kernel = _Quiet("timeout", "timeout", changed, "timeout", "timeout", "stop")
    monkeypatch.setattr(watcher, "_kernel", kernel)
    assert watcher.wait() == (frozenset({str(tmp_path / "a.txt")}), "")
    assert watcher.wait() == (None, "")
    assert kernel.answers == ["timeout", "stop"]
    watcher.close()


class _Reports:
    """A watcher that notices only what it is given; see `recorder.ports.Watcher`."""

    limits = ""

    def __init__(self) -> None:
        self._given: queue.Queue[Noticed | None] = queue.Queue()

    def give(self, noticed: Noticed | None) -> None:
        self._given.put(noticed)

    def wait(self) -> Noticed | None:
        return self._given.get(timeout=PATIENCE)

    def renew(self) -> None:
        raise AssertionError("nothing was unreadable")

    def close(self) -> None:
        self._given.put(None)


@pytest.mark.requirement("recorder-overflow")
def test_what_the_kernel_dropped_is_recorded_and_that_it_looks_at_everything_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redline.recorder.adapters.watching.KernelWatcher", lambda _: reports)
    reports, seen, said = _Reports(), list[Operation](), list[str]()
    root = tmp_path / "ws"
    root.mkdir()
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))
    with Redline(settings) as redline:
        learned = threading.Event()

        def report(operations: Sequence[Operation]) -> None:
            seen.extend(operations)
            learned.set()

        session = redline.recording.open(report, said.append)
        assert session is not None
        session.start()
        assert learned.wait(PATIENCE)
        (root / "b.txt").write_text("new\n")
        reports.give(Noticed(frozenset({str(root / "d" / "other.txt")})))
        reports.give(Noticed(None, "9000 changes at once: looking at every file"))
        _until(lambda: seen)
        assert said == ["9000 changes at once: looking at every file"]
        assert [path.relative for path in seen[0].change_set.paths] == ["b.txt"]
        _until(lambda: not session.limits)


@pytest.mark.requirement("recorder-overflow")
def test_a_change_whose_event_the_kernel_dropped_is_recorded_after_a_quiet_time(
    tmp_path: Path,
) -> None:
    root = tmp_path / "ws"
    for folder in ("busy", "other"):
        (root / folder).mkdir(parents=True)
    program = (
        "import redline.recorder.adapters.watching as watching; watching.REST_MS = 300;"
        "from redline.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    )
    argv = [sys.executable, "-u", "-c", program, "watch", "--workspace", str(root)]
    argv += ["--state-dir", str(tmp_path / "state")]
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))
    with subprocess.Popen(argv, stdout=-1, text=True) as process, Redline(settings) as redline:
        (root / "a.txt").write_text("one\n")
        changes = 0
        while not redline.history.list(HistoryQuery(limit=1)):  # it may still learn
            changes += 1
            (root / "a.txt").write_text(f"{changes}\n")
            time.sleep(0.3)
            assert changes < PATIENCE * 3, "it records nothing"
        process.send_signal(signal.SIGSTOP)
        for _ in range(90):  # each write is an event, and the kernel keeps 16,384 of them
            for number in range(100):
                with (root / "busy" / f"{number}.txt").open("a") as file:
                    file.write("x\n")
        (root / "other" / "late.txt").write_text("new\n")
        process.send_signal(signal.SIGCONT)
        _until(lambda: "other/late.txt" in _names(redline))
        process.terminate()


def _names(redline: Redline) -> set[str]:
    operations = redline.history.list(HistoryQuery(limit=1000))
    return {path.relative for each in operations for path in each.change_set.paths}


@pytest.mark.requirement("recorder-one")
def test_a_server_takes_over_when_the_recorder_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "_RECORD_AFTER", 0.01)
    monkeypatch.setattr(wiring, "_ASK_AGAIN", 0.05)
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))
    first = [sys.executable, "-m", "redline", "watch", "--workspace", str(root)]
    first += ["--state-dir", str(tmp_path / "state")]
    with Redline(settings) as server, subprocess.Popen(first) as process:
        _until(lambda: (server.recorder() or (0,))[0] == process.pid)
        server.record_soon()
        (root / "a.txt").write_text("two\n")
        process.kill()
        _until(lambda: (server.recorder() or (0,))[0] == os.getpid())
        written = 0
        while not server.history.list(HistoryQuery(limit=1)):
            # It may have to learn the workspace first, and takes for known what is there by then.
            written += 1
            (root / "a.txt").write_text(f"{written}\n")
            time.sleep(0.3)
            assert written < PATIENCE * 3, "it records nothing"


def _until(holds: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


@pytest.mark.requirement("recorder-too-many")
def test_over_the_most_files_nothing_is_recorded_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "EntryReader", partial(entries.EntryReader, max_entries=2))
    root = tmp_path / "ws"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / name).write_text(name)
    warned: queue.Queue[str] = queue.Queue()
    with Redline(Settings(workspace=str(root), state_dir=str(tmp_path / "state"))) as redline:
        session = redline.recording.open(lambda _: None, warned.put)
        assert session is not None
        session.start()
        said = "recording stopped: More than 2 files to record"
        assert warned.get(timeout=PATIENCE) == said
        condition = redline.recorder()
        assert condition is not None
        assert said in condition.limits
