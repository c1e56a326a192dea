"""Conditions on records: comparisons, flags, memberships, names, superlatives."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import phrase_table
from redline.instruct.grammar.kinds import direction_of, extreme
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.language.dates import date_in
from redline.instruct.language.words import CURRENCIES, number_in, singular, unit_of
from redline.instruct.lexicon.names import Sort
from redline.instruct.lexicon.tree import Nodes, Tree
from redline.instruct.model.values import Num, Value

_OPERATORS: dict[str, str] = {
    "=": "= == is equals equal-to is-equal-to of at : being set-to is-set-to is-currently are was "
    "is-exactly were matches reads is-still has-value has-the-value",
    "!=": "is-not isn't isnt are-not aren't not != differs-from not-equal-to was-not "
    "is-anything-but is-not-equal-to other-than is-other-than does-not-equal doesn't-equal "
    "is-different-from",
    ">": "> is-greater-than greater-than is-more-than more-than is-over over is-above above "
    "exceeds exceeding exceed higher-than is-higher-than bigger-than larger-than is-larger-than "
    "after is-after later-than is-later-than past is-bigger-than are-over are-above longer-than",
    "<": "< is-less-than less-than is-under under is-below below fewer-than is-fewer-than "
    "lower-than is-lower-than smaller-than is-smaller-than before is-before earlier-than "
    "is-earlier-than are-below are-under is-beneath shorter-than",
    ">=": ">= is-at-least at-least no-less-than is-no-less-than not-less-than",
    "<=": "<= is-at-most at-most no-more-than is-no-more-than not-more-than up-to is-up-to",
    "has": "contains contain include includes including containing has have mentions",
    "lacks": "does-not-contain doesn't-contain do-not-contain does-not-include doesn't-include "
    "don't-include lacks lack doesn't-have does-not-have",
}  # fmt: skip
SPOKEN_OPERATORS = {
    tuple(text.split("-")) if len(text) > 2 and "-" in text else (text,): op
    for op, texts in _OPERATORS.items()
    for text in texts.split()
}
_PHRASES = phrase_table(SPOKEN_OPERATORS)
# Comparatives that name their field: older than 30, cheaper than 5.
_COMPARATIVES: dict[str, tuple[tuple[str, ...], str]] = {
    "older": (("age",), ">"), "younger": (("age",), "<"), "cheaper": (("price", "cost"), "<"),
    "pricier": (("price", "cost"), ">"), "heavier": (("weight",), ">"),
    "lighter": (("weight",), "<"),
}  # fmt: skip
_PAY = ("salary", "pay", "wage", "income")
_PRICED = {
    "priced": ("price", "cost"), "costing": ("price", "cost"), "aged": ("age",), "earning": _PAY,
    "making": _PAY, "paid": _PAY, "weighing": ("weight",),
}  # fmt: skip
_TRIGGERS = ("whose", "where", "with", "having", "for-which", "when", "if", "that-have",
             "that-has", "who-have", "who-has", "which-have", "which-has")  # fmt: skip
_RELATIVES = frozenset("that which who".split())
_COPULAS: dict[str, bool] = {
    "is": True, "are": True, "was": True, "were": True, "isn't": False, "aren't": False,
    "wasn't": False, "isnt": False, "arent": False, "aren’t": False, "isn’t": False,
}  # fmt: skip
_NAMED = frozenset("named called titled labeled labelled entitled".split())
_EMPTY = frozenset("empty blank null missing none unset undefined nil".split())
_TRUE = frozenset("true yes on set enabled".split())
_FALSE = frozenset("false no off disabled".split())


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison of a field with operands; `holds` is None where there is no such field."""

    fields: Nodes
    op: str
    operands: tuple[str, ...]
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.fields, self.op, self.operands, self.whole)

    def holds(self, tree: Tree, node: int) -> bool | None:
        """Return whether the nearest such field in or around *node* compares as said."""
        found = _nearest(tree, node, self.fields)
        if not found:
            return None
        return self._compared([tree.values[n] for n in found])

    def _compared(self, values: list[Value]) -> bool:
        if self.op in ("!=", "lacks"):
            return all(not _matches(v, "=" if self.op == "!=" else "has", self.operands)
                       for v in values)  # fmt: skip
        return any(_matches(value, self.op, self.operands) for value in values)

    def select(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        """Return the nodes for which it holds; None when none has the field."""
        key = (self.meaning, nodes)
        if key not in tree.selections:
            tree.selections[key] = self._selected(tree, nodes)
        return tree.selections[key]

    def _selected(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        tree.spend(len(nodes) * 3)
        members: dict[int, list[int]] = {}
        for field in self.fields:
            members.setdefault(tree.parents[field], []).append(field)
        known: dict[str, bool] = {}
        chosen: list[int] = []
        fits = False
        for node in nodes:
            own = members.get(node) or members.get(tree.parents[node])
            if own is None or len(own) > 1:
                verdict = self.holds(tree, node)
            else:
                text = tree.text(own[0])
                if text is None or text not in known:
                    verdict = self._compared([tree.values[own[0]]])
                    if text is not None:
                        known[text] = verdict
                else:
                    verdict = known[text]
            fits = fits or verdict is not None
            if verdict:
                chosen.append(node)
        return tuple(chosen) if fits else None


@dataclass(frozen=True, slots=True)
class Among:
    """Whether a node is, or lies in, one of the records given."""

    records: Nodes
    wanted: bool = True
    cost: int = 0
    whole: bool = True
    known: Nodes = ()

    @property
    def meaning(self) -> Hashable:
        return (self.records, self.wanted, self.whole)

    def select(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        """Return the nodes in, or not in, the records."""
        if self.known and not tree.inside(nodes, self.known):
            return None
        inside = set(tree.inside(nodes, self.records))
        return tuple(n for n in nodes if (n in inside) is self.wanted)


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a record has a field, or one with something in it."""

    fields: Nodes
    wanted: bool
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.fields, self.wanted)

    def select(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        """Return the nodes with, or without, the field."""
        return tuple(n for n in nodes if bool(tree.below(n, self.fields)) is self.wanted)


@dataclass(frozen=True, slots=True)
class Most:
    """The one record with the highest or lowest number in a field."""

    forms: tuple[str, ...]
    highest: bool
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.forms, self.highest)

    def select(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        """Return that record; None when the field does not rank them."""
        node = extreme(tree, nodes, self.forms, self.highest)
        return None if node is None else (node,)


@dataclass(frozen=True, slots=True)
class Joined:
    """Several conditions, all or any of which must hold."""

    parts: tuple[Condition, ...]
    every: bool

    @property
    def cost(self) -> int:
        return sum(part.cost for part in self.parts)

    @property
    def whole(self) -> bool:
        return all(part.whole for part in self.parts)

    @property
    def meaning(self) -> Hashable:
        return (self.every, *(part.meaning for part in self.parts))

    def select(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        """Return the nodes that every part, or any part, selects."""
        chosen = [part.select(tree, nodes) for part in self.parts]
        if any(one is None for one in chosen):
            return None
        sets = [set(one) for one in chosen if one is not None]
        kept = set.intersection(*sets) if self.every else set.union(*sets)
        return tuple(n for n in nodes if n in kept)


Condition = Test | Among | Exists | Most | Joined


def _nearest(tree: Tree, node: int, fields: Nodes) -> list[int]:
    """Return the fields directly in the node, else the nearest around or below it."""
    inner = tree.below(node, fields)
    if inner:
        direct = [n for n in inner if tree.parents[n] == node or n == node]
        return direct or list(inner)
    for holder in tree.ancestors(node):
        around = tree.below(holder, fields)
        if around:
            direct = [n for n in around if tree.parents[n] == holder]
            return (direct or list(around)) if direct or len(around) == 1 else []
        if tree.is_record(holder):
            # only one step out: the record a field belongs to, and what that record is part of
            continue
    return []


def _matches(value: Value, op: str, operands: tuple[str, ...]) -> bool:
    if op == "between":
        return _compare(value, ">=", operands[0]) and _compare(value, "<=", operands[1])
    return any(_compare(value, op, operand) for operand in operands)


def _compare(value: Value, op: str, operand: str) -> bool:
    if op == "has":
        return _has(value, operand)
    if op == "=":
        return _equals(value, operand)
    left, right = size_of(value), size_of(operand)
    if left is None or right is None or type(left) is not type(right):
        return False
    if op == ">":
        return left > right  # type: ignore[operator]
    if op == "<":
        return left < right  # type: ignore[operator]
    return left >= right if op == ">=" else left <= right  # type: ignore[operator]


def _has(value: Value, operand: str) -> bool:
    if isinstance(value, list):
        return any(_equals(item, operand) for item in value)
    if isinstance(value, dict):
        return operand.lower() in (key.lower() for key in value)
    return isinstance(value, str) and operand.lower() in value.lower()


def _equals(value: Value, operand: str) -> bool:
    low = operand.lower()
    if isinstance(value, bool):
        return low in (_TRUE if value else _FALSE)
    if value is None or value in ("", [], {}):
        return low in _EMPTY or (value == "" and operand == "")
    if isinstance(value, Num):
        size = size_of(operand)
        return isinstance(size, Decimal) and size == value.decimal
    if isinstance(value, str):
        return " ".join(value.lower().split()) == " ".join(low.split()) or (
            date_in(operand) == value
        )
    return False


def size_of(value: Value) -> Decimal | str | None:
    """Return what can be compared: a number, or a date as ISO text."""
    if isinstance(value, Num):
        return value.decimal
    if not isinstance(value, str):
        return None
    number = number_in(value.strip().lstrip("$€£").rstrip("%").strip())
    if number is not None:
        return Decimal(number)
    return date_in(value) or (value[:10] if value[:4].isdigit() and value[4:5] == "-" else None)


@rule("FIELD")
def _field(chart: Chart, start: int) -> Iterator[Edge]:
    """The key a condition speaks of."""
    place = start + (chart.low(start) in ("the", "a", "an", "its", "their", "his", "her"))
    for edge in chart.edges("CORE", place):
        if edge.item.sort in (Sort.KEY, Sort.PATH) and not edge.item.weak:
            yield edge


@dataclass(frozen=True, slots=True)
class Operands:
    """Texts a field is compared with."""

    texts: tuple[str, ...]
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return self.texts


def operands(chart: Chart, start: int, fields: Nodes) -> Iterator[tuple[int, Operands]]:
    """Yield one or more operands joined by `or`."""
    for end, text, cost in _operand(chart, start, fields):
        yield end, Operands((text,), cost)
        texts, total, place = [text], cost, end
        while chart.low(place) in ("or", ",") and len(texts) < 6:
            after = place + 1 + (chart.low(place) == "," and chart.low(place + 1) == "or")
            more = next(iter(_operand(chart, after, fields)), None)
            if more is None or (more[2] and not text[:1].isdigit()):
                break
            place, texts, total = more[0], [*texts, more[1]], total + more[2]
            if chart.low(place) not in ("or", ","):
                yield place, Operands(tuple(texts), total)


def _operand(chart: Chart, start: int, fields: Nodes) -> Iterator[tuple[int, str, int]]:
    if start >= chart.size:
        return
    place = start + (chart.low(start) in ("the", "a", "an", "exactly", "currently"))
    token = chart.tokens[place] if place < chart.size else None
    if token is None or token.kind in ("sign", "end", "poss", "json"):
        return
    if token.kind in ("quoted", "code"):
        yield place + 1, token.text, 0
        return
    number = number_in(token.text.lstrip("$€£#").rstrip("%"))
    if number is not None:
        after = chart.low(place + 1)
        if after in ("%", "percent") or singular(after) in CURRENCIES or unit_of(after):
            yield place + 2, number, 0
        if not any(isinstance(chart.tree.values[n], str) for n in fields[:50]):
            yield place + 1, number, 0
            return
    known = _known_texts(chart.tree, fields)
    for end in range(min(place + 5, chart.size), place, -1):
        if any(t.kind not in ("word", "poss") for t in chart.tokens[place:end]):
            continue
        text = chart.text(place, end)
        if " ".join(text.lower().split()) in known or (end > place + 1 and date_in(text)):
            yield end, text, 0
            return
    if token.low in _TRUE | _FALSE | _EMPTY or date_in(token.text):
        yield place + 1, token.text, 0
    elif token.kind == "word" and token.low not in _PLAIN:
        yield place + 1, token.text, 1


_PLAIN = frozenset(
    "and or the a an to is are in of for with whose where that which who not by on at as be it "
    "than over under above below before after greater more less fewer any all every each".split()
)


def _known_texts(tree: Tree, fields: Nodes) -> set[str]:
    tree.spend(len(fields) // 4)
    found: set[str] = set()
    for node in fields:
        value = tree.values[node]
        if isinstance(value, list):
            found |= {" ".join(i.lower().split()) for i in value if isinstance(i, str)}
        elif isinstance(value, str):
            found.add(" ".join(value.lower().split()))
    return found


def operators(chart: Chart, start: int) -> Iterator[tuple[int, str]]:
    """Yield the comparisons that begin at *start*, the longest first."""
    for end in chart.phrases(start, _PHRASES):
        yield end, SPOKEN_OPERATORS[tuple(chart.lows[start:end])]


def _comparison(chart: Chart, start: int, phrase: Phrase) -> Iterator[Edge]:
    """Yield what may follow a field: an operator and operands, or operands alone."""
    fields, whole = phrase.nodes, phrase.whole
    if (
        (chart.low(start) in ("is", "are")
        and chart.low(start + 1) == "between")
        or (chart.low(start) == "between")
    ):
        first = start + 1 + (chart.low(start) != "between")
        for end, low, _ in _operand(chart, first, fields):
            if chart.low(end) == "and":
                for last, high, _ in _operand(chart, end + 1, fields):
                    yield Edge(last, Test(fields, "between", (low, high), phrase.cost, whole))
    for end, op in operators(chart, start):
        for last, found in operands(chart, end, fields):
            if not _fits(chart.tree, fields, op, found.texts):
                continue
            yield Edge(last, Test(fields, op, found.texts, phrase.cost + found.cost, whole))
            yield from _or_more(chart, last, op, found, phrase)
    for last, found in operands(chart, start, fields):
        if found.cost == 0 and _fits(chart.tree, fields, "=", found.texts):
            yield Edge(last, Test(fields, "=", found.texts, phrase.cost, whole))
    if any(isinstance(chart.tree.values[n], list) for n in fields):
        yield from _membership(chart, start, phrase)


def _membership(chart: Chart, start: int, phrase: Phrase) -> Iterator[Edge]:
    for end, op in operators(chart, start):
        if op in ("has", "lacks"):
            for last, found in operands(chart, end, phrase.nodes):
                yield Edge(last, Test(phrase.nodes, op, found.texts, phrase.cost, phrase.whole))


def _or_more(chart: Chart, last: int, op: str, found: Operands, phrase: Phrase) -> Iterator[Edge]:
    if chart.low(last) != "or" or op != "=":
        return
    word = chart.low(last + 1)
    wider = {"more": ">=", "higher": ">=", "above": ">=", "older": ">=", "greater": ">=",
             "less": "<=", "lower": "<=", "below": "<=", "fewer": "<=", "younger": "<="}  # fmt: skip
    if word in wider:
        yield Edge(last + 2, Test(phrase.nodes, wider[word], found.texts, phrase.cost))


def _fits(tree: Tree, fields: Nodes, op: str, texts: tuple[str, ...]) -> bool:
    """Return whether the field can be compared so: an order needs numbers or dates."""
    if op in ("=", "!=", "has", "lacks"):
        return op in ("has", "lacks") or not all(
            isinstance(tree.values[n], dict) for n in fields[:20]
        )
    sizes = [size_of(tree.values[n]) for n in fields[:200]]
    wanted = size_of(texts[0])
    return wanted is not None and any(type(size) is type(wanted) for size in sizes)


@rule("PREDICATE")
def _predicate(chart: Chart, start: int) -> Iterator[Edge]:
    """A condition without its introducing word: price is over 5, fewer than 5 qty, no tags."""
    for edge in chart.edges("FIELD", start):
        yield from _comparison(chart, edge.end, edge.item)
        if chart.low(start) in ("no", "an"):
            continue
    low = chart.low(start)
    if low == "it":
        yield from _of_itself(chart, start + 1)
    if low in ("no", "without", "missing"):
        after = start + 1 + (chart.low(start + 1) in ("any", "a", "an"))
        for edge in chart.edges("FIELD", after):
            yield Edge(edge.end, Exists(edge.item.nodes, wanted=False, cost=edge.item.cost + 1))
    for end, op in operators(chart, start + (low in ("a", "an"))):
        yield from _amount_first(chart, end, op)
    if number_in(low) is not None or low == "zero":
        yield from _amount_first(chart, start, "=")
    word = chart.low(start + 1) if low == "the" else low
    highest = direction_of(word)
    if highest is not None:
        for edge in chart.edges("FIELD", start + 1 + (low == "the")):
            forms = {_form(chart.tree, n) for n in edge.item.nodes}
            yield Edge(edge.end, Most(tuple(sorted(forms)), highest, edge.item.cost))


def _form(tree: Tree, node: int) -> str:
    from redline.instruct.language.words import key_form

    return key_form(str(tree.keys[node]))


def _of_itself(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `where it is null`: the value of the place itself."""
    if chart.low(start) in _COPULAS and chart.low(start + 1) in _EMPTY | {"true", "false"}:
        wanted = _COPULAS[chart.low(start)]
        yield Edge(start + 2, Itself(chart.low(start + 1), wanted))


@dataclass(frozen=True, slots=True)
class Itself:
    """Whether a node's own value is as said."""

    operand: str
    wanted: bool = True
    cost: int = 0
    whole: bool = True

    @property
    def meaning(self) -> Hashable:
        return (self.operand, self.wanted)

    def select(self, tree: Tree, nodes: Nodes) -> Nodes | None:
        """Return the nodes whose value is, or is not, that."""
        return tuple(n for n in nodes if _equals(tree.values[n], self.operand) is self.wanted)


def _amount_first(chart: Chart, start: int, op: str) -> Iterator[Edge]:
    """Yield `fewer than 5 qty`, `below level 10`, `0 stock`."""
    number = number_in(chart.low(start))
    if number is not None:
        for edge in chart.edges("FIELD", start + 1):
            if _fits(chart.tree, edge.item.nodes, op if op != "=" else ">", (number,)):
                yield Edge(edge.end, Test(edge.item.nodes, op, (number,), edge.item.cost))
    for edge in chart.edges("FIELD", start):
        after = number_in(chart.low(edge.end))
        if after is not None and op in ("<", ">", "<=", ">="):
            yield Edge(edge.end + 1, Test(edge.item.nodes, op, (after,), edge.item.cost))


@rule("STATE")
def _state(chart: Chart, start: int) -> Iterator[Edge]:
    """What records are: flags, kinds and values, with `not` before them."""
    wanted, place = True, start
    if chart.low(place) in ("not", "n't"):
        wanted, place = False, place + 1
    place += chart.low(place) in ("a", "an", "currently", "still", "already", "marked")
    place += chart.low(place) == "as"
    for edge in chart.edges("CORE", place):
        phrase: Phrase = edge.item
        if phrase.sort is Sort.FLAG:
            yield Edge(edge.end, _flag(chart.tree, phrase, wanted))
        elif phrase.sort is Sort.RECORD and phrase.whole:
            keys = {str(chart.tree.keys[n]) for n in phrase.fields}
            known = tuple(
                sorted({chart.tree.record_of(n) for k in keys for n in chart.tree.by_key[k]})
            )
            yield Edge(edge.end, Among(phrase.nodes, wanted, phrase.cost, known=known))


def _flag(tree: Tree, phrase: Phrase, wanted: bool) -> Among:
    keys = {str(tree.keys[n]) for n in phrase.fields}
    known = tuple(sorted({tree.record_of(n) for k in keys for n in tree.by_key[k]}))
    return Among(phrase.nodes, wanted, phrase.cost, known=known)


@rule("SIMPLE")
def _simple(chart: Chart, start: int) -> Iterator[Edge]:
    """One condition with its introducing word."""
    for trigger in _TRIGGERS:
        after = chart.words(start, tuple(trigger.split("-")))
        if after > 0:
            after += chart.low(after) in ("a", "an") and direction_of(chart.low(after + 1)) is None
            yield from chart.edges("PREDICATE", after)
            if trigger in ("where", "when", "if"):
                yield from _with_subject(chart, after)
    low = chart.low(start)
    if low in _RELATIVES:
        yield from _relative(chart, start + 1)
    if low in _NAMED:
        yield from _names(chart, start + 1)
    if low in _COMPARATIVES and chart.low(start + 1) == "than":
        forms, op = _COMPARATIVES[low]
        yield from _by_forms(chart, start + 2, forms, op)
    if low in _PRICED:
        for end, op in operators(chart, start + 1):
            yield from _by_forms(chart, end, _PRICED[low], op)
        yield from _by_forms(chart, start + 1, _PRICED[low], "=")
    if low in ("at", "below", "above", "over", "under", "before", "after", "on"):
        ops = {"at": "=", "on": "="}
        op = ops.get(low) or next(o for e, o in operators(chart, start) if e == start + 1)
        yield from (_dearer(edge) for edge in _amount_first(chart, start + 1, op))
        if low == "at":
            yield from _percent_first(chart, start + 1)
    yield from _participle(chart, start)


def _percent_first(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `at 100 % rollout`, `at 100% rollout`."""
    number = number_in(chart.low(start).rstrip("%"))
    after = start + 1 + (chart.low(start + 1) in ("%", "percent"))
    if number is None:
        return
    for edge in chart.edges("FIELD", after):
        yield Edge(edge.end, Test(edge.item.nodes, "=", (number,), edge.item.cost))


def _dearer(edge: Edge) -> Edge:
    return Edge(edge.end, replace(edge.item, cost=edge.item.cost + 1))


def _by_forms(chart: Chart, start: int, forms: Iterable[str], op: str) -> Iterator[Edge]:
    for form in forms:
        fields = tuple(chart.tree.by_form.get(form, ()))
        if fields:
            for end, found in operands(chart, start, fields):
                if _fits(chart.tree, fields, op, found.texts):
                    after = end + (chart.low(end) in ("years", "dollars", "euros"))
                    yield Edge(after, Test(fields, op, found.texts, found.cost))
            return


def _names(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `named Bob Jones`: records by an identifying value."""
    tree = chart.tree
    for sense in chart.lexicon.senses(start):
        named = tuple(n for n in sense.fields if tree.identifies(n))
        if sense.sort is Sort.RECORD and named:
            records = tuple(sorted({tree.record_of(n) for n in named}))
            yield Edge(sense.end, Among(records, True, sense.cost, sense.whole))
        if sense.sort is Sort.KEY and sense.whole:
            yield Edge(sense.end, Among(sense.nodes, True, sense.cost))


def _relative(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `that are done`, `who is not confirmed`, `which cost over 5`."""
    low = chart.low(start)
    if low in _COPULAS:
        for edge in chart.edges("STATE", start + 1):
            yield edge if _COPULAS[low] else Edge(edge.end, _opposite(edge.item))
        for edge in chart.edges("PP", start + 1):
            yield edge
    if low in ("have", "has", "had"):
        yield from chart.edges("PREDICATE", start + 1 + (chart.low(start + 1) in ("a", "an")))
    if low in ("cost", "costs"):
        for end, op in [(start + 1, "="), *operators(chart, start + 1)]:
            yield from _by_forms(chart, end, ("price", "cost"), op)
    yield from chart.edges("PREDICATE", start)


def _opposite(condition: Condition) -> Condition:
    if isinstance(condition, Among | Exists | Itself):
        return replace(condition, wanted=not condition.wanted)
    return replace(condition, op="!=") if isinstance(condition, Test) else condition


@rule("PP")
def _in_place(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `in zone b`, `from Berlin` as a condition."""
    if chart.low(start) not in ("in", "from", "on", "of"):
        return
    for edge in chart.edges("CORE", start + 1 + (chart.low(start + 1) == "the")):
        if edge.item.sort in (Sort.RECORD, Sort.KEY, Sort.FLAG):
            yield Edge(edge.end, Among(edge.item.nodes, True, edge.item.cost, edge.item.whole))


def _participle(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield a field without an introducing word: due before May 1, owned by web."""
    low = chart.low(start)
    if low.endswith("ing") and len(low) > 5:
        stem = low[:-3]
        forms = (stem, stem + "e", stem + "es", stem + "s", stem[:-1])
        fields = tuple(sorted(n for f in forms for n in chart.tree.by_form.get(f, ())))
        if fields:
            phrase = Phrase(start, start + 1, fields, Sort.KEY, 1)
            yield from _comparison(chart, start + 1, phrase)
    if chart.low(start + 1) == "by" and low.endswith("ed"):
        stem = low[:-2]
        forms = [stem, stem + "er", stem + "or", stem[:-1] + "er", low + "by", stem + "e"]
        fields = tuple(n for f in forms for n in chart.tree.by_form.get(f, ()))
        if fields:
            for end, found in operands(chart, start + 2, fields):
                yield Edge(end, Test(fields, "=", found.texts, found.cost))
    if low and not low.startswith("\0") and low not in _PLAIN:
        for edge in chart.edges("FIELD", start):
            for end, op in operators(chart, edge.end):
                if op not in ("<", ">", "<=", ">="):
                    continue
                for last, found in operands(chart, end, edge.item.nodes):
                    if _fits(chart.tree, edge.item.nodes, op, found.texts):
                        cost = edge.item.cost + found.cost + 1
                        yield Edge(last, Test(edge.item.nodes, op, found.texts, cost))


def _with_subject(chart: Chart, start: int) -> Iterator[Edge]:
    """Yield `Alice is admin`, `they are liked`: a subject and its state or field."""
    if chart.low(start) in ("it", "they", "he", "she") and chart.low(start + 1) in _COPULAS:
        positive = _COPULAS[chart.low(start + 1)]
        for edge in chart.edges("STATE", start + 2):
            yield edge if positive else Edge(edge.end, _opposite(edge.item))
    for edge in chart.edges("STATE", start):
        yield Edge(edge.end, replace(edge.item, cost=edge.item.cost + 1))


@rule("FILTER")
def _filter(chart: Chart, start: int) -> Iterator[Edge]:
    """One condition, or several joined by `and` or by `or`."""
    begin = start + (chart.low(start) == "," and chart.low(start + 1) in _RELATIVES | {"where"})
    agenda: list[tuple[int, tuple[Condition, ...], str]] = [
        (edge.end, (edge.item,), "") for edge in chart.edges("SIMPLE", begin)
    ]
    while agenda:
        end, parts, joint = agenda.pop()
        yield Edge(end, parts[0] if len(parts) == 1 else Joined(parts, joint == "and"))
        word = chart.low(end)
        if word in ("and", "or") and (not joint or joint == word) and len(parts) < 5:
            chart.tree.spend(20)
            more = [
                *chart.edges("SIMPLE", end + 1),
                *chart.edges("PREDICATE", end + 1),
                *chart.edges("STATE", end + 1 + (chart.low(end + 1) in _COPULAS)),
            ]
            agenda += [(edge.end, (*parts, edge.item), word) for edge in more]
        if word == "unless" and not joint:
            for edge in _with_subject(chart, end + 1):
                opposite = _opposite(edge.item)
                agenda.append((edge.end, (*parts, opposite), "and"))
