"""From where a definition of Java can be named: its file, its package, or anywhere."""

from __future__ import annotations

from redline.code.java.declared import Field, Method, TypeDeclaration
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

FILE, PACKAGE, ANYWHERE = "file", "package", "anywhere"
_OPEN_BODIES = {"interface_declaration", "annotation_type_declaration"}
_WIDTHS = (FILE, PACKAGE, ANYWHERE)


def reach(found: Method | Field | TypeDeclaration) -> str:
    """From where it can be named.

    A method may be called through what it overrides, from wherever that is seen; of others, the
    types around say as much as the definition itself.
    """
    if isinstance(found, TypeDeclaration):
        around = _around(found)
    elif isinstance(found, Method) and not found.is_static and not found.is_constructor:
        return FILE if access(found) == FILE else ANYWHERE
    else:
        around = [access(found), *_around(found.owner)]
    return min(around, key=_WIDTHS.index)


def sees(path: WorkspacePath, home: WorkspacePath, package: str, width: str) -> bool:
    """Whether a file is within reach of what another one defines."""
    if path == home or width == ANYWHERE:
        return True
    if width == FILE:
        return False
    parts = tuple(package.split(".")) if package else ()
    if not parts or home.parent.parts[-len(parts) :] != parts:
        return True  # folders that do not follow packages tell nothing
    return path.parent.parts[-len(parts) :] == parts


def _around(declared: TypeDeclaration | None) -> list[str]:
    found = []
    while declared is not None:
        outer = declared.outer
        if "@" in declared.qualified:
            return [FILE]
        found.append(_said(declared.node, is_open=outer is not None and outer.kind in _OPEN_BODIES))
        declared = outer
    return found


def access(member: Method | Field) -> str:
    """From where a member can be named by what it says itself."""
    if member.node.kind() == "enum_constant":
        return ANYWHERE
    if member.node.kind() == "formal_parameter":  # a part of a record
        return FILE if isinstance(member, Field) else ANYWHERE
    is_open = member.owner.kind in _OPEN_BODIES
    if isinstance(member, Field):
        return _said(member.node.parent(), is_open=is_open)
    if member.is_constructor and member.owner.kind == "enum_declaration":
        return FILE
    return _said(member.node, is_open=is_open)


def _said(node: Node, *, is_open: bool) -> str:
    first = node.child(0)
    said = {child.kind() for child in first.children()} if first.kind() == "modifiers" else set()
    if "private" in said:
        return FILE
    return ANYWHERE if is_open or said & {"public", "protected"} else PACKAGE
