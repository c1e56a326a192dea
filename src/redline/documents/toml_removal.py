"""The removal of a table that goes through many parts, looked at one part after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from redline.core.splice import Splice
from redline.documents.path import Path
from redline.documents.toml_holes import excerpt
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_read import Intent, as_spelled, read, read_guarded
from redline.documents.toml_scan import Span, read_statements
from redline.documents.toml_walk import ROOT, Header, Open, headers_of

if TYPE_CHECKING:
    from redline.documents.toml_parts import Parts


def is_removal(splices: Sequence[Splice], intent: Intent) -> bool:
    """Whether nothing but the removal of a name is meant and made."""
    named = all(isinstance(segment, str) for segment in intent.path)
    return intent.action == "delete" and named and not any(splice.data for splice in splices)


def removal_agrees(parts: Parts, splices: Sequence[Splice], path: Path, within: Span) -> bool:
    """Whether the parts between two bounds lose what is at *path* and nothing else."""
    first, last = within
    opened = Open(parts.contexts[first])
    # How often other parts claim each table on the path, and the path itself.
    elsewhere = [parts.claims.count(_key(path[:depth])) for depth in range(len(path) + 1)]
    # The tables above, by how deep they are: those that a part has no more, and still has.
    lost, kept, is_found = set[int](), set[int](), False
    for part in range(first, last):
        span = parts.bounds[part], parts.bounds[part + 1]
        inside = _clipped(splices, span)
        old = parts.load(part, part + 1)
        claims = parts.walk_again(part, part + 1, old).claims
        for depth in range(len(path) + 1):
            elsewhere[depth] -= claims.count(_key(path[:depth]))
        text = excerpt(parts.index.source, span, parts.holes, inside)
        left = _left(parts, part, inside)
        # A header that stays could hide behind one that is repeated.
        if any(header.names[: len(path)] == path for header in left):
            return False
        if not _goes_on(parts, part, text, opened, left):
            return False
        is_found = is_found or _has(old, path)
        repeated = parts.repeated(part)
        shell = read(repeated, as_spelled, native=False)
        expected = _without(old, shell, path)
        actual = read_guarded(repeated + text)
        above = [depth for depth in range(1, len(path)) if _has(actual, path[:depth])]
        lost |= _emptied(expected, path, len(above))
        kept.update(depth for depth in above if not _has(shell, path[:depth]))
        if expected != actual:
            return False
    if (
        not is_found
        or not _ends_alike(parts, opened, last)
        or elsewhere[-1]
        or _has_items(parts, path, within)
    ):
        return False
    return all(elsewhere[depth] for depth in lost - kept)


def _has(data: Any, path: Path) -> bool:
    for segment in path:
        if segment not in data:
            return False
        data = data[segment]
    return True


def _emptied(data: Any, path: Path, kept: int) -> set[int]:
    """Take the tables above *path* that are empty now out of *data*, but for the first *kept*."""
    found: set[int] = set()
    for depth in range(len(path) - 1, kept, -1):
        if _has(data, path[:depth]):
            holder = data
            for segment in path[: depth - 1]:
                holder = holder[segment]
            if holder[path[depth - 1]] != {}:
                break
            del holder[path[depth - 1]]
            found.add(depth)
    return found


def _clipped(splices: Sequence[Splice], span: Span) -> list[Splice]:
    """What of *splices* lies in a span."""
    start, stop = span
    return [
        Splice(max(s.start, start), min(s.end, stop), b"")
        for s in splices
        if s.start < stop and s.end > start
    ]


def _goes_on(parts: Parts, part: int, text: bytes, opened: Open, left: Sequence[Header]) -> bool:
    """Whether what is left of a part stands where it stood; then its headers are gone through."""
    is_last = part + 2 == len(parts.bounds)
    if text.strip(b" \t") and not is_last and not text.rstrip(b" \t").endswith(b"\n"):
        return False
    index, context = TomlIndex(text), parts.contexts[part]
    found = headers_of(index, 0, len(text), is_top=not part)
    if [header[:2] for header in left] != [header[:2] for header in found]:
        return False
    stop = index.starts[0] if index.starts else len(text)
    is_inside = parts.is_split(part) and opened.inside() == context
    if part and not is_inside and next(read_statements(text, 0, stop), None) is not None:
        return False
    if part and left and opened.before(left[0]) != Open(context).before(left[0]):
        return False
    for header in left:
        opened.enter(header)
    return True


def _left(parts: Parts, part: int, inside: Sequence[Splice]) -> list[Header]:
    """The headers of a part that are not removed."""
    start, stop = parts.bounds[part], parts.bounds[part + 1]
    headers = headers_of(parts.index, start, stop, is_top=not part)
    return [h for h in headers if not any(s.start <= h.at < s.end for s in inside)]


def _without(data: Any, shell: Any, path: Path) -> Any:
    """*data* without what is at *path*, but for what repeated headers make of it."""
    node = data
    for segment in path[:-1]:
        if segment not in node:
            return data
        node, shell = node[segment], shell.get(segment, {})
    if path[-1] in shell:
        node[path[-1]] = shell[path[-1]]
    else:
        node.pop(path[-1], None)
    return data


def _ends_alike(parts: Parts, opened: Open, last: int) -> bool:
    """Whether the part behind stands where it stood."""
    at_end = last + 1 == len(parts.bounds)
    return at_end or parts.context_at(parts.bounds[last], opened) == parts.contexts[last]


def _has_items(parts: Parts, path: Path, within: Span) -> bool:
    """Whether an array of tables at *path* has items in the parts beside."""
    first, last = within
    key = _key(path)
    return any(key in before for before in (parts.before[first], *parts.before[last : last + 1]))


def _key(path: Path) -> int:
    key = ROOT
    for segment in path:
        key = hash((key, segment))
    return key
