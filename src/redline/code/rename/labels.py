"""The labels of calls that name a parameter: they are renamed with it."""

from __future__ import annotations

from redline.code.python_js.members import Classes
from redline.code.rename.refusals import refuse_unknown
from redline.code.scopes.model import Binding, Member, Names, Scope
from redline.code.syntax.node import Node


def labels_of(names: Names, classes: Classes, binding: Binding) -> list[Member]:
    """The labels by which calls of its function pass a parameter."""
    function = binding.scope.owner
    called = [m for m in names.members if m.name == binding.name and m.form == "label"]
    if not called:
        return []
    sure: list[Member] = []
    unknown: list[Member] = []
    for member in called:
        verdict = _calls(names, classes, member, binding, function)
        if verdict is None:
            unknown.append(member)
        elif verdict:
            sure.append(member)
    if unknown:
        refuse_unknown(binding.name, unknown)
    return sure


def _calls(
    names: Names, classes: Classes, label: Member, binding: Binding, function: Binding | None
) -> bool | None:
    """Whether a label's call is of this function; None when that cannot be told."""
    callee = label.owner
    if callee is None:
        return False
    plain = function is not None and len(function.sites) == 1 and not _is_decorated(binding.scope)
    if callee.kind() == "identifier":
        return _calls_name(names, classes, callee, binding, plain)
    if callee.kind() != "attribute":
        return None
    return _calls_member(classes, label, binding, plain)


def _calls_name(
    names: Names, classes: Classes, callee: Node, binding: Binding, plain: bool
) -> bool | None:
    spot = names.at(callee)
    known = spot.binding if spot is not None else None
    if known is None or known.roles <= {"import"}:
        return False
    method = _class_around(classes, binding)
    if known is binding.scope.owner and method is None:
        return True if plain else None
    made = classes.class_of(known)
    if made is None:
        return False if known.roles <= {"function"} else None
    constructor = classes.owner(made, "__init__")
    if binding.scope.name != "__init__" or constructor is not method:
        return False
    return True if plain and constructor is made else None


def _calls_member(classes: Classes, label: Member, binding: Binding, plain: bool) -> bool | None:
    assert label.owner is not None
    word = label.owner.field("attribute").text()
    if word != binding.scope.name:
        return False
    found = classes.instance(label.owner.field("object"), label.scope)
    if not isinstance(found, Scope):
        return False if found == "other" else None
    if classes.owner(found, word) is not _class_around(classes, binding):
        return False
    return True if plain else None


def _class_around(classes: Classes, binding: Binding) -> Scope | None:
    parent = binding.scope.parent
    return parent if parent in classes.defined else None


def _is_decorated(scope: Scope) -> bool:
    parent = scope.node.parent()
    return bool(parent is not None and parent.kind() == "decorated_definition")
