"""How files differ from the commit that is checked out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, LinkState, State
from redline.core.errors import NotFound, RedlineError
from redline.core.paths import Access, WorkspacePath
from redline.services.runtime import Runtime

if TYPE_CHECKING:
    from redline.core.ports.git import Committer

# The name under which commands take the commit as a point to compare with.
HEAD = "HEAD"


def difference_from_head(runtime: Runtime, committer: Committer) -> ChangeSet:
    """Return how the files of the first root differ from HEAD, new files included."""
    top = WorkspacePath(0, ())
    status = runtime.git.status(top, untracked=True)
    if status is None:
        raise NotFound(runtime.workspace.absolute(top), "The workspace is not a repository")
    names = {entry.path for entry in status.entries} | {
        entry.original for entry in status.entries if entry.original
    }
    steps = []
    for name in sorted(names):
        path = runtime.workspace.resolve(name, Access.READ, follow=False)
        before = _at_head(committer, runtime.workspace.absolute(path))
        after = _now(runtime, path)
        if before != after:
            steps.append(Change(path, before, after))
    return ChangeSet(tuple(steps))


def _at_head(committer: Committer, absolute: str) -> State:
    found = committer.head_file(absolute)
    if found is None:
        return ABSENT
    return LinkState(os.fsdecode(found.content)) if found.is_link else FileState.of(found.content)


def _now(runtime: Runtime, path: WorkspacePath) -> State:
    try:
        state = runtime.tree.state(path)
    except RedlineError:
        return ABSENT
    if isinstance(state, LinkState):
        return state
    return FileState.of(state.content or b"") if isinstance(state, FileState) else ABSENT
