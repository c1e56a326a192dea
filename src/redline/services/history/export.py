"""Hand recorded changes on: as a patch, or as a git commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.core.changes import FileState, LinkState, Rename, State
from redline.core.errors import CannotApply, GitFailed, NotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.git import Committer, HeadFile
from redline.core.ports.history import Operation
from redline.core.ports.tree import Kind
from redline.core.textfile import TextFile, encode
from redline.plan.merge.line_diff import split_lines
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines
from redline.plan.patch.git_format import NamedState, write_change, write_rename
from redline.services.history.net_changes import NetChange, net_changes
from redline.services.runtime import Runtime


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
            f"HEAD does not have this file as the change found it: {path}",
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
