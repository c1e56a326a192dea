"""Compare what a swap replaced with what the change was planned on."""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass

from redline.adapters.files.disk_read import Dir
from redline.adapters.journal.steps.progress import Verdict, is_state
from redline.adapters.journal.steps.staged_files import StagedFiles
from redline.adapters.journal.steps.staging import kept_name
from redline.core.changes import Absent, Change, DirState, FileState, Rename, State

# A smaller file is compared byte by byte: that costs less than being wrong.
_MIN_BY_MARK = 1 << 20
# A file written this lately may be written again without its time changing.
_MAX_CLOCK_STEP_NS = 3_000_000_000
_NO_EXCHANGE = frozenset({errno.ENOTSUP, errno.ENOSYS, errno.EINVAL})


class Displaced(OSError):
    """Another program saved the file after the change was planned; its save is in place again.

    `beside` is the name under which an older save is kept when two came in at once.
    """

    def __init__(self, beside: str = "") -> None:
        super().__init__(errno.ESTALE, os.strerror(errno.ESTALE))
        self.beside = beside


def has_no_exchange(error: OSError) -> bool:
    """Whether system or file system cannot exchange two names."""
    return error.errno in _NO_EXCHANGE


def is_surely_unchanged(seen: State, mark: tuple[int, ...]) -> bool:
    """Whether a large file whose *mark* is the same holds what was *seen*."""
    if not isinstance(seen, FileState) or seen.size < _MIN_BY_MARK:
        return False
    return time.time_ns() - mark[3] > _MAX_CLOCK_STEP_NS


@dataclass(slots=True)
class Displacement(StagedFiles):
    """Examine what a step replaced, and put it back if it is another program's save."""

    def _refuse_disturbed(self, step: Change) -> None:
        if self.guards is not None and self.guards.is_disturbed(step.path):
            raise Displaced

    def _is_base(self, number: int, step: Change) -> bool:
        """Whether what now has the staged name is what the step was planned on."""
        guards, seen = self.guards, self.observed.get(step.path)
        if guards is not None and guards.is_disturbed(step.path):
            return False
        path = self.staging[number].child(self.staged_name(number))
        mark = self.handles.mark(path)
        if seen is not None and seen.mark == mark:
            was_leased = guards is not None and guards.was_read_under_lease(step.path)
            if was_leased or is_surely_unchanged(seen.state, mark):
                return True
        found = self.handles.observe(path, step.before).state
        return is_state(step.before, found, step)

    def _exchange_back(self, number: int, step: Change, where: Dir, parent: Dir) -> None:
        """Put another program's save back, and refuse the step.

        If yet another save came in between, that one keeps the name, being the newer; the first
        stays beside it.
        """
        name, staged = step.path.name, self.staged_name(number)
        self.kept[number] = staged
        self.disk.exchange(where, staged, parent, name)
        if self._is_new(number, step):
            del self.kept[number]
            raise Displaced
        self.disk.exchange(where, staged, parent, name)
        self._keep_beside(number, step, where, parent)
        raise Displaced(self.kept[number])

    def _move_back(self, number: int, step: Change, where: Dir, parent: Dir) -> None:
        """The same for a step that removes."""
        self.kept[number] = self.staged_name(number)
        try:
            self.disk.rename_new(where, self.staged_name(number), parent, step.path.name)
        except FileExistsError:
            self._keep_beside(number, step, where, parent)
            raise Displaced(self.kept[number]) from None
        del self.kept[number]
        raise Displaced

    def _keep_beside(self, number: int, step: Change, where: Dir, parent: Dir) -> None:
        """Give what another program saved a name of its own next to where it was."""
        beside = kept_name(step.path.name, self.transaction)
        self.disk.rename_new(where, self.staged_name(number), parent, beside)
        self.kept[number] = beside

    def _is_new(self, number: int, step: Change) -> bool:
        path = self.staging[number].child(self.staged_name(number))
        found = self.handles.observe(path, step.after).state
        return is_state(step.after, found, step)

    def rescue(self, verdicts: list[Verdict]) -> list[Verdict]:
        """Put back what a dead process displaced without examining it; return the new verdicts.

        Of a change that reached the journal, a staged name holds the new file or what that
        replaced. Anything else was saved by another program just before it was replaced. A step
        whose path is put back is a conflict.
        """
        found = list(verdicts)
        for number, step in enumerate(self.steps):
            if isinstance(step, Rename) or isinstance(step.before, Absent | DirState):
                continue
            if found[number] is Verdict.TO_DO or not self._holds_a_save(number, step):
                continue
            try:
                self._put_back(number, step, found[number])
            except Displaced:
                found[number] = Verdict.CONFLICT
        return found

    def _put_back(self, number: int, step: Change, verdict: Verdict) -> None:
        where = self.handles.directory(self.staging[number])
        parent = self.handles.parent(step.path)
        self.dirty[self.staging[number]] = self.dirty[step.path.parent] = None
        if verdict is Verdict.CONFLICT:
            self._keep_beside(number, step, where, parent)
        elif isinstance(step.after, Absent):
            self._move_back(number, step, where, parent)
        else:
            self._exchange_back(number, step, where, parent)

    def _holds_a_save(self, number: int, step: Change) -> bool:
        path = self.staging[number].child(self.staged_name(number))
        found = self._look(path)
        if isinstance(found, Absent):
            return False
        return not any(is_state(state, found, step) for state in (step.before, step.after))
