"""Members of the same name in other types: which of them may override one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from redline.code.syntax.definitions import Symbol
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, GrepQuery
from redline.services.code.lookup import CodeLookup, OpenedSource

_MAX_LINES = 50_000
# A class whose bases go on for longer is related to everything.
_MAX_HEADER = 4_000
_WORD = re.compile(r"[^\W\d][\w$]*")
_DECLARED = re.compile(r"\b(?P<kind>class|interface|type)\s+(?P<name>[^\W\d][\w$]*)")
_END_OF_ALIAS = re.compile(r";[ \t]*(?://.*)?$|\n(?=[^\W\d]|/[*/]|@|$)|\n\n", re.MULTILINE)
_BRACES = re.compile(r"\{[^{}]*\}")
_ARGUMENTS = re.compile(r"<[^<>]*>|\{[^{}]*\}")
# Words between the name of a class and its body that are not bases; bases without members.
_NOT_BASES = frozenset({"extends", "implements", "metaclass", "object", "Generic"})
SCRIPT_GLOBS = ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts")
# What every object of a script has, and what the language's own types have.
OBJECT_MEMBERS = frozenset({"toString", "toLocaleString", "toJSON", "valueOf", "constructor"})
LIBRARY_TYPES = frozenset(
    _WORD.findall(
        "Map Set WeakMap WeakSet ReadonlyMap ReadonlySet Array ReadonlyArray ArrayLike Promise "
        "PromiseLike Error Iterator Iterable IterableIterator AsyncIterator AsyncIterable "
        "Generator AsyncGenerator AsyncIterableIterator EventTarget Function Date RegExp "
        "ProxyHandler"
    )
)
LIBRARY_MEMBERS = frozenset(
    _WORD.findall(
        "size clear delete forEach get has set entries keys values add length at concat every "
        "fill filter find findIndex findLast flat flatMap includes indexOf join lastIndexOf map "
        "pop push reduce reduceRight reverse shift slice some sort splice unshift then catch "
        "finally name message stack cause next return throw addEventListener removeEventListener "
        "dispatchEvent apply bind call test exec source flags getTime defineProperty "
        "deleteProperty ownKeys union intersection difference symmetricDifference isSubsetOf "
        "isSupersetOf isDisjointFrom"
    )
)
_TYPES = frozenset({"class", "interface", "enum", "type", "struct", "trait", "impl", "union"})
_RUST_TYPE = re.compile(
    r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?P<kind>trait|impl|struct|enum|union)\b"
)
# The name of a trait, and of that of an `impl`, once type arguments are left out.
_TRAIT = re.compile(r"\btrait\s+(\w+)|\bimpl\s+!?(?:\w+::)*(\w+)\s+for\b")
_DECLARATIONS = {
    "python": (r"^\s*class\s+\w+\s*[(:\[\\]", ("*.py", "*.pyi")),
    "javascript": (r"\b(class|interface|type)\s+[\w$]+", SCRIPT_GLOBS),
}


class ClassFamilies:
    """Classes, interfaces and type aliases by name, with the names of their bases.

    A name means all classes of that name, so that unrelated ones may seem related, never the
    other way round. What is not known to be complete is related to everything.
    """

    def __init__(self, headers: Iterable[tuple[str, str | None]]) -> None:
        self._bases: dict[str, set[str]] = {}
        self._derived: dict[str, set[str]] = {}
        self._open: set[str] = set()
        # Only what scripts write after `extends` and `implements`, without type arguments.
        self._heritage: dict[str, set[str]] = {}
        for name, header in headers:
            bases = set(_WORD.findall(header)) - _NOT_BASES if header is not None else set()
            if header is None or "Protocol" in bases:
                self._open.add(name)
            self._bases.setdefault(name, set()).update(bases)
            self._heritage.setdefault(name, set()).update(_read_heritage(header or ""))
            for base in bases:
                self._derived.setdefault(base, set()).add(name)

    def are_related(self, first: str, second: str, defining: set[str]) -> bool:
        """Return whether members of one name in two classes may override one another.

        They do where one class derives from the other, where another derives from both, and where
        both derive from one of the classes *defining* the member.
        """
        if first not in self._bases or second not in self._bases:
            return True
        above = [self._reach(name, self._bases) for name in (first, second)]
        below = [self._reach(name, self._derived) for name in (first, second)]
        if self._open & ({first, second} | above[0] | above[1] | below[0] | below[1]):
            return True
        if first in above[1] or second in above[0] or below[0] & below[1]:
            return True
        return bool(above[0] & above[1] & defining)

    def derives_from(self, name: str, bases: frozenset[str]) -> bool:
        """Return whether a class derives from one of *bases*, which the workspace has not."""
        above = self._reach(name, self._bases)
        return not bases.isdisjoint(above - self._bases.keys())

    def share_library_base(self, first: str, second: str) -> bool:
        """Return whether two classes of a script derive from one type that is not here.

        It may have the member, so that both override it. Members of the language's own types are
        known.
        """
        above = [self._reach(name, self._heritage) for name in (first, second)]
        return bool((above[0] & above[1]) - self._bases.keys() - LIBRARY_TYPES)

    @staticmethod
    def _reach(name: str, steps: dict[str, set[str]]) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = steps.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found


def _read_heritage(header: str) -> list[str]:
    count = 1
    while count:
        header, count = _ARGUMENTS.subn("", header)
    written = re.split(r"\b(?:extends|implements)\b", header)[1:]
    return [word for part in written for word in _WORD.findall(part)]


def read_families(
    lookup: CodeLookup, root: int, group: str, cancel: Cancel
) -> ClassFamilies | None:
    """Return the classes of a root; None where types are related without saying so."""
    if group not in _DECLARATIONS:
        return None
    pattern, globs = _DECLARATIONS[group]
    query = GrepQuery(pattern, include=globs, max_matches=_MAX_LINES, columns=False)
    found = lookup.runtime.grep.search([WorkspacePath(root, ())], query, cancel)
    if found.timed_out or found.total > _MAX_LINES:
        return None
    lines = [(line.place, line.line) for line in found.lines if line.is_match]
    return ClassFamilies(_headers(lookup, lines, group))


def _headers(
    lookup: CodeLookup, lines: list[tuple[WorkspacePath, int]], group: str
) -> Iterator[tuple[str, str | None]]:
    for path, number in lines:
        file = lookup.open(path)
        text = file.lines(number, number) if file is not None else ""
        for declared in _DECLARED.finditer(text):
            rest = text[declared.end() :]
            header = _header(rest, declared["kind"], group)
            if header is None and file is not None:
                below = file.lines(number + 1, number + 100)
                header = _header(f"{rest}\n{below}"[:_MAX_HEADER], declared["kind"], group)
            yield declared["name"], header


def _header(text: str, kind: str, group: str) -> str | None:
    """Return what is between the name of a class and its body; None if it does not end here."""
    if kind == "type":
        return _read_alias(text)
    depth = 0
    for nth, letter in enumerate(text):
        is_arrow = letter == ">" and text[nth - 1 : nth] in ("=", "-")
        if depth == 0 and letter == (":" if group == "python" else "{"):
            return text[:nth]
        depth += (letter in "([{<") - (letter in ")]}>" and not is_arrow)
    return None


def _read_alias(text: str) -> str | None:
    """Return what a type alias is made of, without the members in its own braces."""
    end = _END_OF_ALIAS.search(text)
    if end is None:
        return None
    found, count = text[: end.start()], 1
    while count:
        found, count = _BRACES.subn("", found)
    return found


@dataclass(frozen=True, slots=True)
class Namesake:
    """A definition of the same name, and the definition around it."""

    path: WorkspacePath
    symbol: Symbol
    holder: Symbol | None

    @property
    def place(self) -> tuple[WorkspacePath, int]:
        """Its file and line."""
        return self.path, self.symbol.line

    @property
    def owner(self) -> str:
        """The name of the type that has it."""
        return self.symbol.qualified.rpartition(".")[0].rpartition(".")[2]

    @property
    def is_member(self) -> bool:
        """Whether it can be a member: what a file or a function defines is none."""
        is_local = self.holder is not None and self.holder.kind in ("function", "method")
        return bool(self.owner) and not is_local

    @property
    def is_in_object(self) -> bool:
        """Whether an object has it that a script writes out: no type says what it is."""
        return bool(self.owner) and (self.holder is None or self.holder.kind not in _TYPES)


def holder_of(file: OpenedSource, symbol: Symbol) -> Symbol | None:
    """Return the definition around a symbol."""
    above = symbol.qualified.rpartition(".")[0]
    around = [
        each
        for each in file.symbols()
        if each.qualified == above and each.start <= symbol.line <= each.end
    ]
    return around[-1] if around else None


def keep_of_traits(
    lookup: CodeLookup, found: list[Namesake], others: list[Namesake]
) -> list[Namesake]:
    """Return the members that a trait of Rust may join to those renamed; none to a type's own."""
    own = {_trait_of(lookup, each) for each in found if each not in others} - {""}
    traits = ((each, _trait_of(lookup, each)) for each in others if own)
    return [each for each, trait in traits if trait is None or (trait and own & {trait, None})]


def _trait_of(lookup: CodeLookup, namesake: Namesake) -> str | None:
    """Return the trait of a member, or of its `impl`; empty if it has none, None if unknown."""
    if namesake.symbol.kind == "function":
        return ""
    file = lookup.open(namesake.path)
    lines = file.lines(1, namesake.symbol.line).split("\n") if file is not None else []
    for nth in range(len(lines) - 1, -1, -1):
        begun = _RUST_TYPE.match(lines[nth])
        if begun is None:
            continue
        head = " ".join(lines[nth:]).partition("{")[0].replace("->", "")
        if begun["kind"] in ("impl", "trait"):
            count = 1
            while count:
                head, count = _ARGUMENTS.subn("", head)
            named = _TRAIT.search(head)
            return named[1] or named[2] if named is not None else ""
        return ""
    return None


def may_override(
    families: ClassFamilies, group: str, name: str, other: Namesake, defining: set[str]
) -> bool:
    """Return whether a member of another type may override one of the type *name*.

    In scripts each is resolved by its type, unless a library's type has it; enums of one name are
    one type to the compiler.
    """
    if group == "javascript":
        is_enum = other.holder is not None and other.holder.kind == "enum"
        if is_enum and other.owner == name:
            return True
        return not other.is_in_object and families.share_library_base(name, other.owner)
    return families.are_related(name, other.owner, defining)
