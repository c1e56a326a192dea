"""Anchors and aliases: no edit may leave an alias without its anchor or give it another one."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import islice

from redline.core.errors import CannotApply
from redline.documents.base.model import DocumentEdit

# The mark comes first in every pattern: a single byte is found fast.
_ANCHOR = re.compile(rb"&(?<![^ \t\r\n,\[{:]&)([^ \t\r\n,\[\]{}]+)")
_ENDS = rb"(?=[ \t\r\n,\[\]{}]|\Z)"


def uses_of(source: bytes, anchor: bytes, *, at_most: int = 20) -> list[int]:
    """Return the first lines on which `*anchor` occurs."""
    pattern = re.compile(rb"\*(?<![^ \t\r\n,\[{:]\*)" + re.escape(anchor) + _ENDS)
    found = islice(pattern.finditer(source), at_most)
    return [source.count(b"\n", 0, match.start()) + 1 for match in found]


def check_anchors(
    edit: DocumentEdit, kept: bytes | None = None, new_aliases: Set[bytes] = frozenset()
) -> None:
    """Refuse an edit that breaks or redirects an alias."""
    before, after = edit.before, edit.after
    if new_aliases:
        _check_new_aliases(edit, kept, new_aliases)
    if b"&" not in before:
        return
    for name in _changed_names(edit):
        if not uses_of(after, name, at_most=1):
            continue
        gone, come = _count(before, name), _count(after, name)
        if gone and not come:
            raise CannotApply(
                f"An alias elsewhere needs the anchor that would go: *{_display(name)}",
                hint="change the places that use the alias first",
            )
        if come > gone > 0:
            raise CannotApply(f"The anchor is already in use: &{_display(name)}")


def _changed_names(edit: DocumentEdit) -> list[bytes]:
    """The anchors that an edit adds or takes away, by the lines it touches."""
    start = edit.before.rfind(b"\n", 0, min((s.start for s in edit.splices), default=0)) + 1
    end = edit.before.find(b"\n", max((s.end for s in edit.splices), default=0))
    end = len(edit.before) if end < 0 else end
    old = _counts(edit.before[start:end])
    new = _counts(edit.after[start : end + len(edit.after) - len(edit.before)])
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def _count(source: bytes, name: bytes) -> int:
    pattern = re.compile(rb"&(?<![^ \t\r\n,\[{:]&)" + re.escape(name) + _ENDS)
    return sum(1 for _ in pattern.finditer(source))


def _check_new_aliases(edit: DocumentEdit, kept: bytes | None, aliases: Set[bytes]) -> None:
    start = min((splice.start for splice in edit.splices), default=0)
    defined = {match[1] for match in _ANCHOR.finditer(edit.before, 0, start)}
    for splice in edit.splices:
        defined |= {match[1] for match in _ANCHOR.finditer(splice.data)}
    for name in aliases:
        if name == kept or name not in defined:
            raise CannotApply(f"No anchor above for the alias: *{_display(name)}")


def _counts(source: bytes) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for match in _ANCHOR.finditer(source):
        found[match[1]] = found.get(match[1], 0) + 1
    return found


def _display(name: bytes) -> str:
    return name.decode("utf-8", "replace")
