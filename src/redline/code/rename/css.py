"""Find what to rename in a style sheet: a class, an id or a custom property.

A class and an id may have one name; names of elements and other properties are not the file's own.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Span, parent_of, span_of
from redline.code.syntax.uses import nodes_of
from redline.core.errors import InvalidArgument

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
