"""A ChangeSet in words: which files, what happened to each, and the unified diff."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from redline.core import changes
from redline.core.paths import WorkspacePath, show_name
from redline.core.records import dataclass
from redline.core.textfile import TextFile, encode, is_utf8

Label = Callable[[WorkspacePath], str]
EncodingOf = Callable[[WorkspacePath], str | None]
Lookup = Callable[[], str | None]
NULL = "/dev/null"


@dataclass(frozen=True, slots=True)
class Touched:
    """One path of a ChangeSet; `action` is create, edit, delete, move, mode or link."""

    path: str
    action: str
    kind: str = "file"
    old_path: str | None = None

    def wire(self) -> dict[str, str]:
        """As a JSON object, without empty fields."""
        found = {"path": self.path, "action": self.action, "kind": self.kind}
        if self.old_path is not None:
            found["old_path"] = self.old_path
        return found


def list_touched(
    change_set: changes.ChangeSet, label: Label, most: int | None = None
) -> list[Touched]:
    """Return every path of *change_set* in order, or the first *most*."""
    return [
        Touched(label(step.target), "move", "entry", label(step.source))
        if isinstance(step, changes.Rename)
        else Touched(label(step.path), _action(step), _kind(step))
        for step in change_set.steps[:most]
    ]


def name_first(change_set: changes.ChangeSet, label: Label, most: int) -> tuple[list[Touched], int]:
    """Return the first *most* files of a change, and how many more there are.

    Directories made or removed with their files go without saying.
    """
    files = [
        step for step in change_set.steps if isinstance(step, changes.Rename) or _is_entry(step)
    ]
    steps = tuple(files or change_set.steps)
    return list_touched(changes.ChangeSet(steps), label, most), max(0, len(steps) - most)


def _is_entry(step: changes.Change) -> bool:
    return _kind(step) != "directory"


def diff_of(
    change_set: changes.ChangeSet,
    label: Label,
    configured: EncodingOf | None = None,
    *,
    fold: bool = False,
) -> str:
    """Return the unified diff of every step; contents that were not loaded are named, not shown.

    *configured* finds the encoding of a path whose content does not tell it. With *fold* only what
    changed of a long line is shown.
    """
    return "".join(pieces_of(change_set, label, configured, fold=fold))


def pieces_of(
    change_set: changes.ChangeSet,
    label: Label,
    configured: EncodingOf | None = None,
    *,
    fold: bool = False,
) -> Iterator[str]:
    """The same in pieces, none of them large."""
    for step in change_set.steps:
        yield from _step_diff(step, label, configured, fold)


def _action(change: changes.Change) -> str:
    if isinstance(change.before, changes.Absent):
        return "create"
    if isinstance(change.after, changes.Absent):
        return "delete"
    if isinstance(change.before, changes.FileState) and isinstance(change.after, changes.FileState):
        return "edit" if change.before.digest != change.after.digest else "mode"
    return "mode" if isinstance(change.after, changes.DirState) else "replace"


def _kind(change: changes.Change) -> str:
    state = change.before if isinstance(change.after, changes.Absent) else change.after
    if isinstance(state, changes.DirState):
        return "directory"
    if isinstance(state, changes.SpecialState):
        return state.kind.lower()
    return "symlink" if isinstance(state, changes.LinkState) else "file"


def _step_diff(
    step: changes.Change | changes.Rename, label: Label, configured: EncodingOf | None, fold: bool
) -> Iterator[str]:
    if isinstance(step, changes.Rename):
        yield f"rename from {label(step.source)}\nrename to {label(step.target)}\n"
        return
    name = label(step.path)
    if _kind(step) == "directory":
        verb = {"create": "new", "delete": "removed"}.get(_action(step), "changed")
        yield f"{verb} directory {name}\n"
        return
    if isinstance(step.before, changes.SpecialState) or isinstance(
        step.after, changes.SpecialState
    ):
        verb = "not restored:" if isinstance(step.before, changes.Absent) else "removed"
        yield f"{verb} {_kind(step)} {name}\n"
        return
    if _is_known_by_digest(step.before) and isinstance(step.after, changes.Absent):
        yield f"removed file {name}\n"
        return
    labels = (
        NULL if isinstance(step.before, changes.Absent) else f"a/{name.lstrip('/')}",
        NULL if isinstance(step.after, changes.Absent) else f"b/{name.lstrip('/')}",
    )
    pieces = _text_diff(step, *labels, configured and partial(configured, step.path), fold)
    if pieces is None:
        yield f"Binary or large file {name}: {_action(step)}\n"
        return
    first = next(pieces, "")
    yield first
    yield from pieces
    yield mode_line(step, name) if first else _describe_unchanged(step, name)
    if isinstance(step.after, changes.LinkState) and not isinstance(step.before, changes.LinkState):
        yield f"link {name}: it leads to what its text names\n"


def _is_known_by_digest(state: changes.State) -> bool:
    """Return whether a file's content was left out, as `plan_delete` does."""
    return isinstance(state, changes.FileState) and state.content is None


def _text_diff(
    step: changes.Change, old_label: str, new_label: str, configured: Lookup | None, fold: bool
) -> Iterator[str] | None:
    """Yield the diff of two texts in pieces; None when there is no text to show."""
    # Late: what only lists paths should not pay for it.
    from redline.core.diff import pieces_of_bytes, unified_diff

    texts = _texts(step, configured)
    if texts is None:
        return None
    before, after = texts
    linked = isinstance(step.before, changes.LinkState) or isinstance(step.after, changes.LinkState)
    if is_utf8(before) and is_utf8(after):
        return pieces_of_bytes(before, after, old_label, new_label, fold=fold)
    was, becomes = (text.decode("utf-8", "surrogateescape") for text in (before, after))
    diff = unified_diff(was, becomes, old_label, new_label)
    return iter((diff if linked else show_name(diff),))


def texts_of(
    step: changes.Change, configured: EncodingOf | None = None
) -> tuple[bytes, bytes] | None:
    """Return both versions as the diff of a step compares them; None if it shows no text."""
    return _texts(step, configured and partial(configured, step.path))


def _texts(step: changes.Change, configured: Lookup | None) -> tuple[bytes, bytes] | None:
    from redline.core.encodings.opening import open_versions

    old, new = _content(step.before), _content(step.after)
    if old is None or new is None:
        return None
    linked = isinstance(step.before, changes.LinkState) or isinstance(step.after, changes.LinkState)
    files = (
        (TextFile(old), TextFile(new)) if linked else open_versions(old, new, configured=configured)
    )
    if any(file.is_binary for file in files):
        return None
    before, after = files[0].view, files[1].view
    # They may differ in a mark of the encoding only.
    return (old, new) if before == after else (before, after)


def _describe_unchanged(step: changes.Change, name: str) -> str:
    return mode_line(step, name) or f"{_action(step)} empty {_kind(step)} {name}\n"


def mode_line(step: changes.Change, name: str) -> str:
    """Return the line about a file's changed mode; empty if it stays."""
    before = getattr(step.before, "mode", None)
    after = getattr(step.after, "mode", None)
    if before is None or after is None or before == after:
        return ""
    return f"mode of {name}: {before:o} -> {after:o}\n"


def _content(state: changes.State) -> bytes | None:
    """Return the bytes of a state for a diff, or None when there are none to show."""
    if isinstance(state, changes.Absent):
        return b""
    if isinstance(state, changes.LinkState):
        return encode(state.target)
    return state.content if isinstance(state, changes.FileState) else None
