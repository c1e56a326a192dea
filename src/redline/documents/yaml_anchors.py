"""Anchors and aliases: no edit may leave an alias without its anchor or give it another one."""

from __future__ import annotations

import re
from collections.abc import Set

from redline.core.errors import CannotApply
from redline.documents.model import Edit

_ANCHOR = re.compile(rb"(?<![^ \t\r\n,\[{:])&([^ \t\r\n,\[\]{}]+)")
_ALIAS = re.compile(rb"(?<![^ \t\r\n,\[{:])\*([^ \t\r\n,\[\]{}]+)")


def uses_of(source: bytes, anchor: bytes) -> list[int]:
    """The lines on which `*anchor` stands."""
    pattern = re.compile(
        rb"(?<![^ \t\r\n,\[{:])\*" + re.escape(anchor) + rb"(?=[ \t\r\n,\[\]{}]|\Z)"
    )
    return [source.count(b"\n", 0, match.start()) + 1 for match in pattern.finditer(source)]


def check_anchors(
    edit: Edit, kept: bytes | None = None, new_aliases: Set[bytes] = frozenset()
) -> None:
    """Refuse an edit that breaks or redirects an alias."""
    before, after = edit.before, edit.after
    if new_aliases:
        _check_new_aliases(edit, kept, new_aliases)
    if b"&" not in before:
        return
    gone, come = _counts(before), _counts(after)
    for name in {match[1] for match in _ALIAS.finditer(after)}:
        if name in gone and name not in come:
            raise CannotApply(
                f"An alias elsewhere needs the anchor that would go: *{_shown(name)}",
                hint="change the places that use the alias first",
            )
        if come.get(name, 0) > gone.get(name, 0) and gone.get(name, 0):
            raise CannotApply(f"The anchor is already in use: &{_shown(name)}")


def _check_new_aliases(edit: Edit, kept: bytes | None, aliases: Set[bytes]) -> None:
    start = min((splice.start for splice in edit.splices), default=0)
    defined = {match[1] for match in _ANCHOR.finditer(edit.before, 0, start)}
    for splice in edit.splices:
        defined |= {match[1] for match in _ANCHOR.finditer(splice.data)}
    for name in aliases:
        if name == kept or name not in defined:
            raise CannotApply(f"No anchor above for the alias: *{_shown(name)}")


def _counts(source: bytes) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for match in _ANCHOR.finditer(source):
        found[match[1]] = found.get(match[1], 0) + 1
    return found


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "replace")
