"""Which records a condition holds for, decided for all of them in one pass."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from decimal import Decimal

from redline.instruct.conditions import Condition, Test
from redline.instruct.index import Index
from redline.instruct.tokens import Tokens
from redline.instruct.values import Num, Value
from redline.instruct.words import FALSE_WORDS, TRUE_WORDS, joined, key_form, number_in, singular

_OPPOSITES = {
    "disabled": "enabled", "hidden": "visible", "private": "public", "closed": "open",
    "enabled": "disabled", "visible": "hidden", "public": "private", "open": "closed",
    "down": "up", "up": "down", "offline": "online", "online": "offline",
}  # fmt: skip
# What a thing is called for being at one end of the others: the field, and whether it is largest.
_SUPERLATIVES = {
    "cheapest": ("price", False), "priciest": ("price", True), "most expensive": ("price", True),
    "least expensive": ("price", False), "oldest": ("age", True), "youngest": ("age", False),
}  # fmt: skip
_NEGATIVE = ("in", "un", "dis", "non-", "non", "not-")


def spoken(tokens: Tokens) -> str:
    """The words of *tokens* in lower case with single blanks."""
    return " ".join(" ".join(t.text for t in tokens).lower().split())


def form_of(tokens: Tokens) -> str:
    """The form under which a key of these words is found."""
    if len(tokens) == 1:
        return key_form(tokens[0].text)
    return joined(tuple(word for t in tokens for word in _lower_words(t.text)))


def _lower_words(text: str) -> list[str]:
    return text.lower().replace("-", " ").replace("_", " ").split()


class Filters:
    """Evaluates conditions over the records of one document."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def satisfying(self, condition: Condition, records: list[int]) -> list[int] | None:
        """The records for which *condition* holds; None when it cannot be decided."""
        bold = len(condition.alternatives) > 1 or bool(condition.excluded)
        kept = self._any_of(condition.alternatives, records, bold=bold)
        gone = self._any_of(condition.excluded, records, bold=True)
        if kept is None or gone is None:
            return None
        return [record for record in records if record in kept and record not in gone]

    def _any_of(
        self, alternatives: tuple[tuple[Test, ...], ...], records: list[int], *, bold: bool
    ) -> set[int] | None:
        """The records that pass all tests of one alternative. *bold* when a test that nothing
        passes still leaves others to act on: then its words must be known here."""
        kept: set[int] = set()
        for tests in alternatives:
            passing = set(records)
            for test in tests:
                found = self.passing(test, records)
                if found is None or ((bold or test.op == "!=") and self._unheard(test, records)):
                    return None
                passing &= found
            kept |= passing
        return kept

    def _unheard(self, test: Test, records: list[int]) -> bool:
        """Whether several bare words are compared with texts of which none says them."""
        if test.op not in ("==", "!=") or len(test.value) < 2 or not (test.field or test.default):
            return False
        fields = self.fields(test.default or form_of(test.field), records) or {}
        return not any(equals(value, test.value) for value in fields.values())

    def passing(self, test: Test, records: list[int]) -> set[int] | None:
        """The records that pass one test; None when it cannot be decided."""
        self.index.spend(len(records) * 4)
        if test.op in ("is", "isnot"):
            described = self.described(test.value, records)
            if described is None or test.op == "is":
                return described
            return set(records) - described
        if test.op == "named":
            return self._named(test.value, records)
        if test.op in ("largest", "smallest"):
            return self._extreme(form_of(test.field), records, largest=test.op == "largest")
        if not test.field and not test.default:
            return _compare_all({r: self.index.values[r] for r in records}, test)
        return self._by_field(test, records)

    def _extreme(self, form: str, records: list[int], *, largest: bool) -> set[int] | None:
        """The one record with the largest or smallest number under a field all of them have."""
        fields = self.fields(form, records)
        if not fields or len(fields) != len(records):
            return None
        numbers = {r: v.decimal for r, v in fields.items() if isinstance(v, Num)}
        if len(numbers) != len(records):
            return None
        best = max(numbers.values()) if largest else min(numbers.values())
        holding = {record for record, number in numbers.items() if number == best}
        return holding if len(holding) == 1 else None

    def _by_field(self, test: Test, records: list[int]) -> set[int] | None:
        fields = self.fields(test.default or form_of(test.field), records)
        if fields is None:
            return None
        if test.op in ("lacking", "missing"):
            if not all(isinstance(self.index.values[r], dict) for r in records):
                return None
            if not fields:
                # a word no record knows: everything would lack it
                return None
            return {r for r in records if r not in fields or _is_void(fields[r])}
        if not fields:
            return None
        if test.op in ("!=", "lacks", "filled") and len(fields) < len(records):
            return None
        return _compare_all(fields, test)

    def _named(self, value: Tokens, records: list[int]) -> set[int] | None:
        wanted = spoken(value)
        fields = self.index.entities.get(wanted, [])
        owners = set(records)
        if not fields and self.index.entity_parts.get(wanted):
            return None
        return {
            r for f in fields for r in (self.index.record_of(f), self.index.parents[f])
        } & owners

    def fields(self, form: str, records: list[int]) -> dict[int, Value] | None:
        """The value of the one field of that form in each record that has it; None if unclear."""
        index = self.index
        nodes = index.by_form.get(form) or index.by_form.get("is" + form, [])
        found: dict[int, list[int]] = {}
        ordered = sorted(records)
        for node in nodes:
            place = bisect_right(ordered, node - 1) - 1
            if place >= 0 and node < index.end[ordered[place]]:
                found.setdefault(ordered[place], []).append(node)
        chosen: dict[int, Value] = {}
        for record, places in found.items():
            direct = [n for n in places if index.parents[n] == record]
            if len(direct or places) != 1:
                return None
            chosen[record] = index.values[(direct or places)[0]]
        return chosen

    def described(self, words: Tokens, records: list[int]) -> set[int] | None:
        """The records a describing word fits, by one field only; None when nothing explains it."""
        word = spoken(words)
        if not word:
            return None
        if word in _SUPERLATIVES:
            form, largest = _SUPERLATIVES[word]
            return self._extreme(form, records, largest=largest)
        readings: dict[str, set[int]] = {}
        for record in records:
            self._read(word, record, record, readings)
        sets = {frozenset(found) for found in readings.values()}
        if not sets and len(words) > 1:
            return self._valued(words[:-1], words[-1:], records)
        return set(sets.pop()) if len(sets) == 1 else None

    def _valued(self, value: Tokens, field: Tokens, records: list[int]) -> set[int] | None:
        """`high priority`: the records whose priority is high."""
        fields = self.fields(form_of(field), records) or {}
        found = {record for record, held in fields.items() if equals(held, value)}
        return found or None

    def _read(self, word: str, node: int, record: int, readings: dict[str, set[int]]) -> None:
        index = self.index
        value = index.values[node]
        if not isinstance(value, dict):
            return
        for child in index.children(node):
            self.index.spend(1)
            item, key = index.values[child], str(index.keys[child])
            if isinstance(item, bool):
                holds = flag_says(key_form(key), word, item)
                if holds is not None:
                    readings.setdefault(key, set()).update({record} if holds else ())
            elif isinstance(item, str):
                if item.lower() in (word, singular(word)):
                    readings.setdefault(key, set()).add(record)
            elif node == record:
                self._read(word, child, record, readings)


def flag_says(form: str, word: str, value: bool) -> bool | None:
    """Whether a boolean field called *form* makes *word* true; None when it says nothing of it."""
    plain = form.removeprefix("is") if form.startswith("is") and form != "is" else form
    spelled = joined(tuple(word.replace("-", " ").split()))
    if spelled in (form, plain):
        return value
    if _OPPOSITES.get(spelled) in (form, plain):
        return not value
    for prefix in _NEGATIVE:
        if word.startswith(prefix) and joined((word[len(prefix) :].lstrip("- "),)) in (form, plain):
            return not value
        if plain.startswith(prefix) and plain[len(prefix) :] == spelled:
            return not value
    return None


def _is_void(value: Value) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _compare_all(values: dict[int, Value], test: Test) -> set[int] | None:
    decide = _decider(test)
    if decide is None:
        return None
    passing: set[int] = set()
    decided = False
    for record, value in values.items():
        holds = decide(value)
        if holds is None:
            continue
        decided = True
        if holds:
            passing.add(record)
    return passing if decided else None


_Decision = Callable[[Value], bool | None]


def _decider(test: Test) -> _Decision | None:
    """The comparison as a function of one value; it answers None for a value of another type."""
    if test.op == "present":
        return lambda value: not _is_void(value)
    if test.op in ("empty", "filled"):
        wanted = test.op == "empty"
        return lambda value: (_is_void(value) and value is not None) == wanted
    if test.op in ("==", "!="):
        negated = test.op == "!="
        return lambda value: _negate(equals(value, test.value), negated)
    if test.op == "between":
        low, high = test.value
        return lambda value: _both(_ordered(value, (low,), ">="), _ordered(value, (high,), "<="))
    if test.op in ("contains", "lacks", "starts", "ends"):
        return lambda value: _texts(value, spoken(test.value), test.op)
    return lambda value: _ordered(value, test.value, test.op)


def _negate(answer: bool | None, negated: bool) -> bool | None:
    return answer if answer is None else answer != negated


def _both(left: bool | None, right: bool | None) -> bool | None:
    return None if left is None or right is None else left and right


def equals(value: Value, words: Tokens) -> bool | None:
    """Whether *value* is what the words say; None when the words cannot name such a value."""
    if len(words) == 1 and words[0].kind == "json":
        return value == words[0].value
    text = spoken(words)
    quoted = len(words) == 1 and words[0].kind == "quoted"
    if isinstance(value, str):
        return " ".join(value.lower().split()) == text
    if quoted:
        return False
    if text in ("null", "none", "nil"):
        return value is None
    if isinstance(value, bool):
        if text in TRUE_WORDS or text in FALSE_WORDS:
            return value == (text in TRUE_WORDS)
        return None
    if isinstance(value, Num):
        number = quantity(words)
        return None if number is None else value.decimal == number
    return False if value is None else None


def quantity(words: Tokens) -> Decimal | None:
    """The plain number the words say, currency marks aside."""
    if len(words) != 1 or words[0].kind not in ("word", "code"):
        return None
    number = number_in(words[0].text.lstrip("$€£").rstrip("%"))
    return None if number is None else Decimal(number)


def _ordered(value: Value, words: Tokens, op: str) -> bool | None:
    if isinstance(value, Num):
        number = quantity(words)
        if number is None:
            return None
        return _holds(value.decimal, number, op)
    if isinstance(value, str) and op in ("before", "after", "<", ">", "<=", ">=") and words:
        left, right = value, words[0].text
        if len(words) == 1 and _dated(left) and _dated(right):
            width = min(len(left), len(right))
            return _holds(left[:width], right[:width], op)
    return None


def _dated(text: str) -> bool:
    return len(text) >= 10 and text[:4].isdigit() and text[4] == "-" and text[5:7].isdigit()


def _holds(left: Decimal | str, right: Decimal | str, op: str) -> bool:
    order = (left > right) - (left < right)  # type: ignore[operator]
    wanted = {">": {1}, "after": {1}, "<": {-1}, "before": {-1}, ">=": {0, 1}, "<=": {0, -1}}[op]
    return order in wanted


def _texts(value: Value, text: str, op: str) -> bool | None:
    if isinstance(value, list):
        if op not in ("contains", "lacks"):
            return None
        inside = any(isinstance(item, str) and item.lower() == text for item in value)
        return inside == (op == "contains")
    if not isinstance(value, str):
        return None
    low = value.lower()
    if op in ("starts", "ends"):
        return low.startswith(text) if op == "starts" else low.endswith(text)
    return (text in low) == (op == "contains")
