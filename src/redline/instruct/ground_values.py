"""Which values an instruction gives: said outright, or following from what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from redline.instruct.effects.implied.words import speaks_of
from redline.instruct.effects.values.typing import round_result
from redline.instruct.grammar.adjuncts.predicates import word_stem
from redline.instruct.grammar.chart import Chart
from redline.instruct.ground_words import FLAT, is_reordered, names_key, numbers_in
from redline.instruct.language.dates import clock_in, date_in
from redline.instruct.language.tokens import tokenize
from redline.instruct.language.words import key_words, number_in, singular, spoken_number
from redline.instruct.lexicon.names import Lexicon
from redline.instruct.lexicon.spelling import is_near
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.model.values import Num, Value, render


class SaidValues:
    """The instruction's words, and the values that trace back to them."""

    def __init__(self, document: Value, instruction: str) -> None:
        self.tree = DocumentTree(document)
        self.instruction = instruction
        self.tokens = tokenize(instruction)
        self.chart = Chart(Lexicon(self.tree, self.tokens, instruction))
        self.text = " " + " ".join(FLAT.sub(" ", instruction.lower()).split()) + " "
        self.words = {singular(word) for t in self.tokens for word in key_words(t.text)}
        self.numbers = set(numbers_in(instruction, self.tokens))

    def says(self, value: Any) -> bool:
        """Return whether a value is in the instruction as whole words."""
        text = " ".join(FLAT.sub(" ", render(value).lower()).split())
        return bool(text) and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.text) is not None

    def find_untraced(self, value: Any, old: Any) -> str:
        if value is None or isinstance(value, bool) or value in ("", [], {}):
            return ""
        if isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for key, item in value.items():
                if key not in before and not self.names(key) and not self.says(item):
                    return f"The instruction does not speak of {key!r}"
                reason = (
                    "" if item == before.get(key) else self.find_untraced(item, before.get(key))
                )
                if reason:
                    return reason
            return ""
        if isinstance(value, list):
            held = old if isinstance(old, list) else []
            reasons = (self.find_untraced(item, None) for item in value if item not in held)
            return next((reason for reason in reasons if reason), "")
        if value == old or self.says(value) or self._follows(value, old):
            return ""
        return f"The instruction does not give the value {render(value)[:80]!r}"

    def is_copy(self, value: Any) -> bool:
        """Return whether the value is under a key the instruction names, or only reorders one."""
        if isinstance(value, list) and any(is_reordered(held, value) for held in self.tree.values):
            return True
        return any(
            held == value and isinstance(key, str) and self.names(key)
            for held, key in zip(self.tree.values, self.tree.keys, strict=True)
        )

    def _follows(self, value: Any, old: Any) -> bool:
        """Return whether a number, date or text is the old one changed as the words say."""
        if isinstance(value, str):
            return self._is_said_otherwise(value, old)
        if not isinstance(value, Num):
            return False
        made = value.decimal
        if made in self.numbers or any(spoken_number(t) == value.text for t in self._spans()):
            return True
        if not isinstance(old, Num):
            return False
        now = old.decimal
        for step in self.numbers | {Decimal(1), Decimal(2), Decimal(3)}:
            results = [now + step, now - step, now * step]
            shares = [now * (1 + step / 100), now * (1 - step / 100)]
            shares += [now / step] if step else []
            if made in results or value in [round_result(share, old) for share in shares]:
                return True
        return any(
            made == number * factor
            for number in self.numbers
            for factor in (Decimal(1000), Decimal(60), Decimal(3600), Decimal(60000), Decimal(24),
                           Decimal("0.01"), Decimal(1024), Decimal(3600000), Decimal(86400))
        )  # fmt: skip

    def _is_said_otherwise(self, value: str, old: Any) -> bool:
        """Return whether a text is the old one rewritten, or said as a number, date or plural."""
        if isinstance(old, str) and self._is_rewritten(value, old):
            return True
        number = number_in(value)
        if number is not None and Decimal(number) in self.numbers:
            return True
        return self._is_moment(value, old) or self._is_said_once(value)

    def _is_moment(self, value: str, old: Any) -> bool:
        """Return whether a date or time of day is said, in the year or half day of the old one."""
        held = old if isinstance(old, str) else ""
        return any(
            date_in(text) == value
            or (held[:4].isdigit() and date_in(f"{text} {held[:4]}") == value)
            or (":" in held and clock_in(text, held) == value)
            for text in self._spans()
        )

    def _is_said_once(self, value: str) -> bool:
        """Return whether a word is said in the plural: Tuesdays."""
        return value.isalpha() and value.lower() in {singular(token.low) for token in self.tokens}

    def _spans(self) -> Iterator[str]:
        texts = [token.text for token in self.tokens]
        for start in range(len(texts)):
            for end in range(start + 1, min(start + 5, len(texts)) + 1):
                yield " ".join(texts[start:end])

    def _is_rewritten(self, value: str, old: str) -> bool:
        """Return whether a text changed case, blanks, or a part that the instruction says."""
        if value.lower().strip() == old.lower().strip():
            return True
        head = 0
        while head < min(len(value), len(old)) and value[head] == old[head]:
            head += 1
        tail = 0
        while tail < min(len(value), len(old)) - head and value[-1 - tail] == old[-1 - tail]:
            tail += 1
        new, gone = value[head : len(value) - tail], old[head : len(old) - tail]
        # a version or tag behind a name is compared as a whole: acme/api:1.15.2
        while head and (value[head - 1].isalnum() or value[head - 1] == "."):
            head -= 1
        part = value[head : len(value) - tail]
        if head and any(map(str.isdigit, part)) and self.says(part):
            return True
        if new.isdigit() and gone.isdigit() and int(new) == int(gone) + 1:
            return True  # a version that was bumped
        return bool(head or tail) and self.says(gone or new) and (not new or self.says(new))

    def names(self, key: str) -> bool:
        """Return whether the instruction says a key, a synonym of it, or what it abbreviates."""
        if self.says(key) or names_key(self.text, self.words, key):
            return True
        stems = {word_stem(word) for word in key_words(key)}
        said = [w for token in self.tokens for w in key_words(token.text) if len(w) > 3]
        return any(speaks_of(word, stems) or (len(word) > 5 and is_near(word, key.lower()))
                   for word in said)  # fmt: skip
