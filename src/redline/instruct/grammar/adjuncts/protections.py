"""What an instruction says must stay as it is: an assertion over the result."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.adjuncts.rest import about_itself, about_rest
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.language.words import FALSE_WORDS, TRUE_WORDS
from redline.instruct.lexicon.tree import Nodes
from redline.instruct.model.values import dumps

_PROTECT = [
    f"{joint}{words}"
    for joint in ("", "but ", "and ", "while ")
    for words in (
        "don't touch|do not touch|don't change|do not change|dont touch|dont change|don't modify|"
        "do not modify|don't alter|do not alter|without changing|without touching|leave|keep|"
        "without modifying|without altering|leaving|keeping|preserve|preserving|do not remove|"
        "don't remove|don't delete|do not delete|do not overwrite|do not affect|without affecting|"
        "do not edit|don't edit|retain|retaining|nothing else|no other|do not add it to|"
        "don't add it to|do not set it in|don't set it in"
    ).split("|")
]
PROTECTING = phrase_table(tuple(text.split()) for text in _PROTECT)
_KEEPING = frozenset("leave keep keeping leaving preserve preserving retain retaining".split())
# Words that say what must stay: never part of an aside that asks for nothing.
KEEPING_WORDS = _KEEPING | frozenset(
    "unchanged untouched as-is intact other others rest else only without alone unmodified not "
    "elsewhere remaining stays stay remain remains".split()
)
_AS_IS = phrase_table(
    tuple(text.split())
    for text in (
        "alone|as is|untouched|unchanged|as it is|as-is|as they are|the same|intact|unmodified|"
        "as before|in place|there|in there|where it is|where they are|as it stands|as they stand|"
        "as it was|as they were|unaffected|unaltered|in the list|in it"
    ).split("|")
)
_MODALS = ("must ", "should ", "shall ", "has to ", "have to ", "needs to ", "will ", "is to ",
           "are to ", "")  # fmt: skip
_DONE = "changed touched modified affected altered edited removed deleted moved updated".split()
_STAYS = phrase_table(
    tuple(f"{modal}{verb}".split())
    for modal in _MODALS
    for verb in ("remain", "stay", "be left", "be kept", "remains", "stays", "not change",
                 "be preserved", "be retained", *(f"not be {done}" for done in _DONE))
)  # fmt: skip
_KEPT = phrase_table(
    tuple(f"{be} {words}".split())
    for be in ("is", "are")
    for words in ("off limits", "off-limits", "unaffected", "unchanged", "untouched",
                  "not affected", *(f"not to be {done}" for done in _DONE))
)  # fmt: skip
# What begins a contrast with another place: `to the rules, not to the overrides`.
_CONTRASTS = phrase_table(
    tuple(f"{joint}not {words}".split())
    for joint in ("", "but ", "and ")
    for words in ("to", "in", "for", "on", "under", "at", "from", "the one of", "the one in",
                  "the one for", "those of", "those in", "that of", "that in")
)  # fmt: skip


def staying(chart: Chart, start: int) -> Iterator[tuple[int, Nodes]]:
    """Yield where `production must remain unchanged` ends and the nodes it protects."""
    for edge in chart.edges("NPLIST", start):
        for after in chart.phrases(edge.end, _STAYS) if edge.item.nodes else ():
            found = _current_value(chart, after, edge.item.nodes)
            yield from ((end, edge.item.nodes) for end in found)
    yield from ((end, ()) for end in about_rest(chart, start))
    for edge in chart.edges("NPLIST", start):
        if not edge.item.nodes:
            continue
        yield from ((end, edge.item.nodes) for end in chart.phrases(edge.end, _KEPT))
        for after in chart.phrases(edge.end, _STAYS):
            stays = "not" in chart.lows[edge.end : after] or chart.low(after - 1) != "left"
            tail = next(chart.phrases(after, _AS_IS), after if stays else None)
            if tail is not None:
                yield tail, edge.item.nodes


def _tails(chart: Chart, end: int, nodes: Nodes, bare: bool, keeps: bool) -> Iterator[int]:
    """Yield where `as it is` or the value there is now ends; *end* itself where that is enough."""
    tail = next(chart.phrases(end, _AS_IS), end if bare else None)
    if tail is not None:
        yield tail
    if keeps:
        yield from _current_value(chart, end, nodes)


def _find_protected(chart: Chart, start: int, keeps: bool) -> Iterator[tuple[int, Nodes]]:
    """Yield where `eth0 or wlan0`, `Bob from the members` ends, and what it names."""
    for edge in chart.edges("NPLIST", start):
        if not edge.item.nodes:
            continue
        yield edge.end, edge.item.nodes
        low = chart.low(edge.end)
        joined = low in ("or", "nor")
        holds = not keeps and low in ("from", "in", "of")
        for more in chart.edges("NPLIST", edge.end + 1) if joined or holds else ():
            nodes = edge.item.nodes
            found = (*nodes, *more.item.nodes) if joined else chart.tree.inside(
                nodes, more.item.nodes)  # fmt: skip
            if found and more.item.nodes:
                yield more.end, found


def _current_value(chart: Chart, start: int, nodes: Nodes) -> Iterator[int]:
    """Yield where the value ends that all *nodes* have now: `stays at 10`, `keep it enabled`."""
    place = start + (chart.low(start) in ("at", "as", "set", "on"))
    place += chart.low(place) == "to"
    values = [chart.tree.values[n] for n in nodes]
    held = {dumps(v).strip('"').lower() for v in values if not isinstance(v, dict | list)}
    if len(held) != 1:
        return
    now = held.pop()
    for edge in chart.edges("VAL", place):
        said = chart.text(edge.item.start, edge.item.end).strip("`\"'").lower()
        said = "true" if said in TRUE_WORDS else "false" if said in FALSE_WORDS else said
        if said == now:
            yield edge.end


def find_protections(chart: Chart, place: int, last: str) -> Iterator[tuple[int, Nodes]]:
    """Yield where a protection that begins at *place* ends and its nodes; none for all else.

    *last* is the effect of the clause before: what is renamed keeps its value anyway.
    """
    yield from staying(chart, place)
    if last in ("rename", "move", "retype"):
        yield from ((end, ()) for end in about_itself(chart, place))
    for start in chart.phrases(place, PROTECTING):
        keeps = chart.low(start - 1) in _KEEPING
        bare = bool(last) or not keeps or chart.low(start - 1) in ("leave", "leaving")
        for end, nodes in _find_protected(chart, start, keeps):
            yield from ((tail, nodes) for tail in _tails(chart, end, nodes, bare, keeps))
    for start in chart.phrases(place, _CONTRASTS) if last else ():
        for edge in chart.edges("NPLIST", start):
            if edge.item.fields:  # a value that it has names the whole record: `not from Oslo`
                around = ((chart.tree.element_around(node) or node) for node in edge.item.nodes)
                yield edge.end, tuple(dict.fromkeys(around))
            elif edge.item.nodes:
                yield edge.end, edge.item.nodes
