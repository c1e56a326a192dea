"""What operations did together: each file with its place and content before and after them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from redline.core.changes import ABSENT, Change, FileState, LinkState, Rename, State
from redline.core.errors import CannotApply
from redline.core.paths import WorkspacePath
from redline.core.textfile import TextFile
from redline.plan.merge.line_diff import split_lines
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines

_FILES = (FileState, LinkState)


@dataclass(slots=True)
class NetChange:
    """One file or link. Its content is not known (None) where it only moved."""

    source: WorkspacePath
    target: WorkspacePath
    before: State | None = None
    after: State | None = None


ListBelow = Callable[[Rename], Sequence[WorkspacePath] | None]


def net_changes(steps: Iterable[Change | Rename], list_below: ListBelow) -> list[NetChange]:
    """Follow *steps*, which need not be all that happened between the first and the last.

    *list_below* names the files that a moved directory had before all of them: none for a file,
    None if that cannot be said. CannotApply where steps that are left out lie in between.
    """
    followed = _Followed(list_below)
    for step in steps:
        if isinstance(step, Rename):
            followed.move(step)
        else:
            followed.change(step)
    return [*followed.removed, *followed.files.values()]


class _Followed:
    """The files that were touched, by the path that each has now."""

    def __init__(self, list_below: ListBelow) -> None:
        self.files: dict[WorkspacePath, NetChange] = {}
        self.removed: list[NetChange] = []  # files whose place another one has taken
        self._left: set[WorkspacePath] = set()  # paths that a file moved away from
        self._list_below = list_below

    def change(self, step: Change) -> None:
        if not isinstance(step.before, _FILES) and not isinstance(step.after, _FILES):
            return
        file = self.files.get(step.path)
        if file is None:
            if step.path in self._left and isinstance(step.before, _FILES):
                raise _left_out(step.path)
            file = self.files[step.path] = NetChange(step.path, step.path)
        if file.after is None:
            file.before = file.after = _as_file(step.before)
        file.after = _carry_over(step, file.after)

    def move(self, step: Rename) -> None:
        for source in self._moved_by(step):
            target = step.target.child(*source.parts[len(step.source.parts) :])
            taken = self.files.pop(target, None)
            if taken is not None:
                if taken.after != ABSENT:
                    raise _left_out(target)
                self.removed.append(taken)
            file = self.files.pop(source, None) or NetChange(source, source)
            self.files[target] = replace(file, target=target)
            self._left.discard(target)
            self._left.add(source)

    def _moved_by(self, step: Rename) -> list[WorkspacePath]:
        file = self.files.get(step.source)
        if file is not None and file.after != ABSENT:
            return [step.source]
        below = self._list_below(step)
        if below is None:
            raise CannotApply(
                f"git does not know which files this directory had: {step.source.relative}",
                hint="commit them first, or leave this change out",
            )
        known = {
            path
            for path, file in self.files.items()
            if path.is_beneath(step.source) and file.after != ABSENT
        }
        known.update(path for path in below if path not in self.files and path not in self._left)
        if not known and step.source in self._left:
            raise _left_out(step.source)
        return sorted(known) or [step.source]


def _as_file(state: State) -> State:
    return state if isinstance(state, _FILES) else ABSENT


def _carry_over(step: Change, now: State) -> State:
    """Return what the step makes of a file, also of one that is not just as the step found it."""
    before, after = _as_file(step.before), _as_file(step.after)
    if now == before:
        return after
    if not (
        isinstance(now, FileState)
        and isinstance(before, FileState)
        and isinstance(after, FileState)
    ):
        raise _left_out(step.path)
    mode = now.mode if before.mode == after.mode else after.mode
    if after.digest == before.digest or now.digest == after.digest:
        return replace(now, mode=mode)
    content = after.content if now.digest == before.digest else _merge(before, after, now)
    if content is None:
        raise _left_out(step.path)
    return FileState.of(content, mode)


def _merge(before: FileState, after: FileState, now: FileState) -> bytes | None:
    """Return *now* with what led from *before* to *after*, if that can be."""
    contents = [state.content for state in (before, after, now) if state.content is not None]
    if len(contents) < 3 or any(TextFile(content).is_binary for content in contents):
        return None
    old, new, there = map(split_lines, contents)
    merged = merge_lines(old, new, [Version(there)])
    return None if merged.conflicts else b"".join(merged.lines)


def _left_out(path: WorkspacePath) -> CannotApply:
    return CannotApply(
        f"Other changes of this file lie between those: {path.relative}",
        hint="export them too",
    )
