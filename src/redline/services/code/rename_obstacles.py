"""What prevents a rename, and what it cannot follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from redline.code.moving.python_statements import STATEMENT_RULE, read_statement
from redline.code.syntax.definitions import Symbol
from redline.code.syntax.languages import Language, language_group
from redline.core.errors import CannotApply
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, GrepQuery
from redline.services.code.lookup import CodeLookup
from redline.services.code.namesakes import SCRIPT_GLOBS, read_families
from redline.services.code.reference_query import Used
from redline.services.code.references import Finder
from redline.services.names import display_name
from redline.services.runtime import Runtime

_MAX_NAMED = 12
_MAX_QUOTED = 200
# Strings in annotations of Python, which name classes that are defined further down.
_ANNOTATION_RULE = {"rule": {"kind": "string", "inside": {"kind": "type", "stopBy": "end"}}}


@dataclass(slots=True)
class RenamePlaces:
    """Offsets to replace in one file, and lines whose occurrences have no known offset."""

    used: Used
    starts: set[int] = field(default_factory=set)
    possible: set[int] = field(default_factory=set)
    by_line: set[int] = field(default_factory=set)


def refuse_namesakes(
    runtime: Runtime,
    lookup: CodeLookup,
    finder: Finder,
    files: list[RenamePlaces],
    cancel: Cancel,
    *,
    every: bool,
) -> None:
    """Refuse a member that other types define too, unless they cannot override one another.

    With *every*, also then.
    """
    if not finder.is_member:
        return
    home = finder.definitions[0]
    group = group_of_path(lookup, home.path)
    renamed = {(places.used.path, line) for places in files for line in _bound_lines(places)}
    found = [
        (file.path, symbol)
        for file, symbol in lookup.definitions(finder.name)
        if symbol.kind != "alias" and _group(file.language) == group
    ]
    owner = next((_owner(s) for p, s in found if (p, s.line) == (home.path, home.line)), "")
    namesakes = [(p, s) for p, s in found if (p, s.line) not in renamed]
    namesakes = [(p, s) for p, s in namesakes if (p, s.line) != (home.path, home.line)]
    families = None
    if namesakes and not every:
        families = read_families(runtime, home.path.root, group, cancel)
    others = [
        f"{display_name(runtime.workspace, path)}:{symbol.line}"
        for path, symbol in namesakes
        if families is None or not families.are_apart(owner, _owner(symbol))
    ]
    if others:
        raise CannotApply(
            f"Other types have a member {finder.name}, which may belong to it: "
            + ", ".join(others[:_MAX_NAMED]),
            hint="rename them one by one with edit, or use rewrite",
            details={"places": others},
        )


def _bound_lines(places: RenamePlaces) -> set[int]:
    return {each.line for each in places.used.seen if any(is_bound for _, is_bound in each.at)}


def _owner(symbol: Symbol) -> str:
    """Return the name of the type that has a member."""
    return symbol.qualified.rpartition(".")[0].rpartition(".")[2]


def refuse_imported(runtime: Runtime, finder: Finder, files: list[RenamePlaces]) -> None:
    """Refuse a name that an import of its own file binds too: that names something else."""
    home = finder.definitions[0]
    for places in files:
        file = places.used.file
        if places.used.path != home.path or file is None or file.language is None:
            continue
        if file.language.name != "python":
            continue
        found = runtime.analysis.structural(file.text, file.language, STATEMENT_RULE, None)
        for match in found:
            for item in read_statement(file.text, match.start, match.end).names:
                if not item.alias and places.starts & set(range(item.start, item.end)):
                    name = display_name(runtime.workspace, places.used.path)
                    raise CannotApply(
                        f"An import binds the name too: {name}:{match.line}",
                        hint=f"import it as another name first: import {finder.name} as ...",
                    )


def list_quoted(
    runtime: Runtime, finder: Finder, lookup: CodeLookup, cancel: Cancel
) -> Iterator[str]:
    """Yield the lines of scripts that name a member as text: `x["name"]`, `T["name"]`."""
    home = finder.definitions[0].path
    if not finder.is_member or group_of_path(lookup, home) != "javascript":
        return
    pattern = rf"['\"]{re.escape(finder.name)}['\"]"
    query = GrepQuery(pattern, include=SCRIPT_GLOBS, max_matches=_MAX_QUOTED, columns=False)
    for line in runtime.grep.search([WorkspacePath(home.root, ())], query, cancel).lines:
        if line.is_match:
            yield f"{display_name(runtime.workspace, line.place)}:{line.line}"


def group_of_path(lookup: CodeLookup, path: WorkspacePath) -> str:
    file = lookup.open(path)
    return _group(file.language if file is not None else None)


def _group(language: Language | None) -> str:
    return language_group(language.name) if language is not None else ""


def quoted_annotations(runtime: Runtime, text: str, language: Language, name: str) -> Iterator[int]:
    """Yield the offsets of *name* in quoted annotations of Python."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if language.name != "python" or not re.search(rf"['\"][^'\"\n]*{word.pattern}", text):
        return
    for match in runtime.analysis.structural(text, language, _ANNOTATION_RULE, None):
        for found in word.finditer(text, match.start, match.end):
            yield found.start()
