"""Snippets of references: those bound to a definition first, then the possible ones.

A language server can decide which of the possible ones are real.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.code.index.packing import unpack
from redline.code.references.targets import Certainty, Reference
from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.core.ports.language_servers import ServerConversation
from redline.core.records import dataclass, field, replace
from redline.core.text_limits import shorten
from redline.core.wording import naming
from redline.services.code.checked_rename import find_on_line, line_of
from redline.services.code.fitting import Snippet
from redline.services.code.lookup import CodeLookup, OpenedSource, enclosing
from redline.services.code.reference_query import Chosen, Used
from redline.services.code.references import Finder, finder_of
from redline.services.code.rename_obstacles import language_of_path

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


# Definitions, and possible places, that the server is asked about, and files that it is shown.
_MAX_DEFINITIONS = 20
_MAX_PLACES = 200
_MAX_SHOWN = 200


@dataclass(slots=True)
class PreciseReferences:
    """The references of one symbol as a language server knows them, joined with ours.

    `missing` says which server to install where none is.
    """

    lookup: CodeLookup
    finder: Finder
    missing: str = ""
    _bound: dict[WorkspacePath, set[int]] = field(default_factory=dict)

    def decide(self, found: list[Used], waiting: Callable[[str], None]) -> list[Used]:
        """Return the references without those of other symbols; CannotApply if the server fails."""
        servers = self.lookup.runtime.language_servers
        language = language_of_path(self.lookup, self.finder.definitions[0].path)
        choice = servers.choose(language)
        if choice is None or not choice.found:
            self.missing = choice.install if choice is not None else "no server knows the language"
            return found
        with servers.ask(language, self._read, waiting, self.lookup.cancel) as server:
            homes = [each.path for each in self.finder.definitions]
            paths = dict.fromkeys([*homes, *(used.path for used in found)])
            texts = {path: self._read(path) for path in list(paths)[:_MAX_SHOWN]}
            server.show({path: text for path, text in texts.items() if text is not None})
            self._ask(server)
            left = _MAX_PLACES
            decided: list[Used] = []
            for used in found:
                seen = list(self._decide(server, used, left))
                left -= sum(each.certainty is Certainty.POSSIBLE for each in used.seen)
                decided.append(replace(used, seen=self._with_missed(used, seen)))
        known = {used.path for used in found}
        decided += [
            Used(path, self._with_missed(Used(path, ()), []), self.lookup.open(path))
            for path in self._bound
            if path not in known
        ]
        return [used for used in decided if used.count]

    def _ask(self, server: ServerConversation) -> None:
        """Note the places that the server takes to one of the definitions."""
        for home in self.finder.definitions[:_MAX_DEFINITIONS]:
            start = find_on_line(self._read(home.path) or "", self.finder.name, home.line)
            if start is None:
                continue
            self._bound.setdefault(home.path, set()).add(start)
            for each in server.find(home.path, start, "references"):
                self._bound.setdefault(each.path, set()).add(each.start)

    def _decide(self, server: ServerConversation, used: Used, left: int) -> Iterator[Reference]:
        """Yield the references of a file, without those that the server takes elsewhere."""
        bound = self._bound.get(used.path, set())
        for reference in used.seen:
            starts = [start for start, _ in reference.at if start >= 0]
            if reference.certainty is Certainty.POSSIBLE and starts:
                left -= 1
                verdicts = [self._is_ours(server, used.path, at, bound, left) for at in starts]
                if True in verdicts:
                    yield replace(reference, certainty=Certainty.BOUND)
                elif None in verdicts:
                    yield reference
            else:
                yield reference

    def _is_ours(
        self,
        server: ServerConversation,
        path: WorkspacePath,
        start: int,
        bound: set[int],
        left: int,
    ) -> bool | None:
        """Return whether a place is of a definition; None if the server does not know."""
        if start in bound:
            return True
        defined = server.find(path, start, "definition") if left >= 0 else []
        if not defined:
            return None
        return any(each.start in self._bound.get(each.path, ()) for each in defined)

    def _with_missed(self, used: Used, seen: list[Reference]) -> list[Reference]:
        """Add the lines that only the server knows; a definition's own line is no reference."""
        text = self._read(used.path) or ""
        listed = {each.line for each in seen}
        listed |= {each.line for each in self.finder.definitions if each.path == used.path}
        lines = {line_of(text, start) for start in self._bound.get(used.path, ())} - listed
        more = [Reference(line, Certainty.BOUND) for line in lines]
        return sorted([*seen, *more], key=lambda each: each.line)

    def _read(self, path: WorkspacePath) -> str | None:
        file = self.lookup.open(path)
        return file.text if file is not None else None
