"""What of an instruction grounds one operation of a model: its place, its record, its value.

The document grounds nothing by itself. A key, a record or a value counts when the words of the
instruction say it; a set of records counts when a comparison that the instruction says picks
exactly these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import combinations_with_replacement
from typing import Any

from redline.instruct.model.operations import DocumentOperation, NoValue, Path
from redline.instruct.model.values import Num, Value, dumps, render
from redline.instruct.plans import exact, round_product
from redline.instruct.tokens import Token, tokenize
from redline.instruct.tree import NAME_FORMS, DocumentTree
from redline.instruct.words import ORDINALS, key_form, key_words, number_in, singular

_REMOVING = frozenset(
    "remove delete drop erase eliminate discard strip clear unset prune purge cancel dedupe "
    "deduplicate scrap ditch empty rid take subtract exclude kill revoke".split()
)
_PRONOUNS = frozenset("it him her them that those this".split())
_COMMANDS = frozenset(
    "set change update add append insert rename move copy enable disable increase decrease raise "
    "lower reduce replace swap sort make put mark turn switch convert multiply double halve".split()
)
_TRUE = frozenset("true on yes enable enabled activate active turn mark flag require allow".split())
_FALSE = frozenset("false off disable disabled deactivate inactive unmark release".split())
_NOTHING = frozenset("null none nothing clear unset remove empty blank delete no reset".split())
_EMPTY = frozenset("empty clear all remove blank no reset delete".split())
_MOVING = frozenset(
    "move put bring transfer relocate take place shift promote extract hoist nest".split()
)
_LESS = frozenset(
    "below under less fewer lower smaller before earlier shorter cheaper most older < <=".split()
)
_MORE = frozenset(
    "above over more greater higher larger bigger after later longer least exceeds exceed older "
    "newer > >= since".split()
)
_BEFORE_VERBS = frozenset(("", ",", ";", ".", "\n", "and", "then", "please", "but"))
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_CASES = frozenset("upper lower uppercase lowercase case capital".split())
_ORDERING = frozenset("order sort first last top front end before after begin".split())
_SWITCHING = frozenset("enable disable activate deactivate turn switch".split())
_COPYING = frozenset(
    "copy same duplicate match equal value equals like as sync swap exchange move reorder sort "
    "reverse swapped exchanged copied moved".split()
)
_QUANTIFIERS = frozenset("all every each both everyone everybody everything any".split())
_CHOOSING = _QUANTIFIERS | frozenset(
    "where whose with who that which except only those if having above below over under "
    "than".split()
)
_ENDING = _COMMANDS | {".", ";", "\n"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MONTHS = "january february march april may june july august september october november december"
_WRITTEN_DATE = re.compile(
    rf"\b(?:(\d\d?)(?:st|nd|rd|th)? (?:of )?)?({_MONTHS.replace(' ', '|')})"
    r"(?: (\d\d?)(?:st|nd|rd|th)?)?,? (\d{4})\b"
)
_SHAPES = {
    "date": _DATE,
    "time": re.compile(r"\d\d:\d\d"),
    "url": re.compile(r"https?://\S+"),
    "mail": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "weekday": re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day", re.IGNORECASE),
}
_FLAT = re.compile(r"[^\w@.+#$€£%/-]+")


class Grounds:
    """An instruction's words, against which the operations of a proposal are held."""

    def __init__(self, document: Value, instruction: str, operations: Sequence[DocumentOperation]):
        self.document = document
        self.tree = DocumentTree(document)
        self.operations = operations
        self.tokens = tokenize(instruction)
        self.text = f" {' '.join(_FLAT.sub(' ', instruction.lower()).split())} "
        self.words = {singular(w) for t in self.tokens for w in key_words(t.text)}
        self.low = {t.low for t in self.tokens if t.low}
        if " any more" in self.text or " any longer" in self.text:
            self.low.discard("any")
        # "lock it" and "unlock it" name the flag `locked`; "the locks are kept" does not
        before = ("", *(t.low for t in self.tokens))
        begun = [t.low for t, b in zip(self.tokens, before, strict=False) if b in _BEFORE_VERBS]
        verbs = {w.removeprefix("un") for w in begun if len(w) > 2 and w.isalpha()}
        self.done = {verb + ("d" if verb.endswith("e") else "ed") for verb in verbs}
        self.words |= self.done
        self.words |= {"percent"} if "%" in instruction else set()
        self.numbers = set(_numbers(self.tokens))
        self.dates = set(_written_dates(instruction))
        spoken = (w for t in self.tokens for w in key_words(t.text))
        self.spoken = f" {' '.join(map(singular, spoken))} "

    def missing(self, operation: DocumentOperation) -> str:
        """Return what of an operation the instruction does not say; empty when it says it all."""
        if not self._is_place_named(operation):
            return f"{_show(operation.path)} is not named in the instruction"
        if self._is_twin(operation):
            return f"{_show(operation.path)} is named once and changed twice"
        if not self._is_record_chosen(operation):
            return f"which record is meant is not said: {_show(operation.path)}"
        if operation.op == "remove":
            return (
                ""
                if self._is_removal_said(operation) or self._is_moved(operation)
                else "the instruction does not ask for this removal"
            )
        if operation.op in ("rename", "move"):
            return self._missing_target(operation)
        assert not isinstance(operation.value, NoValue)
        old = None if isinstance(operation.old, NoValue) else operation.old
        return self._missing_value(operation.value, old, operation.path)

    # -- words

    def says(self, value: Any) -> bool:
        """Return whether a scalar is in the instruction as whole words."""
        text = " ".join(_FLAT.sub(" ", render(value).lower()).split())
        if not text:
            return False
        return re.search(rf"(?<![\w.]){re.escape(text)}(?!\w)", self.text) is not None

    def names(self, key: str) -> bool:
        """Return whether the instruction says a key, all its words, or a word of its stem."""
        words = [singular(word) for word in key_words(key)]
        if not words:
            return self.says(key)
        if all(word in self.words for word in words) or self.says(key):
            return True
        if self.low & _SWITCHING and len(words) > 1 and words[-1] in ("enabled", "active"):
            return all(word in self.words for word in words[:-1])
        if words == ["age"] and self.low & {"older", "younger", "oldest", "youngest"}:
            return True
        return (
            len(words) == 1 and len(words[0]) > 4 and any(w[:5] == words[0][:5] for w in self.words)
        )

    # -- places

    def _is_place_named(self, operation: DocumentOperation) -> bool:
        path = operation.path
        keys = [part for part in path if not part.isdigit()]
        if operation.op == "insert":
            above = (path[:end] for end in range(1, len(path)))
            return not keys or self.names(keys[-1]) or any(map(self._is_record_said, above))
        if path[-1].isdigit():
            return self._is_element_said(operation) or self._is_reordered(operation)
        if self.names(path[-1]) or self._is_switch(operation):
            return True
        if operation.op == "remove":
            return self._is_record_said(path)
        if operation.op == "replace" and not isinstance(operation.old, NoValue):
            if isinstance(operation.old, str) and operation.old and self.says(operation.old):
                return True
            return (
                self._is_only_place(operation)
                or self._is_value_of_kind(operation)
                or self._is_one_of_all(operation)
            )
        return operation.op in ("add", "rename", "move") and self._is_record_said(path)

    def _is_reordered(self, operation: DocumentOperation) -> bool:
        """Return whether a named list is put in order by moving its elements."""
        target, path = operation.new_path or (), operation.path
        named = len(path) > 1 and self.names(path[-2])
        return operation.op == "move" and named and target[:-1] == path[:-1] and "order" in self.low

    def _is_switch(self, operation: DocumentOperation) -> bool:
        """Return whether a record that is named is enabled or disabled, which its flag says."""
        flag = operation.path[-1].lower() in ("enabled", "active", "on", "disabled")
        return flag and bool(self.low & _SWITCHING) and self._is_record_said(operation.path[:-1])

    def _is_value_of_kind(self, operation: DocumentOperation) -> bool:
        """Return whether a named record gets a said value that this field has in records beside.

        What the records beside hold only tells which field a value belongs to that is said; one
        whose old number is said ("3, not 2") is recognised by that.
        """
        path, value = operation.path, operation.value
        node = self.tree.node_at(path[:-1])
        if node is None or not (
            self._is_record_said(path[:-1]) or self._is_record_recognised(node)
        ):
            return False
        if not isinstance(value, str | Num) or not self._is_given(value):
            return False
        inside = [str(self.tree.keys[c]) for c in self.tree.children(node) if c]
        others = [k for k in inside if k != path[-1] and not self._identifies(node, k)]
        if any(map(self.names, others)) or self._is_given_twice(operation):
            return False
        if key_form(path[-1]) in NAME_FORMS and self.names(path[-2] if len(path) > 1 else ""):
            return True
        old = operation.old
        if isinstance(old, Num) and old.decimal in self.numbers:
            return not any(self._field(node, key) == old for key in others)
        record = self.tree.record_of(node)
        beside = self.tree.children(self.tree.parents[record]) if record else ()
        rest = path[len(self.tree.path(record)) :] if record else ()
        for member in beside:
            there = self.tree.node_at(rest, member)
            if there is not None and dumps(self.tree.values[there]).lower() == dumps(value).lower():
                return True
        return False

    def _is_record_recognised(self, node: int) -> bool:
        record = self.tree.record_of(node)
        if record is None:
            return False
        members = list(self.tree.children(self.tree.parents[record]))
        return self._is_chosen_by_text(members, {members.index(record)})

    def _identifies(self, record: int, key: str) -> bool:
        node = self.tree.child(record, key)
        return node is not None and self.tree.identifies(node)

    def _is_given(self, value: Value) -> bool:
        """Return whether the instruction has a text, or its verb (`close` for closed)."""
        if isinstance(value, Num):
            return value.decimal in self.numbers
        return self.says(value) or (isinstance(value, str) and value.lower() in self.done)

    def _is_given_twice(self, operation: DocumentOperation) -> bool:
        """Return whether another field of the same record gets the same value."""
        return any(
            o.path != operation.path
            and o.path[:-1] == operation.path[:-1]
            and _text(o.value) == _text(operation.value)
            for o in self.operations
        )

    def _is_one_of_all(self, operation: DocumentOperation) -> bool:
        """Return whether all members of a named object change: +1 to every skill."""
        if not self.low & _QUANTIFIERS or len(operation.path) < 2:
            return False
        holder = operation.path[:-1]
        node = self.tree.node_at(holder)
        if node is None or holder[-1].isdigit() or not self.names(holder[-1]):
            return False
        changed = {o.path for o in self.operations if o.op == "replace"}
        kind, done = type(operation.value), _text(operation.value)
        return all(
            (*holder, str(self.tree.keys[c])) in changed
            or (kind is bool and dumps(self.tree.values[c]) == done)
            for c in self.tree.children(node)
        )

    def _is_twin(self, operation: DocumentOperation) -> bool:
        """Return whether the same change elsewhere is the one that the words name."""
        if self.low & _QUANTIFIERS:
            return False
        path, value = operation.path, _text(operation.value)
        same = [
            o
            for o in self.operations
            if o.path != path and o.op == operation.op and _text(o.value) == value
        ]
        if not same or operation.op not in ("replace", "remove"):
            return False
        if path[-1].isdigit():
            return not self._is_element_said(operation)
        words = key_words(path[-1])
        named = all(singular(w) in self.words for w in words) and (
            len(words) == 1 or self.says(" ".join(words)) or self.says(path[-1])
        )
        alike = any(o.path[-1] == path[-1] for o in same)
        holders = [p for p in path[:-1] if not p.isdigit()]
        owned = self._is_record_said(path[:-1]) or any(map(self.names, holders))
        return not (named and (owned or not alike))

    def _is_element_said(self, operation: DocumentOperation) -> bool:
        old = operation.old
        holder = next((p for p in reversed(operation.path) if not p.isdigit()), "")
        if not isinstance(old, NoValue | dict | list) and old is not None and self.says(old):
            return True
        if self._is_record_said(operation.path):
            return True
        if not isinstance(old, dict | list):
            if operation.op == "remove" and self.low & (
                _QUANTIFIERS | {"clear", "empty", "duplicates", "deduplicate"}
            ):
                return not holder or self.names(holder)
            place = int(operation.path[-1])
            said = any(ORDINALS.get(w) == place or w == str(place) for w in self.low)
            return said and (not holder or self.names(holder))
        return not holder or self.names(holder)

    def _is_record_said(self, path: Path) -> bool:
        """Return whether the instruction has a name or identifying value of the record *path*."""
        node = self.tree.node_at(path)
        if node is None or not path:
            return False
        if not path[-1].isdigit() and self.names(path[-1]):
            return True
        for inner in range(node, min(self.tree.end[node], node + 60)):
            value = self.tree.values[inner]
            if isinstance(value, str | Num) and self.tree.identifies(inner):
                text = render(value)
                said = " ".join(map(singular, key_words(text)))
                if (
                    self.says(value)
                    or (len(said) > 3 and f" {said} " in self.spoken)
                    or any(
                        len(w) > 2 and f" {w.lower()} " in self.text
                        for w in text.split()
                        if isinstance(value, str)
                    )
                ):
                    return True
        return False

    def _is_only_place(self, operation: DocumentOperation) -> bool:
        """Return whether no key beside is named, and none beside could take the value."""
        holder = self.tree.node_at(operation.path[:-1])
        value = operation.value
        if holder is None or isinstance(value, NoValue | bool | dict | list) or value is None:
            return False
        if self._is_only_shape(holder, operation):
            is_said = self.says(value) or self._follows(value, self._old(operation))
            return is_said and self._is_record_said(operation.path[:-1])
        if sum(o.path[:-1] == operation.path[:-1] for o in self.operations) > 1:
            return False
        beside = [
            c for c in self.tree.children(holder) if str(self.tree.keys[c]) != operation.path[-1]
        ]
        if any(isinstance(k := self.tree.keys[c], str) and self.names(k) for c in beside):
            return False
        return self._is_record_said(operation.path[:-1]) and not any(
            type(self.tree.values[c]) is type(value) and not self.tree.identifies(c) for c in beside
        )

    def _is_only_shape(self, holder: int, operation: DocumentOperation) -> bool:
        """Return whether one date, time or address alone in its record becomes another."""
        shape = _shape(operation.value)
        held = [_shape(self.tree.values[c]) for c in self.tree.children(holder)]
        return bool(shape) and shape == _shape(operation.old) and held.count(shape) == 1

    # -- records

    def _is_record_chosen(self, operation: DocumentOperation) -> bool:
        """Return whether the record on the way to the place is the one the words mean."""
        path = operation.path
        for length in range(1, len(path) + 1):
            node = self.tree.node_at(path[:length])
            if node is None or not self.tree.is_record(node):
                continue
            collection = self.tree.parents[node]
            members = list(self.tree.children(collection))
            if len(members) == 1 or self._is_record_said(path[:length]):
                continue
            if self._is_only_key(path, length):
                continue
            if not self._are_chosen(collection, path[: length - 1], path[length:]):
                return False
        return True

    def _are_chosen(self, collection: int, above: Path, below: Path) -> bool:
        """Return whether the words choose exactly the members that the proposal touches so."""
        members = list(self.tree.children(collection))
        depth = len(above) + 1
        paths = {o.path[:depth] for o in self.operations if o.path[depth:] == below}
        gone = {o.path for o in self.operations if o.op == "remove" and below}
        touched = {p for p, m in enumerate(members) if self.tree.path(m) in paths}
        living = {p for p, m in enumerate(members) if self.tree.path(m) not in gone}
        many = self._speaks_of_many(collection) or bool(below and self._says_plural(below[-1]))
        unchanged = self._as_asked(members, touched, below)
        everyone = living <= touched | unchanged and (many or self.low & _QUANTIFIERS)
        if everyone and not self._is_narrowed([members[p] for p in living]):
            return True
        if len(touched) == len(members):
            return False
        if len(touched) == 1:
            (place,) = touched
            if any(ORDINALS.get(w) in (place, place - len(members)) for w in self.low):
                return True
        if self._is_chosen_by_text(members, touched):
            return True
        if not self.low & _CHOOSING and not many:
            return False
        return self._is_comparison(members, touched, below, unchanged)

    def _is_only_key(self, path: Path, start: int) -> bool:
        """Return whether a key behind a record is named and stands nowhere else."""
        keys = [part for part in path[start:] if not part.isdigit()]
        return any(len(self.tree.by_key.get(k, ())) == 1 and self.names(k) for k in keys)

    def _says_plural(self, key: str) -> bool:
        last = (key_words(key) or ("",))[-1]
        return any(t.low != last and singular(t.low) == last for t in self.tokens)

    def _is_chosen_by_text(self, members: list[int], touched: set[int]) -> bool:
        """Return whether a text that is said, and is no new value, is in the one touched only."""
        if len(touched) != 1:
            return False
        given = {_text(o.value) for o in self.operations}
        (place,) = touched
        for node in range(members[place], self.tree.end[members[place]]):
            value = self.tree.values[node]
            if not isinstance(value, str) or len(value) < 3 or dumps(value) in given:
                continue
            key = self.tree.keys[node]
            held = [v for m in members for v in self._all_under(m, key)]
            if held.count(value) == 1 and self.says(value):
                return True
        return False

    def _all_under(self, member: int, key: str | int) -> Iterator[Value]:
        for node in range(member, self.tree.end[member]):
            if self.tree.keys[node] == key:
                yield self.tree.values[node]

    def _as_asked(self, members: list[int], touched: set[int], below: Path) -> set[int]:
        """Return the members that hold already what the touched ones get."""
        given = {_text(o.value) for o in self.operations if below and o.path[-1:] == below[-1:]}
        if len(given) != 1 or not below:
            return set()
        nodes = [self.tree.node_at(below, m) for m in members]
        return {
            p for p, n in enumerate(nodes)
            if p not in touched and n is not None and dumps(self.tree.values[n]) in given
        }  # fmt: skip

    def _is_narrowed(self, members: list[int]) -> bool:
        """Return whether the words say a value that only some members have: those in Room 2."""
        given = {_text(o.value) for o in self.operations}
        for key in {str(self.tree.keys[c]) for m in members for c in self.tree.children(m)}:
            values = [self._field(m, key) for m in members]
            texts = {v for v in values if isinstance(v, str) and dumps(v) not in given}
            if any(values.count(text) < len(values) and self.says(text) for text in texts):
                return True
        return False

    def _speaks_of_many(self, collection: int) -> bool:
        words = key_words(str(self.tree.keys[collection]))
        return bool(words) and any(words[-1] == w for t in self.tokens for w in key_words(t.text))

    def _is_comparison(
        self, members: list[int], touched: set[int], below: Path, unchanged: set[int]
    ) -> bool:
        """Return whether a named field in some relation to a said value picks the touched ones."""
        keys = {str(self.tree.keys[c]) for m in members for c in self.tree.children(m)}
        needed = [self.tree.node_at(below[:-1], m) for m in members] if below else members
        able = {p for p, n in enumerate(needed) if n is not None}
        found: list[set[int]] = []
        for key in sorted(keys):
            values = [self._field(m, key) for m in members]
            # that a field has not its new value yet chooses nothing beside a value that is said
            changed = below[-1:] == (key,) and self._is_narrowed(members)
            named = self._picks_by_name(key, values) if not changed else ()
            picks = [picked & able for picked in (*named, *self._picks_by_value(values))]
            picks += [picked - unchanged for picked in picks if picked & unchanged]
            if touched in picks:
                return True
            found += [p for p in picks if touched < p and p not in found]
        spared = {p for p, m in enumerate(members) if self._is_record_said(self.tree.path(m))}
        if self.low & {"except", "not", "but", "excluding", "apart", "other"}:
            found += [p - spared for p in found if touched <= p - spared]
        return any(one & other == touched for one, other in combinations_with_replacement(found, 2))

    def _picks_by_name(self, key: str, values: list[Any]) -> Iterator[set[int]]:
        """Yield what a named field selects by a number in the instruction, true, false or null."""
        if key in ("enabled", "active") and self.low & {"disabled", "inactive"}:
            yield {p for p, v in enumerate(values) if v is False}
        if not self.names(key):
            yield from self._picks_by_year(values)
            return
        given = {o.value.decimal for o in self.operations if isinstance(o.value, Num)}
        for number in self.numbers - given:
            yield from (_pick(values, number, op) for op in self._relations())
        for state in (True, False, None):
            yield {p for p, v in enumerate(values) if v is state}

    def _picks_by_year(self, values: list[Any]) -> Iterator[set[int]]:
        """Yield what a year in the instruction selects among years: published before 1900."""
        years = [v.decimal for v in values if isinstance(v, Num)]
        said = [n for n in self.numbers if 1000 <= n < 2200 and n == int(n)]
        if len(years) == len(values) and all(1000 <= y < 2200 and y == int(y) for y in years):
            for number in said:
                yield from (_pick(values, number, op) for op in self._relations())

    def _relations(self) -> list[str]:
        """Return the relations to a number that the words speak of."""
        less, more = bool(self.low & _LESS), bool(self.low & _MORE)
        either = not less and not more and "than" in self.low
        found = ["lt", "le"] * (less or either) + ["gt", "ge"] * (more or either)
        return [*found, "eq", *["ne"] * bool(self.low & {"not", "except", "other", "!="})]

    def _picks_by_value(self, values: list[Any]) -> Iterator[set[int]]:
        """Yield the members that have a text of the instruction, and those that do not."""
        texts = [v for v in values if isinstance(v, str)]
        for text in set(texts):
            spoken = " ".join(map(singular, key_words(text)))
            if self.says(text) or (len(spoken) > 2 and f" {spoken} " in self.spoken):
                equal = {p for p, v in enumerate(values) if v == text}
                yield equal
                yield set(range(len(values))) - equal
        for part in (t.text for t in self.tokens if t.kind == "quoted" and len(t.text) > 1):
            if any(part in text for text in texts):
                yield {p for p, v in enumerate(values) if isinstance(v, str) and part in v}

    def _field(self, member: int, key: str) -> Any:
        node = self.tree.child(member, key)
        return NoValue() if node is None else self.tree.values[node]

    # -- removals, renames and values

    def _is_removal_said(self, operation: DocumentOperation) -> bool:
        """Return whether a removing verb governs words that name what is removed."""
        for place, token in enumerate(self.tokens):
            if singular(token.low) not in _REMOVING and token.low not in _REMOVING:
                continue
            end = next(
                (k for k in range(place + 1, len(self.tokens)) if self.tokens[k].low in _ENDING),
                len(self.tokens),
            )  # fmt: skip
            following = {t.low for t in self.tokens[place + 1 : place + 3]}
            start = 0 if following & _PRONOUNS else place
            part = " ".join(t.text for t in self.tokens[start:end])
            inner = Grounds(self.document, part, self.operations)
            if inner._is_place_named(operation) and inner._is_record_chosen(operation):
                return True
        return False

    def _is_moved(self, operation: DocumentOperation) -> bool:
        """Return whether what is removed is added elsewhere, and a verb asks for the move."""
        if not self.low & (_MOVING | {"rename"}) or isinstance(operation.old, NoValue):
            return False
        text = dumps(operation.old)
        arrivals = [o.value for o in self.operations if o.op in ("add", "insert")]
        inner = [v for a in arrivals if isinstance(a, dict) and len(a) == 1 for v in a.values()]
        held = [*arrivals, *inner]
        texts = [dumps(v) for v in held if not isinstance(v, NoValue)]
        return text in texts or (bool(self.low & _CASES) and _has_alike(text, texts))

    def _missing_target(self, operation: DocumentOperation) -> str:
        target = operation.new_path or ()
        if operation.op == "rename":
            return (
                ""
                if self.says(target[-1]) or self.names(target[-1])
                else f"it does not say {target[-1]!r}"
            )
        holder = target[-2] if len(target) > 1 else ""
        beside = target[:-1] == operation.path[:-1]
        if not self.low & (_MOVING | _ORDERING if beside else _MOVING):
            return "the instruction does not ask for a move"
        if (
            not holder
            or holder.isdigit()
            or self.names(holder)
            or self._is_record_said(target[:-1])
        ):
            return ""
        return f"it does not say {holder!r}"

    def _missing_value(self, value: Value, old: Value, path: Path) -> str:
        if isinstance(value, bool):
            return (
                ""
                if self._is_polarity_said(value, path)
                else f"it does not say {dumps(value)} for {path[-1]!r}"
            )
        if value is None:
            return "" if self.low & _NOTHING else "the instruction does not say null"
        if self._arrives(value):
            return ""
        if value in ("", [], {}):
            return "" if self.low & _EMPTY else "the instruction does not say empty"
        if isinstance(value, dict | list):
            return self._missing_container(value, old, path)
        said = self.says(value) or (isinstance(value, str) and value.lower() in self.done)
        if said or self._follows(value, old) or self._is_copied(value):
            return ""
        return f"the instruction does not give the value {render(value)[:60]!r}"

    def _arrives(self, value: Value) -> bool:
        """Return whether a value is one that the proposal takes away elsewhere, to move it."""
        if not self.low & (_MOVING | {"rename"}) or value is None:
            return False
        text = dumps(value)
        gone = [dumps(o.old) for o in self.operations
                if o.op == "remove" and not isinstance(o.old, NoValue)]  # fmt: skip
        return text in gone or (bool(self.low & _CASES) and _has_alike(text, gone))

    def _missing_container(self, value: Any, old: Value, path: Path) -> str:
        if self._is_copied(value) or self._is_rearranged(value, old):
            return ""
        if isinstance(value, dict):
            reason = self._missing_members(value, old if isinstance(old, dict) else {}, path)
            models = self._models(value) if reason and old is None else ()
            return "" if any(not self._missing_members(value, m, path) for m in models) else reason
        held = [dumps(item) for item in old] if isinstance(old, list) else []
        new = [item for item in value if dumps(item) not in held]
        missing = (self._missing_value(item, None, path) for item in new)
        reason = next((each for each in missing if each), "")
        gone = set(held) - {dumps(item) for item in value}
        if gone and not self.low & (_REMOVING | {"replace", "to"}):
            return reason or "it does not ask to remove elements"
        return reason

    def _models(self, value: dict[str, Value]) -> Iterator[dict[str, Value]]:
        """Yield the objects with the same keys that the words name, to be copied."""
        if not self.low & {"copy", "duplicate", "clone"}:
            return
        for node, held in enumerate(self.tree.values):
            if isinstance(held, dict) and held.keys() == value.keys():
                path = self.tree.path(node)
                if path and self._is_record_said(path):
                    yield held

    def _missing_members(self, value: dict[str, Value], old: dict[str, Value], path: Path) -> str:
        for key, item in value.items():
            if key in old and dumps(old[key]) == dumps(item):
                continue
            said = self.names(key) or (isinstance(item, str) and self.says(item))
            if key not in old and not said:
                return f"the instruction does not speak of {key!r}"
            reason = self._missing_value(item, old.get(key), (*path, key))
            if reason:
                return reason
        return ""

    def _is_polarity_said(self, value: bool, path: Path) -> bool:
        wanted, other = (_TRUE, _FALSE) if value else (_FALSE, _TRUE)
        named = {singular(w) for w in key_words(path[-1])}
        if self.low & wanted:
            return True
        negated = any(w.startswith(("un", "dis", "non")) or w.endswith("n't") for w in self.low)
        key = " ".join(map(singular, key_words(path[-1])))
        negated = negated or f" not {key} " in self.spoken or f" no {key} " in self.spoken
        if value:
            # "mark it as paid": the key itself is what becomes true
            return (
                bool(named & self.words) and not negated and not self.low & (other - {"no", "turn"})
            )
        return negated

    def _is_copied(self, value: Value) -> bool:
        """Return whether the value stands under a key that the instruction names, to be copied."""
        if not self.low & _COPYING:
            return False
        text = dumps(value)
        return any(
            isinstance(key, str)
            and self.names(key)
            and dumps(held) == text
            and singular(key.lower()) not in _COPYING
            for held, key in zip(self.tree.values, self.tree.keys, strict=True)
        )

    def _is_rearranged(self, value: Any, old: Value) -> bool:
        if (
            not isinstance(old, list)
            or not isinstance(value, list)
            or not self.low & _COPYING
            | {"order", "move", "first", "last", "deduplicate", "duplicate", "duplicates"}
        ):
            return False
        return {dumps(i) for i in old} == {dumps(i) for i in value}

    def _follows(self, value: str | Num, old: Value) -> bool:
        """Return whether a value is the old one changed as the words say."""
        if isinstance(value, str):
            return self._is_rewritten(value, old)
        if value.decimal in self.numbers:
            return True
        if not isinstance(old, Num):
            return False
        now = old.decimal
        steps = self.numbers | (
            {Decimal(2)} if {"double", "twice", "doubled"} & self.low else set()
        )
        steps |= self._amounts()
        steps |= {Decimal(1)} if {"increment", "decrement", "one", "bump"} & self.low else set()
        for step in steps:
            sums = [exact(now + step, old), exact(now - step, old)]
            shares = [now * (1 + step / 100), now * (1 - step / 100), now * step]
            shares += [now / step] if step else []
            if value in sums or value in [round_product(share, old) for share in shares]:
                return True
        return bool({"halve", "half"} & self.low) and value == round_product(now / 2, old)

    def _amounts(self) -> set[Decimal]:
        """Return the numbers under keys that are named as amounts: add its reward to the gold."""
        if not self.low & {"add", "subtract", "deduct"}:
            return set()
        return {
            v.decimal for k, v in zip(self.tree.keys, self.tree.values, strict=True)
            if isinstance(v, Num) and isinstance(k, str) and self.names(k)
        }  # fmt: skip

    @staticmethod
    def _old(operation: DocumentOperation) -> Value:
        return None if isinstance(operation.old, NoValue) else operation.old

    def _is_rewritten(self, value: str, old: Value) -> bool:
        number = number_in(value)
        if number is not None and Decimal(number) in self.numbers:
            return True
        if isinstance(old, Num | bool) and value == render(old):
            return bool({"string", "text", "convert"} & self.low)
        if self._is_other_date(value, old):
            return True
        if not isinstance(old, str):
            return False
        if old and value.startswith(old) and self.low & {"append", "add", "suffix"}:
            return self.says(value[len(old) :])
        if value.lower() == old.lower():
            return bool(_CASES & self.low)
        quoted = [t.text for t in self.tokens if t.kind in ("quoted", "code") and t.text]
        if any(f != p and old.replace(f, p) == value for f in quoted for p in quoted):
            return True
        part = _new_part(value, old)
        return bool(part.strip()) and part != value and self.says(part)

    def _is_other_date(self, value: str, old: Value) -> bool:
        """Return whether a date is the old or a named one, moved by the instruction's days."""
        day = _day(value)
        if day is None:
            return False
        if day in self.dates:
            return True
        units = [days for word, days in _DAYS.items() if word in self.words]
        shifts = {int(n) * days for n in self.numbers if n == int(n) for days in units}
        shifts |= {days for word, days in _DAYS.items() if f" a {word} " in self.spoken}
        keys = zip(self.tree.keys, self.tree.values, strict=True)
        named = [v for k, v in keys if isinstance(k, str) and _day(v) and self.names(k)]
        bases = [base for v in (old, *named) if (base := _day(v)) is not None]
        return any(abs((day - base).days) in shifts for base in bases)


def _shape(value: object) -> str:
    """Return which kind of text a value is: a date, a time or an address; empty for others."""
    if not isinstance(value, str):
        return ""
    return next((name for name, shape in _SHAPES.items() if shape.fullmatch(value)), "")


def _day(value: object) -> date | None:
    """Return the date that a text is; None for anything else."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _written_dates(text: str) -> Iterator[date]:
    """Yield the dates that a text writes out: 4 May 2025, May 4th, 2025."""
    for match in _WRITTEN_DATE.finditer(text.lower()):
        day = match[1] or match[3]
        if day is not None and 1 <= int(day) <= 31:
            month = _MONTHS.split().index(match[2]) + 1
            found = _day(f"{match[4]}-{month:02}-{int(day):02}")
            if found is not None:
                yield found


def _new_part(value: str, old: str) -> str:
    """Return the part of a text that differs from the old one, to the edges of its words."""
    head = 0
    while head < min(len(value), len(old)) and value[head] == old[head]:
        head += 1
    tail = 0
    while tail < min(len(value), len(old)) - head and value[-1 - tail] == old[-1 - tail]:
        tail += 1
    while head and (value[head - 1].isalnum() or value[head - 1] == "."):
        head -= 1
    while tail and (value[len(value) - tail].isalnum() or value[len(value) - tail] == "."):
        tail -= 1
    return value[head : len(value) - tail]


def _numbers(tokens: Sequence[Token]) -> Iterator[Decimal]:
    for token in tokens:
        if token.kind == "json":
            continue
        for text in (token.text, *re.findall(r"-?\d+(?:\.\d+)?", token.text)):
            number = number_in(text.rstrip("%"))
            if number is not None:
                try:
                    yield Decimal(number)
                except InvalidOperation:
                    continue


def _pick(values: list[Any], number: Decimal, op: str) -> set[int]:
    found = set()
    for place, value in enumerate(values):
        if isinstance(value, Num):
            held = value.decimal
        elif isinstance(value, str) and number_in(value) is not None:
            held = Decimal(str(number_in(value)))
        elif isinstance(value, str) and re.match(r"\d{4}-\d\d", value) and number > 1000:
            held = Decimal(value[:4])
        else:
            continue
        relation = {"lt": held < number, "le": held <= number, "gt": held > number,
                    "ge": held >= number, "eq": held == number, "ne": held != number}  # fmt: skip
        if relation[op]:
            found.add(place)
    return found


def _has_alike(text: str, others: Sequence[str]) -> bool:
    return text.lower() in map(str.lower, others)


def _text(value: Value | NoValue) -> str:
    return "" if isinstance(value, NoValue) else dumps(value)


def _show(path: Path) -> str:
    return repr(path[-1]) if path else "the document"
