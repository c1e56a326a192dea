"""Changes of one file each, one after the other: only the first of a series syncs its intent."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.files.disk import Disk
from redline.core.changes import ABSENT, Change, ChangeSet, FileState, State
from redline.core.errors import RedlineError
from redline.engine.editor import JournalEditor
from tests.engine.quick import QuickDisk
from tests.faults.children import in_child
from tests.faults.gates import dies_before, gated
from tests.faults.power import CHOSEN, CUT, POLICIES, PowerDisk
from tests.faults.scene import ORIGIN, Scene, at
from tests.support import LONG

SYNCS = {"StagedFiles.sync_staged", "write_or_take_back", "Swap.sync_directories"}
BLOB_SYNCS = {"Blobs._write", "Blobs.store"}
# What each change of the story makes of a place of the workspace; None removes it.
Step = tuple[str, bytes | None]
STORY: tuple[Step, ...] = (
    ("a", b"a, second\n"),
    ("gone", b"gone, second\n"),
    ("a", b"a, third\n"),
)
# The change that is disturbed: a replacement of what the story has written, or has not, a new file,
# and a removal, which is none of the series.
LAST: dict[str, Step] = {
    "again": ("a", b"a, fourth\n"),
    "another": ("old-name", b"other\n"),
    "new": ("made", b"made\n"),
    "removed": ("gone", None),
}
Files = dict[str, bytes]


class Story:
    """Three changes in one directory, told, and a fourth that something happens to."""

    def __init__(self, top: Path, last: str = "again", *, blobs: bool = False) -> None:
        self.scene = Scene(top / "scene", blobs=blobs)
        self.scene.lay_out()
        self.scene.keep()
        self.last = LAST[last]
        self.before = self._told(self.files(), STORY)
        self.after = self._told(self.before, (self.last,))

    def _told(self, files: Files, story: tuple[Step, ...]) -> Files:
        files = dict(files)
        for name, content in story:
            if content is None:
                del files[name]
            else:
                files[name] = content
        return files

    def files(self) -> Files:
        root = self.scene.root
        return {name: (root / name).read_bytes() for name in os.listdir(root) if name != "d"}

    def make(self, editor: JournalEditor, step: Step) -> None:
        name, content = step
        path = self.scene.root / name
        before: State = ABSENT
        if path.exists():
            before = FileState.of(path.read_bytes(), path.stat().st_mode & 0o7777)
        after = ABSENT if content is None else FileState.of(content)
        editor.commit(ChangeSet((Change(at(name), before, after),)), ORIGIN)

    def tell(self, editors: Iterator[JournalEditor]) -> None:
        """Make all changes but the last."""
        for step in STORY:
            self.make(next(editors), step)

    def run(self, policy: str, cut: int, forgets: str = "", processes: int = 1) -> set[str]:
        """Where the last change synced if it was answered; the power goes before its *cut*."""
        scene = self.scene
        scene.bring_back()

        def work() -> None:
            disk = PowerDisk([scene.root, scene.state], POLICIES[policy](), 0, forgets)
            editors = _in_turn([scene.open(disk)[1] for _ in range(processes)])
            self.tell(editors)
            disk.sites.clear()
            disk.cut = disk.count + cut
            self.make(next(editors), self.last)
            self.answered.write_text("\n".join(disk.sites))
            disk.power_off()

        assert in_child(work) == CUT
        return set(self.answered.read_text().split()) if self.answered.exists() else set()

    @property
    def answered(self) -> Path:
        return self.scene.top / "answered"

    def violation(self) -> str | None:
        """What is wrong after the next start, if anything."""
        store, editor = self.scene.open()
        try:
            found, told = self.files(), len(list(store.newest_first())) - 1
            if found not in (self.before, self.after):
                return "torn" if self.scene.litter() else "lost"
            if self.answered.exists() and found != self.after:
                return "answered, then lost"
            if told != len(STORY) + (found == self.after):
                return "history and files disagree"
            if self.scene.litter():
                return f"litter: {self.scene.litter()}"
            for _ in range(told):
                editor.undo(None, ORIGIN)
            if self.files()["a"][:11] != b"old content" or "made" in self.files():
                return "undo does not restore"
        except (RedlineError, OSError) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            store.close()
            store.workspace.close()
        return None


def _in_turn(editors: list[JournalEditor]) -> Iterator[JournalEditor]:
    while True:
        yield from editors


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize("blobs", [False, True])
@pytest.mark.parametrize("last", LAST)
def test_a_power_cut_in_a_series_leaves_all_or_nothing(top: Path, last: str, blobs: bool) -> None:
    story = Story(top, last, blobs=blobs)
    sites = story.run("everything kept", 10_000)
    expected = SYNCS | BLOB_SYNCS if blobs else SYNCS
    if last == "removed":
        expected = SYNCS - {"StagedFiles.sync_staged"} | {"Slot.activate", "Slot.finish"}
    assert sites == expected
    for policy in CHOSEN[:2] if blobs and not LONG else CHOSEN:
        for cut in range(1, 100):
            answered = story.run(policy, cut)
            assert story.violation() is None, (policy, cut)
            if answered:
                break


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize("processes", [2, 3])
def test_a_power_cut_with_several_processes_on_one_file(top: Path, processes: int) -> None:
    story = Story(top)
    for policy in CHOSEN:
        for cut in range(1, 100):
            answered = story.run(policy, cut, processes=processes)
            assert story.violation() is None, (policy, cut)
            if answered:
                break


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize(
    ("site", "blobs"),
    [(site, False) for site in sorted(SYNCS | {"Slot._activate_single"})]
    + [(site, True) for site in sorted(BLOB_SYNCS)],
)
def test_a_missing_sync_in_a_series_is_caught(top: Path, site: str, blobs: bool) -> None:
    story = Story(top, "another", blobs=blobs)
    tries = ((policy, cut) for policy in POLICIES for cut in range(30, 0, -1))
    assert any(story.run(*each, site) is not None and story.violation() for each in tries)


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize("last", LAST if LONG else ["again", "new"])
def test_a_second_power_cut_during_the_recovery_of_a_series(top: Path, last: str) -> None:
    story = Story(top, last)
    scene = story.scene
    recoveries = 0
    for policy in CHOSEN if LONG else ["entries kept, contents lost", "luck 1"]:
        for cut in range(1, 100):
            answered = story.run(policy, cut)
            scene.keep("cut")
            for second in range(1, 100):
                scene.bring_back("cut")

                def recover(policy: str = policy, second: int = second) -> None:
                    scene.open(PowerDisk([scene.root, scene.state], POLICIES[policy](), second))

                status = in_child(recover)
                assert story.violation() is None, (policy, cut, second)
                if status != CUT:
                    break
                recoveries += 1
            if answered:
                break
    assert recoveries > 50


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize("written", [b"a, third\n", b"a, second\n", b"a person wrote this\n"])
@pytest.mark.parametrize("processes", [1, 2])
def test_what_a_person_does_after_the_answer_is_never_undone_by_recovery(
    top: Path, written: bytes, processes: int
) -> None:
    """A person may even put back what was there before: nothing shows that but the file."""
    story = Story(top)
    scene = story.scene

    for policy in CHOSEN:
        scene.bring_back()

        def work(policy: str = policy) -> None:
            disk = PowerDisk([scene.root, scene.state], POLICIES[policy](), 0)
            editors = _in_turn([scene.open(disk)[1] for _ in range(processes)])
            story.tell(editors)
            story.make(next(editors), story.last)
            disk.person_writes(scene.root / "a", written)
            disk.power_off()

        assert in_child(work) == CUT
        store, _ = scene.open()
        assert story.files() == {**story.after, "a": written}, policy
        told = len(list(store.newest_first())) - 1
        # Struck is at most the newest, and only where the file is as it was before it.
        assert told == len(STORY) + 1 or (told == len(STORY) and written == b"a, third\n")
        store.close()
        store.workspace.close()


def _die(story: Story, disk_of: Callable[[int], Disk], number: int) -> int:
    """The exit status of a process whose last change dies before its operation *number*."""
    scene = story.scene
    scene.bring_back()

    def work() -> None:
        store, editor = scene.open()
        story.tell(_in_turn([editor]))
        store.close()
        _, editor = scene.open(disk_of(number))
        # The first of a series, and one that a series has announced.
        story.make(editor, ("old-name", b"between\n"))
        story.make(editor, ("old-name", b"old content of old-name" + b"\n" * 50))
        story.make(editor, story.last)

    return in_child(work)


@pytest.mark.requirement("engine-no-torn-state")
@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("last", ["again", "new", "removed"])
def test_a_series_killed_before_any_operation_is_all_or_nothing(
    top: Path, last: str, torn: bool
) -> None:
    story = Story(top, last)
    outcomes = set()
    for number in range(1, 1000):
        status = _die(story, partial(dies_before, torn=torn), number)
        story.scene.recover()
        found = story.files()
        outcomes.add("after" if found == story.after else "before")
        if found.get("old-name") == b"between\n":
            found["old-name"] = story.before["old-name"]
        assert found in (story.before, story.after), number
        assert story.scene.litter() == [], number
        if status == 0:
            break
    assert outcomes == {"before", "after"}
    assert number > 20


@pytest.mark.requirement("engine-no-torn-state")
def test_the_recovery_of_a_series_killed_before_any_operation_is_finished_by_the_next(
    top: Path,
) -> None:
    story = Story(top, "new")
    scene = story.scene
    recoveries = 0
    for number in range(1, 1000):
        if _die(story, dies_before, number) == 0:
            break
        scene.keep("died")
        for step in range(1, 1000):
            scene.bring_back("died")
            status = in_child(lambda step=step: scene.open(dies_before(step)))  # type: ignore[misc]
            scene.recover()
            assert scene.litter() == [], (number, step)
            store, _ = scene.open()
            newest = next(store.newest_first()).change_set.steps[0]
            assert isinstance(newest, Change)
            shown = story.files().get(newest.path.name)
            assert shown is not None
            assert newest.after == FileState.of(shown, newest.after.mode), (number, step)  # type: ignore[union-attr]
            store.close()
            store.workspace.close()
            if status == 0:
                break
            recoveries += 1
    assert recoveries > 50


@pytest.mark.requirement("engine-answers-are-true")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("last", LAST)
def test_an_answer_in_a_series_is_true_whatever_fails(
    top: Path, last: str, code: int, for_good: bool
) -> None:
    story = Story(top, last)
    scene = story.scene
    answers = set()
    for number in range(1, 1000):
        scene.bring_back()
        trouble = _Trouble(number, code, for_good=for_good)
        store, editor = scene.open(trouble.disk)
        story.tell(_in_turn([editor]))
        trouble.begin()
        try:
            story.make(editor, story.last)
            expected = story.after
        except RedlineError:
            expected = story.before
        if not trouble.reached():
            break
        answers.add(expected == story.after)
        store.close()
        store.workspace.close()
        scene.recover()
        assert story.files() == expected, number
        assert scene.litter() == [], number
    assert False in answers
    assert number > 8


class _Trouble:
    """A disk that works until `begin`, then fails at operation *number* or from there on."""

    def __init__(self, number: int, code: int, *, for_good: bool) -> None:
        self.disk = gated(self._gate)
        self._number, self._code, self._for_good = number, code, for_good
        self._count = -1

    def begin(self) -> None:
        self._count = 0

    def reached(self) -> bool:
        return self._count >= self._number

    def _gate(self, _disk: Disk, _name: str, _arguments: tuple[Any, ...]) -> None:
        if self._count >= 0:
            self._count += 1
            if self._count == self._number or (self._for_good and self.reached()):
                raise OSError(self._code, os.strerror(self._code))


def test_a_long_series_syncs_its_intent_only_now_and_then(top: Path) -> None:
    scene = Scene(top / "scene")
    scene.lay_out()
    counted: list[int] = []

    class Counting(QuickDisk):
        def sync_data(self, fd: int) -> None:
            if "slots" in os.readlink(f"/proc/self/fd/{fd}"):
                counted.append(fd)

    store, editor = scene.open(Counting())
    story = Story.__new__(Story)
    story.scene = scene
    for number in range(100):
        story.make(editor, ("a", b"version %d\n" % number))
    assert 0 < len(counted) <= 4
    assert len({operation.id for operation in store.newest_first()}) == 101
    store.close()
    store.workspace.close()
