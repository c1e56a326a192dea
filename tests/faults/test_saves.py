"""A person saves before any operation of a change; the process may be killed after that."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.files import platform
from redline.adapters.files.disk import Disk
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import Locked, RedlineError, StaleBase
from tests.engine.quick import QuickDisk
from tests.faults.children import in_child
from tests.faults.gates import gated
from tests.faults.scene import ORIGIN, Scene, at

SAVED = b"what a person saved\n"
KINDS = ["in place", "by rename"]
KILLED = 9


class _WithoutExchange(QuickDisk):
    """A file system that cannot exchange two names."""

    def exchange(self, *arguments: Any) -> None:
        Disk.exchange(self, *arguments)


def _save(path: Path, kind: str) -> None:
    if kind == "in place":
        # A writer that finds a lease must not wait for the process it runs in.
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK)
        os.write(fd, SAVED)
        os.close(fd)
    else:
        new = path.with_name("person.tmp")
        new.write_bytes(SAVED)
        new.replace(path)


def _disk(path: Path, kind: str, number: int, dies: int = 0, base: type[Disk] = QuickDisk) -> Disk:
    """A disk before whose operation *number* a person saves, and that dies *dies* later."""
    count = 0

    def gate(disk: Disk, name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        count += 1
        if count == number:
            try:
                _save(path, kind)
            except BlockingIOError:
                path.with_name("saved").write_text("no")
                return
            path.with_name("saved").write_text("yes")
        if dies and count == number + dies:
            os._exit(KILLED)

    return gated(gate, base)


def _plan(scene: Scene, *, remove: bool) -> ChangeSet:
    before = FileState.of((scene.root / "a").read_bytes(), 0o644)
    after = ABSENT if remove else FileState.of(b"new\n")
    return ChangeSet((Change(at("a"), before, after),))


def _was_saved(root: Path) -> bool:
    told = root / "saved"
    return told.exists() and told.read_text() == "yes"


@pytest.mark.requirement("engine-keeps-saves")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("base", [QuickDisk, _WithoutExchange])
def test_a_save_before_any_operation_of_an_edit_is_kept(
    top: Path, kind: str, remove: bool, base: type[Disk]
) -> None:
    scene = Scene(top / "scene")
    refused = 0
    for number in range(1, 100):
        scene.lay_out()
        path, plan = scene.root / "a", _plan(scene, remove=remove)
        store, editor = scene.open(_disk(path, kind, number, base=base))
        try:
            editor.commit(plan, ORIGIN)
            answer = "done"
        except (StaleBase, Locked):
            answer = "refused"
            refused += 1
        saved = _was_saved(scene.root)
        if saved and base is QuickDisk:
            assert path.read_bytes() == SAVED, (number, answer)
        assert scene.litter() == [], (number, answer)
        store.close()
        store.workspace.close()
        if not (scene.root / "saved").exists():
            break
    assert refused
    assert number > 5


@pytest.mark.requirement("engine-keeps-saves")
@pytest.mark.parametrize("remove", [False, True])
def test_a_save_that_a_killed_process_displaced_is_put_back(top: Path, remove: bool) -> None:
    scene = Scene(top / "scene")
    killed = 0
    for number in range(1, 100):
        saved = False
        for dies in range(1, 30):
            scene.lay_out()

            plan = _plan(scene, remove=remove)

            def work(number: int = number, dies: int = dies, plan: ChangeSet = plan) -> None:
                _, editor = scene.open(_disk(scene.root / "a", "by rename", number, dies))
                try:
                    editor.commit(plan, ORIGIN)
                except RedlineError:
                    os._exit(3)

            status = in_child(work)
            scene.recover()
            saved = _was_saved(scene.root)
            if saved:
                assert (scene.root / "a").read_bytes() == SAVED, (number, dies, status)
            assert scene.litter() == [], (number, dies, status)
            if status != KILLED:
                break
            killed += 1
        if not saved:
            break
    assert killed > 20


@pytest.mark.requirement("engine-keeps-saves")
def test_a_file_that_another_program_has_open_for_writing_is_not_replaced(top: Path) -> None:
    scene = Scene(top / "scene")
    scene.lay_out()
    store, editor = scene.open()
    with open(scene.root / "a", "ab"), pytest.raises(Locked, match="open for writing"):
        editor.commit(_plan(scene, remove=False), ORIGIN)
    assert scene.litter() == []
    editor.commit(_plan(scene, remove=False), ORIGIN)
    assert (scene.root / "a").read_bytes() == b"new\n"
    store.close()


def _save_unnoticed(path: Path) -> None:
    """Save other bytes of the same size, and give the file its old times."""
    before = path.stat()
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.write(fd, SAVED[: before.st_size].ljust(before.st_size, b"!"))
    os.utime(fd, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.close(fd)


@pytest.mark.requirement("engine-keeps-saves")
@pytest.mark.parametrize("leases", [True, False])
def test_a_save_that_leaves_size_and_times_as_they_were_is_kept(
    top: Path, leases: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not leases:
        monkeypatch.setattr(platform, "lease", lambda _fd: platform.Writers.UNKNOWN)
    scene = Scene(top / "scene")
    refused = 0
    for number in range(1, 100):
        scene.lay_out()
        path, plan = scene.root / "a", _plan(scene, remove=False)
        state = {"count": 0, "saved": b""}

        def gate(
            disk: Disk,
            name: str,
            arguments: tuple[Any, ...],
            path: Path = path,
            state: dict[str, Any] = state,
            number: int = number,
        ) -> None:
            state["count"] += 1
            if state["count"] == number:
                try:
                    _save_unnoticed(path)
                except BlockingIOError:
                    return  # the lease keeps it waiting
                state["saved"] = path.read_bytes()

        store, editor = scene.open(gated(gate, QuickDisk))
        try:
            editor.commit(plan, ORIGIN)
        except (StaleBase, Locked):
            refused += 1
        if state["saved"]:
            assert path.read_bytes() == state["saved"], number
        store.close()
        store.workspace.close()
        if state["count"] < number:
            break
    assert refused
