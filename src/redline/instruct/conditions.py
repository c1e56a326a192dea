"""Filters: `whose status is inactive`, `with a price over 20`, `that are not active`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from redline.instruct.tokens import Tokens
from redline.instruct.words import ARTICLES

STARTERS = frozenset(
    "whose where with without that which who having named called titled except excluding besides "
    "containing older younger cheaper priced matching over above under below unless".split()
)
# What a comparison is called, longest first; each has its operator.
_OPERATORS: tuple[tuple[tuple[str, ...], str], ...] = tuple(
    sorted(
        (
            (tuple(words.split()), operator)
            for operator, spellings in {
                "==": "is|are|was|equals|equal to|is equal to|equal|=|==|of|set to|is set to|"
                "is exactly|is currently|are currently|named|called|titled",
                "!=": "is not|are not|isn't|aren't|isn’t|aren’t|not|!=|is not equal to|"
                "does not equal|doesn't equal|differs from|is different from|other than|"
                "is other than|not equal to",
                ">": "is greater than|is more than|is over|is above|is higher than|exceeds|over|"
                "above|greater than|more than|higher than|>|is larger than|larger than|"
                "is bigger than|bigger than|are over|are above|is >|are greater than|are more than",
                "<": "is less than|is below|is under|is lower than|is fewer than|under|below|"
                "less than|lower than|fewer than|<|is smaller than|smaller than|are under|"
                "are below|is <|are less than",
                ">=": "is at least|at least|>=|is greater than or equal to|is no less than|"
                "greater than or equal to|is >=",
                "<=": "is at most|at most|<=|is less than or equal to|is no more than|"
                "less than or equal to|is <=|up to",
                "contains": "contains|contain|includes|include|containing|including|has|have",
                "lacks": "does not contain|doesn't contain|does not include|doesn't include",
                "starts": "starts with|start with|begins with|begin with|starting with|"
                "beginning with",
                "ends": "ends with|end with|ends in|end in|ending with|ending in",
                "before": "is before|before|is earlier than|earlier than|are before",
                "after": "is after|after|is later than|later than|are after",
                "missing": "is missing|is absent|is not set|isn't set|does not exist|doesn't exist",
                "present": "exists|is set|is present",
                "empty": "is empty|are empty|is blank",
                "filled": "is not empty|isn't empty|are not empty",
            }.items()
            for words in spellings.split("|")
        ),
        key=lambda pair: -len(pair[0]),
    )
)
_UNARY = frozenset({"missing", "present", "empty", "filled"})
_MOST = frozenset("most highest largest biggest greatest maximum max longest".split())
_LEAST = frozenset("least fewest lowest smallest minimum min shortest".split())
# The thing the condition is about, spoken of again: "where it is null".
_ITSELF = frozenset("it they he she its their".split())
_COMPARATIVES = {"older": ("age", ">"), "younger": ("age", "<"), "cheaper": ("price", "<")}


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison; an empty `field` means the value itself, or a describing word for ops
    is and isnot. `default` is a field's form implied by the comparison."""

    field: Tokens
    op: str
    value: Tokens
    default: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """True when all tests of one alternative hold, and those of no exclusion."""

    alternatives: tuple[tuple[Test, ...], ...]
    excluded: tuple[tuple[Test, ...], ...] = ()
    # Whether it was said with `where`, which speaks of every place it holds for.
    sweeping: bool = False

    def also(self, test: Test) -> Condition:
        """The condition with one more test."""
        return replace(self, alternatives=tuple((test, *tests) for tests in self.alternatives))


def parse_condition(tokens: Tokens) -> Iterator[Condition]:
    """Every way to read *tokens*, which begin with a starter, as a condition."""
    cut = next((i for i, t in enumerate(tokens) if t.low == "unless"), None)
    if cut is not None:
        yield from _with_exclusion(tokens[:cut], tokens[cut + 1 :])
        return
    starter, body = tokens[0].low, tokens[1:]
    if not body:
        return
    single = _single(starter, body)
    if single is not None:
        yield Condition(((single,),))
        return
    if starter in ("over", "above", "under", "below", "containing", "priced"):
        body = body if starter == "priced" else tokens
    parsed = None if starter in _COMPARATIVES else _alternatives(body, starter)
    if parsed is not None:
        yield Condition(parsed, sweeping=starter == "where")


def _single(starter: str, body: Tokens) -> Test | None:
    """A condition whose starter says what is compared: `older than 30`, `without a phone`."""
    if starter in _COMPARATIVES and body[0].low == "than" and len(body) == 2:
        field, operator = _COMPARATIVES[starter]
        return Test((), operator, body[1:], field)
    if starter == "without":
        return Test(_bare(body), "lacking", ())
    if starter in ("named", "called", "titled"):
        return Test((), "named", body)
    return _extreme(body) if starter in ("with", "having") else None


def _with_exclusion(tested: Tokens, excluded: Tokens) -> Iterator[Condition]:
    """`with fewer than 50 plays unless they are liked`."""
    without = _alternatives(excluded, "that") if excluded else None
    if without is None:
        return
    for condition in parse_condition(tested) if tested else [Condition(((),))]:
        yield replace(condition, excluded=without)


def _extreme(tokens: Tokens) -> Test | None:
    """`with the highest price`, `with the fewest beds`."""
    words = _bare(tokens)
    if len(words) < 2 or words[0].low not in _MOST | _LEAST:
        return None
    return Test(words[1:], "largest" if words[0].low in _MOST else "smallest", ())


def _alternatives(tokens: Tokens, starter: str) -> tuple[tuple[Test, ...], ...] | None:
    previous: Test | None = None
    found: list[tuple[Test, ...]] = []
    for part in _split(tokens, ("or",)):
        tests: list[Test] = []
        for atom in _split(part, ("and", ",", "but")):
            test = _test(atom, starter, previous)
            if test is None:
                return None
            tests.append(test)
            previous = test
        if found and len(part) == 1 and tests[0].op in ("!=", "isnot"):
            # "is not a or b" denies both
            found[-1] = (*found[-1], *tests)
        else:
            found.append(tuple(tests))
    return tuple(found) if found else None


def _split(tokens: Tokens, words: tuple[str, ...]) -> list[Tokens]:
    parts: list[list[int]] = [[]]
    between = False
    for place, token in enumerate(tokens):
        between = between or token.low == "between"
        if token.low in words and not (between and token.low == "and"):
            parts.append([])
            continue
        if token.low in words:
            between = False
        parts[-1].append(place)
    cut = [tuple(tokens[i] for i in part) for part in parts if part]
    return [_unstarted(part) for part in cut]


def _unstarted(tokens: Tokens) -> Tokens:
    """A repeated starter inside a conjunction carries nothing."""
    if len(tokens) > 1 and tokens[0].low in ("whose", "where", "with", "that", "which", "who"):
        return tokens[1:]
    return tokens


def _bare(tokens: Tokens) -> Tokens:
    while tokens and (tokens[0].low in ARTICLES or tokens[0].low == "any"):
        tokens = tokens[1:]
    return tokens


def _test(tokens: Tokens, starter: str, previous: Test | None) -> Test | None:
    tokens = _bare(tokens)
    if len(tokens) > 1 and tokens[0].low in _ITSELF:
        return _of_itself(tokens, starter, previous)
    if not tokens:
        return None
    between = _between(tokens, previous)
    if between is not None:
        return between
    for place in range(len(tokens)):
        for words, operator in _OPERATORS:
            if tuple(t.low for t in tokens[place : place + len(words)]) == words:
                return _compare(tokens, place, len(words), operator, starter, previous)
    return _without_operator(tokens, starter, previous)


def _of_itself(tokens: Tokens, starter: str, previous: Test | None) -> Test | None:
    """`it is null`, `they are liked`, `its price is over 20`."""
    if tokens[0].low in ("its", "their"):
        return _test(tokens[1:], starter, previous)
    test = _test(tokens[1:], "that", None)
    if test is not None and test.op == "is" and starter != "that":
        return Test((), "==", test.value)
    if test is not None and test.op == "isnot" and starter != "that":
        return Test((), "!=", test.value)
    return test


def _between(tokens: Tokens, previous: Test | None) -> Test | None:
    place = next((i for i, t in enumerate(tokens) if t.low == "between"), None)
    if place is None or len(tokens) != place + 4 or tokens[place + 2].low != "and":
        return None
    field = tokens[:place]
    if field and field[-1].low in ("is", "are"):
        field = field[:-1]
    field = field or (previous.field if previous else ())
    return Test(field, "between", (tokens[place + 1], tokens[place + 3])) if field else None


def _compare(
    tokens: Tokens, place: int, width: int, operator: str, starter: str, previous: Test | None
) -> Test | None:
    field, value = tokens[:place], _bare(tokens[place + width :])
    if operator in _UNARY:
        return Test(field, operator, ()) if field and not value else None
    if not value:
        return None
    if field:
        if operator == "contains" and tokens[place].low in ("has", "have"):
            return None
        return Test(field, operator, value)
    if starter in ("that", "which", "who") and operator in ("==", "!="):
        return Test((), "is" if operator == "==" else "isnot", value)
    if starter in ("that", "which", "who") and tokens[place].low in ("has", "have"):
        return _having(value)
    return _fieldless(operator, value, starter, previous)


def _fieldless(operator: str, value: Tokens, starter: str, previous: Test | None) -> Test | None:
    """`over 20`, which speaks of the field before, of the value itself or of what follows it."""
    if previous is not None and (previous.field or previous.default):
        return Test(previous.field, operator, value, previous.default)
    if len(value) == 2 and value[1].text[:1].isdigit() and not value[0].text[:1].isdigit():
        # "below level 10"
        return Test(value[:1], operator, value[1:])
    if len(value) > 1 and value[0].text[:1].isdigit():
        # "with fewer than 50 plays": the amount comes before what there is of it
        return Test(value[1:], operator, value[:1])
    default = "price" if starter == "priced" else ""
    return Test((), operator, value, default) if operator not in ("==", "!=") else None


def _having(value: Tokens) -> Test | None:
    """`that have no email`, `that have an email`, `that have a price over 20`."""
    if value[0].low == "no" and len(value) > 1:
        return Test(value[1:], "lacking", ())
    inner = _test(value, "with", None) if len(value) > 1 else None
    return inner or Test(value, "present", ())


def _without_operator(tokens: Tokens, starter: str, previous: Test | None) -> Test | None:
    """`with status inactive`, `with id 3`, `with no email`; `or editor` after `role is admin`."""
    if starter in ("with", "having") and tokens[0].low == "no" and len(tokens) > 1:
        return Test(tokens[1:], "lacking", ())
    if previous is not None and len(tokens) == 1 and previous.op in ("==", "!=", "is", "isnot"):
        return Test(previous.field, previous.op, tokens, previous.default)
    if starter in ("with", "having", "whose", "where") and len(tokens) >= 2:
        return Test(tokens[:-1], "==", tokens[-1:])
    if starter in ("with", "having") and len(tokens) == 1:
        return Test(tokens, "present", ())
    return None
