"""Plan a rename in one file: by scope where scopes are known, otherwise by word if certain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from redline.code.rename.css import find_css_rename
from redline.code.rename.new_names import refuse_new_name
from redline.code.rename.refusals import refuse_lines
from redline.code.rename.scoped import NameUse, scoped_uses
from redline.code.rename.words import certain_uses
from redline.code.scopes.read import SCOPED
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.uses import Use, uses_of
from redline.core.errors import InvalidArgument

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
