"""Read from an instruction where new code goes.

A verb, a place or a distance that is named and not understood is reported, so that code is never
put anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from redline.core.records import dataclass, field
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
        for match in outside_of(covered, pattern.finditer(instruction)):
            place = make(match)
            if place == AtEdge(True) and _is_what_code_does(match):
                found.unknown.append(match[0])
            else:
                found.places[place] = None
            covered.append(match.span())
    for match in outside_of(covered, _ANY_SIDE.finditer(instruction)):
        _read_side(match, defined, found)
    found.unknown += [m[0] for m in outside_of(covered, _ANY_EDGE.finditer(instruction))]
    found.unknown += unclear_places(instruction, covered, defined.symbol)
    if not found.places and not found.unknown:
        for match in _ANY_INSIDE.finditer(instruction):
            _read_inside(match, defined, found)
    if not found.places and not found.unknown and begins_with_place(instruction):
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
    side, name = match["side"].lower(), bare(match["object"])
    if side == "following" and match.string[: match.start()].rstrip().lower().endswith("the"):
        return  # "the following function"
    if side in _SIDES and not _is_quoted(match["object"]) and defined.symbol(name):
        found.places[AtSymbol(name, side in _AFTER)] = None
    elif not _is_prose(match):
        found.unknown.append(match[0])


def _read_inside(match: re.Match[str], defined: Defined, found: PlacesRead) -> None:
    """Read a phrase such as `to class Shop`, `in main` or `to the list of handlers`."""
    name = bare(match["object"])
    if defined.container(name) or (match["kind"] or match["kind_after"]):
        if defined.symbol(name) or not is_in_clause(match):
            found.places[InSymbol(name)] = None
    elif defined.symbol(name) and not _is_infinitive(match):
        found.places[InSymbol(name)] = None
    elif name.lower() not in _NO_PLACES and not _is_prose(match):
        found.unknown.append(match[0])


def _is_prose(match: re.Match[str]) -> bool:
    """Return whether the words more likely describe the code than say where it goes."""
    pointed = bool(match["pointing"].strip()) or _is_like_code(match["object"])
    if match.re is _ANY_SIDE:
        return is_in_clause(match) and not pointed
    return is_in_clause(match) or not (pointed or _is_like_a_type(match))


def _is_like_a_type(match: re.Match[str]) -> bool:
    """Return whether `to Shop` or `a method in Shop` names a type; `in Python` does not."""
    before = match.string[: match.start()]
    is_member = match["preposition"].lower() != "in" or _MEMBER.search(before)
    return match["object"][0].isupper() and bool(is_member)


def _is_what_code_does(match: re.Match[str]) -> bool:
    """Return whether the words may belong to `a function that seeks to the start`."""
    return match[0].lower().startswith("to") and is_in_clause(match)


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


Spans = list[tuple[int, int]]
IsDefined = Callable[[str], bool]

_PREFACE = (
    r"\s*(?:(?:please|kindly|now|then|next|first|also|just|finally|let's|lets|(?:can|could|would)\s+you"
    r"|you\s+(?:should|must)|(?:we|you|i)\s+need\s+to|i\s+want\s+(?:you\s+)?to)\b[,:\s]*)*+"
)
_ADDS = (
    r"(?:add|append|insert|prepend|create|implement|write|define|introduce|include|put|place|make"
    r"|generate|build|declare|provide|import|use)"
)
_HAS_ADDS = compile_words(rf"\b{_ADDS}\b")
# Verbs that act on code that is there already.
_ACTS_ON_CODE = (
    r"(?:wrap|surround|enclose|move|relocate|shift|swap|exchange|merge|combine|join|split|extract"
    r"|inline|hoist|comment\s+out|uncomment|indent|dedent|unindent|delete|remove|drop|erase|rename"
    r"|sort|reorder|rearrange|reverse|undo|revert|redo|fix|repair|correct|optimi[sz]e|simplify"
    r"|clean\s+up|tidy|reformat|convert|transform|replace|rewrite|duplicate|copy|disable|deprecate"
    r"|(?:change|update|refactor|modify|alter|adjust|edit)"
    r"(?!\s+(?:it|this|that|them)\s*[.!]*\s*$))"
)
_VERB = compile_words(_PREFACE + rf"(?P<verb>{_ACTS_ON_CODE})\b")
_ANY_OBJECT = r"(?P<object>`[^`\n]+`|'[^'\n]+'|\"[^\"\n]+\"|[\w$.:#]+(?:\(\))?)"
_ANY_POINTING = (
    r"(?:(?:the|this|that|existing|current|whole|entire|old|other|rest\s+of|all\s+of)\s+)*"
)
_NO_VERBS = (
    r"new|another|the|an?|this|these|its?|to|into|inside|within|for|as|of|if|when|so|and|or|right"
    r"|directly|immediately|between|beside|next|where|helper|test|tests|wrapper|logging|support"
)
_ACTS_ON_NAME = compile_words(
    _PREFACE
    + rf"(?P<verb>(?!(?:{_ADDS}|{KIND}|{_NO_VERBS})\b)[a-z]+(?:\s+(?:out|up|off|away|down))?)\s+"
    # In "quickly add a test" the verb is add, whatever the file defines.
    + rf"{_POINTING}(?:{KIND}\s+)?(?!{_ADDS}\s+(?!{KIND}\b)\w){_OBJECT}"
)
_PREPOSITIONS = (
    r"at|on|onto|over|atop|upon|around|past|beyond|behind|preceding|followed\s+by|by|against"
    r"|towards?|opposite|through|among|amongst|amid|alongside|outside(?:\s+of)?|out\s+of"
    r"|instead\s+of|in\s+place\s+of|inside\s+of|in\s+front\s+of|halfway\s+\w+|with\s+the\s+other"
)
_PHRASE = compile_words(rf"\b(?:{_PREPOSITIONS})\s+{_POINTING}{_OBJECT}(?!\s*-?level\b)")
_BEGINS_WITH_PLACE = compile_words(
    _PREFACE + rf"(?:{_PREPOSITIONS}|with|from|among|in|near|under|below|above|after|before)\b"
)
# After a preposition these are parts of a file.
_PARTS = compile_words(
    r"(?:lines?|file|start|end|top|bottom|beginning|middle|head|tail|class(?:es)?|functions?"
    r"|methods?|loops?|blocks?|imports?|constants?|sections?|header|footer|statements?|body|calls?"
    r"|return|docstring|comments?|cursor|caret|point|spot|position|definitions?|declarations?"
    r"|if|for|while|else|try|except|branch|eof)"
)
_PARTICIPLE = re.compile(r"\b(?!(?i:placed|put|inserted|added)\b)\w+(?:ed|ing|s)\s+$")
_LINE = compile_words(r"\b(?:as\s+the\s+\w+\s+line\b|on\s+the\s+\w+\s+line\b|lines?\s+\d+)")
_ADVERB = compile_words(
    r"\b(?:here|there|somewhere|anywhere|elsewhere|wherever)\b(?=\s*(?:$|[.,;:!]|but\b|in\b|near\b))"
)
_WHERE = compile_words(
    rf"\bwhere\s+(?:the\s+)?{_OBJECT}\s+(?:is|are|gets|was|calls?|starts|ends)\b"
)
_ANY_SIDE_OF = r"(?:before|after|above|below|under(?:neath)?|beneath|ahead\s+of|following)"
_DISTANCE = compile_words(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|few|some|several|couple\s+of)\s+"
    rf"(?:\w+\s+)?(?:lines|rows)\s+(?:{_SIDE}|from|down|up|further|past|into|in|later|earlier)\b"
    r"(?:\s+\S+)?"
)
_NEGATED = compile_words(
    rf"\b(?:not|never|except|rather\s+than|anywhere\s+but)\s+(?:\w+ly\s+|right\s+|just\s+)?"
    rf"(?:{_SIDE}|in|inside|into|within|at|on|to)\b(?:\s+\S+)?"
)
_CLAUSE = compile_words(r"\b(?:that|which|who|whose|when|where|while|if|because|so)\b")


def unclear_verb(instruction: str, is_defined: IsDefined) -> str | None:
    """Return the verb of an instruction that acts on code that is there, not on new code."""
    verb = _VERB.match(instruction)
    if verb is not None:
        return " ".join(verb["verb"].split())
    acts = _ACTS_ON_NAME.match(instruction)
    if (
        acts is None
        or _BEGINS_WITH_PLACE.match(instruction)
        or not is_defined(bare(acts["object"]))
    ):
        return None
    return " ".join(acts["verb"].split())


def unclear_places(instruction: str, covered: Spans, is_defined: IsDefined) -> list[str]:
    """Return the phrases that name a place and are not understood.

    What is *covered* was understood, but for a distance from there and a negation of it.
    """
    found = [match[0] for match in (*_all(_DISTANCE, instruction), *_all(_NEGATED, instruction))]
    for pattern in (_LINE, _ADVERB):
        found += [match[0] for match in outside_of(covered, _all(pattern, instruction))]
    for pattern in (_PHRASE, _WHERE):
        for match in outside_of(covered, _all(pattern, instruction)):
            name = bare(match["object"])
            if is_defined(name) or (pattern is _PHRASE and _PARTS.fullmatch(name)):
                found.append(match[0])
    return found


def begins_with_place(instruction: str) -> bool:
    """Return whether an instruction is nothing but a place: `with the rest`, `from main`."""
    is_place = _BEGINS_WITH_PLACE.match(instruction) is not None
    return is_place and _HAS_ADDS.search(instruction) is None


def outside_of(covered: Spans, matches: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Return the matches that begin outside of *covered*."""
    for match in matches:
        if not any(start <= match.start() < end for start, end in covered):
            yield match


def is_in_clause(match: re.Match[str]) -> bool:
    """Return whether a phrase belongs to a clause such as `that waits before retrying`."""
    before = re.split(r"[.,;:\n(]", match.string[: match.start()])[-1]
    return bool(_CLAUSE.search(before))


def bare(text: str) -> str:
    """Return a name as it is written in code, without quotes and the parentheses of a call."""
    return text.strip("`'\"").rstrip(".:").removesuffix("()")


def _all(pattern: re.Pattern[str], instruction: str) -> Iterator[re.Match[str]]:
    """Return the matches that say where code goes rather than what it does."""
    for match in pattern.finditer(instruction):
        if not is_in_clause(match) and not _PARTICIPLE.search(instruction[: match.start()]):
            yield match
