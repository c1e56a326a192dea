"""Remarks that only say that nothing else changes: `the other services keep their image`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart

Patterns = tuple[re.Pattern[str], ...]
_MAX_WORDS = 18
_MAX_THING = 4
# A word of what a thing is called: no verb that asks for a change, no value.
_WORD = (
    r"(?!(?:to|into|and|or|but|set|add|append|remove|delete|rename|change|replace|"
    r"=|->|=>|→|,|;|:) )"
    r"[\w.`'’\"\0/&-]+"
)


def _patterns(text: str) -> Patterns:
    """Return a pattern for things of one word, of two words and so on."""
    things = (rf"{_WORD}(?: {_WORD}){{{more}}}" for more in range(_MAX_THING))
    return tuple(re.compile(text.replace("THING", thing)) for thing in things)


_MODAL = r"(?:(?:should|must|shall|may|will|can|needs? to|ha(?:s|ve) to|is to|are to|is|are) )?"
_TOUCH = r"(?:change|touch|modify|alter|edit|affect|update|remove|delete|overwrite|move|rename)"
_TOUCHED = (
    r"(?:changed?|changes|touched|modified|altered|edited|affected|updated|removed|deleted|moved|"
    r"different|renamed|overwritten)"
)
_PLACED = r"(?:to|in|for|on|at|from|of|into|under)"
AS_IT_IS = (
    r"(?:exactly )?(?:unchanged|untouched|as[ -]is|as (?:it|they) (?:is|was|are|were|stands?)|"
    r"as before|alone|intact|the same|unmodified|unaffected|in place|put|"
    r"where (?:it is|they are)|enrolled|there)"
)
_ELSE = r"(?:anything|everything|everyone|everybody|nothing|nobody|no one|no-one|all|anyone) else"
_OTHERS = (
    r"(?:(?:any|all|every|each|the|its|their|both|none)?(?: of)?(?: the)? ?other THING|"
    r"(?:the |all |all the |any )?others|elsewhere|anywhere else|somewhere else|nowhere else|"
    r"no (?:other|further) THING|"
    r"the rest(?: of (?:the |this |that |its |their |all )?THING)?|"
    r"(?:all |all the |the )?remaining THING)"
)
# All that a change does not speak of: everything else, the other jobs, jobs of any other kind.
_REST = (
    rf"(?:{_ELSE}|{_OTHERS}|"
    rf"(?:the |all |any )?THING {_PLACED} (?:any |all |the |all the |every )?other THING)"
)
_COUNT = r"(?:(?:one|two|three|four|five|six|single|\d+) )?"
_STAYING = (
    rf"(?:{_MODAL}(?:be |to )?(?:stays?|remains?|left|kept|preserved|retained) ?{AS_IT_IS}"
    rf"|{_MODAL}(?:be |to be )?(?:stays?|remains?|left|kept|preserved|retained|unaffected)"
    rf"|{_MODAL}keeps? (?:their|its|the|his|her)(?: (?:current|existing|old|present))? THING"
    rf"|{_MODAL}not (?:be |to be )?{_TOUCHED}"
    rf"|(?:does|do|did) not change"
    rf"|(?:is|are) (?:off limits|off-limits|{AS_IT_IS}|fine as (?:it is|they are)))"
)
_ABOUT_REST = _patterns(
    r"(?:but |and |while |whereas )?(?:"
    rf"(?:only|just) (?:this|these|those|that|the) {_COUNT}THING {_MODAL}(?:be )?{_TOUCHED}"
    r"|(?:only|just) (?:change|touch|modify) (?:this|these|those|that)(?: [\w-]+)?"
    r"|(?:(?:change|convert|touch|modify|do|alter|edit) )?nothing else"
    rf"(?: {_MODAL}(?:be )?{_TOUCHED})?"
    rf"|no (?:other|further|more) THING {_MODAL}(?:be )?{_TOUCHED}"
    r"|no (?:other|further) changes?(?: (?:are|is) needed)?"
    rf"|{_REST} {_STAYING}"
    rf"|(?:leave|leaving|keep|keeping|preserve|preserving|retain|with) {_REST}(?: {AS_IT_IS})?"
    rf"|(?:do not|don't|dont|never|without) {_TOUCH}(?:ing)? {_REST}"
    r"|(?:keep|keeping|leaving|preserving|without (?:removing|replacing|changing|touching|losing)) "
    rf"(?:the |all |any |all the )?(?:existing|current|old|present) THING(?: {AS_IT_IS})?"
    r"|without (?:changing|touching|modifying|altering|editing|affecting|removing) "
    rf"(?:{_REST}|any (?:other )?THING)"
    r"|(?:do not|don't|never) (?:add|set|apply|do|change|put|use|make|append|insert|introduce|give)"
    rf"(?: (?:it|this|that|them|so))? (?:{_PLACED} )?(?:{_OTHERS}|{_ELSE})"
    rf"|{_PLACED} no (?:other THING|one else|others)|nowhere else"
    rf"|(?:{_PLACED} )?(?:nobody|none|nothing|no one) (?:else|other)"
    rf"|only (?:{_PLACED} )?(?:those|these|that one|this one|them|that|there)(?: [\w-]+)?"
    rf"|not (?:{_PLACED} )?(?:{_OTHERS})"
    r")(?= |$)"
)
# What is moved or renamed keeps its value anyway.
_ABOUT_ITSELF = _patterns(
    r"(?:but |and |while )?(?:"
    rf"(?:its|their|the) (?:(?:current|existing|old|key) )?[\w-]+ {_MODAL}"
    rf"(?:be )?(?:stays?|remains?|kept) {AS_IT_IS}"
    r"|(?:keep|keeping|preserve|preserving|retain|retaining|leave|leaving|without changing) "
    r"(?:its|the|their) (?:(?:current|existing|old|key|same) )*"
    rf"(?:value|values|contents?|position|order|data|name|key)(?: {AS_IT_IS})?"
    r"|(?:keep|keeping|preserve|preserving|retain|retaining|leave|leaving) (?:everything|all) "
    rf"(?:that is )?(?:in|under|inside|below|within|beneath) (?:it|them)(?: {AS_IT_IS})?"
    r")(?= |$)"
)


def about_rest(chart: Chart, start: int) -> Iterator[int]:
    """Yield where a remark that nothing else changes ends, when it begins at *start*."""
    yield from _ends(_ABOUT_REST, chart, start)


def about_itself(chart: Chart, start: int) -> Iterator[int]:
    """Yield where `keeping its value` ends, when it begins at *start*."""
    yield from _ends(_ABOUT_ITSELF, chart, start)


def _ends(patterns: Patterns, chart: Chart, start: int) -> Iterator[int]:
    text = " ".join(chart.lows[start : start + _MAX_WORDS])
    seen: set[int] = set()
    for pattern in patterns:
        found = pattern.match(text)
        if found and (end := start + found[0].count(" ") + 1) not in seen:
            seen.add(end)
            yield end
