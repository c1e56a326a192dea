"""Which values differ between two versions of a document, found in a worker.

A document is compared by its leaves: every scalar and every empty collection at its path, with its
tag. A leaf that is in one version only, or differs, is touched. Lists are compared by position.
Aliases count as the values they repeat, and what `<<` merges counts as if it were written there.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from redline.core.errors import DocumentSyntax, RedlineError
from redline.core.ports.confined import Confined
from redline.documents.base.model import MAX_PARSED_BYTES, require_text
from redline.documents.formats import named_format, open_document, sniff
from redline.policy.field_patterns import Steps

_MAX_TOUCHED = 5_000
_SMALL = 1 << 16
_MERGE = "<<"
_MISSING = object()
_MARSHAL = 2
_TEXT = {str}


def touched_fields(
    confined: Confined, name: str, old: bytes | None, new: bytes | None
) -> list[Steps] | None:
    """The paths of values that differ; None where that is not known, so it may be all of them.

    None for *old* or *new* is a file that is not there.
    """
    if any(data is not None and len(data) > MAX_PARSED_BYTES for data in (old, new)):
        return None
    try:
        if named_format(name) in ("json", "jsonc"):
            # As elsewhere these two are parsed here, by parsers that keep no recursion.
            found = compare(_no_answers, name, old, new)
        else:
            found = confined.call(f"{__name__}:compare", (name, old, new))
    except (RedlineError, RecursionError):
        return None  # it does not parse, or a parser crashed or took too long on it
    return None if found is None else [tuple(steps) for steps in found]


def _no_answers(*_: Any) -> None:
    """Take the place of the answers of the server, which comparing does not ask for."""


def compare(
    _ask: Callable[..., Any], name: str, old: bytes | None, new: bytes | None
) -> list[Steps] | None:
    """The worker's part of `touched_fields`."""
    form = named_format(name)
    pairs = zip_longest(_documents_of(form, old), _documents_of(form, new), fillvalue=_MISSING)
    found: set[Steps] = set()
    for before, after in pairs:
        for steps in _differences(before, after):
            found.add(steps)
            if len(found) > _MAX_TOUCHED:
                return None
    found |= {_merge(steps) for steps in found if _MERGE in steps}
    return sorted(found, key=lambda steps: tuple(map(str, steps)))


def _differences(top: Any, other: Any) -> Iterator[Steps]:
    """The paths of leaves in which two values differ, without recursion."""
    waiting: list[tuple[Steps, Any, Any]] = [((), top, other)]
    while waiting:
        steps, old, new = waiting.pop()
        if old == new and _have_equal_types(old, new):
            continue
        if getattr(old, "tag", None) != getattr(new, "tag", None):
            yield steps
        old, new = _without_tag(old), _without_tag(new)
        was, becomes = _children(old), _children(new)
        if was is None or becomes is None or type(old) is not type(new):
            yield from _leaves(steps, old)
            yield from _leaves(steps, new)
            continue
        if not was or not becomes:
            yield steps  # an empty collection is a leaf
        for key in was if was.keys() == becomes.keys() else {**was, **becomes}:
            before, after = was.get(key, _MISSING), becomes.get(key, _MISSING)
            if before is not after and not (type(before) is type(after) is str and before == after):
                waiting.append(((*steps, key), before, after))


def _have_equal_types(old: Any, new: Any) -> bool:
    """Whether equal values are written alike too, which `1 == True` does not say."""
    try:
        # In this version a value's bytes depend on nothing but the value.
        return marshal.dumps(old, _MARSHAL) == marshal.dumps(new, _MARSHAL)
    except ValueError:  # a tag or a date is in it
        return repr(old) == repr(new)


def _merge(steps: Steps) -> Steps:
    return tuple(step for step in steps if step != _MERGE)


def _documents_of(form: str | None, data: bytes | None) -> list[Any]:
    if data is None:
        return []
    form = form or sniff(data)
    return _small_documents(data, form) if len(data) < _SMALL else _documents(data, form)


@lru_cache(16)
def _small_documents(data: bytes, form: str) -> list[Any]:
    """The same, remembered: what a change leaves is often what the next one starts from."""
    return _documents(data, form)


def _documents(data: bytes, form: str) -> list[Any]:
    if form == "yaml":
        return _yaml_documents(data)
    document = open_document(data, form).data()
    if form == "json":
        _refuse_duplicates(data)
    return [document]


def _yaml_documents(data: bytes) -> list[Any]:
    from redline.documents.yaml import strict

    require_text(data, "YAML", MAX_PARSED_BYTES)
    documents = strict.parse(data) or [None]  # an empty file is one empty value
    if b"*" not in data:
        return documents
    nodes = (node for top in documents for node in strict.nodes(top))
    if not any(strict.alias_name(node) is not None for node in nodes):
        return documents
    import yaml12

    try:
        # Aliases as the values they repeat; what that can grow to, the worker's budget bounds.
        return list(yaml12.parse_yaml(data.decode("utf-8-sig"), multi=True))
    except ValueError as error:
        raise DocumentSyntax(f"Invalid YAML: {error}") from None


def _refuse_duplicates(data: bytes) -> None:
    """Refuse an object with a key twice: programs differ in which of both they read."""
    import json

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise DocumentSyntax("An object has the same key twice")
        return found

    try:
        json.loads(data, object_pairs_hook=check)
    except (ValueError, RecursionError):
        raise DocumentSyntax("The JSON cannot be checked for repeated keys") from None


def _leaves(top: Steps, value: Any) -> Iterator[Steps]:
    """The path of every leaf of a value, without recursion."""
    waiting: list[tuple[Steps, Any]] = [] if value is _MISSING else [(top, value)]
    while waiting:
        steps, inner = waiting.pop()
        if getattr(inner, "tag", None) is not None:
            yield steps
        children = _children(_without_tag(inner))
        if children:
            waiting += [((*steps, key), child) for key, child in children.items()]
        else:
            yield steps


def _children(value: Any) -> Mapping[str | int, Any] | None:
    """What lies in a collection, by key as text or by position; None for any other value."""
    if isinstance(value, list):
        return dict(enumerate(value))
    if not isinstance(value, dict):
        return None
    if set(map(type, value)) <= _TEXT:
        return value
    found: dict[str | int, Any] = {_key(key): inner for key, inner in value.items()}
    if len(found) != len(value):
        raise DocumentSyntax("Two keys of a mapping have the same text")
    return found


def _without_tag(value: Any) -> Any:
    return value.value if getattr(value, "tag", None) is not None else value


def _key(key: Any) -> str:
    key = getattr(key, "value", key)
    return key if isinstance(key, str) else str(key)
