"""What refers to a definition in C."""

from __future__ import annotations

from collections.abc import Iterator

from redline.code.c.chunks import Part, Sheet, spots_of
from redline.code.c.declared import (
    MACROS,
    Declared,
    declared_at,
    in_doubt,
    is_given_tag,
    local,
    local_tag,
    place,
)
from redline.code.c.types import Bodies, Types
from redline.code.c.visible import Found, Visible, is_linked
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.file_access import Files
from redline.code.references.targets import Meaning, Reference, Target, by_line, verdicts
from redline.code.registry import Resolver
from redline.code.syntax.macros import without_texts, words_in_macros
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

# Where things that all files share by name are thought to be: those of the linker.
_LINKED = WorkspacePath(-2, ())
_UNKNOWN = frozenset({UNKNOWN})


class CReferring(Resolver):
    """Finds what refers to definitions of one name in files of C.

    Only the parts of files that spell a word are parsed: what a name means is looked up from
    where it stands, outward through blocks, the file and the headers that declare it.
    """

    def __init__(self, name: str, files: Files) -> None:
        self.name = name
        self._visible = Visible(files, name)
        self._types = Types(self._visible)
        # Of structs, other files may know the tag alone.
        self._tags: set[Thing] = set()

    def target_on(self, path: WorkspacePath, line: int) -> Target | None:
        """What a line defines by the name, or means by it; None where that cannot be told."""
        sheet = self._visible.sheet(path)
        found = [] if sheet is None else list(self._on(sheet, line))
        found.sort(key=lambda pair: not _defines(declared_at(*pair)))
        self._visible.homes.append(path)
        for part, node in found:
            things, is_member = self._meaning(part, node)
            known = things - {UNKNOWN}
            if known:
                start = part.start + node.range().start.index
                first = min(known, key=lambda thing: (thing.path != path, thing.start != start))
                return Target(first, self._same(known), is_member or first.is_member)
        return None

    def _same(self, things: frozenset[Thing]) -> set[Thing]:
        """What a definition is one with: announced anywhere, it may be any that is made."""
        if any(thing.path == _LINKED for thing in things):
            return {*things, *map(_made, self._visible.made(self.name))}
        made = any(thing.name == f"{self.name}()" for thing in things)
        return {*things, Thing(_LINKED, 0, self.name)} if made else set(things)

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The same by where the name begins."""
        sheet = self._visible.sheet(path)
        return None if sheet is None else self.target_on(path, sheet.line_at(start))

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file; None for C++, which goes by name."""
        sheet = self._visible.sheet(path)
        if sheet is None:
            return None
        near = [target for target in targets if self._may_know(sheet, target)]
        return by_line(verdicts(self._meanings(sheet), near)) if near else []

    def folder_of(self, target: Target) -> WorkspacePath | None:
        """The folder whose files alone may see it; None where all may."""
        homes = self._homes(target)
        folders = {home.parent for home in homes}
        return folders.pop() if len(folders) == 1 else None

    def _homes(self, target: Target) -> set[WorkspacePath]:
        """The files that have it to themselves; none where others can know it."""
        paths = {thing.path for thing in target.same - self._tags}
        is_own = len(target.same & self._tags) == 0 and all(p.name.endswith(".c") for p in paths)
        return paths if is_own else set()

    def _may_know(self, sheet: Sheet, target: Target) -> bool:
        homes = self._homes(target)
        return (
            not homes
            or sheet.path in homes
            or any(self._visible.includes(sheet, home) for home in homes)
        )

    def exported_as(self, target: Target, path: WorkspacePath) -> set[str]:  # noqa: ARG002
        """No other names: C renames nothing."""
        return set()

    def may_see(self, path: WorkspacePath, text: str) -> bool:  # noqa: ARG002 - names are shared
        """Any file may."""
        return True

    def forget(self) -> None:
        """Let go of everything that was read for the answer."""
        self._types.forget()
        self._visible.forget()

    def _on(self, sheet: Sheet, line: int) -> Iterator[tuple[Part, Node]]:
        for part, node in sheet.nodes(self.name):
            if part.line + node.range().start.line + 1 == line:
                yield part, node

    def _meanings(self, sheet: Sheet) -> Iterator[Meaning]:
        """Every place that spells the name as code."""
        for span, part in sheet.parts_with(self.name):
            if part is None:
                yield from self._unparsed(sheet, *span)
                continue
            for node in part.words.get(self.name, ()):
                yield part.line + node.range().start.line + 1, *self._meaning(part, node)
            for node in part.strays(self.name):
                yield part.line + node.range().start.line + 1, _UNKNOWN, False
            for spot, body in words_in_macros(part.root, self.name):
                line = part.line + spot.start.line + 1
                before = part.text[: spot.start.index].rstrip()
                if before.endswith((".", "->")):
                    yield line, _UNKNOWN, True
                else:
                    yield line, self._in_macro(part.sheet, body), False

    def _unparsed(self, sheet: Sheet, start: int, end: int) -> Iterator[Meaning]:
        plain = without_texts(sheet.text[start:end])
        for found in spots_of(plain, self.name):
            yield sheet.line_at(start + found), _UNKNOWN, False

    def _meaning(self, part: Part, node: Node) -> tuple[frozenset[Thing], bool]:
        """What a word means, and whether it is a field."""
        own = declared_at(part, node)
        is_macro = own is not None and self._visible.is_macro(part.sheet, self.name)
        if own is not None and own.kind == "field" and not is_macro:
            return frozenset({_thing(own)}), True
        if node.kind() == "field_identifier" and not is_macro:
            return _things(self._types.field(self._owner(part, node), self.name)), True
        if self._may_be_field(part, node):
            return self._given_field(part, node), True
        return self._plain(part, node, own), False

    def _plain(self, part: Part, node: Node, own: Declared | None) -> frozenset[Thing]:
        above = node.parent()
        if node.kind() == "statement_identifier":
            return self._of_label(part, node)
        if (own is not None and own.kind == "tag") or is_given_tag(node):
            return self._of_tag(part, node)
        if above is not None and above.kind() == "preproc_params":
            return frozenset()
        if _guards(node, self.name):
            return _UNKNOWN
        inside = local(part, node, self.name)
        if inside is not None and not (is_linked(inside) and not inside.is_whole):
            return frozenset({_thing(inside)})
        if in_doubt(part, node):
            return _UNKNOWN
        found = self._visible.named(part.sheet, self.name)
        rivals = self._rivals(part.sheet, found)
        return frozenset({UNKNOWN, *map(_made, rivals)}) if rivals else _found(found)

    def _rivals(self, sheet: Sheet, found: Found) -> list[Declared]:
        """What the file makes for itself of a name that another file makes too."""
        own = [d for d in found.declared if d.path == sheet.path and is_linked(d) and d.is_whole]
        paths = {d.path for d in self._visible.made(self.name)} if own else set()
        return own if len(paths) > 1 else []

    def _may_be_field(self, part: Part, node: Node) -> bool:
        """Whether a plain word that nothing declares is given to a macro: it may be a field."""
        above = node.parent()
        if above is None or above.kind() != "argument_list" or node.kind() != "identifier":
            return False
        found = self._visible.named(part.sheet, self.name)
        return not found.declared and found.is_sure and local(part, node, self.name) is None

    def _given_field(self, part: Part, node: Node) -> frozenset[Thing]:
        """The field that a macro is given together with the one value or type that has it."""
        found: set[frozenset[Thing]] = set()
        for other in node.parent().children():
            if other.is_named() and place(other) != place(node):
                bodies = self._types.of_argument(part, other)
                found.add(_things(self._types.field(bodies, self.name) or []))
        found.discard(frozenset())
        return found.pop() if len(found) == 1 else _UNKNOWN

    def _in_macro(self, sheet: Sheet, body: Node) -> frozenset[Thing]:
        """What a word in a macro means: a macro for sure, others only where it is used."""
        macro = body.parent()
        given = macro.field("parameters") if macro is not None else None
        if given is not None and any(c.text() == self.name for c in given.children()):
            return frozenset()
        found = self._visible.named(sheet, self.name)
        is_macro = found.declared and all(one.kind == "macro" for one in found.declared)
        return _found(found) if is_macro else _UNKNOWN

    def _of_tag(self, part: Part, node: Node) -> frozenset[Thing]:
        inner = local_tag(part, node)
        if inner is not None:
            return frozenset({_thing(inner)})
        found = _found(self._visible.tagged(part.sheet, self.name))
        self._tags |= found
        return found

    def _of_label(self, part: Part, node: Node) -> frozenset[Thing]:
        home = next((a for a in node.ancestors() if a.kind() == "function_definition"), None)
        start = part.start + (home.range().start.index if home is not None else 0)
        return frozenset({Thing(part.sheet.path, start, f"{self.name}:")})

    def _owner(self, part: Part, node: Node) -> Bodies:
        """The structs that a field is taken from."""
        above = node.parent()
        kind = above.kind() if above is not None else ""
        if kind == "field_expression":
            owner = above.field("argument")
            return self._types.of_value(part, owner) if owner is not None else None
        if kind == "offsetof_expression":
            return self._types.of_descriptor(part, above.field("type"))
        pair = above.parent() if kind == "field_designator" else None
        if pair is not None and pair.kind() == "initializer_pair":
            return self._types.of_pair(part, pair, above)
        return None


def _defines(declared: Declared | None) -> bool:
    return declared is not None and (declared.is_whole or declared.kind != "tag")


def _guards(node: Node, name: str) -> bool:
    """Whether `#ifndef NAME` or `!defined(NAME)` asks for what its own lines go on to define."""
    for above in node.ancestors():
        kind = above.kind()
        if kind in ("preproc_ifdef", "preproc_if"):
            head = above.text().split("\n", 1)[0].replace(" ", "")
            absent = (f"#ifndef{name}", f"!defined({name})", f"!defined{name}")
            inside = [c for c in above.children() if c.kind() in MACROS]
            is_set = any(c.field("name").text() == name for c in inside)
            return is_set and any(spelled in head for spelled in absent)
        if kind not in ("preproc_defined", "unary_expression", "binary_expression"):
            return False
    return False


def _found(found: Found) -> frozenset[Thing]:
    things = _things(found.declared)
    return things if found.is_sure else things | _UNKNOWN


def _things(found: list[Declared] | None) -> frozenset[Thing]:
    return _UNKNOWN if found is None else frozenset(_thing(one) for one in found)


def _made(declared: Declared) -> Thing:
    return Thing(declared.path, 0, f"{declared.node.text()}()")


def _thing(declared: Declared) -> Thing:
    if is_linked(declared):
        return Thing(_LINKED, 0, declared.node.text())
    is_member = declared.kind == "field"
    return Thing(declared.path, declared.start, declared.node.text(), is_member)
