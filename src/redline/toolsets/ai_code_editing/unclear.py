"""Find what an instruction for new code says that cannot be acted on: a verb, a place, a distance.

These are refused, so that code is never put anywhere else than the caller meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from redline.toolsets.ai_code_editing.instruction import KIND, compile_words

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
_OBJECT = r"(?P<object>`[^`\n]+`|'[^'\n]+'|\"[^\"\n]+\"|[\w$.:#]+(?:\(\))?)"
_POINTING = r"(?:(?:the|this|that|existing|current|whole|entire|old|other|rest\s+of|all\s+of)\s+)*"
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
_SIDE = r"(?:before|after|above|below|under(?:neath)?|beneath|ahead\s+of|following)"
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
