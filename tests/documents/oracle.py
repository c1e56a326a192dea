"""A third opinion on YAML: PyYAML with every scalar as text, aliases kept apart from copies."""

from __future__ import annotations

from typing import Any

import yaml


def events(source: bytes) -> list[Any]:
    """What PyYAML reads: events without positions and styles."""
    text = source.decode("utf-8-sig")
    return [_fact(event) for event in yaml.parse(text, Loader=yaml.CBaseLoader)]


def _fact(event: yaml.Event) -> tuple[Any, ...]:
    name = type(event).__name__
    if isinstance(event, yaml.ScalarEvent):
        return name, event.value, event.anchor, event.tag, event.style in (None, "")
    anchor = getattr(event, "anchor", None)
    return (name, anchor, getattr(event, "tag", None)) if anchor else (name,)


def agrees(before: bytes, after: bytes, wanted: str) -> bool:
    """Whether *after* differs from *before* in exactly one scalar, which now reads *wanted*."""
    old, new = events(before), events(after)
    different = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if len(old) != len(new) or len(different) > 1:
        return False
    return not different or different[0][1][1] == wanted
