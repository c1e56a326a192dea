"""What Rust brings in: `use` with its lists, other names and globs, and `extern crate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.code.rust.scopes.expansions import Expansions
from redline.code.rust.scopes.names import Glob, Path, RustNames
from redline.code.scopes.model import ANY, TYPE, Scope, TreeReader
from redline.code.syntax.node import Node

_PATHS = {"scoped_identifier", "scoped_type_identifier"}
_HEADS = {"crate", "self", "super"}
_NAMES = {"identifier"}


class UseReader(TreeReader):
    """Notes what is brought in, and the words of the paths to it."""

    names: RustNames

    def __init__(self, names: RustNames, spots: Sequence[int], expansions: Expansions) -> None:
        super().__init__(names, spots)
        self.expansions = expansions
        # Whether what is being brought in is passed on.
        self.is_public = False

    def use(self, node: Node, scope: Scope) -> None:
        self.is_public = any(child.kind() == "visibility_modifier" for child in node.children())
        argument = node.field("argument")
        if argument is not None:
            self.use_tree(argument, scope, ())

    def extern(self, node: Node, scope: Scope) -> None:
        name, alias = node.field("name"), node.field("alias")
        bound = alias if alias is not None else name
        if alias is not None:
            self.prefixed(name, scope, ("", name.text()))
        self.names.bind(bound, scope, "import", TYPE)
        self.names.uses[bound.range().start.index] = ("", name.text())
        self.names.externs[bound.text()] = ("", name.text())

    def use_tree(self, node: Node, scope: Scope, prefix: Path) -> None:
        known = _USES.get(node.kind())
        if known is not None:
            known(self, node, scope, prefix)

    def use_list(self, node: Node, scope: Scope, prefix: Path) -> None:
        for child in node.children():
            self.use_tree(child, scope, prefix)

    def use_many(self, node: Node, scope: Scope, prefix: Path) -> None:
        path = node.field("path")
        inner = self.path(path, scope, prefix)
        for child in node.field("list").children():
            if child.kind() == "self" and path is not None:
                self.brought(_last(path), scope, inner)
            else:
                self.use_tree(child, scope, inner)

    def use_as(self, node: Node, scope: Scope, prefix: Path) -> None:
        whole = self.path(node.field("path"), scope, prefix)
        if node.field("alias").text() != "_":
            self.brought(node.field("alias"), scope, whole)

    def use_all(self, node: Node, scope: Scope, prefix: Path) -> None:
        path = next((c for c in node.children() if c.kind() in _PATHS | _HEADS | _NAMES), None)
        whole = self.path(path, scope, prefix) if path is not None else prefix
        self.names.globs.append(Glob(scope, whole, self.is_public))

    def use_path(self, node: Node, scope: Scope, prefix: Path) -> None:
        inner, name = self.path(node.field("path"), scope, prefix), node.field("name")
        self.brought(name, scope, (*inner, name.text()))

    def use_name(self, node: Node, scope: Scope, prefix: Path) -> None:
        self.brought(node, scope, (*prefix, node.text()))

    def brought(self, node: Node, scope: Scope, path: Path) -> None:
        """Bind a name to what a path leads to."""
        if not path or node.kind() in _HEADS:
            return
        self.names.bind(node, scope, "import", ANY)
        self.names.uses[node.range().start.index] = path
        if self.is_public:
            self.names.passed_on.add(node.range().start.index)

    def path(self, node: Node | None, scope: Scope, prefix: Path) -> Path:
        """Note the words of a path that is brought in; all of it."""
        if node is None:
            return (*prefix, "")
        kind = node.kind()
        if kind == "scoped_identifier":
            inner = self.path(node.field("path"), scope, prefix)
            return self.path(node.field("name"), scope, inner)
        whole = (*prefix, node.text())
        if kind == "self" and prefix:
            return prefix
        if kind not in _HEADS:
            self.prefixed(node, scope, whole)
        return whole

    def prefixed(self, node: Node, scope: Scope, path: Path) -> None:
        self.names.prefixes[node.range().start.index] = path
        self.names.member(node, scope, "prefix")


def _last(path: Node) -> Node:
    return path.field("name") if path.kind() in _PATHS else path


_USES: dict[str, Callable[[UseReader, Node, Scope, Path], None]] = {
    "use_list": UseReader.use_list,
    "scoped_use_list": UseReader.use_many,
    "use_as_clause": UseReader.use_as,
    "use_wildcard": UseReader.use_all,
    "scoped_identifier": UseReader.use_path,
    "identifier": UseReader.use_name,
}
