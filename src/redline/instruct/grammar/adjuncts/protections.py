"""What an instruction says must stay as it is: an assertion over the result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.lexicon.tree import Nodes

Patterns = tuple[re.Pattern[str], ...]


def _patterns(text: str) -> Patterns:
    """Return a pattern for things of one word and one for things of two."""
    things = (r"[\w.`-]+", r"[\w.-]+ [\w.-]+")
    return tuple(re.compile(text.replace("THING", thing)) for thing in things)


_PROTECT = [
    f"{joint}{words}"
    for joint in ("", "but ", "and ", "while ")
    for words in (
        "don't touch|do not touch|don't change|do not change|dont touch|dont change|don't modify|"
        "do not modify|don't alter|do not alter|without changing|without touching|leave|keep|"
        "without modifying|without altering|leaving|keeping|preserve|preserving|do not remove|"
        "don't remove|don't delete|do not delete|do not overwrite|do not affect|without affecting|"
        "do not edit|don't edit|retain|retaining|nothing else|no other"
    ).split("|")
]
PROTECTING = phrase_table(tuple(text.split()) for text in _PROTECT)
_KEEPING = frozenset("leave keep keeping leaving preserve preserving retain retaining".split())
# Words that say what must stay: never part of an aside that asks for nothing.
KEEPING_WORDS = _KEEPING | frozenset(
    "unchanged untouched as-is intact other others rest else only without alone unmodified".split()
)
_MAX_WORDS = 16
_MODAL = r"(?:(?:should|must|shall|may|will|can|needs? to|ha(?:s|ve) to|is to|are to|is|are) )?"
_TOUCH = r"(?:change|touch|modify|alter|edit|affect|update|remove|delete|overwrite|move|rename)"
_TOUCHED = (
    r"(?:changed?|changes|touched|modified|altered|edited|affected|updated|removed|deleted|moved|"
    r"different)"
)
_AS_IT_IS = (
    r"(?:exactly )?(?:unchanged|untouched|as[ -]is|as (?:it is|it was|they are|they were|before)|"
    r"alone|intact|the same|unmodified|unaffected|in place|where (?:it is|they are))"
)
_THING = "THING"
# All that a change does not speak of: everything else, the other jobs, the rest of the file.
_REST = (
    r"(?:anything else|everything else|all else|"
    rf"(?:any|all|every|the|its|their)?(?: of the)? ?other {_THING}|the others|others|"
    rf"the rest(?: of (?:the|this|that|its|their) {_THING})?|"
    rf"all (?:the )?(?:others|remaining {_THING})|the remaining {_THING})"
)
_COUNT = r"(?:(?:one|two|three|four|five|six|single|\d+) )?"
_ABOUT_REST = _patterns(
    rf"(?:but |and |while )?(?:"
    rf"(?:only|just) (?:this|these|those|that|the) {_COUNT}{_THING} {_MODAL}(?:be )?{_TOUCHED}"
    rf"|(?:only|just) (?:change|touch|modify) (?:this|these|those|that)(?: {_COUNT}[\w-]+)?"
    rf"|nothing else(?: {_MODAL}(?:be )?{_TOUCHED})?"
    rf"|no (?:other|further|more) {_THING} {_MODAL}(?:be )?{_TOUCHED}"
    rf"|no (?:other|further) changes?(?: (?:are|is) needed)?"
    rf"|{_REST} {_MODAL}not (?:be )?{_TOUCHED}"
    rf"|{_REST} {_MODAL}(?:be |to )?(?:stays?|remains?|left|kept) {_AS_IT_IS}"
    rf"|(?:leave|leaving) {_REST}(?: {_AS_IT_IS})?"
    rf"|(?:keep|keeping|preserve|preserving|retain|with) {_REST}(?: {_AS_IT_IS})?"
    rf"|(?:do not|don't|dont|never|without) {_TOUCH}(?:ing)? {_REST}"
    rf"|without (?:changing|touching|modifying|altering|editing|affecting|removing) {_REST}"
    rf")(?= |$)"
)
# What is moved or renamed keeps its value anyway.
_ABOUT_ITSELF = _patterns(
    rf"(?:but |and |while )?(?:"
    rf"(?:its|their|the) (?:(?:current|existing|old|key) )?[\w-]+ {_MODAL}"
    rf"(?:be )?(?:stays?|remains?|kept) {_AS_IT_IS}"
    rf"|(?:keep|keeping|preserve|preserving|retain|retaining|leave|leaving|without changing) "
    rf"(?:its|the|their) (?:(?:current|existing|old|key|same) )*"
    rf"(?:value|values|contents?|position|order|data|name|key)(?: {_AS_IT_IS})?"
    rf")(?= |$)"
)
_AS_IS = phrase_table(
    (("alone",), ("as", "is"), ("untouched",), ("unchanged",), ("as", "it", "is"), ("as-is",),
     ("as", "they", "are"), ("the", "same"), ("intact",), ("unmodified",), ("as", "before"))
)  # fmt: skip
_STAYS = phrase_table(
    tuple(f"{modal}{verb}".split())
    for modal in ("must ", "should ", "shall ", "has to ", "have to ", "needs to ", "")
    for verb in ("remain", "stay", "be left", "be kept", "remains", "stays", "not be changed",
                 "not change", "not be touched", "not be modified", "not be affected")
)  # fmt: skip


def _about(patterns: Patterns, chart: Chart, start: int) -> Iterator[int]:
    """Yield where a remark that one of *patterns* describes ends, when it begins at *start*."""
    text = " ".join(chart.lows[start : start + _MAX_WORDS])
    for pattern in patterns:
        found = pattern.match(text)
        if found:
            yield start + found[0].count(" ") + 1


def staying(chart: Chart, start: int) -> Iterator[tuple[int, Nodes]]:
    """Yield where `production must remain unchanged` ends and the nodes it protects."""
    yield from ((end, ()) for end in _about(_ABOUT_REST, chart, start))
    for edge in chart.edges("NPLIST", start):
        for after in chart.phrases(edge.end, _STAYS) if edge.item.nodes else ():
            negated = "not" in chart.lows[edge.end : after]
            stays = chart.low(after - 1) in ("stays", "stay", "remains", "remain")
            tail = next(chart.phrases(after, _AS_IS), after if negated or stays else None)
            if tail is not None:
                yield tail, edge.item.nodes


def find_protections(chart: Chart, place: int, last: str) -> Iterator[tuple[int, Nodes]]:
    """Yield where a protection that begins at *place* ends and its nodes; none for all else.

    *last* is the effect of the clause before: what is renamed keeps its value anyway.
    """
    yield from staying(chart, place)
    if last in ("rename", "move", "retype"):
        yield from ((end, ()) for end in _about(_ABOUT_ITSELF, chart, place))
    for start in chart.phrases(place, PROTECTING):
        keeps = chart.low(start - 1) in _KEEPING
        for edge in chart.edges("NPLIST", start):
            bare = not keeps or chart.low(start - 1) in ("leave", "leaving")
            tail = next(chart.phrases(edge.end, _AS_IS), edge.end if bare else None)
            if tail is not None and edge.item.nodes:
                yield tail, edge.item.nodes
