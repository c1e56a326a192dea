"""Find the classes that define a member, along the base classes that can be resolved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from redline.code.python_js.heritage import Inferred, OfClass, Value, base_nodes, members_of
from redline.code.python_js.members import NoClass
from redline.code.python_js.origins import Origins
from redline.code.python_js.project import Module
from redline.code.references.definition import UNKNOWN, Definition
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import SyntaxNode, start_of

_MAX_DEPTH = 10


class MemberOwners(NamedTuple):
    """The classes that define a member, and whether a base that is unknown might, too."""

    classes: list[OfClass]
    is_open: bool


class ClassHierarchy(ABC):
    """Walk from a class to its bases; subclasses resolve the expressions that name them."""

    __slots__ = ()
    origins: Origins

    @abstractmethod
    def of(
        self, module: Module, node: SyntaxNode | None, scope: Scope, depth: int = 0
    ) -> set[Value]:
        """Return the values that *node* may have."""

    @abstractmethod
    def of_type(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return the classes that the name of a type may refer to."""

    def owners(
        self, value: OfClass, name: str, *, all_of: bool = False, depth: int = 0
    ) -> MemberOwners:
        """Return the nearest class that defines *name* for *value*; with *all_of* all of them."""
        if value.hides(name):
            return MemberOwners([], False)
        found: list[OfClass] = []
        declared = list(_declarations(value))
        if not value.above:
            found += [each for each in declared if members_of(each, name)]
            if found and not all_of:
                return MemberOwners(found + self._declaring_bases(value, name, depth), False)
        is_open = value.module.is_broken(start_of(value.scope.node))
        bases = (base for each in declared for base in self.bases(each))
        for base in bases if depth < _MAX_DEPTH else ():
            if isinstance(base, OfClass):
                above = self.owners(base, name, all_of=all_of, depth=depth + 1)
                found += above.classes
                is_open = is_open or above.is_open
                if found and not all_of:
                    return MemberOwners(found, False)
            elif base == NoClass.UNKNOWN or isinstance(base, Inferred):
                is_open = True
        return MemberOwners(found, is_open)

    def _declaring_bases(self, value: OfClass, name: str, depth: int) -> list[OfClass]:
        """Return the bases that declare what a Python class only assigns: a property, a field."""
        if value.module.is_script or depth >= _MAX_DEPTH or _declares(value, name):
            return []
        bases = [base for base in self.bases(value) if isinstance(base, OfClass)]
        above = [
            owner for base in bases for owner in self.owners(base, name, depth=depth + 1).classes
        ]
        return [owner for owner in above if _declares(owner, name)]

    def bases(self, value: OfClass) -> Iterator[Value]:
        """Yield the bases of a class, except the language's own classes."""
        module, scope = value.module, value.scope
        for node in base_nodes(scope.node, module.is_script):
            if self._is_builtin(module, node):
                continue
            outer = scope.parent or scope
            kind = node.kind()
            found = (
                self.of_type(module, node, outer, 1)
                if kind == "type_identifier"
                else self.of(module, node, outer, 1)
            )
            yield from (v for v in found if not (isinstance(v, OfClass) and v.scope is scope))

    def exported_by_bases(self, value: OfClass, name: str) -> set[Definition]:
        """Return what a type has by extending whole modules: `extends typeof module`."""
        found: set[Definition] = set()
        for scope in value.module.merged.get(value.scope, [value.scope]):
            for base in self.bases(OfClass(value.module, scope)):
                if isinstance(base, Definition):
                    found |= self.origins.of_export(base.path, name) - {UNKNOWN}
        return found

    def _is_builtin(self, module: Module, node: SyntaxNode) -> bool:
        """Return whether a base of a Python class is one of the language's own."""
        occurrence = module.names.at(node)
        if occurrence is None or occurrence.binding is not None or module.is_script:
            return False
        return not self.origins.of_occurrence(module, occurrence)


def _declarations(value: OfClass) -> Iterator[OfClass]:
    """Yield a class, and of its instances the interfaces of the same name: they are one type."""
    scopes = value.module.merged.get(value.scope, []) if value.is_instance else []
    for scope in scopes or [value.scope]:
        yield OfClass(value.module, scope, given=value.given)


def _declares(owner: OfClass, name: str) -> bool:
    return any(isinstance(item, Binding) for item in members_of(owner, name))
