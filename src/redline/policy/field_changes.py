"""Which values differ between two versions of a document, found in a worker.

A document is compared by its leaves: every scalar and every empty collection at its path, with its
tag. A leaf that is in one version only, or differs, is touched. Lists are compared by position.
Aliases count as what they stand for, and what `<<` merges counts as if it were written there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from redline.core.errors import DocumentSyntax, RedlineError
from redline.core.ports.confined import Confined
from redline.documents.base.model import MAX_PARSED_BYTES, require_text
from redline.documents.formats import named_format, open_document, sniff
from redline.policy.field_patterns import Steps

_MAX_LEAVES = 100_000
_MAX_TOUCHED = 5_000
_MERGE = "<<"
_Leaf = tuple[int, Steps, str]


def touched_fields(
    confined: Confined, name: str, old: bytes | None, new: bytes | None
) -> list[Steps] | None:
    """The paths of values that differ; None where that is not known, so it may be all of them.

    None for *old* or *new* is a file that is not there.
    """
    if any(data is not None and len(data) > MAX_PARSED_BYTES for data in (old, new)):
        return None
    try:
        found = confined.call(f"{__name__}:compare", (name, old, new))
    except RedlineError:
        return None  # it does not parse, or a parser crashed or took too long on it
    return None if found is None else [tuple(steps) for steps in found]


def compare(
    _ask: Callable[..., Any], name: str, old: bytes | None, new: bytes | None
) -> list[list[str]] | None:
    """The worker's part of `touched_fields`."""
    before, after = _leaves_of(name, old), _leaves_of(name, new)
    differing = {steps for _, steps, _ in before ^ after}
    found = differing | {_merged(steps) for steps in differing}
    if len(found) > _MAX_TOUCHED:
        return None
    return [list(steps) for steps in sorted(found)]


def _merged(steps: Steps) -> Steps:
    return tuple(step for step in steps if step != _MERGE) if _MERGE in steps else steps


def _leaves_of(name: str, data: bytes | None) -> set[_Leaf]:
    if data is None:
        return set()
    found: set[_Leaf] = set()
    for number, document in enumerate(_documents(data, named_format(name) or sniff(data))):
        for steps, text in _leaves(document):
            found.add((number, steps, text))
            if len(found) > _MAX_LEAVES:
                raise DocumentSyntax("The document has too many values to be compared")
    return found


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
    documents = strict.parse(data)
    nodes = (node for top in documents for node in strict.nodes(top))
    if not any(strict.alias_name(node) is not None for node in nodes):
        return documents
    import yaml12

    try:
        # Aliases as what they stand for; what that can grow to, the worker's budget bounds.
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


def _leaves(top: Any) -> Iterator[tuple[Steps, str]]:
    """Every leaf with its path, without recursion; tags are leaves of their own."""
    waiting: list[tuple[Steps, Any]] = [((), top)]
    while waiting:
        steps, value = waiting.pop()
        tag = getattr(value, "tag", None)
        if tag is not None:
            yield steps, f"tag {tag}"
            value = value.value
        if isinstance(value, dict) and value:
            waiting += [((*steps, _key(key)), inner) for key, inner in value.items()]
        elif isinstance(value, list) and value:
            waiting += [((*steps, str(at)), inner) for at, inner in enumerate(value)]
        else:
            yield steps, f"{type(value).__name__} {value!r}"


def _key(key: Any) -> str:
    key = getattr(key, "value", key)
    return key if isinstance(key, str) else str(key)
