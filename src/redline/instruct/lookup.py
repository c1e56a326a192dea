"""Names looked up in a document: keys, paths, records by what identifies them."""

from __future__ import annotations

import re
from functools import cached_property

from redline.instruct.aliases import Aliases
from redline.instruct.filters import form_of, spoken
from redline.instruct.index import Index
from redline.instruct.kinds import Kinds
from redline.instruct.tokens import Token, Tokens
from redline.instruct.values import Num
from redline.instruct.words import GENERIC, key_form, key_words, number_in, singular

_NUMBERED = ("id", "number", "code", "no", "key", "sku")
_MEASURED = frozenset("size count number amount".split())
_PART = re.compile(r"[^.\[\]/]+")


class Lookup:
    """Finds nodes by the words that name them."""

    def __init__(self, index: Index, kinds: Kinds) -> None:
        self.index = index
        self.kinds = kinds
        self._aliases = Aliases(index)
        self._element_texts: dict[int, dict[str, list[int]]] = {}

    def phrase(
        self, names: Tokens, scopes: list[int], *, strict: bool, last: bool
    ) -> tuple[list[int], bool]:
        """The nodes *names* mean below *scopes*, and whether only a part or synonym matched.

        The names may be one key, or a chain such as `production database host`.
        """
        found: dict[int, bool] = {}
        for cut in range(len(names), 0, -1):
            self.index.spend(60)
            head, rest = names[:cut], names[cut:]
            whole_name = not rest
            nodes, partial = self._one(
                head, scopes, strict=strict and whole_name, last=last and whole_name
            )
            if not nodes:
                continue
            if rest:
                nodes, below = self._rest(rest, nodes, strict=strict, last=last)
                partial = partial or below
            for node in nodes:
                found[node] = found.get(node, True) and partial
        if not found and len(names) > 1:
            found = dict.fromkeys(self._elements_of(names[-1:], names[:-1], scopes), False)
        if not found and len(names) > 1 and not strict:
            found = dict.fromkeys(self._inverted(names, scopes), True)
        whole = [node for node, partial in found.items() if not partial]
        return (sorted(whole), False) if whole else (sorted(found), bool(found))

    def _inverted(self, names: Tokens, scopes: list[int]) -> list[int]:
        """`max pool`, `max pool size`: the max of the pool."""
        holder = names[1:-1] if len(names) > 2 and names[-1].low in _MEASURED else names[1:]
        if any(t.kind != "word" for t in names):
            return []
        nodes = self.index.beneath(self.index.by_form.get(form_of(holder), []), scopes)
        wanted = form_of(names[:1])
        found = [
            child
            for node in nodes
            if isinstance(self.index.values[node], dict)
            for child in self.index.children(node)
            if key_form(str(self.index.keys[child])) == wanted
        ]
        measured = all(isinstance(self.index.values[n], Num) for n in found)
        return found if measured or len(holder) == len(names) - 1 else []

    def _elements_of(self, noun: Tokens, value: Tokens, scopes: list[int]) -> list[int]:
        """`intro tag`: the element of the tags that says so."""
        if noun[0].kind != "word":
            return []
        lists = self.index.beneath(self.index.by_form.get(form_of(noun), []), scopes)
        return self._elements(value, lists)

    def _rest(
        self, rest: Tokens, nodes: list[int], *, strict: bool, last: bool
    ) -> tuple[list[int], bool]:
        if len(rest) == 1 and rest[0].kind == "word":
            numbered = self._numbered(rest[0], nodes)
            if numbered:
                return numbered, False
            owned = self._of_collection(rest[0], nodes)
            if owned:
                return owned, False
        valued = self._valued(rest, nodes)
        if valued:
            return valued, False
        below, partial = self.phrase(rest, nodes, strict=strict, last=last)
        direct = [n for n in below if self.index.parents[n] in set(nodes)]
        return (direct or below), partial

    def _numbered(self, token: Token, collections: list[int]) -> list[int]:
        """`order 1002`: the element of that collection with that id."""
        text = token.text.lstrip("#")
        if number_in(text) is None or not text.isdigit():
            return []
        found = []
        for field in self.index.entities.get(text, []):
            record = self.index.parents[field]
            words = key_words(str(self.index.keys[field]))
            if words[-1] in _NUMBERED and self.index.parents[record] in collections:
                found.append(record)
        return found

    def _valued(self, rest: Tokens, nodes: list[int]) -> list[int]:
        """`sku B2`: the record that field identifies by that value."""
        wanted = spoken(rest)
        found = []
        self.index.spend(len(nodes) // 2)
        for node in nodes:
            value = self.index.values[node]
            text = value.text if isinstance(value, Num) else value
            if isinstance(text, str) and text.lower() == wanted and self.index.identifies(node):
                found.append(self.index.parents[node])
        return found

    def _of_collection(self, token: Token, nodes: list[int]) -> list[int]:
        """`Widget A product`, `test script`: what stands in a collection of that name."""
        form = key_form(token.text)
        return [
            node
            for node in nodes
            if node > 0 and key_form(str(self.index.keys[self.index.parents[node]])) == form
        ]

    def _one(
        self, names: Tokens, scopes: list[int], *, strict: bool, last: bool
    ) -> tuple[list[int], bool]:
        """Nodes that one unsplit name means."""
        index = self.index
        if len(names) == 1 and names[0].kind != "quoted":
            placed = self._by_path(names[0], scopes)
            if placed is not None:
                return placed, False
        keyed = index.beneath(self._keyed(names, strict), scopes)
        named = self._records(index.entities.get(spoken(names), []), scopes)
        if keyed and (last or not named):
            return keyed, False
        if keyed or named:
            return sorted({*keyed, *named}), False
        elements = self._elements(names, scopes)
        if elements or strict:
            return elements, False
        generic = self._generic(names, scopes)
        if generic:
            return generic, False
        parts = self._records(index.entity_parts.get(spoken(names), []), scopes)
        if parts:
            return parts, True
        return index.beneath(self._called(names), scopes), True

    def _called(self, names: Tokens) -> list[int]:
        return self._aliases.of(names) or self.kinds.language(form_of(names))

    def _keyed(self, names: Tokens, strict: bool) -> list[int]:
        nodes = self.index.by_form.get(form_of(names), [])
        if len(names) == 1 and names[0].kind in ("quoted", "code"):
            exact = [n for n in nodes if self.index.keys[n] == names[0].text]
            return exact or nodes
        if not strict:
            exact = [n for n in nodes if self.index.keys[n] == names[0].text]
            cased = len(names) == 1 and names[0].text != names[0].text.lower()
            return exact if exact and cased else nodes
        said = tuple(word for t in names for word in key_words(t.text))
        return [n for n in nodes if key_words(str(self.index.keys[n])) == said]

    def _records(self, fields: list[int], scopes: list[int]) -> list[int]:
        inside = self.index.beneath(fields, scopes)
        return sorted({self.index.record_of(field) for field in inside})

    def _elements(self, names: Tokens, scopes: list[int]) -> list[int]:
        """Texts and numbers in a named array, by their own value."""
        wanted = spoken(names)
        found: list[int] = []
        self.index.spend(len(scopes) // 4)
        for scope in scopes:
            if isinstance(self.index.values[scope], list):
                found += self._plain_elements(scope).get(wanted, [])
            elif self.index.is_record(scope) and len(scopes) == 1:
                # "robe from Kara": in one of the lists of that record
                for child in self.index.children(scope):
                    if isinstance(self.index.values[child], list):
                        found += self._plain_elements(child).get(wanted, [])
        return found

    def _plain_elements(self, array: int) -> dict[str, list[int]]:
        known = self._element_texts.get(array)
        if known is None:
            known = self._element_texts[array] = {}
            for child in self.index.children(array):
                value = self.index.values[child]
                text = value.text if isinstance(value, Num) else value
                if isinstance(text, str):
                    known.setdefault(" ".join(text.lower().split()), []).append(child)
        return known

    def _generic(self, names: Tokens, scopes: list[int]) -> list[int]:
        """`item`, `entry`: the collection in scope, or the only array there is."""
        if len(names) != 1 or names[0].kind != "word":
            return []
        if singular(names[0].low) not in GENERIC | {"list", "array", "collection"}:
            return []
        held = [s for s in scopes if isinstance(self.index.values[s], list)]
        if held or scopes != [0]:
            return held
        return self._arrays if len(self._arrays) == 1 else []

    @cached_property
    def _arrays(self) -> list[int]:
        return [n for n, value in enumerate(self.index.values) if isinstance(value, list)]

    def _by_path(self, token: Token, scopes: list[int]) -> list[int] | None:
        """A JSON Pointer, dotted or bracketed path from the root or, failing that, from a scope."""
        text = token.text
        if not token.path and not (token.kind == "code" and re.search(r"[./\[]", text)):
            return None
        if text.startswith("/"):
            node = self.index.node_at(
                p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/")
            )
            if text in self._key_texts:
                return None if node is None else sorted({node, *self._spelled(token)})
            return [] if node is None else [node]
        parts = _PART.findall(text.removeprefix("$"))
        node = self.index.node_at(parts)
        if text in self._key_texts:
            # the path and the key that is spelled like it are two places
            return None if node is None else sorted({node, *self._spelled(token)})
        if node is not None:
            return [node]
        below = [n for s in scopes if (n := self._from(s, parts)) is not None]
        return below or self._suffixes(parts) or None

    def _spelled(self, token: Token) -> list[int]:
        """The nodes whose key is the word itself, marks and all."""
        nodes = self.index.by_form.get(key_form(token.text), [])
        return [n for n in nodes if self.index.keys[n] == token.text]

    def _from(self, scope: int, parts: list[str]) -> int | None:
        node = scope
        for part in parts:
            found = next(
                (c for c in self.index.children(node) if str(self.index.keys[c]) == part), None
            )
            if found is None:
                return None
            node = found
        return node

    def _suffixes(self, parts: list[str]) -> list[int]:
        starts = self.index.by_form.get(key_form(parts[0]), [])
        found = []
        for node in starts:
            if str(self.index.keys[node]) == parts[0]:
                end = self._from(node, parts[1:])
                if end is not None:
                    found.append(end)
        return found

    @cached_property
    def _key_texts(self) -> set[str]:
        return {key for key in self.index.keys if isinstance(key, str)}
