"""The independent opinion: rapidyaml parses old, new and the value, and all must agree.

The target is taken out of both trees; what is left must be emitted alike. The new target must be
the same data as the value parsed alone. Any disagreement is a refusal. rapidyaml's parser keeps no
recursion, and its emitter stops at a depth of its own, so neither can be driven into a crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ryml

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.depth import too_deep
from redline.documents.model import MAX_DEPTH, syntax_error
from redline.documents.yaml_depth import require_bounded
from redline.documents.yaml_properties import refuse_heaps
from redline.documents.yaml_view import misused_tab, readable, undeclared_handle, without_tabs

BOM = b"\xef\xbb\xbf"
_TYPED = re.compile(
    rb"(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    rb"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)"
    rb"|\.(?:nan|NaN|NAN))?"
)
_NONE = ryml.NONE
_MOST_NODES = 8192
# So much of a text shows how many nodes it has.
_SAMPLE = 2048
# As written, then without the simple collections among its keys, then without any.
_READINGS = 3


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a tree: the document, then keys (bytes) and indexes."""

    document: int
    steps: tuple[bytes | int, ...]


def parse(source: bytes, nodes: int = 0) -> Any:
    """rapidyaml's tree of a stream, of *nodes* if that is known; DocumentSyntax when it fails."""
    text = source[3:] if source.startswith(BOM) else source
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    _check_bytes(text)
    if b"\t" in text:
        _check_tabs(text)
        text = without_tabs(text)
    for _ in range(_READINGS):
        refuse_heaps(text)
        try:
            tree = ryml.parse_in_arena(text, _roomy(nodes or _likely(text)))
        except ryml.ExceptionParse as error:
            other = readable(text, _reason(error))
            if other is None:
                raise _syntax(error, text) from None
            text = other
        except (ryml.ExceptionBasic, ryml.ExceptionVisit) as error:
            raise DocumentSyntax(f"Invalid YAML: {_reason(error)}") from None
        else:
            _check_handles(text)
            return tree
    raise DocumentSyntax("Invalid YAML")


def _check_bytes(text: bytes) -> None:
    """Refuse NUL, where rapidyaml ends its texts, and a lone CR, on which it may loop for ever."""
    if b"\0" in text:
        raise syntax_error(text, text.index(b"\0"), "a NUL character", "YAML")
    if b"\r" in text:
        raise syntax_error(text, text.index(b"\r"), "a CR without LF: end lines in LF", "YAML")


def parse_bounded(source: bytes) -> Any:
    """As `parse`; too deep is refused before the parser sees it, or once its tree is measured."""
    is_unsure = require_bounded(source)
    tree = parse(source)
    if is_unsure:
        require_shallow_tree(tree)
    return tree


def _roomy(nodes: int) -> Any:
    """An empty tree with room for so many: growing it costs more than parsing does."""
    tree = ryml.Tree()
    tree.reserve(min(16 + nodes + nodes // 4, _MOST_NODES))
    return tree


def _likely(text: bytes) -> int:
    """About how many nodes a text has, by its first lines."""
    sample = text[:_SAMPLE]
    keys = sample.count(b": ") + sample.count(b":\n") + sample.count(b"- ")
    nodes = min(2 * sample.count(b"\n"), keys) + 2 * sample.count(b",")
    return nodes * max(len(text), _SAMPLE) // _SAMPLE


def _check_tabs(text: bytes) -> None:
    """Refuse tabs that rapidyaml accepts as indentation."""
    if (at := misused_tab(text)) is not None:
        raise syntax_error(text, at, "a tab is used as indentation", "YAML")


def _check_handles(text: bytes) -> None:
    """Refuse tags whose handles rapidyaml does not look up."""
    if b"!" in text and (at := undeclared_handle(text)) is not None:
        raise syntax_error(text, at, "a tag handle is not declared", "YAML")


def _syntax(error: Any, text: bytes) -> DocumentSyntax:
    place = error.errdata_parse.ymlloc
    line, column = int(place.line), int(place.col)
    lines = text.split(b"\n", line)
    reason = _reason(error)
    if line <= len(lines) and lines[line - 1].lstrip()[:1] in (b"]", b"}"):
        reason += " (what a bracket holds, and its end, is indented deeper than the key)"
    message = f"Invalid YAML at line {line}, column {column}: {reason}"
    return DocumentSyntax(message, line=line, column=column)


def _reason(error: Any) -> str:
    text = error.msg if isinstance(error.msg, str) else bytes(error.msg).decode("utf-8", "replace")
    return text.strip() or "parse error"


def documents(tree: Any) -> list[int]:
    """The root node of each document."""
    root = tree.root_id()
    return list(_children(tree, root)) if tree.is_stream(root) else [root]


def count_of(tree: Any) -> int:
    """How many documents a tree has."""
    root = tree.root_id()
    return int(tree.num_children(root)) if tree.is_stream(root) else 1


def find(tree: Any, where: Where) -> int:
    """The node at *where*; CannotApply when rapidyaml sees no such node."""
    if where.document >= count_of(tree):
        raise CannotApply("The two parsers disagree on the number of documents")
    node = int(tree.root_id())
    if tree.is_stream(node):
        node = int(tree.child(node, where.document))
    for step in where.steps:
        node = _step(tree, node, step)
    return node


def _step(tree: Any, node: int, step: bytes | int) -> int:
    found = _NONE
    if isinstance(step, bytes):
        if tree.is_map(node):
            found = tree.find_child(node, step) if step else _empty_key(tree, node)
    elif tree.is_container(node) and 0 <= step < tree.num_children(node):
        found = tree.child(node, step)
    if found == _NONE:
        raise CannotApply("The two parsers disagree on where the path leads; nothing was changed")
    return int(found)


def is_bare(tree: Any, node: int, entry: bytes) -> bool:
    """Whether a node is exactly *entry*, `key: value`, or its value alone in a list."""
    key, value = entry.split(b": ")
    if tree.has_key(node) and _key_facts(tree, node) != (key, False, b"", b""):
        return False
    return _value_facts(tree, node) == ("plain", value, b"", b"")


def has_key(tree: Any, node: int, key: bytes) -> bool:
    """Whether the mapping *node* has the *key*."""
    return bool((tree.find_child(node, key) if key else _empty_key(tree, node)) != _NONE)


def _empty_key(tree: Any, node: int) -> int:
    for child in _children(tree, node):
        if not bytes(tree.key(child) or b""):
            return child
    return int(_NONE)


def _children(tree: Any, node: int) -> Iterator[int]:
    child = tree.first_child(node)
    while child != _NONE:
        yield int(child)
        child = tree.next_sibling(child)


def check_set(
    old: Any, new: Any, where: Where, fragments: Sequence[Any], *, anchor: bytes | None
) -> None:
    """The target alone changed, and it became one of *fragments* (readings of one value)."""
    before, after = find(old, where), find(new, where)
    _same_value(new, after, fragments, anchor)
    if not where.steps:
        _same_rest_of_stream(old, new, where)
        return
    if _key_facts(old, before) != _key_facts(new, after):
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
        if _key_facts(old, parent) != _key_facts(new, left):
            raise _elsewhere()
        old.remove(parent)
        new.remove(left)
    _same(old, new)


def tree_parent(tree: Any, node: int) -> int:
    """The collection around *node*."""
    return int(tree.parent(node))


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


def text_of(tree: Any, node: int) -> Any:
    """Everything a subtree says, for comparison with another."""
    if tree.size() == 1 and not tree.is_container(node) and not tree.has_val(node):
        return ""
    try:
        return ryml.emit_yaml(tree, node)
    except (ryml.ExceptionVisit, ryml.ExceptionBasic):
        return flatten(tree, node)


def require_shallow_tree(tree: Any, depth: int = 0) -> None:
    """Refuse a tree that nests deeper than the limit less *depth*, without recursion."""
    level = [int(tree.root_id())]
    while level:
        if depth > MAX_DEPTH:
            raise too_deep()
        level = [child for node in level for child in _children(tree, node)]
        depth += 1


def flatten(tree: Any, top: int) -> list[Any]:
    """A subtree as a flat list of facts; deeper than the limit is refused."""
    facts: list[Any] = []
    stack = [(top, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise too_deep()
        facts.append((depth, _key_facts(tree, node), _value_facts(tree, node)))
        stack += [(child, depth + 1) for child in reversed(list(_children(tree, node)))]
    return facts


def _key_facts(tree: Any, node: int) -> tuple[Any, ...]:
    if not tree.has_key(node):
        return ()
    anchor = bytes(tree.key_anchor(node)) if tree.has_key_anchor(node) else b""
    tag = bytes(tree.key_tag(node)) if tree.has_key_tag(node) else b""
    return bytes(tree.key(node) or b""), bool(tree.is_key_ref(node)), anchor, tag


def _value_facts(tree: Any, node: int) -> tuple[Any, ...]:
    tag = bytes(tree.val_tag(node)) if tree.has_val_tag(node) else b""
    anchor = bytes(tree.val_anchor(node)) if tree.has_val_anchor(node) else b""
    if tree.is_map(node) or tree.is_seq(node):
        return "map" if tree.is_map(node) else "seq", tag, anchor
    if tree.is_val_ref(node):
        return "alias", bytes(tree.val_ref(node)), tag
    value = bytes((tree.val(node) if tree.has_val(node) else None) or b"")
    if _is_plain(tree, node) and _TYPED.fullmatch(value):
        return (
            "null" if _is_null(value) else "plain",
            b"" if _is_null(value) else value,
            tag,
            anchor,
        )
    return "text", value, tag, anchor


def _is_plain(tree: Any, node: int) -> bool:
    return not (tree.is_val_quoted(node) or tree.is_val_literal(node) or tree.is_val_folded(node))


def texts(tree: Any) -> Iterator[tuple[str, bytes]]:
    """Every scalar that is no key, with its style."""
    stack = [int(tree.root_id())]
    while stack:
        node = stack.pop()
        stack += _children(tree, node)
        if not tree.is_container(node) and tree.has_val(node):
            yield _style_of(tree, node), bytes(tree.val(node) or b"")


def _style_of(tree: Any, node: int) -> str:
    for style, is_it in (
        ("double", tree.is_val_dquo),
        ("single", tree.is_val_squo),
        ("literal", tree.is_val_literal),
        ("folded", tree.is_val_folded),
    ):
        if is_it(node):
            return style
    return "plain"


def _is_null(value: bytes) -> bool:
    return value in (b"", b"~", b"null", b"Null", b"NULL")


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


def plain_values(tree: Any, node: int) -> Any:
    """A subtree as plain values by the YAML 1.2 core schema; aliases stay text."""
    from redline.documents.yaml_values import resolved

    return resolved(tree, node, _children)


def _elsewhere() -> CannotApply:
    return CannotApply("The result would change something else too; nothing was changed")
