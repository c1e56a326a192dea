"""Types of Go that no file of the workspace declares: interfaces everyone may satisfy, and rest."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.code.go.names import Declared
from redline.code.go.standard import ALIASES, INTERFACES
from redline.code.references.definition import Thing
from redline.code.references.typed.types import Shape
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Names, Scope
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import language_of
from redline.core.paths import WorkspacePath

# A root that no workspace has.
_ROOT = -2
# Something of a library, nobody knows what.
LIBRARY = Shape("?.?")


def is_library(shape: Shape) -> bool:
    """Whether a type is one of a package that is not in the workspace."""
    return isinstance(shape.head, str) and "." in shape.head


def may_be_interface(shape: Shape) -> bool:
    """Whether a type of a library may be an interface that is not known here."""
    if not is_library(shape) or shape.head in INTERFACES:
        return False
    return shape == LIBRARY or "." in str(shape.head).split("/", maxsplit=1)[0].rpartition(".")[0]


def of_library(path: str, name: str) -> Shape:
    """The type *name* of a library's package."""
    known = f"{path}.{name}"
    return Shape(ALIASES.get(known, known))


def is_of_library(thing: Thing) -> bool:
    """Whether a thing belongs to an interface that is known here."""
    return thing.path.root == _ROOT


@dataclass(slots=True)
class Library:
    """Reads the interfaces that are asked for."""

    _read: dict[str, Declared | None] = field(default_factory=dict)

    def home(self, name: str) -> Declared | None:
        """The declaration of an interface by its full name."""
        if name not in self._read:
            self._read[name] = _declared(name) if name in INTERFACES else None
        return self._read[name]


def _declared(name: str) -> Declared | None:
    paths, _, methods = INTERFACES[name].partition(":")
    path, _, short = name.rpartition(".")
    spelled = methods or "unwritable()"
    imported = "".join(f'import "{each}"\n' for each in paths.split())
    text = f"package library\n{imported}type {short} interface {{ {spelled} }}\n"
    language = language_of("library.go")
    assert language is not None
    parsed = parse(text, language)
    top = Scope("module", None, parsed.root)
    unit = Unit(WorkspacePath(_ROOT, (*path.split("/"), f"{short}.go")), parsed, Names(top))
    spec = parsed.root.find(kind="type_spec")
    return Declared(unit, spec.field("name"), "type", spec) if spec is not None else None
