"""Snippets of references: those bound to a definition first, then the possible ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.code.index.packing import unpack
from redline.code.references.targets import Certainty, Reference
from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, replace
from redline.core.text_limits import shorten
from redline.core.wording import naming
from redline.services.code.fitting import Snippet
from redline.services.code.lookup import CodeLookup, OpenedSource, enclosing
from redline.services.code.precise_references import PreciseReferences
from redline.services.code.reference_query import Chosen, Used
from redline.services.code.references import Finder, finder_of

AROUND = 2
_GAP = 4
_MAX_USE = 160
# Files of so many tokens are resolved by scope, however short the answer is to be.
_RESOLVED_TOKENS = 20_000


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """References to one name, and snippets of the best ones."""

    finder: Finder
    found: list[Used]
    snippets: list[Snippet]
    # What to install if a language server was asked for and none is there.
    missing: str = ""


def find_references(
    lookup: CodeLookup,
    wanted: str,
    place: WorkspacePath | None,
    line: int | None,
    max_tokens: int,
    *,
    one_line: bool = False,
    precise: bool = False,
    waiting: Callable[[str], None] = lambda _: None,
) -> FoundReferences:
    """Find what refers to *wanted*: with *line* to its meaning there, else to any definition.

    With a *place* and no line the answer stays in that file or directory. With *one_line* each
    reference is its line alone. How certain one is does not depend on *max_tokens*. With *precise*
    a language server decides possible references; *waiting* takes what that waits for.
    """
    if line is not None and place is None:
        raise InvalidArgument(naming("line needs {file}"), field="file")
    finder = finder_of(lookup, wanted, place, max(max_tokens, _RESOLVED_TOKENS), line)
    within = None if line is not None else place
    found = list(finder.find())
    asked = PreciseReferences(lookup, finder)
    if precise and finder.definitions:
        found = asked.decide(found, waiting)
    found = [used for used in found if within is None or used.path.is_beneath(within)]
    if one_line:
        shown = list(_one_line_each(lookup, finder, found))
    else:
        shown = list(_snippets(lookup, finder, found, max_tokens))
    return FoundReferences(finder, found, shown, asked.missing)


def _one_line_each(lookup: CodeLookup, finder: Finder, found: list[Used]) -> Iterator[Snippet]:
    """Yield a snippet for each file, of its bound references and then of the possible ones."""
    has_several = len(finder.definitions) > 1
    for sure in (Certainty.BOUND, Certainty.POSSIBLE):
        for used in found:
            name = lookup.name_of(used.path)
            seen = [each for each in used.references if each.certainty is sure]
            if not seen:
                continue
            lines = tuple(dict.fromkeys(each.line for each in seen))
            if used.file is None:
                yield Snippet(name, lines[0], lines[-1], "", certainty=sure, unread=True)
                continue
            of = {each.line: finder.definition_of(each) for each in seen} if has_several else {}
            text = "\n".join(
                _use(lookup, name, used.file, line, sure, of.get(line)) for line in lines
            )
            yield Snippet(name, lines[0], lines[-1], text, certainty=sure, uses=lines)


def _use(
    lookup: CodeLookup,
    name: str,
    file: OpenedSource,
    line: int,
    sure: Certainty,
    of: Chosen | None,
) -> str:
    bound = f"  (of {lookup.name_of(of.path)}:{of.line})" if of is not None else ""
    doubt = "  (possible)" if sure is Certainty.POSSIBLE else ""
    return f"{name}:{line}:{shorten(file.lines(line, line).strip(), _MAX_USE)}{bound}{doubt}"


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
