"""Where a name is used in a file, and renaming it there: by syntax tree, never in text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from redline.code.definitions import Parsed, Symbol, find_symbols, symbols_of
from redline.code.named import Node
from redline.core.errors import InvalidArgument

_MEMBER_KINDS = {"property_identifier", "private_property_identifier", "field_identifier"}
_MEMBERS = {"method", "field", "property", "enum_member"}
_SHORTHAND = {
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
}
# Where a member is also used without `self.`: inside its class a bare word can mean it.
_IMPLICIT_SELF = {"java", "csharp", "cpp", "kotlin", "swift", "scala", "ruby", "dart", "solidity"}
# `.` reaches into a value everywhere; `->` only in these; `self::name` names a plain symbol.
_ARROWS = {"c", "cpp", "php"}
_ACCESS = re.compile(r"(?:(?<!\.)\.|(?<!self)(?<!super)(?<!crate)::)\s*$")
_ARROW = re.compile(r"->\s*$")
_LOOK_BACK = 80


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a word stands as code. Lines are 1-based; offsets are in characters."""

    start: int
    end: int
    line: int
    is_member: bool
    kind: str
    is_label: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put `text` where characters [start, end) stand."""

    start: int
    end: int
    text: str


def words_of(parsed: Parsed) -> dict[str, list[int]]:
    """Every word used as code with the 1-based lines it stands on, in order, lines repeated."""
    found: dict[str, list[int]] = {}
    for node in parsed.root.find_all(any=[{"kind": kind} for kind in parsed.language.words]):
        found.setdefault(node.text(), []).append(node.range().start.line + 1)
    return found


def uses_of(parsed: Parsed, name: str) -> list[Use]:
    """Every place where *name* stands as code: not in strings, not in comments."""
    rule = [{"kind": kind} for kind in parsed.language.words]
    exact = f"^{re.escape(name)}$"
    found = parsed.root.find_all(all=[{"any": rule}, {"regex": exact}])
    return [_use(parsed, node) for node in found]


def _use(parsed: Parsed, node: Node) -> Use:
    where = node.range()
    start = where.start.index
    before = parsed.text[max(0, start - _LOOK_BACK) : start]
    kind = node.kind()
    member = kind in _MEMBER_KINDS or bool(_ACCESS.search(before))
    if parsed.language.name in _ARROWS:
        member = member or bool(_ARROW.search(before))
    return Use(start, where.end.index, where.start.line + 1, member, kind, _is_label(node))


def _is_label(node: Node) -> bool:
    """Whether the word is the name of an argument at a call: it belongs to the callee."""
    parent = node.parent()
    if parent is None or parent.kind() != "keyword_argument":
        return False
    name = parent.field("name")
    return name is not None and bool(name.range().start.index == node.range().start.index)


def plan_rename(parsed: Parsed, old: str, new: str) -> list[Replacement]:
    """Replacements that rename *old* to *new* at every reference in the file.

    *old* may be qualified. Raises InvalidArgument when the file does not use the name, when it
    cannot be told which of several symbols is meant, or when *new* is taken.
    """
    name, fresh = _last_word(old), _last_word(new)
    if not re.fullmatch(r"[^\W\d][\w$]*[?!]?|[$#@][\w$]+", fresh):
        raise InvalidArgument(f"Not a name: {new}", field="edit_instruction")
    symbols = symbols_of(parsed)
    uses = [use for use in uses_of(parsed, name) if not use.is_label]
    if not uses:
        raise InvalidArgument(
            f"The file does not use the name: {name}",
            field="edit_instruction",
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    chosen = _chosen(parsed, symbols, old, name, uses)
    _refuse_taken(parsed, fresh, chosen)
    return [_replacement(parsed, use, name, fresh) for use in chosen]


def _last_word(name: str) -> str:
    return re.split(r"\.|::|#|->", name.strip())[-1]


def _chosen(
    parsed: Parsed, symbols: list[Symbol], old: str, name: str, uses: list[Use]
) -> list[Use]:
    targets = find_symbols(symbols, old)
    named = [symbol for symbol in symbols if symbol.name == name]
    if not targets and named:
        known = ", ".join(symbol.qualified for symbol in named)
        raise InvalidArgument(f"No such symbol: {old}; the file defines {known}")
    if any(symbol.kind not in _MEMBERS for symbol in targets) or not targets:
        plain = [use for use in uses if not use.is_member or _defines(use, targets)]
        return plain or uses
    others = [symbol for symbol in named if symbol not in targets and symbol.kind in _MEMBERS]
    if others:
        raise InvalidArgument(
            f"Several types here have a member {name}; uses cannot be told apart",
            hint="rename by replacing the lines of each use",
            details={"symbols": [symbol.qualified for symbol in (*targets, *others)]},
        )
    return [use for use in uses if use.is_member or _in_class(parsed, symbols, targets, use)]


def _defines(use: Use, targets: list[Symbol]) -> bool:
    return any(symbol.offset == use.start for symbol in targets)


def _in_class(parsed: Parsed, symbols: list[Symbol], targets: list[Symbol], use: Use) -> bool:
    if _defines(use, targets):
        return True
    if parsed.language.name not in _IMPLICIT_SELF:
        return False
    owners = {target.qualified.rpartition(".")[0] for target in targets}
    return any(
        symbol.qualified in owners and symbol.span[0] <= use.start < symbol.span[1]
        for symbol in symbols
    )


def _refuse_taken(parsed: Parsed, fresh: str, chosen: list[Use]) -> None:
    member = all(use.is_member for use in chosen)
    for use in uses_of(parsed, fresh):
        if use.is_label or (use.is_member and not member):
            continue
        raise InvalidArgument(
            f"The name is already used on line {use.line}: {fresh}",
            field="edit_instruction",
            hint="choose another name; renaming would merge two symbols",
        )


def _replacement(parsed: Parsed, use: Use, name: str, fresh: str) -> Replacement:
    if use.kind in _SHORTHAND or _rust_shorthand(parsed, use):
        return Replacement(use.start, use.end, f"{name}: {fresh}")
    return Replacement(use.start, use.end, fresh)


def _rust_shorthand(parsed: Parsed, use: Use) -> bool:
    if parsed.language.name != "rust":
        return False
    found = parsed.root.find_all(kind="shorthand_field_initializer")
    return any(node.range().start.index == use.start for node in found)


def apply_replacements(text: str, replacements: list[Replacement]) -> str:
    """*text* with every replacement made; they do not overlap."""
    return "".join(_pieces(text, replacements))


def _pieces(text: str, replacements: list[Replacement]) -> Iterator[str]:
    position = 0
    for item in sorted(replacements, key=lambda r: r.start):
        yield text[position : item.start]
        yield item.text
        position = item.end
    yield text[position:]
