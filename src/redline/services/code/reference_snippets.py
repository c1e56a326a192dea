"""Snippets of references: those bound to a definition first, then the possible ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from redline.code.index.packing import unpack
from redline.code.references.targets import Certainty, Reference
from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.services.code.fitting import Snippet
from redline.services.code.lookup import CodeLookup, OpenedSource, enclosing
from redline.services.code.reference_query import Used
from redline.services.code.references import Finder, finder_of

AROUND = 2
_GAP = 4


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """References to one name, and snippets of the best ones."""

    finder: Finder
    found: list[Used]
    snippets: list[Snippet]


def find_references(
    lookup: CodeLookup, wanted: str, place: WorkspacePath | None, line: int | None, max_tokens: int
) -> FoundReferences:
    """Find what refers to *wanted*: with *line* to its meaning there, else to any definition.

    With a *place* and no line the answer stays in that file or directory.
    """
    if line is not None and place is None:
        raise InvalidArgument("line needs file", field="file")
    finder = finder_of(lookup, wanted, place, max_tokens, line)
    within = None if line is not None else place
    found = [used for used in finder.find() if within is None or used.path.is_beneath(within)]
    return FoundReferences(finder, found, list(_snippets(lookup, finder, found, max_tokens)))


def _snippets(
    lookup: CodeLookup, finder: Finder, found: list[Used], room: int
) -> Iterator[Snippet]:
    """Yield bound references, then the rest; beyond *room* only where they are."""
    groups = [(used, group) for used in found for group in _groups(used)]
    for used, group in sorted(groups, key=lambda pair: pair[1][0].certainty is not Certainty.BOUND):
        if used.file is not None and room > 0:
            shown = _snippet(lookup, finder, used.file, group)
            room -= shown.tokens
            yield shown
        else:
            first, last, sure = group[0].line, group[-1].line, group[0].certainty
            name = lookup.name_of(used.path)
            uses = tuple(dict.fromkeys(each.line for each in group)) if used.seen else ()
            yield Snippet(name, first, last, "", certainty=sure, unread=True, uses=uses)


def _groups(used: Used) -> list[list[Reference]]:
    """Near lines together, apart by how certain they are and what they are bound to."""
    if used.file is None:
        if used.seen:  # it was deleted since
            return [list(used.seen)]
        lines = unpack(used.unread)
        return [[Reference(line, Certainty.POSSIBLE) for line in (lines[0], lines[-1])]]
    groups: dict[tuple[str, object], list[list[Reference]]] = {}
    for reference in used.seen:
        alike = groups.setdefault((reference.certainty, reference.definition), [])
        if alike and reference.line - alike[-1][-1].line <= _GAP:
            alike[-1].append(reference)
        else:
            alike.append([reference])
    return sorted((g for alike in groups.values() for g in alike), key=lambda group: group[0].line)


def _snippet(
    lookup: CodeLookup, finder: Finder, file: OpenedSource, group: list[Reference]
) -> Snippet:
    shown = around(lookup, file, [reference.line for reference in group])
    of = finder.definition_of(group[0]) if len(finder.definitions) > 1 else None
    where = f"{lookup.name_of(of.path)}:{of.line}" if of is not None else ""
    uses = tuple(dict.fromkeys(reference.line for reference in group))
    return replace(shown, certainty=group[0].certainty, of=where, uses=uses)


def around(lookup: CodeLookup, file: OpenedSource, lines: list[int]) -> Snippet:
    """Return *lines* with a few around them, and the definition they are in."""
    inside = enclosing(file.symbols(), lines[0])
    start = max(1, lines[0] - AROUND)
    end = min(file.count, lines[-1] + AROUND)
    return Snippet(
        path=lookup.name_of(file.path),
        start=start,
        end=end,
        text=file.lines(start, end),
        language=file.language.name if file.language else "",
        symbol=inside.qualified if inside else "",
        kind=inside.kind if inside else "",
        signature=inside.signature if inside else "",
        doc=inside.doc if inside else "",
        file_hash=file.digest,
    )
