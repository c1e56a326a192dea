"""Lossless edits of YAML."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cached_property
from itertools import islice
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, InvalidArgument, NodeNotFound
from redline.core.splice import Splice
from redline.core.text_limits import shorten
from redline.core.wording import naming
from redline.documents.base import model
from redline.documents.base.path import Path, render_path
from redline.documents.yaml import strict, values
from redline.documents.yaml.edit import entries
from redline.documents.yaml.edit.fragment import Fragment, render_key
from redline.documents.yaml.edit.placement import Placer, Style
from redline.documents.yaml.portable import MERGE, can_merge
from redline.documents.yaml.skim.nodes import Child, Node
from redline.documents.yaml.skim.scan import Scanner
from redline.documents.yaml.verify import Step, Where, YamlVerifier

# How many keys are compared with one that is missing.
_NEAR = 500
_MAX_TARGET_CHARS = 200
_LONE_CR = re.compile(rb"\r(?!\n)")


class YamlDocument:
    """One document of a YAML stream; parsing it validates the whole stream."""

    format = "yaml"

    def __init__(self, source: bytes, index: int = 0) -> None:
        model.require_text(source, "YAML", model.MAX_PARSED_BYTES)
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

    def _read(self, value: str) -> Fragment:
        return Fragment(value, self._scanner.stream.tag_directives(self._part))

    def get(self, path: Path) -> model.Slice:
        """The node's source slice with its tag; an alias is itself, and what it means is noted."""
        node, notes, where = self._locate(path)
        try:
            self._verifier.find(where)
        except CannotApply as error:
            raise NodeNotFound(error.message) from None
        if node.kind == "alias":
            notes = (*notes, self._describe_alias(node))
        start = node.start
        if node.tag is not None:
            start = self.source.index(node.tag, node.props)
        return model.slice_of(self.source, start, self._slice_end(node), node.kind, notes)

    def _slice_end(self, node: Node) -> int:
        """Where the source of a node ends; with all its line breaks if the value has them."""
        if node.kind == "alias":
            return node.end
        if node.kind == "empty":
            return node.start if node.tag is None else node.props_end
        end = self._scanner.end_of(node)
        if b"+" in node.marks:
            end = self.source.find(b"\n", end) + 1 or end
        return end

    def set(self, path: Path, value: str, *, create_parents: bool = False) -> model.DocumentEdit:
        """Replace the node, or create the leaf of a mapping."""
        fragment = self._read(value)
        try:
            node, notes, where = self._locate(path)
        except NodeNotFound as error:
            return self._create(path, fragment, error, create_parents=create_parents)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
        _require_mergeable(path, fragment)
        notes = (*self._anchor_notes(node), *fragment.notes)
        if node.tag is not None and fragment.takes_tag:
            tagged = fragment.with_tag(node.tag)
            notes = (*notes, _describe_tag(node.tag, is_kept=tagged is not None))
            fragment = tagged or fragment
        splices = self._placer.with_final_break(self._replace(node, fragment), fragment)
        edit = model.DocumentEdit.of(self.source, splices, notes)
        check_anchors(edit, node.anchor if fragment.root.anchor is None else None, fragment.aliases)
        self._verifier.check_set(edit.after, where, fragment.readings())
        return edit

    def insert(self, path: Path, value: str, *, after: str | None = None) -> model.DocumentEdit:
        """A list item before an index, or a new key of a mapping."""
        if not path:
            raise CannotApply("The whole document cannot be inserted")
        fragment = self._read(value)
        try:
            parent, notes, where = self._locate(path[:-1])
        except NodeNotFound as error:
            raise model.as_refusal(error) from None
        last = path[-1]
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}")
        if isinstance(last, int) and after is None:
            return self._insert_item(path, parent, last, fragment, where)
        key = str(last)
        if parent.kind == "mapping" and self._scanner.find_named(parent, key):
            raise model.key_exists(path)
        fits = parent.kind == "mapping" or (parent.kind == "empty" and not path[:-1])
        if not fits or isinstance(last, int):
            raise model.as_refusal(model.wrong_shape(path, len(path) - 1, _name(parent)))
        sibling = None if after is None else self._sibling(parent, path, after)
        return self._add_key(parent, key, fragment, where, sibling)

    def _sibling(self, parent: Node, path: Path, after: str) -> Child:
        """Return the entry that the new one at *path* is placed behind; CannotApply."""
        found = self._scanner.find_named(parent, after) if parent.kind == "mapping" else []
        if len(found) != 1 or found[0].is_complex or parent.marks == b"pair":
            raise model.no_sibling(path, after)
        return found[0]

    def rename(self, path: Path, name: str) -> model.DocumentEdit:
        """Write another name in place of a key's, in its quotes."""
        _, notes, where = self._locate(path)
        if not path or isinstance(path[-1], int):
            raise model.not_a_key(path)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
        parent, _, _ = self._locate(path[:-1])
        if self._scanner.find_named(parent, name):
            raise model.key_exists((*path[:-1], name))
        child = self._scanner.find_named(parent, str(path[-1]))[-1]
        style = {b'"': "double", b"'": "single"}.get(self.source[child.key_start :][:1], "")
        text = values.render_as(name, style) if style else render_key(name)
        splice = Splice(child.key_start, child.key_end, text.encode("utf-8"))
        edit = model.DocumentEdit.of(self.source, [splice])
        check_anchors(edit)
        self._verifier.check_renamed(edit.after, where, text.encode("utf-8"))
        return edit

    def delete(self, path: Path) -> model.DocumentEdit:
        """Remove the entry, its same-line comment and the comment above that it alone has."""
        if not path:
            raise CannotApply("The whole document cannot be deleted")
        node, notes, where = self._locate(path)
        if notes:
            raise CannotApply(f"{notes[0]}: {render_path(path)}", hint="remove one of them")
        parent, _, _ = self._locate(path[:-1])
        splices = entries.remove(self._placer, parent, *self._scanner.beside(parent, node))
        edit = model.DocumentEdit.of(self.source, splices)
        check_anchors(edit)
        self._verifier.check_removed(edit.after, where)
        return edit

    def data(self) -> Any:
        """Return the document as plain values by the core schema; aliases are their own text."""
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
        """Return the scalar at *path* as the file writes it; empty where it cannot be found."""
        try:
            node, _, _ = self._locate(path)
        except (CannotApply, NodeNotFound):
            return ""
        if node.kind != "scalar":
            return ""
        return self.source[node.start : self._scanner.end_of(node)].decode("utf-8")

    def render(self, value: Any, at: Path = ()) -> str:
        """*value* as YAML, collections as blocks that are indented as here.

        Text keeps the style of the scalar it replaces: its quotes, none, or a block. Text of
        several lines is a block wherever the place can have one.
        """
        can_be_block = bool(at) and not self._is_in_flow(at)
        if isinstance(value, str):
            style = self._style_at(at)
            if can_be_block and "\n" in value and not self._breaks_in_quotes(at, style):
                style = "literal"
            return values.render_as(value, style)
        return values.render_block(value, self._placer.style.step, literal=can_be_block)

    def _breaks_in_quotes(self, path: Path, style: str) -> bool:
        """Return whether the text at *path* writes its line breaks in double quotes."""
        return style == "double" and "\\n" in self.scalar_text(path)

    def _is_in_flow(self, path: Path) -> bool:
        """Return whether the value at *path* is, or would be, inside a flow collection."""
        for depth in range(len(path) + 1):
            try:
                node, _, _ = self._locate(path[:depth])
            except (CannotApply, NodeNotFound):
                return False
            if node.style == "flow" and (depth < len(path) or node.kind == "sequence"):
                return True
        return False

    def read_typed(self, value: str, at: Path) -> str:
        """Return *value* in the quotes of the text it replaces; CannotApply if it is misread."""
        fragment = self._read(value)
        fragment.refuse_misreading()
        style = self._style_at(at)
        if style in ("single", "double") and fragment.is_bare:
            return values.render_as(fragment.text.decode("utf-8"), style)
        return value

    def _style_at(self, path: Path) -> str:
        """Return the style of the scalar at *path*; empty if there is none."""
        try:
            node, _, _ = self._locate(path)
        except (CannotApply, NodeNotFound):
            return ""
        return node.style if node.kind == "scalar" else ""

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
            raise model.wrong_shape(path, depth, _name(node))
        child, position = self._scanner.find_item(node, index)
        if child is None:
            raise model.out_of_range(path, depth, position)
        return child, position

    def _member(self, node: Node, path: Path, depth: int, notes: list[str]) -> Child:
        wanted = str(path[depth])
        if node.kind == "empty":
            raise model.missing_key(path, depth, ())
        if node.kind != "mapping":
            raise model.wrong_shape(path, depth, _name(node))
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
        error = model.missing_key(path, depth, keys)
        if "<<" in keys:
            error.hint = "the mapping merges keys through <<; a merged key is set as an override"
        return error

    def _describe_alias(self, node: Node) -> str:
        name = self.source[node.start + 1 : node.end]
        target = self._find_anchor(self._root, name, node.start)
        note = f"alias of &{name.decode('utf-8', 'replace')}; set replaces the alias alone"
        if target is None:
            return note
        text = self.source[target.start : self._slice_end(target)].decode("utf-8")
        return f"{note}; it stands for: {shorten(text, _MAX_TARGET_CHARS)}"

    def _find_anchor(self, top: Node, name: bytes, before: int) -> Node | None:
        """Return the last node above *before* that carries the anchor."""
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
    ) -> model.DocumentEdit:
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
            raise model.as_refusal(error)
        if depth < len(path) - 1 and not create_parents:
            raise model.missing_levels(error)
        for segment in reversed(path[depth + 1 :]):
            fragment = _wrap(segment, fragment, path, self._placer)
        if fits:
            return self._add_key(parent, key, fragment, where)
        return self.set(path[:depth], _wrap(key, fragment, path, self._placer).source.decode())

    def _is_null(self, node: Node) -> bool:
        text = self.source[node.start : node.end]
        return node.style == "plain" and text in (b"~", b"null", b"Null", b"NULL")

    def _add_key(
        self,
        parent: Node,
        key: str,
        fragment: Fragment,
        where: Where,
        after: Child | None = None,
    ) -> model.DocumentEdit:
        if b"\r" in self.source and _LONE_CR.search(self.source):
            raise CannotApply("The file breaks lines with a lone CR, which is not edited")
        _require_mergeable((key,), fragment)
        if parent.kind == "empty":
            splices = entries.create_first(self._placer, self._part, key, fragment)
        else:
            splices = entries.append(self._placer, parent, key, fragment, after)
        return self._verify_added(splices, where.entry(render_key(key).encode("utf-8")), fragment)

    def _insert_item(
        self, path: Path, parent: Node, index: int, fragment: Fragment, where: Where
    ) -> model.DocumentEdit:
        if parent.kind != "sequence":
            raise model.as_refusal(model.wrong_shape(path, len(path) - 1, _name(parent)))
        before, position = self._scanner.find_item(parent, index)
        if before is None and index != position:
            raise model.as_refusal(model.out_of_range(path, len(path) - 1, position))
        if before is None:
            splices = entries.append(self._placer, parent, None, fragment)
        else:
            splices = entries.insert_item(self._placer, parent, before, fragment)
        return self._verify_added(splices, where.entry(position), fragment)

    def _verify_added(
        self, splices: list[Splice], where: Where, fragment: Fragment
    ) -> model.DocumentEdit:
        splices = self._placer.with_final_break(splices, fragment)
        edit = model.DocumentEdit.of(self.source, splices, fragment.notes)
        check_anchors(edit, None, fragment.aliases)
        self._verifier.check_added(edit.after, where, fragment.readings())
        return edit


def _require_mergeable(path: Path, fragment: Fragment) -> None:
    """Refuse a value at a merge key that parsers cannot merge."""
    if path and path[-1] == MERGE and not can_merge(fragment.root.kind):
        raise CannotApply(
            "A merge key (<<) takes a mapping, an alias of one, or a list of them",
            hint="set the keys themselves instead",
        )


def _describe_tag(tag: bytes, *, is_kept: bool) -> str:
    name = tag.decode("utf-8")
    if is_kept:
        return f"the tag {name} stays; a value with a tag of its own replaces it"
    return f"the tag {name} is gone: it does not go with the value"


def _name(node: Node) -> str:
    return "null value" if node.kind == "empty" else node.kind


def _wrap(segment: str | int, inner: Fragment, path: Path, placer: Placer) -> Fragment:
    """Return the value one level up: `segment: value` or `- value`."""
    if isinstance(segment, int) and segment not in (0, -1):
        raise CannotApply(f"A new list has no index [{segment}]: {render_path(path)}")
    prefix = b"-" if isinstance(segment, int) else render_key(segment).encode("utf-8") + b":"
    text = placer.entry(prefix, inner, 0).replace(b"\r\n", b"\n").decode("utf-8")
    return Fragment(text, inner.directives)


# The mark comes first in every pattern: a single byte is found fast.
_ANCHOR = re.compile(rb"&(?<![^ \t\r\n,\[{:]&)([^ \t\r\n,\[\]{}]+)")
_ENDS = rb"(?=[ \t\r\n,\[\]{}]|\Z)"


def uses_of(source: bytes, anchor: bytes, *, at_most: int = 20) -> list[int]:
    """Return the first lines on which `*anchor` occurs."""
    pattern = re.compile(rb"\*(?<![^ \t\r\n,\[{:]\*)" + re.escape(anchor) + _ENDS)
    found = islice(pattern.finditer(source), at_most)
    return [source.count(b"\n", 0, match.start()) + 1 for match in found]


def check_anchors(
    edit: model.DocumentEdit, kept: bytes | None = None, new_aliases: Set[bytes] = frozenset()
) -> None:
    """Refuse an edit that breaks or redirects an alias."""
    before, after = edit.before, edit.after
    if new_aliases:
        _check_new_aliases(edit, kept, new_aliases)
    if b"&" not in before:
        return
    for name in _changed_names(edit):
        if not uses_of(after, name, at_most=1):
            continue
        gone, come = _count(before, name), _count(after, name)
        if gone and not come:
            raise CannotApply(
                f"An alias elsewhere needs the anchor that would go: *{_display(name)}",
                hint="change the places that use the alias first",
            )
        if come > gone > 0:
            raise CannotApply(f"The anchor is already in use: &{_display(name)}")


def _changed_names(edit: model.DocumentEdit) -> list[bytes]:
    """Return the anchors that an edit adds or takes away, by the lines it touches."""
    start = edit.before.rfind(b"\n", 0, min((s.start for s in edit.splices), default=0)) + 1
    end = edit.before.find(b"\n", max((s.end for s in edit.splices), default=0))
    end = len(edit.before) if end < 0 else end
    old = _counts(edit.before[start:end])
    new = _counts(edit.after[start : end + len(edit.after) - len(edit.before)])
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def _count(source: bytes, name: bytes) -> int:
    pattern = re.compile(rb"&(?<![^ \t\r\n,\[{:]&)" + re.escape(name) + _ENDS)
    return sum(1 for _ in pattern.finditer(source))


def _check_new_aliases(edit: model.DocumentEdit, kept: bytes | None, aliases: Set[bytes]) -> None:
    start = min((splice.start for splice in edit.splices), default=0)
    defined = {match[1] for match in _ANCHOR.finditer(edit.before, 0, start)}
    for splice in edit.splices:
        defined |= {match[1] for match in _ANCHOR.finditer(splice.data)}
    for name in aliases:
        if name == kept or name not in defined:
            raise CannotApply(f"No anchor above for the alias: *{_display(name)}")


def _counts(source: bytes) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for match in _ANCHOR.finditer(source):
        found[match[1]] = found.get(match[1], 0) + 1
    return found


def _display(name: bytes) -> str:
    return name.decode("utf-8", "replace")
