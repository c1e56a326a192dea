"""What prevents an operation from being taken back, for the person or agent that asked for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from redline.core.changes import Absent, DirState, FileState, LinkState, SpecialState, State
from redline.core.diff import unified_diff
from redline.core.encodings.opening import open_text
from redline.core.errors import UndoBlocked
from redline.core.paths import WorkspacePath, show_name
from redline.plan.merge.three_way import LineConflict

_MAX_LINES = 30
_MAX_NAMED = 8


@dataclass(frozen=True, slots=True)
class Clash:
    """A path that cannot be taken back; `operations` changed it since, "" is another program."""

    path: WorkspacePath
    text: str
    operations: tuple[str, ...] = ()
    lines: tuple[LineConflict, ...] = ()


def blocked(
    clashes: Sequence[Clash], show: Callable[[WorkspacePath], str], selected: Collection[str]
) -> UndoBlocked:
    """Build the error that tells where the way is blocked, and by which of the other operations."""
    paths = list(dict.fromkeys(show(clash.path) for clash in clashes))
    makers = list(dict.fromkeys(name for clash in clashes for name in clash.operations))
    ids = [name for name in makers if name and name not in selected]
    others = not ids or "" in makers
    who = ", ".join(ids[:_MAX_NAMED]) + (" and more" if len(ids) > _MAX_NAMED else "")
    if who:
        who = f"change {who}" + (" and another program or client" if others else "")
    else:
        who = "another program or client"
    return UndoBlocked(
        f"Changed since by {who}: {', '.join(paths)}",
        paths=paths,
        diff="".join(clash.text for clash in clashes),
        operations=ids,
        conflicts=[_wire(clash.path, each, show) for clash in clashes for each in clash.lines],
    )


def _wire(
    path: WorkspacePath, conflict: LineConflict, show: Callable[[WorkspacePath], str]
) -> dict[str, object]:
    return {
        "path": show(path),
        "line": conflict.now_line,
        "now": [_text(line) for line in conflict.now[:_MAX_LINES]],
        "wanted": [_text(line) for line in conflict.wanted[:_MAX_LINES]],
        "operations": [name for name in conflict.makers if name],
    }


def describe_conflicts(shown: str, conflicts: Sequence[LineConflict]) -> str:
    """Return the conflicting lines of a file from both sides, as merge tools show them."""
    parts = []
    for each in conflicts:
        names = [name or "another program" for name in each.makers]
        who = f" by {', '.join(names)}" if names else ""
        parts.append(
            f"{shown} line {each.now_line}\n"
            f"<<<<<<< now, changed{who}\n{_block(each.now)}"
            f"=======\n{_block(each.wanted)}>>>>>>> wanted\n"
        )
    return "".join(parts)


def describe_states(shown: str, wanted: State, found: State) -> str:
    """Return how what was found differs from what the operation left."""
    if isinstance(wanted, FileState) and isinstance(found, FileState):
        old, new = _content(wanted), _content(found)
        if old is None or new is None:
            return f"Binary file {shown} differs\n"
        diff = unified_diff(old, new, f"a/{shown.lstrip('/')}", f"b/{shown.lstrip('/')}")
        return diff or f"{shown}: mode is {found.mode or 0:o}, was {wanted.mode or 0:o}\n"
    return f"{shown}: {_kind(found)}, was {_kind(wanted)}\n"


def _block(lines: Sequence[bytes]) -> str:
    kept = [_text(line) + "\n" for line in lines[:_MAX_LINES]]
    rest = len(lines) - _MAX_LINES
    return "".join(kept) + (f"[{rest} more lines]\n" if rest > 0 else "")


def _text(line: bytes) -> str:
    return show_name(line.decode("utf-8", "surrogateescape")).rstrip("\r\n")


def _content(state: FileState) -> str | None:
    content = open_text(state.content or b"").view
    return None if b"\0" in content else show_name(content.decode("utf-8", "surrogateescape"))


def _kind(state: State) -> str:
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
