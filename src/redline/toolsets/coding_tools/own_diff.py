"""What Redline itself changed since it started, as a diff: the answer where there is no git."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Absent, Change, FileState, Rename, State
from redline.core.diff import diff_of_files
from redline.core.encodings.opening import open_versions
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.git import GitFileDiff
from redline.core.ports.history import HistoryQuery, Operation
from redline.core.textfile import encode
from redline.toolsets.call import Call
from redline.toolsets.coding_tools.paths import shown

_PAGE = 200
_MAX_OPERATIONS = 5000


def own_changes(call: Call, paths: Sequence[WorkspacePath], context: int) -> list[GitFileDiff]:
    """Each file that is not what it was before the first change of this process."""
    files = []
    for path, before in sorted(_first_states(call).items()):
        if paths and not any(path.is_beneath(wanted) for wanted in paths):
            continue
        try:
            after = call.runtime.tree.state(path)
        except RedlineError:
            continue
        found = _file_diff(path, before, after, context)
        if found is not None:
            files.append(found)
    return files


def _first_states(call: Call) -> dict[WorkspacePath, State]:
    """Return the state of each changed file before anything was done to it."""
    first: dict[WorkspacePath, State] = {}
    for operation in reversed(_operations(call)):
        for step in call.runtime.history.get(operation.id).change_set.steps:
            if isinstance(step, Rename):
                first.setdefault(step.target, Absent())
                if step.source not in first:
                    first[step.source] = call.runtime.tree.state(step.target)
            elif isinstance(step, Change) and _is_file(step):
                first.setdefault(step.path, step.before)
    return first


def _is_file(step: Change) -> bool:
    return isinstance(step.before, FileState) or isinstance(step.after, FileState)


def _operations(call: Call) -> list[Operation]:
    """This process's operations, newest first."""
    found: list[Operation] = []
    query = HistoryQuery(since=call.runtime.started, limit=_PAGE, steps=0)
    while len(found) < _MAX_OPERATIONS:
        page = call.runtime.history.list(query)
        found += page
        if len(page) < _PAGE:
            break
        query = query._replace(before_id=page[-1].id)
    return found


def _file_diff(
    path: WorkspacePath, before: State, after: State, context: int
) -> GitFileDiff | None:
    old, new = content_of(before), content_of(after)
    name = shown(path)
    status = "added" if old is None else "deleted" if new is None else "modified"
    was, becomes = open_versions(old or b"", new or b"")
    text = diff_of_files(
        was.view,
        becomes.view,
        "/dev/null" if old is None else f"a/{name}",
        "/dev/null" if new is None else f"b/{name}",
        context,
    )
    if not text and (old is None) == (new is None):
        return None
    head = f"diff --git a/{name} b/{name}\n"
    return GitFileDiff(path.relative, status, False, encode(head + text))


def content_of(state: State) -> bytes | None:
    """Return what a file holds; None if it is no file."""
    return state.content or b"" if isinstance(state, FileState) else None
