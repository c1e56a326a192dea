"""Plan a rename in one file: by scope where scopes are known, otherwise by word if certain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from redline.code.python_js.members import ClassOrNot, FileClasses, NoClass
from redline.code.rename.new_names import refuse_new_name
from redline.code.scopes.model import (
    ANY,
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Names,
    Occurrence,
    Scope,
    ScopeKind,
)
from redline.code.scopes.read import SCOPED, read_names
from redline.code.syntax.definitions import Parsed, Symbol, find_symbols, symbols_around
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.node import Span, SyntaxNode, begins_at, parent_of, required_field, span_of
from redline.code.syntax.uses import Use, nodes_of, uses_of
from redline.core.errors import InvalidArgument
from redline.core.records import dataclass

_MEMBER_KINDS = {"method", "field", "property", "enum_member"}
_CALLABLE = {"function", "method"}
# Languages in which a bare word inside a class can refer to a member of it.
_IMPLICIT_SELF = {"java", "csharp", "cpp", "kotlin", "swift", "scala", "ruby", "dart", "solidity"}
_SELF = {"self", "this", "$this", "Self", "@"}
# Node kinds that bind a local name, at most `_MAX_CLIMB` levels above the word.
_BINDERS = frozenset(
    """
    parameter_declaration variadic_parameter_declaration short_var_declaration var_spec const_spec
    range_clause receive_statement parameter let_declaration closure_parameters for_expression
    match_pattern let_condition formal_parameter spread_parameter catch_formal_parameter
    variable_declarator enhanced_for_statement inferred_parameters resource lambda_expression
    declaration init_declarator optional_parameter_declaration for_range_loop simple_parameter
    foreach_statement variable_declaration type_pattern record_pattern_component
    instanceof_expression
    """.split()
)
_WITH_VALUE = frozenset(
    """
    short_var_declaration let_declaration let_condition var_spec range_clause declaration
    init_declarator variable_declarator for_expression
    """.split()
)
_BOUND_FIELDS = ("name", "pattern", "declarator", "left", "parameters", "parameter", "declarators")
_MAX_CLIMB = 6


def certain_uses(
    parsed: Parsed, old: str, name: str, uses: list[Use], lines: range | None
) -> list[Use]:
    """Return the uses to rename; raise InvalidArgument if one is uncertain."""
    symbols = symbols_around(parsed, name)
    targets = find_symbols(symbols, old)
    named = [symbol for symbol in symbols if symbol.name == name]
    if not targets and named and lines is None:
        known = ", ".join(symbol.qualified for symbol in named)
        raise InvalidArgument(f"No such symbol: {old}; the file defines {known}")
    plain = [use for use in uses if not use.is_member]
    locals_ = _locals(parsed, symbols, name, plain, named)
    if lines is not None:
        inside = [span for span in locals_ if any(u.line in lines for u in _within(plain, span))]
        if inside:
            return _of_function(name, plain, locals_, inside)
    if any(symbol.kind not in _MEMBER_KINDS for symbol in targets):
        return _of_file(name, plain, locals_, [u for u in uses if _defines(u, targets)])
    if targets:
        return _of_type(parsed, symbols, targets, named, uses, locals_)
    if len(locals_) == 1 and not named:
        return _of_function(name, plain, locals_, list(locals_))
    if locals_:
        _refuse_several(name, sorted(line for lines_ in locals_.values() for line in lines_))
    return plain or _of_one_value(name, uses)


def _locals(
    parsed: Parsed, symbols: list[Symbol], name: str, plain: list[Use], named: list[Symbol]
) -> dict[tuple[int, int], list[int]]:
    """Return the spans of functions that bind the word locally, with the binding lines."""
    defined = {symbol.offset for symbol in named}
    spans = [symbol.span for symbol in symbols if symbol.kind in _CALLABLE]
    found: dict[tuple[int, int], list[int]] = {}
    wanted = {use.start: use for use in plain if use.start not in defined}
    rule = [{"kind": kind} for kind in parsed.language.words]
    for node in parsed.root.find_all(any=rule):
        start = node.range().start.index
        if start not in wanted or node.text() != name:
            continue
        binder = _binder(node)
        if binder is None:
            continue
        if binder.kind() in _WITH_VALUE and len(_word(name).findall(binder.text())) > 1:
            refuse_lines(name, [wanted[start].line])  # `x := x` has two symbols in one statement
        around = [span for span in spans if span[0] <= start < span[1]]
        if around:
            outer = min(around)  # nested functions share what they capture
            found.setdefault(outer, []).append(wanted[start].line)
    return found


def _binder(node: SyntaxNode) -> SyntaxNode | None:
    """Return the node that binds the word at *node*, if there is one."""
    child, parent = node, node.parent()
    for _ in range(_MAX_CLIMB):
        if parent is None:
            return None
        if parent.kind() in _BINDERS:
            return parent if _is_bound_by(parent, child) else None
        child, parent = parent, parent.parent()
    return None


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$.]){re.escape(name)}(?![\w$])")


def _is_bound_by(binder: SyntaxNode, child: SyntaxNode) -> bool:
    for part in _BOUND_FIELDS:
        if any(begins_at(found, child) for found in binder.field_children(part)):
            return True
    return binder.kind() in ("closure_parameters", "inferred_parameters", "match_pattern")


def _within(uses: list[Use], span: tuple[int, int]) -> list[Use]:
    return [use for use in uses if span[0] <= use.start < span[1]]


def _of_function(
    name: str,
    plain: list[Use],
    locals_: dict[tuple[int, int], list[int]],
    chosen: list[tuple[int, int]],
) -> list[Use]:
    """Return the uses within the one function that binds the word."""
    if len(chosen) > 1:
        _refuse_several(name, sorted(line for span in chosen for line in locals_[span]))
    inside = _within(plain, chosen[0])
    before = [use.line for use in inside if use.line < locals_[chosen[0]][0]]
    if before:
        refuse_lines(name, before)
    return inside


def _of_file(
    name: str,
    plain: list[Use],
    locals_: dict[tuple[int, int], list[int]],
    defining: list[Use],
) -> list[Use]:
    """Return the uses in the whole file, if no function binds the word locally."""
    if locals_:
        lines = sorted(line for found in locals_.values() for line in found)
        _refuse_several(name, sorted({*lines, *(use.line for use in defining)}))
    return list({use.start: use for use in (*plain, *defining)}.values())


def _refuse_several(name: str, lines: list[int]) -> None:
    shown = ", ".join(map(str, dict.fromkeys(lines)))
    raise InvalidArgument(
        f"The name is bound in several scopes: {name}: lines {shown}",
        field="edit_instruction",
        hint=f"{WHICH}; {EVERYWHERE}",
        details={"lines": lines},
    )


def _of_type(
    parsed: Parsed,
    symbols: list[Symbol],
    targets: list[Symbol],
    named: list[Symbol],
    uses: list[Use],
    locals_: dict[tuple[int, int], list[int]],
) -> list[Use]:
    """Return the uses of a member: its definition, through self or this, bare in its type."""
    name = targets[0].name
    others = [symbol for symbol in named if symbol not in targets]
    if others or len({symbol.qualified for symbol in targets}) > 1:
        raise InvalidArgument(
            f"Several types here have a member {name}; their uses cannot be distinguished",
            field="edit_instruction",
            hint=EVERYWHERE,
            details={"symbols": [symbol.qualified for symbol in (*targets, *others)]},
        )
    owned = [use for use in uses if _defines(use, targets)]
    accesses = [use for use in uses if use.is_member and not _defines(use, targets)]
    foreign = [use.line for use in accesses if use.receiver not in _SELF]
    if foreign:
        refuse_lines(name, foreign)
    bare = [use for use in uses if not use.is_member and _in_type(parsed, symbols, targets, use)]
    bare = [use for use in bare if not _defines(use, targets)]
    if any(_within(bare, span) for span in locals_):
        _refuse_several(name, sorted({line for found in locals_.values() for line in found}))
    return [*owned, *accesses, *bare]


def _defines(use: Use, targets: list[Symbol]) -> bool:
    return any(symbol.offset == use.start for symbol in targets)


def _in_type(parsed: Parsed, symbols: list[Symbol], targets: list[Symbol], use: Use) -> bool:
    if parsed.language.name not in _IMPLICIT_SELF:
        return False
    owners = {target.qualified.rpartition(".")[0] for target in targets}
    return any(
        symbol.qualified in owners and symbol.span[0] <= use.start < symbol.span[1]
        for symbol in symbols
    )


def _of_one_value(name: str, uses: list[Use]) -> list[Use]:
    """Return all accesses of a member that the file does not define, if of one value."""
    if len({use.receiver for use in uses}) > 1:
        refuse_lines(name, [use.line for use in uses])
    return uses


WHICH = "say which by its qualified name, or pass start_line of a line that uses it"


@dataclass(frozen=True, slots=True)
class RenameTarget:
    """The symbol to rename: a binding of a scope, or a member of a class."""

    binding: Binding | None = None
    owner: Scope | None = None

    @property
    def title(self) -> str:
        """Return the text that identifies it for a reader: qualified name and line."""
        if self.binding is not None and self.owner is None:
            return f"{self.binding.qualified_name} (line {self.binding.sites[0].line})"
        assert self.owner is not None
        return f"member of {self.owner.qualified_name}"


def target_of(
    names: Names, classes: FileClasses, old: str, name: str, lines: range | None
) -> RenameTarget | None:
    """Return the symbol *old* refers to: on *lines*, by qualified name, else the outermost."""
    found = list(_candidates(names, classes, name))
    if lines is not None:
        return _target_on(names, classes, found, name, lines)
    dotted = re.sub(r"::|->|(?<=.)#", ".", old.strip())
    if "." in dotted:
        exact = [target for target in found if _qualified_name(target, name) == dotted]
        ending = [t for t in found if _qualified_name(t, name).endswith("." + dotted)]
        if not exact and not ending and found:
            known = ", ".join(target.title for target in found[:MAX_SHOWN])
            raise InvalidArgument(f"No such symbol: {old}; the file has {known}")
        return _only(exact or ending, name)
    upper = [
        t for t in found if t.owner is None and t.binding and not t.binding.scope.qualified_name
    ]
    outermost = [t for t in upper if t.binding and t.binding.scope.kind == ScopeKind.MODULE]
    return _only(outermost or found, name)


def _candidates(names: Names, classes: FileClasses, name: str) -> Iterable[RenameTarget]:
    for binding in names.bindings:
        if binding.name == name and (classes.script or binding.scope not in classes.defined):
            yield RenameTarget(binding)
    for scope, defined in classes.defined.items():
        if name in defined:
            yield RenameTarget(owner=scope)


def _qualified_name(target: RenameTarget, name: str) -> str:
    if target.owner is not None:
        return f"{target.owner.qualified_name}.{name}"
    assert target.binding is not None
    return target.binding.qualified_name


def _target_on(
    names: Names, classes: FileClasses, found: list[RenameTarget], name: str, lines: range
) -> RenameTarget | None:
    """Return what the name refers to on *lines*, where it must be a single symbol."""
    uses = [o for o in names.occurrences if o.name == name and o.line in lines]
    members = [m for m in names.members if m.name == name and m.line in lines]
    bound = {id(use.binding) for use in uses}
    starts = {use.start for use in uses}
    owners = [owner_of(classes, m) for m in members if m.start not in starts]
    chosen = [t for t in found if t.owner is None and id(t.binding) in bound]
    owned = [t for t in found if t.owner is not None and any(o is t.owner for o in owners)]
    owned += [
        t
        for t in found
        if t.owner is not None and t not in owned and _defined_on(classes, t.owner, name, lines)
    ]
    count = len(chosen) + len(owned) + (id(None) in bound)
    foreign = any(not isinstance(owner, Scope) for owner in owners)
    loose = any(o.name == name and o.binding is None for o in names.occurrences)
    if count + foreign > 1 or (foreign and not count and (found or loose)):
        refuse_lines(name, {use.line for use in uses} | {m.line for m in members})
    if not count and not foreign:
        raise InvalidArgument(
            f"Nothing that can be renamed is called {name} on line {lines[0]}",
            field="start_line",
            hint="pass start_line of a line that uses the name, or leave it out",
        )
    return (chosen + owned)[0] if chosen or owned else None


def _defined_on(classes: FileClasses, owner: Scope, name: str, lines: range) -> bool:
    return any(
        site.line in lines
        for item in classes.defined[owner][name]
        for site in (item.sites if isinstance(item, Binding) else [item])
    )


def _only(found: list[RenameTarget], name: str) -> RenameTarget | None:
    if len(found) > 1:
        known = "; ".join(target.title for target in found[:MAX_SHOWN])
        raise InvalidArgument(
            f"The name means several things here: {name}: {known}",
            field="edit_instruction",
            hint=WHICH,
            details={"candidates": [target.title for target in found]},
        )
    return found[0] if found else None


def owner_of(classes: FileClasses, member: Member) -> ClassOrNot:
    """Return the class of the file that a member belongs to, if any."""
    if member.form == MemberUse.DEFINE:
        return member.scope if member.scope in classes.defined else NoClass.UNKNOWN
    if member.form == MemberUse.ACCESS:
        found = classes.class_of_value(member.owner, member.scope)
        if isinstance(found, Scope):
            return classes.owner(found, member.name) or NoClass.OTHER
        return found
    return NoClass.OTHER


MAX_SHOWN = 8
EVERYWHERE = "replace those lines, or say `everywhere` to rename the word wherever it is code"


def refuse_lines(name: str, found: Iterable[int], old: str = "") -> None:
    """Refuse because the uses on these lines may refer to something else."""
    lines = sorted(found)
    if not lines:
        raise InvalidArgument(
            f"The file does not use the name: {old or name}",
            field="edit_instruction",
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    where = ", ".join(map(str, lines[:MAX_SHOWN])) + (", ..." if len(lines) > MAX_SHOWN else "")
    raise InvalidArgument(
        f"It is not certain whose {name} is used on line {where}",
        field="edit_instruction",
        hint=EVERYWHERE,
        details={"lines": lines},
    )


def refuse_unknown(name: str, members: Iterable[Member], old: str = "") -> None:
    """Refuse because these members may belong to something else."""
    refuse_lines(name, {member.line for member in members}, old)


def refuse_family(classes: FileClasses, owner: Scope, name: str) -> None:
    """Refuse a member that a base or subclass in the file defines too."""
    family = classes.relatives_defining(owner, name)
    if family:
        known = ", ".join(scope.qualified_name for scope in (owner, *family))
        raise InvalidArgument(
            f"Several types here have a member {name}: {known}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def refuse_mixed(names: Names, classes: FileClasses, binding: Binding) -> None:
    """Refuse a name with several bindings, of which only running the code selects one."""
    name, scope = binding.name, binding.scope
    twins = {id(found) for found in (scope.names.get(name), scope.types.get(name)) if found}
    both = len(twins) > 1 and any(u.meaning == ANY and u not in binding.sites for u in binding.uses)
    spaces = BindingRole.NAMESPACE in binding.roles and len(binding.roles) > 1
    if both or spaces or scope.shared or _is_import_and_more(binding):
        refuse_lines(name, {site.line for site in binding.sites})
    if classes.script:
        refuse_unresolved(names, name)
    refuse_class_shadow(classes, name)


def _is_import_and_more(binding: Binding) -> bool:
    return BindingRole.IMPORT in binding.roles and bool(
        binding.roles - {BindingRole.IMPORT, BindingRole.REDIRECTED}
    )


def refuse_unresolved(names: Names, name: str) -> None:
    """Refuse if a use has no binding although the name is bound around it: misread syntax."""
    unresolved = [
        use.line
        for use in names.occurrences
        if use.name == name
        and use.binding is None
        and any(scope.binding_of(name, ANY) for scope in use.scope.outward())
    ]
    if unresolved:
        refuse_lines(name, unresolved)


def refuse_class_shadow(classes: FileClasses, name: str) -> None:
    """Refuse `x = x` in a class body: the left is the member, the right may not be."""
    if classes.script:
        return
    for scope in classes.defined:
        found = scope.names.get(name)
        outer = scope.parent is not None and any(name in s.names for s in scope.parent.outward())
        if found is None or not outer:
            continue
        read = [use.line for use in found.uses if use.scope is scope and use not in found.sites]
        if read:
            refuse_lines(name, read)


def refuse_constructor_fields(names: Names, classes: FileClasses, name: str) -> None:
    """Refuse labels in a call of the class, which may be its fields, as in dataclasses."""
    labels = [
        member
        for member in names.members
        if member.name == name
        and member.form == MemberUse.LABEL
        and isinstance(classes.class_of_value(_call_of(member), member.scope), Scope)
    ]
    if labels:
        refuse_unknown(name, labels)
    parameters = [b for b in names.bindings if b.name == name and BindingRole.FIELD in b.roles]
    if parameters:
        raise InvalidArgument(
            f"{name} is made a member by a parameter: line {parameters[0].sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def _call_of(label: Member) -> SyntaxNode:
    """Return the call that a label is in: above its argument and the argument list."""
    return parent_of(parent_of(parent_of(label.node)))


def labels_of(names: Names, classes: FileClasses, binding: Binding) -> list[Member]:
    """Return the keyword arguments with which calls of its function pass a parameter."""
    certain: list[Member] = []
    unknown: list[Member] = []
    for member in names.members:
        if member.name != binding.name or member.form != MemberUse.LABEL:
            continue
        is_own = _calls_function(names, classes, member, binding)
        if is_own is None:
            unknown.append(member)
        elif is_own:
            certain.append(member)
    if unknown:
        refuse_unknown(binding.name, unknown)
    return certain


def _calls_function(
    names: Names, classes: FileClasses, label: Member, binding: Binding
) -> bool | None:
    """Return whether a label is in a call of the parameter's function; None if uncertain."""
    callee = label.owner
    if callee is None:
        return False
    function = binding.scope.owner
    plain = function is not None and len(function.sites) == 1 and not _is_decorated(binding.scope)
    if callee.kind() == "identifier":
        return _calls_name(names, classes, callee, binding, plain)
    if callee.kind() != "attribute":
        return None
    return _calls_member(classes, label, binding, plain)


def _calls_name(
    names: Names, classes: FileClasses, callee: SyntaxNode, binding: Binding, plain: bool
) -> bool | None:
    occurrence = names.at(callee)
    known = occurrence.binding if occurrence is not None else None
    if known is None or known.roles <= {BindingRole.IMPORT}:
        return False
    method = _class_around(classes, binding)
    if known is binding.scope.owner and method is None:
        return True if plain else None
    called = classes.class_of(known)
    if called is None:
        return False if known.roles <= {BindingRole.FUNCTION} else None
    constructor = classes.owner(called, "__init__")
    if binding.scope.name != "__init__" or constructor is not method:
        return False
    return True if plain and constructor is called else None


def _calls_member(
    classes: FileClasses, label: Member, binding: Binding, plain: bool
) -> bool | None:
    assert label.owner is not None
    word = required_field(label.owner, "attribute").text()
    if word != binding.scope.name:
        return False
    found = classes.class_of_value(label.owner.field("object"), label.scope)
    if not isinstance(found, Scope):
        return False if found == NoClass.OTHER else None
    if classes.owner(found, word) is not _class_around(classes, binding):
        return False
    return True if plain else None


def _class_around(classes: FileClasses, binding: Binding) -> Scope | None:
    parent = binding.scope.parent
    return parent if parent in classes.defined else None


def _is_decorated(scope: Scope) -> bool:
    parent = scope.node.parent()
    return parent is not None and parent.kind() == "decorated_definition"


# Names whose meaning the language defines.
_LANGUAGE = frozenset(
    """
    exports module require arguments prototype constructor undefined __init__ __name__ __class__
    __file__ __all__ super
    """.split()
)
NameUse: TypeAlias = Occurrence | Member


def names_of(parsed: Parsed) -> Names:
    """Return the names of a file in a language with known scopes; refuse one with errors."""
    broken = syntax_issues(parsed)
    if broken:
        raise InvalidArgument(
            f"The file does not parse at line {broken[0].line}, so its scopes are unknown",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    return read_names(parsed)


def scoped_uses(parsed: Parsed, old: str, name: str, lines: range | None) -> list[NameUse]:
    """Return every use to rename; raise InvalidArgument if one is uncertain."""
    names = names_of(parsed)
    classes = FileClasses.of(names, script=parsed.language.name != "python")
    target = target_of(names, classes, old, name, lines)
    if target is None:
        return _undefined_uses(names, old, name)
    if target.owner is not None:
        return _member_uses(names, classes, target.owner, name)
    assert target.binding is not None
    return _binding_uses(names, classes, target.binding)


def _undefined_uses(names: Names, old: str, name: str) -> list[NameUse]:
    """Return the uses of a name that the file does not define: plain ones, or of one value."""
    if name in _LANGUAGE:
        raise InvalidArgument(
            f"A name that the language gives its meaning: {name}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    plain = [use for use in names.occurrences if use.name == name and use.binding is None]
    if plain:
        refuse_unresolved(names, name)
        if len({use.meaning for use in plain}) > 1:
            refuse_lines(name, {use.line for use in plain})
        return list(plain)
    members = [member for member in names.members if member.name == name]
    owners = {m.owner.text() if m.owner is not None else None for m in members}
    kinds = {(m.kind, m.form, m.owner.kind() if m.owner is not None else "") for m in members}
    simple = {(kind, MemberUse.ACCESS, "identifier") for kind, *_ in kinds}
    if len(owners) != 1 or len(kinds) != 1 or kinds != simple:
        refuse_unknown(name, members, old)
    return list(members)


def _member_uses(names: Names, classes: FileClasses, owner: Scope, name: str) -> list[NameUse]:
    refuse_family(classes, owner, name)
    uses: list[NameUse] = []
    defined = [d for d in classes.defined[owner].get(name, ()) if isinstance(d, Member)]
    if classes.script and len({member.form for member in defined}) > 1:
        refuse_unknown(name, defined)  # a method that is reassigned is two symbols
    unknown: list[Member] = []
    for member in (m for m in names.members if m.name == name):
        found = owner_of(classes, member)
        if found is owner:
            uses.append(member)
        elif found == NoClass.UNKNOWN or (member.form == MemberUse.KEY and classes.script):
            unknown.append(member)
    if unknown:
        refuse_unknown(name, unknown)
    if classes.script and len({classes.is_static(m) for m in uses if isinstance(m, Member)}) > 1:
        refuse_lines(name, {use.line for use in uses})
    refuse_class_shadow(classes, name)
    if not classes.script:
        uses += owner.names[name].uses if name in owner.names else []
    refuse_constructor_fields(names, classes, name)
    return uses


def _binding_uses(names: Names, classes: FileClasses, binding: Binding) -> list[NameUse]:
    if BindingRole.DOTTED_IMPORT in binding.roles:
        raise InvalidArgument(
            f"{binding.name} is the first word of a dotted import: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    if binding.roles & {BindingRole.FIELD, BindingRole.ENUM_MEMBER}:
        raise InvalidArgument(
            f"{binding.name} is a member as well: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    refuse_mixed(names, classes, binding)
    uses: list[NameUse] = list(binding.uses)
    if BindingRole.PARAMETER in binding.roles and not classes.script:
        uses += labels_of(names, classes, binding)
    return uses


_NAME = re.compile(r"([.#]?)(-?[^\W\d][\w-]*|--[\w-]+)")
# Also `:hover` has its name in a node of the kind `class_name`.
_SELECTORS = {"class_selector": ".", "id_selector": "#"}
_SELECTED = ("class_name", "id_name")
_CUSTOM = ("property_name", "plain_value", "keyword_query")
_SHOWN = {".": "a class", "#": "an id", "": "a custom property"}


class CssRename(NamedTuple):
    """The spans to replace, and the new name."""

    spans: list[Span]
    new: str


def find_css_rename(
    parsed: Parsed, old: str, new: str, *, lines: range | None, everywhere: bool
) -> CssRename:
    """Return what renames *old* to *new*; raise InvalidArgument if it is uncertain what is meant.

    `.name` is a class, `#name` an id, `--name` a custom property. A bare name is a class or an id.
    """
    (mark, word), (new_mark, fresh) = _read(old), _read(new)
    if (new_mark and new_mark != mark) or word.startswith("--") != fresh.startswith("--"):
        raise InvalidArgument(
            f"A rename does not make {_shown(mark, word)} {_shown(new_mark, fresh)}: {new}",
            field="edit_instruction",
        )
    uses = _uses(parsed, mark, word)
    if not uses:
        raise InvalidArgument(
            f"No class, id or custom property of the file has the name: {old}",
            field="edit_instruction",
            hint="say .name for a class, #name for an id, --name for a custom property; other "
            "names and those in strings and comments are not renamed: use a replace for those",
        )
    chosen = [use for use in uses if lines is None or use.line in lines] or uses
    marks = {use.mark for use in (uses if everywhere else chosen)}
    if len(marks) > 1 and not everywhere:
        raise InvalidArgument(
            f"A class and an id have the name: {word}",
            field="edit_instruction",
            hint=f"say .{word} or #{word}",
            details={"lines": sorted({use.line for use in uses})},
        )
    for use in _uses(parsed, new_mark, fresh):
        if use.mark in marks:
            raise InvalidArgument(
                f"The name is already used on line {use.line}: {fresh}",
                field="edit_instruction",
                hint="choose another name; renaming would merge two symbols",
            )
    return CssRename([use.span for use in uses if use.mark in marks], fresh)


def _shown(mark: str, word: str) -> str:
    return _SHOWN[mark] if mark or word.startswith("--") else "a class or an id"


def _read(name: str) -> tuple[str, str]:
    """Return the mark of a name, or nothing, and the name without it."""
    found = _NAME.fullmatch(name.strip())
    if found is None or (found[1] and found[2].startswith("--")):
        raise InvalidArgument(
            f"Not a name: {name}",
            field="edit_instruction",
            hint="say .name for a class, #name for an id, --name for a custom property",
        )
    return found[1], found[2]


class _CssUse(NamedTuple):
    mark: str
    line: int
    span: Span


def _uses(parsed: Parsed, mark: str, word: str) -> list[_CssUse]:
    """Return the uses of a name as what *mark* says, or as anything."""
    is_custom = word.startswith("--")
    found: list[_CssUse] = []
    for node in nodes_of(parsed, word, _CUSTOM if is_custom else _SELECTED):
        own = "" if is_custom else _SELECTORS.get(parent_of(node).kind())
        if own is not None and mark in ("", own):
            found.append(_CssUse(own, node.range().start.line + 1, span_of(node)))
    return found


_SHORTHAND = {
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
}
_MEMBERS = {"property_identifier", "private_property_identifier"}
_FIELD = "edit_instruction"
_A_NAME = re.compile(r"[^\W\d][\w$]*[?!]?|[$#@][\w$]+")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replace characters [start, end) with `text`."""

    start: int
    end: int
    text: str


def plan_rename(
    parsed: Parsed, old: str, new: str, *, lines: range | None = None, everywhere: bool = False
) -> list[Replacement]:
    """Return the replacements that rename *old* to *new* wherever it refers to the same symbol.

    *old* may be qualified, and *lines* may select a use. *everywhere* renames every occurrence
    of the word as code. Raise InvalidArgument if the file does not use the name, if it is
    uncertain which uses are meant, or if *new* is in use.
    """
    if parsed.language.name == "css":
        spans, fresh = find_css_rename(parsed, old, new, lines=lines, everywhere=everywhere)
        return [Replacement(*span, fresh) for span in spans]
    name, fresh = last_word(old), last_word(new)
    if not _A_NAME.fullmatch(fresh):
        raise InvalidArgument(f"Not a name: {new}", field=_FIELD)
    uses = [use for use in uses_of(parsed, name) if everywhere or not use.is_label]
    if not uses:
        raise InvalidArgument(
            f"The file does not use the name: {name}",
            field=_FIELD,
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    if everywhere:
        chosen: Iterable[Use | NameUse] = uses
    elif parsed.language.name in SCOPED:
        found = scoped_uses(parsed, old, name, lines)
        chosen = {use.start: use for use in found}.values()
    else:
        chosen = certain_uses(parsed, old, name, uses, lines)
        if not chosen:
            refuse_lines(name, [use.line for use in uses])
    is_member = all(use.kind in _MEMBERS for use in chosen)
    refuse_new_name(fresh, parsed.language, _FIELD, is_member=is_member)
    _refuse_used_name(parsed, fresh)
    return [_replacement(parsed, use, name, fresh, everywhere) for use in chosen]


def last_word(name: str) -> str:
    """Return a name without the names of what it is in."""
    return re.split(r"\.|::|#(?=.)(?<=.#)|->", name.strip())[-1]


def _refuse_used_name(parsed: Parsed, fresh: str) -> None:
    """Refuse a new name that the file uses already: two symbols would become one."""
    for use in uses_of(parsed, fresh):
        raise InvalidArgument(
            f"The name is already used on line {use.line}: {fresh}",
            field=_FIELD,
            hint="choose another name; renaming would merge two symbols",
        )


def _replacement(
    parsed: Parsed, use: Use | NameUse, name: str, fresh: str, everywhere: bool
) -> Replacement:
    shorthand = use.kind in _SHORTHAND and not everywhere
    if shorthand or (not everywhere and _rust_shorthand(parsed, use)):
        return Replacement(use.start, use.end, f"{name}: {fresh}")
    return Replacement(use.start, use.end, fresh)


def _rust_shorthand(parsed: Parsed, use: Use | NameUse) -> bool:
    if parsed.language.name != "rust":
        return False
    found = parsed.root.find_all(kind="shorthand_field_initializer")
    return any(node.range().start.index == use.start for node in found)


def apply_replacements(text: str, replacements: list[Replacement]) -> str:
    """Return *text* with all replacements applied; they must not overlap."""
    return "".join(_pieces(text, replacements))


def _pieces(text: str, replacements: list[Replacement]) -> Iterator[str]:
    position = 0
    for item in sorted(replacements, key=lambda r: r.start):
        yield text[position : item.start]
        yield item.text
        position = item.end
    yield text[position:]
