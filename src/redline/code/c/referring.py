"""What refers to a definition in C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.code.c.declared import MACROS, Declared, declared_at, local
from redline.code.c.sheets import Sheet
from redline.code.c.types import Bodies, Types
from redline.code.c.visible import Visible, is_linked
from redline.code.definitions import Parsed
from redline.code.macros import words_in_macros
from redline.code.named import Node
from redline.code.project import Files
from redline.code.scopes import Member, Names, Occurrence, Scope
from redline.code.targets import Meaning, Reference, Target
from redline.code.things import UNKNOWN, Thing
from redline.code.typed.referring import TypedReferring
from redline.code.typed.units import Unit
from redline.core.paths import WorkspacePath

# Where things that all files share by name are thought to be: those of the linker.
_LINKED = WorkspacePath(-2, ())
_UNKNOWN = frozenset({UNKNOWN})


class CReferring(TypedReferring):
    """Finds what refers to definitions of one name in files of C.

    Nothing is read but the words themselves: what a name means is looked up from where it stands,
    outward through blocks, the file and the headers that declare it.
    """

    def __init__(self, name: str, files: Files) -> None:
        super().__init__(name, files)
        self._visible = Visible(self.units)
        self._types = Types(self._visible)

    def read(self, parsed: Parsed, spots: Sequence[int]) -> Names:  # noqa: ARG002 - by words
        """No names yet: they are looked up in the tree that a sheet chooses."""
        return Names(Scope("module", None, parsed.root))

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The definition whose name begins at *start*."""
        unit = self.units.at(path)
        if unit is None or unit.parsed.language.name != "c":
            return None
        self._note(unit)
        return super().target(path, start)

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file; C++ goes by name."""
        unit = self.units.at(path)
        if unit is None or unit.parsed.language.name != "c":
            return None
        self._note(unit)
        return super().in_file(path, targets)

    def _note(self, unit: Unit) -> None:
        """Note the places that spell the name, once."""
        names = unit.names
        if names.occurrences or names.members:
            return
        sheet = self._visible.sheet(unit)
        for node in sheet.words.get(self.name, ()):
            if node.kind() == "field_identifier" or self._may_be_field(sheet, node):
                names.member(node, names.root, "access")
            else:
                names.refer(node, names.root)

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        yield from super()._meanings(unit)
        sheet = self._visible.sheet(unit)
        for spot, body in words_in_macros(sheet.root, self.name):
            before = unit.parsed.text[: spot.start.index].rstrip()
            if before.endswith((".", "->")):
                yield spot.start.line + 1, _UNKNOWN, True
            else:
                yield spot.start.line + 1, self._in_macro(sheet, body), False

    def _in_macro(self, sheet: Sheet, body: Node) -> frozenset[Thing]:
        """What a word in a macro means: a macro for sure, others only where it is used."""
        macro = body.parent()
        given = macro.field("parameters") if macro is not None else None
        if given is not None and any(c.text() == self.name for c in given.children()):
            return frozenset()
        found = self._visible.named(sheet, self.name)
        if found and all(one.kind == "macro" for one in found):
            return _things(found)
        return _UNKNOWN

    def _may_be_field(self, sheet: Sheet, node: Node) -> bool:
        """Whether a plain word that nothing declares is given to a macro: it may be a field."""
        above = node.parent()
        if above is None or above.kind() != "argument_list" or node.kind() != "identifier":
            return False
        is_named = self._visible.named(sheet, self.name) != []
        return not is_named and local(sheet, node, self.name) is None

    def of_spot(self, unit: Unit, spot: Occurrence) -> frozenset[Thing]:
        """What a plain name means."""
        sheet = self._visible.sheet(unit)
        above = spot.node.parent()
        own = declared_at(sheet, spot.node)
        if spot.kind == "statement_identifier":
            return self._of_label(sheet, spot.node)
        if own is not None and own.kind == "field":
            return frozenset({_thing(own)})
        if own is not None and own.kind == "tag":
            return _things(self._visible.tagged(sheet, self.name))
        if above is not None and above.kind() == "preproc_params":
            return frozenset()
        if above is not None and _guards(above, self.name):
            return _UNKNOWN
        inside = local(sheet, spot.node, self.name)
        if inside is not None and not (is_linked(inside) and not inside.is_whole):
            return frozenset({_thing(inside)})
        return _things(self._visible.named(sheet, self.name))

    def of_member(self, unit: Unit, member: Member) -> frozenset[Thing]:
        """What a field means: by the struct of what it is taken from."""
        sheet = self._visible.sheet(unit)
        own = declared_at(sheet, member.node)
        if own is not None:
            return frozenset({_thing(own)})
        return _things(self._types.field(self._owner(sheet, member.node), self.name))

    def _of_label(self, sheet: Sheet, node: Node) -> frozenset[Thing]:
        home = next((a for a in node.ancestors() if a.kind() == "function_definition"), None)
        start = home.range().start.index if home is not None else 0
        return frozenset({Thing(sheet.path, start, f"{self.name}:")})

    def _owner(self, sheet: Sheet, node: Node) -> Bodies:
        """The structs that a field is taken from."""
        above = node.parent()
        kind = above.kind() if above is not None else ""
        if kind == "field_expression":
            owner = above.field("argument")
            return self._types.of_value(sheet, owner) if owner is not None else None
        if kind == "offsetof_expression":
            return self._types.of_descriptor(sheet, above.field("type"))
        pair = above.parent() if kind == "field_designator" else None
        if pair is not None and pair.kind() == "initializer_pair":
            return self._types.of_pair(sheet, pair, above)
        return None


def _guards(node: Node, name: str) -> bool:
    """Whether `#ifndef NAME` asks for what its own lines go on to define."""
    if node.kind() != "preproc_ifdef" or not node.text().startswith("#ifndef"):
        return False
    return any(c.kind() in MACROS and c.field("name").text() == name for c in node.children())


def _things(found: list[Declared] | None) -> frozenset[Thing]:
    return _UNKNOWN if found is None else frozenset(_thing(one) for one in found)


def _thing(declared: Declared) -> Thing:
    if is_linked(declared) and declared.by.kind() != "parameter_declaration":
        return Thing(_LINKED, 0, declared.node.text())
    is_member = declared.kind == "field"
    return Thing(declared.path, declared.start, declared.node.text(), is_member)
