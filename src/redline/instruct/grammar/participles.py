"""Participles as conditions: expiring before May 1, owned by web, tagged "camping"."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.comparisons import comparison, naming_fields, operands
from redline.instruct.grammar.frames import VERBS
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import Among, Test
from redline.instruct.lexicon.senses import Sort

# Who does what an irregular participle says.
_AGENTS: dict[str, tuple[str, ...]] = {
    "driven": ("driver",), "written": ("writer", "author"), "taught": ("teacher", "instructor"),
    "led": ("lead", "leader"), "run": ("runner", "host", "owner"), "held": ("holder",),
    "made": ("maker", "manufacturer", "vendor"), "built": ("builder",), "sold": ("seller",),
    "given": ("giver", "speaker"), "sung": ("singer", "artist"), "played": ("player",),
}  # fmt: skip


@rule("SIMPLE")
def _participle(chart: Chart, start: int) -> Iterator[Edge]:
    """Expiring before May 1, owned by web."""
    low = chart.low(start)
    if low.endswith("ing") and len(low) > 5:
        stem = low[:-3]
        forms = (stem, stem + "e", stem + "es", stem + "s", stem[:-1])
        fields = tuple(sorted(n for f in forms for n in chart.tree.by_form.get(f, ())))
        if fields:
            phrase = Phrase(start, start + 1, fields, Sort.KEY, 1)
            yield from comparison(chart, start + 1, phrase)
    if chart.low(start + 1) == "by" and (low.endswith("ed") or low in _AGENTS):
        stem = low[:-2]
        agents = (stem, stem + "er", stem + "or", stem[:-1] + "er", low + "by", stem + "e",
                  *_AGENTS.get(low, ()))  # fmt: skip
        fields = tuple(n for f in agents for n in chart.tree.by_form.get(f, ()))
        fields = naming_fields(chart.tree, fields)
        if fields:
            for end, found in operands(chart, start + 2, fields):
                yield Edge(end, Test(fields, "=", found.texts, found.cost))


@rule("SIMPLE")
def _related_field(chart: Chart, start: int) -> Iterator[Edge]:
    """A participle that speaks of a field: assigned to "Idris", located in "north"."""
    low, link = chart.low(start), chart.low(start + 1)
    if not low.endswith("ed") or len(low) < 6 or link not in _LINKS:
        return
    stem = low[:-2][:8]
    stem = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    forms = [f for f in chart.tree.by_form if f.startswith(stem)]
    fields = tuple(sorted(n for f in forms for n in chart.tree.by_form[f]))
    if len(forms) == 1 and not any(isinstance(chart.tree.values[n], bool) for n in fields):
        for end, found in operands(chart, start + 2, fields):
            yield Edge(end, Test(fields, "=", found.texts, found.cost + 1))


_LINKS = frozenset("to in at on with as for from".split())


@rule("SIMPLE")
def _with_value(chart: Chart, start: int) -> Iterator[Edge]:
    """The appointment with Dr. Falk: the record that holds a whole value."""
    if chart.low(start) != "with":
        return
    for edge in chart.edges("CORE", start + 1):
        phrase: Phrase = edge.item
        if phrase.sort is Sort.RECORD and phrase.whole and 0 not in phrase.nodes:
            yield Edge(edge.end, Among(phrase.nodes, True, phrase.cost + 1))


@rule("VERBFIELD")
def _verb_of_field(chart: Chart, start: int) -> Iterator[Edge]:
    """A verb from which the name of a field is made: assign, of which the assignee is the field."""
    low = chart.low(start)
    if not low.isalpha() or len(low) < 5 or (low in VERBS and low != "assign"):
        return
    stem = low.removesuffix("e")
    forms = [f for f in chart.tree.by_form if f.startswith(stem) and f != low]
    fields = tuple(sorted(n for f in forms for n in chart.tree.by_form[f]))
    plain = all(
        chart.tree.values[n] is None or isinstance(chart.tree.values[n], str) for n in fields
    )
    if len(forms) == 1 and plain:
        yield Edge(start + 1, Phrase(start, start + 1, fields, Sort.KEY, 1))


@rule("SIMPLE")
def _label_filter(chart: Chart, start: int) -> Iterator[Edge]:
    """A participle made from a field and the value in quotes: tagged "camping"."""
    low = chart.low(start)
    if not low.endswith("ed") or not chart.edges("QUOTED", start + 1):
        return
    forms = (low[:-2], low[:-3], low[:-1])
    fields = tuple(sorted(n for f in forms for n in chart.tree.by_form.get(f, ())))
    listed = any(isinstance(chart.tree.values[n], list) for n in fields)
    if fields:
        text = chart.tokens[start + 1].text
        yield Edge(start + 2, Test(fields, "has" if listed else "=", (text,), 1))
