"""Writing, creating, moving and deleting files and directories, as ChangeSets."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core import changes, errors
from redline.core.budget import release_read
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Entry, Kind, Tree
from redline.core.records import replace


def plan_write(tree: Tree, path: WorkspacePath, shown: str, content: bytes) -> changes.ChangeSet:
    """Write *content* to *path*; missing parents are created, an existing file keeps its mode."""
    before = tree.state(path)
    if isinstance(before, changes.DirState):
        raise errors.IsADirectory(shown)
    if not isinstance(before, changes.Absent | changes.FileState):
        raise errors.NotARegularFile(shown)
    mode = before.mode if isinstance(before, changes.FileState) else None
    after = changes.FileState.of(content, mode)
    if isinstance(before, changes.FileState) and before.digest == after.digest:
        return changes.ChangeSet()
    return changes.ChangeSet((*_parents(tree, path, shown), changes.Change(path, before, after)))


def plan_make_directory(tree: Tree, path: WorkspacePath, shown: str) -> changes.ChangeSet:
    """Create the directory *path* and its parents; nothing to do when it exists."""
    entry = tree.stat(path)
    if entry is not None:
        if entry.kind is not Kind.DIRECTORY:
            raise errors.AlreadyExists(shown, f"A file is where the directory should be: {shown}")
        return changes.ChangeSet()
    return changes.ChangeSet(
        (*_parents(tree, path, shown), changes.Change(path, changes.ABSENT, changes.DirState()))
    )


def plan_move(
    tree: Tree, source: WorkspacePath, target: WorkspacePath, shown: str, *, overwrite: bool = False
) -> changes.ChangeSet:
    """Move *source* to *target*; what is there is only replaced with *overwrite*.

    *shown* is the target for messages; NotFound when there is no source.
    """
    entry = tree.stat(source)
    if entry is None:
        raise errors.NotFound(source.relative)
    if source == target:
        return changes.ChangeSet()
    if target.is_beneath(source):
        raise errors.PathError(shown, f"A directory cannot be moved into itself: {shown}")
    removed = tuple(_replace_target(tree, entry, target, shown, overwrite))
    return changes.ChangeSet(
        (*_parents(tree, target, shown), *removed, changes.Rename(source, target))
    )


def plan_copy(
    tree: Tree, source: WorkspacePath, target: WorkspacePath, shown: str, *, overwrite: bool = False
) -> changes.ChangeSet:
    """Copy *source*, a directory with everything in it, to *target*; as `plan_move` otherwise."""
    entry = tree.stat(source)
    if entry is None:
        raise errors.NotFound(source.relative)
    if target.is_beneath(source):
        raise errors.PathError(shown, f"Nothing is copied into itself: {shown}")
    removed = tuple(_replace_target(tree, entry, target, shown, overwrite))
    copied = _copies(tree, entry, target, shown)
    return changes.ChangeSet((*_parents(tree, target, shown), *removed, *copied))


def _copies(
    tree: Tree, entry: Entry, target: WorkspacePath, shown: str
) -> Iterator[changes.Change]:
    """Parents first."""
    if entry.special is not None:
        raise errors.NotARegularFile(
            shown, f"It is no file that can be copied: {entry.path.relative}"
        )
    yield changes.Change(target, changes.ABSENT, tree.state(entry.path))
    if entry.kind is Kind.DIRECTORY:
        for child in tree.scan(entry.path):
            yield from _copies(tree, child, target.child(child.path.name), shown)


def plan_delete(tree: Tree, path: WorkspacePath, shown: str) -> changes.ChangeSet:
    """Remove what is at *path*, a directory with everything in it."""
    entry = tree.stat(path)
    if entry is None:
        raise errors.NotFound(shown)
    return changes.ChangeSet(tuple(_removals(tree, entry)))


def _replace_target(
    tree: Tree, source: Entry, target: WorkspacePath, shown: str, overwrite: bool
) -> Iterator[changes.Change]:
    existing = tree.stat(target)
    if existing is None:
        return
    hint, details = None, {}
    if existing.kind is Kind.DIRECTORY:
        details["into"] = f"{shown}/{show_name(source.path.name)}"
        hint = f"to move it into this directory, pass {details['into']}"
    if not overwrite:
        replacing = "choose another destination, or pass overwrite: true to replace a file"
        raise errors.AlreadyExists(shown, hint=hint or replacing, details=details)
    if Kind.DIRECTORY in (existing.kind, source.kind):
        raise errors.IsADirectory(
            shown, f"A directory is not overwritten: {shown}", hint=hint, details=details
        )
    yield changes.Change(target, tree.state(target), changes.ABSENT)


def _removals(tree: Tree, entry: Entry) -> Iterator[changes.Change]:
    """Children first. Contents are left out: the commit saves what it removes."""
    if entry.kind is Kind.DIRECTORY:
        for child in tree.scan(entry.path):
            yield from _removals(tree, child)
    if entry.special is not None:
        yield changes.Change(entry.path, changes.SpecialState(entry.special), changes.ABSENT)
        return
    yield changes.Change(entry.path, _identity(tree.state(entry.path)), changes.ABSENT)
    release_read(entry.path)


def _identity(state: changes.State) -> changes.State:
    return replace(state, content=None) if isinstance(state, changes.FileState) else state


def _parents(tree: Tree, path: WorkspacePath, shown: str) -> list[changes.Change]:
    """Return the changes that make the missing directories above *path*, outermost first."""
    missing: list[changes.Change] = []
    parent = path.parent
    while parent.parts:
        entry = tree.stat(parent)
        if entry is not None:
            if entry.kind is not Kind.DIRECTORY:
                raise errors.NotADirectory(shown, f"A file is in the way of {shown}")
            break
        missing.append(changes.Change(parent, changes.ABSENT, changes.DirState()))
        parent = parent.parent
    return missing[::-1]
