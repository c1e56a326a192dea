"""Combine recorded changes: as a patch, as a git commit, or as the one change of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, LinkState, Rename, State
from redline.core.errors import CannotApply, GitFailed, NotFound
from redline.core.line_diff import split_lines
from redline.core.paths import WorkspacePath
from redline.core.ports.git import Committer, HeadFile
from redline.core.ports.history import Author, HistoryQuery, Operation, Origin
from redline.core.ports.tree import Kind
from redline.core.records import dataclass, replace
from redline.core.textfile import TextFile, encode
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines
from redline.plan.patch.git_format import NamedState, write_change, write_rename
from redline.services.history.turns import Turn, list_turns
from redline.services.runtime import Runtime

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
    """Return a file after the step, even if it differs from what the step found."""
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


def load_in_order(runtime: Runtime, ids: Sequence[str]) -> list[Operation]:
    """Return operations with contents, oldest first."""
    return sorted((runtime.history.get(each) for each in ids), key=lambda found: found.time)


def patch_of(
    runtime: Runtime, open_committer: Callable[[], Committer], operations: Sequence[Operation]
) -> bytes:
    """Return what the operations did as one patch for `git apply`.

    CannotApply where a patch cannot hold it.
    """
    pieces = []
    for change in _follow(runtime, operations, open_committer):
        source, target = (_name_in_patch(runtime, each) for each in (change.source, change.target))
        if change.before is not None and change.after is not None:
            pieces.append(
                write_change(NamedState(source, change.before), NamedState(target, change.after))
            )
        elif source != target:
            pieces.append(write_rename(source, target))
    return b"".join(pieces)


def commit_to_git(
    runtime: Runtime, committer: Committer, operations: Sequence[Operation], message: str
) -> str:
    """Commit what *operations* changed on top of HEAD, merged into what HEAD has; the commit's id.

    CannotApply when HEAD has other content where they changed something.
    """
    changes = _follow(runtime, operations, lambda: committer)
    absolute = runtime.workspace.absolute
    files: dict[str, HeadFile | None] = {absolute(change.source): None for change in changes}
    for change in changes:
        path = absolute(change.target)
        file = _apply(change, committer.head_file(absolute(change.source)), path)
        if file is not None:
            files[path] = file
    changed = {path: file for path, file in files.items() if file != committer.head_file(path)}
    return committer.commit(changed, f"{message}\n\n{_trailers(operations)}")


def _follow(
    runtime: Runtime, operations: Sequence[Operation], open_committer: Callable[[], Committer]
) -> list[NetChange]:
    def list_below(move: Rename) -> list[WorkspacePath] | None:
        directory = runtime.workspace.absolute(move.source)
        try:
            found = open_committer().list_below(directory)
        except (NotFound, GitFailed):
            found = ()
        now = runtime.tree.stat(move.target)
        if not found and now is not None and now.kind is Kind.DIRECTORY:
            return None
        names = (name.removeprefix(f"{directory}/") for name in found)
        return [move.source.child(*name.split("/")) for name in names]

    steps = (step for operation in operations for step in operation.change_set.steps)
    return net_changes(steps, list_below)


def _apply(change: NetChange, found: HeadFile | None, path: str) -> HeadFile | None:
    """Return what becomes of a file of HEAD."""
    if change.before is None or change.after is None:
        return found
    before, after = _content(change.before), _content(change.after)
    now = None if found is None else found.content
    is_link = isinstance(change.after, LinkState)
    if now in (before, after):
        content = after
    elif (
        before is None or after is None or now is None or is_link or _is_binary(before, after, now)
    ):
        raise CannotApply(
            f"In HEAD this file differs from what the change started from: {path}",
            hint="export the changes before it too, or commit the file first",
        )
    else:
        merged = merge_lines(split_lines(before), split_lines(after), [Version(split_lines(now))])
        if merged.conflicts:
            raise CannotApply(
                f"HEAD has other lines where the change begins, line"
                f" {merged.conflicts[0].now_line}: {path}",
                hint="export the changes before it too",
            )
        content = b"".join(merged.lines)
    if content is None:
        return None
    mode = change.after.mode if isinstance(change.after, FileState) else 0
    if mode is None:
        return HeadFile(content, bool(found and found.is_executable))
    return HeadFile(content, bool(mode & 0o100), is_link)


def _is_binary(*contents: bytes) -> bool:
    return any(TextFile(content).is_binary for content in contents)


def _content(state: State) -> bytes | None:
    if isinstance(state, LinkState):
        return encode(state.target)
    if isinstance(state, FileState) and state.content is None:
        raise CannotApply("A file of this change is too large to commit")
    return state.content if isinstance(state, FileState) else None


def _trailers(operations: Sequence[Operation]) -> str:
    """Return who made the changes, in the form of git trailers."""
    lines: dict[str, None] = {}
    for operation in operations:
        lines[f"Redline-Change: {operation.id}"] = None
    for operation in operations:
        origin = operation.origin
        for name, value in (
            ("Tool", origin.tool),
            ("Client", origin.client),
            ("Principal", origin.principal),
            ("Session", origin.session),
        ):
            if value:
                lines[f"Redline-{name}: {' '.join(value.split())}"] = None
    return "\n".join(lines) + "\n"


def _name_in_patch(runtime: Runtime, path: WorkspacePath) -> str:
    return path.relative if path.root == 0 else runtime.workspace.absolute(path).lstrip("/")


# The kind of the operation that is a whole session; no journal has it.
SESSION = "session"
_ALL = 1 << 30


@dataclass(frozen=True, slots=True)
class WorkSession:
    """A session, its turns and its operations, the oldest first.

    `combined` is all it did, as one operation with the id `session/NAME`. In `mixed` files
    others wrote the same lines in between: what they wrote is part of the combined change there.
    """

    name: str
    turns: Sequence[Turn]
    operations: Sequence[Operation]
    combined: Operation
    mixed: frozenset[WorkspacePath]

    @property
    def title(self) -> str:
        """The first words of the first prompt."""
        return next((turn.words for turn in self.turns if turn.words), f"Session {self.name}")


def read_session(runtime: Runtime, name: str) -> WorkSession:
    """Return a session by the name of it or of a connection of it; NotFound."""
    turns = list_turns(runtime.history)
    names = {name, *(t.session for t in turns for op in t.operations if op.origin.session == name)}
    turns = [turn for turn in turns if turn.session in names and turn.operations]
    if not turns:
        raise NotFound(name, f"No session has this name, or it changed nothing: {name[:64]}")
    wanted = {operation.id for turn in turns for operation in turn.operations}
    sessions = {operation.origin.session for turn in turns for operation in turn.operations}
    operations = [
        operation
        for session in sessions
        for operation in runtime.history.list(
            HistoryQuery(limit=_ALL, by=Author(session=session), since=turns[0].time)
        )
        if operation.id in wanted
    ]
    operations.sort(key=lambda each: each.time)
    # What was taken back is not part of what the session did.
    done = [op for op in operations if op.kind == "change" and not op.reverted_by]
    change_set, mixed = _combine(runtime, done)
    origin = Origin(SESSION, turns[0].client, operations[0].origin.principal, session=name)
    is_undone = None if done else operations[-1].reverted_by
    combined = Operation(
        f"{SESSION}/{name}", operations[-1].time, origin, change_set, SESSION, None, is_undone
    )
    return WorkSession(name, turns, operations, combined, frozenset(mixed))


def _combine(
    runtime: Runtime, operations: Sequence[Operation]
) -> tuple[ChangeSet, set[WorkspacePath]]:
    """Return the net change of each file, and the files where it is not the session's alone."""
    steps = [step for operation in operations for step in operation.change_set.steps]
    if any(isinstance(step, Rename) for step in steps):
        try:
            return _followed(runtime, operations), set()
        except CannotApply:
            pass  # shown file by file, under the names that they had
    by_path: dict[WorkspacePath, list[Change]] = {}
    for step in steps:
        if isinstance(step, Change) and _is_file(step):
            by_path.setdefault(step.path, []).append(step)
    changes: list[Change] = []
    mixed: set[WorkspacePath] = set()
    for path, found_there in sorted(by_path.items()):
        found, is_mixed = _net(runtime, path, found_there)
        if not _is_same(found.before, found.after):
            changes.append(found)
            mixed |= {path} if is_mixed else set()
    return runtime.history.fill(ChangeSet(tuple(changes))), mixed


def _net(runtime: Runtime, path: WorkspacePath, steps: Sequence[Change]) -> tuple[Change, bool]:
    """Return what *steps* on a file come to, and whether others' work is part of it."""
    whole = Change(path, steps[0].before, steps[-1].after)
    if all(_is_same(earlier.after, later.before) for earlier, later in pairwise(steps)):
        return whole, False
    try:
        filled = runtime.history.fill(ChangeSet(tuple(steps))).steps
        (net,) = net_changes(filled, lambda _: [])
    except CannotApply:
        return whole, True
    return Change(path, net.before or ABSENT, net.after or ABSENT), False


def _followed(runtime: Runtime, operations: Sequence[Operation]) -> ChangeSet:
    filled = [runtime.history.fill(operation.change_set) for operation in operations]
    steps: list[Change | Rename] = []
    for net in net_changes((step for each in filled for step in each.steps), lambda _: []):
        steps += _steps_of(net)
    return ChangeSet(tuple(steps))


def _steps_of(net: NetChange) -> list[Change | Rename]:
    before, after = net.before or ABSENT, net.after or ABSENT
    if net.source == net.target:
        return [] if _is_same(before, after) else [Change(net.target, before, after)]
    if net.before is None or net.after is None or before == after:
        return [Rename(net.source, net.target)]
    return [Change(net.source, before, ABSENT), Change(net.target, ABSENT, after)]


def _is_file(step: Change) -> bool:
    return any(isinstance(state, FileState | LinkState) for state in (step.before, step.after))


def _is_same(first: State, second: State) -> bool:
    if isinstance(first, FileState) and isinstance(second, FileState):
        return replace(first, content=None) == replace(second, content=None)
    return first == second
