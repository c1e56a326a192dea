"""Which classes have a member, up the bases that can be told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from redline.code.python_js.heritage import OfClass, Value, base_nodes, members_of
from redline.code.python_js.origins import Origins
from redline.code.python_js.project import Module
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import Node

_DEEPEST = 10


class Lineage(ABC):
    """Walks from a class to its bases; what an expression means is for others to say."""

    __slots__ = ()
    origins: Origins

    @abstractmethod
    def of(self, module: Module, node: Node | None, scope: Scope, depth: int = 0) -> set[Value]:
        """The values *node* may have."""

    @abstractmethod
    def of_type(self, module: Module, node: Node, scope: Scope, depth: int) -> set[Value]:
        """The classes that a name of a type may mean."""

    def owners(
        self, value: OfClass, name: str, *, all_of: bool = False, depth: int = 0
    ) -> tuple[list[OfClass], bool]:
        """The classes that define *name* for *value*, and whether an unknown base might.

        The nearest one, or with *all_of* every one up the bases.
        """
        found: list[OfClass] = []
        if not value.above and members_of(value, name):
            found.append(OfClass(value.module, value.scope))
            if not all_of:
                return found + self._declared(value, name, depth), False
        is_open = value.module.is_broken(value.scope.node.range().start.index)
        for base in self.bases(value) if depth < _DEEPEST else ():
            if isinstance(base, OfClass):
                more, opened = self.owners(base, name, all_of=all_of, depth=depth + 1)
                found += more
                is_open = is_open or opened
                if found and not all_of:
                    return found, False
            elif base == "unknown":
                is_open = True
        return found, is_open

    def _declared(self, value: OfClass, name: str, depth: int) -> list[OfClass]:
        """The base that declares what a Python class merely writes to: a property, a field."""
        items = members_of(value, name)
        if (
            value.module.is_script
            or depth >= _DEEPEST
            or any(isinstance(i, Binding) for i in items)
        ):
            return []
        bases = [base for base in self.bases(value) if isinstance(base, OfClass)]
        above = [owner for base in bases for owner in self.owners(base, name, depth=depth + 1)[0]]
        return [owner for owner in above if _declares(owner, name)]

    def bases(self, value: OfClass) -> Iterator[Value]:
        """What a class derives from; the language's own classes left out."""
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

    def _is_builtin(self, module: Module, node: Node) -> bool:
        """Whether a base of a Python class is one of the language's own."""
        spot = module.names.at(node)
        if spot is None or spot.binding is not None or module.is_script:
            return False
        return not self.origins.of_spot(module, spot)


def _declares(owner: OfClass, name: str) -> bool:
    return any(isinstance(item, Binding) for item in members_of(owner, name))
