"""English words as the language needs them: plurals, numbers, ordinals, and the words of a key."""

from __future__ import annotations

import re
from functools import lru_cache

_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "indices": "index",
    "indexes": "index", "aliases": "alias", "houses": "house", "causes": "cause",
    "clauses": "clause", "uses": "use", "licenses": "license", "data": "data", "movies": "movie",
    "cookies": "cookie", "matrices": "matrix", "caches": "cache", "sizes": "size",
    "prizes": "prize", "axes": "axis", "vertices": "vertex", "menus": "menu",
    "responses": "response", "databases": "database", "courses": "course", "phases": "phase",
    "purchases": "purchase", "releases": "release", "warehouses": "warehouse",
    "expenses": "expense", "nurses": "nurse", "ids": "id", "branches": "branch", "dishes": "dish",
}  # fmt: skip
_UNCHANGED = frozenset(
    "https kubernetes redis always yes news series species alias canvas is this has was its does "
    "sms address status class cors".split()
)
ARTICLES = frozenset("the a an my our your this that these those".split())
QUANTIFIERS = frozenset("all every each both".split())
# Nouns for parts of any document; behind or before a name they add nothing to it.
STRUCTURAL = frozenset(
    "field key property attribute setting option parameter value section block object entry list "
    "array element item record node flag row column map config variable number string boolean "
    "member entrie".split()
)
# Nouns for the members of a collection whose own name is not said.
GENERIC = frozenset("item entry element record object row one node member entrie".split())
ORDINALS = {
    word: place
    for place, words in enumerate(
        "first|1st second|2nd third|3rd fourth|4th fifth|5th sixth|6th seventh|7th eighth|8th "
        "ninth|9th tenth|10th".split()
    )
    for word in words.split("|")
} | {"last": -1, "final": -1, "second-to-last": -2, "next-to-last": -2}
_SMALL = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}
TRUE_WORDS = frozenset("true yes on enabled".split())
FALSE_WORDS = frozenset("false no off disabled".split())
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """Return the singular of a lower-case word; other words as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or word in _UNCHANGED or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("oes") and word not in ("shoes", "toes", "foes", "canoes"):
        return word[:-2]
    if word.endswith("es") and word[:-2].endswith(("ss", "us", "x", "z", "ch", "sh")):
        return word[:-2]
    return word[:-1]


def is_plural(word: str) -> bool:
    """Return whether a word is the plural of another."""
    low = word.lower()
    return singular(low) != low


@lru_cache(maxsize=16384)
def key_words(key: str) -> tuple[str, ...]:
    """Return a key's words in lower case: maxConnections and max_connections agree."""
    return tuple(part.lower() for part in _PARTS.findall(key))


@lru_cache(maxsize=16384)
def key_form(key: str) -> str:
    """Return the form under which a key is found, whatever its spacing and number."""
    return "".join(map(singular, key_words(key))) or key.lower()


@lru_cache(maxsize=4096)
def number_in(text: str) -> str | None:
    """Return the JSON text of a number in digits or one small word; None for other text."""
    if _NUMBER.fullmatch(text):
        plain = text.replace(",", "")
        sign, digits = ("-", plain[1:]) if plain.startswith("-") else ("", plain)
        if digits[0] == "0" and digits[1:2].isdigit():
            return None
        return sign + digits
    low = text.lower()
    return str(_SMALL[low]) if low in _SMALL else None
