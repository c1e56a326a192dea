"""What each run of the instruction's words can name in the document."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from redline.instruct.language.tokens import Tokens
from redline.instruct.language.words import (
    ARTICLES,
    QUANTIFIERS,
    is_plural,
    join_words,
    key_form,
    key_words,
    singular,
)
from redline.instruct.lexicon.derivations import related_keys
from redline.instruct.lexicon.named_records import record_sense
from redline.instruct.lexicon.paths import nodes_of_path, with_dotted
from redline.instruct.lexicon.runs import MAX_WORDS, STOP_WORDS, WordRuns
from redline.instruct.lexicon.senses import Sense, Sort, flag_stems
from redline.instruct.lexicon.spelling import is_slip
from redline.instruct.lexicon.synonyms import (
    FAMILIES,
    LANGUAGES,
    SYNONYMS,
    abbreviate,
    is_short_for,
    other_forms,
    write_out,
)
from redline.instruct.lexicon.tree import DocumentTree

# Words that are rather part of the sentence than a key of that name.
_FUNCTION_WORDS = ARTICLES | QUANTIFIERS | frozenset("to from by as in with into".split())
_VOWELS = frozenset("aeiouy")
_COLLECTIVE = frozenset("staff crew personnel team people roster fleet inventory stock".split())


class _Holds(StrEnum):
    """Records of a plural name, elements of a list with another name, members of an object with a
    plural name, parts of any other object."""

    RECORDS = "records"
    ELEMENTS = "elements"
    MEMBERS = "members"
    PARTS = "parts"


class Lexicon:
    """Senses of the token runs of one instruction over one document."""

    def __init__(
        self, tree: DocumentTree, tokens: Tokens, source: str, *, fuzzy: bool = False
    ) -> None:
        self.tree = tree
        self.tokens = tokens
        self.source = source
        self._fuzzy = fuzzy
        self._known: dict[int, list[Sense]] = {}
        self._runs = WordRuns(tree, tokens, source)
        self._others: dict[str, list[int]] | None = None
        self._by_word: dict[str, list[str]] | None = None

    def senses(self, start: int) -> list[Sense]:
        """Return every meaning of the words that begin at token *start*."""
        known = self._known.get(start)
        if known is None:
            known = self._known[start] = []
            if start < len(self.tokens) and self.tokens[start].is_name:
                for end in range(start + 1, min(start + MAX_WORDS, len(self.tokens)) + 1):
                    if not self._runs.is_run(start, end):
                        break
                    known += self._at(start, end)
        return known

    def text(self, start: int, end: int) -> str:
        """Return what the tokens say in lower case, blanks collapsed, without quotes."""
        return self._runs.text(start, end)

    def _at(self, start: int, end: int) -> list[Sense]:
        found: list[Sense] = []
        if end == start + 1:
            found += self._paths(start)
        found += self._keys(start, end)
        found += self._values(start, end)
        if not found or found[0].sort is not Sort.PATH:
            found += self._flags(start, end)  # a pointer that leads somewhere names no flag
        return found

    def _paths(self, start: int) -> list[Sense]:
        token = self.tokens[start]
        quoted = token.kind in ("code", "quoted") and any(m in token.text for m in "./[")
        if not token.path and not (quoted and " " not in token.text):
            return []
        nodes = nodes_of_path(self.tree, token.text)
        return [Sense(start + 1, Sort.PATH, nodes)] if nodes else []

    def _keys(self, start: int, end: int) -> list[Sense]:
        first = self.tokens[start]
        if self.tokens[end - 1].kind == "poss":
            return []
        if first.path and (first.text not in self.tree.by_key or self._paths(start)):
            return []
        if end == start + 1 and first.kind == "word" and first.low in _FUNCTION_WORDS:
            exact = self.tree.by_key.get(first.text)
            cost = 1 if first.low in ARTICLES | QUANTIFIERS else 2
            return [Sense(end, Sort.KEY, tuple(exact), cost)] if exact else []
        nodes, cost, whole = self._by_name(start, end)
        if not nodes:
            return []
        quoted = first.kind != "word"
        plural = not quoted and is_plural(self.tokens[end - 1].text)
        # "the runs" are what a list of that name holds, not the `run` of each of them
        lists = [n for n in nodes if plural and self._is_plural_key(n)]
        nodes = lists or nodes
        same = end == start + 1 and all(self.tree.keys[n] == first.text for n in nodes)
        own = [n for n in nodes if plural and not same and not self._is_plural_key(n)]
        kinds = [] if quoted else self._records_by_label(nodes)
        dearer = cost + 2 if kinds and plural else cost
        # "the machine" is one of the machines, not what holds them
        single = (
            not quoted
            and not plural
            and any(
                self._is_plural_key(n) and isinstance(self.tree.values[n], dict | list)
                for n in nodes
            )
        )
        found = [
            Sense(end, Sort.KEY, tuple(nodes), dearer + 2 * single, whole and not single, bool(own))
        ]
        if kinds:
            found.append(Sense(end, Sort.ITEMS, tuple(kinds), cost + 1, whole, plural))
        return found + self._items(end, nodes, cost, whole, plural, quoted)

    def _records_by_label(self, nodes: list[int]) -> list[int]:
        """Return the records of the lists in which each is known by such a field: dishes."""
        tree = self.tree
        owners = [tree.parents[n] for n in nodes]
        arrays = {tree.parents[owner] for owner in owners if owner > 0}
        if not arrays or len(owners) < 2 or not all(map(tree.is_element, owners)):
            return []
        held = [tree.values[array] for array in arrays]
        whole = sum(len(items) for items in held if isinstance(items, list)) == len(owners)
        texts = all(isinstance(tree.values[n], str) for n in nodes)
        return sorted(owners) if whole and texts and any(map(tree.is_label, nodes)) else []

    def _is_plural_key(self, node: int) -> bool:
        return _is_plural_text(str(self.tree.keys[node]))

    def _items(
        self, end: int, nodes: list[int], cost: int, whole: bool, plural: bool, quoted: bool
    ) -> list[Sense]:
        """Return what the named containers hold, which their name in the singular means."""
        if quoted:
            return []
        held: dict[_Holds, list[int]] = {}
        for node in nodes:
            if isinstance(self.tree.values[node], dict | list):
                held.setdefault(self._holds(node), []).extend(self.tree.children(node))
        crowd = plural or key_form(str(self.tree.keys[nodes[0]])) in _COLLECTIVE
        # "the users" may be the array as well, and a section is seldom named for its members
        costs = {_Holds.RECORDS: plural, _Holds.MEMBERS: plural}
        return [
            Sense(
                end,
                Sort.ITEMS,
                tuple(sorted(inner)),
                cost + costs.get(holds, True),
                whole,
                crowd if holds is _Holds.ELEMENTS else plural,
                weak=holds in (_Holds.MEMBERS, _Holds.PARTS),
            )
            for holds, inner in held.items()
            if inner
        ]

    def _holds(self, node: int) -> _Holds:
        """Return what a container's name says of what is in it."""
        if self.tree.is_collection(node) and self._is_plural_key(node):
            return _Holds.RECORDS
        if isinstance(self.tree.values[node], list):
            return _Holds.ELEMENTS
        return _Holds.MEMBERS if self._is_plural_key(node) else _Holds.PARTS

    def _by_name(self, start: int, end: int) -> tuple[list[int], int, bool]:
        """Return the nodes called that, what it costs, and whether it is their whole name."""
        tree, first = self.tree, self.tokens[start]
        if end == start + 1:
            exact = tree.by_key.get(first.text)
            cased = first.text != first.text.lower() or not first.text.isalpha()
            if exact and (first.kind != "word" or cased):
                return with_dotted(tree, exact), 0, True
        if not all(key_words(t.text) for t in self.tokens[start:end]):
            return [], 0, True  # a sign is no part of a name
        said = tuple(w for t in self.tokens[start:end] for w in key_words(t.text))
        form = join_words(said)
        if form in tree.by_form:
            return with_dotted(tree, tree.by_form[form]), 0, True
        if first.kind != "word" or (end == start + 1 and first.low in STOP_WORDS):
            return [], 0, True
        meant = self._otherwise(said, form)
        return (meant, 1, True) if meant else self._loosely(said, form)

    def _otherwise(self, said: tuple[str, ...], form: str) -> list[int]:
        """Return the nodes called that by a synonym, an abbreviation or another form."""
        stems = [form[:-3] + "e", form[:-3], form[:-4]] if form.endswith("ing") else []
        for other in (*SYNONYMS.get(form, ()), abbreviate(said), *stems[: len(form) > 5 and 3]):
            if other in self.tree.by_form:
                return self.tree.by_form[other]
        return self.others.get(form) or self._family(LANGUAGES.get(form, ""))

    def _loosely(self, said: tuple[str, ...], form: str) -> tuple[list[int], int, bool]:
        """Return the nodes of which the words are a part of the key, or almost the key."""
        keys = set(self.by_word.get(singular(said[0]), ()))
        for word in said[1:]:
            keys &= set(self.by_word.get(singular(word), ()))
        if not keys and (written := write_out(said)) != said:
            named = self.tree.by_form.get(join_words(written))
            return (named, 2, False) if named else self._loosely(written, form)
        if not keys and len(said) == 1:
            keys = set(self._find_abbreviation(said[0])) or related_keys(said[0], self.tree.by_key)
        if keys:
            nodes = sorted(n for key in keys for n in self.tree.by_key[key])
            return nodes, 2, False
        if self._fuzzy and len(form) > 3:
            near = [f for f in self.tree.by_form if is_slip(form, f)]
            if len(near) == 1:
                return self.tree.by_form[near[0]], 4, False
        return [], 0, True

    def _find_abbreviation(self, word: str) -> list[str]:
        """Return the one key that a word without vowels is short for: dmg, wk, lr."""
        if not 2 <= len(word) <= 5 or not word.isalpha() or set(word) & _VOWELS:
            return []
        found = [key for key in self.tree.by_key if is_short_for(word, key_words(key))]
        return found if len({key_form(key) for key in found}) == 1 else []

    @property
    def others(self) -> dict[str, list[int]]:
        """The nodes by the other forms their keys may take."""
        if self._others is None:
            self._others = {}
            for key, nodes in self.tree.by_key.items():
                held = (self.tree.values[n] for n in nodes[:9])
                value = next((v for v in held if v is not None), None)
                for form in other_forms(key_words(key), value):
                    self._others.setdefault(form, []).extend(nodes)
            for nodes in self._others.values():
                nodes.sort()
        return self._others

    @property
    def by_word(self) -> dict[str, list[str]]:
        """The keys of several words by each of them."""
        if self._by_word is None:
            self._by_word = {}
            for key in self.tree.by_key:
                words = key_words(key)
                if 1 < len(words) <= 5:
                    for word in words:
                        self._by_word.setdefault(singular(word), []).append(key)
        return self._by_word

    def _family(self, code: str) -> list[int]:
        """Return the entries of a language that has entries of other languages beside them."""
        family = FAMILIES["language"]
        return [n for n in self.tree.by_form.get(code, []) if self.in_family(n, family)]

    def in_family(self, node: int, family: frozenset[str]) -> bool:
        """Return whether two or more keys beside *node* belong to *family*."""
        beside = self.tree.values[self.tree.parents[node]]
        return isinstance(beside, dict) and sum(key_form(key) in family for key in beside) > 1

    def _values(self, start: int, end: int) -> list[Sense]:
        found = []
        plural = (
            is_plural(self.tokens[end - 1].text) if self.tokens[start].kind == "word" else False
        )
        for table, cost, whole in ((self._runs.whole, 0, True), (self._runs.parts, 2, False)):
            fields = table.get((start, end))
            if not fields or (not whole and self._is_literal(start, end)):
                continue
            if not whole:  # the document is not meant by a part of what one of its fields holds
                fields = [n for n in fields if self.tree.is_element(n) or self.tree.record_of(n)]
            # "the Rumours track": the value itself ends so
            said = self.text(start, end)
            plural = plural and not any((self.tree.text(n) or "").lower() == said for n in fields)
            elements = tuple(n for n in fields if self.tree.is_element(n))
            members = [n for n in fields if not self.tree.is_element(n)]
            if elements:
                found.append(
                    Sense(end, Sort.ELEMENT, elements, cost, whole, plural=False, fields=elements)
                )
            if members:
                written = " ".join(t.text for t in self.tokens[start:end])
                found.append(record_sense(self.tree, written, end, members, cost, whole, plural))
        return found

    def _is_literal(self, start: int, end: int) -> bool:
        """Return whether a word says a value of JSON: `null` is not the end of Noah Null."""
        return end == start + 1 and self.tokens[start].low in ("true", "false", "null")

    def _flags(self, start: int, end: int) -> list[Sense]:
        """Return the records for which a boolean field is so: active users, inactive users."""
        first = self.tokens[start]
        if first.kind != "word" and first.text not in self.tree.by_key:
            return []
        if end - start > 3 or not all(key_words(t.text) for t in self.tokens[start:end]):
            return []
        said = tuple(w for t in self.tokens[start:end] for w in key_words(t.text))
        form = join_words(said)
        found = []
        for wanted, stem in flag_stems(form):
            nodes = [n for n in self._flag_nodes(stem) if self.tree.values[n] is wanted]
            if nodes:
                records = tuple(sorted({self.tree.record_of(n) for n in nodes}))
                found.append(
                    Sense(end, Sort.FLAG, records, 0 if wanted else 1, fields=tuple(nodes))
                )
                break
        return found

    def _flag_nodes(self, stem: str) -> list[int]:
        nodes = self.tree.by_form.get(stem) or self.tree.by_form.get("is" + stem) or []
        return [n for n in nodes if isinstance(self.tree.values[n], bool)]


@lru_cache(maxsize=4096)
def _is_plural_text(key: str) -> bool:
    words = key_words(key)
    return bool(words) and is_plural(words[-1])
