"""Renaming in one file: by scope where scopes are known, else by word where that is sure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from redline.code.rename.scoped import Spot, scoped_spots
from redline.code.rename.words import sure_uses
from redline.code.scopes.read import SCOPED
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.uses import Use, uses_of
from redline.core.errors import InvalidArgument

_SHORTHAND = {
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
}
_A_NAME = re.compile(r"[^\W\d][\w$]*[?!]?|[$#@][\w$]+")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put `text` where characters [start, end) stand."""

    start: int
    end: int
    text: str


def plan_rename(
    parsed: Parsed, old: str, new: str, *, lines: range | None = None, everywhere: bool = False
) -> list[Replacement]:
    """Replacements that rename *old* to *new* wherever it means the same thing.

    *old* may be qualified, and *lines* may say where it is used. *everywhere* takes the word for
    the thing: every place that spells it as code. Raises InvalidArgument when the file does not
    use the name, when it cannot be told which uses are meant, or when *new* is taken.
    """
    name, fresh = _last_word(old), _last_word(new)
    if not _A_NAME.fullmatch(fresh):
        raise InvalidArgument(f"Not a name: {new}", field="edit_instruction")
    uses = [use for use in uses_of(parsed, name) if everywhere or not use.is_label]
    if not uses:
        raise InvalidArgument(
            f"The file does not use the name: {name}",
            field="edit_instruction",
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    if everywhere:
        chosen: Iterable[Use | Spot] = uses
    elif parsed.language.name in SCOPED:
        chosen = _each_once(scoped_spots(parsed, old, name, lines))
    else:
        chosen = sure_uses(parsed, old, name, uses, lines)
    taken = list(chosen)
    _refuse_taken(parsed, fresh)
    return [_replacement(parsed, use, name, fresh, everywhere) for use in taken]


def _last_word(name: str) -> str:
    return re.split(r"\.|::|#(?=.)(?<=.#)|->", name.strip())[-1]


def _each_once(spots: list[Spot]) -> list[Spot]:
    return list({spot.start: spot for spot in spots}.values())


def _refuse_taken(parsed: Parsed, fresh: str) -> None:
    """Refuse a new name the file uses already: two things would become one."""
    for use in uses_of(parsed, fresh):
        raise InvalidArgument(
            f"The name is already used on line {use.line}: {fresh}",
            field="edit_instruction",
            hint="choose another name; renaming would merge two symbols",
        )


def _replacement(
    parsed: Parsed, use: Use | Spot, name: str, fresh: str, everywhere: bool
) -> Replacement:
    shorthand = use.kind in _SHORTHAND and not everywhere
    if shorthand or (not everywhere and _rust_shorthand(parsed, use)):
        return Replacement(use.start, use.end, f"{name}: {fresh}")
    return Replacement(use.start, use.end, fresh)


def _rust_shorthand(parsed: Parsed, use: Use | Spot) -> bool:
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
