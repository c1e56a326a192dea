"""Follow names to their definitions, in the same file or through imports and exports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from redline.code.python_js.imports import (
    ImportedName,
    MemberOf,
    aliased_candidates,
    extracted_member,
    python_candidates,
    python_import,
    python_stars,
    required_module,
    script_candidates,
    script_import,
    string_content,
)
from redline.code.python_js.path_aliases import PathAliases
from redline.code.python_js.project import Module, Project
from redline.code.references.definition import FOREIGN, UNKNOWN, Definition, whole
from redline.code.scopes.model import TYPE, VALUE, Binding, BindingRole, Occurrence, ScopeKind
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
    start_of,
)
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

# The node that names or is the exported value, or what is re-exported.
Exported: TypeAlias = SyntaxNode | ImportedName | MemberOf
# The name under which `Exports` has what `module.exports` is assigned.
WHOLE = "="
_DECLARATIONS = frozenset(
    """
    function_declaration generator_function_declaration class_declaration
    abstract_class_declaration interface_declaration type_alias_declaration enum_declaration
    internal_module function_signature class function_expression generator_function
    """.split()
)
_VARIABLES = {"lexical_declaration", "variable_declaration"}
_OBJECTS = {"exports", "module.exports"}


@dataclass(slots=True)
class Exports:
    """Exports by name, the value of `module.exports` (`WHOLE`), and modules re-exported whole."""

    named: dict[str, list[Exported]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def add(self, name: str, exported: Exported) -> None:
        """Record one export."""
        self.named.setdefault(name, []).append(exported)


def exports_of(root: SyntaxNode) -> Exports:
    """Return the exports of a module."""
    found = Exports()
    for node in root.children():
        if node.kind() == "export_statement":
            _export(node, found)
        elif node.kind() == "expression_statement":
            _read_assignment(node.child(0), found)
        elif node.kind() in _VARIABLES:
            for part in node.children():
                if part.kind() == "variable_declarator":
                    _read_assignment(_without_parentheses(part.field("value")), found)
    return found


def _export(node: SyntaxNode, found: Exports) -> None:
    source = node.field("source")
    spec = string_content(source) if source is not None else None
    kinds = {child.kind() for child in node.children()}
    if spec is not None and "*" in kinds:
        found.stars.append(spec)
    for child in node.children():
        kind = child.kind()
        if kind == "namespace_export" and spec is not None:
            found.add(child.children()[-1].text(), ImportedName(spec))
        elif kind == "export_clause":
            _clause(child, spec, found)
        elif "default" in kinds and child.is_named():
            found.add("default", _name_or_self(child))
        elif kind == "ambient_declaration":
            _export(child, found)
        else:
            for name in _declared_names(child):
                found.add(name.text(), name)


def _clause(clause: SyntaxNode, spec: str | None, found: Exports) -> None:
    for part in clause.children():
        if part.kind() == "export_specifier":
            name = required_field(part, "name")
            public = (part.field("alias") or name).text()
            found.add(public, ImportedName(spec, name.text()) if spec is not None else name)


def _name_or_self(node: SyntaxNode) -> SyntaxNode:
    """Return the name of a declaration; any other node is returned as it is."""
    name = node.field("name") if node.kind() in _DECLARATIONS else None
    return name if name is not None else node


def _declared_names(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the names that a declaration declares."""
    if node.kind() in _DECLARATIONS:
        yield from node.field_children("name")
    for part in node.children() if node.kind() in _VARIABLES else ():
        name = part.field("name") if part.kind() == "variable_declarator" else None
        if name is not None and name.kind() == "identifier":
            yield name
        elif name is not None:
            kinds = [{"kind": "identifier"}, {"kind": "shorthand_property_identifier_pattern"}]
            yield from name.find_all(any=kinds)


def _read_assignment(node: SyntaxNode | None, found: Exports) -> None:
    """Read `module.exports = ...` and `exports.name = ...`, also in a chain."""
    names: list[SyntaxNode] = []
    whole = False
    while node is not None and node.kind() == "assignment_expression":
        left = required_field(node, "left")
        if left.kind() == "member_expression":
            if left.text() == "module.exports":
                whole = True
            elif required_field(left, "object").text() in _OBJECTS:
                names.append(required_field(left, "property"))
        node = _without_parentheses(node.field("right"))
    if node is None:
        return
    for name in names:
        _export_value(name, node, found)
    if whole:
        _export_whole(node, found)


def _without_parentheses(node: SyntaxNode | None) -> SyntaxNode | None:
    while node is not None and node.kind() == "parenthesized_expression":
        node = next(iter(named_children(node)), None)
    return node


def _export_value(name: SyntaxNode, value: SyntaxNode, found: Exports) -> None:
    """Record the export of *value* as *name*: what it re-exports, and otherwise *name* itself."""
    public = name.text()
    if value.kind() == "identifier":
        found.add(public, value)
        return
    found.add(public, name)
    member = value.field("property") if value.kind() == "member_expression" else None
    holder = required_field(value, "object") if member is not None else value
    spec = required_module(holder)
    if spec is not None:
        found.add(public, ImportedName(spec, member.text() if member is not None else None))
    elif member is not None and holder.kind() == "identifier":
        found.add(public, MemberOf(holder, member.text()))


def _export_whole(node: SyntaxNode, found: Exports) -> None:
    """Record what `module.exports` is assigned."""
    spec = required_module(node)
    if spec is not None:
        found.stars.append(spec)
    elif node.kind() == "object":
        for part in node.children():
            _export_key(part, found)
    else:
        found.add(WHOLE, _name_or_self(node))


def _export_key(part: SyntaxNode, found: Exports) -> None:
    kind = part.kind()
    if kind == "shorthand_property_identifier":
        found.add(part.text(), part)
    elif kind == "pair":
        _export_value(required_field(part, "key"), required_field(part, "value"), found)
    elif kind == "method_definition":
        name = required_field(part, "name")
        found.add(name.text(), name)
    elif kind == "spread_element":
        spec = required_module(part.children()[-1])
        if spec is not None:
            found.stars.append(spec)


def is_exported_key(node: SyntaxNode) -> bool:
    """Return whether *node* is a key of the object that `module.exports` is assigned."""
    pair = parent_of(node)
    holder = pair.parent() if pair.kind() == "pair" else None
    around = holder.parent() if holder is not None and holder.kind() == "object" else None
    while around is not None and around.kind() == "assignment_expression":
        if required_field(around, "left").text() == "module.exports":
            return True
        around = around.parent()
    return False


def object_values(node: SyntaxNode) -> dict[str, SyntaxNode]:
    """Return the nodes that name or are the values of an object, by key."""
    found = Exports()
    for part in node.children():
        _export_key(part, found)
    return {
        name: exported[0]
        for name, exported in found.named.items()
        if not isinstance(exported[0], ImportedName | MemberOf)
    }


Definitions: TypeAlias = frozenset[Definition]
# Import cycles that are followed from each of their modules; a web of cycles would never end.
_MAX_CYCLES = 200
_PYTHON = (".py", ".pyi", ".pyw")
_MAX_NAME = 80
# An import path of a package: others are relative, or an alias that no configuration explains.
_PACKAGE = re.compile(r"(?:node:|@[\w-][\w.-]*/)?\w[\w.-]*(?:/|\Z)")
_ASSIGNING = {"assignment_expression", "augmented_assignment_expression"}


def import_at(module: Module, site: Occurrence) -> ImportedName | None:
    """Return the import that binds the name at *site*."""
    return script_import(site.node) if module.is_script else python_import(site.node)


def in_namespace(found: Definitions, meaning: str) -> Definitions:
    """Keep the types or the values among *found*: both may have the same name."""
    if meaning not in (TYPE, VALUE) or len(found) < 2:
        return found
    other = VALUE if meaning == TYPE else TYPE
    return frozenset(d for d in found if not d.binding or d.binding.meaning != other)


Key = TypeVar("Key")


@dataclass(slots=True)
class Origins:
    """Follow names to where they are defined; every answer is cached."""

    project: Project
    _bindings: dict[Binding, Definitions] = field(default_factory=dict)
    _exported: dict[tuple[WorkspacePath, str], Definitions] = field(default_factory=dict)
    _exports: dict[WorkspacePath, Exports] = field(default_factory=dict)
    _stars: dict[WorkspacePath, list[str]] = field(default_factory=dict)
    _aliases: PathAliases = field(init=False)
    _pending: set[object] = field(default_factory=set)
    _cycles: int = 0

    def __post_init__(self) -> None:
        self._aliases = PathAliases(self.project.files.text)

    def of_occurrence(self, module: Module, name: Occurrence) -> Definitions:
        """Return what a name refers to; nothing if it is the language's or a library's."""
        if name.binding is None:
            return frozenset() if module.is_script else self._from_stars(module.path, name.name)
        return in_namespace(self.of_binding(module, name.binding), name.meaning)

    def of_binding(self, module: Module, binding: Binding) -> Definitions:
        """Return what a binding of *module* refers to."""
        known = self._bindings.get(binding)
        if known is None:
            known = self._once(binding, self._bindings, lambda: self._follow(module, binding))
        return known

    def _once(
        self, key: Key, known: dict[Key, Definitions], find: Callable[[], Definitions]
    ) -> Definitions:
        """Return the result of *find*; cache it unless an import cycle cut it short."""
        if key in self._pending:
            self._cycles += 1
            return frozenset()
        before = self._cycles
        self._pending.add(key)
        found = find()
        self._pending.discard(key)
        if before == self._cycles or not self._pending or self._cycles > _MAX_CYCLES:
            known[key] = found
        return found

    def _follow(self, module: Module, binding: Binding) -> Definitions:
        found: set[Definition] = set()
        own = False
        for site in binding.sites:
            imported = import_at(module, site)
            if imported is None:
                own = own or BindingRole.REDIRECTED not in binding.roles or len(binding.roles) > 1
                found |= self._of_assignment(module, binding, site)
            else:
                found |= self.of_import(module.path, imported)
        if own or not found:
            found.add(self.own(module, binding))
        return frozenset(found)

    def _of_assignment(self, module: Module, binding: Binding, site: Occurrence) -> Definitions:
        """Return the member of another module that a variable is assigned, if only once.

        This is how JavaScript imports names; in TypeScript, which has import statements, such a
        variable is a definition of its own.
        """
        imports = (
            module.parsed.language.name == "javascript" and BindingRole.VARIABLE in binding.roles
        )
        if not imports or _is_reassigned(binding):
            return frozenset()
        return self.of_extraction(module, site.node)

    def of_extraction(self, module: Module, node: SyntaxNode) -> Definitions:
        """Return what the name or key at *node* extracts, as in `{ name } = module`."""
        found = extracted_member(node)
        return self._of_member(module, found) if found is not None else frozenset()

    def _of_member(self, module: Module, member: MemberOf) -> Definitions:
        paths = [found.path for found in self._at(module, member.holder) if found.is_module]
        found = frozenset(d for path in paths for d in self.of_export(path, member.name))
        return found - {UNKNOWN}

    def _at(self, module: Module, node: SyntaxNode) -> Definitions:
        occurrence = module.names.at(node)
        return self.of_occurrence(module, occurrence) if occurrence is not None else frozenset()

    def is_foreign(self, module: Module, binding: Binding) -> bool:
        """Return whether a binding is nothing but an import from outside the workspace."""
        return all(import_at(module, site) is not None for site in binding.sites)

    def own(self, module: Module, binding: Binding) -> Definition:
        """Return the definition that a binding itself is."""
        scope = binding.scope
        is_member = not module.is_script or BindingRole.ENUM_MEMBER in binding.roles
        if scope.kind == ScopeKind.CLASS and is_member:
            start = start_of(scope.node)
            return Definition(module.path, start, binding.name, True, module, binding)
        if BindingRole.FIELD in binding.roles:
            around = next((s for s in scope.outward() if s.kind == ScopeKind.CLASS), scope)
            start = start_of(around.node)
            return Definition(module.path, start, binding.name, True, module, binding)
        return Definition(module.path, binding.sites[0].start, binding.name, False, module, binding)

    def importing(self, module: Module, binding: Binding) -> Iterator[tuple[Module, Binding]]:
        """Yield a binding of a script, and what imports it by its name in files read so far."""
        yield module, binding
        own = self.own(module, binding)
        for other in self.project.scripts():
            known = other.names.root.names.get(binding.name)
            if other is not module and known is not None and own in self.of_binding(other, known):
                yield other, known

    def of_import(self, path: WorkspacePath, imported: ImportedName) -> Definitions:
        """Return what an import in the file at *path* imports."""
        target = self.resolve(path, imported.spec)
        if imported.name is None:
            return self._whole(target) if target is not None else frozenset()
        if not path.name.endswith(_PYTHON):
            found = self.of_export(target, imported.name) if target is not None else frozenset()
            return found or frozenset({UNKNOWN} if target is not None else ())
        # What a package imports from itself is one of its modules.
        if target is not None and target != path:
            return self.of_export(target, imported.name)
        dot = "" if imported.spec.endswith(".") else "."
        inner = self.resolve(path, f"{imported.spec}{dot}{imported.name}")
        return frozenset({whole(inner)}) if inner is not None else frozenset()

    def _whole(self, target: WorkspacePath) -> Definitions:
        """Return a module and the value of its `module.exports`."""
        return frozenset({whole(target)}) | self.of_export(target, WHOLE, or_unknown=False)

    def resolve(self, path: WorkspacePath, spec: str) -> WorkspacePath | None:
        """Return the file that the import path *spec* refers to in the file at *path*."""
        if path.name.endswith(_PYTHON):
            candidates = python_candidates(path, spec)
        elif spec.startswith("."):
            candidates = script_candidates(path, spec)
        else:
            candidates = aliased_candidates(path, spec, self._aliases)
        return next((file for file in candidates if self.project.exists(file)), None)

    def _is_library(self, path: WorkspacePath, spec: str) -> bool:
        """Return whether an import path names a package that is not the project itself."""
        return bool(_PACKAGE.match(spec)) and not self._aliases.is_own_package(path.parent, spec)

    def of_export(self, path: WorkspacePath, name: str, *, or_unknown: bool = True) -> Definitions:
        """Return what *name* of the module at *path* refers to."""
        key = (path, name)
        found = self._exported.get(key)
        if found is None:
            found = self._once(key, self._exported, lambda: self._of_module(path, name))
        return found if or_unknown else found - {UNKNOWN}

    def _of_module(self, path: WorkspacePath, name: str) -> Definitions:
        module = self.project.module(path)
        if module is None:
            return frozenset({UNKNOWN})
        return self._of_script(module, name) if module.is_script else self._of_python(module, name)

    def _of_python(self, module: Module, name: str) -> Definitions:
        binding = module.names.root.names.get(name)
        if binding is not None:
            return self.of_binding(module, binding)
        if module.path.name.startswith("__init__."):
            inner = self.resolve(module.path, f".{name}")
            if inner is not None:
                return frozenset({whole(inner)})
        return self._from_stars(module.path, name)

    def _from_stars(self, path: WorkspacePath, name: str) -> Definitions:
        """Return what a name refers to that only `import *` can have imported."""
        found: Definitions = frozenset()
        for spec in self._stars_of(path):
            target = self.resolve(path, spec)
            if target is not None and target != path:
                found |= self.of_export(target, name)
        return found - {UNKNOWN} or found

    def _stars_of(self, path: WorkspacePath) -> list[str]:
        if path not in self._stars:
            module = self.project.module(path)
            text = module.parsed.text if module is not None else ""
            root = module.parsed.root if module is not None and "*" in text else None
            self._stars[path] = python_stars(root) if root is not None else []
        return self._stars[path]

    def exports(self, module: Module) -> Exports:
        """Return the exports of a script."""
        if module.path not in self._exports:
            self._exports[module.path] = exports_of(module.parsed.root)
        return self._exports[module.path]

    def _of_script(self, module: Module, name: str) -> Definitions:
        exports = self.exports(module)
        found: set[Definition] = set()
        names = [name, WHOLE] if name == "default" else [name]
        for exported in (each for word in names for each in exports.named.get(word, ())):
            found |= self._resolve_export(module, exported)
        if not found and name not in (WHOLE, "default"):
            for definition in self.of_export(module.path, WHOLE, or_unknown=False):
                found |= self._of_object(definition, name)
        if not found - {UNKNOWN} and name != "default":
            for spec in exports.stars:
                target = self.resolve(module.path, spec)
                if target is not None and target != module.path:
                    found |= self.of_export(target, name)
        if not found and any(self._is_library(module.path, spec) for spec in exports.stars):
            found.add(FOREIGN)
        return frozenset(found - {UNKNOWN} or found)

    def _resolve_export(self, module: Module, exported: Exported) -> Definitions:
        if isinstance(exported, ImportedName):
            found = self.of_import(module.path, exported)
            is_foreign = not found and self._is_library(module.path, exported.spec)
            return frozenset({FOREIGN}) if is_foreign else found
        if isinstance(exported, MemberOf):
            return self._of_member(module, exported)
        return self.of_node(module, exported)

    def _of_object(self, definition: Definition, name: str) -> Definitions:
        """Return a key of the value of `module.exports`; it is unknown if a call made the value."""
        if definition.is_module or not isinstance(definition.module, Module):
            return frozenset()
        if definition.binding is None:
            return frozenset({UNKNOWN})
        for site in definition.binding.sites:
            parent = parent_of(site.node)
            value = parent.field("value") if parent.kind() == "variable_declarator" else None
            if value is not None and value.kind() == "object":
                key = object_values(value).get(name)
                if key is not None:
                    return self.of_node(definition.module, key)
        return (
            frozenset({UNKNOWN})
            if BindingRole.VARIABLE in definition.binding.roles
            else frozenset()
        )

    def of_qualified(self, module: Module, holder: SyntaxNode, name: str) -> Definitions:
        """Return what *name* refers to in the namespace or the whole module at *holder*."""
        found = self.of_namespace(module, holder, name)
        for definition in self._named(module, holder):
            if definition.is_module:
                found |= self.of_export(definition.path, name)
        return found

    def _named(self, module: Module, holder: SyntaxNode) -> Definitions:
        """Return what a name, or a name in a namespace, refers to."""
        if holder.kind() != "nested_identifier":
            return self._at(module, holder)
        outer, name = named_children(holder)
        return self.of_qualified(module, outer, name.text())

    def of_namespace(self, module: Module, holder: SyntaxNode, name: str) -> Definitions:
        """Return what *name* refers to in the namespace at *holder*."""
        found: set[Definition] = set()
        for definition in self._named(module, holder):
            home, binding = definition.module, definition.binding
            if not isinstance(home, Module) or binding is None:
                continue
            for scope in home.namespaces.get(binding, ()):
                bound = {scope.names.get(name), scope.types.get(name)}
                found |= {self.own(home, one) for one in bound if one is not None}
        return frozenset(found)

    def of_node(self, module: Module, node: SyntaxNode) -> Definitions:
        """Return what a node refers to: a name, or a value that is its own definition."""
        occurrence = module.names.at(node)
        if occurrence is not None:
            return self.of_occurrence(module, occurrence)
        text = node.text()[:_MAX_NAME]
        return frozenset({Definition(module.path, start_of(node), text, False, module)})


def _is_reassigned(binding: Binding) -> bool:
    """Return whether a script's variable is assigned a second value."""
    for use in binding.uses:
        parent = parent_of(use.node)
        if parent.kind() in _ASSIGNING and begins_at(parent.field("left"), use.node):
            return True
    return len(binding.sites) > 1
