"""Read the files of a workspace as modules: each once, and only what the wanted words need."""

from __future__ import annotations

import re
from functools import cached_property

from redline.code.python_js.members import FileClasses
from redline.code.references.file_access import SourceFiles
from redline.code.scopes.model import (
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Names,
    Scope,
    ScopeKind,
)
from redline.code.scopes.read import SCOPED, read_names
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Span, SyntaxNode, parent_of, span_of, start_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_DECLARING = {"interface_declaration", "type_alias_declaration"}
_HOLDING = {"program", "module", "class_body"}
_ELSEWHERE = re.compile(r"declare\s+(?:global\b|module\s*['\"])")


@dataclass(eq=False)
class Module:
    """A file with its names."""

    path: WorkspacePath
    parsed: Parsed
    names: Names
    # The statements and members that contain syntax errors.
    broken: tuple[Span, ...] = ()

    def is_broken(self, start: int) -> bool:
        """Return whether the code at *start* may have been misread."""
        return any(span.start <= start < span.end for span in self.broken)

    def is_declared_elsewhere(self, start: int) -> bool:
        """Return whether `declare global` or `declare module "name"` declares what is there."""
        if not self.is_typed:
            return False
        blocks = self.parsed.root.find_all(kind="ambient_declaration")
        around = (node for node in blocks if span_of(node).start <= start < span_of(node).end)
        return any(_ELSEWHERE.match(node.text()) for node in around)

    @property
    def is_script(self) -> bool:
        """Return whether it is JavaScript or TypeScript, not Python."""
        return self.parsed.language.name != "python"

    @property
    def is_typed(self) -> bool:
        """Return whether it is TypeScript."""
        return self.parsed.language.name in ("typescript", "tsx")

    @cached_property
    def _spans(self) -> list[tuple[Span, Scope]]:
        """The scopes by where they begin; of several those within others last."""
        found = [(span_of(scope.node), scope) for scope in self.names.scopes]
        return sorted(found, key=lambda each: each[0].start)

    @cached_property
    def classes(self) -> FileClasses:
        """Its classes and the members that each defines."""
        return FileClasses.of(self.names, script=self.is_script, by_assignment=not self.is_typed)

    @cached_property
    def types(self) -> dict[Binding, Scope]:
        """The scopes of classes, interfaces and enums by the bindings of their names."""
        found: dict[Binding, Scope] = {}
        for scope in self.names.scopes:
            if scope.kind == ScopeKind.CLASS and scope.owner is not None:
                found.setdefault(scope.owner, scope)
        return found

    @cached_property
    def merged(self) -> dict[Scope, list[Scope]]:
        """The declarations of one class or interface, where a script has several of its name."""
        found: dict[tuple[Scope, str], list[Scope]] = {}
        for scope in self.names.scopes if self.is_script else ():
            if scope.kind == ScopeKind.CLASS and scope.owner is not None:
                found.setdefault((scope.owner.scope, scope.owner.name), []).append(scope)
        return {scope: scopes for scopes in found.values() if len(scopes) > 1 for scope in scopes}

    @cached_property
    def bodies(self) -> dict[int, Scope]:
        """The scopes of classes by the offsets at which they begin."""
        classes = (scope for scope in self.names.scopes if scope.kind == ScopeKind.CLASS)
        return {start_of(scope.node): scope for scope in classes}

    @cached_property
    def namespaces(self) -> dict[Binding, list[Scope]]:
        """The scopes of namespaces by the bindings of their names."""
        found: dict[Binding, list[Scope]] = {}
        for scope in self.names.scopes:
            if scope.shared and scope.owner is not None:
                found.setdefault(scope.owner, []).append(scope)
        return found

    @cached_property
    def field_parameters(self) -> dict[Scope, dict[str, Binding]]:
        """The parameters of constructors that are fields, by class and name."""
        found: dict[Scope, dict[str, Binding]] = {}
        for binding in self.names.bindings:
            if BindingRole.FIELD in binding.roles:
                around = next(
                    (s for s in binding.scope.outward() if s.kind == ScopeKind.CLASS), None
                )
                if around is not None:
                    found.setdefault(around, {})[binding.name] = binding
        return found

    @cached_property
    def keys(self) -> dict[Scope, dict[str, list[Member]]]:
        """The members that interfaces and type aliases declare, by name."""
        found: dict[Scope, dict[str, list[Member]]] = {}
        for member in self.names.members:
            is_declared = member.form in (MemberUse.KEY, MemberUse.DEFINE)
            if is_declared and member.scope.kind == ScopeKind.CLASS:
                body = parent_of(member.node).parent()
                above = body.parent() if body is not None else None
                if above is not None and above.kind() in _DECLARING:
                    inner = found.setdefault(member.scope, {})
                    inner.setdefault(member.name, []).append(member)
        return found


@dataclass(slots=True)
class Project:
    """Modules by path; of functions only those are read that contain one of *words*."""

    files: SourceFiles
    words: set[str]
    _modules: dict[WorkspacePath, Module | None] = field(default_factory=dict)
    _exists: dict[WorkspacePath, bool] = field(default_factory=dict)

    def module(self, path: WorkspacePath) -> Module | None:
        """Return the module at *path*; None if its scopes are unknown."""
        if path not in self._modules:
            self._modules[path] = self._read(path)
        return self._modules[path]

    def scripts(self) -> list[Module]:
        """Return the scripts that were read so far."""
        found = (module for module in self._modules.values() if module is not None)
        return [module for module in found if module.is_script]

    def reread(self, path: WorkspacePath, word: str) -> Module | None:
        """Read the module again, with the functions that contain *word*."""
        self.words.add(word)
        self._modules[path] = self._read(path)
        return self._modules[path]

    def exists(self, path: WorkspacePath) -> bool:
        """Return whether the file exists."""
        if path not in self._exists:
            self._exists[path] = self.files.is_file(path)
        return self._exists[path]

    def _read(self, path: WorkspacePath) -> Module | None:
        parsed = self.files.parse(path)
        if parsed is None or parsed.language.name not in SCOPED:
            return None
        broken = _broken_spans(parsed.root)
        if broken is None:
            return None
        pattern = "|".join(re.escape(word) for word in sorted(self.words))
        offsets = [found.start() for found in re.finditer(pattern, parsed.text)]
        return Module(path, parsed, read_names(parsed, offsets), broken)


def _broken_spans(root: SyntaxNode) -> tuple[Span, ...] | None:
    """Return the statements and members that do not parse; None if that may be everything."""
    found: set[Span] = set()
    for error in root.find_all(kind="ERROR"):
        part = error
        parent = part.parent()
        while parent is not None and not _is_list(parent):
            part, parent = parent, parent.parent()
        if part.kind() == "ERROR":
            return None
        found.add(span_of(part))
    return tuple(sorted(found))


def _is_list(node: SyntaxNode) -> bool:
    """Return whether a node is a list of statements or members, each read independently."""
    if node.kind() == "block":
        return parent_of(node).kind() == "class_definition"
    return node.kind() in _HOLDING
