"""Determine from where a Java definition can be referred to."""

from __future__ import annotations

from enum import StrEnum

from redline.code.java.declarations import Field, Method, TypeDeclaration, modifiers_of
from redline.code.syntax.node import SyntaxNode
from redline.core.paths import WorkspacePath

_OPEN_BODIES = {"interface_declaration", "annotation_type_declaration"}


class Reach(StrEnum):
    """From where a definition can be referred to, narrowest first."""

    FILE = "file"
    PACKAGE = "package"
    ANYWHERE = "anywhere"


_WIDTHS = list(Reach)


def reach_of(found: Method | Field | TypeDeclaration) -> Reach:
    """Return from where a definition can be referred to.

    A method may be called through what it overrides, from wherever that is visible; others are
    limited by the types around them as well.
    """
    if isinstance(found, TypeDeclaration):
        around = _around(found)
    elif isinstance(found, Method) and not found.is_static and not found.is_constructor:
        return Reach.FILE if access(found) == Reach.FILE else Reach.ANYWHERE
    else:
        around = [access(found), *_around(found.owner)]
    return min(around, key=_WIDTHS.index)


def is_within_reach(path: WorkspacePath, home: WorkspacePath, package: str, width: Reach) -> bool:
    """Return whether a file is within reach of what another one defines."""
    if path == home or width == Reach.ANYWHERE:
        return True
    if width == Reach.FILE:
        return False
    parts = tuple(package.split(".")) if package else ()
    if not parts or home.parent.parts[-len(parts) :] != parts:
        return True  # folders that do not follow packages are no evidence
    return path.parent.parts[-len(parts) :] == parts


def _around(declaration: TypeDeclaration | None) -> list[Reach]:
    found = []
    while declaration is not None:
        outer = declaration.outer
        if "@" in declaration.qualified:
            return [Reach.FILE]
        found.append(
            _stated_access(
                declaration.node, is_open=outer is not None and outer.kind in _OPEN_BODIES
            )
        )
        declaration = outer
    return found


def access(member: Method | Field) -> Reach:
    """Return from where a member can be referred to by its own modifiers."""
    if member.node.kind() == "enum_constant":
        return Reach.ANYWHERE
    if member.node.kind() == "formal_parameter":  # a component of a record
        return Reach.FILE if isinstance(member, Field) else Reach.ANYWHERE
    is_open = member.owner.kind in _OPEN_BODIES
    if isinstance(member, Field):
        return _stated_access(member.node.parent(), is_open=is_open)
    if member.is_constructor and member.owner.kind == "enum_declaration":
        return Reach.FILE
    return _stated_access(member.node, is_open=is_open)


def _stated_access(node: SyntaxNode | None, *, is_open: bool) -> Reach:
    modifiers = modifiers_of(node) if node is not None else set()
    if "private" in modifiers:
        return Reach.FILE
    return Reach.ANYWHERE if is_open or modifiers & {"public", "protected"} else Reach.PACKAGE
