"""What an examination of the machine found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact; `level` is ok, weak (works with less protection) or bad (does not work)."""

    about: str
    level: str
    text: str
