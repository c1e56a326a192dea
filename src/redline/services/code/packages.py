"""New directories of Python that are no packages, where those beside them are."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, Rename
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Kind, Tree
from redline.plan.describe import Label

_INIT = "__init__.py"


def note_missing_packages(tree: Tree, change_set: ChangeSet, label: Label) -> Iterator[str]:
    """Yield a note for each new directory that gets modules but no `__init__.py`.

    A directory is noted if the one around it, or one beside it, has an `__init__.py`.
    """
    made: set[WorkspacePath] = set()
    filled: dict[WorkspacePath, set[str]] = {}
    for change in change_set.steps:
        target = change.target if isinstance(change, Rename) else change.path
        if isinstance(change, Change) and change.after == ABSENT:
            continue
        if isinstance(change, Change) and isinstance(change.after, DirState):
            made.add(target)
        filled.setdefault(target.parent, set()).add(target.name)
    for folder in sorted(made):
        names = filled.get(folder, set())
        has_modules = any(name.endswith(".py") for name in names)
        if has_modules and _INIT not in names and _has_packages(tree, folder):
            yield f"{label(folder)} has no {_INIT}; the packages beside it do"


def _has_packages(tree: Tree, folder: WorkspacePath) -> bool:
    above = folder.parent
    beside = [above]
    if tree.stat(above) is not None:
        beside += [e.path for e in tree.scan(above) if e.kind is Kind.DIRECTORY]
    return any(tree.stat(each.child(_INIT)) is not None for each in beside if each != folder)
