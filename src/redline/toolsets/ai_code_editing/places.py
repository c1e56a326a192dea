"""Read from an instruction where new code goes.

A place that is named and not understood is reported, so that code is never put anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from redline.core.records import dataclass, field
from redline.toolsets.ai_code_editing import unclear
from redline.toolsets.ai_code_editing.instruction import KIND, NAME, QUOTED, compile_words, name_in

FORMS = (
    "forms that are understood: at the top, at the end of the file, after the imports, "
    "before or after line N, function NAME or `text`, at the start or end of function NAME, "
    "to class NAME; or pass start_line or symbol"
)


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
    """Inside a definition; where in it only a type says by itself: at its end."""

    name: str


@dataclass(frozen=True, slots=True)
class AtEdgeOf:
    """At the start of a definition's body or at its end."""

    name: str
    top: bool


@dataclass(frozen=True, slots=True)
class AfterImports:
    """After the last import at the beginning of the file."""


Place: TypeAlias = AtLine | AtEdge | AtSymbol | AtText | InSymbol | AtEdgeOf | AfterImports


class Defined(NamedTuple):
    """Which names the file defines: any definition, and those that code can be added to."""

    symbol: Callable[[str], bool]
    container: Callable[[str], bool]


@dataclass(slots=True)
class PlacesRead:
    """The places an instruction names, each once, and the words for those it cannot mean."""

    places: dict[Place, None] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


def read_places(instruction: str, defined: Defined) -> PlacesRead:
    """Return every place for new code that *instruction* names."""
    found = PlacesRead()
    covered: list[tuple[int, int]] = []
    for pattern, make in _PLACES:
        for match in unclear.outside_of(covered, pattern.finditer(instruction)):
            place = make(match)
            if place == AtEdge(True) and _is_what_code_does(match):
                found.unknown.append(match[0])
            else:
                found.places[place] = None
            covered.append(match.span())
    for match in unclear.outside_of(covered, _ANY_SIDE.finditer(instruction)):
        _read_side(match, defined, found)
    found.unknown += [m[0] for m in unclear.outside_of(covered, _ANY_EDGE.finditer(instruction))]
    found.unknown += unclear.unclear_places(instruction, covered, defined.symbol)
    if not found.places and not found.unknown:
        for match in _ANY_INSIDE.finditer(instruction):
            _read_inside(match, defined, found)
    if not found.places and not found.unknown and unclear.begins_with_place(instruction):
        found.unknown.append(instruction.strip())
    return found


def edge_in(instruction: str) -> bool | None:
    """Return whether code goes to the start of a symbol (True), to its end (False), or neither."""
    match = _AT_EDGE.search(instruction)
    if match is not None:
        return _top(match)
    return False if _INSIDE.search(instruction) else None


def _read_side(match: re.Match[str], defined: Defined, found: PlacesRead) -> None:
    """Read a phrase such as `before Shop.open()`, of which no pattern knows more."""
    side, name = match["side"].lower(), unclear.bare(match["object"])
    if side == "following" and match.string[: match.start()].rstrip().lower().endswith("the"):
        return  # "the following function"
    if side in _SIDES and not _is_quoted(match["object"]) and defined.symbol(name):
        found.places[AtSymbol(name, side in _AFTER)] = None
    elif not _is_prose(match):
        found.unknown.append(match[0])


def _read_inside(match: re.Match[str], defined: Defined, found: PlacesRead) -> None:
    """Read a phrase such as `to class Shop`, `in main` or `to the list of handlers`."""
    name = unclear.bare(match["object"])
    if defined.container(name) or (match["kind"] or match["kind_after"]):
        if defined.symbol(name) or not unclear.is_in_clause(match):
            found.places[InSymbol(name)] = None
    elif defined.symbol(name) and not _is_infinitive(match):
        found.places[InSymbol(name)] = None
    elif name.lower() not in _NO_PLACES and not _is_prose(match):
        found.unknown.append(match[0])


def _is_prose(match: re.Match[str]) -> bool:
    """Return whether the words more likely describe the code than say where it goes."""
    pointed = bool(match["pointing"].strip()) or _is_like_code(match["object"])
    if match.re is _ANY_SIDE:
        return unclear.is_in_clause(match) and not pointed
    return unclear.is_in_clause(match) or not (pointed or _is_like_a_type(match))


def _is_like_a_type(match: re.Match[str]) -> bool:
    """Return whether `to Shop` or `a method in Shop` names a type; `in Python` does not."""
    before = match.string[: match.start()]
    is_member = match["preposition"].lower() != "in" or _MEMBER.search(before)
    return match["object"][0].isupper() and bool(is_member)


def _is_what_code_does(match: re.Match[str]) -> bool:
    """Return whether the words may belong to `a function that seeks to the start`."""
    return match[0].lower().startswith("to") and unclear.is_in_clause(match)


def _is_infinitive(match: re.Match[str]) -> bool:
    """Return whether `to open files` says what the code does."""
    rest = match.string[match.end() :].lstrip()
    goes_on = re.match(r"(?!(?:that|which|with|so|for|called|named|please)\b)\w", rest)
    return match["preposition"].lower() == "to" and goes_on is not None


def _is_quoted(text: str) -> bool:
    return text[0] in "`'\""


def _is_like_code(text: str) -> bool:
    return bool(re.search(r"[`_:#()$\d]|\w\.\w|[a-z][A-Z]", text))


def _after(match: re.Match[str]) -> bool:
    return match["side"].lower() in _AFTER


def _top(match: re.Match[str]) -> bool:
    return match["edge"].lower() in ("top", "beginning", "start", "head", "first")


_AFTER = ("after", "below", "following", "under", "underneath", "beneath")
_SIDES = (*_AFTER, "before", "above", "ahead of")
_SIDE = rf"\b(?P<side>{'|'.join(_SIDES)})\s+"
_MEMBER = compile_words(r"\b(?:method|field|property|attribute|member|constructor|variant)\b")
_EDGE = r"(?:very\s+)?(?P<edge>top|beginning|start|head|end|bottom|tail)"
_THE_EDGE = rf"\b(?:at\s+(?:the\s+)?|to\s+the\s+){_EDGE}"
_AT_EDGE = compile_words(_THE_EDGE + r"\b")
_INSIDE = compile_words(r"\b(?:inside|into|within)\b")
_A_FILE = r"(?:(?:the|this)\s+)?(?:file|module|script)"
_OF_FILE = rf"(?:\s+of\s+{_A_FILE})?(?!\s+of|[\s-]+level)\b"
_OF = (
    r"\s+(?:of|in|inside)\s+(?:the\s+)?(?:body\s+of\s+)?(?:the\s+|an?\s+)?(?:existing\s+)?"
    r"(?!(?:file|module|script|document)\b)"
)
_POINTING = (
    r"(?P<pointing>(?:(?:the|this|that|these|existing|current|its|last"
    r"|first|second|third|fourth|fifth)\s+)*)"
)
_OBJECT = r"(?P<object>`[^`\n]+`|'[^'\n]+'|\"[^\"\n]+\"|[\w$.:#]+(?:\(\))?)"
_ANY_SIDE = compile_words(
    rf"\b(?P<side>{'|'.join(_SIDES)}|next\s+to|beside|between|near)\s+{_POINTING}{_OBJECT}"
)
_ANY_EDGE = compile_words(
    r"\b(?:at|to|near|on|in)\s+the\s+(?:very\s+)?"
    r"(?:top|beginning|start|end|bottom|middle|head|tail|front)\b(?![\s-]+level)(?:\s+of\s+(?:the\s+)?\S+)?"
)
_ANY_INSIDE = compile_words(
    rf"\b(?P<preposition>to|into|inside|within|in)\s+{_POINTING}(?:an?\s+)?"
    rf"(?:(?P<kind>{KIND})\s+)?(?:called\s+|named\s+)?{_OBJECT}(?:\s+(?P<kind_after>{KIND})\b)?"
)
# After "in the" or "to the" these say nothing of where in the file.
_NO_PLACES = frozenset(
    """
    file module script code codebase project source program package repo repository document
    workspace same style way following case background future
    """.split()
)
_PLACES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Place]], ...] = (
    (compile_words(_SIDE + r"line\s+(?P<n>\d+)\b"), lambda m: AtLine(int(m["n"]), _after(m))),
    (compile_words(r"\b(?:at|on)\s+line\s+(?P<n>\d+)\b"), lambda m: AtLine(int(m["n"]), False)),
    (compile_words(_THE_EDGE + _OF_FILE), lambda m: AtEdge(_top(m))),
    (compile_words(rf"\b{_EDGE}\s+of\s+{_A_FILE}\b"), lambda m: AtEdge(_top(m))),
    (compile_words(rf"\bat\s+{_A_FILE}(?:'s)?\s+{_EDGE}\b"), lambda m: AtEdge(_top(m))),
    (compile_words(rf"^\W*(?:the\s+)?{_EDGE}\W*$"), lambda m: AtEdge(_top(m))),
    (
        compile_words(rf"\bas\s+the\s+(?P<edge>first|last)\s+line(?!\s+(?:of|in)\s+(?!{_A_FILE}))"),
        lambda m: AtEdge(_top(m)),
    ),
    (compile_words(r"(?:^\W*|\bat\s+)(?:the\s+)?eof\b"), lambda _: AtEdge(False)),
    (
        compile_words(
            r"^\s*(?:please\s+)?prepend\b(?!.*\bto\s+(?!the\s+(?:file|module|script)\b))"
        ),
        lambda _: AtEdge(True),
    ),
    (
        compile_words(
            r"\b(?:after|below|under|beneath)\s+(?:the\s+|all\s+|existing\s+)*"
            r"(?:imports|import\s+(?:statements?|section|block|lines?)|import(?=\W*$|[.,;:]))\b"
        ),
        lambda _: AfterImports(),
    ),
    (
        compile_words(_THE_EDGE + _OF + rf"(?:{KIND}\s+)?" + NAME.format("a") + rf"(?:\s+{KIND})?"),
        lambda m: AtEdgeOf(name_in(m, "a"), _top(m)),
    ),
    (
        compile_words(
            r"\bas\s+the\s+(?P<edge>first|last)(?:\s+\w+)?"
            + _OF
            + rf"(?:{KIND}\s+)?"
            + NAME.format("a")
        ),
        lambda m: AtEdgeOf(name_in(m, "a"), _top(m)),
    ),
    (
        compile_words(
            _SIDE + rf"(?:the\s+)?(?:\w+\s+)?{KIND}\s+(?:called\s+|named\s+)?" + NAME.format("a")
        ),
        lambda m: AtSymbol(name_in(m, "a"), _after(m)),
    ),
    (
        compile_words(_SIDE + r"(?:the\s+)?" + NAME.format("a") + rf"\s+{KIND}\b"),
        lambda m: AtSymbol(name_in(m, "a"), _after(m)),
    ),
    (
        compile_words(
            _SIDE + r"(?:the\s+)?(?:line\s+)?(?:containing\s+|with\s+)?" + QUOTED.format("a")
        ),
        lambda m: AtText(name_in(m, "a"), _after(m)),
    ),
)
