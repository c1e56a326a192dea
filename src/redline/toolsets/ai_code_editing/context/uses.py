"""The answer to `references`: snippets of what is bound to a definition, then of what may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from redline.code.references.targets import Reference
from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.toolsets.ai_code_editing.context.asked import Used
from redline.toolsets.ai_code_editing.context.fitting import Snippet
from redline.toolsets.ai_code_editing.context.lookup import Lookup, Opened, enclosing
from redline.toolsets.ai_code_editing.context.references import Finder, finder_of

_AROUND = 2
_GAP = 4


def snippets_of_references(
    lookup: Lookup, wanted: str, place: WorkspacePath | None, line: int | None, max_tokens: int
) -> tuple[str, list[Snippet]]:
    """Who refers to *wanted*: with *line* to what stands there, else to any of its definitions.

    With a *place* and no line the answer stays in that file or directory.
    """
    if line is not None and place is None:
        raise InvalidArgument("line needs file", field="file")
    finder = finder_of(lookup, wanted, place, max_tokens, line)
    within = None if line is not None else place
    found = [used for used in finder.find() if within is None or used.path.is_beneath(within)]
    return _message(finder, found), list(_snippets(lookup, finder, found, max_tokens))


def _message(finder: Finder, found: list[Used]) -> str:
    count = sum(used.count for used in found)
    bound = sum(reference.certainty == "bound" for used in found for reference in used.seen)
    plural = "" if count == 1 else "s"
    message = f"{count} line{plural} with references to {finder.name}: {bound} bound, "
    message += f"{count - bound} possible."
    if finder.unread:
        message += (
            f" {finder.unread} files were not read; narrow it with file, or raise max_tokens."
        )
    if finder.by_name:
        message += " They were matched by name only: telling definitions apart failed."
    return message


def _snippets(lookup: Lookup, finder: Finder, found: list[Used], room: int) -> Iterator[Snippet]:
    """What is bound, then the rest; beyond *room* only where it is."""
    groups = [(used, group) for used in found for group in _groups(used)]
    for used, group in sorted(groups, key=lambda pair: pair[1][0].certainty != "bound"):
        if used.file is not None and room > 0:
            shown = _snippet(lookup, finder, used.file, group)
            room -= shown.tokens
            yield shown
        else:
            first, last, sure = group[0].line, group[-1].line, group[0].certainty
            name = lookup.name_of(used.path)
            yield Snippet(name, first, last, "", certainty=sure, unread=True)


def _groups(used: Used) -> list[list[Reference]]:
    """Near lines together, apart by how certain they are and what they are bound to."""
    if used.file is None:
        if used.seen:  # it went away meanwhile
            return [list(used.seen)]
        return [[Reference(line, "possible") for line in (used.unread[0], used.unread[-1])]]
    groups: dict[tuple[str, object], list[list[Reference]]] = {}
    for reference in used.seen:
        alike = groups.setdefault((reference.certainty, reference.thing), [])
        if alike and reference.line - alike[-1][-1].line <= _GAP:
            alike[-1].append(reference)
        else:
            alike.append([reference])
    return sorted((g for alike in groups.values() for g in alike), key=lambda group: group[0].line)


def _snippet(lookup: Lookup, finder: Finder, file: Opened, group: list[Reference]) -> Snippet:
    shown = around(lookup, file, [reference.line for reference in group])
    of = finder.definition_of(group[0]) if len(finder.definitions) > 1 else None
    where = f"{lookup.name_of(of.path)}:{of.line}" if of is not None else ""
    return replace(shown, certainty=group[0].certainty, of=where)


def around(lookup: Lookup, file: Opened, lines: list[int]) -> Snippet:
    """The *lines* with a few around them, and what they stand in."""
    inside = enclosing(file.symbols(), lines[0])
    start = max(1, lines[0] - _AROUND)
    end = min(file.count, lines[-1] + _AROUND)
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
