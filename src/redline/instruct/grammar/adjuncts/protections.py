"""What an instruction says must stay as it is: an assertion over the result."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.lexicon.tree import Nodes

_PROTECT = [
    f"{joint}{words}"
    for joint in ("", "but ", "and ", "while ")
    for words in (
        "don't touch|do not touch|don't change|do not change|dont touch|dont change|don't modify|"
        "do not modify|don't alter|do not alter|without changing|without touching|leave|keep|"
        "without modifying|without altering|leaving|keeping|preserve|preserving|do not remove|"
        "don't remove|don't delete|do not delete|do not overwrite|do not affect|without affecting"
    ).split("|")
]
PROTECTING = phrase_table(tuple(text.split()) for text in _PROTECT)
_KEEPING = frozenset("leave keep keeping leaving preserve preserving".split())
_THINGS = "field fields key keys value values entry entries element elements item items property "
_ELSE = phrase_table((
    ("anything", "else"), ("the", "rest"), ("everything", "else"), ("nothing", "else"),
    ("the", "others"), ("the", "other", "ones"), ("others",),
    *((*lead, thing) for thing in (_THINGS + "properties record records part parts").split()
      for lead in (("any", "other"), ("all", "other"), ("the", "other"), ("other",),
                   ("the", "rest", "of", "the"), ("any", "of", "the", "other"))),
    *(("the", "rest", "of", "the", thing) for thing in "document file config object".split()),
))  # fmt: skip
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
_ITSELF = phrase_table(
    (owner, *adjective, thing)
    for owner in ("its", "the", "their")
    for adjective in ((), ("current",), ("existing",), ("old",))
    for thing in ("value", "values", "content", "contents", "position", "order", "data")
)


def staying(chart: Chart, start: int) -> Iterator[tuple[int, Nodes]]:
    """Yield where `production must remain unchanged` ends and the nodes it protects."""
    subjects: list[tuple[int, Nodes]] = [(end, ()) for end in chart.phrases(start, _ELSE)]
    subjects += [(e.end, e.item.nodes) for e in chart.edges("NPLIST", start) if e.item.nodes]
    for end, nodes in subjects:
        for after in chart.phrases(end, _STAYS):
            negated = "not" in chart.lows[end:after]
            tail = next(chart.phrases(after, _AS_IS), after if negated else None)
            if tail is not None:
                yield tail, nodes


def find_protections(chart: Chart, place: int, last: str) -> Iterator[tuple[int, Nodes]]:
    """Yield where a protection that begins at *place* ends and its nodes; none for all else.

    *last* is the effect of the clause before: what is renamed keeps its value anyway.
    """
    yield from staying(chart, place)
    for start in chart.phrases(place, PROTECTING):
        keeps = chart.low(start - 1) in _KEEPING
        if keeps and last in ("rename", "move", "retype"):
            for end in chart.phrases(start, _ITSELF):
                yield next(chart.phrases(end, _AS_IS), end), ()
        objects: list[tuple[int, Nodes]] = [(end, ()) for end in chart.phrases(start, _ELSE)]
        objects += [(e.end, e.item.nodes) for e in chart.edges("NPLIST", start) if e.item.nodes]
        for end, nodes in objects:
            tail = next(chart.phrases(end, _AS_IS), None if keeps else end)
            if tail is not None:
                yield tail, nodes
