"""What prevents a rename, and what it cannot follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from redline.code.moving.python_statements import STATEMENT_RULE, read_statement
from redline.code.references.targets import Certainty, Reference
from redline.code.syntax.definitions import Symbol
from redline.code.syntax.languages import Language, language_group
from redline.core.error_families.wording import naming
from redline.core.errors import CannotApply
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, GrepQuery
from redline.services.code.lookup import CodeLookup, enclosing
from redline.services.code.namesakes import (
    LIBRARY_MEMBERS,
    LIBRARY_TYPES,
    OBJECT_MEMBERS,
    SCRIPT_GLOBS,
    Namesake,
    holder_of,
    keep_of_traits,
    may_override,
    read_families,
)
from redline.services.code.reference_query import Used
from redline.services.code.references import Finder
from redline.services.names import display_name
from redline.services.runtime import Runtime

_MAX_NAMED = 12
_MAX_LINES = 50_000
_PARAMETERS = [{"kind": "required_parameter"}, {"kind": "optional_parameter"}]
_CLASS = re.compile(r"^\s*class\s", re.MULTILINE)
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
# Languages in which a definition that no type holds is certainly not a member.
SCOPED_GROUPS = frozenset({"python", "javascript"})
_MAX_QUOTED = 200
# Languages in which types are known well enough to refuse what they do not show.
_CHECKED = frozenset({"python", "typescript", "tsx", "rust"})


@dataclass(slots=True)
class RenamePlaces:
    """Offsets to replace in one file, and lines whose occurrences have no known offset."""

    used: Used
    starts: set[int] = field(default_factory=set)
    possible: set[int] = field(default_factory=set)
    # Of the offsets those that are keys alone, and those that are a key and a variable.
    keys: set[int] = field(default_factory=set)
    both: set[int] = field(default_factory=set)
    by_line: set[int] = field(default_factory=set)


def check_namesakes(
    runtime: Runtime,
    lookup: CodeLookup,
    finder: Finder,
    files: list[RenamePlaces],
    cancel: Cancel,
    *,
    every: bool,
) -> None:
    """Refuse a member that related types define too.

    With *every* any type that has the name prevents the rename.
    """
    if not finder.is_member or (finder.is_apart and not every):
        return
    home = finder.definitions[0]
    group = group_of_path(lookup, home.path)
    renamed = {(places.used.path, line) for places in files for line in _bound_lines(places)}
    renamed.add((home.path, home.line))
    found = [
        Namesake(file.path, symbol, holder_of(file, symbol))
        for file, symbol in lookup.all_definitions(finder.name)
        if symbol.kind != "alias" and _group(file.language) == group
    ]
    if group in SCOPED_GROUPS:
        found = [each for each in found if each.is_member]
    if group == "javascript":
        found += _field_parameters(lookup, finder, cancel)
    own = {each.owner for each in found if each.place in renamed}
    if group == "javascript":
        _refuse_inherited(lookup, finder, own, cancel)
    others = [each for each in found if each.place not in renamed]
    if group == "rust" and not every:
        others = keep_of_traits(lookup, found, others)
    if others and not every:
        families = read_families(lookup, home.path.root, group, cancel)
        defining = {each.owner for each in found}
        others = [
            each
            for each in others
            if families is None
            or any(may_override(families, group, name, each, defining) for name in own)
        ]
    if others:
        named = [f"{display_name(runtime.workspace, e.path)}:{e.symbol.line}" for e in others]
        raise CannotApply(
            f"Other types have a member {finder.name}, which may belong to it: "
            + ", ".join(named[:_MAX_NAMED]),
            hint="rename them one by one with edit, or use rewrite",
            details={"places": named},
        )


def _field_parameters(lookup: CodeLookup, finder: Finder, cancel: Cancel) -> Iterator[Namesake]:
    """Yield the parameters of constructors that TypeScript makes fields of the name."""
    name = re.escape(finder.name)
    pattern = rf"\b(public|private|protected|readonly|override)\s+{name}\b"
    query = GrepQuery(pattern, include=SCRIPT_GLOBS, max_matches=_MAX_LINES, columns=False)
    root = WorkspacePath(finder.definitions[0].path.root, ())
    rule = {"rule": {"any": _PARAMETERS, "regex": rf"\s{name}\s*([?:=]|$)"}}
    lines = lookup.runtime.grep.search([root], query, cancel).lines
    for path in dict.fromkeys(line.place for line in lines if line.is_match):
        file = lookup.open(path)
        if file is None or file.language is None or "constructor" not in file.text:
            continue
        for match in lookup.runtime.analysis.structural(file.text, file.language, rule, None):
            if re.search(pattern, file.text[match.start : match.end]):
                line = file.text.count("\n", 0, match.end) + 1
                around = [s for s in file.symbols() if s.kind == "class"]
                holder = enclosing(around, line)
                owner = holder.qualified if holder is not None else ""
                symbol = Symbol(finder.name, f"{owner}.{finder.name}", "field", line, line, line)
                yield Namesake(path, symbol, holder)


def _refuse_inherited(lookup: CodeLookup, finder: Finder, owners: set[str], cancel: Cancel) -> None:
    """Refuse a member that the language's own types have, which a class of scripts overrides."""
    name = finder.name
    overrides = name in OBJECT_MEMBERS
    if name in LIBRARY_MEMBERS:
        root = finder.definitions[0].path.root
        families = read_families(lookup, root, "javascript", cancel)
        overrides = families is None or any(
            families.derives_from(owner, LIBRARY_TYPES) for owner in owners
        )
    if overrides:
        raise CannotApply(
            f"It overrides a member of the language's own types: {name}",
            hint="rename its uses with edit or rewrite, if it must have another name",
        )


def _bound_lines(places: RenamePlaces) -> set[int]:
    return {each.line for each in places.used.seen if any(is_bound for _, is_bound in each.at)}


def refuse_uncertain(
    runtime: Runtime, lookup: CodeLookup, finder: Finder, files: list[RenamePlaces]
) -> None:
    """Refuse to leave references that a compiler or type checker is likely to find broken.

    Those are likely whose type is not known at all, in a file that defines or uses the symbol, or
    names the type that has it; and in every file, if nothing else has the name.
    """
    home = next((each for each in files if each.used.path == finder.definitions[0].path), None)
    if home is None or _language(home) not in _CHECKED:
        return
    renamed = {(each.used.path, line) for each in files for line in _bound_lines(each)}
    defined = [
        (symbol.qualified.rpartition(".")[0].rpartition(".")[2], (file.path, symbol.line))
        for file, symbol in lookup.all_definitions(finder.name)
    ]
    owners = {owner for owner, place in defined if place in renamed}
    mentioned = re.compile(
        "|".join(rf"\b{re.escape(name)}\b" for name in owners if name) or r"(?!)"
        if any(place not in renamed for _, place in defined)
        else ""
    )
    named = [
        f"{display_name(runtime.workspace, places.used.path)}:{reference.line}"
        for places in files
        if _language(places) in _CHECKED
        for reference in places.used.seen
        if _is_uncertain(reference)
        # Of a file that cannot be read nothing is known.
        and (not reference.at or _may_use(places, home, finder, mentioned))
    ]
    if named:
        raise CannotApply(
            f"It is not certain whether these refer to {finder.name}: "
            + ", ".join(named[:_MAX_NAMED]),
            hint=naming(
                "{possible: true} renames them too, {possible: false} leaves them as they are"
            ),
            details={"places": named},
        )


def _is_uncertain(reference: Reference) -> bool:
    """Return whether a line may refer to the symbol, and to nothing else that is known."""
    if not reference.at:
        return reference.certainty is Certainty.POSSIBLE
    return any(not is_bound and at not in reference.unlikely for at, is_bound in reference.at)


def _may_use(
    places: RenamePlaces, home: RenamePlaces, finder: Finder, mentioned: re.Pattern[str]
) -> bool:
    if places is home or not finder.is_member or _bound_lines(places):
        return True
    return places.used.file is not None and mentioned.search(places.used.file.text) is not None


def _language(places: RenamePlaces) -> str:
    file = places.used.file
    return file.language.name if file is not None and file.language is not None else ""


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


def refuse_hidden(
    runtime: Runtime, finder: Finder, files: list[RenamePlaces], new_name: str
) -> None:
    """Refuse a new name that would hide the symbol where it is used: in Go and Python by its form.

    Other packages of Go see only names with a capital; Python changes `__name` inside classes.
    """
    home = next((each for each in files if each.used.path == finder.definitions[0].path), None)
    file = home.used.file if home is not None else None
    language = file.language.name if file is not None and file.language is not None else ""
    is_changed = new_name.startswith("__") and not new_name.endswith("__")
    if language == "python" and is_changed and any(_has_class(places) for places in files):
        raise CannotApply(
            f"Python changes such a name inside a class: {new_name}",
            hint="choose a name that begins with one underscore or with none",
        )
    if language != "go" or not finder.name[0].isupper() or new_name[0].isupper():
        return
    package = _package_of(home)
    hidden = [
        f"{display_name(runtime.workspace, places.used.path)}:{line}"
        for places in files
        if (places.starts or places.by_line) and _package_of(places) != package
        for line in sorted(_bound_lines(places) | places.by_line)
    ]
    if hidden:
        raise CannotApply(
            f"Other packages use it, and could not see {new_name}: "
            + ", ".join(hidden[:_MAX_NAMED]),
            hint="choose a name that begins with a capital",
            details={"places": hidden},
        )


def refuse_examples(runtime: Runtime, finder: Finder, cancel: Cancel) -> None:
    """Refuse what an example of Go is named after: `go vet` looks for it by that name."""
    home = finder.definitions[0].path
    name = re.escape(finder.name)
    if not home.name.endswith(".go") or not finder.name[0].isupper():
        return
    owner = r"\w+_" if finder.is_member else ""
    pattern = rf"^func Example{owner}{name}(_[a-z]\w*)?\("
    query = GrepQuery(pattern, include=("*_test.go",), max_matches=_MAX_NAMED, columns=False)
    found = [
        f"{display_name(runtime.workspace, line.place)}:{line.line}"
        for line in runtime.grep.search([home.parent], query, cancel).lines
        if line.is_match and line.place.parent == home.parent
    ]
    if found:
        raise CannotApply(
            f"An example is named after {finder.name}: " + ", ".join(found),
            hint="rename the example first, in lower case after an underscore: Example_of_it",
            details={"places": found},
        )


def _has_class(places: RenamePlaces) -> bool:
    return places.used.file is not None and bool(_CLASS.search(places.used.file.text))


def _package_of(places: RenamePlaces | None) -> tuple[WorkspacePath, str] | None:
    if places is None or places.used.file is None:
        return None
    named = _PACKAGE.search(places.used.file.text)
    return places.used.path.parent, named[1] if named is not None else ""


def list_quoted(
    runtime: Runtime, finder: Finder, lookup: CodeLookup, cancel: Cancel
) -> Iterator[str]:
    """Yield the lines that name the symbol as text: `x["name"]`, `Union["name"]`, or in a comment.

    A keyword of a call may name a member: the keys of a `TypedDict` are keywords too.
    """
    home = finder.definitions[0].path
    group = group_of_path(lookup, home)
    if group not in SCOPED_GROUPS:
        return
    name = re.escape(finder.name)
    patterns = [rf"['\"]{name}['\"]"]
    if group == "javascript":
        in_comments = rf"\{{@link\w*\s+[\w.#]*\b{name}\b|^\s*/?\*.*@\w+\s+\{{.*\b{name}\b"
        patterns = [*(patterns if finder.is_member else ()), in_comments]
    elif finder.is_member and _has_keys(lookup, home):
        patterns.append(rf"[(,\s]{name}=[^=]")
    globs = SCRIPT_GLOBS if group == "javascript" else ("*.py", "*.pyi")
    # A property whose name is in quotes is not a use of another's.
    defined = {(file.path, symbol.line) for file, symbol in lookup.all_definitions(finder.name)}
    query = GrepQuery("|".join(patterns), include=globs, max_matches=_MAX_QUOTED, columns=False)
    for line in runtime.grep.search([WorkspacePath(home.root, ())], query, cancel).lines:
        if line.is_match and (line.place, line.line) not in defined:
            yield f"{display_name(runtime.workspace, line.place)}:{line.line}"


def _has_keys(lookup: CodeLookup, path: WorkspacePath) -> bool:
    """Whether a file may define a `TypedDict`, whose members are given as keywords."""
    file = lookup.open(path)
    return file is not None and "TypedDict" in file.text


def group_of_path(lookup: CodeLookup, path: WorkspacePath) -> str:
    file = lookup.open(path)
    return _group(file.language if file is not None else None)


def _group(language: Language | None) -> str:
    return language_group(language.name) if language is not None else ""
