"""Read Rust imports: `use` with its lists, aliases and globs, and `extern crate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.code.rust.scopes.expansions import Expansions
from redline.code.rust.scopes.names import Glob, MemberForm, Path, Role, RustNames
from redline.code.scopes.model import ANY, TYPE, Scope, TreeReader
from redline.code.syntax.node import SyntaxNode, required_field

_PATHS = {"scoped_identifier", "scoped_type_identifier"}
_HEADS = {"crate", "self", "super"}
_NAMES = {"identifier"}


class UseReader(TreeReader):
    """Notes imports, and the words of their paths."""

    names: RustNames

    def __init__(self, names: RustNames, offsets: Sequence[int], expansions: Expansions) -> None:
        super().__init__(names, offsets)
        self.expansions = expansions
        # Whether the `use` being read is public.
        self.is_public = False

    def use(self, node: SyntaxNode, scope: Scope) -> None:
        self.is_public = any(child.kind() == "visibility_modifier" for child in node.children())
        argument = node.field("argument")
        if argument is not None:
            self.use_tree(argument, scope, ())

    def extern(self, node: SyntaxNode, scope: Scope) -> None:
        name, alias = required_field(node, "name"), node.field("alias")
        bound = alias if alias is not None else name
        if alias is not None:
            self.note_prefix(name, scope, ("", name.text()))
        self.names.bind(bound, scope, Role.IMPORT, TYPE)
        self.names.uses[bound.range().start.index] = ("", name.text())
        self.names.externs[bound.text()] = ("", name.text())

    def use_tree(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        known = _USES.get(node.kind())
        if known is not None:
            known(self, node, scope, prefix)

    def use_list(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        for child in node.children():
            self.use_tree(child, scope, prefix)

    def use_many(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        path = node.field("path")
        inner = self.path(path, scope, prefix)
        for child in required_field(node, "list").children():
            if child.kind() == "self" and path is not None:
                self.bind_import(_last(path), scope, inner)
            else:
                self.use_tree(child, scope, inner)

    def use_as(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        whole = self.path(node.field("path"), scope, prefix)
        alias = required_field(node, "alias")
        if alias.text() != "_":
            self.bind_import(alias, scope, whole)

    def use_all(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        path = next((c for c in node.children() if c.kind() in _PATHS | _HEADS | _NAMES), None)
        whole = self.path(path, scope, prefix) if path is not None else prefix
        self.names.globs.append(Glob(scope, whole, self.is_public))

    def use_path(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        inner = self.path(node.field("path"), scope, prefix)
        name = required_field(node, "name")
        self.bind_import(name, scope, (*inner, name.text()))

    def use_name(self, node: SyntaxNode, scope: Scope, prefix: Path) -> None:
        self.bind_import(node, scope, (*prefix, node.text()))

    def bind_import(self, node: SyntaxNode, scope: Scope, path: Path) -> None:
        """Bind a name to an imported path."""
        if not path or node.kind() in _HEADS:
            return
        self.names.bind(node, scope, Role.IMPORT, ANY)
        self.names.uses[node.range().start.index] = path
        if self.is_public:
            self.names.reexported.add(node.range().start.index)

    def path(self, node: SyntaxNode | None, scope: Scope, prefix: Path) -> Path:
        """Note the words of an imported path, and return all of it."""
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
            self.note_prefix(node, scope, whole)
        return whole

    def note_prefix(self, node: SyntaxNode, scope: Scope, path: Path) -> None:
        self.names.prefixes[node.range().start.index] = path
        self.names.member(node, scope, MemberForm.PREFIX)


def _last(path: SyntaxNode) -> SyntaxNode:
    return required_field(path, "name") if path.kind() in _PATHS else path


_USES: dict[str, Callable[[UseReader, SyntaxNode, Scope, Path], None]] = {
    "use_list": UseReader.use_list,
    "scoped_use_list": UseReader.use_many,
    "use_as_clause": UseReader.use_as,
    "use_wildcard": UseReader.use_all,
    "scoped_identifier": UseReader.use_path,
    "identifier": UseReader.use_name,
}
