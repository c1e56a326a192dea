"""Read import statements of Python, and rewrite them when a module moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from redline.code.moving.model import (
    ImportSplice,
    ImportUpdate,
    MovedFile,
    Obstacle,
    common_length,
)
from redline.code.python_js.imports import python_candidates
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass

STATEMENT_RULE: Mapping[str, Any] = {
    "rule": {"any": [{"kind": "import_statement"}, {"kind": "import_from_statement"}]}
}
_GAP = r"(?:[ \t\f]|\\\r?\n)*"
_FROM = re.compile(rf"from{_GAP}(?P<module>[.\w \t\f\\\r\n]+?){_GAP}\bimport\b{_GAP}")
_NAME = re.compile(r"#[^\n]*|(?P<name>\w+)(?:\s+as\s+(?P<alias>\w+))?")
_DOTTED = re.compile(rf"(?P<name>\w+(?:{_GAP}\.{_GAP}\w+)*)(?:\s+as\s+(?P<alias>\w+))?")


class ImportedAs(NamedTuple):
    """One name of a statement: its place, the name and what it is bound as (empty: itself)."""

    start: int
    end: int
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class FromStatement:
    """`from module import names`; the module's place is `start` to `end`."""

    first: int
    last: int
    start: int
    end: int
    module: str
    names: tuple[ImportedAs, ...]


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """`import names`."""

    first: int
    last: int
    names: tuple[ImportedAs, ...]


Statement = FromStatement | PlainStatement


def read_statement(text: str, start: int, end: int) -> Statement:
    """Read the import statement at *start* to *end*."""
    found = _FROM.match(text, start, end)
    if found is None:
        at = start + len("import")
        names = [
            ImportedAs(*item.span(), _plain(item["name"]), item["alias"] or "")
            for item in _DOTTED.finditer(text, at, end)
        ]
        return PlainStatement(start, end, tuple(names))
    names = [
        ImportedAs(*item.span(), item["name"], item["alias"] or "")
        for item in _NAME.finditer(text, found.end(), end)
        if item["name"]
    ]
    place = found.span("module")
    return FromStatement(start, end, *place, _plain(found["module"]), tuple(names))


def _plain(module: str) -> str:
    return "".join(module.replace("\\", "").split())


_ENDINGS = (".pyi", ".py")
_PACKAGE_FILES = ("__init__.py", "__init__.pyi")
_USUAL_SOURCES: tuple[tuple[str, ...], ...] = ((), ("src",))


def module_stem(path: WorkspacePath) -> str:
    """Return the last word of a module's name."""
    ending = next((each for each in _ENDINGS if path.name.endswith(each)), "")
    return path.name.removesuffix(ending)


def module_parts(path: WorkspacePath) -> tuple[str, ...]:
    """Return the path of a module's name: without its ending, of a package its directory."""
    if path.name in _PACKAGE_FILES:
        return path.parts[:-1]
    return (*path.parts[:-1], module_stem(path))


@dataclass(slots=True)
class PythonFile:
    """A file with its import statements, and what is asked about its text.

    `chains` finds the places of a dotted name in expressions. `is_rebound` says whether a name is
    bound otherwise than by imports. `package_binds` says whether the file of a package binds a
    name itself.
    """

    path: WorkspacePath
    text: str
    statements: Sequence[Statement]
    chains: Callable[[str], Sequence[tuple[int, int]]]
    is_rebound: Callable[[str], bool]
    package_binds: Callable[[WorkspacePath, str], bool]


def source_of(file: PythonFile, statement: Statement, moved: MovedFile) -> tuple[str, ...] | None:
    """Return the directory that the absolute import of a statement begins at, if it is found."""
    if isinstance(statement, FromStatement):
        specs = [] if statement.module.startswith(".") else [statement.module]
    else:
        specs = [item.name for item in statement.names]
    for spec in specs:
        found = next(filter(moved.is_file, python_candidates(file.path, spec)), None)
        if found is not None:
            depth = len(found.parts) - (found.name in _PACKAGE_FILES)
            return found.parts[: depth - len(spec.split("."))]
    return None


def update_python(file: PythonFile, moved: MovedFile) -> ImportUpdate:
    """Return what changes in *file*, which may be the one that moves."""
    return _Updating(file, moved).run()


class _Updating:
    def __init__(self, file: PythonFile, moved: MovedFile) -> None:
        self._file = file
        self._moved = moved
        self._update = ImportUpdate()
        self._is_own = moved.moves(file.path)

    def run(self) -> ImportUpdate:
        for statement in self._file.statements:
            if isinstance(statement, PlainStatement):
                self._plain(statement)
            else:
                self._from(statement)
        self._refuse_implied()
        return self._update

    def _refuse(self, offset: int, reason: str) -> None:
        self._update.obstacles.append(Obstacle(offset, reason))

    def _splice(self, start: int, end: int, text: str) -> None:
        self._update.splices.append(ImportSplice(start, end, text))

    def _resolve(self, spec: str) -> WorkspacePath | None:
        return next(filter(self._moved.is_file, python_candidates(self._file.path, spec)), None)

    # --- import a.b ---------------------------------------------------------------------------

    def _plain(self, statement: PlainStatement) -> None:
        for item in statement.names:
            found = self._resolve(item.name)
            if found is not None and self._moved.moves(found):
                self._replace_plain(item, found)
            elif self._is_own and found is not None:
                self._require_found(item.start, item.name, found)

    def _replace_plain(self, item: ImportedAs, found: WorkspacePath) -> None:
        new = self._absolute(item.name, found)
        if new == item.name:
            return
        if new is None:
            self._refuse(item.start, "its new place has no module name here")
            return
        if item.alias or "." not in item.name:
            alias = item.alias or item.name
            self._splice(item.start, item.end, new if alias == new else f"{new} as {alias}")
            return
        top = item.name.partition(".")[0]
        uses = self._file.chains(item.name)
        if self._file.is_rebound(top) or (new.partition(".")[0] != top and self._is_shared(top)):
            self._refuse(item.start, f"the name {top} is used for other things too")
            return
        self._splice(item.start, item.end, new)
        for start, end in uses:
            self._splice(start, end, new)

    def _is_shared(self, top: str) -> bool:
        """Return whether `import top.x` also serves other modules of that package."""
        names = [
            item.name
            for statement in self._file.statements
            if isinstance(statement, PlainStatement)
            for item in statement.names
            if not item.alias and item.name.partition(".")[0] == top
        ]
        return len(names) > 1

    def _refuse_implied(self) -> None:
        """Refuse uses as an attribute of a package that the file imports without the module."""
        imported = {
            item.name
            for statement in self._file.statements
            if isinstance(statement, PlainStatement)
            for item in statement.names
            if not item.alias
        }
        for chain in self._implied_chains():
            if chain not in imported:
                moved = {splice.start for splice in self._update.splices}
                for start, _end in self._file.chains(chain):
                    if start not in moved:
                        self._refuse(start, f"{chain} is used without an import of it")

    def _implied_chains(self) -> Iterator[str]:
        old = module_parts(self._moved.old)
        for statement in self._file.statements:
            for item in statement.names:
                if isinstance(statement, PlainStatement):
                    name = item.name if item.alias else item.name.partition(".")[0]
                    spec = name
                else:
                    joint = "" if statement.module.endswith(".") else "."
                    name, spec = item.name, f"{statement.module}{joint}{item.name}"
                found = self._resolve(spec)
                if found is not None and found.name in _PACKAGE_FILES:
                    folder = found.parent.parts
                    if found.root == self._moved.old.root and old[: len(folder)] == folder:
                        yield ".".join((item.alias or name, *old[len(folder) :]))

    # --- from a import b ----------------------------------------------------------------------

    def _from(self, statement: FromStatement) -> None:
        module = statement.module
        found = self._resolve(module) if module.strip(".") else None
        if self._moved.is_directory and self._is_own and self._is_inside(module):
            return  # it moves along
        if found is not None and self._moved.moves(found):
            new = self._module_text(module, found, with_stem=True)
            if new is None:
                self._refuse(statement.first, "its new place has no module name here")
            elif new != module:
                self._splice(statement.start, statement.end, new)
            return
        joint = "" if module.endswith(".") else "."
        mine = [
            (item, target)
            for item in statement.names
            for target in [self._resolve(f"{module}{joint}{item.name}")]
            if target is not None
            and self._moved.moves(target)
            and not self._is_bound_by_package(module, item.name)
        ]
        if len(mine) > 1:
            self._move_names(statement, mine)
        elif mine:
            self._move_name(statement, *mine[0])
        elif self._is_own:
            self._keep_own(statement, found)

    def _is_inside(self, module: str) -> bool:
        """Return whether a relative import leads to what moves along with the file."""
        return module.startswith(".") and self._moved.has(self._place_of(module))

    def _place_of(self, module: str) -> tuple[str, ...]:
        """Return the path that a relative import names."""
        dots = len(module) - len(module.lstrip("."))
        home = self._file.path.parent.parts
        words = (word for word in module.split(".") if word)
        return (*home[: len(home) - dots + 1], *words)

    def _move_names(
        self, statement: FromStatement, mine: list[tuple[ImportedAs, WorkspacePath]]
    ) -> None:
        """Import several modules of a directory that moves from its new place."""
        item, found = mine[0]
        package = self._module_text(statement.module, found, with_stem=False, name=item.name)
        if not package or len(mine) < len(statement.names):
            self._refuse(statement.first, "it imports moved modules and others")
        elif package != statement.module:
            self._splice(statement.start, statement.end, package)

    def _is_bound_by_package(self, module: str, name: str) -> bool:
        package = next(filter(self._moved.is_file, self._package_files(module)), None)
        return (
            package is not None
            and package != self._file.path
            and self._file.package_binds(package, name)
        )

    def _package_files(self, module: str) -> Iterator[WorkspacePath]:
        candidates = python_candidates(self._file.path, module)
        return (path for path in candidates if path.name in _PACKAGE_FILES)

    def _move_name(self, statement: FromStatement, item: ImportedAs, found: WorkspacePath) -> None:
        """Import the module, one name of a statement, from its new package."""
        package = self._module_text(statement.module, found, with_stem=False, name=item.name)
        if package is None:
            self._refuse(statement.first, "its new place has no module name here")
            return
        stem, bound = module_parts(self._moved.after(found))[-1], item.alias or item.name
        alias = "" if stem == bound else f" as {bound}"
        new = f"from {package} import {stem}{alias}" if package else f"import {stem}{alias}"
        if len(statement.names) == 1 and package:
            self._splice(statement.start, statement.end, package)
            self._splice(item.start, item.end, f"{stem}{alias}")
        elif len(statement.names) == 1:
            self._splice(statement.first, statement.last, new)
        elif package == statement.module:
            self._splice(item.start, item.end, f"{stem}{alias}")
        else:
            self._splice(*self._with_comma(statement, item), "")
            self._splice(statement.first, statement.first, new + self._joint(statement.first))

    def _with_comma(self, statement: FromStatement, item: ImportedAs) -> tuple[int, int]:
        """Return the place of a name in a list with the comma that goes with it."""
        after = re.compile(r"\s*,[ \t]*").match(self._file.text, item.end, statement.last)
        if after is not None:
            return item.start, after.end()
        before = self._file.text.rindex(",", statement.first, item.start)
        return before, item.end

    def _joint(self, at: int) -> str:
        """Return what separates a new statement from the one at *at*."""
        begin = self._file.text.rfind("\n", 0, at) + 1
        indent = self._file.text[begin:at]
        if indent.strip():
            return "; "
        return ("\r\n" if self._file.text[: begin - 1].endswith("\r") else "\n") + indent

    # --- the file that moves ------------------------------------------------------------------

    def _keep_own(self, statement: FromStatement, found: WorkspacePath | None) -> None:
        """Have the file that moves import the same as before."""
        if not self._moved.changes_folder:
            return
        module = statement.module
        if not module.startswith("."):
            if found is not None:
                self._require_found(statement.first, module, found)
            return
        home = self._moved.after(self._file.path).parent
        new = self._text_of(self._place_of(module), home, climbs_to=None)
        if not new:
            self._refuse(statement.first, f"{module} cannot be imported from its new place")
        elif new != module:
            self._splice(statement.start, statement.end, new)

    def _require_found(self, offset: int, spec: str, found: WorkspacePath) -> None:
        """Refuse an absolute import of the file that moves which would mean something else."""
        candidates = python_candidates(self._moved.after(self._file.path), spec)
        if next(filter(self._moved.is_file_after, candidates), None) != self._moved.after(found):
            self._refuse(offset, f"{spec} would not be found from its new place")

    # --- names --------------------------------------------------------------------------------

    def _absolute(self, spec: str, found: WorkspacePath) -> str | None:
        """Return the new dotted name of the module that *spec* names from the same base."""
        old = module_parts(found)
        base = old[: len(old) - len(spec.split("."))]
        if self._moved.has(base):
            return spec  # what it begins at moves as well
        return self._join_words(base, module_parts(self._moved.after(found)))

    def _join_words(self, base: tuple[str, ...], parts: tuple[str, ...]) -> str | None:
        words = parts[len(base) :]
        if parts[: len(base)] != base or not all(word.isidentifier() for word in words):
            return None
        return ".".join(words)

    def _module_text(
        self, module: str, found: WorkspacePath, *, with_stem: bool, name: str = ""
    ) -> str | None:
        """Return the new text of a statement's module: the moved one, or its package."""
        new, old = module_parts(self._moved.after(found)), module_parts(found)
        if not new[-1].isidentifier():
            return None
        target = new if with_stem else new[:-1]
        if not module.startswith("."):
            words = [*module.split("."), *([name] if name else [])]
            base = old[: len(old) - len(words)]
            return module if self._moved.has(base) else self._join_words(base, target)
        home = self._moved.after(self._file.path).parent
        dots = len(module) - len(module.lstrip("."))
        climbs = None if self._is_own else max(0, len(home.parts) - dots + 1)
        return self._text_of(target, home, climbs_to=climbs)

    def _text_of(
        self, target: tuple[str, ...], home: WorkspacePath, *, climbs_to: int | None
    ) -> str | None:
        """Return how a file in *home* imports *target*: relative, or from the top if need be.

        *climbs_to* is how far up an import of that file goes already, as a number of parts.
        """
        same = common_length(home.parts, target)
        words = target[same:]
        if not all(word.isidentifier() for word in words):
            return None
        source = self._moved.source
        if source is not None:
            is_near = same > len(source)
        else:
            top = self._top_package(home)
            is_near = same >= min(len(top), len(top) if climbs_to is None else climbs_to)
            source = top[:-1] if top[:-1] in _USUAL_SOURCES else None
        if is_near and same > 0:
            return "." * (len(home.parts) - same + 1) + ".".join(words)
        return self._join_words(source, target) if source is not None else None

    def _top_package(self, folder: WorkspacePath) -> tuple[str, ...]:
        """Return the outermost directory of the package that *folder* belongs to."""
        while folder.parts and self._is_package(folder.parent):
            folder = folder.parent
        return folder.parts

    def _is_package(self, folder: WorkspacePath) -> bool:
        return any(self._moved.is_file(folder.child(name)) for name in _PACKAGE_FILES)
