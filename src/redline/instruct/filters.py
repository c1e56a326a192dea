"""Filters and conditions: which records meet `where status is "open" and votes > 10`.

A condition is read for given records, so that its words are keys and values that these have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NamedTuple

from redline.instruct.model.values import Num, Value, render
from redline.instruct.paths import find, looks_like_path
from redline.instruct.sentence import Sentence
from redline.instruct.tokens import Token
from redline.instruct.tree import NAME_FORMS, Nodes
from redline.instruct.words import (
    ARTICLES,
    FALSE_WORDS,
    STRUCTURAL,
    TRUE_WORDS,
    is_plural,
    key_form,
    number_in,
    singular,
)

_INTRODUCERS = frozenset("where whose with without that which who having for when".split())
_NAMING = frozenset("named called titled labelled labeled".split())
_NEGATED_VERBS = frozenset("contain include equal have start end".split())
_ADVERBS = frozenset("currently already still also both itself yet has".split())
_MARKED = (("marked", "as"), ("flagged", "as"))
_NEEDING = frozenset("require use need allow support accept".split())
_HOLDING = _NEEDING | frozenset(
    "has have having include contain define declare list reference carry specify".split()
)
_BE = frozenset("is are was were be being".split())
_NOT = frozenset(("not", "isn't", "aren't", "isnt", "doesn't", "don't", "never"))
_OPERATORS: dict[tuple[str, ...], str] = {
    tuple(words.split()): code
    for code, group in {
        "eq": "equal to|equals|equal|=|==|set to|exactly|of|:",
        "ne": "!=|not equal to|different from|anything but|other than",
        "gt": "above|over|greater than|more than|higher than|larger than|bigger than|exceeds|exceed"
        "|exceeding|>|after|later than|newer than|longer than",
        "lt": "below|under|less than|lower than|smaller than|fewer than|<|before|earlier than"
        "|shorter than",
        "ge": "at least|>=|greater than or equal to|no less than|not below|not less than",
        "le": "at most|<=|less than or equal to|no more than|not above|not more than|up to",
        "has": "contains|contain|containing|includes|include|including|has|have|lists",
        "starts": "starts with|start with|starting with|begins with|beginning with",
        "ends": "ends with|end with|ending with|ending in|ends in",
        "in": "one of|either|among|any of",
        "between": "between",
    }.items()
    for words in group.split("|")
}
_LONGEST = max(map(len, _OPERATORS))
_ORDERED = re.compile(r"\d{4}(-\d\d(-\d\d)?)?([T ][\d:.]+Z?)?|\d\d:\d\d(:\d\d)?")
MAX_CONDITION = 40


_STOP_WORDS = frozenset(
    "and or but then to with where whose that which who if unless from into set as by except not "
    "is are has have its it than".split()
)


_OR_MORE = {
    word: code
    for code, words in (
        ("ge", "more higher above later greater over"),
        ("le", "less lower below fewer earlier under"),
    )
    for word in words.split()
}  # fmt: skip


_NO_VALUES = _BE | _NOT | STRUCTURAL | {"has", "have", "date"}
_EXTREMES = {
    word: code
    for code, words in (
        ("gt", "highest largest greatest biggest most latest newest longest"),
        ("lt", "lowest smallest least fewest earliest oldest shortest"),
    )
    for word in words.split()
}  # fmt: skip


class SaidValue(NamedTuple):
    """A value as a condition says it; bare words do not tell case."""

    value: Value
    bare: bool


def begins(s: Sentence, k: int, j: int) -> bool:
    """Return whether a condition can begin at token *k*."""
    low = s.tokens[k].low
    if low == "currently" and k + 1 < j:
        return begins(s, k + 1, j)
    if low in _INTRODUCERS or low in _NAMING or s.words(k, k + 2) == ["in", "which"]:
        return True
    if _is_participle(s, k, j) or tuple(s.words(k, k + 2)) in _MARKED:
        return k + 2 < j
    return _operator(s, k, j) is not None and s.tokens[k].kind in ("word", "op") and low not in (
        "of", "has", "have", "in", "=", "either", ":", "set", "equal", "equals"
    )  # fmt: skip


def is_introduced(s: Sentence, k: int) -> bool:
    """Return whether a word that only introduces a condition stands at token *k*."""
    return s.tokens[k].low in _INTRODUCERS


def keep(s: Sentence, k: int, j: int, records: Nodes) -> list[Nodes]:
    """Return, for each reading of the condition at *k*, the records that meet it."""
    k += s.tokens[k].low == "currently"
    k += s.words(k, k + 2) == ["in", "which"]
    low = s.tokens[k].low
    if low in _NAMING:
        plain = all(t.kind == "word" for t in s.tokens[k + 1 : j]) or j - k == 2
        return _with_name(s, records, s.source(k + 1, j)) if plain and k + 1 < j else []
    if tuple(s.words(k, k + 2)) in _MARKED and j - k == 3:
        form = key_form(s.source(k + 2, j))
        named = [c for r in records for c in s.tree.children(r) if _is_flag(s, c, form)]
        kept = tuple(s.tree.parents[c] for c in named if s.tree.values[c] is True)
        return [kept] if named else []
    if low not in _INTRODUCERS:
        if _is_participle(s, k, j):
            return _done_by(s, k, j, records)
        return _compare_self(s, k, j, records) or list(_count(s, k, j, records))
    start = k + (low != "without")
    if low == "for" and s.words(start, start + 1) != ["which"]:
        return []
    start += s.words(start, start + 1) in (["which"], ["the"])
    if s.words(start, start + 1) == ["value"] and not field_of(s, start, start + 1, records):
        return _compare_self(s, start + 1, j, records, mixed=True)
    if records and not any(isinstance(s.tree.values[r], dict) for r in records):
        return _compare_self(s, start, j, records) if start < j else []
    found = condition(s, start, j, records) if start < j else []
    return found or (list(_extreme(s, start, j, records)) if start < j else [])


def _is_flag(s: Sentence, node: int, form: str) -> bool:
    return isinstance(s.tree.values[node], bool) and key_form(str(s.tree.keys[node])) == form


def _extreme(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    """Yield the record with the highest or lowest number or date in a field; none on a tie."""
    i += s.tokens[i].low == "the" and i + 1 < j
    code = _EXTREMES.get(s.tokens[i].low)
    field = field_of(s, i + 1, j, records) if code and i + 1 < j else None
    if code is None or field is None:
        return
    s.tree.spend(3 * len(records))
    values = [field(r) for r in records]
    first = values[0] if values else None
    for value in values:
        if _relate(value, code, first) is True:
            first = value
    beaten = [v == first or _relate(first, code, v) is True for v in values]
    best = [r for r, v in zip(records, values, strict=True) if v == first]
    if len(best) == 1 and all(beaten):
        yield tuple(best)


def _with_name(s: Sentence, records: Nodes, text: str) -> list[Nodes]:
    named = {s.tree.record_of(n) for n in s.tree.with_label(text)}
    form = key_form(text)
    kept = tuple(r for r in records if r in named)
    if not kept:
        kept = tuple(r for r in records if key_form(str(s.tree.keys[r])) == form)
    return [kept] if kept else [()]


def by_field(s: Sentence, k: int, j: int, records: Nodes) -> Iterator[Nodes]:
    """Yield the records of `of type "x"`, `in the Sales department` and `by "Bon Iver"`."""
    if not records or not all(isinstance(s.tree.values[r], dict) for r in records):
        return
    start = k + 1
    places = s.tokens[k].low in ("by", "in", "from", "on", "of", "at", "for")
    if places:
        yield from _only_field(s, start, j, records)
    if s.tokens[start].low in ARTICLES:
        start += 1
        if places and start < j:
            yield from _only_field(s, start, j, records)
    if start < j and not any(t.kind == "sep" for t in s.tokens[start:j]):
        yield from _field_and_value(s, start, j, records)


def _field_and_value(s: Sentence, start: int, j: int, records: Nodes) -> Iterator[Nodes]:
    """Yield the records of `type "x"` and of `Sales department`."""
    for m in range(start + 1, j):
        for key, place in (((start, m), (m, j)), ((m, j), (start, m))):
            field, value = field_of(s, *key, records), _value_at(s, *place)
            if field is None or value is None or isinstance(value.value, dict | list):
                continue
            kept = tuple(r for r in records if _meets(field(r), "eq", value) is True)
            if kept:
                yield kept


def _only_field(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    """Yield the records in which the words are the value of one field, the same in all."""
    said = _value_at(s, i, j)
    if said is None or not isinstance(said.value, str):
        return
    plain = number_in(said.value) is None and said.value.lower() not in TRUE_WORDS | FALSE_WORDS
    if plain and not s.tree.holds_text(said.value):
        return
    fields: dict[object, list[int]] = {}
    for record in records:
        s.tree.spend()
        for node in s.tree.children(record):
            if _same(s.tree.values[node], said):
                fields.setdefault(s.tree.keys[node], []).append(record)
    if len(fields) == 1:
        yield tuple(dict.fromkeys(next(iter(fields.values()))))


def _is_participle(s: Sentence, k: int, j: int) -> bool:
    if not s.tokens[k].low.endswith(("ed", "en")) or k + 1 >= j:
        return False
    return s.tokens[k + 1].low in ("by", "to", "in") or _operator(s, k + 1, j) is not None


def _done_by(s: Sentence, k: int, j: int, records: Nodes) -> list[Nodes]:
    """Return the records of `owned by "web"`, whose field is `owner`: it begins like the verb."""
    stem = s.tokens[k].low[:4]
    fields = {str(s.tree.keys[n]) for r in records[:50] for n in s.tree.children(r)}
    keys = [f for f in fields if f.lower().startswith(stem) and len(stem) == 4]
    if len(keys) != 1:
        return []
    operator = _operator(s, k + 1, j)
    code, start = operator if operator is not None else ("eq", k + 2)
    held = {r: s.tree.child(r, keys[0]) for r in records}

    def field(record: int) -> object:
        node = held[record]
        return _MISSING if node is None else s.tree.values[node]

    return list(_keep_records(s, records, field, code, start, j)) if start < j else []


# -- conditions


def condition(s: Sentence, i: int, j: int, records: Nodes) -> list[Nodes]:
    """Return, for each reading of the tokens i .. j - 1, the records of which they are true."""
    key = ("condition", i, j, records, s.it_field)
    known: list[Nodes] | None = s.memo.get(key)
    if known is not None:
        return known
    if i >= j or j - i > MAX_CONDITION:
        return []
    s.tree.spend(len(records))
    found = list(dict.fromkeys(_combine(s, i, j, records)))
    if not found:
        found = list(dict.fromkeys(_atom(s, i, j, records)))
    s.memo[key] = found
    return found


def _combine(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    for k in range(i + 1, j - 1):
        word = s.tokens[k].low
        if word not in ("and", "or", "but"):
            continue
        end = k - (s.tokens[k - 1].low == ",")
        start = k + 1
        while start < j and s.tokens[start].low in (
            "whose",
            "who",
            "which",
            "that",
            "where",
            "with",
            "have",
        ):
            start += 1
        for left in condition(s, i, end, records):
            for right in condition(s, start, j, records):
                held, first = set(right), set(left)
                if word == "or":
                    yield tuple(r for r in records if r in held or r in first)
                else:
                    yield tuple(r for r in left if r in held)


def _atom(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    leading = s.tokens[i - 1].low
    while i < j and (
        s.tokens[i].low in _ADVERBS - {"has"} or s.tokens[i].low in ARTICLES | {"its", "their"}
    ):
        i += 1
    while i < j - 1 and s.tokens[j - 1].low in ("yet", "already", "now", "itself"):
        j -= 1
    if i >= j:
        return
    compared = list(_compare_field(s, i, j, records))
    if not compared and s.tokens[i].low in ("has", "have", "having") and j - i > 2:
        start = i + 1 + (s.tokens[i + 1].low in ARTICLES)
        compared = list(_compare_field(s, start, j, records))
    yield from compared
    if compared:
        return
    yield from _having(s, i, j, records, led_by_with=leading == "with")
    yield from _count(s, i, j, records)
    yield from _being(s, i, j, records)


Field = Callable[[int], "Value | None"]
_MISSING = object()
_STATES: dict[str, tuple[object, ...]] = {
    "empty": ("", [], {}), "blank": ("", [], {}), "missing": (_MISSING, None),
    "absent": (_MISSING, None), "unset": (_MISSING, None),
}  # fmt: skip
_UNCLEAR = object()  # several fields of the record have that name


def field_of(s: Sentence, i: int, j: int, records: Nodes) -> Callable[[int], object] | None:
    """Return how to read the field that the words name; None unless a record has it."""
    i, j = _field_words(s, i, j)
    if i >= j or not all(t.is_name for t in s.tokens[i:j]):
        return None
    tree, text = s.tree, s.source(i, j)
    if j - i == 1 and looks_like_path(text):
        return _field_at_path(s, text, records)
    exact = tree.by_key.get(text)
    plain = exact if exact and j - i == 1 else tree.by_form.get(key_form(text), [])
    found = (n for n in (plain, _inner_field(s, i, j)) if any(tree.below(n, r) for r in records))
    nodes = next(found, None)
    if nodes is None:
        return _own_key(s, text, records)

    def read(record: int) -> object:
        inside = tree.below(nodes, record)
        if not inside:
            return _MISSING
        if len(inside) == 1:
            return tree.values[inside[0]]
        depths = [tree.depth(n, record) for n in inside]
        nearest = min(depths)
        if depths.count(nearest) > 1:
            return _UNCLEAR
        return tree.values[inside[depths.index(nearest)]]

    return read


def _own_key(s: Sentence, text: str, records: Nodes) -> Callable[[int], object] | None:
    """Return how to read the key that a member of a map has itself: whose key starts with x."""
    if text.lower() != "key" or not all(isinstance(s.tree.keys[r], str) for r in records):
        return None
    return lambda record: s.tree.keys[record]


def _inner_field(s: Sentence, i: int, j: int) -> list[int]:
    """Return the nodes of `env tag` in tags, and of `owner name` in owner."""
    tree = s.tree
    found: list[int] = []
    for k in range(i + 1, j):
        # a number is how many there are, and no index: with 2 retries
        if number_in(s.tokens[i].text) or number_in(s.tokens[j - 1].text):
            continue
        sides = tuple(key_form(s.source(*span)) for span in ((i, k), (k, j)))
        for inner, outer in (sides, sides[::-1]):
            nodes = tree.by_form.get(inner, [])
            tree.spend(len(nodes))
            found += [n for n in nodes if key_form(str(tree.keys[tree.parents[n]])) == outer]
    return sorted(set(found))


def _field_words(s: Sentence, i: int, j: int) -> tuple[int, int]:
    """Return the words of a field without articles and structural nouns around them."""
    if j - i == 1 and s.tokens[i].low in ("it", "one", "them") and s.it_field[1]:
        i, j = s.it_field
    skipped = ARTICLES | {"its", "their", "own"}
    while i < j - 1 and (s.tokens[i].low in skipped or singular(s.tokens[i].low) in STRUCTURAL):
        i += 1
    last = s.tokens[j - 1]
    if j - i > 1 and last.kind == "word" and singular(last.low) in STRUCTURAL | {"date"}:
        j -= not s.tree.by_form.get(key_form(s.source(i, j)))
    return i, j


def _field_at_path(s: Sentence, text: str, records: Nodes) -> Callable[[int], object] | None:
    if not any(find(s.tree, text, r) for r in records):
        return None

    def at_path(record: int) -> object:
        nodes = find(s.tree, text, record)
        return s.tree.values[nodes[0]] if nodes else _MISSING

    return at_path


def _operator(s: Sentence, p: int, j: int) -> tuple[str, int] | None:
    """Return the longest operator at token *p* and where it ends."""
    if p < j and s.tokens[p].low not in _BE | _NOT:
        plain = _operator_words(s, p, j)
        if plain is not None:
            return plain
    start, is_be = _copula(s, p, j)
    negated = start < j and s.tokens[start].low in _NOT
    if negated:
        start += 1
        is_be = is_be or (start < j and s.tokens[start].low in _NEGATED_VERBS)
    while (
        is_be and start < j and s.tokens[start].low in ("currently", "already", "still", "either")
    ):
        start += 1
    found = _operator_words(s, start, j)
    if found is None and is_be and start > p:
        found = "eq", start
    if found is None:
        return None
    return ("not " if negated else "") + found[0], found[1]


def _operator_words(s: Sentence, start: int, j: int) -> tuple[str, int] | None:
    for size in range(min(_LONGEST, j - start), 0, -1):
        code = _OPERATORS.get(tuple(s.words(start, start + size)))
        if code is not None:
            end = start + size
            further = _operator_words(s, end, j) if s.tokens[end - 1].low == "of" else None
            return further or (code, end)
    return None


def _copula(s: Sentence, p: int, j: int) -> tuple[int, bool]:
    """Return where an operator goes on behind `is` or `does`, and whether it is a form of be."""
    word = s.tokens[p].low if p < j else ""
    if word in _BE:
        return p + 1, True
    helps = word in ("has", "have", "does", "do") and p + 1 < j and s.tokens[p + 1].low in _NOT
    return (p + 1, False) if helps else (p, False)


def _compare_field(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    for k in range(j - 1, i, -1):
        field = field_of(s, i, k, records)
        if field is None:
            continue
        operator = _operator(s, k, j)
        found: list[Nodes] = []
        if operator is not None and operator[1] < j:
            found = list(_keep_records(s, records, field, operator[0], operator[1], j))
        elif operator is None and s.tokens[k].low not in _NO_VALUES:
            found = list(_beside_value(s, records, field, k, j))
        if found:
            yield from found
            return


def _beside_value(
    s: Sentence, records: Nodes, field: Callable[[int], object], k: int, j: int
) -> Iterator[Nodes]:
    """Yield the records of a field with its value behind it: status "sold", ids 1 and 3."""
    joints = ("or", ",", "and") if is_plural(s.tokens[k - 1].low) else ("or", ",")
    options = _options(s, k, j, joints)
    known = _are_known(s, options, [field(record) for record in records])
    if len(options) > 1 and known:
        yield tuple(r for r in records if any(_same(field(r), o) for o in options))
    elif len(options) == 1 and (j - k == 1 or known):
        in_lists = any(isinstance(field(record), list) for record in records)
        yield from _keep_records(s, records, field, "has" if in_lists else "eq", k, j)


def _compare_self(s: Sentence, k: int, j: int, nodes: Nodes, *, mixed: bool = False) -> list[Nodes]:
    """Return the scalars that meet a comparison: all prices above 20; *mixed* with others."""
    operator = _operator(s, k, j)
    if operator is None or operator[1] >= j:
        return []
    values = s.tree.values
    if mixed:
        nodes = tuple(n for n in nodes if not isinstance(values[n], dict | list))
    if any(isinstance(values[n], dict | list) for n in nodes):
        return []
    said = _value_at(s, operator[1], j) if operator[0].endswith(("eq", "ne")) else None
    is_state = said is not None and said.bare and isinstance(said.value, str)
    if said is not None and is_state and not _is_known(said, (values[n] for n in nodes)):
        return []  # what is said of the records that hold these: every price that is not final
    return list(_keep_records(s, nodes, lambda n: values[n], operator[0], operator[1], j))


def _keep_records(
    s: Sentence, records: Nodes, field: Callable[[int], object], code: str, i: int, j: int
) -> Iterator[Nodes]:
    """Yield the records whose field has that relation to the value at i .. j - 1."""
    if code == "eq" and j - i > 2 and s.tokens[j - 2].low == "or":
        code, j = (
            (_OR_MORE[s.tokens[j - 1].low], j - 2) if s.tokens[j - 1].low in _OR_MORE else (code, j)
        )
    negated = code.startswith("not ")
    code = code.removeprefix("not ")
    test = _test(s, field, code, i, j, records)
    if test is None:
        return
    kept = []
    for record in records:
        s.tree.spend(1 + j - i)
        held = test(record)
        if held is None:
            return
        if held is not negated:
            kept.append(record)
    yield tuple(kept)


def _test(
    s: Sentence, field: Callable[[int], object], code: str, i: int, j: int, records: Nodes
) -> Callable[[int], bool | None] | None:
    if code == "between":
        return _between(s, field, i, j)
    if s.words(i, i + 1) == ["neither"]:
        return None
    options = _options(s, i, j) if code in ("eq", "in") else []
    if len(options) > 1:
        return lambda r: any(_meets(field(r), "eq", option) is True for option in options)
    compared = _compared_field(s, field, code, i, j, records)
    if compared is not None:
        return lambda r: _relate(field(r), code, compared(r))
    said = _value_at(s, i, j)
    if said is None:
        return None
    state = _STATES.get(s.tokens[i].low) if j - i == 1 else None
    if state is not None:
        return lambda r: field(r) in state
    bare = code == "eq" and said.bare and isinstance(said.value, str) and j - i > 1
    if bare and not _is_known(said, map(field, records)):
        return None
    return lambda r: _meets(field(r), code, said)


def _between(
    s: Sentence, field: Callable[[int], object], i: int, j: int
) -> Callable[[int], bool | None] | None:
    middle = next((k for k in range(i + 1, j - 1) if s.tokens[k].low == "and"), 0)
    low, high = (_value_at(s, i, middle), _value_at(s, middle + 1, j)) if middle else (None, None)
    if low is None or high is None:
        return None
    return lambda r: _both(_meets(field(r), "ge", low), _meets(field(r), "le", high))


def _compared_field(
    s: Sentence, field: Callable[[int], object], code: str, i: int, j: int, records: Nodes
) -> Callable[[int], object] | None:
    """Return the other field of the record that a value names: enrolled equals capacity."""
    if s.tokens[i].kind == "quoted" or code in ("has", "starts", "ends"):
        return None
    other = field_of(s, i, j, records)
    values = {render(v).lower() for v in map(field, records) if isinstance(v, str | Num)}
    return None if s.source(i, j).lower() in values else other


def _are_known(s: Sentence, options: list[SaidValue], values: list[object]) -> bool:
    for option in options:
        s.tree.spend(len(values))
        if not _is_known(option, iter(values)):
            return False
    return True


def _is_known(said: SaidValue, values: Iterator[object]) -> bool:
    return any(_same(value, said) for value in values)


def _options(s: Sentence, i: int, j: int, joints: tuple[str, ...] = ("or", ",")) -> list[SaidValue]:
    """Return the values of `"a", "b" or "c"`."""
    i += s.tokens[i].low == "either"
    if not any(t.low in ("or", "and") for t in s.tokens[i:j]):
        joints = ()
    found: list[SaidValue] = []
    start = i
    for k in range(i, j + 1):
        if k == j or s.tokens[k].low in joints:
            if start < k:
                said = _value_at(s, start, k)
                if said is None:
                    return []
                found.append(said)
            start = k + 1
    if len(found) == 1 and isinstance(found[0].value, list):
        return [SaidValue(item, False) for item in found[0].value]
    return found


def _having(s: Sentence, i: int, j: int, records: Nodes, *, led_by_with: bool) -> Iterator[Nodes]:
    """Yield the records that have a field, lack it, or have a value in a list."""
    start, absent, has_verb = _having_verb(s, i)
    if not has_verb and not led_by_with:
        return
    while start < j - 1 and s.tokens[start].low in ARTICLES | {"any"}:
        start += 1
    field = field_of(s, start, j, records) if start < j else None
    if field is not None:
        needed = singular(s.tokens[start - 1].low) in _NEEDING
        nothing = (_MISSING, None, "", [], False) if needed else (_MISSING, None, "", [])
        there = {r for r in records if field(r) not in nothing}
        yield tuple(r for r in records if (r in there) is not absent)
        null = {r for r in records if field(r) is None}
        if null:  # a null may count as having it
            yield tuple(r for r in records if (r in there | null) is not absent)
        zero = {r for r in records if absent and field(r) == Num("0")}
        if zero:  # without stock: none of it, or no such key
            yield tuple(r for r in records if r in zero)
        return
    yield from _having_value(s, start, j, records, absent=absent)


def _having_value(
    s: Sentence, start: int, j: int, records: Nodes, *, absent: bool
) -> Iterator[Nodes]:
    """Yield the records of `has the tag "x"`, `has "x" in its tags` and `has an empty x`."""
    for k in range(start + 1, j):
        field, said = field_of(s, start, k, records), _value_at(s, k, j)
        if field is None or said is None:
            of = k + (s.tokens[k].low == "in")
            field, said = field_of(s, of, j, records), _value_at(s, start, k)
        state = _STATES.get(s.tokens[start].low) if k == start + 1 else None
        if field is not None and state is not None:
            yield tuple(r for r in records if (field(r) in state) is not absent)
            return
        if field is not None and said is not None:
            hit = {r for r in records if _meets(field(r), "has", said) is True}
            yield tuple(r for r in records if (r in hit) is not absent)
            return


def _having_verb(s: Sentence, i: int) -> tuple[int, bool, bool]:
    """Return where the field begins, whether it is to be absent, and whether a verb says so."""
    word = s.tokens[i].low
    if s.words(i, i + 3) in (["do", "not", "have"], ["does", "not", "have"]):
        return i + 3, True, True
    if s.words(i, i + 2) in (["has", "no"], ["have", "no"], ["having", "no"]):
        return i + 2, True, True
    if word in ("without", "lack", "lacks", "lacking", "no"):
        return i + 1, True, True
    if singular(word) in _HOLDING:
        return i + 1, False, True
    return i, False, False


def _count(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    """Yield the records of `more than 10 votes`."""
    i += s.tokens[i].low in ("has", "have")
    operator = _operator(s, i, j) if i < j else None
    if operator is None and i < j and number_in(s.tokens[i].text) and s.tokens[i].kind == "word":
        operator = ("eq", i)
    if (
        operator is None
        or operator[0] not in ("gt", "lt", "ge", "le", "eq")
        or operator[1] + 1 >= j
    ):
        return
    k = operator[1] + 1
    field, said = field_of(s, k, j, records), _value_at(s, operator[1], k)
    if field is None or said is None or not isinstance(said.value, Num):
        return

    def counted(record: int) -> object:
        value = field(record)
        return Num(str(len(value))) if isinstance(value, list) else value

    yield from _keep_records(s, records, counted, operator[0], operator[1], k)


def _being(s: Sentence, i: int, j: int, records: Nodes) -> Iterator[Nodes]:
    """Yield the records of which a flag is true, or which have that word as one field's value."""
    start, negated = _being_verb(s, i, j)
    if start == i and s.tokens[i - 1].low not in ("with", "that", "which", "who"):
        return
    if start >= j:
        return
    field = field_of(s, start, j, records)
    if field is None:
        for kept in _only_field(s, start, j, records):
            held = set(kept)
            yield tuple(r for r in records if (r in held) is not negated)
        return
    values = [field(r) for r in records]
    if all(isinstance(v, bool) or v is None or v is _MISSING for v in values):
        yield tuple(r for r, v in zip(records, values, strict=True) if (v is True) is not negated)
        if negated and None in values and False in values:  # a null may be neither
            yield tuple(r for r, v in zip(records, values, strict=True) if v is False)


def _being_verb(s: Sentence, i: int, j: int) -> tuple[int, bool]:
    """Return where a state begins behind `is not`, and whether it is denied."""
    if s.tokens[i].low not in _BE | _NOT | {"has", "have"}:
        return i, False
    i += s.tokens[i].low in _BE | {"has", "have"}
    negated = i < j and s.tokens[i].low in _NOT
    i += negated
    while i < j and s.tokens[i].low in _ADVERBS | {"been"}:
        i += 1
    i += i + 1 < j and s.tokens[i].low in ("on", "in", "at")
    return i, negated


# -- values


def _value_at(s: Sentence, i: int, j: int) -> SaidValue | None:
    """Return the value that the words of a condition say."""
    if i >= j or any(t.kind in ("sep", "poss") for t in s.tokens[i:j]):
        return None
    nouns = ("string", "number", "value")
    i += s.tokens[i].low == "the" and i + 1 < j and s.tokens[i + 1].low in nouns
    while i < j - 1 and s.tokens[i].low in (*nouns, "exactly"):
        i += 1
    if j - i == 1:
        return _single_value(s.tokens[i])
    if j - i > 5 or any(t.kind != "word" or t.low in _STOP_WORDS for t in s.tokens[i:j]):
        return None
    return SaidValue(s.source(i, j), True)


def _single_value(token: Token) -> SaidValue | None:
    if token.kind in ("quoted", "json"):
        return SaidValue(token.text if token.kind == "quoted" else token.value, False)
    number = number_in(token.text) if token.kind == "word" else None
    if number is not None:
        return SaidValue(Num(number), True)
    if token.low in ("true", "false", "null"):
        return SaidValue({"true": True, "false": False, "null": None}[token.low], True)
    if token.kind == "op" or (token.low in _STOP_WORDS and token.text != "IT"):
        return None
    return SaidValue(token.text, True)


def _same(value: object, said: SaidValue) -> bool:
    return _meets(value, "eq", said) is True


def _meets(value: object, code: str, said: SaidValue) -> bool | None:
    """Return whether a field has a relation to a value; None when they do not compare."""
    wanted = said.value
    value = _name_of(value) if isinstance(wanted, str) else value
    if value is _UNCLEAR:
        return None
    if code in ("has", "starts", "ends"):
        return _contains(value, code, said)
    if value is _MISSING:
        return False
    if isinstance(value, str) and isinstance(wanted, Num):
        wanted = wanted.text
    if isinstance(value, bool) and isinstance(wanted, str):
        low = wanted.lower()
        wanted = True if low in TRUE_WORDS else False if low in FALSE_WORDS else wanted
    if isinstance(value, Num) and isinstance(wanted, str) and number_in(wanted) is not None:
        wanted = Num(str(number_in(wanted))) if said.bare else wanted
    if said.bare and isinstance(value, str) and isinstance(wanted, str):
        value, wanted = value.lower(), wanted.lower()
    return _relate(value, code, wanted)


def _name_of(value: object) -> object:
    """Return the name of an object, which a text is compared with; other values as they are."""
    names = (
        [v for k, v in value.items() if key_form(k) in NAME_FORMS]
        if isinstance(value, dict)
        else []
    )
    return names[0] if len(names) == 1 else value


def _contains(value: object, code: str, said: SaidValue) -> bool | None:
    if isinstance(value, list):
        return any(_same(item, said) for item in value) if code == "has" else None
    if value is _MISSING or value is None:
        return False
    if not isinstance(value, str) or not isinstance(said.value, str | Num):
        return None
    text, part = value, render(said.value)
    if said.bare:
        text, part = text.lower(), part.lower()
    return {"has": part in text, "starts": text.startswith(part), "ends": text.endswith(part)}[code]


def _relate(left: object, code: str, right: object) -> bool | None:
    if code in ("eq", "ne", "in"):
        if isinstance(left, list) and isinstance(right, str | Num):
            return None
        return (type(left) is type(right) and left == right) is (code != "ne")
    if any(side is None or side is _MISSING for side in (left, right)):
        return False
    if isinstance(left, str) and isinstance(right, str) and number_in(left) and number_in(right):
        left, right = Num(number_in(left) or ""), Num(number_in(right) or "")
    return _compare_ranks(_rank(left), code, _rank(right))


def _compare_ranks(a: Decimal | str | None, code: str, b: Decimal | str | None) -> bool | None:
    """Return whether two ranks are in that order; None when they do not compare."""
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return {"gt": a > b, "lt": a < b, "ge": a >= b, "le": a <= b}[code]
    if not isinstance(a, str) or not isinstance(b, str):
        return None
    if code in ("gt", "lt") and a[: len(b)] == b and len(a) > len(b):
        return False  # within the day or month that is said
    return {"gt": a > b, "lt": a < b, "ge": a >= b, "le": a <= b}[code]


def _rank(value: object) -> Decimal | str | None:
    if isinstance(value, Num):
        return value.decimal
    if isinstance(value, str) and _ORDERED.fullmatch(value):
        return value
    if isinstance(value, list | dict):
        return Decimal(len(value))
    return None


def _both(left: bool | None, right: bool | None) -> bool | None:
    return None if left is None or right is None else left and right


def holds(s: Sentence, k: int, j: int, node: int) -> Iterator[bool]:
    """Yield whether what stands from token *k* on is true of one node."""
    value = s.tree.values[node]
    found = condition(s, k, j, (node,)) if isinstance(value, dict) else []
    yield from map(bool, found)
    operator = _operator(s, k, j)
    if found or operator is None or operator[1] >= j:
        return
    last = s.tokens[j - 1]
    is_word = operator[1] == j - 1 and isinstance(value, str) and last.kind == "word"
    if is_word and s.tree.by_form.get(key_form(last.text)):
        return  # "the library is not open" may speak of a key
    for kept in _keep_records(s, (node,), lambda n: s.tree.values[n], *operator, j):
        yield bool(kept)
