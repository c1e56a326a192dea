"""What the engine knows of English words, independent of any document."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "indices": "index",
    "indexes": "index", "aliases": "alias", "ids": "id", "houses": "house", "causes": "cause",
    "clauses": "clause", "uses": "use", "licenses": "license", "leaves": "leaf", "data": "data",
    "replies": "reply", "movies": "movie", "cookies": "cookie", "matrices": "matrix",
    "caches": "cache", "sizes": "size", "prizes": "prize", "axes": "axis", "vertices": "vertex",
    "skus": "sku", "cpus": "cpu", "gpus": "gpu", "menus": "menu",
    "urls": "url", "apis": "api", "responses": "response", "databases": "database",
    "courses": "course", "phases": "phase", "purchases": "purchase", "releases": "release",
    "warehouses": "warehouse", "expenses": "expense", "nurses": "nurse", "zones": "zone",
}  # fmt: skip
_UNCHANGED = frozenset(
    "https kubernetes redis always yes news series species alias canvas is this has was "
    "its does sms address status class cors".split()
)
ARTICLES = frozenset("the a an my our your this that these those".split())
QUANTIFIERS = frozenset("all every each any both".split())
# Nouns that name a part of a document's structure rather than something in it.
STRUCTURAL = frozenset(
    "field key property attribute setting option parameter value section block object entry "
    "list array element item record node flag collection row column map config variable var".split()
)
GENERIC = frozenset("item entry element record object row one node thing".split())
SCOPING = frozenset("of in for on under within inside from at".split())
ORDINALS = {
    word: place
    for place, words in enumerate(
        "first|1st second|2nd third|3rd fourth|4th fifth|5th sixth|6th seventh|7th eighth|8th "
        "ninth|9th tenth|10th".split()
    )
    for word in words.split("|")
} | {"last": -1, "final": -1, "penultimate": -2, "second-to-last": -2, "next-to-last": -2}
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
     "ninety": 90, "hundred": 100, "thousand": 1000}  # fmt: skip
TRUE_WORDS = frozenset("true yes on enabled".split())
FALSE_WORDS = frozenset("false no off disabled".split())
# Each unit and how many of the smallest unit of its family it holds.
UNITS: dict[str, tuple[str, Decimal]] = {
    alias: (family, Decimal(size))
    for family, table in {
        "time": {
            "ms|millisecond|msec|milli": "1", "s|sec|second": "1000", "min|minute": "60000",
            "h|hr|hour": "3600000", "d|day": "86400000", "week": "604800000",
        },
        "bytes": {
            "byte|bytes": "1", "kb|kilobyte": "1000", "mb|meg|megabyte": "1000000",
            "gb|gig|gigabyte": "1000000000", "tb|terabyte": "1000000000000",
            "kib": "1024", "mib": "1048576", "gib": "1073741824",
        },
        "length": {"mm": "1", "cm": "10", "m|meter|metre": "1000", "km": "1000000"},
        "mass": {"mg|milligram": "1", "g|gram": "1000", "kg|kilogram|kilo": "1000000"},
        "px": {"px|pixel": "1"},
        "degree": {"degree|deg": "1"},
    }.items()
    for names, size in table.items()
    for alias in names.split("|")
}  # fmt: skip
SMALL_COINS = frozenset("cent penny pence ct".split())  # a hundred of them make one
CURRENCIES = SMALL_COINS | frozenset("dollar usd euro eur pound gbp buck franc chf".split())
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_NUMBER = re.compile(r"[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][-+]?\d+)?")


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """The singular of a lower-case word; other words as they are."""
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
    """Whether a word is the plural of another."""
    low = word.lower()
    return singular(low) != low


@lru_cache(maxsize=16384)
def key_words(key: str) -> tuple[str, ...]:
    """A key's words in lower case: maxConnections, max_connections and max-connections agree."""
    return tuple(part.lower() for part in _CAMEL.findall(key))


def join_words(words: tuple[str, ...]) -> str:
    """One string for words whose spacing and number do not matter."""
    return "".join(map(singular, words))


@lru_cache(maxsize=16384)
def key_form(key: str) -> str:
    """The form under which a key is found."""
    return join_words(key_words(key)) or key.lower()


@lru_cache(maxsize=4096)
def number_in(text: str) -> str | None:
    """Return the JSON text of a plain number in words or digits, or None."""
    if _NUMBER.fullmatch(text):
        plain = text.replace(",", "").lstrip("+")
        sign, digits = ("-", plain[1:]) if plain.startswith("-") else ("", plain)
        whole, dot, rest = digits.partition(".")
        if "e" in whole.lower():
            return plain if not (whole[0] == "0" and whole[1:2].isdigit()) else None
        return sign + (whole.lstrip("0") or "0") + dot + rest
    if text[:1] == "." and text[1:].isdecimal() and text.isascii():
        return "0" + text
    low = text.lower()
    if low in _NUMBER_WORDS:
        return str(_NUMBER_WORDS[low])
    tens, _, ones = low.partition("-")
    if ones in _NUMBER_WORDS and _NUMBER_WORDS.get(tens, 0) in range(20, 100):
        return str(_NUMBER_WORDS[tens] + _NUMBER_WORDS[ones])
    return None


@lru_cache(maxsize=4096)
def spoken_number(text: str) -> str | None:
    """Return the number that several words say: `eleven euros fifty`, `22 and a half`."""
    words = text.lower().split()
    if len(words) == 3 and singular(words[1]) in CURRENCIES:
        whole, cents = number_in(words[0]), number_in(words[2])
        small = cents is not None and cents.isdigit() and 10 <= int(cents) < 100
        return f"{whole}.{cents}" if small and whole is not None and whole.isdigit() else None
    if words[1:4] == ["and", "a", "half"] and len(words) <= 5:
        whole = number_in(words[0])
        return f"{whole}.5" if whole is not None and whole.isdigit() else None
    return "12" if words == ["a", "dozen"] else None


_LEADS = (("a quarter of an ", "0.25 "), ("quarter of an ", "0.25 "), ("half an ", "0.5 "),
          ("half a ", "0.5 "), ("an ", "1 "), ("a ", "1 "))  # fmt: skip
_AND_A_HALF = re.compile(r"(?:(\w+) and a half|one and a half) (\w+)")


@lru_cache(maxsize=4096)
def spoken_measure(text: str) -> str:
    """Return a measure said in words with a number instead: half an hour is 0.5 hour."""
    low = text.lower()
    for lead, number in _LEADS:
        rest = low.removeprefix(lead)
        if rest != low and unit_of(rest) is not None:
            return number + rest
    match = _AND_A_HALF.fullmatch(low)
    whole = number_in(match[1] or "one") if match else None
    if match is not None and whole is not None and whole.isdigit() and unit_of(match[2]):
        return f"{whole}.5 {match[2]}"
    return text


def unit_of(word: str) -> tuple[str, Decimal] | None:
    """The family and size of a unit of measure."""
    low = word.lower().rstrip(".")
    return UNITS.get(low) or UNITS.get(singular(low))


def money_in(number: str, coin: str, key: str, *, broken: bool) -> str | None:
    """Return an amount in the unit of a field, None where that is not known.

    50 cents are 0.5 where amounts are *broken*, as 4.20 is, and 50 where the key says cents.
    """
    in_small = bool(SMALL_COINS & {singular(word) for word in key_words(key)})
    if in_small is (singular(coin) in SMALL_COINS):
        return number
    if not in_small and not broken:
        return None
    factor = Decimal(100) if in_small else Decimal("0.01")
    return f"{(Decimal(number) * factor).normalize():f}"
