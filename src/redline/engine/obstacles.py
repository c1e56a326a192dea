"""What prevents an undo: paths that are no longer as the operation left them."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.core.budget import release_read
from redline.core.changes import (
    ABSENT,
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    SpecialState,
    State,
)
from redline.core.diff import unified_diff
from redline.core.encodings.opening import open_text
from redline.core.errors import NotARegularFile, PathError, UndoBlocked
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import PathResolver, Tree


@dataclass(frozen=True, slots=True)
class _Obstacle:
    path: WorkspacePath
    diff: str


@dataclass(slots=True)
class _Outlook:
    """The tree as the steps so far will have left it."""

    tree: Tree
    expected: dict[WorkspacePath, State] = field(default_factory=dict)
    renames: list[Rename] = field(default_factory=list)
    # Directories the plan makes: nothing is below them but what it puts there.
    fresh: set[WorkspacePath] = field(default_factory=set)

    def state(self, path: WorkspacePath) -> State:
        if path in self.expected:
            return self.expected[path]
        if any(path != made and path.is_beneath(made) for made in self.fresh):
            return ABSENT
        for rename in reversed(self.renames):
            if path.is_beneath(rename.target):
                rest = path.parts[len(rename.target.parts) :]
                path = WorkspacePath(rename.source.root, rename.source.parts + rest)
            elif path.is_beneath(rename.source):
                return ABSENT
        return self.tree.state(path)


class Obstacles:
    """Compares a plan with the tree before anything is touched."""

    def __init__(self, workspace: PathResolver, tree: Tree) -> None:
        self._workspace = workspace
        self._tree = tree

    def check(self, plan: ChangeSet) -> None:
        """Raise UndoBlocked with a diff of everything that is not as *plan* needs it."""
        outlook = _Outlook(self._tree)
        found: list[_Obstacle] = []
        for step in plan.steps:
            try:
                obstacle = self._at(step, outlook)
            except NotARegularFile:
                path = step.source if isinstance(step, Rename) else step.path
                obstacle = _Obstacle(path, f"{self._show(path)} is no longer a regular file\n")
            if obstacle is not None:
                found.append(obstacle)
            if isinstance(step, Change):
                release_read(step.path)
        if found:
            shown = [self._show(each.path) for each in found]
            raise UndoBlocked(
                f"Changed since by another program or client: {', '.join(shown)}",
                paths=shown,
                diff="".join(each.diff for each in found),
            )

    def _at(self, step: Change | Rename, outlook: _Outlook) -> _Obstacle | None:
        if isinstance(step, Rename):
            return self._at_rename(step, outlook)
        found = outlook.state(step.path)
        obstacle = None
        if not _fits(step, found):
            obstacle = _Obstacle(step.path, self._diff(step.path, step.before, found))
        elif isinstance(step.before, DirState) and isinstance(step.after, Absent):
            obstacle = self._at_directory(step.path, outlook)
        outlook.expected[step.path] = _with_kept_mode(step.after, found)
        if isinstance(step.after, DirState) and not isinstance(found, DirState):
            outlook.fresh.add(step.path)
        return obstacle

    def _at_rename(self, step: Rename, outlook: _Outlook) -> _Obstacle | None:
        moved, there = outlook.state(step.source), outlook.state(step.target)
        for path in [p for p in outlook.expected if p.is_beneath(step.source)]:
            rest = path.parts[len(step.source.parts) :]
            target = WorkspacePath(step.target.root, step.target.parts + rest)
            outlook.expected[target] = outlook.expected.pop(path)
        outlook.expected[step.source] = ABSENT
        outlook.expected[step.target] = moved
        outlook.renames.append(step)
        if isinstance(moved, Absent):
            return _Obstacle(step.source, f"{self._show(step.source)} is gone\n")
        if not isinstance(there, Absent):
            return _Obstacle(step.target, f"{self._show(step.target)} exists again\n")
        return None

    def _at_directory(self, path: WorkspacePath, outlook: _Outlook) -> _Obstacle | None:
        try:
            names = [entry.path.name for entry in self._tree.scan(path)]
        except PathError:
            return None
        kept = [n for n in names if not isinstance(outlook.state(path.child(n)), Absent)]
        if not kept:
            return None
        lines = "".join(f"{self._show(path.child(name))} was added\n" for name in kept)
        return _Obstacle(path, lines)

    def _diff(self, path: WorkspacePath, wanted: State, found: State) -> str:
        shown = self._show(path)
        if isinstance(wanted, FileState) and isinstance(found, FileState):
            old, new = _text(wanted), _text(found)
            if old is None or new is None:
                return f"Binary file {shown} differs\n"
            diff = unified_diff(old, new, f"a/{shown.lstrip('/')}", f"b/{shown.lstrip('/')}")
            return diff or f"{shown}: mode is {found.mode or 0:o}, was {wanted.mode or 0:o}\n"
        return f"{shown}: {_word(found)}, was {_word(wanted)}\n"

    def _show(self, path: WorkspacePath) -> str:
        return show_name(self._workspace.absolute(path))


def _with_kept_mode(after: State, found: State) -> State:
    """*after* with the mode that a step without one leaves as it is."""
    if isinstance(after, FileState) and after.mode is None and isinstance(found, FileState):
        return FileState(after.digest, after.size, found.mode, after.content)
    return after


def _fits(step: Change, found: State) -> bool:
    before, after = step.before, step.after
    if isinstance(before, FileState) and isinstance(found, FileState):
        asks_mode = isinstance(after, FileState) and before.mode is not None
        return before.digest == found.digest and (not asks_mode or before.mode == found.mode)
    if isinstance(before, DirState) and isinstance(found, DirState):
        return True
    return before == found


def _text(state: FileState) -> str | None:
    file = open_text(state.content or b"")
    if b"\0" in file.view:
        return None
    return show_name(file.view.decode("utf-8", "surrogateescape"))


def _word(state: State) -> str:
    match state:
        case Absent():
            return "missing"
        case DirState():
            return "a directory"
        case LinkState():
            return f"a link to {show_name(state.target)}"
        case SpecialState():
            return f"a {state.kind}"
        case FileState():
            return "a file"
