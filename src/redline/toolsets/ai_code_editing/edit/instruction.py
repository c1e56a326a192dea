"""Read an edit instruction: a fenced block, a position, a deletion, a replacement, a rename.

Only unambiguous sentences are understood; any other one is None and left to code_block or a
configured provider. Nothing here reads a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from redline.core.errors import InvalidArgument

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)")
_KIND = (
    r"(?:function|method|class|struct|interface|trait|enum|type|constant|variable|field|property"
    r"|macro|module|namespace|def|fn|func|definition)"
)
# Words that may follow "function" or "after" in a sentence without being a name.
_NO_NAME = (
    "the|a|an|this|that|these|which|who|is|are|was|it|its|to|of|in|on|at|and|or|so|with|without|for"
    "|from|by|all|every|each|any|first|last|next|new|old|definition|definitions|declaration|call"
    "|calls|body|has|have|does|returns|ends|starts|begins|there|here"
)
_NAME = (
    r"(?:[`'\"](?P<{0}q>[^`'\"\n]+)[`'\"]"
    r"|(?!(?-i:" + _NO_NAME + r")\b)(?P<{0}w>[A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*))(?:\(\))?"
)
# After "rename" and "to" any word is a name.
_ANY_NAME = _NAME.replace("(?!(?-i:" + _NO_NAME + r")\b)", "")
_QUOTED = r"(?:`(?P<{0}b>[^`\n]+)`|\"(?P<{0}d>[^\"\n]+)\"|'(?P<{0}s>[^'\n]+)')"
_TAIL = r"\s*(?:in (?:this|the) (?:file|module|code)|please)?\s*[.!]?\s*"


@dataclass(frozen=True, slots=True)
class AtLine:
    """Before line `line`, or after it."""

    line: int
    after: bool


@dataclass(frozen=True, slots=True)
class AtEdge:
    """At the top of the file or at its end."""

    top: bool


@dataclass(frozen=True, slots=True)
class AtSymbol:
    """Before or after a definition."""

    name: str
    after: bool


@dataclass(frozen=True, slots=True)
class AtText:
    """Before or after the line that contains this text."""

    text: str
    after: bool


@dataclass(frozen=True, slots=True)
class InSymbol:
    """Inside a definition, at its end."""

    name: str


@dataclass(frozen=True, slots=True)
class AfterImports:
    """After the last import at the beginning of the file."""


Place: TypeAlias = AtLine | AtEdge | AtSymbol | AtText | InSymbol | AfterImports


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


def places_in(instruction: str) -> list[Place]:
    """Return every position for new code that the instruction names, each once."""
    found: dict[Place, None] = {}
    for pattern, make in _PLACES:
        for match in pattern.finditer(instruction):
            found[make(match)] = None
    return list(found)


def containers_in(instruction: str) -> list[str]:
    """Return the definitions that the instruction puts code into, as in `to class Shop`."""
    found = [_name(match, "a") for regex in _INSIDES for match in regex.finditer(instruction)]
    return list(dict.fromkeys(found))


def directive_in(instruction: str) -> Directive | None:
    """Return the directive that the whole instruction consists of, or None."""
    text = " ".join(instruction.split())
    for pattern, make in _DIRECTIVES:
        match = pattern.fullmatch(text)
        if match:
            return make(match)
    return None


def symbol_in(instruction: str) -> str | None:
    """Return the one definition that an instruction to replace or change names, or None."""
    found = {_name(match, "a") for match in _SUBJECT.finditer(instruction)}
    return found.pop() if len(found) == 1 else None


def wants_new_file(instruction: str) -> bool:
    """Return whether the instruction asks to create the file."""
    return bool(_NEW_FILE.search(instruction))


def says_before(instruction: str) -> bool:
    """Return whether the instruction puts new code before a symbol, not after it."""
    return bool(re.search(r"\b(?:before|above|ahead of)\b", instruction, re.IGNORECASE))


def _re(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def _name(match: re.Match[str], key: str) -> str:
    groups = match.groupdict()
    return next(v for k, v in groups.items() if v and k.startswith(key) and len(k) == len(key) + 1)


def _after(match: re.Match[str]) -> bool:
    return match["side"].lower() in ("after", "below", "following", "under", "beneath")


_SIDE = r"\b(?P<side>after|below|following|under|beneath|before|above)\s+"
_NEW_FILE = _re(r"\bcreate\b[^.\n]{0,40}\bfile\b|\bnew\s+(?:[\w.+#-]+\s+){0,2}file\b|\bcreate it\b")
_SUBJECT = _re(
    rf"\b(?:replace|rewrite|change|update|refactor)\s+(?:the\s+)?{_KIND}\s+" + _NAME.format("a")
)
_PLACES = (
    (_re(_SIDE + r"line\s+(?P<n>\d+)\b"), lambda m: AtLine(int(m["n"]), _after(m))),
    (
        _re(r"\b(?:at|on)\s+line\s+(?P<n>\d+)\b"),
        lambda m: AtLine(int(m["n"]), False),
    ),
    (
        _re(
            r"\b(?:at|to)\s+the\s+(?:very\s+)?(?:top|beginning|start)"
            r"(?:\s+of\s+(?:the|this)\s+(?:file|module))?(?!\s+of)\b"
        ),
        lambda _: AtEdge(True),
    ),
    (
        _re(
            r"\b(?:at|to)\s+the\s+(?:very\s+)?(?:end|bottom)"
            r"(?:\s+of\s+(?:the|this)\s+(?:file|module))?(?!\s+of)\b"
        ),
        lambda _: AtEdge(False),
    ),
    (_re(r"\b(?:after|below)\s+(?:the\s+|all\s+)*imports?\b"), lambda _: AfterImports()),
    (
        _re(
            _SIDE + rf"(?:the\s+)?(?:\w+\s+)?{_KIND}\s+(?:called\s+|named\s+)?" + _NAME.format("a")
        ),
        lambda m: AtSymbol(_name(m, "a"), _after(m)),
    ),
    (
        _re(_SIDE + r"(?:the\s+)?" + _NAME.format("a") + rf"\s+{_KIND}\b"),
        lambda m: AtSymbol(_name(m, "a"), _after(m)),
    ),
    (
        _re(_SIDE + r"(?:the\s+)?(?:line\s+)?(?:containing\s+|with\s+)?" + _QUOTED.format("a")),
        lambda m: AtText(_name(m, "a"), _after(m)),
    ),
)
_INSIDE = (
    r"\b(?:to|in|into|inside|within|(?:at|to) the (?:end|bottom) of)\s+(?:the\s+|an?\s+)?"
    r"(?:existing\s+)?"
)
_INSIDES = (
    _re(_INSIDE + rf"{_KIND}\s+(?:called\s+|named\s+)?" + _NAME.format("a")),
    _re(_INSIDE + _NAME.format("a") + rf"\s+{_KIND}\b"),
)
_DELETE = r"(?:please )?(?:delete|remove|drop|erase)(?: the)?"
_DIRECTIVES = (
    (
        _re(
            _DELETE
            + r" lines? (?P<n>\d+)(?:\s*(?:-|to|through|until|\u2013)\s*(?P<m>\d+))?"
            + _TAIL
        ),
        lambda m: DeleteLines(int(m["n"]), int(m["m"] or m["n"])),
    ),
    (
        _re(_DELETE + rf"(?: \w+)? {_KIND} (?:called |named )?" + _NAME.format("a") + _TAIL),
        lambda m: DeleteSymbol(_name(m, "a")),
    ),
    (
        _re(_DELETE + " " + _NAME.format("a") + rf" {_KIND}" + _TAIL),
        lambda m: DeleteSymbol(_name(m, "a")),
    ),
    (
        _re(
            _DELETE + r"(?: line)?(?: containing| with| that says)? " + _QUOTED.format("a") + _TAIL
        ),
        lambda m: DeleteText(_name(m, "a")),
    ),
    (
        _re(
            rf"(?:please )?rename(?: the)?(?: {_KIND})? "
            + _ANY_NAME.format("a")
            + r" (?:to|into|as) "
            + _ANY_NAME.format("b")
            + r"(?P<ever> (?:everywhere|throughout))?"
            + _TAIL
        ),
        lambda m: RenameSymbol(_name(m, "a"), _name(m, "b"), bool(m["ever"])),
    ),
    (
        _re(
            r"(?:please )?(?:replace|change)"
            r"(?P<all> all(?: occurrences of)?| every(?: occurrence of)?)?"
            r"(?: the)?(?: text| string| literal)? "
            + _QUOTED.format("a")
            + r" (?:with|by|to) "
            + r"(?:`(?P<bb>[^`\n]*)`|\"(?P<bd>[^\"\n]*)\"|'(?P<bs>[^'\n]*)')"
            + r"(?P<ever> everywhere| throughout)?"
            + _TAIL
        ),
        lambda m: ReplaceText(
            _name(m, "a"),
            m["bb"] or m["bd"] or m["bs"] or "",
            bool(m["all"] or m["ever"]),
        ),
    ),
    (
        _re(
            r"(?:please )?replace(?P<all> all(?: occurrences of)?| every(?: occurrence of)?)?"
            r" (?P<a>[^\s`'\"]+) (?:with|by) (?P<b>[^\s`'\"]+?)(?P<ever> everywhere| throughout)?"
            + _TAIL
        ),
        lambda m: ReplaceText(m["a"], m["b"], bool(m["all"] or m["ever"])),
    ),
)
