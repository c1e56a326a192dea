"""Hand recorded changes on: as a patch, or as a git commit."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Change, FileState, Rename, State
from redline.core.errors import CannotApply
from redline.core.paths import WorkspacePath
from redline.core.ports.git import Committer, HeadFile
from redline.core.ports.history import Operation
from redline.core.textfile import TextFile
from redline.plan.describe import Label, diff_of
from redline.plan.merge.line_diff import split_lines
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines
from redline.services.runtime import Runtime


def load_in_order(runtime: Runtime, ids: Sequence[str]) -> list[Operation]:
    """Return operations with contents, oldest first."""
    return sorted((runtime.history.get(each) for each in ids), key=lambda found: found.time)


def patch_of(operations: Sequence[Operation], label: Label) -> str:
    """Return the operations as one text of unified diffs."""
    return "".join(diff_of(operation.change_set, label) for operation in operations)


def commit_to_git(
    runtime: Runtime, committer: Committer, operations: Sequence[Operation], message: str
) -> str:
    """Commit what *operations* changed on top of HEAD, merged into what HEAD has; the commit's id.

    CannotApply when HEAD has other content where they changed something.
    """
    files: dict[str, HeadFile | None] = {}

    def current(path: str) -> HeadFile | None:
        return files[path] if path in files else committer.head_file(path)

    for operation in operations:
        for step in operation.change_set.steps:
            if isinstance(step, Rename):
                source, target = _name(runtime, step.source), _name(runtime, step.target)
                moved = current(source)
                if moved is not None:
                    files[target], files[source] = moved, None
            elif isinstance(step.before, FileState) or isinstance(step.after, FileState):
                path = _name(runtime, step.path)
                files[path] = _apply(step, current(path), path)
    changed = {path: file for path, file in files.items() if file != committer.head_file(path)}
    return committer.commit(changed, f"{message}\n\n{_trailers(operations)}")


def _apply(step: Change, found: HeadFile | None, path: str) -> HeadFile | None:
    """Return what becomes of a file of HEAD."""
    before, after = _content(step.before), _content(step.after)
    now = None if found is None else found.content
    if now in (before, after):
        content = after
    elif before is None or after is None or now is None or _is_binary(before, after, now):
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
    mode = step.after.mode if isinstance(step.after, FileState) else None
    return HeadFile(content, bool(mode and mode & 0o100))


def _is_binary(*contents: bytes) -> bool:
    return any(TextFile(content).is_binary for content in contents)


def _content(state: State) -> bytes | None:
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


def _name(runtime: Runtime, path: WorkspacePath) -> str:
    return runtime.workspace.absolute(path)
