"""Rename a symbol across files: its definition and every reference that is bound to it.

Nothing is guessed. Names that scopes and imports bind are renamed at once; where a member or an
uncertain reference is involved, a language server decides, and without one the rename is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from redline.code.analysis import WordUse
from redline.code.registry import RESOLVED_LANGUAGES
from redline.code.rename.new_names import is_shorthand, refuse_new_name, write_name
from redline.code.syntax.languages import Language, language_group
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.errors import CannotApply, InvalidArgument, NodeNotFound
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.search import Cancel
from redline.core.records import dataclass, field
from redline.core.wording import naming
from redline.services.code import rename_obstacles as obstacles
from redline.services.code.checked_rename import (
    CheckedRename,
    FileEdits,
    find_mentions,
    write_edits,
)
from redline.services.code.lookup import CodeLookup
from redline.services.code.reference_query import Used, uses_without_definition
from redline.services.code.references import Finder, finder_of
from redline.services.names import display_name
from redline.services.runtime import Runtime
from redline.services.similar import find_similar_symbols, similar_hint

# What is read to find references, in tokens of an answer: as much as a whole project.
_ROOM = 2_000_000
_MAX_NAMED = 12
_NAME = re.compile(r"[^\W\d][\w$]*|[$#@][\w$]+")
_NO_SYMBOL = naming("{context} finds symbols; or give {path} and {line}")
# Functions that a program starts at, by their names.
_STARTED = {"rust": {"main"}, "go": {"main", "init"}, "c": {"main"}, "cpp": {"main"}}


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """Which symbol gets which name; `line` of `path` chooses among several of that name.

    Of references of which it is not certain whose they are, `possible` renames all, False leaves
    all; None has a language server decide, and refuses without one.
    """

    symbol: str
    new_name: str
    path: WorkspacePath | None = None
    line: int | None = None
    possible: bool | None = None


@dataclass(frozen=True, slots=True)
class Renamed:
    """The change, and the places of references that it does not touch."""

    change_set: ChangeSet
    count: int
    possible: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    # Places of unknown type that are renamed because nothing else can have the member.
    assumed: tuple[str, ...] = ()


def plan_symbol_rename(
    runtime: Runtime,
    request: RenameRequest,
    access: Access,
    cancel: Cancel,
    waiting: Callable[[str], None] = lambda _: None,
) -> Renamed:
    """Plan the rename; CannotApply names the places that prevent it.

    *waiting* takes what the plan waits for: a language server that starts or reads the project.
    """
    if not _NAME.fullmatch(request.new_name):
        raise InvalidArgument(
            f"Not a name: {request.new_name}",
            field="to",
            hint="use letters, digits and underscores, and no digit first",
        )
    lookup = CodeLookup(runtime, cancel)
    finder, files = _find_places(runtime, lookup, request)
    obstacles.refuse_imported(runtime, finder, files)
    obstacles.refuse_hidden(runtime, finder, files, request.new_name)
    obstacles.refuse_examples(runtime, finder, cancel)
    language = obstacles.language_of_path(lookup, finder.definitions[0].path)
    checked: dict[WorkspacePath, FileEdits] | None = None
    assumed: list[str] = []
    if request.possible is None and obstacles.needs_server(lookup, finder, files, language):
        obstacles.require_server(runtime, lookup, finder, files, language)
        obstacles.refuse_inherited(lookup, finder, files, language, cancel)
        asked = CheckedRename(runtime, lookup, finder, files, request.new_name, cancel, waiting)
        checked = asked.plan(language)
        assumed = asked.assumed
        files = _with_files(lookup, files, checked)
    elif request.possible is True:
        obstacles.refuse_other_members(lookup, finder, files)
    writer = _Writer(runtime, request, access, finder)
    for places in files:
        cancel.check()
        writer.write(places, checked.get(places.used.path, {}) if checked is not None else None)
    done = set(writer.renamed)
    quoted = (
        each for each in obstacles.list_quoted(runtime, finder, lookup, cancel) if each not in done
    )
    left_out = tuple(display_name(runtime.workspace, path) for path in lookup.left_out())
    return Renamed(
        ChangeSet(tuple(writer.steps)),
        len(writer.renamed),
        tuple(dict.fromkeys([*writer.possible, *quoted])),
        left_out,
        tuple(assumed),
    )


def _with_files(
    lookup: CodeLookup, files: list[obstacles.RenamePlaces], checked: dict[WorkspacePath, FileEdits]
) -> list[obstacles.RenamePlaces]:
    """Return the files of references, and those that only the server renames in."""
    known = {places.used.path for places in files}
    more = [path for path in checked if path not in known]
    return [*files, *(obstacles.RenamePlaces(Used(path, (), lookup.open(path))) for path in more)]


def _find_places(
    runtime: Runtime, lookup: CodeLookup, request: RenameRequest
) -> tuple[Finder, list[obstacles.RenamePlaces]]:
    """Find what is meant, and where it is called by its name."""
    finder = finder_of(lookup, request.symbol, request.path, _ROOM, request.line)
    local = _uses_of_local(runtime, lookup, finder, request)
    files: list[obstacles.RenamePlaces] = []
    # What prevents a rename of a definition elsewhere says nothing about a local of its name.
    with suppress(*((CannotApply, InvalidArgument, NodeNotFound) if local else ())):
        files = _find(runtime, lookup, finder, request)
    if local and not any(places.used.path == request.path for places in files):
        finder = finder_of(lookup, request.symbol, request.path, _ROOM, local[0].line)
        files = _find(runtime, lookup, finder, request)
    _refuse_several(local, files, request)
    return finder, files


def _uncertain_lines(places: obstacles.RenamePlaces, renamed: set[int]) -> list[int]:
    """Return the lines with a reference that is not renamed and may be of something else."""
    found = {
        reference.line
        for reference in places.used.seen
        if (reference.certainty == "possible" and not reference.at)
        or any(not is_bound and at not in renamed for at, is_bound in reference.at)
    }
    return sorted(found)


def _uses_of_local(
    runtime: Runtime, lookup: CodeLookup, finder: Finder, request: RenameRequest
) -> list[WordUse]:
    """Return the uses of a name in the file of the request, if that does not define a symbol of it.

    They are of something imported, or else of what the first of them is: a parameter, a local.
    """
    path = request.path
    if path is None or request.line is not None or request.symbol != finder.name:
        return []
    uses = uses_without_definition(lookup, finder.name, path, finder.definitions)
    if uses is not None and not uses:
        name = partial(display_name, runtime.workspace)
        known = [f"{name(each.path)}:{each.line}" for each in finder.definitions[:_MAX_NAMED]]
        raise NodeNotFound(
            f"{name(path)} does not use the name: {finder.name}",
            hint=f"it is defined at {', '.join(known)}" if known else _NO_SYMBOL,
        )
    return uses or []


def _refuse_several(
    uses: list[WordUse], files: list[obstacles.RenamePlaces], request: RenameRequest
) -> None:
    """Refuse if some of *uses*, all of a name in one file, are not what the first of them is."""
    of_file = [places for places in files if places.used.path == request.path]
    starts = {start for each in of_file for start in each.starts | each.possible}
    lines = {line for each in of_file for line in each.by_line}
    if any(use.start not in starts and use.line not in lines for use in uses):
        named = ", ".join(str(line) for line in sorted({use.line for use in uses})[:_MAX_NAMED])
        raise InvalidArgument(
            f"Several in this file may be called {request.symbol}: on lines {named}",
            field="line",
            hint=naming("give {line}, where the one that is meant is defined or used"),
        )


def _check_definition(
    runtime: Runtime, lookup: CodeLookup, finder: Finder, request: RenameRequest
) -> None:
    """Refuse what is not one definition in a language whose references are resolved."""
    found = finder.definitions
    if not found:
        raise NodeNotFound(
            f"No definition of this symbol: {request.symbol}",
            hint=similar_hint(find_similar_symbols(runtime, request.symbol, request.path))
            or _NO_SYMBOL,
        )
    if len(found) > 1:
        named = ", ".join(
            f"{display_name(runtime.workspace, each.path)}:{each.line}"
            for each in found[:_MAX_NAMED]
        )
        raise InvalidArgument(
            f"Several definitions are called {request.symbol}: {named}",
            field="symbol",
            hint=naming("give {path}, and {line} if one file has several"),
        )
    if len(finder.name) == 1 and not finder.name.isalpha():
        raise CannotApply(
            f"Uses of such a name are not looked for: {finder.name}",
            hint="use rewrite or edit",
        )
    file = lookup.open(found[0].path)
    language = file.language if file is not None else None
    is_resolved = language is not None and language_group(language.name) in RESOLVED_LANGUAGES
    if file is None or language is None or not is_resolved:
        raise InvalidArgument(
            f"References are not resolved in this language: {found[0].path.name}",
            field="path",
            hint="use rewrite, or edit with all",
        )
    at, name = found[0], finder.name
    beside = [s.qualified for s in file.symbols() if s.line == at.line and s.name == name]
    if name in _STARTED.get(language.name, ()) and beside[:1] == [name]:
        raise CannotApply(
            f"A program starts at the function of this name: {name}",
            hint="it must keep its name; rename another symbol",
        )
    # What refers to a line's definition is found for the first; its full name says it is meant.
    if len(set(beside)) > 1 and request.symbol != beside[0]:
        raise CannotApply(
            f"One line defines {name} more than once: "
            f"{display_name(runtime.workspace, at.path)}:{at.line}",
            hint=f"{beside[0]} names the first; write the other on a line of its own",
        )


def _refuse_while_building(finder: Finder, lookup: CodeLookup) -> None:
    if lookup.state == "building":
        files = len(lookup.files_with(finder.name))
        many = (
            f"{'at least ' if lookup.has_more_files else ''}{files} file{'' if files == 1 else 's'}"
        )
        raise CannotApply(
            f"{lookup.describe_building()}, and a rename needs all of them",
            hint=f"repeat the call in a moment; a text search finds the name in {many}, and"
            ' context with kind "references" lists the places',
        )


def _check_resolved(finder: Finder, lookup: CodeLookup) -> None:
    _refuse_while_building(finder, lookup)
    if finder.for_library:
        raise CannotApply(
            f"A class, interface or trait of a library has the member: {finder.name}",
            hint="it must keep its name; rename another symbol",
        )
    if finder.unread:
        raise CannotApply(
            f"{finder.unread} files that hold the name were not read",
            hint="use rewrite or edit with globs",
        )


def _find(
    runtime: Runtime, lookup: CodeLookup, finder: Finder, request: RenameRequest
) -> list[obstacles.RenamePlaces]:
    finder.with_definitions = True
    _check_definition(runtime, lookup, finder, request)
    _refuse_while_building(finder, lookup)  # before every file with the name is read
    files = [_places(used) for used in finder.find()]
    _check_resolved(finder, lookup)
    return files


def _places(used: Used) -> obstacles.RenamePlaces:
    found = obstacles.RenamePlaces(used)
    for reference in used.seen:
        for start, is_bound in reference.at:
            if start < 0:
                found.by_line.add(reference.line)
            elif is_bound:
                found.starts.add(start)
            else:
                found.possible.add(start)
        for start in set(reference.keys):
            is_key = reference.keys.count(start) == reference.at.count((start, True))
            (found.keys if is_key else found.keys_and_variables).add(start)
    return found


@dataclass(slots=True)
class _Writer:
    """Writes the new name into one file after the other."""

    runtime: Runtime
    request: RenameRequest
    access: Access
    finder: Finder
    steps: list[Change] = field(default_factory=list)
    # Lines with a new name, and those that may refer to the symbol and keep the old one.
    renamed: list[str] = field(default_factory=list)
    possible: list[str] = field(default_factory=list)

    def write(self, places: obstacles.RenamePlaces, checked: FileEdits | None) -> None:
        """Plan the change of a file: what a server *checked*, else what is bound."""
        runtime, path = self.runtime, places.used.path
        name = display_name(runtime.workspace, path)
        before = runtime.tree.state(path)
        file = places.used.file
        if not isinstance(before, FileState) or before.content is None or file is None:
            raise CannotApply(f"It was changed or removed in the meantime: {name}")
        opened = open_file(runtime.tree, path, before.content)
        if file.language is None or opened.text != file.text:
            raise CannotApply(f"It was changed in the meantime: {name}", hint="repeat the call")
        text, language, old = opened.text, file.language, self.finder.name
        uses = {use.start: use for use in runtime.analysis.word_uses(text, language, old)}
        if checked is not None:
            starts, after = set(checked), write_edits(text, checked, len(old))
        else:
            starts = self._choose(places, text, uses, name)
            after = self._write_own(places, text, language, starts, uses) if starts else text
        if not self.request.possible:
            uncertain = _uncertain_lines(places, starts)
            self.possible += [f"{name}:{line}" for line in uncertain]
        if not starts:
            return
        if checked is not None:
            mentions = find_mentions(text, old, starts, uses)
            self.possible += [f"{name}:{line}" for line in mentions]
        refuse_new_name(self.request.new_name, language, "to", is_member=self.finder.is_member)
        _refuse_taken(runtime, text, language, name, self.request.new_name)
        _refuse_broken(runtime, name, text, after, language, (self.request.new_name, old))
        place = runtime.workspace.resolve(
            runtime.workspace.absolute(path), self.access, must_exist=True
        )
        content = opened.with_text(after)
        self.renamed += [f"{name}:{text.count(chr(10), 0, at) + 1}" for at in sorted(starts)]
        self.steps.append(Change(place, before, FileState.of(content, before.mode)))

    def _choose(
        self, places: obstacles.RenamePlaces, text: str, uses: dict[int, WordUse], name: str
    ) -> set[int]:
        """Return the offsets that are bound, and those that are possible if asked for."""
        old = self.finder.name
        starts = set(places.starts) | (places.possible if self.request.possible else set())
        for line in places.by_line:
            on_line = [use.start for use in uses.values() if use.line == line]
            if len(on_line) > 1:
                raise CannotApply(
                    f"It is not certain which {old} is meant: {name}:{line}",
                    hint="edit that line first, or use rewrite",
                )
            starts.update(on_line)
        # A reference under another name, which an import gave it, stays as it is.
        return {start for start in starts if text.startswith(old, start)}

    def _write_own(
        self,
        places: obstacles.RenamePlaces,
        text: str,
        language: Language,
        starts: set[int],
        uses: dict[int, WordUse],
    ) -> str:
        old, is_member = self.finder.name, self.finder.is_member
        if not is_member:
            starts.update(obstacles.find_quoted_types(self.runtime, text, language, old))
            starts.update(obstacles.find_commented_types(text, language, old))
        short = {at for at in starts if at in uses and is_shorthand(uses[at].kind, uses[at].parent)}
        if language.name != "javascript" and not is_member:
            short -= places.keys_and_variables
        keys = short if is_member else short & places.keys
        return write_name(text, sorted(starts), old, self.request.new_name, short, keys)


def _refuse_taken(runtime: Runtime, text: str, language: Language, name: str, new: str) -> None:
    """Refuse a new name that the file uses already: two symbols would become one."""
    taken = [use.line for use in runtime.analysis.word_uses(text, language, new)]
    if language_group(language.name) == "javascript":
        quoted = re.finditer(rf"(['\"]){re.escape(new)}\1\s*\??[:(]", text)
        taken += [text.count("\n", 0, found.start()) + 1 for found in quoted]
    if taken:
        where = ", ".join(f"{name}:{line}" for line in taken[:_MAX_NAMED])
        raise CannotApply(
            f"The name is already used: {new} at {where}",
            hint="choose another name; nothing was changed",
            details={"places": [f"{name}:{line}" for line in taken]},
        )


def _refuse_broken(
    runtime: Runtime, name: str, old: str, new: str, language: Language, names: tuple[str, str]
) -> None:
    """Refuse new syntax errors; one that only has the new name for the old is not new."""
    issues = runtime.analysis.introduced_issues(old, new, language)
    if issues:
        known = {each.excerpt for each in runtime.analysis.introduced_issues("", old, language)}
        issues = [each for each in issues if each.excerpt.replace(*names) not in known]
    if issues:
        raise CannotApply(f"{name} would no longer parse: {issues[0].text}")
