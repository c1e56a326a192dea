"""Refuse renames that would change meaning, and find names in strings and type comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from redline.code.moving.python import STATEMENT_RULE, read_statement
from redline.code.references.targets import Certainty, Reference
from redline.code.syntax.definitions import Symbol
from redline.code.syntax.languages import Language, language_group
from redline.core.errors import CannotApply, LimitReached
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, GrepQuery
from redline.core.records import dataclass, field
from redline.core.wording import join_texts, naming
from redline.services.code.lookup import CodeLookup, OpenedSource
from redline.services.code.reference_query import Used
from redline.services.code.references import Finder
from redline.services.names import display_name
from redline.services.runtime import Runtime

MAX_NAMED = 12
_CLASS = re.compile(r"^\s*class\s", re.MULTILINE)
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
# Members that the language gives every JavaScript object or calls by name.
_OBJECT_MEMBERS = frozenset({"toString", "toLocaleString", "toJSON", "valueOf", "constructor"})
_MAX_LINES = 50_000
# Languages in which a definition outside a type is certainly not a member.
SCOPED_GROUPS = frozenset({"python", "javascript"})
_MAX_QUOTED = 200
SCRIPT_GLOBS = ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts")


@dataclass(slots=True)
class RenamePlaces:
    """Offsets to replace in one file, and lines whose occurrences have no known offset."""

    used: Used
    starts: set[int] = field(default_factory=set)
    possible: set[int] = field(default_factory=set)
    # Offsets among `starts` of names that are keys only, and of shorthands: key and variable.
    keys: set[int] = field(default_factory=set)
    keys_and_variables: set[int] = field(default_factory=set)
    by_line: set[int] = field(default_factory=set)


def needs_server(
    lookup: CodeLookup, finder: Finder, files: list[RenamePlaces], language: str
) -> bool:
    """Return whether only a type checker can tell what refers to the symbol.

    In JavaScript and Python the types of members need not be declared. In Go, C, Java and Rust they
    are, so a member's references are certain unless another type has a member of that name, which
    an interface or a trait may require to be renamed too.
    """
    if finder.by_name or not finder.resolved:
        return True
    if any(_is_uncertain(each) for places in files for each in places.used.seen):
        return True
    if not finder.is_member:
        return False
    if language_group(language) in SCOPED_GROUPS:
        return True
    return not finder.is_apart and bool(_other_members(lookup, finder, files))


def require_server(
    runtime: Runtime,
    lookup: CodeLookup,
    finder: Finder,
    files: list[RenamePlaces],
    language: str,
) -> None:
    """Raise CannotApply with the uncertain places unless a language server is installed."""
    choice = runtime.language_servers.choose(language)
    if choice is not None and choice.found:
        return
    named = [
        f"{display_name(runtime.workspace, places.used.path)}:{reference.line}"
        for places in files
        for reference in places.used.seen
        if _is_uncertain(reference)
    ] + (_other_members(lookup, finder, files) if finder.is_member else [])
    kind = "member" if finder.is_member else "name"
    where = ": " + ", ".join(named[:MAX_NAMED]) if named else ""
    server = choice.name if choice is not None else "a language server"
    raise CannotApply(
        f"Only a type checker can tell what refers to the {kind} {finder.name}{where}",
        hint=join_texts(
            f"{choice.install}; or " if choice is not None else "",
            naming("{possible: true} renames all of these, {possible: false} leaves them"),
        ),
        details={"places": named, "server": server},
    )


def refuse_other_members(lookup: CodeLookup, finder: Finder, files: list[RenamePlaces]) -> None:
    """Raise CannotApply if another type has a member of the name, which a reference may mean."""
    others = _other_members(lookup, finder, files) if finder.is_member else []
    if others:
        raise CannotApply(
            f"Other types have a member {finder.name}, which may be meant: "
            + ", ".join(others[:MAX_NAMED]),
            hint="rename them one by one with edit, or use rewrite",
            details={"places": others},
        )


def refuse_inherited(
    lookup: CodeLookup, finder: Finder, files: list[RenamePlaces], language: str, cancel: Cancel
) -> None:
    """Raise CannotApply for a member whose rename would change what a class inherits.

    Language servers miss three cases. Every JavaScript object has a few standard members. The keys
    of a `TypedDict` are used as strings. A Python class that derives from two classes inherits the
    member from the first; once that is renamed, it inherits the second's.
    """
    is_script = language_group(language) == "javascript"
    if finder.is_member and is_script and finder.name in _OBJECT_MEMBERS:
        raise CannotApply(
            f"Every object of a script has the member: {finder.name}",
            hint="rename its uses with edit or rewrite, if it must have another name",
        )
    if not finder.is_member or language != "python":
        return
    home = finder.definitions[0]
    _refuse_key(lookup, finder, cancel)
    others = _other_members(lookup, finder, files)
    if not others:
        return
    renamed = {(each.used.path, line) for each in files for line in _bound_lines(each)}
    renamed.add((home.path, home.line))
    owners: dict[bool, set[str]] = {True: set(), False: set()}
    for file, symbol in lookup.all_definitions(finder.name):
        owner = symbol.qualified.rpartition(".")[0].rpartition(".")[2]
        owners[(file.path, symbol.line) in renamed] |= {owner} - {""}
    for derived in _read_ancestors(lookup, home.path.root, cancel):
        if derived & owners[True] and derived & (owners[False] - owners[True]):
            raise CannotApply(
                f"A class derives from several that have a member {finder.name}: "
                + ", ".join(others[:MAX_NAMED]),
                hint="rename them one by one with edit, or use rewrite",
                details={"places": others},
            )


def _refuse_key(lookup: CodeLookup, finder: Finder, cancel: Cancel) -> None:
    """Raise CannotApply for a key of a `TypedDict` that strings or keyword arguments name."""
    home = finder.definitions[0]
    file = lookup.open(home.path)
    named = (s.qualified.split(".") for s in file.symbols() if s.line == home.line) if file else ()
    owners = {parts[-2] for parts in named if len(parts) > 1}
    ancestors = _read_ancestors(lookup, home.path.root, cancel) if owners else ()
    if not any("TypedDict" in each and each & owners for each in ancestors):
        return
    quoted = list(list_quoted(lookup.runtime, finder, lookup, cancel))
    if quoted:
        raise CannotApply(
            f"Texts name this key of a TypedDict: {', '.join(quoted[:MAX_NAMED])}",
            hint="rename it with edit or rewrite",
            details={"places": quoted},
        )


def _read_ancestors(lookup: CodeLookup, root: int, cancel: Cancel) -> Iterator[set[str]]:
    """Yield, for each Python class with bases, its name and the names of all its ancestors."""
    query = GrepQuery(r"^\s*class\s+\w+\s*\(", include=("*.py", "*.pyi"), max_matches=_MAX_LINES)
    bases: dict[str, set[str]] = {}
    for line in lookup.runtime.grep.search([WorkspacePath(root, ())], query, cancel).lines:
        file = lookup.open(line.place) if line.is_match else None
        header = file.lines(line.line, line.line + 20) if file is not None else ""
        named = re.match(r"\s*class\s+(\w+)\s*\(([^:]*)", header)
        if named is not None:
            bases.setdefault(named[1], set()).update(re.findall(r"\w+", named[2]))
    for name in bases:
        found, waiting = {name}, [name]
        while waiting:
            new = bases.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        yield found


def _other_members(lookup: CodeLookup, finder: Finder, files: list[RenamePlaces]) -> list[str]:
    """Return the places, as path:line, at which other types define a member of the name."""
    home = finder.definitions[0]
    group = group_of_path(lookup, home.path)
    renamed = {(places.used.path, line) for places in files for line in _bound_lines(places)}
    renamed.add((home.path, home.line))
    return [
        f"{display_name(lookup.runtime.workspace, file.path)}:{symbol.line}"
        for file, symbol in lookup.all_definitions(finder.name)
        if symbol.kind != "alias"
        and _group(file.language) == group
        and (file.path, symbol.line) not in renamed
        and (group not in SCOPED_GROUPS or _is_member(file, symbol))
    ]


def _is_member(file: OpenedSource, symbol: Symbol) -> bool:
    """Return whether a type contains the symbol, rather than a module or a function."""
    above = symbol.qualified.rpartition(".")[0]
    around = [s for s in file.symbols() if s.qualified == above and s.start <= symbol.line <= s.end]
    return bool(above) and not (around and around[-1].kind in ("function", "method"))


def _bound_lines(places: RenamePlaces) -> set[int]:
    return {each.line for each in places.used.seen if any(is_bound for _, is_bound in each.at)}


def _is_uncertain(reference: Reference) -> bool:
    """Return whether a line may refer to the symbol and nothing shows that it does not."""
    if not reference.at:
        return reference.certainty is Certainty.POSSIBLE
    return any(not is_bound and at not in reference.unlikely for at, is_bound in reference.at)


def refuse_imported(runtime: Runtime, finder: Finder, files: list[RenamePlaces]) -> None:
    """Raise CannotApply if an import in the symbol's own file binds the same name."""
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
    """Raise CannotApply for a new name whose form would hide the symbol from its users.

    Go exports only capitalized names to other packages. Python mangles `__name` inside classes.
    """
    home = next((each for each in files if each.used.path == finder.definitions[0].path), None)
    file = home.used.file if home is not None else None
    language = file.language.name if file is not None and file.language is not None else ""
    is_changed = new_name.startswith("__") and not new_name.endswith("__")
    if language == "python" and is_changed and any(_has_class(places) for places in files):
        raise CannotApply(
            f"Python rewrites a name with two leading underscores inside a class: {new_name}",
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
            + ", ".join(hidden[:MAX_NAMED]),
            hint="choose a name that begins with a capital",
            details={"places": hidden},
        )


def refuse_examples(runtime: Runtime, finder: Finder, cancel: Cancel) -> None:
    """Raise CannotApply if a Go example is named after the symbol: `go vet` checks the name."""
    home = finder.definitions[0].path
    name = re.escape(finder.name)
    if not home.name.endswith(".go") or not finder.name[0].isupper():
        return
    owner = r"\w+_" if finder.is_member else ""
    pattern = rf"^func Example{owner}{name}(_[a-z]\w*)?\("
    query = GrepQuery(pattern, include=("*_test.go",), max_matches=MAX_NAMED, columns=False)
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
    """Yield the lines, as path:line, that name the symbol in a string or a documentation comment.

    For a member, keyword arguments count in a file with a `TypedDict`, whose keys they may name.
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
    # A property whose quoted name is its definition is not a use of the symbol.
    defined: set[tuple[WorkspacePath, int]] = set()
    with suppress(LimitReached):  # too many definitions: list every match
        defined = {(each.path, symbol.line) for each, symbol in lookup.all_definitions(finder.name)}
    query = GrepQuery("|".join(patterns), include=globs, max_matches=_MAX_QUOTED, columns=False)
    for line in runtime.grep.search([WorkspacePath(home.root, ())], query, cancel).lines:
        if line.is_match and (line.place, line.line) not in defined:
            yield f"{display_name(runtime.workspace, line.place)}:{line.line}"


def _has_keys(lookup: CodeLookup, path: WorkspacePath) -> bool:
    """Return whether a file mentions `TypedDict`, whose keys are passed as keyword arguments."""
    file = lookup.open(path)
    return file is not None and "TypedDict" in file.text


def language_of_path(lookup: CodeLookup, path: WorkspacePath) -> str:
    """Return the name of the language of a file; empty if it has none."""
    file = lookup.open(path)
    return file.language.name if file is not None and file.language is not None else ""


def group_of_path(lookup: CodeLookup, path: WorkspacePath) -> str:
    """Return the group of the language of a file, such as `javascript` for TypeScript."""
    file = lookup.open(path)
    return _group(file.language if file is not None else None)


def _group(language: Language | None) -> str:
    return language_group(language.name) if language is not None else ""


# Code for Python before 3.6 annotates variables in comments, which type checkers still read.
_TYPE_COMMENT = re.compile(r"#\s*type:\s*(?!ignore)([^#\n]*)")
SIGNATURE_COMMENT = re.compile(r"#\s*type:\s*\(")


def _call_of(name: str) -> dict[str, object]:
    """Return an ast-grep rule that matches inside the arguments of a call of *name*."""
    function = {"field": "function", "regex": rf"^(\w+\.)*{name}$"}
    return {"kind": "argument_list", "inside": {"kind": "call", "has": function}}


# Generics whose subscripts are type expressions, even where no annotation marks a type alias.
_GENERIC = (
    "Optional|Union|Callable|Type|Tuple|List|Dict|Set|FrozenSet|Sequence|Iterable|Iterator|Mapping"
    "|Generator|Awaitable|Coroutine|ClassVar|Final|type|tuple|list|dict|set|frozenset"
)
# Strings that name types: in annotations, type aliases, generics, and calls that take a type.
_TYPE_RULE = {
    "rule": {
        "kind": "string",
        "any": [
            {"inside": {"kind": "type", "stopBy": "end"}},
            {
                "inside": {
                    "kind": "assignment",
                    "stopBy": "end",
                    "has": {"field": "type", "regex": r"^(\w+\.)*TypeAlias$"},
                }
            },
            {"nthChild": 1, "inside": _call_of("cast")},
            {
                "inside": {
                    "kind": "subscript",
                    "stopBy": "end",
                    "has": {"field": "value", "regex": rf"^(\w+\.)*({_GENERIC})$"},
                }
            },
            {
                "inside": {
                    "kind": "keyword_argument",
                    "has": {"field": "name", "regex": "^bound$"},
                    "inside": _call_of("TypeVar"),
                }
            },
        ],
        "not": {
            "inside": {
                "any": [{"kind": "generic_type"}, {"kind": "subscript"}],
                "stopBy": "end",
                "regex": r"^(\w+\.)*Literal\[",
            }
        },
    }
}


def find_quoted_types(runtime: Runtime, text: str, language: Language, name: str) -> Iterator[int]:
    """Yield the offsets of *name* in the quoted types of a Python file."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if language.name != "python" or not re.search(rf"['\"][^'\"\n]*{word.pattern}", text):
        return
    for match in runtime.analysis.structural(text, language, _TYPE_RULE, None):
        for found in word.finditer(text, match.start, match.end):
            yield found.start()


def find_commented_types(text: str, language: Language, name: str) -> Iterator[int]:
    """Yield the offsets of *name* in the type comments of a Python file: `# type: Name`."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    for comment in _TYPE_COMMENT.finditer(text) if language.name == "python" else ():
        for found in word.finditer(text, comment.start(1), comment.end(1)):
            yield found.start()
