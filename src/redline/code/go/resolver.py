"""Find references to a definition in Go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redline.code.go.library import LIBRARY, is_library, is_library_definition
from redline.code.go.members import GoMembers, Selection
from redline.code.go.names import GoDeclaration, GoKind, Locals
from redline.code.go.packages import GoPackages
from redline.code.go.sources import GoSource, receiver_of
from redline.code.go.standard import INTERFACES
from redline.code.go.types import GoTypes, without_pointer
from redline.code.go.values import GoValues
from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import Meaning, Reference, ReferenceTarget
from redline.code.references.typed.base import TypedResolver
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Member, Names, Occurrence, Scope
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import SyntaxNode, required_field, start_of
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


@dataclass(slots=True)
class Interfaces:
    """Determines whether two methods correspond."""

    types: GoTypes
    members: GoMembers
    _known: dict[tuple[Definition, Definition], bool] = field(default_factory=dict)

    def correspond(self, one: GoDeclaration, other: GoDeclaration) -> bool:
        """Return whether one belongs to an interface that the other's type satisfies."""
        key = (one.definition, other.definition)
        if key not in self._known:
            pair = (one, other) if _is_abstract(one) else (other, one)
            apart = _is_abstract(one) != _is_abstract(other)
            self._known[key] = apart and self._satisfies(*pair)
        return self._known[key]

    def _satisfies(self, asked: GoDeclaration, given: GoDeclaration) -> bool:
        if not self._have_same_signature(asked, given):
            return False
        interface = self._interface(asked)
        receiver = receiver_of(given)
        kind = self.types.of(given.unit, receiver) if receiver is not None else UNKNOWN_TYPE
        wanted = self.members.all_methods(interface)
        if kind == UNKNOWN_TYPE or wanted is None:
            return False
        return all(self._has(kind, method) for method in wanted)

    def _has(self, kind: Shape, method: GoDeclaration) -> bool:
        found = self.members.find(kind, method.name)
        if not found.declarations:
            return found.may_be_external or found.is_unknown
        return self._have_same_signature(method, found.declarations[0])

    def _have_same_signature(self, one: GoDeclaration, other: GoDeclaration) -> bool:
        """Return whether two methods have the same signature."""
        if one.definition == other.definition:
            return True
        if other.kind is not GoKind.METHOD:
            return False
        mine = self.types.function(one.unit, one.node)
        theirs = self.types.function(other.unit, other.node)
        return _are_same(mine, theirs)

    def _interface(self, method: GoDeclaration) -> Shape:
        """Return the interface that lists a method."""
        above = method.node.parent()
        assert above is not None
        spec = above.parent()
        if spec is not None and spec.kind() == "type_spec":
            return self.types.declared_type(
                [GoDeclaration(method.unit, required_field(spec, "name"), GoKind.TYPE, spec)]
            )
        return self.types.literal(method.unit, above)


def _is_abstract(method: GoDeclaration) -> bool:
    return method.node.kind() == "method_elem"


def _are_same(one: Shape, other: Shape) -> bool:
    """Return whether two types are the same as far as they are known."""
    if UNKNOWN_TYPE in (one, other) or LIBRARY in (one, other):
        return True
    if _is_anonymous(one) and _is_anonymous(other):
        return True  # anonymous structs or interfaces: their text may differ
    if one.head != other.head or len(one.parts) != len(other.parts):
        return False
    return all(_are_same(mine, theirs) for mine, theirs in zip(one.parts, other.parts, strict=True))


def _is_anonymous(shape: Shape) -> bool:
    return isinstance(shape.head, Definition) and not shape.head.name


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COLLECTIONS = {"slice_type", "array_type", "implicit_length_array_type", "map_type"}


def key_of(node: SyntaxNode) -> SyntaxNode | None:
    """Return the literal whose key *node* is; None if it is not a key."""
    element = node.parent()
    pair = element.parent() if element is not None and element.kind() == "literal_element" else None
    if pair is None or pair.kind() != "keyed_element":
        return None
    key = pair.field("key")
    is_key = key is not None and key.range().start.index == node.range().start.index
    return pair.parent() if is_key else None


def type_of(values: GoValues, unit: Unit, braces: SyntaxNode) -> Shape:
    """Return the type of a literal; if omitted, the element type of the enclosing one."""
    above = braces.parent()
    if above is None:
        return UNKNOWN_TYPE
    if above.kind() == "composite_literal":
        return values.types.of(unit, above.field("type"))
    if above.kind() != "literal_element":
        return UNKNOWN_TYPE
    outer, is_key = above.parent(), False
    if outer is not None and outer.kind() == "keyed_element":
        key = outer.field("key")
        is_key = key is not None and key.range().start.index == above.range().start.index
        outer = outer.parent()
    if outer is None or outer.kind() != "literal_value":
        return UNKNOWN_TYPE
    around = type_of(values, unit, outer)
    if is_library(around):
        return around
    return without_pointer(values.element(around, key=is_key))


def has_fields(values: GoValues, shape: Shape) -> bool | None:
    """Return whether the keys of such a literal are fields; None if undetermined."""
    made = values.types.underlying(shape)
    if is_library(made):
        return True
    if made.head in ("slice", "map"):
        return False
    return None if made == UNKNOWN_TYPE else True


def struct_around(site: SyntaxNode) -> SyntaxNode | None:
    """Return the struct that declares the field at *site*."""
    return next((each for each in site.ancestors() if each.kind() == "struct_type"), None)


def are_identical(one: SyntaxNode, other: SyntaxNode) -> bool:
    """Return whether two structs may be one type: written alike, and one of them without a name.

    The elements of literals, as tests list their cases, are assigned to nothing else.
    """
    if _written(one) != _written(other):
        return False
    return not (_is_kept_apart(one) and _is_kept_apart(other))


def _written(struct: SyntaxNode) -> list[str]:
    return _COMMENT.sub("", struct.text()).split()


def _is_kept_apart(struct: SyntaxNode) -> bool:
    above = struct.parent()
    while above is not None and above.kind() in _COLLECTIONS:
        above = above.parent()
        if above is not None and above.kind() == "composite_literal":
            return True
    return above is not None and above.kind() == "type_spec"


_DOT_IMPORT = r"^\s*(?:import\s+)?\.\s+\""
# Files that the index names for a definition; where there are more, they are not all known.
_MAX_HOMES = 50
_DEFINING = {"field_declaration", "method_declaration", "method_elem"}


class GoResolver(TypedResolver):
    """Finds references to definitions of one name in Go."""

    def __init__(self, name: str, files: SourceFiles) -> None:
        super().__init__(name, files)
        self.packages = GoPackages(self.units)
        self.types = GoTypes(self.packages, Locals())
        self.members = GoMembers(self.types)
        self.values = GoValues(self.types, self.members)
        self.interfaces = Interfaces(self.types, self.members)
        written = re.escape(name)
        self._use = re.compile(rf"\.\s*{written}\b|\b{written}\s*:|{_DOT_IMPORT}", re.MULTILINE)
        self._homes: set[WorkspacePath] = set()
        self._methods: dict[Definition, GoDeclaration] = {}
        self._fields: dict[Definition, GoDeclaration] = {}
        self._targets: list[ReferenceTarget] = []
        # Methods that count as a target's where they are called but not where they are declared.
        self._corresponding: set[Definition] = set()

    def read(self, parsed: Parsed, offsets: Sequence[int]) -> Names:
        """Note the occurrences of the name; each is resolved outward from where it is."""
        top = Scope("module", None, parsed.root)
        names = Names(top, scopes=[top])
        for node in nodes_of(parsed, self.name) if offsets else ():
            above = node.parent()
            if node.kind() == "field_identifier" or key_of(node) is not None:
                names.member(node, top, "access", above)
            else:
                names.refer(node, top)
        return names

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the definition whose name begins at *start*; None if undetermined."""
        found = super().target(path, start)
        if found is not None:
            self._homes |= {definition.path.parent for definition in found.same}
        return found

    def target_on(self, path: WorkspacePath, line: int) -> ReferenceTarget | None:
        """Return the definition of the name on a line; None if undetermined."""
        unit = self.units.at(path)
        if unit is None:
            return None
        starts = [one.start for one in unit.names.occurrences if one.line == line]
        starts += [member.start for member in unit.names.members if member.line == line]
        return self.target(path, min(starts)) if starts else None

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a method's type satisfies a standard interface that has the method."""
        method = self._methods.get(target.definition)
        if method is None or method.node.kind() == "method_elem":
            return False
        wanted = re.compile(rf"(?:^|[:;] ?){re.escape(self.name)}\(")
        for name, listed in INTERFACES.items():
            found = self.members.find(Shape(name), self.name) if wanted.search(listed) else None
            for asked in found.declarations if found is not None else ():
                if self.interfaces.correspond(asked, method):
                    return True
        return False

    def is_apart(self, target: ReferenceTarget) -> bool:
        """Return whether no other type has it: a struct written alike, or an interface."""
        method = self._methods.get(target.definition)
        if method is None:
            field = self._fields.get(target.definition)
            return field is not None and not self._has_twin(field)
        homes = self.units.files.defining(self.name)
        if method.node.kind() == "method_elem" or len(homes) >= _MAX_HOMES:
            return False
        for unit in self.units.defining(self.name):
            for each in unit.parsed.root.find_all(kind="method_elem"):
                named = required_field(each, "name")
                asked = GoDeclaration(unit, named, GoKind.METHOD, each)
                if named.text() == self.name and self.interfaces.correspond(asked, method):
                    return False
        return True

    def _has_twin(self, field: GoDeclaration) -> bool:
        """Return whether another struct may be the type of a field's: it would be so no longer."""
        own = struct_around(field.site)
        return own is not None and any(
            are_identical(own, each)
            for unit in self.units.defining(self.name)
            for each in unit.parsed.root.find_all(kind="struct_type")
            if (unit.path, start_of(each)) != (field.unit.path, start_of(own))
        )

    def folder_of(self, target: ReferenceTarget) -> WorkspacePath | None:
        """Return the only folder that may see it: of a lower-case name or package `main`."""
        unit = self._unit_of(target.definition)
        if unit is None:
            return None
        package = self.packages.source(unit).package
        is_alone = package == "main" or package.endswith("_test") or not self._is_exported()
        return unit.path.parent if is_alone else None

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if the file cannot be read."""
        if path.parent not in self._homes and not self._is_used(path):
            return []
        self._targets = targets
        return super().in_file(path, targets)

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        return self._resolve_names(unit)  # `read` notes every occurrence

    def _resolve_names(self, unit: Unit) -> Iterator[Meaning]:
        for meaning in super()._resolve_names(unit):
            found = meaning.definitions
            if any((one.path, one.start) == (unit.path, meaning.start) for one in found):
                yield meaning._replace(definitions=found - self._corresponding)
                continue
            merged = {self._merge_corresponding(unit, definition) for definition in found}
            yield meaning._replace(definitions=frozenset(one for one in merged if one is not None))

    def _merge_corresponding(self, unit: Unit, definition: Definition) -> Definition | None:
        """Merge a method into a target that it corresponds to by an interface.

        Calls through a library's interface are everywhere: those in the package of the target
        are bound to it, others are possible, and calls of `Error` are neither.
        """
        method = self._methods.get(definition)
        is_asked = not self._targets or any(definition in target.same for target in self._targets)
        if method is None or is_asked:
            return definition
        same = [target for target in self._targets if self._corresponds(target, method)]
        if is_library_definition(definition):
            near = [target.definition for target in same if _is_near(target, unit)]
            far = UNKNOWN if same and self.name != "Error" else None
            return near[0] if near else far
        for target in same:
            target.same.add(definition)
            self._corresponding.add(definition)
        return definition

    def _corresponds(self, target: ReferenceTarget, method: GoDeclaration) -> bool:
        asked = self._methods.get(target.definition)
        return asked is not None and self.interfaces.correspond(asked, method)

    def _may_satisfy(self, unit: Unit) -> bool:
        """Return whether a target is a method of this package, callable via a library interface."""
        asked = [target for target in self._targets if target.definition in self._methods]
        return any(_is_near(target, unit) for target in asked)

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Return whether a file with this text can refer to another file's definition at all."""
        if path.parent in self._homes:
            return True
        return self._is_exported() and any(self._is_imported(home, text) for home in self._homes)

    def related_names(self, target: ReferenceTarget) -> set[str]:
        """Return the package that others import, and the type that a member belongs to."""
        unit = self._unit_of(target.definition)
        if unit is None:
            return set()
        sites = (m.node for m in unit.names.members if m.start == target.definition.start)
        owners = {name for site in sites for name in _owners(unit, site)}
        return {self.packages.source(unit).package, *owners} - {self.name, "main"}

    def _unit_of(self, definition: Definition) -> Unit | None:
        is_library = is_library_definition(definition)
        return None if is_library else self.units.at(definition.path)

    def _is_used(self, path: WorkspacePath) -> bool:
        """Return whether a file of another package may use the name: after a dot or as a key."""
        text = self.units.files.text(path) if self._is_exported() else ""
        if text is None:
            return True
        lines = (
            text[text.rfind("\n", 0, found.start()) + 1 :] for found in self._use.finditer(text)
        )
        return any(not line.lstrip().startswith("//") for line in lines)

    def _is_exported(self) -> bool:
        return self.name[:1].isupper()

    def _is_imported(self, home: WorkspacePath, text: str) -> bool:
        known = self.packages.path_of(home)
        return known is None or f'"{known}"' in text or f"`{known}`" in text

    def of_occurrence(self, unit: Unit, occurrence: Occurrence) -> frozenset[Definition]:
        """Resolve a plain name."""
        try:
            return self._resolve_plain(unit, occurrence.node)
        except RecursionError:  # nested deeper than people write code
            return UNRESOLVED

    def _resolve_plain(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        above = node.parent()
        if above is None:
            return UNRESOLVED
        kind = above.kind()
        if kind == "qualified_type" and node.kind() == "type_identifier":
            return self._of_qualified(unit, above)
        if node.kind() == "package_identifier" and kind != "qualified_type":
            return frozenset()
        if kind == "function_declaration" and node.text() == "init":
            return frozenset(
                {GoDeclaration(unit, node, GoKind.FUNC, above).definition}
            )  # every `init` is distinct
        found = self.types.declarations(unit, node)
        if not found and self._may_be_of_library(unit):
            return UNRESOLVED
        return frozenset(each.definition for each in found)

    def _may_be_of_library(self, unit: Unit) -> bool:
        """Return whether a file imports a package with a dot that is not in its module."""
        source = self._source(unit)
        dotted = (each.path for each in source.imports if each.name == ".")
        return not all(self.packages.is_in_module(source, path) for path in dotted)

    def _source(self, unit: Unit) -> GoSource:
        return self.packages.source(unit)

    def _of_qualified(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        """Resolve the name after a dot where the grammar reads a type, as in `f.rows[i][g[i]]`."""
        before = required_field(node, "package")
        variables = self.types.declarations(unit, before)
        if not variables:
            return self._of_package(unit, before.text())
        shape = self.values.of_declaration(variables[0], node)
        found = self.values.members.find(shape, self.name).declarations
        return frozenset(each.definition for each in found)

    def _of_package(self, unit: Unit, package: str) -> frozenset[Definition]:
        found = self.packages.find_exported(self._source(unit), package, self.name)
        return frozenset(each.definition for each in found)

    def of_member(self, unit: Unit, member: Member) -> frozenset[Definition]:
        """Resolve a member of a value or type."""
        try:
            return self._of_member(unit, member.node)
        except RecursionError:  # as above
            return UNRESOLVED

    def _of_member(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        above = node.parent()
        if above is None:
            return UNRESOLVED
        if above.kind() in _DEFINING:
            return self._record_definitions([_member_declaration(unit, node, above)])
        if above.kind() == "selector_expression":
            return self._resolve_selection(unit, self.values.select(unit, above))
        return self._of_key(unit, node)

    def _of_key(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        """Resolve a key of a composite literal."""
        braces = key_of(node)
        if braces is None:
            return UNRESOLVED
        shape = type_of(self.values, unit, braces)
        is_field = has_fields(self.values, shape)
        if is_field is None:
            return UNRESOLVED
        if not is_field:
            return self._resolve_plain(unit, node)
        return self._resolve_selection(unit, self.members.find(shape, self.name))

    def _resolve_selection(self, unit: Unit, found: Selection) -> frozenset[Definition]:
        if found.declarations:
            return self._record_definitions(found.declarations)
        is_unknown = found.is_unknown or (found.may_be_external and self._may_satisfy(unit))
        return UNRESOLVED if is_unknown else frozenset()

    def _record_definitions(self, declarations: Iterable[GoDeclaration]) -> frozenset[Definition]:
        found = {each.definition: each for each in declarations}
        self._methods.update((t, each) for t, each in found.items() if each.kind is GoKind.METHOD)
        self._fields.update((t, each) for t, each in found.items() if each.kind is GoKind.FIELD)
        embedded = [each for each in found.values() if each.kind is GoKind.EMBEDDED]
        # An embedded field has the name of its type, and a new one with it.
        types = [self._resolve_plain(each.unit, each.site) for each in embedded if self.renaming]
        return frozenset(found).union(*types)


def _owners(unit: Unit, site: SyntaxNode) -> Iterator[str]:
    """Yield the name of the type that the field or method declared here belongs to."""
    above = site.parent()
    if above is None:
        return
    if above.kind() == "method_declaration":
        receiver = receiver_of(_member_declaration(unit, site, above))
        if receiver is not None:
            yield receiver.text()
    for outer in above.ancestors():
        if outer.kind() == "type_spec":
            yield required_field(outer, "name").text()
            return


def _is_near(target: ReferenceTarget, unit: Unit) -> bool:
    return target.definition.path.parent == unit.path.parent


def _member_declaration(unit: Unit, node: SyntaxNode, above: SyntaxNode) -> GoDeclaration:
    kind = GoKind.FIELD if above.kind() == "field_declaration" else GoKind.METHOD
    return GoDeclaration(unit, node, kind, above)
