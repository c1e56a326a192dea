"""Go types declared outside the workspace; the standard library's interfaces are known."""

from __future__ import annotations

from redline.code.go.names import GoDeclaration, GoKind
from redline.code.go.standard import ALIASES, INTERFACES
from redline.code.references.definition import Definition
from redline.code.references.typed.types import Shape
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Names, Scope
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.node import required_field
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

# The root index of library paths, which no workspace has.
_ROOT = -2
# An unknown type of a library.
LIBRARY = Shape("?.?")


def is_library(shape: Shape) -> bool:
    """Return whether a type belongs to a package outside the workspace."""
    return isinstance(shape.head, str) and "." in shape.head


def may_be_interface(shape: Shape) -> bool:
    """Return whether a library type may be an interface whose methods are unknown."""
    if not is_library(shape) or shape.head in INTERFACES:
        return False
    return shape == LIBRARY or "." in str(shape.head).split("/", maxsplit=1)[0].rpartition(".")[0]


def library_type(path: str, name: str) -> Shape:
    """Return the type *name* of a library package."""
    known = f"{path}.{name}"
    return Shape(ALIASES.get(known, known))


def is_library_definition(definition: Definition) -> bool:
    """Return whether a definition belongs to a known library interface."""
    return definition.path.root == _ROOT


@dataclass(slots=True)
class Library:
    """Parses the library interfaces that are looked up."""

    _read: dict[str, GoDeclaration | None] = field(default_factory=dict)

    def declaration_of(self, name: str) -> GoDeclaration | None:
        """Return the declaration of an interface by its full name."""
        if name not in self._read:
            self._read[name] = _parse_interface(name) if name in INTERFACES else None
        return self._read[name]


def _parse_interface(name: str) -> GoDeclaration | None:
    paths, _, methods = INTERFACES[name].partition(":")
    path, _, short = name.rpartition(".")
    written = methods or "unwritable()"
    imported = "".join(f'import "{each}"\n' for each in paths.split())
    text = f"package library\n{imported}type {short} interface {{ {written} }}\n"
    language = language_of("library.go")
    assert language is not None
    parsed = parse(text, language)
    top = Scope("module", None, parsed.root)
    unit = Unit(WorkspacePath(_ROOT, (*path.split("/"), f"{short}.go")), parsed, Names(top))
    spec = parsed.root.find(kind="type_spec")
    return (
        GoDeclaration(unit, required_field(spec, "name"), GoKind.TYPE, spec)
        if spec is not None
        else None
    )
