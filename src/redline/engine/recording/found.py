"""What one look at the workspace found."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.core.changes import Change, State
from redline.core.paths import WorkspacePath
from redline.core.ports.recording import KnownEntry, Mark

# What was read at each path; without a mark it is gone, or there but ignored if its state is None.
Seen = dict[WorkspacePath, tuple[Mark | None, State | None]]


@dataclass(slots=True)
class Found:
    """What differs from what was known, and what is known from now on."""

    changes: list[Change] = field(default_factory=list)
    entries: dict[WorkspacePath, KnownEntry | None] = field(default_factory=dict)
    contents: list[bytes] = field(default_factory=list)
    uncovered: list[str] = field(default_factory=list)
    size: int = 0
