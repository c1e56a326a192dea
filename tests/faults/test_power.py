"""The power goes before every operation of a commit, and unsynced writes are lost or kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.engine.editor import JournalEditor
from tests.faults.children import in_child
from tests.faults.power import CHOSEN, CUT, POLICIES, PowerDisk
from tests.faults.scene import ORIGIN, Scene, Snapshot, at
from tests.support import LONG

PERSON = b"a person wrote this\n"


def _run(scene: Scene, policy: str, cut: int, forgets: str = "", *, person: bool = False) -> int:
    """The exit status of a change during which the power goes before operation *cut*.

    When the change is answered first, the power goes right behind the answer, or right after a
    *person* has saved one of the files.
    """
    scene.bring_back()

    def work() -> None:
        disk = PowerDisk([scene.root, scene.state], POLICIES[policy](), cut, forgets)
        _, editor = scene.open(disk)
        scene.change(editor)
        (scene.top / "answered").write_text("\n".join([str(disk.count), *disk.sites]))
        if person:
            disk.person_writes(scene.root / "a", PERSON)
        disk.power_off()

    return in_child(work)


def _violation(scene: Scene, before: Snapshot, after: Snapshot) -> str | None:
    """What is wrong after the next start, if anything."""
    answered = (scene.top / "answered").exists()
    try:
        store, editor = scene.open()
    except RedlineError as error:
        return f"cannot start: {error}"
    try:
        found = scene.snapshot()
        if found not in (before, after):
            return "torn"
        if answered and found != after:
            return "answered, then lost"
        if scene.litter():
            return f"litter: {scene.litter()}"
        newest = next(store.newest_first())
        if (newest.origin.tool, len(newest.change_set.steps) > 1) != ("fault", found == after):
            return "history and files disagree"
        store.load(newest.id)
        if found == after:
            editor.undo(None, ORIGIN)
            if scene.snapshot() != before:
                return "undo does not restore"
    except (RedlineError, OSError, StopIteration) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        store.close()
        store.workspace.close()
    return None


def _prepared(scene: Scene) -> tuple[Snapshot, Snapshot]:
    before, after = scene.both()
    scene.lay_out()
    scene.keep()
    return before, after


def _operations(scene: Scene) -> tuple[int, set[str]]:
    """How many operations an undisturbed change takes, and where in the code it syncs."""
    _run(scene, "everything kept", 10_000)
    count, *sites = (scene.top / "answered").read_text().split()
    return int(count), set(sites)


def _policies(scene: Scene) -> list[str]:
    return CHOSEN if LONG or not scene.tangled else CHOSEN[:2]


@pytest.mark.requirement("engine-power-cut")
def test_a_power_cut_at_any_operation_leaves_all_or_nothing(scene: Scene) -> None:
    before, after = _prepared(scene)
    operations, _ = _operations(scene)
    assert operations > 30
    for policy in _policies(scene):
        for cut in range(1, operations + 2):
            assert _run(scene, policy, cut) == CUT
            assert _violation(scene, before, after) is None, (policy, cut)


@pytest.mark.requirement("engine-power-cut")
def test_a_second_power_cut_during_recovery_leaves_all_or_nothing(scene: Scene) -> None:
    before, after = _prepared(scene)
    operations, _ = _operations(scene)
    policies = CHOSEN if LONG else ["entries kept, contents lost"]
    recoveries = 0
    for cut in range(operations // 2, operations + 1, 1 if LONG else 10):
        for policy in policies:
            for second in range(1, 200):
                _run(scene, policy, cut)
                if _recover_without_power(scene, policy, second) != CUT:
                    break
                recoveries += 1
                assert _violation(scene, before, after) is None, (policy, cut, second)
    assert recoveries > 20


def _recover_without_power(scene: Scene, policy: str, cut: int) -> int:
    def work() -> None:
        scene.open(PowerDisk([scene.root, scene.state], POLICIES[policy](), cut))

    return in_child(work)


def _with_person(scene: Scene, snapshot: Snapshot) -> Snapshot:
    return {**snapshot, "a": ("file", 0o644, PERSON)}


def test_what_a_person_writes_after_the_answer_outlives_a_power_cut(scene: Scene) -> None:
    _, after = _prepared(scene)
    for policy in CHOSEN:
        assert _run(scene, policy, 10_000, person=True) == CUT
        scene.recover()
        assert scene.snapshot() == _with_person(scene, after), policy


SITES = {
    "Slot.activate",  # the intent, before anything is staged
    "StagedFiles.sync_staged",  # staged files
    "write_or_take_back",  # the commit point, with small contents in it
    "Swap.sync_directories",  # the directories of the workspace
    "Slot.finish",  # done, and what the next change may stage
}
BLOB_SITES = {
    "Blobs._write",  # larger contents for undo and recovery
    "Blobs.store",  # the directory of contents
}


def test_every_place_that_syncs_is_known(scene: Scene) -> None:
    _prepared(scene)
    assert _operations(scene)[1] == (SITES | BLOB_SITES if scene.blobs else SITES)


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize(
    ("site", "blobs"),
    [(site, False) for site in sorted(SITES)]
    + [(site, True) for site in sorted(SITES | BLOB_SITES)],
)
def test_a_missing_sync_is_caught(top: Path, site: str, blobs: bool) -> None:
    scene = Scene(top / "scene", blobs=blobs)
    before, after = _prepared(scene)
    operations, _ = _operations(scene)
    assert _is_caught(scene, before, after, site, operations)


def _is_caught(scene: Scene, before: Snapshot, after: Snapshot, site: str, operations: int) -> bool:
    for policy in POLICIES:
        _run(scene, policy, 10_000, site, person=True)
        scene.recover()
        if scene.snapshot() != _with_person(scene, after):
            return True
    for cut in range(operations, 0, -1):
        for policy in POLICIES:
            _run(scene, policy, cut, site)
            if _violation(scene, before, after) is not None:
                return True
    return False


@pytest.mark.requirement("engine-power-cut")
def test_a_change_that_failed_leaves_nothing_behind_a_power_cut(scene: Scene) -> None:
    """What it had staged was removed, and that removal has to last: nobody looks for it again."""
    before, after = _prepared(scene)
    answers = set()
    for policy in (
        CHOSEN if LONG else ["entries kept, contents lost", "luck 1"][: 2 - scene.tangled]
    ):
        for number in range(1, 500):
            answer = _run_on_a_full_disk(scene, policy, number)
            answers.add(answer)
            assert _violation(scene, before, after) is None, (policy, number)
            if answer == "unmoved":
                break
    assert answers == {"refused", "done", "unmoved"}


@pytest.mark.parametrize(
    ("site", "blobs"), [("StagedFiles.sweep", False), ("Blobs.remove_half_written", True)]
)
def test_a_missing_sync_after_a_failure_is_caught(top: Path, site: str, blobs: bool) -> None:
    scene = Scene(top / "scene", blobs=blobs)
    before, after = _prepared(scene)
    tries = ((policy, number) for policy in POLICIES for number in range(1, 60))
    assert any(
        _run_on_a_full_disk(scene, policy, number, site) and _violation(scene, before, after)
        for policy, number in tries
    )


def _run_on_a_full_disk(scene: Scene, policy: str, number: int, forgets: str = "") -> str:
    """What a change answers whose operation *number* finds the disk full; then the power goes."""
    scene.bring_back()

    def work() -> None:
        disk = PowerDisk([scene.root, scene.state], POLICIES[policy](), 0, forgets)
        disk.full = number
        answer, told = "unmoved", scene.top / "told"
        try:
            _, editor = scene.open(disk)
            scene.change(editor)
            (scene.top / "answered").touch()
            answer = "unmoved" if disk.count < number else "done"
        except RedlineError:
            answer = "refused"
        told.write_text(answer)
        disk.power_off()

    assert in_child(work) == CUT
    answer = (scene.top / "told").read_text()
    assert answer == "refused" or (scene.top / "answered").exists()
    return answer


class _Announced:
    """Two changes of two files in one directory: the first announces what the second stages.

    A change of one file belongs to a series, see test_series.py.
    """

    FIRST, SECOND = ("a", "first"), ("gone", "old-name")

    def __init__(self, top: Path, *, blobs: bool) -> None:
        self.scene = Scene(top / "scene", blobs=blobs)
        self.scene.lay_out()
        self.scene.keep()

    def run(self, policy: str, cut: int, forgets: str = "") -> set[str]:
        """Where the second change synced; the power goes before its operation *cut*."""
        scene = self.scene
        scene.bring_back()

        def work() -> None:
            disk = PowerDisk([scene.root, scene.state], POLICIES[policy](), 0, forgets)
            _, editor = scene.open(disk)
            self._edit(editor, self.FIRST)
            disk.sites.clear()
            disk.cut = disk.count + cut
            self._edit(editor, self.SECOND)
            (scene.top / "answered").write_text("\n".join(disk.sites))
            disk.power_off()

        assert in_child(work) == CUT
        answered = scene.top / "answered"
        return set(answered.read_text().split()) if answered.exists() else set()

    def _edit(self, editor: JournalEditor, names: tuple[str, ...]) -> None:
        steps = []
        for name in names:
            path = self.scene.root / name
            before = FileState.of(path.read_bytes(), path.stat().st_mode & 0o7777)
            steps.append(Change(at(name), before, FileState.of(b"new\n")))
        editor.commit(ChangeSet(tuple(steps)), ORIGIN)

    def _found(self, names: tuple[str, ...]) -> list[bytes]:
        return [(self.scene.root / name).read_bytes()[:4] for name in names]

    def violation(self) -> str | None:
        scene = self.scene
        answered = (scene.top / "answered").exists()
        store, editor = scene.open()
        try:
            new, found = [b"new\n"] * 2, self._found(self.SECOND)
            newest = next(store.newest_first()).change_set.paths
            if self._found(self.FIRST) != new or (answered and found != new):
                return "answered, then lost"
            if found not in (new, [b"old "] * 2):
                return "torn"
            expected = self.SECOND if found == new else self.FIRST
            if newest != tuple(at(name) for name in expected):
                return "history and files disagree"
            if scene.litter():
                return f"litter: {scene.litter()}"
            editor.undo(None, ORIGIN)
        except RedlineError as error:
            return str(error)
        finally:
            store.close()
            store.workspace.close()
        return None


@pytest.mark.requirement("engine-power-cut")
@pytest.mark.parametrize("blobs", [False, True])
def test_a_change_that_the_one_before_announced_is_all_or_nothing(top: Path, blobs: bool) -> None:
    announced = _Announced(top, blobs=blobs)
    sites = announced.run("everything kept", 10_000)
    assert sites == (SITES | BLOB_SITES if blobs else SITES) - {"Slot.activate"}
    for policy in CHOSEN[:2] if blobs and not LONG else CHOSEN:
        for cut in range(1, 100):
            answered = announced.run(policy, cut)
            assert announced.violation() is None, (policy, cut)
            if answered:
                break


def test_a_missing_sync_of_the_announcement_is_caught(top: Path) -> None:
    announced = _Announced(top, blobs=False)
    caught = set()
    for policy in POLICIES:
        for cut in range(1, 40):
            answered = announced.run(policy, cut, "Slot.finish")
            caught.add(announced.violation())
            if answered:
                break
    assert caught != {None}
