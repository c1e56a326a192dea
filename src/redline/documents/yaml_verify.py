"""The independent opinion: rapidyaml parses old, new and the value, and all must agree.

The target is taken out of both trees; what is left must be emitted alike. The new target must be
the same data as the value parsed alone. Any disagreement is a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redline.core.errors import CannotApply
from redline.documents.yaml_tree import (
    Where,
    documents,
    find,
    flatten,
    has_key,
    key_facts,
    text_of,
    tree_parent,
)


def check_set(
    old: Any, new: Any, where: Where, fragments: Sequence[Any], *, anchor: bytes | None
) -> None:
    """The target alone changed, and it became one of *fragments* (readings of one value)."""
    before, after = find(old, where), find(new, where)
    _same_value(new, after, fragments, anchor)
    if not where.steps:
        _same_rest_of_stream(old, new, where)
        return
    if key_facts(old, before) != key_facts(new, after):
        raise _elsewhere()
    old.remove(before)
    new.remove(after)
    _same(old, new)


def check_added(old: Any, new: Any, where: Where, fragments: Sequence[Any]) -> None:
    """Only the entry at *where* is new, and it is one of *fragments*."""
    after = find(new, where)
    _same_value(new, after, fragments, None)
    _was_absent(old, where)
    parent = tree_parent(new, after)
    new.remove(after)
    if new.num_children(parent) == 0:
        old_parent = find(old, Where(where.document, where.steps[:-1]))
        if old.num_children(old_parent) or (
            old.has_val(old_parent) and not old.val_is_null(old_parent)
        ):
            raise _elsewhere()
        if not where.steps[:-1]:
            _same_rest_of_stream(old, new, where)
            return
        old.remove(old_parent)
        new.remove(parent)
    _same(old, new)


def _was_absent(old: Any, where: Where) -> None:
    """A key that is added must not be there in any other spelling."""
    key = where.steps[-1]
    if not isinstance(key, bytes):
        return
    parent = find(old, Where(where.document, where.steps[:-1]))
    if old.is_map(parent) and has_key(old, parent, key):
        raise CannotApply("The key is there already, in another spelling; nothing was changed")


def check_removed(old: Any, new: Any, where: Where) -> None:
    """Only the entry at *where* is gone."""
    before = find(old, where)
    parent = tree_parent(old, before)
    old.remove(before)
    if old.num_children(parent) == 0:
        place = Where(where.document, where.steps[:-1])
        left = find(new, place)
        if (
            not new.is_container(left)
            or new.num_children(left)
            or new.is_map(left) != old.is_map(parent)
        ):
            raise _elsewhere()
        if not place.steps:
            _same_rest_of_stream(old, new, place)
            return
        if key_facts(old, parent) != key_facts(new, left):
            raise _elsewhere()
        old.remove(parent)
        new.remove(left)
    _same(old, new)


def _same(old: Any, new: Any) -> None:
    mine, theirs = old.root_id(), new.root_id()
    # The emitter also shows style (a flow list over several lines); data decides.
    if text_of(old, mine) != text_of(new, theirs) and flatten(old, mine) != flatten(new, theirs):
        raise _elsewhere()


def _same_rest_of_stream(old: Any, new: Any, where: Where) -> None:
    left, right = documents(old), documents(new)
    if len(left) != len(right):
        raise _elsewhere()
    for index, (mine, theirs) in enumerate(zip(left, right, strict=True)):
        if index != where.document and text_of(old, mine) != text_of(new, theirs):
            raise _elsewhere()


def _same_value(new: Any, node: int, fragments: Sequence[Any], anchor: bytes | None) -> None:
    """The subtree equals the value, apart from the key it hangs on and an anchor that was kept."""
    actual = _facts_of_value(new, node, anchor)
    for fragment in fragments:
        if _facts_of_value(fragment, documents(fragment)[0], None) == actual:
            return
    raise CannotApply(
        "The value would read differently at this place; nothing was changed",
        hint="quote it, or give it in flow style",
    )


def _facts_of_value(tree: Any, node: int, anchor: bytes | None) -> list[Any]:
    facts = flatten(tree, node)
    depth, _, value = facts[0]
    if anchor is not None and value[-1] == anchor and value[0] != "alias":
        value = (*value[:-1], b"")
    facts[0] = (depth, (), value)
    return facts


def _elsewhere() -> CannotApply:
    return CannotApply("The result would change something else too; nothing was changed")
