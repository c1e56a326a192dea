"""Lossless edits of YAML."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import Any

from redline.core.error_families.wording import naming
from redline.core.errors import CannotApply, DocumentSyntax, InvalidArgument, NodeNotFound
from redline.core.splice import Splice
from redline.documents.base.model import (
    MAX_PARSED_BYTES,
    DocumentEdit,
    Slice,
    as_refusal,
    key_exists,
    missing_key,
    missing_levels,
    out_of_range,
    require_text,
    slice_of,
    wrong_shape,
)
from redline.documents.base.path import Path, render_path
from redline.documents.yaml import strict, values
from redline.documents.yaml.edit import entries
from redline.documents.yaml.edit.anchors import check_anchors, uses_of
from redline.documents.yaml.edit.fragment import Fragment, render_key
from redline.documents.yaml.edit.placement import Placer, Style
from redline.documents.yaml.skim.children import Child
from redline.documents.yaml.skim.flow import Node
from redline.documents.yaml.skim.scan import Scanner
from redline.documents.yaml.verify import Step, Where, YamlVerifier

# How many keys are compared with one that is missing.
_NEAR = 500
_LONE_CR = re.compile(rb"\r(?!\n)")


class YamlDocument:
    """One document of a YAML stream; parsing it validates the whole stream."""

    format = "yaml"

    def __init__(self, source: bytes, index: int = 0) -> None:
        require_text(source, "YAML", MAX_PARSED_BYTES)
        self.source = source
        self.index = index
        self._verifier = YamlVerifier(source)
        self._scanner = Scanner(source, bom=3 if source.startswith(strict.BOM) else 0)
        stream, count = self._scanner.stream, self._verifier.count
        if not 0 <= index < count:
            raise InvalidArgument(
                naming("{doc_index} is out of range: ", str(index)),
                field="doc_index",
                hint=f"the file holds {count} document{'' if count == 1 else 's'}, counted from 0",
            )
        if stream.count != count:
            raise DocumentSyntax("The documents of this stream cannot be told apart")
        self._part = stream.part(index)

    @cached_property
    def _root(self) -> Node:
        return self._scanner.root(self._part)

    def get(self, path: Path) -> Slice:
        """The node's source slice; an alias gives its target's text, flagged."""
        node, notes, where = self._locate(path)
        try:
            self._verifier.find(where)
        except CannotApply as error:
            raise NodeNotFound(error.message) from None
        if node.kind == "alias":
            return self._target_of(node, notes)
        return slice_of(self.source, node.start, self._slice_end(node), node.kind, notes)

    def _slice_end(self, node: Node) -> int:
        """Where the source of a node ends; with all its line breaks if the value has them."""
        if node.kind == "empty":
            return node.start
        end = self._scanner.end_of(node)
        if b"+" in node.marks:
            end = self.source.find(b"\n", end) + 1 or end
        return end

    def set(self, path: Path, value: str, *, create_parents: bool = False) -> DocumentEdit:
        """Replace the node, or create the leaf of a mapping."""
        fragment = Fragment(value)
        try:
            node, notes, where = self._locate(path)
        except NodeNotFound as error:
            return self._create(path, fragment, error, create_parents=create_parents)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
        splices = self._placer.with_final_break(self._replace(node, fragment), fragment)
        notes = (*self._anchor_notes(node), *fragment.notes)
        edit = DocumentEdit.of(self.source, splices, notes)
        check_anchors(edit, node.anchor if fragment.root.anchor is None else None, fragment.aliases)
        self._verifier.check_set(edit.after, where, fragment.readings())
        return edit

    def insert(self, path: Path, value: str) -> DocumentEdit:
        """A list item before an index, or a new key of a mapping."""
        if not path:
            raise CannotApply("The whole document cannot be inserted")
        fragment = Fragment(value)
        try:
            parent, notes, where = self._locate(path[:-1])
        except NodeNotFound as error:
            raise as_refusal(error) from None
        last = path[-1]
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}")
        if isinstance(last, int):
            return self._insert_item(path, parent, last, fragment, where)
        if parent.kind == "mapping" and self._scanner.find_named(parent, last):
            raise key_exists(path)
        if parent.kind != "mapping" and not (parent.kind == "empty" and not path[:-1]):
            raise as_refusal(wrong_shape(path, len(path) - 1, _name(parent)))
        return self._add_key(parent, last, fragment, where)

    def delete(self, path: Path) -> DocumentEdit:
        """Remove the entry, its same-line comment and the comment above that it alone has."""
        if not path:
            raise CannotApply("The whole document cannot be deleted")
        node, notes, where = self._locate(path)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
        parent, _, _ = self._locate(path[:-1])
        splices = entries.remove(self._placer, parent, *self._scanner.beside(parent, node))
        edit = DocumentEdit.of(self.source, splices)
        check_anchors(edit)
        self._verifier.check_removed(edit.after, where)
        return edit

    def data(self) -> Any:
        """The document as plain values by the core schema; aliases are their own text."""
        documents = self._verifier.documents
        return values.plain(documents[self.index], self) if documents else None

    def key_texts(self, path: Path) -> list[str] | None:
        """The keys of the mapping at *path* as the file writes them; None if any has no text."""
        try:
            node, _, _ = self._locate(path)
            keys = [child.key for child in self._scanner.entries(node)]
        except (CannotApply, NodeNotFound):
            return None
        return [key for key in keys if key is not None] if None not in keys else None

    def scalar_text(self, path: Path) -> str:
        """The scalar at *path* as the file writes it; empty where it cannot be found."""
        try:
            node, _, _ = self._locate(path)
        except (CannotApply, NodeNotFound):
            return ""
        if node.kind != "scalar":
            return ""
        return self.source[node.start : self._scanner.end_of(node)].decode("utf-8")

    def render(self, value: Any, at: Path = ()) -> str:
        """*value* as YAML, collections as blocks that are indented as here.

        Text for a place that holds a block scalar is one again, if it can be.
        """
        if isinstance(value, str) and self._holds_block_scalar(at):
            block = values.render_literal(value)
            if block is not None:
                return block
        return values.render_block(value, self._placer.style.step)

    def _holds_block_scalar(self, path: Path) -> bool:
        try:
            node, _, _ = self._locate(path)
        except (CannotApply, NodeNotFound):
            return False
        return node.style in ("literal", "folded")

    @cached_property
    def _placer(self) -> Placer:
        return Placer(self._scanner, Style.of(self.source))

    def _locate(self, path: Path) -> tuple[Node, tuple[str, ...], Where]:
        node = self._root
        notes: list[str] = []
        steps: list[Step] = []
        for depth, segment in enumerate(path):
            if node.kind == "alias":
                raise NodeNotFound(
                    f"{render_path(path[:depth])} is an alias and is not followed: "
                    f"{render_path(path)}",
                    hint="change the anchored node itself",
                )
            if isinstance(segment, int):
                child, step = self._item(node, path, depth)
                steps.append(step)
            else:
                child = self._member(node, path, depth, notes)
                steps.append(child.key_source(self.source))
            node = self._scanner.value_of(node, child)
        return node, tuple(notes), Where(self.index, tuple(steps))

    def _item(self, node: Node, path: Path, depth: int) -> tuple[Child, int]:
        index = int(path[depth])
        if node.kind != "sequence":
            raise wrong_shape(path, depth, _name(node))
        child, position = self._scanner.find_item(node, index)
        if child is None:
            raise out_of_range(path, depth, position)
        return child, position

    def _member(self, node: Node, path: Path, depth: int, notes: list[str]) -> Child:
        wanted = str(path[depth])
        if node.kind == "empty":
            raise missing_key(path, depth, ())
        if node.kind != "mapping":
            raise wrong_shape(path, depth, _name(node))
        found = self._scanner.find_named(node, wanted)
        if not found:
            raise self._missing(node, path, depth)
        if len(found) > 1:
            notes.append(f"Key {wanted!r} is there {len(found)} times; the last one counts")
        return found[-1]

    def _missing(self, node: Node, path: Path, depth: int) -> NodeNotFound:
        """No such key; near ones are looked for among the first, a dotted one among all."""
        first = islice(self._scanner.entries(node), _NEAR)
        keys = [child.key for child in first if child.key is not None]
        rest = [str(segment) for segment in path[depth:]]
        dotted = (".".join(rest[:stop]) for stop in range(len(rest), 1, -1))
        keys += [key for key in (*dotted, "<<") if self._scanner.find_named(node, key)]
        error = missing_key(path, depth, keys)
        if "<<" in keys:
            error.hint = "the mapping merges keys through <<; a merged key is set as an override"
        return error

    def _target_of(self, node: Node, notes: tuple[str, ...]) -> Slice:
        name = self.source[node.start + 1 : node.end]
        note = f"alias of &{name.decode('utf-8', 'replace')}; set replaces the alias alone"
        target = self._find_anchor(self._root, name, node.start)
        if target is None:
            return slice_of(self.source, node.start, node.end, "alias", (*notes, note))
        end = self._slice_end(target)
        return slice_of(self.source, target.start, end, target.kind, (*notes, note))

    def _find_anchor(self, top: Node, name: bytes, before: int) -> Node | None:
        """The last node above *before* that carries the anchor."""
        found, stack = None, [top]
        while stack:
            node = stack.pop()
            if node.anchor == name and node.start < before:
                found = node if found is None or node.start > found.start else found
            if node.kind not in ("mapping", "sequence") or node.start >= before:
                continue
            stack += [
                self._scanner.value_of(node, child)
                for child in self._scanner.entries(node)
                if self.source.find(b"&" + name, child.start, child.limit) >= 0
            ]
        return found

    def _replace(self, node: Node, fragment: Fragment) -> list[Splice]:
        if b"\r" in self.source and _LONE_CR.search(self.source):
            raise CannotApply("The file breaks lines with a lone CR, which is not edited")
        return self._placer.replace(node, fragment)

    def _anchor_notes(self, node: Node) -> tuple[str, ...]:
        if node.anchor is None:
            return ()
        lines = uses_of(self.source, node.anchor)
        if not lines:
            return ()
        name = node.anchor.decode("utf-8", "replace")
        places = ", ".join(str(line) for line in lines)
        return (f"aliases *{name} change with it: line {places}",)

    def _create(
        self, path: Path, fragment: Fragment, error: NodeNotFound, *, create_parents: bool
    ) -> DocumentEdit:
        depth = len(path) - 1
        while True:
            try:
                parent, notes, where = self._locate(path[:depth])
                break
            except NodeNotFound:
                depth -= 1
        key = path[depth]
        is_null = parent.kind == "empty" or self._is_null(parent)
        fits = parent.kind == "mapping" or (parent.kind == "empty" and not depth)
        if notes or not isinstance(key, str) or not (fits or (create_parents and is_null)):
            raise as_refusal(error)
        if depth < len(path) - 1 and not create_parents:
            raise missing_levels(error)
        for segment in reversed(path[depth + 1 :]):
            fragment = _wrap(segment, fragment, path, self._placer)
        if fits:
            return self._add_key(parent, key, fragment, where)
        return self.set(path[:depth], _wrap(key, fragment, path, self._placer).source.decode())

    def _is_null(self, node: Node) -> bool:
        text = self.source[node.start : node.end]
        return node.style == "plain" and text in (b"~", b"null", b"Null", b"NULL")

    def _add_key(self, parent: Node, key: str, fragment: Fragment, where: Where) -> DocumentEdit:
        if b"\r" in self.source and _LONE_CR.search(self.source):
            raise CannotApply("The file breaks lines with a lone CR, which is not edited")
        if parent.kind == "empty":
            splices = entries.create_first(self._placer, self._part, key, fragment)
        else:
            splices = entries.append(self._placer, parent, key, fragment)
        return self._verify_added(splices, where.entry(render_key(key).encode("utf-8")), fragment)

    def _insert_item(
        self, path: Path, parent: Node, index: int, fragment: Fragment, where: Where
    ) -> DocumentEdit:
        if parent.kind != "sequence":
            raise as_refusal(wrong_shape(path, len(path) - 1, _name(parent)))
        before, position = self._scanner.find_item(parent, index)
        if before is None and index != position:
            raise as_refusal(out_of_range(path, len(path) - 1, position))
        if before is None:
            splices = entries.append(self._placer, parent, None, fragment)
        else:
            splices = entries.insert_item(self._placer, parent, before, fragment)
        return self._verify_added(splices, where.entry(position), fragment)

    def _verify_added(
        self, splices: list[Splice], where: Where, fragment: Fragment
    ) -> DocumentEdit:
        splices = self._placer.with_final_break(splices, fragment)
        edit = DocumentEdit.of(self.source, splices, fragment.notes)
        check_anchors(edit, None, fragment.aliases)
        self._verifier.check_added(edit.after, where, fragment.readings())
        return edit


def _name(node: Node) -> str:
    return "null value" if node.kind == "empty" else node.kind


def _wrap(segment: str | int, inner: Fragment, path: Path, placer: Placer) -> Fragment:
    """The value one level up: `segment: value` or `- value`."""
    if isinstance(segment, int) and segment not in (0, -1):
        raise CannotApply(f"A new list has no index [{segment}]: {render_path(path)}")
    prefix = b"-" if isinstance(segment, int) else render_key(segment).encode("utf-8") + b":"
    return Fragment(placer.entry(prefix, inner, 0).replace(b"\r\n", b"\n").decode("utf-8"))
