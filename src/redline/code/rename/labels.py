"""Find the keyword arguments that must be renamed together with a parameter."""

from __future__ import annotations

from redline.code.python_js.members import FileClasses, NoClass
from redline.code.rename.refusals import refuse_unknown
from redline.code.scopes.model import Binding, BindingRole, Member, MemberUse, Names, Scope
from redline.code.syntax.node import SyntaxNode, required_field


def labels_of(names: Names, classes: FileClasses, binding: Binding) -> list[Member]:
    """Return the keyword arguments with which calls of its function pass a parameter."""
    certain: list[Member] = []
    unknown: list[Member] = []
    for member in names.members:
        if member.name != binding.name or member.form != MemberUse.LABEL:
            continue
        is_own = _calls_function(names, classes, member, binding)
        if is_own is None:
            unknown.append(member)
        elif is_own:
            certain.append(member)
    if unknown:
        refuse_unknown(binding.name, unknown)
    return certain


def _calls_function(
    names: Names, classes: FileClasses, label: Member, binding: Binding
) -> bool | None:
    """Return whether a label is in a call of the parameter's function; None if uncertain."""
    callee = label.owner
    if callee is None:
        return False
    function = binding.scope.owner
    plain = function is not None and len(function.sites) == 1 and not _is_decorated(binding.scope)
    if callee.kind() == "identifier":
        return _calls_name(names, classes, callee, binding, plain)
    if callee.kind() != "attribute":
        return None
    return _calls_member(classes, label, binding, plain)


def _calls_name(
    names: Names, classes: FileClasses, callee: SyntaxNode, binding: Binding, plain: bool
) -> bool | None:
    occurrence = names.at(callee)
    known = occurrence.binding if occurrence is not None else None
    if known is None or known.roles <= {BindingRole.IMPORT}:
        return False
    method = _class_around(classes, binding)
    if known is binding.scope.owner and method is None:
        return True if plain else None
    called = classes.class_of(known)
    if called is None:
        return False if known.roles <= {BindingRole.FUNCTION} else None
    constructor = classes.owner(called, "__init__")
    if binding.scope.name != "__init__" or constructor is not method:
        return False
    return True if plain and constructor is called else None


def _calls_member(
    classes: FileClasses, label: Member, binding: Binding, plain: bool
) -> bool | None:
    assert label.owner is not None
    word = required_field(label.owner, "attribute").text()
    if word != binding.scope.name:
        return False
    found = classes.class_of_value(label.owner.field("object"), label.scope)
    if not isinstance(found, Scope):
        return False if found == NoClass.OTHER else None
    if classes.owner(found, word) is not _class_around(classes, binding):
        return False
    return True if plain else None


def _class_around(classes: FileClasses, binding: Binding) -> Scope | None:
    parent = binding.scope.parent
    return parent if parent in classes.defined else None


def _is_decorated(scope: Scope) -> bool:
    parent = scope.node.parent()
    return parent is not None and parent.kind() == "decorated_definition"
