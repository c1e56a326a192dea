"""Read the bodies of Rust functions: blocks, patterns, paths, members and macro arguments.

Each `let` opens a scope for what follows, so a name that is bound twice has two bindings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from redline.code.rust.scopes.items import ItemReader
from redline.code.rust.scopes.names import LocalOrigin, MacroArguments, MemberForm, Role, RustLocal
from redline.code.rust.scopes.tokens import note_tokens
from redline.code.scopes.model import TYPE, VALUE, Scope
from redline.code.syntax.node import SyntaxNode, required_field

_Visit: TypeAlias = Callable[["BodyReader", SyntaxNode, Scope], None]


class BodyReader(ItemReader):
    """Reads items and bodies."""

    def visit(self, node: SyntaxNode, scope: Scope) -> None:
        known = _BODIES.get(node.kind())
        if known is not None:
            known(self, node, scope)
        else:
            super().visit(node, scope)

    def identifier(self, node: SyntaxNode, scope: Scope) -> None:
        self.names.refer(node, scope, VALUE)

    def type_identifier(self, node: SyntaxNode, scope: Scope) -> None:
        self.names.refer(node, scope, TYPE)

    def block(self, node: SyntaxNode, scope: Scope) -> None:
        self.statements(node, self.names.open("block", scope, node))

    def statements(self, node: SyntaxNode, scope: Scope) -> None:
        now = scope
        for child in node.children():
            if child.kind() == "let_declaration":
                now = self.let(child, now)
            else:
                is_item = child.kind().endswith(("_item", "_declaration"))
                self.visit(child, scope if is_item else now)

    def let(self, node: SyntaxNode, scope: Scope) -> Scope:
        """Bind the names of a `let` in a new scope, and return that scope."""
        pattern, written, value = (node.field(part) for part in ("pattern", "type", "value"))
        for part in (written, value, node.field("alternative")):
            if part is not None:
                self.visit(part, scope)
        inner = self.names.open("block", scope, node)
        if pattern is not None:
            local = RustLocal(LocalOrigin.VALUE, pattern, scope, type=written, value=value)
            self.pattern(pattern, inner, local)
        return inner

    def condition(self, node: SyntaxNode | None, scope: Scope) -> Scope:
        """Read a condition, and return the scope of the names it binds."""
        if node is None:
            return scope
        if node.kind() == "let_condition":
            return self.let(node, scope)
        if node.kind() != "let_chain":
            self.visit(node, scope)
            return scope
        for child in node.children():
            scope = self.condition(child, scope)
        return scope

    def if_(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.condition(node.field("condition"), scope)
        self.field(node, "consequence", inner)
        self.field(node, "alternative", scope)

    def while_(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.condition(node.field("condition"), scope)
        self.field(node, "body", inner)

    def for_(self, node: SyntaxNode, scope: Scope) -> None:
        value, pattern = required_field(node, "value"), required_field(node, "pattern")
        self.visit(value, scope)
        inner = self.names.open("block", scope, node)
        self.pattern(pattern, inner, RustLocal(LocalOrigin.EACH, pattern, scope, value=value))
        self.field(node, "body", inner)

    def match(self, node: SyntaxNode, scope: Scope) -> None:
        value, body = required_field(node, "value"), node.field("body")
        self.visit(value, scope)
        for arm in body.children() if body is not None else ():
            if arm.kind() == "match_arm":
                self.arm(arm, value, scope)

    def arm(self, node: SyntaxNode, value: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open("block", scope, node)
        for child in node.children():
            if child.kind() == "match_pattern":
                condition = child.field("condition")
                guard = condition.range().start.index if condition is not None else None
                for part in child.children():
                    if part.range().start.index == guard:
                        inner = self.condition(part, inner)
                    else:
                        self.pattern(
                            part, inner, RustLocal(LocalOrigin.VALUE, child, scope, value=value)
                        )
            else:
                self.visit(child, inner)

    def closure(self, node: SyntaxNode, scope: Scope) -> None:
        inner = self.names.open("function", scope, node)
        for part in required_field(node, "parameters").children():
            if part.kind() == "parameter":
                self.parameter(part, inner)
            elif part.is_named():
                self.pattern(part, inner, RustLocal(LocalOrigin.CLOSURE, part, scope, value=node))
        self.field(node, "return_type", scope)
        self.field(node, "body", inner)

    def pattern(self, node: SyntaxNode, scope: Scope, local: RustLocal) -> None:
        kind = node.kind()
        if kind == "identifier":
            self.bind_or_refer(node, scope, local)
        elif kind == "struct_pattern":
            self.struct_pattern(node, scope, local)
        elif kind in _WHOLE:
            self.visit(node, scope)
        elif not node.is_leaf():
            of = node.field("type") if kind == "tuple_struct_pattern" else None
            if of is not None:
                self.visit(of, scope)
            for child in node.children()[1 if of is not None else 0 :]:
                self.pattern(child, scope, local)

    def bind_or_refer(self, node: SyntaxNode, scope: Scope, local: RustLocal) -> None:
        """Bind a name in a pattern; a capitalized one refers to a constant or variant."""
        if node.text()[:1].isupper():
            self.names.refer(node, scope, VALUE)
        else:
            binding = self.names.bind(node, scope, Role.LOCAL, VALUE)
            self.names.locals.setdefault(binding, local)

    def struct_pattern(self, node: SyntaxNode, scope: Scope, local: RustLocal) -> None:
        of = required_field(node, "type")
        self.visit(of, scope)
        for child in node.children():
            if child.kind() != "field_pattern":
                continue
            name, inner = required_field(child, "name"), child.field("pattern")
            self.names.member(name, scope, MemberForm.KEY, of)
            if inner is not None:
                self.pattern(inner, scope, local)
            elif name.kind() == "shorthand_field_identifier":
                binding = self.names.bind(name, scope, Role.LOCAL, VALUE)
                self.names.locals.setdefault(binding, local)

    def path_(self, node: SyntaxNode, scope: Scope) -> None:
        path, name = node.field("path"), required_field(node, "name")
        if path is not None:
            if path.kind() == "identifier":
                self.names.refer(path, scope, TYPE)
            else:
                self.visit(path, scope)
        self.names.member(name, scope, MemberForm.PATH, path)

    def member(self, node: SyntaxNode, scope: Scope) -> None:
        owner, name = required_field(node, "value"), required_field(node, "field")
        self.visit(owner, scope)
        if name.kind() == "field_identifier":
            self.names.member(
                name, scope, MemberForm.CALLED if _is_called(node) else MemberForm.FIELD, owner
            )

    def struct_expression(self, node: SyntaxNode, scope: Scope) -> None:
        of = required_field(node, "name")
        self.visit(of, scope)
        for child in required_field(node, "body").children():
            if child.kind() == "field_initializer":
                name = child.field("field") or child.field("name")
                if name is not None and name.kind() == "field_identifier":
                    self.names.member(name, scope, MemberForm.KEY, of)
                self.field(child, "value", scope)
            elif child.kind() == "shorthand_field_initializer":
                for name in child.children():
                    if name.kind() == "identifier":
                        self.names.refer(name, scope, VALUE)
                        self.names.member(name, scope, MemberForm.KEY, of)
            else:
                self.visit(child, scope)

    def binding_of_type(self, node: SyntaxNode, scope: Scope) -> None:
        """Note the name in `Item = T` among type arguments as a member of the trait."""
        arguments = node.parent()
        above = arguments.parent() if arguments is not None else None
        owner = (
            above.field("type") if above is not None and above.kind() == "generic_type" else None
        )
        self.names.member(required_field(node, "name"), scope, MemberForm.BINDING, owner)
        self.field(node, "type", scope)

    def macro(self, node: SyntaxNode, scope: Scope) -> None:
        name, home = node.field("macro"), scope
        if name is not None and name.kind() == "scoped_identifier":
            self.field(name, "path", scope)
            # What is around a path has no say in what it leads to.
            name, home = name.field("name"), self.names.root
        if name is not None:
            self.names.member(name, home, MemberForm.MACRO)
        tokens = next((c for c in node.children() if c.kind() == "token_tree"), None)
        items = self.expansions.items_of(tokens) if tokens is not None else None
        if items is not None:
            for item in items:
                self.visit(item, scope)
            return
        if name is None or tokens is None or not self.matters(tokens):
            return
        if name.text() not in _OWN_MACROS:
            where = tokens.range()
            self.names.macro_arguments.append(
                MacroArguments(where.start.index, where.end.index, name.text(), home)
            )
        read = self.expansions.of(tokens)
        if read is not None:
            self.visit_all(read, scope)
        else:
            note_tokens(tokens, self.names, scope)


def _is_called(node: SyntaxNode) -> bool:
    above = node.parent()
    if above is not None and above.kind() == "generic_function":
        node, above = above, above.parent()
    called = above.field("function") if above is not None else None
    return called is not None and called.range().end.index == node.range().end.index


# Standard macros, which use their arguments as expressions.
_OWN_MACROS = {
    *("assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"),
    *("format", "format_args", "print", "println", "eprint", "eprintln", "write", "writeln"),
    *("vec", "panic", "unreachable", "todo", "unimplemented", "matches", "dbg", "try"),
    *("addr_of", "addr_of_mut", "thread_local", "ready"),
}
_WHOLE = {
    *("scoped_identifier", "macro_invocation", "generic_pattern", "range_pattern", "const_block"),
    *("line_comment", "block_comment", "literal_pattern"),
}
_BODIES: dict[str, _Visit] = {
    "identifier": BodyReader.identifier,
    "type_identifier": BodyReader.type_identifier,
    "block": BodyReader.block,
    "if_expression": BodyReader.if_,
    "while_expression": BodyReader.while_,
    "for_expression": BodyReader.for_,
    "match_expression": BodyReader.match,
    "closure_expression": BodyReader.closure,
    "scoped_identifier": BodyReader.path_,
    "scoped_type_identifier": BodyReader.path_,
    "field_expression": BodyReader.member,
    "struct_expression": BodyReader.struct_expression,
    "type_binding": BodyReader.binding_of_type,
    "macro_invocation": BodyReader.macro,
}
