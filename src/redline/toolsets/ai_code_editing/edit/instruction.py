"""Read an edit instruction: a fenced block, a deletion, a replacement, a rename.

Only unambiguous sentences are understood; any other one is None and left to code_block or a
configured provider. Nothing here reads a file.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from redline.core.errors import InvalidArgument
from redline.core.records import dataclass
from redline.toolsets.ai_code_editing.edit.words import (
    ANY_NAME,
    KIND,
    NAME,
    QUOTED,
    compile_words,
    name_in,
)

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)")
_DELETES_GIVEN = compile_words(
    r"(?:please )?(?:delete|remove|drop|erase)"
    r"(?: (?:it|them|this|these|those|that))?(?: the)?(?: (?:given|selected|whole))?"
    r"(?: (?:block|lines?|code|range|section|selection|function|method|class|definition))?"
    r"\s*(?:please)?\s*[.!]?"
)
_TAIL = r"\s*(?:in (?:this|the) (?:file|module|code)|please)?\s*[.!]?\s*"


@dataclass(frozen=True, slots=True)
class DeleteLines:
    """Delete lines `first` to `last`."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class DeleteSymbol:
    """Delete a definition."""

    name: str


@dataclass(frozen=True, slots=True)
class DeleteText:
    """Delete the one line that contains this text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """Replace literal text, once or everywhere."""

    old: str
    new: str
    everywhere: bool


@dataclass(frozen=True, slots=True)
class RenameSymbol:
    """Rename a symbol at every reference, or (`everywhere`) every occurrence of the word."""

    old: str
    new: str
    everywhere: bool = False


# Lines, or the name of a definition or a quoted text.
Subject: TypeAlias = DeleteLines | str
Directive: TypeAlias = DeleteLines | DeleteSymbol | DeleteText | ReplaceText | RenameSymbol


def fenced_block(instruction: str) -> tuple[str, str | None]:
    """Split an instruction into its sentences and its fenced block; refuse several blocks."""
    if "```" not in instruction and "~~~" not in instruction:
        return instruction, None
    lines = instruction.replace("\r\n", "\n").split("\n")
    blocks = _blocks(lines)
    if not blocks:
        return instruction, None
    if len(blocks) > 1:
        raise InvalidArgument(
            "The instruction holds several fenced blocks",
            field="edit_instruction",
            hint="send one edit per call, or pass code_block",
        )
    opened, closed = blocks[0]
    rest = "\n".join([*lines[:opened], *lines[closed + 1 :]]).strip()
    return rest, "\n".join(lines[opened + 1 : closed])


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """Return the lines that open and close each fenced block."""
    found: list[tuple[int, int]] = []
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        if opened < 0:
            opened, mark = number, fence[1]
        elif fence[1] == mark and not fence[2].strip():
            found.append((opened, number))
            opened = -1
    return found


def directive_in(instruction: str) -> Directive | None:
    """Return the directive that the whole instruction consists of, or None."""
    text = " ".join(instruction.split())
    for pattern, make in _DIRECTIVES:
        match = pattern.fullmatch(text)
        if match:
            return make(match)
    return None


def deletes_given(instruction: str) -> bool:
    """Return whether the instruction says to delete what the call points at, and nothing else."""
    return _DELETES_GIVEN.fullmatch(" ".join(instruction.split())) is not None


def says_replace(instruction: str) -> bool:
    """Return whether the instruction asks to replace or change something that is there."""
    return bool(_REPLACES.match(instruction))


def subject_in(instruction: str) -> Subject | None:
    """Return what an instruction to replace or change names right behind its verb, or None."""
    verb = _REPLACES.match(instruction)
    if verb is None:
        return None
    rest = instruction[verb.end() :].lstrip()
    lines = _LINES_SUBJECT.match(rest)
    if lines is not None:
        return DeleteLines(int(lines["n"]), int(lines["m"] or lines["n"]))
    named = _SUBJECT.match(rest)
    return None if named is None else name_in(named, "a")


def wants_new_file(instruction: str) -> bool:
    """Return whether the instruction asks to create the file."""
    return bool(_NEW_FILE.search(instruction))


def says_before(instruction: str) -> bool:
    """Return whether the instruction puts new code before a symbol, not after it."""
    return bool(re.search(r"\b(?:before|above|ahead of)\b", instruction, re.IGNORECASE))


_NEW_FILE = compile_words(
    r"\bcreate\b[^.\n]{0,40}\bfile\b|\bnew\s+(?:[\w.+#-]+\s+){0,2}file\b|\bcreate it\b"
)
_REPLACES = compile_words(
    r"\s*(?:please\s+)?(?:replace|rewrite|reimplement|overwrite|swap|change|update|refactor|modify)"
    r"\b(?!\s+(?:it|this|that|them)\s*[.!]*\s*$)"
)
_LINES_SUBJECT = compile_words(
    r"lines?\s+(?P<n>\d+)(?:\s*(?:-|to|through|until|\u2013)\s*(?P<m>\d+))?\b"
)
_SUBJECT = compile_words(
    r"(?:(?:the|old|existing|current|entire|whole|complete|original|implementation of"
    rf"|definition of)\s+)*(?:{KIND}\s+)?(?:called\s+|named\s+)?"
    + NAME.format("a")
    + rf"(?:\s+{KIND})?"
    + r"(?=\s*(?:$|[.,;:!]|(?:with|by|to|so|using|for|as|in\s+(?:this|the)\s+file)\b))"
)
_DELETE = r"(?:please )?(?:delete|remove|drop|erase)(?: the)?"
_DIRECTIVES = (
    (
        compile_words(
            _DELETE
            + r" lines? (?P<n>\d+)(?:\s*(?:-|to|through|until|\u2013)\s*(?P<m>\d+))?"
            + _TAIL
        ),
        lambda m: DeleteLines(int(m["n"]), int(m["m"] or m["n"])),
    ),
    (
        compile_words(
            _DELETE + rf"(?: \w+)? {KIND} (?:called |named )?" + NAME.format("a") + _TAIL
        ),
        lambda m: DeleteSymbol(name_in(m, "a")),
    ),
    (
        compile_words(_DELETE + " " + NAME.format("a") + rf" {KIND}" + _TAIL),
        lambda m: DeleteSymbol(name_in(m, "a")),
    ),
    (
        compile_words(
            _DELETE + r"(?: line)?(?: containing| with| that says)? " + QUOTED.format("a") + _TAIL
        ),
        lambda m: DeleteText(name_in(m, "a")),
    ),
    (
        compile_words(
            rf"(?:please )?rename(?: the)?(?: css)?(?: (?:{KIND}|selector|id|custom property))? "
            + ANY_NAME.format("a")
            + r" (?:to|into|as) "
            + ANY_NAME.format("b")
            + r"(?P<ever> (?:everywhere|throughout))?"
            + _TAIL
        ),
        lambda m: RenameSymbol(name_in(m, "a"), name_in(m, "b"), bool(m["ever"])),
    ),
    (
        compile_words(
            r"(?:please )?(?:replace|change)"
            r"(?P<all> all(?: occurrences of)?| every(?: occurrence of)?)?"
            r"(?: the)?(?: text| string| literal)? "
            + QUOTED.format("a")
            + r" (?:with|by|to) "
            + r"(?:`(?P<bb>[^`\n]*)`|\"(?P<bd>[^\"\n]*)\"|'(?P<bs>[^'\n]*)')"
            + r"(?P<ever> everywhere| throughout)?"
            + _TAIL
        ),
        lambda m: ReplaceText(
            name_in(m, "a"),
            m["bb"] or m["bd"] or m["bs"] or "",
            bool(m["all"] or m["ever"]),
        ),
    ),
    (
        compile_words(
            r"(?:please )?replace(?P<all> all(?: occurrences of)?| every(?: occurrence of)?)?"
            r" (?P<a>[^\s`'\"]+) (?:with|by) (?P<b>[^\s`'\"]+?)(?P<ever> everywhere| throughout)?"
            + _TAIL
        ),
        lambda m: ReplaceText(m["a"], m["b"], bool(m["all"] or m["ever"])),
    ),
)
