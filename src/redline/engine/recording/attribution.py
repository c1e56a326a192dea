"""Splits what one look found by who made it, and by what one operation holds."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from redline.core.changes import Change, DirState, FileState
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import OUTSIDE, PROMPT, Origin
from redline.core.ports.recording import HookEvent
from redline.engine.recording.claims import Claim

# What one operation holds at most; a larger burst is several operations.
MAX_CHANGES = 5_000
MAX_CHANGED = 64 << 20
_MAX_SHOWN = 200
_MAX_ID = 64

Claiming = Callable[[Change], tuple[Claim, ...]]


class Part(NamedTuple):
    """Changes of one run of a tool, or of none that is known."""

    claims: tuple[Claim, ...]
    changes: list[Change]


def split(changes: Sequence[Change], claiming: Claiming) -> list[Part]:
    """Return the parts of *changes*, in an order in which they can be carried out.

    A directory in which several made or removed something has a part before or after theirs.
    """
    owners = {change.path: claiming(change) for change in changes}
    shared = _shared_directories(owners)
    first: dict[tuple[Claim, ...], list[Change]] = {}
    middle: dict[tuple[Claim, ...], list[Change]] = {}
    last: dict[tuple[Claim, ...], list[Change]] = {}
    for change in changes:
        stage = middle
        if change.path in shared:
            stage = last if isinstance(change.before, DirState) else first
        stage.setdefault(owners[change.path], []).append(change)
    return [Part(*part) for stage in (first, middle, last) for part in stage.items()]


def _shared_directories(owners: dict[WorkspacePath, tuple[Claim, ...]]) -> set[WorkspacePath]:
    """Return the changed paths that have changes of several owners at or beneath them."""
    found: set[WorkspacePath] = set()
    for path, owner in owners.items():
        above = path
        while above.parts:
            above = above.parent
            if owners.get(above, owner) != owner:
                found.add(above)
    return found


def origin_of(claims: tuple[Claim, ...], person: str, cause: str) -> Origin:
    """Return what is known of who made a change; *cause* is what else is known of it."""
    if len(claims) == 1:
        event = claims[0].event
        parts = [_shorten(event.command or _name_files(event.files)), cause]
        parts += [f"prompt {_shorten(event.prompt, _MAX_ID)}"] if event.prompt else []
        summary = "; ".join(text for text in parts if text)
        return Origin(
            _shorten(event.tool, _MAX_ID),
            event.client,
            person,
            summary,
            session=_shorten(event.session, _MAX_ID),
        )
    names = " or ".join(
        sorted(
            f"{claim.event.client} session {_shorten(claim.event.session, _MAX_ID)}"
            for claim in claims
        )
    )
    summary = "; ".join(text for text in (cause, names) if text)
    return Origin(OUTSIDE, principal=person, summary=summary)


def origin_of_prompt(event: HookEvent, person: str) -> Origin:
    """Return the origin of a prompt's record; its summary is the first words."""
    words, session = _shorten(event.words), _shorten(event.session, _MAX_ID)
    return Origin(PROMPT, event.client, person, words, session=session)


def _name_files(files: frozenset[str]) -> str:
    return ", ".join(sorted(files))


def _shorten(text: str, length: int = _MAX_SHOWN) -> str:
    shown = show_name(text)
    return shown if len(shown) <= length else f"{shown[: length - 1]}…"


def in_slices(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Yield *changes* in order, as many at a time as one operation holds."""
    held: list[Change] = []
    size = 0
    for change in changes:
        sizes = [s.size for s in (change.before, change.after) if isinstance(s, FileState)]
        if held and (len(held) >= MAX_CHANGES or size + sum(sizes) > MAX_CHANGED):
            yield held
            held, size = [], 0
        held.append(change)
        size += sum(sizes)
    if held:
        yield held


def login_name() -> str:
    """Return the name of the person this runs for, empty where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
