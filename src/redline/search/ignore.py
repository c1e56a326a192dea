"""What git ignores, asked while walking down a tree; and what listings leave out by default."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from redline.core.call_scope import checkpoint
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import FileReader, Kind, Tree
from redline.core.records import dataclass
from redline.core.textfile import TextFile
from redline.search.patterns import glob_regex

EXCLUDED_DIRECTORIES = frozenset(
    """
    .git .reference node_modules target dist build .venv venv .tox .mypy_cache .pytest_cache
    .ruff_cache __pycache__
    """.split()
)
"""Directories no listing or search enters unless asked to."""

IGNORE_FILE = ".gitignore"
_MAX_IGNORE_FILE = 1 << 20
_MAGIC = re.compile(r"[*?\[\\]")
# "*.ext", perhaps with a choice of last letters: "*.py[cod]".
_SUFFIX = re.compile(r"\*(\.[^*?\[\]\\/.]*)(?:\[([A-Za-z0-9]+)\])?")


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of an ignore file; `glob` is relative to the file's directory."""

    glob: str
    negated: bool
    directories_only: bool
    anchored: bool


def parse_rule(line: str) -> IgnoreRule | None:
    """Return the rule a line states, or None for blank lines and comments."""
    text = line.rstrip("\r\n")
    while text.endswith((" ", "\t")) and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[negated:]
    directories_only = text.endswith("/")
    text = text.rstrip("/") if directories_only else text
    anchored = "/" in text
    text = text.removeprefix("/")
    return IgnoreRule(text, negated, directories_only, anchored) if text else None


class RuleSet:
    """The rules of one ignore file; the last one that fits decides."""

    __slots__ = (
        "_complex",
        "_count",
        "_last_names",
        "_literal",
        "_many_names",
        "_many_suffixes",
        "_negated",
        "_order",
        "_paths",
        "_suffix",
        "_texts",
    )

    def __init__(self, text: str) -> None:
        rules = [rule for line in text.split("\n") if (rule := parse_rule(line))]
        self._negated = [rule.negated for rule in rules]
        self._count = len(rules)
        # Index of the last rule by plain name, by plain path and by ".ext": (any kind, directory).
        self._literal: dict[str, tuple[int, int]] = {}
        self._paths: dict[str, tuple[int, int]] = {}
        self._suffix: dict[str, tuple[int, int]] = {}
        general: list[tuple[int, IgnoreRule]] = []
        for index, rule in enumerate(rules):
            table, keys = self._table(rule)
            if not keys:
                general.append((index, rule))
            for key in keys:
                any_kind, directory = table.get(key, _NO_RULE)
                table[key] = (any_kind if rule.directories_only else index, max(directory, index))
        general.reverse()
        self._order = [index for index, _ in general]
        self._complex = _alternation(rule for _, rule in general) if general else None
        self._last_names = _last_names([rule.glob for _, rule in general])
        names = {*self._literal, *(path.rpartition("/")[2] for path in self._paths)}
        # A few are looked for one by one; for more, taking the names apart is cheaper.
        self._many_names = frozenset(names) if len(names) > _FEW else frozenset()
        self._many_suffixes = frozenset(self._suffix) if len(self._suffix) > _FEW else frozenset()
        self._texts = [f"\n{name}\n" for name in names if not self._many_names]
        self._texts += [f"{suffix}\n" for suffix in self._suffix if not self._many_suffixes]

    def __bool__(self) -> bool:
        return self._count > 0

    def _table(self, rule: IgnoreRule) -> tuple[dict[str, tuple[int, int]], list[str]]:
        """Return where a rule is looked up and by what; by nothing when that takes a regex."""
        if not _MAGIC.search(rule.glob):
            return (self._paths if rule.anchored else self._literal), [rule.glob]
        # A suffix with a second dot is left to the regex: the table is asked for the last only.
        suffix = None if rule.anchored else _SUFFIX.fullmatch(rule.glob)
        if suffix and suffix[0] != "*.":
            return self._suffix, [suffix[1] + letter for letter in suffix[2] or [""]]
        return {}, []

    def may_speak_of(self, names: JoinedNames) -> bool:
        """False when no rule can match any of *names*, in any directory."""
        lines = names.lines
        for text in self._texts:
            if text in lines:
                return True
        if self._many_names and names.has_any(self._many_names):
            return True
        if self._many_suffixes and names.ends_in_any(self._many_suffixes):
            return True
        return any(pattern.search(lines) for pattern in self._last_names)

    def verdict(self, relative: str, name: str, is_directory: bool) -> bool | None:
        """True: ignored, False: included again by a rule, None: no rule matches it."""
        column = 1 if is_directory else 0
        best = self._literal.get(name, _NO_RULE)[column]
        if self._paths:
            best = max(best, self._paths.get(relative, _NO_RULE)[column])
        if self._suffix:
            dot = name.rfind(".")
            if dot >= 0:
                best = max(best, self._suffix.get(name[dot:], _NO_RULE)[column])
        if self._complex is not None:
            found = self._complex.match(relative + "/" if is_directory else relative)
            if found and found.lastindex:
                best = max(best, self._order[found.lastindex - 1])
        return None if best < 0 else not self._negated[best]


_NO_RULE = (-1, -1)


class JoinedNames:
    """The names in one directory, one to a line, for asking many rules at once."""

    __slots__ = ("lines",)

    def __init__(self, names: Collection[str]) -> None:
        self.lines = "\n".join(["", *names, ""])

    def has_any(self, names: frozenset[str]) -> bool:
        """Return whether one of *names* is here."""
        return not names.isdisjoint(self.lines.split("\n"))

    def ends_in_any(self, suffixes: frozenset[str]) -> bool:
        """Return whether a name ends in one of *suffixes*, which begin with their only dot."""
        return not suffixes.isdisjoint(_SUFFIXES.findall(self.lines))


_FEW = 12
_SUFFIXES = re.compile(r"\.[^.\n]*$", re.MULTILINE)


def _last_names(globs: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Regexes over lines of names, one per glob, that find a name the glob's last part may fit.

    They may find too much, never too little: a hit only means that the rules must be asked.
    Leading and trailing stars are dropped, so that most begin with plain text and search fast.
    """
    found = []
    for glob in globs:
        last = glob.rpartition("/")[2]
        body = last.strip("*") if "\\" not in last and "[" not in last else last
        start = "^" if body and not last.startswith("*") else ""
        end = "$" if body and not last.endswith("*") else ""
        if last.startswith("*") and "\\" not in last:
            body = body.lstrip("*")
        regex = glob_regex(body).replace("[^/]", r"[^/\n]") if body else ""
        found.append(re.compile(f"{start}{regex}{end}", re.MULTILINE))
    return tuple(found)


def _alternation(rules: Iterator[IgnoreRule]) -> re.Pattern[str]:
    """The rules as one regex, the last first; directories are matched with a closing slash."""
    pieces = []
    for rule in rules:
        prefix = "" if rule.anchored else "(?:.*/)?"
        pieces.append(f"({prefix}{glob_regex(rule.glob)}{'/' if rule.directories_only else '/?'})")
    return re.compile("(?:" + "|".join(pieces) + r")\Z", re.DOTALL)


class IgnoreScope:
    """The ignore rules that apply in one directory; `below` gives those of a child."""

    __slots__ = ("_layers", "_prefix", "_tree", "directory")

    def __init__(
        self,
        tree: FileReader,
        directory: WorkspacePath,
        layers: tuple[tuple[int, RuleSet], ...],
    ) -> None:
        self._tree = tree
        self.directory = directory
        self._layers = layers
        prefix = "/".join(directory.parts)
        self._prefix = f"{prefix}/" if prefix else ""

    @classmethod
    def of_root(cls, tree: FileReader, root: int) -> IgnoreScope:
        """Return the rules at the top of a root: .git/info/exclude, then .gitignore."""
        top = WorkspacePath(root, ())
        layers: tuple[tuple[int, RuleSet], ...] = ()
        exclude = _load(tree, WorkspacePath(root, (".git", "info", "exclude")))
        if exclude:
            layers = ((0, exclude),)
        return cls(tree, top, layers).with_own_file()

    @classmethod
    def at(cls, tree: FileReader, directory: WorkspacePath) -> IgnoreScope:
        """The rules that apply in *directory*, including those of its parents up to the root."""
        scope = cls.of_root(tree, directory.root)
        for name in directory.parts:
            scope = scope.below(name)
        return scope

    def below(self, name: str, *, has_file: bool = True) -> IgnoreScope:
        """The scope of the child directory *name*; with *has_file* False no ignore file is read."""
        child = IgnoreScope(self._tree, self.directory.child(name), self._layers)
        return child.with_own_file() if has_file else child

    def ignored_among(self, names: Collection[str], directories: Collection[str]) -> set[str]:
        """The entries of this directory that git ignores; *directories* are those of *names*."""
        if not self._layers or not names:
            return set()
        prepared = JoinedNames(names)
        # A name that holds a line break cannot be recognised in the joined lines.
        plain = prepared.lines.count("\n") == len(names) + 1
        if plain and not any(rules.may_speak_of(prepared) for _, rules in self._layers):
            return set()
        return {name for name in names if self.ignores(name, name in directories)}

    def with_own_file(self) -> IgnoreScope:
        """This scope with the directory's own .gitignore."""
        rules = _load(self._tree, self.directory.child(".gitignore"))
        if rules:
            depth = len(self._prefix)
            return IgnoreScope(self._tree, self.directory, ((depth, rules), *self._layers))
        return self

    def ignores(self, name: str, is_directory: bool) -> bool:
        """Return whether git ignores the entry *name* of this directory."""
        if not self._layers:
            return False
        path = self._prefix + name
        for depth, rules in self._layers:
            verdict = rules.verdict(path[depth:], name, is_directory)
            if verdict is not None:
                return verdict
        return False


def is_ignored(tree: FileReader, path: WorkspacePath, is_directory: bool) -> bool:
    """Return whether git ignores *path*, because of itself or of a directory it lies in."""
    scope = IgnoreScope.of_root(tree, path.root)
    for name in path.parts[:-1]:
        if scope.ignores(name, True):
            return True
        scope = scope.below(name)
    return bool(path.parts) and scope.ignores(path.name, is_directory)


def ancestor_rules(tree: Tree, directory: WorkspacePath) -> list[str]:
    """Return the rules of *directory*'s parents, rewritten to be read from the root, in order.

    For a walker that starts in *directory* and so never sees the ignore files above it.
    """
    lines: list[str] = []
    if directory.parts:
        lines += _rebase(tree, WorkspacePath(directory.root, (".git", "info", "exclude")), ())
    for depth in range(len(directory.parts)):
        parts = directory.parts[:depth]
        lines += _rebase(tree, WorkspacePath(directory.root, (*parts, ".gitignore")), parts)
    return lines


def ignore_files(tree: Tree, places: Iterable[WorkspacePath]) -> Iterator[WorkspacePath]:
    """Whatever has the name of an ignore file at or beneath *places*, parents first."""
    for place in places:
        exclude = WorkspacePath(place.root, (".git", "info", "exclude"))
        if not place.parts and tree.stat(exclude) is not None:
            yield exclude
        entry = tree.stat(place)
        if entry is None or entry.kind is not Kind.DIRECTORY:
            continue
        for folder in tree.walk(place, enter=lambda path: path.rpartition("/")[2] != ".git"):
            checkpoint()
            if any(IGNORE_FILE in names for names in folder[2:]):
                prefix = tuple(folder.prefix.split("/")[:-1])
                yield place.child(*prefix, IGNORE_FILE)


def is_odd_ignore_file(tree: Tree, file: WorkspacePath) -> bool:
    """Whether *file*, named like an ignore file, is not a regular file: opening it could block."""
    entry = tree.stat(file)
    return entry is not None and entry.kind is not Kind.FILE


def rebased_rules(tree: Tree, file: WorkspacePath) -> Iterator[str]:
    """Yield the rules of one ignore file as lines that hold at the top of its root."""
    parts = () if file.parts[:1] == (".git",) else file.parts[:-1]
    return _rebase(tree, file, parts)


def _rebase(tree: Tree, file: WorkspacePath, parts: tuple[str, ...]) -> Iterator[str]:
    text = _read(tree, file)
    base = "".join("/" + _MAGIC_OR_SPACE.sub(r"\\\g<0>", part) for part in parts)
    for line in text.split("\n"):
        rule = parse_rule(line)
        if rule:
            middle = "/" if rule.anchored else "/**/"
            closing = "/" if rule.directories_only else ""
            yield f"{'!' if rule.negated else ''}{base}{middle}{rule.glob}{closing}"


_MAGIC_OR_SPACE = re.compile(r"[*?\[\\ !#{}]")


def _read(tree: FileReader, file: WorkspacePath) -> str:
    """An ignore file's text; one that is absent, a link, too large or unreadable has no rules."""
    try:
        entry = tree.stat(file)
        if entry is None or entry.kind is not Kind.FILE or entry.size > _MAX_IGNORE_FILE:
            return ""
        return TextFile(tree.read(file, _MAX_IGNORE_FILE)).text
    except RedlineError:
        return ""


def _load(tree: FileReader, file: WorkspacePath) -> RuleSet | None:
    text = _read(tree, file)
    return RuleSet(text) if text else None
