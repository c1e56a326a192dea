"""What may follow a clause and only repeats what it means: `unless it is there already`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart, Edge, Rule, rule
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import number_in

_MAX_WORDS = 14
ROUNDED = re.compile(
    r"(?:, )?(?:and )?(?:round(?:ed|ing)?)(?: (?:it|them|the results?|each|off|up|down))?"
    r" to (?:the nearest (?P<whole>whole number|integer|cent)|"
    r"(?P<digits>\d|zero|one|two|three) (?:decimals?|decimal places?|places?))(?= |$)"
)
_SUBJECT = r"(?:it|they|that|this|the (?:value|key|entry|item))"
_IS = r"(?:is|are|exists?)"
_THERE = r"(?:there|present|in (?:it|there|(?:the|that) (?:list|array))|listed|included|contained)"
_LACKS = r"(?:does not|doesn't|do not|don't)"
_TAILS = {
    # the element is put in only where it is not
    "ONCE": (
        rf"unless (?:it's|{_SUBJECT} {_IS})(?: already)?(?: {_THERE})?(?: already)?"
        rf"|unless (?:already )?{_THERE}"
        rf"|if (?:it's|{_SUBJECT} {_IS})? ?(?:not|missing|absent)(?: already| yet)*(?: {_THERE})?"
        rf"(?: already| yet)?"
        rf"|if {_SUBJECT} (?:isn't|aren't)(?: already| yet)* {_THERE}(?: already| yet)?"
        rf"|if {_SUBJECT} {_LACKS}(?: already| yet)* exist(?: already| yet)?"
        rf"|if (?:not )?(?:already )?(?:missing|absent|{_THERE})"
        rf"|(?:that|which|if {_SUBJECT}|where {_SUBJECT}) {_LACKS}(?: already| yet)*"
        rf" (?:contain|have|include|list) it(?: already| yet)?"
    ),
    # what is taken out is so only where it is
    "IFTHERE": (
        r"(?:that|which) (?:have|has|contains?|includes?|lists?|carry|carries) (?:it|one|them)"
        rf"|(?:if|where|wherever) (?:{_SUBJECT} )?(?:is |are )?(?:present|there|listed|included)"
        rf"|(?:if|where|wherever) {_SUBJECT} (?:exists?|occurs?|appears?)|if any|if present"
    ),
    # what is moved keeps its key
    "SAMENAME": (
        r"(?:under|with|keeping|using) (?:the same|its|their|the|its current|the current|its own) "
        r"(?:name|names|key|keys|field name|key name|value)|unchanged"
        r"|(?:preserving|keeping|retaining|with) (?:its|their|the same|the|its current) "
        r"(?:version range|version constraint|version|range|values?|contents?|settings?)"
    ),
    # of equal elements the first stays
    "KEEPFIRST": (
        r"(?:by |while )?(?:and )?(?:keeping|keep|preserving|leaving|retaining) (?:only )?"
        r"(?:the first|one)(?: (?:occurrence|one|instance|copy|entry))?(?: of each(?: one)?)?"
        r"|(?:and )?(?:keep|keeping|preserve|preserving) (?:the|their) (?:original )?order"
    ),
    # objects that a path leads through are made
    "CREATING": (
        r"(?:by )?(?:and )?(?:creating|create|adding|add|introducing) "
        r"(?:(?!if |and )[\w.\0-]+ ){0,4}(?!if |and )[\w.\0-]+"
        r"(?: if (?:it )?(?:is |does )?(?:not |doesn't )?(?:needed|required|necessary|missing|"
        r"absent|there|exist|exists|present|exist yet|there yet))?"
    ),
    # what was to be made sure of is brought about
    "REPAIR": (
        r"(?:and |or )?(?:otherwise )?(?:add|append|insert|include|correct|fix|change|set|update|"
        r"adjust) (?:it|this|that|them)(?: accordingly)?"
        rf"(?: otherwise| if (?:it's |{_SUBJECT} )?(?:is |are )?(?:not|missing|absent|needed|"
        rf"necessary|different|wrong|isn't|{_LACKS})(?: (?:so|{_THERE}|the case|set))?)?"
        rf"|if (?:it's |{_SUBJECT} )?(?:is |are )?(?:not|isn't|aren't|different|wrong)"
        r"(?: (?:so|yet|the case))? , (?:then )?(?:correct|fix|change|set|update|adjust|add) "
        r"(?:it|this|that|them)(?: accordingly)?"
    ),
}


def rounding(chart: Chart, start: int) -> tuple[int, int] | None:
    """Return where `, rounding to two decimals` ends, and how many decimals are left."""
    found = ROUNDED.match(" ".join(chart.lows[start : start + _MAX_WORDS]))
    if found is None:
        return None
    said = found["digits"] or {"cent": "2"}.get(found["whole"], "0")
    return start + found[0].count(" ") + 1, int(number_in(said) or 0)


def _tail_rule(category: str, pattern: str) -> Rule:
    compiled = re.compile(rf"(?:[,;.] )?(?:{pattern})(?= |$)")

    def find(chart: Chart, start: int) -> Iterator[Edge]:
        found = compiled.match(" ".join(chart.lows[start : start + _MAX_WORDS]))
        if found:
            end = start + found[0].count(" ") + 1
            yield Edge(end, TokenSpan(start, end))

    return rule(category)(find)


for _category, _pattern in _TAILS.items():
    _tail_rule(_category, _pattern)
