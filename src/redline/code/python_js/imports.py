"""What a name is brought in from, and which files an import may mean."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_PYTHON = (".py", ".pyi")
_SCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
_SPEC = re.compile(r"""(?:\bfrom|\brequire\s*\(|\bimport\s*\(?)\s*['"](\.[^'"\n]*)['"]""")
_SPELLED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}


@dataclass(frozen=True, slots=True)
class Import:
    """`name` of the module that `spec` spells, or that module itself."""

    spec: str
    name: str | None = None


def python_import(node: Node) -> Import | None:
    """The import whose name *node* binds."""
    outer = node.parent()
    while outer is not None and outer.kind() in ("dotted_name", "aliased_import"):
        node, outer = outer, outer.parent()
    if outer is None:
        return None
    spelled = node.field("name") if node.kind() == "aliased_import" else node
    if outer.kind() == "import_statement":
        words = spelled.text()
        return Import(words if node.kind() == "aliased_import" else words.split(".")[0])
    if outer.kind() == "import_from_statement":
        return Import(_joined(outer.field("module_name").text()), spelled.text())
    return None


def _joined(text: str) -> str:
    return "".join(text.split())


def python_stars(root: Node) -> list[str]:
    """The modules whose names are all brought in."""
    found = root.find_all(kind="wildcard_import")
    return [_joined(node.parent().field("module_name").text()) for node in found]


def script_import(node: Node) -> Import | None:
    """The import or `require` whose name *node* binds."""
    parent = node.parent()
    kind = parent.kind()
    if kind == "import_specifier":
        return _from(parent, "import_statement", parent.field("name").text())
    if kind == "namespace_import":
        return _from(parent, "import_statement", None)
    if kind == "import_clause":
        return _from(parent, "import_statement", "default")
    if kind == "import_require_clause":
        source = parent.field("source")
        return Import(unquoted(source)) if source is not None else None
    return _required(node, parent)


def _from(node: Node, statement: str, name: str | None) -> Import | None:
    while node is not None and node.kind() != statement:
        node = node.parent()
    source = node.field("source") if node is not None else None
    return Import(unquoted(source), name) if source is not None else None


def _required(node: Node, parent: Node) -> Import | None:
    """`const name = require(...)`, `const { name } = require(...)` and the like."""
    value, name = _set_to(node, parent)
    spec = required(value)
    return Import(spec, name) if spec is not None else None


def taken_from(node: Node) -> tuple[Node, str] | None:
    """`const { name } = holder`, `const name = holder.name`: the holder and what is taken."""
    value, name = _set_to(node, node.parent())
    is_plain = value is not None and value.kind() == "identifier" and name is not None
    return (value, name) if is_plain and name is not None else None


def _set_to(node: Node, parent: Node) -> tuple[Node | None, str | None]:
    """What a declaration takes the name at *node* out of, and which part of it."""
    name: str | None = None
    if parent.kind() == "pair_pattern":
        name, node, parent = parent.field("key").text(), parent, parent.parent()
    elif node.kind() == "shorthand_property_identifier_pattern":
        name = node.text()
    if parent.kind() == "object_pattern":
        parent = parent.parent()
    if parent is None or parent.kind() != "variable_declarator":
        return None, None
    value = parent.field("value")
    if name is None and value is not None and value.kind() == "member_expression":
        name, value = value.field("property").text(), value.field("object")
    return value, name


def key_import(node: Node) -> Import | None:
    """`{ key: name } = require(...)`: what the key asks for."""
    parent = node.parent()
    is_key = parent.kind() == "pair_pattern"
    return _required(node, parent) if is_key else None


def required(node: Node | None) -> str | None:
    """The module that `require("module")` asks for."""
    if node is None or node.kind() != "call_expression":
        return None
    called, given = node.field("function"), node.field("arguments")
    if called is None or called.text() != "require" or given is None:
        return None
    words = given.find(kind="string")
    return unquoted(words) if words is not None else None


def unquoted(node: Node) -> str:
    """The words of a plain string."""
    text: str = node.text()
    return text[1:-1]


def imported_stems(text: str) -> dict[str, list[int]]:
    """By what a script imports from beside it, the lines: keys that no name of code can have."""
    found: dict[str, list[int]] = {}
    for spec in _SPEC.finditer(text):
        key = stem_key(spec[1])
        line = text.count("\n", 0, spec.start()) + 1
        if line not in found.setdefault(key, []):
            found[key].append(line)
    return found


def stem_key(spec: str) -> str:
    """The key of an import: the last word of its path without its ending."""
    last = spec.rstrip("/").rsplit("/", 1)[-1]
    stem = last.split(".")[0] if last.strip(".") else "index"
    return f"import:{stem}"


def stem_keys(path: WorkspacePath) -> list[str]:
    """The keys under which a file may be imported."""
    stem = path.name.split(".")[0]
    above = path.parent.name
    return [stem_key(stem), *([stem_key(above)] if stem == "index" and above else [])]


def python_places(path: WorkspacePath, spec: str) -> Iterator[WorkspacePath]:
    """The files a Python import may mean, the likeliest first."""
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


def script_places(path: WorkspacePath, spec: str) -> Iterator[WorkspacePath]:
    """The files a relative import of a script may mean, the likeliest first."""
    if not spec.startswith("."):
        return
    parts = list(path.parent.parts)
    for word in spec.split("/"):
        if word == ".." and parts:
            parts.pop()
        elif word not in (".", "", ".."):
            parts.append(word)
    for name in _spellings(parts[-1]) if parts and not spec.endswith("/") else ():
        yield WorkspacePath(path.root, (*parts[:-1], name))
    for ending in _SCRIPT:
        yield WorkspacePath(path.root, (*parts, "index" + ending))


def _spellings(stem: str) -> Iterator[str]:
    """The file names that the last word of an import may mean."""
    yield stem
    for written, meant in _SPELLED.items():
        if stem.endswith(written):
            yield from (stem.removesuffix(written) + ending for ending in meant)
    yield from (stem + ending for ending in _SCRIPT)
