"""Carry steps out on the disk, in order, and find out how far a dead process got.

A file is replaced by exchanging it with the new one, so that what was replaced can still be
looked at: if it is not what the change was planned on, because another program saved it in the
meantime, it is put back and the change is refused. See `displaced.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from redline.adapters.files.disk_read import Dir
from redline.adapters.journal.steps.displaced import Displaced, Displacement, has_no_exchange
from redline.adapters.journal.steps.preconditions import steps_depend_on_each_other
from redline.adapters.journal.steps.progress import Verdict, is_state, judge
from redline.adapters.journal.steps.staged_files import Saved
from redline.adapters.journal.steps.staging import needs_staging, remove_if_there
from redline.core.changes import Absent, Change, DirState, FileState, Rename


@dataclass(slots=True)
class Swap(Displacement):
    """Steps as they are carried out, one system call at a time."""

    # -- applying steps -------------------------------------------------------------------------

    def carry_out(self, numbers: Iterable[int]) -> None:
        """Do these steps in order and sync them."""
        # What a rename moves exists nowhere else: its new directory must be durable before it
        # moves, and its arrival before anything is removed after it.
        steps = tuple(self.steps)
        one_by_one = len(steps) > 1 and (
            any(isinstance(step, Rename) for step in steps) or steps_depend_on_each_other(steps)
        )
        for number in numbers:
            self.current = number
            step = self.steps[number]
            if isinstance(step, Rename):
                self._rename(step)
            else:
                self._change(number, step)
            if one_by_one:
                self.sync_directories()
        self.sync_directories()

    def sync_directories(self) -> None:
        """Sync every directory that was touched."""
        for path in self.dirty:
            try:
                self.disk.sync_dir(self.handles.directory(path))
            except (FileNotFoundError, NotADirectoryError):
                continue  # removed by a later step; its parent is synced as well
        self.dirty.clear()

    def _rename(self, step: Rename) -> None:
        source, target = self.handles.parent(step.source), self.handles.parent(step.target)
        self.disk.rename_new(source, step.source.name, target, step.target.name)
        self.handles.close()
        self.dirty[step.source.parent] = None
        self.dirty[step.target.parent] = None

    def _change(self, number: int, step: Change) -> None:
        above, name = step.path.parent, step.path.name
        parent = self.handles.directory(above)
        self.dirty[above] = None
        if needs_staging(step):
            self._swap_in(number, step, parent)
        elif isinstance(step.after, Absent):
            self._remove(number, step)
        elif isinstance(step.after, DirState):
            if not isinstance(step.before, DirState):
                self.disk.mkdir(parent, name)
            if step.after.mode is not None:
                self._chmod(step, step.after.mode)
        elif isinstance(step.after, FileState) and step.after.mode is not None:
            self._chmod(step, step.after.mode)

    def _chmod(self, step: Change, mode: int) -> None:
        parent, name = self.handles.parent(step.path), step.path.name
        self.disk.chmod(parent, name, mode)
        self.disk.sync_entry(parent, name)

    def _swap_in(self, number: int, step: Change, parent: Dir) -> None:
        name, staged = step.path.name, self.staged_name(number)
        where = self.handles.directory(self.staging[number])
        self.dirty[self.staging[number]] = None
        if isinstance(step.before, Absent):
            self.disk.rename_new(where, staged, parent, name)
            return
        self._refuse_disturbed(step)
        if self.guards is not None and isinstance(step.after, FileState):
            self.guards.guard_new(step.path, where, staged)
        try:
            self.disk.exchange(where, staged, parent, name)
        except OSError as error:
            if not has_no_exchange(error):
                raise
            self._replace_at_once(step, where, staged, parent)
            return
        if not self._is_base(number, step):
            self._exchange_back(number, step, where, parent)
        self.disk.unlink(where, staged)

    def _replace_at_once(self, step: Change, where: Dir, staged: str, parent: Dir) -> None:
        """Replace on a file system without exchange: compare what is there just before."""
        found = self.handles.observe(step.path, step.before).state
        if not is_state(step.before, found, step):
            raise Displaced
        self.disk.rename(where, staged, parent, step.path.name)

    def _remove(self, number: int, step: Change) -> None:
        parent, name = self.handles.parent(step.path), step.path.name
        if isinstance(step.before, DirState):
            self.disk.rmdir(parent, name)
            self.handles.close()
            return
        self._refuse_disturbed(step)
        where, staged = self.handles.directory(self.staging[number]), self.staged_name(number)
        self.dirty[self.staging[number]] = None
        self.disk.rename_new(parent, name, where, staged)
        if not self._is_base(number, step):
            self._move_back(number, step, where, parent)
        self.disk.unlink(where, staged)

    # -- finding out --------------------------------------------------------------------------

    def judge(self) -> list[Verdict]:
        """How far each step got on the disk."""
        return judge(self.steps, self._look)

    def is_waiting(self, number: int) -> bool:
        """Whether a step's staged file is there and whole."""
        step = self.steps[number]
        assert isinstance(step, Change)
        waiting = self._look(self.staging[number].child(self.staged_name(number)))
        return is_state(step.after, waiting, step)

    def restage(self, number: int, saved: Saved) -> None:
        """Make sure a step's staged file is there, writing it again when it is not whole."""
        step = self.steps[number]
        if not needs_staging(step):
            return
        if self.is_waiting(number):
            return
        remove_if_there(self.disk, self.handles, self.staging[number], self.staged_name(number))
        self.stage(number, saved)
        self.sync_staged()
