"""Read what a call of edit_file says: its arguments, and the sentences of its instruction.

Only unambiguous sentences are understood; any other one is None and left to code_block or a
configured provider. Nothing here reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from redline.core.errors import InvalidArgument
from redline.core.records import dataclass

KIND = (
    r"(?:function|method|class|struct|interface|trait|enum|type|constant|variable|field|property"
    r"|macro|module|namespace|def|fn|func|definition)"
)
# Words that may follow "function" or "after" in a sentence without being a name.
_NOT_NAMES = (
    "the|a|an|this|that|these|which|who|is|are|was|it|its|to|of|in|on|at|and|or|so|with|without|for"
    "|from|by|all|every|each|any|first|second|third|fourth|fifth|last|next|new|old|definition|definitions|declaration|call"
    "|calls|body|has|have|does|returns|ends|starts|begins|there|here|class|function|method"
)
NAME = (
    r"(?:[`'\"](?P<{0}q>[^`'\"\n]+)[`'\"]"
    r"|(?!(?-i:" + _NOT_NAMES + r")\b)(?P<{0}w>[A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*))(?:\(\))?"
)
# After "rename" and "to" any word is a name, and so is what a style sheet names.
ANY_NAME = NAME.replace("(?!(?-i:" + _NOT_NAMES + r")\b)", "").replace(
    r"[A-Za-z_$][\w$]*", r"(?:[.#]?-?|--)[A-Za-z_$](?:[\w$]|-(?=\w|-))*"
)
QUOTED = r"(?:`(?P<{0}b>[^`\n]+)`|\"(?P<{0}d>[^\"\n]+)\"|'(?P<{0}s>[^'\n]+)')"


def compile_words(text: str) -> re.Pattern[str]:
    """Compile a pattern of English words, in any case."""
    return re.compile(text, re.IGNORECASE)


def name_in(match: re.Match[str], key: str) -> str:
    """Return the name or quoted text that the groups named after *key* found."""
    groups = match.groupdict()
    return next(v for k, v in groups.items() if v and k.startswith(key) and len(k) == len(key) + 1)


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


INSERT, DELETE = "insert", "delete"


@dataclass(frozen=True, slots=True)
class EditRequest:
    """The arguments of an edit; `edit_type` is None if the instruction must determine it."""

    file: str
    instruction: str
    first: int | None
    last: int | None
    block: str | None
    edit_type: str | None
    symbol: str | None
    expected_text: str | None
    expected_hash: str | None
    create: bool

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> EditRequest:
        """Read *arguments*; raise InvalidArgument if they contradict each other."""
        instruction, fenced = fenced_block(arguments["edit_instruction"])
        block = arguments.get("code_block")
        block = fenced if block is None else block
        first, last = _lines(arguments.get("start_line"), arguments.get("end_line"))
        edit_type, symbol = arguments.get("edit_type"), arguments.get("symbol") or None
        has_target = first is not None or symbol is not None
        if edit_type is None and block is None and has_target and deletes_given(instruction):
            edit_type = DELETE
        request = cls(
            file=arguments["target_file"],
            instruction=instruction,
            first=first,
            last=last,
            block=None if edit_type == DELETE and not block else block,
            edit_type=edit_type,
            symbol=symbol,
            expected_text=arguments.get("expected_text") or None,
            expected_hash=arguments.get("expected_hash") or None,
            create=bool(arguments.get("create")),
        )
        _check(request)
        return request


def _lines(first: int | None, last: int | None) -> tuple[int | None, int | None]:
    if first is None and last is not None:
        raise InvalidArgument("end_line needs start_line", field="start_line")
    if first is None:
        return None, None
    last = first if last is None else last
    if last < first:
        raise InvalidArgument(
            f"end_line is before start_line: {first}-{last}",
            field="end_line",
            hint="lines are 1-indexed and end_line is included",
        )
    return first, last


def _check(request: EditRequest) -> None:
    if not request.file.strip():
        raise InvalidArgument("target_file is empty", field="target_file")
    if request.symbol and request.first is not None:
        raise InvalidArgument(
            "symbol and start_line both say where", field="symbol", hint="pass one of them"
        )
    if request.edit_type == DELETE and request.block:
        raise InvalidArgument(
            "A delete takes no code_block", field="code_block", hint="use edit_type replace"
        )
