"""Have a language server decide which possible references of a symbol are real."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.code.references.targets import Certainty, Reference
from redline.core.paths import WorkspacePath
from redline.core.ports.language_servers import ServerConversation
from redline.core.records import dataclass, field, replace
from redline.services.code.checked_rename import find_on_line, line_of
from redline.services.code.lookup import CodeLookup
from redline.services.code.reference_query import Used
from redline.services.code.references import Finder
from redline.services.code.rename_obstacles import language_of_path

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
