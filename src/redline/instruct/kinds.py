"""Nouns that no key spells: what a thing is (a goblin, an environment) rather than where it is."""

from __future__ import annotations

from functools import cached_property

from redline.instruct.filters import form_of, spoken
from redline.instruct.index import Index
from redline.instruct.nouns import Piece
from redline.instruct.words import is_plural, key_form, key_words, singular

LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it",
    "portuguese": "pt", "dutch": "nl", "swedish": "sv", "norwegian": "no", "danish": "da",
    "finnish": "fi", "polish": "pl", "czech": "cs", "russian": "ru", "ukrainian": "uk",
    "turkish": "tr", "greek": "el", "arabic": "ar", "hebrew": "he", "hindi": "hi",
    "japanese": "ja", "chinese": "zh", "korean": "ko", "vietnamese": "vi", "thai": "th",
    "hungarian": "hu", "romanian": "ro", "indonesian": "id", "catalan": "ca",
}  # fmt: skip
_CODES = frozenset(LANGUAGES.values())
_STAGES = frozenset(
    "dev development test testing qa ci staging stage stg preprod prod production local".split()
)
_FAMILIES = {
    "language": _CODES, "locale": _CODES, "translation": _CODES, "environment": _STAGES,
    "env": _STAGES, "stage": _STAGES,
}  # fmt: skip
# Fields that say what kind of thing a record is.
_KIND_FIELDS = frozenset("type kind role category class species breed genre position".split())
_PERSONAL = frozenset(
    "email age firstname lastname role birthdate birthday phone username gender salary".split()
)
_CROWDS = frozenset(
    "user person employee member staff customer player student contact guest patient speaker "
    "teacher worker participant attendee friend hero character author".split()
)
_WHOLE = frozenset("document json file root config configuration".split())
_NAMING = frozenset("id name number no key type title code ref".split())


class Kinds:
    """Finds nodes by what they are, where nothing is called so."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def language(self, form: str) -> list[int]:
        """The entries of the language *form* is the name of, next to those of other languages."""
        code = LANGUAGES.get(form, "")
        return [n for n in self.index.by_form.get(code, []) if self._in_family(n, _CODES)]

    def members(self, piece: Piece, scopes: list[int]) -> tuple[list[int], bool] | None:
        """The nodes a noun means by kind, and whether it speaks of many of them."""
        noun = piece.names[-1] if len(piece.names) == 1 else None
        if noun is None or noun.kind != "word":
            return None
        form = form_of(piece.names)
        found = self._family(form, scopes) or self._valued(spoken(piece.names), scopes)
        if not found:
            return None
        plural = is_plural(noun.text) and piece.first is None
        return found, bool(piece.quantifier) or piece.count > 1 or plural

    def records_with(self, piece: Piece, scopes: list[int]) -> list[int] | None:
        """`tasks` where each record of an array has a task: the records."""
        if len(piece.names) != 1 or piece.names[0].kind != "word":
            return None
        if not piece.quantifier and not is_plural(piece.names[0].text):
            return None
        return self._fields(form_of(piece.names), scopes) or None

    def named_by(self, piece: Piece, scopes: list[int]) -> list[int]:
        """The records a noun stands for that is a field each has, or that only a list explains."""
        if len(piece.names) != 1 or piece.names[0].kind != "word":
            return []
        return self._fields(form_of(piece.names), scopes) or self.of_root(piece, scopes)

    def of_root(self, piece: Piece, scopes: list[int]) -> list[int]:
        """Records of a document that is a list, by a plural of which the document knows nothing."""
        document, names = self.index.document, piece.names
        if scopes != [0] or not isinstance(document, list) or len(names) != 1:
            return []
        word = names[0]
        several = is_plural(word.text) or piece.quantifier in ("every", "each", "any")
        if word.kind != "word" or not several or key_form(word.text) in self.index.by_form:
            return []
        records = all(isinstance(item, dict) for item in document)
        return list(self.index.children(0)) if records else []

    def people(self) -> list[int]:
        """What `everyone` is about: the only array of records with names, none around it."""
        held: list[int] = []
        beyond = 0
        for node, value in enumerate(self.index.values):
            if node < beyond or not isinstance(value, list):
                continue
            beyond = self.index.end[node]
            if any(isinstance(item, dict) for item in value):
                held.append(node)
        named = len(held) == 1 and all(map(self._is_person, self.index.children(held[0])))
        return held if named else []

    def _is_person(self, node: int) -> bool:
        """Whether a record is about somebody: it has a name and what only people have."""
        value = self.index.values[node]
        crowd = key_form(str(self.index.keys[self.index.parents[node]])) in _CROWDS
        if not self.index.is_named(node) or not isinstance(value, dict):
            return False
        return crowd or any(key_form(key) in _PERSONAL for key in value)

    def whole(self, piece: Piece, scopes: list[int]) -> bool:
        """Whether the piece means the document: `the file`, `the order` where it has an orderId."""
        if scopes != [0] or len(piece.names) != 1 or piece.picks or piece.names[0].kind != "word":
            return False
        said, root = singular(piece.names[0].low), self.index.document
        if said in _WHOLE:
            return True
        return isinstance(root, dict) and any(
            len(words := key_words(key)) == 2 and words[0] == said and words[1] in _NAMING
            for key in root
        )

    def _family(self, form: str, scopes: list[int]) -> list[int]:
        """`all languages`, `every environment`: entries whose keys are codes of that family."""
        family = _FAMILIES.get(form)
        if family is None:
            return []
        nodes = [n for code in family for n in self.index.by_form.get(code, [])]
        inside = self.index.beneath(sorted(nodes), scopes)
        held = [n for n in inside if self._in_family(n, family)]
        return held if len({self.index.parents[n] for n in held}) == 1 else []

    def _in_family(self, node: int, family: frozenset[str]) -> bool:
        beside = self.index.values[self.index.parents[node]]
        return isinstance(beside, dict) and sum(key_form(key) in family for key in beside) > 1

    def _fields(self, form: str, scopes: list[int]) -> list[int]:
        """The records of the one array in which each has a text of that name."""
        nodes = self.index.beneath(self.index.by_form.get(form, []), scopes)
        if not all(isinstance(self.index.values[n], str) for n in nodes):
            return []
        owners = [self.index.parents[n] for n in nodes]
        arrays = {self.index.parents[owner] for owner in owners}
        if len(arrays) != 1 or not all(map(self.index.is_record, owners)):
            return []
        held = self.index.values[arrays.pop()]
        whole = isinstance(held, list) and len(held) == len(owners) > 1
        return owners if whole else []

    def _valued(self, word: str, scopes: list[int]) -> list[int]:
        """`all goblins`, `the orc`: the records whose type, role or category is that."""
        fields = self._kinds.get(word) or self._kinds.get(singular(word), [])
        inside = self.index.beneath(fields, scopes)
        arrays = {self.index.parents[self.index.parents[n]] for n in inside}
        keys = {self.index.keys[n] for n in inside}
        return [self.index.parents[n] for n in inside] if len(arrays) == len(keys) == 1 else []

    @cached_property
    def _kinds(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for form in _KIND_FIELDS:
            for node in self.index.by_form.get(form, []):
                value = self.index.values[node]
                if isinstance(value, str) and self.index.is_record(self.index.parents[node]):
                    found.setdefault(" ".join(value.lower().split()), []).append(node)
        return found
