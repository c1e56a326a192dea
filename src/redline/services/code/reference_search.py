"""References for an answer: who is bound to a definition, within what an answer may read.

`search` runs in a worker, as it reads syntax trees; `references` is the server's side.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from typing import Any

from redline.code.python_js.imports import stem_keys
from redline.code.references.file_access import SourceFiles
from redline.code.references.resolver import (
    JoinsMembers,
    KnowsLibraries,
    ReferenceResolver,
    ResolvesByLine,
    SuggestsRelatedNames,
)
from redline.code.references.targets import Certainty, Reference, ReferenceTarget
from redline.code.registry import RESOLVED_LANGUAGES, TYPED_LANGUAGES, resolver_of
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.languages import language_group
from redline.code.syntax.uses import starts_on
from redline.core.paths import WorkspacePath
from redline.core.ports.code import IndexedUses
from redline.core.records import dataclass, field
from redline.services.code.lookup import OpenedSource
from redline.services.code.reference_query import Chosen, Used
from redline.services.code.worker_files import Ask, WorkerFiles, group_of, path_from


@dataclass(frozen=True, slots=True)
class Nearness:
    """How likely files use what *homes* define."""

    homes: list[WorkspacePath]
    importing: set[WorkspacePath]
    _folders: dict[tuple[str, ...], int] = field(default_factory=dict)

    def of(self, row: IndexedUses) -> tuple[bool, int]:
        """Whether a file imports one of the homes, and how much of its path it shares with one."""
        folder = row.path.parts[:-1]
        if folder not in self._folders:
            self._folders[folder] = max(_count_shared(folder, home) for home in self.homes)
        return row.path in self.importing, self._folders[folder]


def import_keys(home: WorkspacePath) -> list[str]:
    """Return the words that a file which imports *home* has: a key of scripts, a module's name."""
    stem, _, ending = home.name.rpartition(".")
    if ending not in ("py", "pyi", "pyw"):
        return stem_keys(home)
    return [home.parent.name if stem == "__init__" else stem]


def _count_shared(folder: tuple[str, ...], home: WorkspacePath) -> int:
    """Return how many folders two files have in common, most if they are in the same one."""
    if folder == home.parts[:-1]:
        return len(home.parts)
    pairs = zip(folder, home.parts[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


# A name with more definitions is matched by name only: distinguishing them reads too much.
MAX_DEFINITIONS = 12
# Characters that are read by scope, for each token an answer may have.
READ_PER_TOKEN = 12
# What a line that is matched by name costs: as much as the tokens to show it.
READ_PER_LINE = 64 * READ_PER_TOKEN
# Files that may re-export the whole of another module.
_MAX_PASSING = 20
# Files that may import a definition's file: more cannot be read anyway.
_MAX_IMPORTING = 200
_CONSTRUCTORS = {"constructor", "__init__"}


@dataclass(slots=True)
class ReferenceSearch:
    """Finds references to definitions of one name, file by file, best first."""

    files: WorkerFiles
    name: str
    definitions: list[Chosen]
    room: int
    # Only where the class of the name is called to make something.
    made_only: bool = False
    # Without distinguishing definitions of the same name.
    by_name: bool = False
    # The lines of the definitions count as references too.
    with_definitions: bool = False
    # Files that were not read because enough was.
    unread: int = 0
    targets: list[tuple[Chosen, ReferenceTarget]] = field(default_factory=list)
    _spent: int = 0
    _read: set[WorkspacePath] = field(default_factory=set)
    _resolvers: dict[str, ReferenceResolver] = field(default_factory=dict)

    def find(self) -> Iterator[Used]:
        """Yield the references of each file that has any."""
        if len(self.definitions) <= MAX_DEFINITIONS and not self.by_name:
            self._aim()
        yield from self._join() if self.with_definitions else self._find_once()
        makes = self._maker() if len(self.definitions) == 1 else None
        if makes is not None:
            yield from makes.find()

    def _find_once(self) -> Iterator[Used]:
        for row in self._rows():
            found = self._in_file(row)
            if found is not None and found.count:
                yield found

    def _join(self) -> list[Used]:
        """Find again while members are joined to the targets, for a rename."""
        while True:
            joining = [each for each in self._resolvers.values() if isinstance(each, JoinsMembers)]
            before = sum(each.joins for each in joining)
            self.unread = 0
            found = list(self._find_once())
            if before == sum(each.joins for each in joining):
                return found

    def implements_library(self) -> bool:
        """Return whether a definition is what an interface or trait of a library asks for."""
        return any(each.implements_library(target) for each, target in self._libraries())

    def is_apart(self) -> bool:
        """Return whether members of other types are certainly not joined to the definitions."""
        found = [each.is_apart(target) for each, target in self._libraries()]
        return bool(found) and all(found)

    def _libraries(self) -> Iterator[tuple[KnowsLibraries, ReferenceTarget]]:
        for chosen, target in self.targets:
            resolver = self._resolvers[group_of(chosen.path)]
            if isinstance(resolver, KnowsLibraries):
                yield resolver, target

    def _rows(self) -> list[IndexedUses]:
        """Return the files to look at: those that hold the name or may rename it, homes first."""
        homes = {chosen.path: IndexedUses(chosen.path) for chosen in self.definitions}
        group = {group_of(path) for path in homes}
        rows = {row.path: row for row in self.files.users(self.name)}
        for row in (*self._find_renaming(), *self._find_listing()):
            rows.setdefault(row.path, IndexedUses(row.path, digest=row.digest))
        first = [rows.pop(path, row) for path, row in homes.items()]
        others = [row for row in rows.values() if not group or group_of(row.path) in group]
        folders = self._folders()
        if folders:
            others = [row for row in others if row.path.parent in folders]
        if self.targets:
            # A common name occurs in more files than can be read: the likeliest come first.
            others.sort(key=Nearness(list(homes), self._find_importing(homes)).of, reverse=True)
        return first + others

    def _find_importing(self, homes: Iterable[WorkspacePath]) -> set[WorkspacePath]:
        """Files that may import one of *homes*, by the last word of its path or of its type."""
        untyped = (home for home in homes if group_of(home) not in TYPED_LANGUAGES)
        keys = {key for home in untyped for key in import_keys(home)}
        for chosen, target in self.targets:
            resolver = self._resolvers[group_of(chosen.path)]
            if isinstance(resolver, SuggestsRelatedNames):
                keys |= resolver.related_names(target)
        return {row.path for key in keys for row in self.files.users(key, _MAX_IMPORTING)}

    def _folders(self) -> set[WorkspacePath]:
        """Return the only folders whose files may see the definitions; empty where all may."""
        found: set[WorkspacePath] = set()
        for chosen, target in self.targets:
            resolver = self._resolvers[group_of(chosen.path)]
            folder = resolver.folder_of(target) if isinstance(resolver, ResolvesByLine) else None
            if folder is None:
                return set()
            found.add(folder)
        return found if len(self.targets) == len(self.definitions) else set()

    def _find_renaming(self) -> Iterator[IndexedUses]:
        """Yield files that may use the definition under another name."""
        for chosen, target in self.targets:
            passing = [chosen.path]
            for path in passing:
                for row, is_whole in self._importers(path, target):
                    yield row
                    # The whole of a module may be re-exported as another's.
                    if is_whole and row.path not in passing and len(passing) < _MAX_PASSING:
                        passing.append(row.path)

    def _find_listing(self) -> Iterator[IndexedUses]:
        """Yield files of Python that may name the definition as text in `__all__`, for a rename."""
        groups = {group_of(chosen.path) for chosen in self.definitions}
        if not self.with_definitions or "python" not in groups:
            return
        for row in self.files.users("__all__"):
            file = self.files.open(row.path)
            if file is not None and any(f"{q}{self.name}{q}" in file.text for q in "'\""):
                yield row

    def _importers(
        self, path: WorkspacePath, target: ReferenceTarget
    ) -> Iterator[tuple[IndexedUses, bool]]:
        """Yield files that may import the definition from *path* renamed, or as a whole."""
        for name in self._resolvers[group_of(path)].exported_as(target, path) - {self.name}:
            is_whole = name in ("=", "default")
            for key in stem_keys(path) if is_whole else [name]:
                for row in self.files.users(key):
                    yield row, is_whole

    def _maker(self) -> ReferenceSearch | None:
        """Return a search for the calls that run a constructor; None if this is not one."""
        file = self.files.open(self.definitions[0].path)
        if self.name not in _CONSTRUCTORS or file is None:
            return None
        line = self.definitions[0].line
        own = [s for s in file.symbols() if (s.name, s.line) == (self.name, line)]
        above = own[0].qualified.rpartition(".")[0] if own else ""
        made = [s for s in file.symbols() if s.qualified == above]
        if not made:
            return None
        chosen = [Chosen(file.path, made[0].line)]
        return ReferenceSearch(
            self.files, made[0].name, chosen, self.room, made_only=True, by_name=self.by_name
        )

    def _aim(self) -> None:
        for chosen in self.definitions:
            if self._spent > self.room:
                self.targets.clear()  # not all can be distinguished: better none
                return
            target = self._target(chosen)
            if target is not None:
                self.targets.append((chosen, target))

    def _target(self, chosen: Chosen) -> ReferenceTarget | None:
        group = group_of(chosen.path)
        # Half an index would hide the definitions that it has not read yet.
        is_known = group not in TYPED_LANGUAGES or self.files.state != "building"
        resolver = self._resolver(group) if is_known else None
        if resolver is None:
            return None
        if isinstance(resolver, ResolvesByLine):
            return resolver.target_on(chosen.path, chosen.line)
        start = self._start(chosen)
        return resolver.target(chosen.path, start) if start is not None else None

    def _resolver(self, group: str) -> ReferenceResolver | None:
        """Return the resolver for a group of languages, built once for each answer."""
        if group not in self._resolvers:
            defining = partial(self.files.defining, group)
            as_kind = partial(self.files.defining_as, group)
            files = SourceFiles(
                *(self._parse, self.files.is_file, defining, self._text, defining),
                *(self._take, as_kind),
            )
            made = resolver_of(
                group,
                self.name,
                files,
                made_only=self.made_only,
                renaming=self.with_definitions,
            )
            if made is None:
                return None
            self._resolvers[group] = made
        return self._resolvers[group]

    def _start(self, chosen: Chosen) -> int | None:
        """Return the offset at which the line first has the name."""
        parsed = self._parse(chosen.path)
        if parsed is None:
            return None
        found = starts_on(parsed, self.name, chosen.line)
        return next(iter(found), None)

    def _in_file(self, row: IndexedUses) -> Used | None:
        if self._spent > self.room:
            self.unread += 1
            return Used(row.path, (), unread=row.packed)
        group = group_of(row.path)
        aims = [target for chosen, target in self.targets if group_of(chosen.path) == group]
        if aims:
            if not any(aim.is_member for aim in aims) and not self._may_bind(row.path):
                return None
            bound = self._resolvers[group].in_file(row.path, aims)
            if bound is not None:
                left = self._but_defined(row, bound)
                return Used(row.path, left, self._open_indexed(row)) if left else None
        found = self.files.uses_in(row, self.name)
        if found is None:
            return None
        file, lines = found
        self._spent += READ_PER_LINE * len(lines)
        named = self._but_defined(row, [Reference(line, Certainty.POSSIBLE) for line in lines])
        if len(self.definitions) != 1:  # those are asked for as well
            defined = {symbol.line for symbol in file.symbols() if symbol.name == self.name}
            named = [reference for reference in named if reference.line not in defined]
        return Used(row.path, named, file)

    def _may_bind(self, path: WorkspacePath) -> bool:
        """Return whether a file can see a name of another module at all, by its text alone."""
        file = self.files.open(path)
        if file is None or any(chosen.path == path for chosen in self.definitions):
            return file is not None
        return self._resolvers[group_of(path)].may_see(path, file.text)

    def _but_defined(self, row: IndexedUses, found: list[Reference]) -> list[Reference]:
        """Return the references without the definitions themselves."""
        if self.with_definitions:
            return found
        own = {c.line for c in self.definitions if c.path == row.path and c.is_definition}
        return [reference for reference in found if reference.line not in own]

    def _open_indexed(self, row: IndexedUses) -> OpenedSource | None:
        """Return the file, with the symbols the index has of this very content."""
        found = self.files.uses_in(row, self.name)
        return found[0] if found is not None else None

    def _parse(self, path: WorkspacePath) -> Parsed | None:
        file = self.files.open(path)
        if (
            file is None
            or file.language is None
            or language_group(file.language.name) not in RESOLVED_LANGUAGES
        ):
            return None
        # One large file must not take the time of the whole answer, least of all for its uses.
        is_home = any(chosen.path == path for chosen in self.definitions)
        if len(file.content) > (4 * self.room // 3 if is_home else self.room // 2):
            return None
        if path not in self._read:
            self._read.add(path)
            self._spent += len(file.content)
        return self.files.parse(file)

    def _take(self, count: int) -> bool:
        """Return whether *count* more characters may be parsed, and count them if so."""
        if count > self.room // 2:
            return False
        self._spent += count
        return True

    def _text(self, path: WorkspacePath) -> str | None:
        file = self.files.open(path)
        return file.text if file is not None else None


@contextmanager
def collect_cycles() -> Iterator[None]:
    """Collect the cycles made inside the block when it ends.

    Syntax trees are native memory, which the collector does not count: by itself it would run too
    late. Nothing made inside the block leaves the youngest generation, so that is all it visits.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if was_enabled:
            gc.enable()


def search(
    ask: Ask,
    name: str,
    chosen: list[Any],
    room: int,
    made_only: bool,
    state: str,
    by_name: bool,
    with_definitions: bool = False,
) -> dict[str, Any]:
    """Search in plain data: files with their references, and which definition each is bound to."""
    definitions = [Chosen(path_from(path), line, is_own) for path, line, is_own in chosen]
    with collect_cycles():
        own = ReferenceSearch(WorkerFiles(ask, state), name, definitions, room, made_only, by_name)
        own.with_definitions = with_definitions
        return _answer(own)


def _answer(own: ReferenceSearch) -> dict[str, Any]:
    things: dict[object, int] = {}
    found = [_plain(used, things) for used in own.find()]
    bound: dict[int, int] = {}
    for home, target in own.targets:
        if target.definition in things:
            bound.setdefault(things[target.definition], own.definitions.index(home))
    return {
        "files": found,
        "unread": own.unread,
        "bound": list(bound.items()),
        "resolved": len(own.targets) == len(own.definitions),
        "member": any(target.is_member for _, target in own.targets),
        "library": own.with_definitions and own.implements_library(),
        "apart": own.with_definitions and own.is_apart(),
    }


def _plain(used: Used, things: dict[object, int]) -> tuple[Any, ...]:
    """One file: its path, (line, certainty, what it is bound to), lines unread, how it is known."""
    seen: list[tuple[Any, ...]] = []
    for found in used.seen:
        thing = found.definition
        number = None if thing is None else things.setdefault(thing, len(things))
        about = (found.at, found.unlikely, found.keys)
        seen.append((found.line, found.certainty.value, number, *about))
    indexed = used.file.is_indexed if used.file is not None else None
    return used.path, seen, used.unread, indexed
