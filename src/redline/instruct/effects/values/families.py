"""Words of one family, one of which takes the place of another: info and debug, low and high."""

from __future__ import annotations

import re
from functools import lru_cache

from redline.instruct.language.word_families import WORD_FAMILIES
from redline.instruct.language.words import key_words

_CURRENCIES = frozenset(
    "EUR USD GBP CHF JPY SEK NOK DKK PLN CZK AUD CAD CNY INR BRL MXN ZAR NZD".split()
)
_LOCALE = re.compile(r"[a-z]{2}(?:[-_][A-Z]{2})?")
_ZONE = re.compile(r"UTC|GMT|[A-Z]\w+/[A-Z][\w/]+")
_RUNS = ((re.compile(r"[^\W\d_]+"), "a"), (re.compile(r"\d+"), "9"))


@lru_cache(maxsize=4096)
def is_of_family(held: str, said: str) -> bool:
    """Return whether two words, both written alike, are of one family."""
    if held.isupper() and held in _CURRENCIES:
        return said in _CURRENCIES
    same_case = held.islower() == said.islower() or said.islower()
    left, right = held.lower(), said.lower()
    return same_case and any(left in family and right in family for family in WORD_FAMILIES)


@lru_cache(maxsize=4096)
def is_same_code(held: str, said: str) -> bool:
    """Return whether two codes are written alike: R12 and R14, 4711 and 0815, es and es-MX."""
    if " " in held or " " in said or not held or not said:
        return False
    if _LOCALE.fullmatch(held) and _LOCALE.fullmatch(said) and len(held) != len(said):
        return True
    if held[:1] in "./~" and said[:2] == held[:2] and "/" in held[:2]:
        return True  # ./dist and ./build
    if _ZONE.fullmatch(held) and _ZONE.fullmatch(said):
        return True
    if not any(map(str.isdigit, held)) or not any(map(str.isdigit, said)):
        return "." in held[1:-1] and _ending(held) == _ending(said)
    return _shape(held) == _shape(said)


def is_locale(key: str, held: str, said: str) -> bool:
    """Return whether both are codes of languages in a field for one: en and de."""
    named = _LOCALES & set(key_words(key))
    return bool(named and _LOCALE.fullmatch(held) and _LOCALE.fullmatch(said))


_LOCALES = frozenset("locale language lang".split())


def is_weekday(key: str) -> bool:
    """Return whether a key is a day of the week."""
    return any(key.lower() in family for family in WORD_FAMILIES[1:3])


def takes_place(held: str, said: str) -> bool:
    """Return whether a text may plainly take the place of another."""
    return is_of_family(held, said) or is_same_code(held, said)


def is_state(key: str, held: str, said: str) -> bool:
    """Return whether one word may follow another in a field that says how things are."""
    form = key_words(key)[-1:]
    return form in _STATES and bool(_STATE.fullmatch(held)) and bool(_STATE.fullmatch(said))


_STATES = frozenset((word,) for word in "status state stage phase mode priority severity".split())
_STATE = re.compile(r"[a-z]+(?:[_-][a-z]+)*")


def _ending(text: str) -> str:
    return text.rpartition(".")[2] if "." in text else ""


def _shape(text: str) -> str:
    for pattern, mark in _RUNS:
        text = pattern.sub(mark, text)
    return text
