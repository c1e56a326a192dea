"""Read the imports of Python and scripts, and find the files that they may refer to."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from redline.code.python_js.path_aliases import PathAliases, join_path
from redline.code.syntax.node import SyntaxNode, begins_at, parent_of, required_field
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass

_PYTHON = (".py", ".pyi")
_SCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
_SPEC = re.compile(r"""(?:\bfrom|\brequire\s*\(|\bimport\s*\(?)\s*['"]([^'"\n]*)['"]""")
# Endings of compiled files in import paths, and those of the sources they are compiled from.
_SOURCES = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}


@dataclass(frozen=True, slots=True)
class ImportedName:
    """`name` of the module at the import path `spec`, or that whole module."""

    spec: str
    name: str | None = None


def python_import(node: SyntaxNode) -> ImportedName | None:
    """Return the import that binds the name at *node*."""
    outer = node.parent()
    while outer is not None and outer.kind() in ("dotted_name", "aliased_import"):
        node, outer = outer, outer.parent()
    if outer is None:
        return None
    name = required_field(node, "name").text() if node.kind() == "aliased_import" else node.text()
    if outer.kind() == "import_statement":
        return ImportedName(name if node.kind() == "aliased_import" else name.split(".")[0])
    if outer.kind() == "import_from_statement":
        return ImportedName(_module_name(outer), name)
    return None


def _module_name(statement: SyntaxNode) -> str:
    return "".join(required_field(statement, "module_name").text().split())


def python_stars(root: SyntaxNode) -> list[str]:
    """Return the modules from which everything is imported."""
    return [_module_name(parent_of(star)) for star in root.find_all(kind="wildcard_import")]


def script_import(node: SyntaxNode) -> ImportedName | None:
    """Return the import or `require` that binds the name at *node*."""
    parent = parent_of(node)
    kind = parent.kind()
    if kind == "import_specifier":
        return _from(parent, required_field(parent, "name").text())
    if kind == "namespace_import":
        return _from(parent, None)
    if kind == "import_clause":
        return _from(parent, "default")
    if kind == "import_require_clause":
        source = parent.field("source")
        return ImportedName(string_content(source)) if source is not None else None
    return _from_require(node)


def _from(node: SyntaxNode, name: str | None) -> ImportedName | None:
    statement: SyntaxNode | None = node
    while statement is not None and statement.kind() != "import_statement":
        statement = statement.parent()
    source = statement.field("source") if statement is not None else None
    return ImportedName(string_content(source), name) if source is not None else None


def _from_require(node: SyntaxNode) -> ImportedName | None:
    """Read `const name = require(...)`, `const { name } = require(...)` and the like."""
    value, name = _assigned_value(node)
    spec = required_module(value)
    return ImportedName(spec, name) if spec is not None else None


class MemberOf(NamedTuple):
    """`holder.name`, where the holder is a plain name."""

    holder: SyntaxNode
    name: str


def extracted_member(node: SyntaxNode) -> MemberOf | None:
    """Return what `const { name } = holder` or `const name = holder.name` assigns."""
    value, name = _assigned_value(node)
    if value is None or value.kind() != "identifier" or name is None:
        return None
    return MemberOf(value, name)


def _assigned_value(node: SyntaxNode) -> tuple[SyntaxNode | None, str | None]:
    """Return the value that a declaration assigns to *node*, and the member taken of it."""
    parent: SyntaxNode | None = parent_of(node)
    name: str | None = None
    if parent is not None and parent.kind() == "pair_pattern":
        name, parent = required_field(parent, "key").text(), parent.parent()
    elif node.kind() == "shorthand_property_identifier_pattern":
        name = node.text()
    if parent is not None and parent.kind() == "object_pattern":
        parent = parent.parent()
    if parent is None or parent.kind() != "variable_declarator":
        return None, None
    value = parent.field("value")
    if name is None and value is not None and value.kind() == "member_expression":
        name, value = required_field(value, "property").text(), value.field("object")
    return value, name


def key_import(node: SyntaxNode) -> ImportedName | None:
    """Return the import of a key in `{ key: name } = require(...)`."""
    return _from_require(node) if parent_of(node).kind() == "pair_pattern" else None


def required_module(node: SyntaxNode | None, by: str = "require") -> str | None:
    """Return the import path of `require("path")`, or of a call of another name."""
    if node is None or node.kind() != "call_expression":
        return None
    called, arguments = node.field("function"), node.field("arguments")
    if called is None or called.text() != by or arguments is None:
        return None
    path = arguments.find(kind="string")
    return string_content(path) if path is not None else None


def string_content(node: SyntaxNode) -> str:
    """Return the text of a string without its quotes."""
    return node.text()[1:-1]


def import_renaming(node: SyntaxNode, *, script: bool) -> ImportedName | None:
    """Return the import or re-export in which *node* is the other module's name."""
    parent = parent_of(node)
    if not script:
        outer = parent.parent() if parent.kind() == "dotted_name" else None
        if outer is None or outer.kind() != "aliased_import":
            return None
        return python_import(required_field(outer, "alias"))
    if parent.kind() == "import_specifier":
        return script_import(node)
    if parent.kind() == "export_specifier":
        source = parent_of(parent_of(parent)).field("source")
        if source is not None and begins_at(parent.field("name"), node):
            return ImportedName(string_content(source), node.text())
    return None


def imported_stems(text: str) -> dict[str, list[int]]:
    """Map the key of each import of a script to its lines; no name equals a key."""
    found: dict[str, list[int]] = {}
    for spec in _SPEC.finditer(text):
        key = stem_key(spec[1])
        line = text.count("\n", 0, spec.start()) + 1
        if line not in found.setdefault(key, []):
            found[key].append(line)
    return found


def stem_key(spec: str) -> str:
    """Return the key of an import: the last word of its path without its ending."""
    last = spec.rstrip("/").rsplit("/", 1)[-1]
    stem = last.split(".")[0] if last.strip(".") else "index"
    return f"import:{stem}"


def stem_keys(path: WorkspacePath) -> list[str]:
    """Return the keys of the imports that may refer to a file."""
    stem = path.name.split(".")[0]
    above = path.parent.name
    return [stem_key(stem), *([stem_key(above)] if stem == "index" and above else [])]


def python_candidates(path: WorkspacePath, spec: str) -> Iterator[WorkspacePath]:
    """Yield the files that a Python import may refer to, the likeliest first."""
    words = tuple(word for word in spec.split(".") if word)
    dots = len(spec) - len(spec.lstrip("."))
    home = path.parent
    if dots:
        up = home.parts[: len(home.parts) - dots + 1]
        bases = [up] if dots <= len(home.parts) + 1 else []
    else:
        above = [home.parts[:depth] for depth in range(len(home.parts), 0, -1)]
        inner = [base for parts in above for base in (parts, (*parts, "src"))]
        bases = [(), ("src",)]
        bases += inner if words[:1] and words[0] not in sys.stdlib_module_names else []
    for base in bases:
        for ending in _PYTHON:
            if words:
                yield WorkspacePath(path.root, (*base, *words[:-1], words[-1] + ending))
            yield WorkspacePath(path.root, (*base, *words, "__init__" + ending))


def script_candidates(path: WorkspacePath, spec: str) -> Iterator[WorkspacePath]:
    """Yield the files that a script's relative import may refer to, the likeliest first."""
    if not spec.startswith("."):
        return
    parts = join_path(path.parent.parts, spec)
    yield from _files_at(path.root, parts, is_folder=spec.endswith("/"))


def aliased_candidates(
    path: WorkspacePath, spec: str, aliases: PathAliases
) -> Iterator[WorkspacePath]:
    """Yield the files that an import path may refer to that a configuration defines."""
    if not spec.startswith("."):
        for parts in aliases.rules(path.parent).locations(spec):
            yield from _files_at(path.root, parts, is_folder=spec.endswith("/"))


def _files_at(root: int, parts: Sequence[str], *, is_folder: bool) -> Iterator[WorkspacePath]:
    for name in _file_names(parts[-1]) if parts and not is_folder else ():
        yield WorkspacePath(root, (*parts[:-1], name))
    for ending in _SCRIPT:
        yield WorkspacePath(root, (*parts, "index" + ending))


def _file_names(stem: str) -> Iterator[str]:
    """Yield the file names that the last word of an import path may refer to."""
    yield stem
    for compiled, sources in _SOURCES.items():
        if stem.endswith(compiled):
            yield from (stem.removesuffix(compiled) + ending for ending in sources)
    yield from (stem + ending for ending in _SCRIPT)
