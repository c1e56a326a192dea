"""The names of a Rust file: items, imports, and the bodies that contain the wanted name.

Modules see nothing of what is around them, so the scope of one has no parent. Fields, variants,
methods and other members are bound in scopes of kind `class`, one per type, trait and `impl`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from redline.code.scopes.model import ANY, TYPE, VALUE, Binding, Names, Scope, TreeReader
from redline.code.syntax.node import Span, SyntaxNode, required_field, span_of
from redline.core.records import dataclass, field

_Visit: TypeAlias = Callable[["RustReader", SyntaxNode, Scope], None]
_PATHS = {"scoped_identifier", "scoped_type_identifier"}
_HEADS = {"crate", "self", "super"}
_NAMES = {"identifier"}


class RustReader(TreeReader):
    """Reads the names of one file."""

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

    # Items

    def read_type(self, node: SyntaxNode | None, scope: Scope) -> None:
        """Note the names in a type; without a wanted name it is read only when needed."""
        if node is not None and self.matters(node):
            self.visit(node, scope)

    def module(self, node: SyntaxNode, scope: Scope) -> None:
        name, body = required_field(node, "name"), node.field("body")
        binding = self.names.bind(name, scope, Role.MODULE, TYPE)
        if body is None:
            return
        # A build has only one of several modules of one name; they share a scope.
        inner = self.names.bodies.get(binding)
        if inner is None:
            inner = Scope("module", None, node, name.text())
            self.names.scopes.append(inner)
            self.names.bodies[binding] = inner
            self.names.supers[inner] = self.names.module(scope)
        self.visit_all(body, inner)

    def function(self, node: SyntaxNode, scope: Scope) -> None:
        name = required_field(node, "name")
        binding = self.names.bind(name, scope, Role.FUNCTION, VALUE)
        inner = self.names.open("function", scope, node, name.text())
        inner.owner = binding
        self.names.functions[name.range().start.index] = inner
        self.parameters_of_types(node, inner)
        if not self.matters(node):
            return
        for part in required_field(node, "parameters").children():
            self.parameter(part, inner)
        self.field(node, "return_type", inner)
        self.bounds(node, inner)
        self.field(node, "body", inner)

    def parameter(self, node: SyntaxNode, inner: Scope) -> None:
        if node.kind() != "parameter":
            if node.kind() not in ("self_parameter", "identifier"):
                self.visit(node, inner)
            return
        written, pattern = node.field("type"), node.field("pattern")
        if written is not None:
            self.visit(written, inner)
        if pattern is not None:
            self.pattern(pattern, inner, RustLocal(LocalOrigin.TYPE, pattern, inner, type=written))

    def parameters_of_types(self, node: SyntaxNode, inner: Scope) -> None:
        """Bind the type parameters of a declaration."""
        given = node.field("type_parameters")
        for part in given.children() if given is not None else ():
            if part.kind() in ("type_parameter", "const_parameter"):
                is_type = part.kind() == "type_parameter"
                name = required_field(part, "name")
                role = Role.TYPE_PARAMETER if is_type else Role.CONSTANT
                self.names.bind(name, inner, role, TYPE if is_type else VALUE)
                for child in part.children():
                    if child.range().start.index != name.range().start.index:
                        self.read_type(child, inner)
            elif part.kind() == "constrained_type_parameter":
                self.constrained_parameter(part, inner)

    def constrained_parameter(self, node: SyntaxNode, inner: Scope) -> None:
        left = node.field("left")
        if left is not None and left.kind() == "type_identifier":
            self.names.bind(left, inner, Role.TYPE_PARAMETER, TYPE)
        self.read_type(node.field("bounds"), inner)

    def bounds(self, node: SyntaxNode, scope: Scope) -> None:
        """Read the `where` clause."""
        for child in node.children():
            if child.kind() == "where_clause":
                self.read_type(child, scope)

    def part(self, node: SyntaxNode, scope: Scope) -> Scope:
        """Open the scope of a declaration's type parameters."""
        inner = self.names.open("part", scope, node)
        self.parameters_of_types(node, inner)
        self.bounds(node, inner)
        return inner

    def body(self, binding: Binding, outer: Scope, node: SyntaxNode) -> Scope:
        """Open the scope of the members of a type or trait."""
        # A build has only one of several types of one name; they share a scope.
        if binding not in self.names.bodies:
            inner = self.names.open("class", outer, node, binding.name)
            inner.owner = binding
            self.names.bodies[binding] = inner
        return self.names.bodies[binding]

    def struct(self, node: SyntaxNode, scope: Scope) -> None:
        fields = node.field("body")
        is_value = fields is None or fields.kind() == "ordered_field_declaration_list"
        name = required_field(node, "name")
        binding = self.names.bind(name, scope, Role.TYPE, ANY if is_value else TYPE)
        outer = self.part(node, scope)
        inner = self.body(binding, outer, node)
        if fields is not None:
            self.fields(fields, inner, outer)

    def fields(self, node: SyntaxNode, inner: Scope, outer: Scope) -> None:
        for child in node.children():
            if child.kind() == "field_declaration":
                self.names.bind(required_field(child, "name"), inner, Role.FIELD, VALUE)
                self.read_type(child.field("type"), outer)
            else:
                self.read_type(child, outer)

    def enum(self, node: SyntaxNode, scope: Scope) -> None:
        binding = self.names.bind(required_field(node, "name"), scope, Role.TYPE, TYPE)
        outer = self.part(node, scope)
        inner = self.body(binding, outer, node)
        for child in required_field(node, "body").children():
            if child.kind() == "enum_variant":
                self.variant(child, inner, outer)
            else:
                self.read_type(child, outer)

    def variant(self, node: SyntaxNode, inner: Scope, outer: Scope) -> None:
        binding = self.names.bind(required_field(node, "name"), inner, Role.VARIANT, ANY)
        own = self.body(binding, outer, node)
        fields = node.field("body")
        if fields is not None:
            self.fields(fields, own, outer)
        self.read_type(node.field("value"), outer)

    def trait(self, node: SyntaxNode, scope: Scope) -> None:
        binding = self.names.bind(required_field(node, "name"), scope, Role.TRAIT, TYPE)
        outer = self.part(node, scope)
        self.read_type(node.field("bounds"), outer)
        inner = self.body(binding, outer, node)
        self.visit_all(required_field(node, "body"), inner)

    def impl(self, node: SyntaxNode, scope: Scope) -> None:
        outer = self.part(node, scope)
        inner = self.names.open("class", outer, node)
        of, trait = required_field(node, "type"), node.field("trait")
        self.names.impls.append(Impl(inner, outer, of, trait))
        self.read_type(trait, outer)
        self.read_type(of, outer)
        body = node.field("body")
        if body is not None:
            self.visit_all(body, inner)

    def type_(self, node: SyntaxNode, scope: Scope) -> None:
        role = Role.ALIAS if node.kind() == "type_item" else Role.ASSOCIATED
        self.names.bind(required_field(node, "name"), scope, role, TYPE)
        outer = self.part(node, _around(scope))
        self.read_type(node.field("type"), outer)
        self.read_type(node.field("bounds"), outer)

    def constant(self, node: SyntaxNode, scope: Scope) -> None:
        name = node.field("name")
        if name is not None and name.text() != "_":
            self.names.bind(name, scope, Role.CONSTANT, VALUE)
        self.read_type(node.field("type"), _around(scope))
        if self.matters(node):
            self.field(node, "value", self.names.open("function", scope, node))

    def macro_definition(self, node: SyntaxNode, scope: Scope) -> None:
        """Bind a macro's name; what its body refers to depends on where it is used."""
        self.names.bind_macro(required_field(node, "name"), scope)

    def attribute(self, node: SyntaxNode, scope: Scope) -> None:
        """Note words of attributes, which only the compiler interprets."""
        if self.matters(node):
            for word in node.find_all(kind="identifier"):
                self.names.member(word, scope, MemberForm.ATTRIBUTE)

    # Bodies

    def visit(self, node: SyntaxNode, scope: Scope) -> None:
        kind = node.kind()
        known = _BODIES.get(kind) or _ITEMS.get(kind)
        if known is not None:
            known(self, node, scope)
        elif not node.is_leaf():
            self.visit_all(node, scope)

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


def _last(path: SyntaxNode) -> SyntaxNode:
    return required_field(path, "name") if path.kind() in _PATHS else path


_USES: dict[str, Callable[[RustReader, SyntaxNode, Scope, Path], None]] = {
    "use_list": RustReader.use_list,
    "scoped_use_list": RustReader.use_many,
    "use_as_clause": RustReader.use_as,
    "use_wildcard": RustReader.use_all,
    "scoped_identifier": RustReader.use_path,
    "identifier": RustReader.use_name,
}


def _around(scope: Scope) -> Scope:
    return scope.parent if scope.kind == "class" and scope.parent is not None else scope


_ITEMS: dict[str, _Visit] = {
    "mod_item": RustReader.module,
    "function_item": RustReader.function,
    "function_signature_item": RustReader.function,
    "struct_item": RustReader.struct,
    "union_item": RustReader.struct,
    "enum_item": RustReader.enum,
    "trait_item": RustReader.trait,
    "impl_item": RustReader.impl,
    "type_item": RustReader.type_,
    "associated_type": RustReader.type_,
    "const_item": RustReader.constant,
    "static_item": RustReader.constant,
    "macro_definition": RustReader.macro_definition,
    "attribute_item": RustReader.attribute,
    "inner_attribute_item": RustReader.attribute,
    "use_declaration": RustReader.use,
    "extern_crate_declaration": RustReader.extern,
    "line_comment": lambda *_: None,
    "block_comment": lambda *_: None,
    "lifetime": lambda *_: None,
    "label": lambda *_: None,
}


def _is_called(node: SyntaxNode) -> bool:
    above = node.parent()
    if above is not None and above.kind() == "generic_function":
        node, above = above, above.parent()
    called = above.field("function") if above is not None else None
    return called is not None and called.range().end.index == node.range().end.index


# Standard macros, which use their arguments as expressions.
_OWN_MACROS = frozenset(
    """
    assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne format format_args
    print println eprint eprintln write writeln vec panic unreachable todo unimplemented matches
    dbg try addr_of addr_of_mut thread_local ready
    """.split()
)
_WHOLE = frozenset(
    """
    scoped_identifier macro_invocation generic_pattern range_pattern const_block line_comment
    block_comment literal_pattern
    """.split()
)
_BODIES: dict[str, _Visit] = {
    "identifier": RustReader.identifier,
    "type_identifier": RustReader.type_identifier,
    "block": RustReader.block,
    "if_expression": RustReader.if_,
    "while_expression": RustReader.while_,
    "for_expression": RustReader.for_,
    "match_expression": RustReader.match,
    "closure_expression": RustReader.closure,
    "scoped_identifier": RustReader.path_,
    "scoped_type_identifier": RustReader.path_,
    "field_expression": RustReader.member,
    "struct_expression": RustReader.struct_expression,
    "type_binding": RustReader.binding_of_type,
    "macro_invocation": RustReader.macro,
}


_WORDS = {"identifier", "type_identifier", "self", "super", "crate", "metavariable"}
# Tokens after which a name is declared.
_BINDING = {"$", "fn", "struct", "ref", "let", "mut", "|", "enum", "mod", "trait", "type"}


def note_tokens(tokens: SyntaxNode, names: RustNames, scope: Scope) -> None:
    """Note the words whose context shows what they are; others stay undetermined."""
    leaves = list(leaves_of(tokens))
    for nth, leaf in enumerate(leaves):
        if leaf.kind() != "identifier":
            continue
        before = leaves[nth - 1].text() if nth else ""
        after = leaves[nth + 1].text() if nth + 1 < len(leaves) else ""
        if after == "!":
            names.member(leaf, scope, MemberForm.MACRO)
        elif before in (".", "::"):
            _note_after(leaves, nth, names, scope)
        elif after != ":" and before not in _BINDING:
            names.refer(leaf, scope, ANY)


def _note_after(leaves: list[SyntaxNode], nth: int, names: RustNames, scope: Scope) -> None:
    """Note a word of a path, or one after a dot, which is certain only for `self`."""
    leaf, owner = leaves[nth], leaves[nth - 2]
    if leaves[nth - 1].text() == ".":
        if owner.kind() == "self" and leaves[nth - 3].text() != ".":
            is_called = nth + 1 < len(leaves) and leaves[nth + 1].text() == "("
            names.member(leaf, scope, MemberForm.CALLED if is_called else MemberForm.FIELD, owner)
        return
    path = _path(leaves, nth)
    if path is not None:
        names.prefixes[leaf.range().start.index] = path
        names.member(leaf, scope, MemberForm.PREFIX)


def leaves_of(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the tokens of a macro's arguments, in order."""
    for child in node.children():
        if child.kind() == "token_tree":
            yield from leaves_of(child)
        else:
            yield child


def _path(leaves: list[SyntaxNode], nth: int) -> tuple[str, ...] | None:
    """Return the path that ends with a word; None if it does not begin with a name."""
    words = [leaves[nth].text()]
    while nth >= 2 and leaves[nth - 1].text() == "::":
        nth -= 2
        if leaves[nth].kind() not in _WORDS:
            return None
        words.insert(0, leaves[nth].text())
    if words[0].startswith("$"):
        words[0] = "crate"
    return tuple(words)


# Macros nested in the arguments of macros are followed this far.
_MAX_DEPTH = 4


class Expansions:
    """The parsed arguments of the macros that contain a wanted name, by their offset."""

    def __init__(self, root: SyntaxNode, text: str, offsets: Sequence[int]) -> None:
        self._text = text
        self._offsets = offsets
        self._found: dict[int, SyntaxNode] = {}
        self._items: dict[int, list[SyntaxNode]] = {}
        self._read_items(root)
        tree: SyntaxNode | None = root if offsets else None
        for _ in range(_MAX_DEPTH):
            tree = self._read(tree) if tree is not None else None

    def of(self, tokens: SyntaxNode) -> SyntaxNode | None:
        """Return the list of expressions in a macro's tokens; None if they do not parse as one."""
        return self._found.get(tokens.range().start.index)

    def items_of(self, tokens: SyntaxNode) -> list[SyntaxNode] | None:
        """Return the items in a macro's braces; None if the braces contain no items."""
        return self._items.get(tokens.range().start.index)

    def _read_items(self, root: SyntaxNode) -> None:
        """Parse what is in the braces of macros among items: `with_feature! { mod a; }`."""
        found = [each for each in root.find_all(kind="macro_invocation") if _is_item(each)]
        spans = [span for span in map(_braces, found) if span]
        if not spans:
            return
        pieces: list[str] = []
        at = 0
        for first, last in spans:
            pieces += [_blank(self._text[at : first + 1]), self._text[first + 1 : last - 1], " "]
            at = last
        tree = _parse("".join(pieces))
        for first, last in spans:
            inside = [each for each in tree.children() if first <= span_of(each).start < last]
            if inside and all(_is_whole_item(each, last) for each in inside):
                self._items[first] = inside

    def _read(self, root: SyntaxNode) -> SyntaxNode | None:
        """Parse the arguments of all macros in a tree at once."""
        spans = [span for span in map(_span, root.find_all(kind="macro_invocation")) if span]
        spans = [span for span in spans if self._matters(*span)]
        if not spans:
            return None
        tree = _parse(_only(self._text, spans))
        lists = {node.range().start.index: node for node in tree.find_all(kind="array_expression")}
        for first, last in spans:
            node = lists.get(first)
            if node is not None and node.range().end.index == last and not _is_broken(node):
                self._found[first] = node
        return tree

    def _matters(self, first: int, last: int) -> bool:
        at = bisect_left(self._offsets, first)
        return at < len(self._offsets) and self._offsets[at] < last


def _parse(text: str) -> SyntaxNode:
    from redline.code.syntax.definitions import parse
    from redline.code.syntax.languages import language_of

    language = language_of("a.rs")
    assert language is not None
    return parse(text, language).root


def _is_item(node: SyntaxNode) -> bool:
    """Return whether a macro is called where items are declared, not in a function."""
    around = node.parent()
    if around is not None and around.kind() == "expression_statement":
        around = around.parent()
    outer = around.parent() if around is not None and around.kind() == "declaration_list" else None
    kinds = {around.kind() if around is not None else "", outer.kind() if outer is not None else ""}
    return bool(kinds & {"source_file", "mod_item"})


def _braces(node: SyntaxNode) -> Span | None:
    tokens = next((c for c in node.children() if c.kind() == "token_tree"), None)
    return span_of(tokens) if tokens is not None and tokens.text()[:1] == "{" else None


def _is_whole_item(node: SyntaxNode, end: int) -> bool:
    is_known = node.kind().endswith(("_item", "_declaration", "_comment"))
    return is_known and span_of(node).end <= end and not _is_broken(node)


def _span(node: SyntaxNode) -> Span | None:
    tokens = next((c for c in node.children() if c.kind() == "token_tree"), None)
    if tokens is None or tokens.text()[:1] == "{":
        return None
    return span_of(tokens)


def _only(text: str, spans: list[Span]) -> str:
    """Blank everything but the lists at those spans, and make each a statement."""
    pieces: list[str] = []
    at = 0
    for first, last in sorted(spans):
        if first <= at:
            continue
        pieces += [_blank(text[at : first - 1]), ";[", text[first + 1 : last - 1], "]"]
        at = last
    return "".join(pieces)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _is_broken(node: SyntaxNode) -> bool:
    return node.find(kind="ERROR") is not None


Path = tuple[str, ...]


class Role(StrEnum):
    """What a name is bound as."""

    MODULE = "module"
    FUNCTION = "function"
    TYPE = "type"
    TYPE_PARAMETER = "type parameter"
    ALIAS = "alias"
    ASSOCIATED = "associated"
    TRAIT = "trait"
    VARIANT = "variant"
    FIELD = "field"
    CONSTANT = "constant"
    LOCAL = "local"
    MACRO = "macro"
    IMPORT = "import"


class MemberForm(StrEnum):
    """How a member is written."""

    # The last word of a path.
    PATH = "path"
    # Another word of a path, resolved by the words before it.
    PREFIX = "prefix"
    FIELD = "field"
    CALLED = "called"
    # A field in a struct literal or pattern.
    KEY = "key"
    # `Item` in `Iterator<Item = T>`.
    BINDING = "binding"
    MACRO = "macro"
    ATTRIBUTE = "attribute"


class LocalOrigin(StrEnum):
    """What the pattern of a local name matches."""

    VALUE = "value"
    # A stated type.
    TYPE = "type"
    # An item of the iterated value.
    EACH = "each"
    # A parameter of the closure.
    CLOSURE = "closure"


class MacroArguments(NamedTuple):
    """The span of a macro's arguments, the macro's name, and the scope that it is called in."""

    start: int
    end: int
    macro: str
    scope: Scope


@dataclass(frozen=True, slots=True, eq=False)
class Impl:
    """An `impl`: *of* is the type it adds members to, *outer* the scope in which types are read."""

    scope: Scope
    outer: Scope
    of: SyntaxNode
    trait: SyntaxNode | None


@dataclass(frozen=True, slots=True, eq=False)
class RustLocal:
    """What determines the type of a local name: a pattern with a stated type or a value."""

    how: LocalOrigin
    pattern: SyntaxNode
    scope: Scope
    type: SyntaxNode | None = None
    value: SyntaxNode | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Glob:
    """A glob import; other modules see its names if it is re-exported."""

    scope: Scope
    path: Path
    is_reexported: bool


@dataclass(slots=True)
class RustNames(Names):
    """The names of a Rust file."""

    # The paths of imports, by the offset of the bound name.
    uses: dict[int, Path] = field(default_factory=dict)
    globs: list[Glob] = field(default_factory=list)
    # Offsets of the names that public imports bind.
    reexported: set[int] = field(default_factory=set)
    # Crates renamed by `extern crate`, for the whole crate.
    externs: dict[str, Path] = field(default_factory=dict)
    # For each word of an imported path, the path up to it, by offset.
    prefixes: dict[int, Path] = field(default_factory=dict)
    impls: list[Impl] = field(default_factory=list)
    # The scopes of types, traits, variants and inline modules.
    bodies: dict[Binding, Scope] = field(default_factory=dict)
    # The scope of a function's parameters, by the offset of its name.
    functions: dict[int, Scope] = field(default_factory=dict)
    locals: dict[Binding, RustLocal] = field(default_factory=dict)
    # The module around an inline module.
    supers: dict[Scope, Scope] = field(default_factory=dict)
    # The arguments of macros other than the standard ones.
    macro_arguments: list[MacroArguments] = field(default_factory=list)
    # Macros by the scope that defines them: they have a namespace of their own.
    macros: dict[Scope, Scope] = field(default_factory=dict)

    def bind_macro(self, node: SyntaxNode, scope: Scope) -> None:
        """Record that *scope* defines the macro named at *node*."""
        own = self.macros.setdefault(scope, Scope("part", None, scope.node))
        self.bind(node, own, Role.MACRO, VALUE)

    def macros_named(self, name: str) -> list[Binding]:
        """Return all macros of a name."""
        return [found for own in self.macros.values() if (found := own.names.get(name))]

    def macro_at(self, scope: Scope, start: int, name: str) -> Binding | None:
        """Return the macro that a name is at an offset: defined before it, the innermost one."""
        module: Scope | None = scope
        while module is not None:
            for around in module.outward():
                own = self.macros.get(around)
                found = own.names.get(name) if own is not None else None
                if found is not None and found.sites[0].start < start:
                    return found
            module = self.supers.get(self.module(module))
        return None

    def module(self, scope: Scope) -> Scope:
        """Return the module that contains a scope."""
        return list(scope.outward())[-1]

    def impl(self, scope: Scope) -> Impl | None:
        """Return the `impl` that contains a scope."""
        around = set(scope.outward())
        return next((found for found in reversed(self.impls) if found.scope in around), None)

    def impl_at(self, start: int) -> Impl | None:
        """Return the innermost `impl` around an offset."""
        held = [found for found in self.impls if contains(found.scope.node, start)]
        return max(held, key=lambda found: found.scope.node.range().start.index, default=None)

    def trait(self, scope: Scope) -> Binding | None:
        """Return the trait or type whose body contains a scope."""
        owners = (s.owner for s in scope.outward() if s.kind == "class")
        return next((owner for owner in owners if owner is not None), None)


def rust_names(root: SyntaxNode, text: str, offsets: Sequence[int]) -> RustNames:
    """Read all declarations of a file, and the bodies that contain one of *offsets*."""
    module = Scope("module", None, root)
    names = RustNames(module, scopes=[module])
    reader = RustReader(names, offsets, Expansions(root, text, offsets))
    reader.visit_all(root, module)
    names.settle(through_classes=False)
    return names


def contains(node: SyntaxNode, start: int) -> bool:
    """Return whether a node contains an offset."""
    where = node.range()
    return where.start.index <= start < where.end.index
