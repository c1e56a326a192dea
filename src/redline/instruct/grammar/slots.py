"""Categories that frames use beside noun phrases and values: kinds, pairs, directions, states."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.frames import VERBS, phrase_table
from redline.instruct.grammar.nouns.pronouns import PRONOUNS
from redline.instruct.grammar.nouns.suffixes import CLASS_NOUNS, CLASSIFYING
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.word_classes import CLASSES
from redline.instruct.language.words import GENERIC, STRUCTURAL, key_words, number_in, singular
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.spelling import is_near
from redline.instruct.model.values import Value

_DIRECTIONS: dict[str, bool] = {
    **dict.fromkeys(
        (
            "descending", "desc", "in descending order", "in reverse", "from highest to lowest",
            "highest first", "largest first", "from largest to smallest", "from high to low",
            "newest first", "latest first", "from z to a", "most expensive first", "most first",
            "high to low", "biggest first", "longest first", "in reverse order", "decreasing",
            "in reverse alphabetical order", "z to a", "descendingly", "highest to lowest",
            "alphabetically in reverse", "in reverse alphabetically", "reverse alphabetically",
            "z-a", "from newest to oldest", "largest to smallest", "in decreasing order",
        ),
        True,
    ),
    **dict.fromkeys(
        (
            "ascending", "asc", "in ascending order", "alphabetically", "alphabetical",
            "in alphabetical order", "numerically", "from lowest to highest", "lowest first",
            "smallest first", "from smallest to largest", "from low to high", "oldest first",
            "earliest first", "from a to z", "youngest first", "cheapest first", "fewest first",
            "low to high", "shortest first", "increasing", "a to z", "lowest to highest",
            "a-z", "from oldest to newest", "smallest to largest", "in increasing order",
        ),
        False,
    ),
}  # fmt: skip


@rule("STRUCT")
def _struct(chart: Chart, start: int) -> Iterator[Edge]:
    """A word for a part of a document: field, key, section."""
    low = chart.low(start)
    if singular(low) in STRUCTURAL or singular(low) in ("label", "prop"):
        # "add a variable" is rather one of the variables
        yield Edge(start + 1, TokenSpan(start, start + 1, int(singular(low) in chart.tree.by_form)))
    for words in _PAIR_WORDS:
        end = chart.words(start, words)
        if end > 0:
            yield Edge(end, TokenSpan(start, end))
    if start and low in CLASS_NOUNS and chart.tokens[start - 1].kind in ("quoted", "code"):
        yield Edge(start + 1, TokenSpan(start, start + 1))


_PAIR_WORDS = (
    ("pair",), ("key-value", "pair"), ("key", "value", "pair"), ("key/value", "pair"),
    ("environment", "variable"), ("env", "variable"), ("env", "var"), ("config", "key"),
    ("name-value", "pair"), ("sub-object",), ("subsection",), ("dictionary",), ("sub-key",),
)  # fmt: skip


@rule("KIND")
def _kind(chart: Chart, start: int) -> Iterator[Edge]:
    """A noun for what a collection holds: tag, user, script."""
    for edge in chart.edges("CORE", start):
        if edge.item.sort is Sort.ITEMS and edge.item.whole:
            yield edge
            yield from _kind_with_noun(chart, edge)
    for sense in chart.lexicon.senses(start):
        if sense.sort is Sort.KEY and sense.cost < 3:
            empty = tuple(n for n in sense.nodes if chart.tree.values[n] in ([], {}))
            if empty:
                yield Edge(sense.end, Phrase(start, sense.end, empty, Sort.KEY, sense.cost))


def _kind_with_noun(chart: Chart, edge: Edge) -> Iterator[Edge]:
    """Yield a kind with a noun behind it that names nothing: a loan record, a firewall rule."""
    low = chart.low(edge.end)
    if singular(low) in GENERIC:
        yield Edge(edge.end + 1, edge.item)
    elif low == "member" and not chart.lexicon.senses(edge.end):
        yield Edge(edge.end + 1, replace(edge.item, many=False))
    elif low in CLASSIFYING and not edge.item.many and not chart.lexicon.senses(edge.end):
        yield Edge(edge.end + 1, edge.item.dearer(1))


@rule("OURLIST")
def _our_list(chart: Chart, start: int) -> Iterator[Edge]:
    """What all of it is in, by a noun that names nothing here: off the menu, off our list."""
    place = start + (chart.low(start) in ("the", "our", "my", "this", "that"))
    named = any(sense.whole for sense in chart.lexicon.senses(place))
    if chart.low(place) not in _LISTS or place == start or named:
        return
    yield Edge(place + 1, TokenSpan(start, place + 1, 1))
    if chart.low(place) == "list" and chart.low(place + 1) == "of":
        after = place + 2 + (chart.low(place + 2) in ("the", "our"))
        yield from (Edge(e.end, TokenSpan(start, e.end)) for e in chart.edges("KIND", after))


_LISTS = frozenset(
    "list menu bill invoice programme program schedule roster agenda plan order card board "
    "register calendar timetable".split()
)


@rule("ONEKIND")
def _one_kind(chart: Chart, start: int) -> Iterator[Edge]:
    """A kind in the singular."""
    yield from (edge for edge in chart.edges("KIND", start) if not edge.item.many)


@rule("NOUN")
def _noun(chart: Chart, start: int) -> Iterator[Edge]:
    """A noun for something new that the document does not know."""
    low = chart.low(start)
    if low.isalpha() and len(low) > 2 and low not in VERBS and not chart.lexicon.senses(start):
        yield Edge(start + 1, TokenSpan(start, start + 1, 2))


@rule("KINDNOUN")
def _kind_noun(chart: Chart, start: int) -> Iterator[Edge]:
    """A plural noun for the sections of a document: jobs, services, places."""
    low = chart.low(start)
    plural = singular(low) != low and singular(low) in _MEMBER_NOUNS | STRUCTURAL | {"place"}
    if plural or low in ("cases", "spots", "sections", "files"):
        yield Edge(start + 1, TokenSpan(start, start + 1, 1))


@rule("MEMBERNOUN")
def _member_noun(chart: Chart, start: int) -> Iterator[Edge]:
    """A noun for a member of a section that says no more than that it is one: alias, message."""
    senses = chart.lexicon.senses(start)
    if chart.low(start) in _MEMBER_NOUNS and not any(sense.whole for sense in senses):
        yield Edge(start + 1, TokenSpan(start, start + 1, 1 + bool(senses)))


_MEMBER_NOUNS = CLASS_NOUNS | frozenset(
    "alias message subject size entry error path mapping category item translation shortcut tariff "
    "price rate fee score grade topic tag metadata annotation label secret token credential peer "
    "target backend upstream server client endpoint url link resource volume mount network domain "
    "permission right scope record zone pool cluster node region bucket quota flag toggle variant "
    "option choice product ticket tier level badge skill stat counter metric alarm alert hook "
    "event trigger schedule command shortcut binding macro variable color colour font theme "
    "style template".split()
)


@rule("ANYVERB")
def _any_verb(chart: Chart, start: int) -> Iterator[Edge]:
    """A verb of which brackets say what it means: start the job (status "running")."""
    low = chart.low(start)
    if low.isalpha() and len(low) > 3 and low not in _OTHERWISE and not chart.lexicon.senses(start):
        yield Edge(start + 1, TokenSpan(start, start + 1, 1))


_OTHERWISE = frozenset(
    word for name in ("ADD", "REMOVE", "RENAME", "CLEAR", "SWAP", "SORT", "REPLACE", "FLIP")
    for phrase in CLASSES[name].split() for word in phrase.split("-")
)  # fmt: skip
_OTHERWISE |= frozenset("copy duplicate clone move keep leave ensure with from that which".split())


@rule("QUOTED")
def _quotation(chart: Chart, start: int) -> Iterator[Edge]:
    """A quoted text."""
    if start < chart.size and chart.tokens[start].kind == "quoted":
        yield Edge(start + 1, TokenSpan(start, start + 1))


@rule("JSON")
def _json(chart: Chart, start: int) -> Iterator[Edge]:
    """A JSON literal."""
    if start < chart.size and chart.tokens[start].kind == "json":
        yield Edge(start + 1, TokenSpan(start, start + 1))


@rule("DIRECTION")
def _direction(chart: Chart, start: int) -> Iterator[Edge]:
    """The direction of a sort."""
    place = start + (chart.low(start) == ",")
    for length in range(1, 6):
        text = " ".join(chart.lows[place : place + length])
        if text in _DIRECTIONS:
            yield Edge(place + length, TokenSpan(place, place + length, 0, text))


def falls(phrase: str, key: str) -> bool:
    """Return whether a direction means from high to low, for a field called *key*."""
    if phrase.startswith(("oldest", "youngest", "from oldest")) and key == "age":
        return not phrase.startswith("youngest")
    return _DIRECTIONS[phrase]


@rule("UNKNOWN")
def _unknown(chart: Chart, start: int) -> Iterator[Edge]:
    """A name the document does not have, for `remove` of what is not there."""
    for end in range(start + 1, min(start + 4, chart.size + 1)):
        token = chart.tokens[end - 1]
        if token.kind not in ("word", "quoted", "code") or token.low in _NOT_UNKNOWN:
            return
        mixed = any(t.kind != "word" for t in chart.tokens[start:end]) and end > start + 1
        if mixed or _is_known(chart, start, end):
            return
        tail = end + (chart.low(end) in STRUCTURAL - GENERIC)
        yield Edge(tail, TokenSpan(start, end, 4))


_NOT_UNKNOWN = (
    frozenset(
        "all every each everything anything it them and or of in from the a an one some any whose "
        "where with that which who first last second third not only other but except to for by "
        "duplicates duplicate".split()
    )
    | PRONOUNS
)


def _is_known(chart: Chart, start: int, end: int) -> bool:
    """Return whether the run, or one of its words, names or nearly names something."""
    for place in range(start, end):
        if singular(chart.low(place)) in GENERIC or chart.low(place) in VERBS:
            return True
        if any(s.sort is not Sort.FLAG or s.whole for s in chart.lexicon.senses(place)):
            return True
    token = chart.tokens[end - 1]
    said = "".join(key_words(token.text))
    near = [*chart.tree.by_form, *(_words_of(chart))]
    return (
        said in near
        or any(is_near(said, form) for form in near)
        or (
            number_in(token.text) is not None
            and (
                token.kind == "word"
                and end == start + 1
                and chart.low(start - 1) in ("remove", "delete")
            )
        )
    )


def _words_of(chart: Chart) -> set[str]:
    values: list[Value] = chart.tree.values
    if len(values) > 5000:
        return set()
    return {
        word for value in values if isinstance(value, str) and len(value) < 60
        for word in value.lower().split()
    }  # fmt: skip


@rule("VERBED")
def _flag_verb(chart: Chart, start: int) -> Iterator[Edge]:
    """A verb made from a boolean key: publish, unpublish, archive, confirm."""
    low = chart.low(start)
    if not low.isalpha() or len(low) < 3:
        return
    opposite, state = _ABOUT_FLAGS.get(low, ("", ""))
    flags = [n for n in chart.tree.by_form.get(opposite, ())
             if isinstance(chart.tree.values[n], bool)]  # fmt: skip
    if flags:
        yield Edge(start + 1, Flag(tuple(sorted(flags)), state))
        return
    for undone, stem in ((False, low), (True, low.removeprefix("un")), (True, low[2:])):
        if undone and not low.startswith(("un", "de")):
            continue
        for form in _participles(stem):
            nodes = [
                n for key in (form, "is" + form) for n in chart.tree.by_form.get(key, ())
                if isinstance(chart.tree.values[n], bool)
            ]  # fmt: skip
            if nodes:
                state = "false" if undone else "true"
                yield Edge(start + 1, Flag(tuple(sorted(nodes)), state))
                return


_ABOUT_FLAGS = {
    "close": ("open", "false"), "reopen": ("open", "true"), "open": ("open", "true"),
    "hide": ("visible", "false"), "show": ("visible", "true"), "unhide": ("visible", "true"),
}  # fmt: skip


def _participles(stem: str) -> Iterator[str]:
    """Yield the forms a verb's participle may have; the verb itself where it looks like one."""
    yield from (stem + "ed", stem + "d", stem[:-1] + "ied", stem + stem[-1:] + "ed")
    yield from _IRREGULAR.get(stem, "").split()
    if stem.endswith("ed"):
        yield stem


_IRREGULAR = {
    "freeze": "frozen", "hide": "hidden", "lock": "locked", "pay": "paid", "sell": "sold",
    "complete": "completed done finished", "finish": "finished completed done",
    "close": "closed", "settle": "settled paid", "finished": "completed done finished",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flag:
    """The boolean fields a verb speaks of, and the state it gives them."""

    nodes: tuple[int, ...]
    state: str
    cost: int = 0

    @property
    def meaning(self) -> Hashable:
        return (self.nodes, self.state)


_ISNT = phrase_table(
    tuple(text.split("-"))
    for text in (
        "isn't aren't is-not are-not is-no-longer are-no-longer shouldn't-be should-not-be "
        "should-no-longer-be mustn't-be must-not-be must-no-longer-be won't-be will-not-be"
    ).split()
)


@rule("ISNT")
def _is_not(chart: Chart, start: int) -> Iterator[Edge]:
    """A copula that says what something is not."""
    for end in chart.phrases(start, _ISNT):
        yield Edge(end, TokenSpan(start, end))


@rule("NOT")
def _not(chart: Chart, start: int) -> Iterator[Edge]:
    """A negation that turns a state over."""
    if chart.low(start) in ("not", "no-longer"):
        yield Edge(start + 1, TokenSpan(start, start + 1))
    if chart.low(start) == "no" and chart.low(start + 1) == "longer":
        yield Edge(start + 2, TokenSpan(start, start + 2))
