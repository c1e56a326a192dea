"""The files of a workspace as modules: read once, as far as the words that are asked for need."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from redline.code.python_js.members import Classes
from redline.code.references.file_access import Files
from redline.code.scopes.model import Binding, Member, Names, Scope
from redline.code.scopes.read import SCOPED, read_names
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_DECLARING = {"interface_declaration", "type_alias_declaration"}
_HOLDING = {"program", "module", "class_body"}


@dataclass(eq=False)
class Module:
    """A file with its names."""

    path: WorkspacePath
    parsed: Parsed
    names: Names
    # The statements and members in which something does not parse, from where to where.
    broken: tuple[tuple[int, int], ...] = ()

    def is_broken(self, start: int) -> bool:
        """Whether what stands at *start* may have been misread."""
        return any(first <= start < last for first, last in self.broken)

    @property
    def is_script(self) -> bool:
        """JavaScript or TypeScript, not Python."""
        return self.parsed.language.name != "python"

    @cached_property
    def classes(self) -> Classes:
        """Its classes and what each defines."""
        return Classes.of(self.names, script=self.is_script)

    @cached_property
    def types(self) -> dict[Binding, Scope]:
        """The scopes of classes, interfaces and enums by what names them."""
        found: dict[Binding, Scope] = {}
        for scope in self.names.scopes:
            if scope.kind == "class" and scope.owner is not None:
                found.setdefault(scope.owner, scope)
        return found

    @cached_property
    def bodies(self) -> dict[int, Scope]:
        """The scopes of classes by where they begin."""
        classes = (scope for scope in self.names.scopes if scope.kind == "class")
        return {scope.node.range().start.index: scope for scope in classes}

    @cached_property
    def namespaces(self) -> dict[Binding, list[Scope]]:
        """The scopes of namespaces by what names them."""
        found: dict[Binding, list[Scope]] = {}
        for scope in self.names.scopes:
            if scope.shared and scope.owner is not None:
                found.setdefault(scope.owner, []).append(scope)
        return found

    @cached_property
    def keys(self) -> dict[Scope, dict[str, list[Member]]]:
        """What interfaces declare, by name."""
        found: dict[Scope, dict[str, list[Member]]] = {}
        for member in self.names.members:
            if member.form in ("key", "define") and member.scope.kind == "class":
                body = member.node.parent().parent()
                above = body.parent() if body is not None else None
                if above is not None and above.kind() in _DECLARING:
                    inner = found.setdefault(member.scope, {})
                    inner.setdefault(member.name, []).append(member)
        return found


@dataclass(slots=True)
class Project:
    """Modules by path; of functions only those are read that spell one of *words*."""

    files: Files
    words: set[str]
    _modules: dict[WorkspacePath, Module | None] = field(default_factory=dict)
    _exists: dict[WorkspacePath, bool] = field(default_factory=dict)
    _readings: list[Names] = field(default_factory=list)

    def module(self, path: WorkspacePath) -> Module | None:
        """The module at *path*; None where scopes cannot be told."""
        if path not in self._modules:
            self._modules[path] = self._read(path)
        return self._modules[path]

    def reread(self, path: WorkspacePath, word: str) -> Module | None:
        """The module with the functions that spell *word* read as well."""
        self.words.add(word)
        self._modules[path] = self._read(path)
        return self._modules[path]

    def exists(self, path: WorkspacePath) -> bool:
        """Whether there is such a file."""
        if path not in self._exists:
            self._exists[path] = self.files.is_file(path)
        return self._exists[path]

    def _read(self, path: WorkspacePath) -> Module | None:
        parsed = self.files.parse(path)
        if parsed is None or parsed.language.name not in SCOPED:
            return None
        broken = _broken(parsed.root, self.words)
        if broken is None:
            return None
        pattern = "|".join(re.escape(word) for word in sorted(self.words))
        spots = [found.start() for found in re.finditer(pattern, parsed.text)]
        names = read_names(parsed, spots)
        self._readings.append(names)
        return Module(path, parsed, names, broken)

    def forget(self) -> None:
        """Let go of everything that was read."""
        for names in self._readings:
            names.forget()


def _broken(root: Node, words: set[str]) -> tuple[tuple[int, int], ...] | None:
    """The statements and members that do not parse; None where it may be anything."""
    found: set[tuple[int, int]] = set()
    for error in root.find_all(kind="ERROR"):
        part = error
        # `<in out T>`, newer than the grammar: what is around it is read well.
        is_variance = part.parent() is not None and part.parent().kind() == "type_parameters"
        if is_variance and words.isdisjoint(error.text().split()):
            continue
        while part.parent() is not None and not _holds(part.parent()):
            part = part.parent()
        if part.kind() == "ERROR":
            return None
        where = part.range()
        found.add((where.start.index, where.end.index))
    return tuple(sorted(found))


def _holds(node: Node) -> bool:
    """Whether a node is a list of statements or members, each read by itself."""
    if node.kind() == "block":
        return bool(node.parent().kind() == "class_definition")
    return node.kind() in _HOLDING
