"""Everything that a condition is true of: the records of the one collection that has the field."""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import Test
from redline.instruct.language.words import CURRENCIES, money_in, number_in, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import Nodes
from redline.instruct.model.values import Num

_PRICES = ("price", "unitprice", "cost")
_SIZES = {"under": "<", "below": "<", "over": ">", "above": ">"}


@rule("HEAD")
def _everything(chart: Chart, start: int) -> Iterator[Edge]:
    """`everything owned by payments`, `everything under 20 euros`."""
    if chart.low(start) not in ("everything", "anything"):
        return
    for edge in (*chart.edges("FILTER", start + 1), *_find_price_limit(chart, start + 1)):
        condition = edge.item
        records = _records(chart, getattr(condition, "fields", ()))
        chosen = condition.select(chart.tree, records) if records else None
        if chosen is not None and condition.whole:
            yield Edge(edge.end, Phrase(
                start, edge.end, chosen, Sort.ITEMS, condition.cost, many=True, quantified=True,
                filtered=True, tested=condition.fields,
            ))  # fmt: skip


def _records(chart: Chart, fields: Nodes) -> Nodes:
    """Return the records with such a field, if all of them are in one collection."""
    tree = chart.tree
    keys = {tree.keys[n] for n in fields}
    if len(keys) != 1 or not isinstance(key := next(iter(keys)), str):
        return ()
    records = tuple(sorted({tree.parents[n] for n in tree.by_key[key]}))
    homes = {tree.parents[n] for n in records}
    tree.spend(len(records))
    return records if len(homes) == 1 and 0 not in records else ()


def _find_price_limit(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield a condition on what things cost: `under 20 euros`, `that costs over 5 dollars`."""
    relative = chart.low(start) in ("that", "which") and chart.low(start + 1) == "costs"
    place = start + 2 if relative else start
    op, coin = _SIZES.get(chart.low(place)), chart.low(place + 2)
    number = number_in(chart.low(place + 1))
    if op is None or number is None or singular(coin) not in CURRENCIES:
        return
    tree = chart.tree
    fields = tuple(n for form in _PRICES for n in tree.by_form.get(form, ()))
    if not fields:
        return
    broken = any(isinstance(v := tree.values[n], Num) and "." in v.text for n in fields)
    size = money_in(number, coin, str(tree.keys[fields[0]]), broken=broken)
    if size is not None:
        yield Edge(place + 3, Test(fields, op, (size,)))
