"""Find the uses to rename where scopes are not known: a word that can only mean one symbol.

Functions are distinguished by their spans. A word that a function binds is local to it; if the
file binds the word elsewhere too, the caller must select one of them, or the rename is refused.
"""

from __future__ import annotations

import re

from redline.code.rename.refusals import EVERYWHERE, refuse_lines
from redline.code.rename.targets import WHICH
from redline.code.syntax.definitions import Parsed, Symbol, find_symbols, symbols_around
from redline.code.syntax.node import SyntaxNode, begins_at
from redline.code.syntax.uses import Use
from redline.core.errors import InvalidArgument

_MEMBERS = {"method", "field", "property", "enum_member"}
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
    if any(symbol.kind not in _MEMBERS for symbol in targets):
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
