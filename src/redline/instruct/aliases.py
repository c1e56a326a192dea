"""Other words for keys: synonyms, abbreviations, names without their unit or flag word."""

from __future__ import annotations

import re
from functools import cached_property

from redline.instruct.filters import form_of
from redline.instruct.index import Index
from redline.instruct.tokens import Token, Tokens
from redline.instruct.values import Num
from redline.instruct.words import key_words, singular, unit_of

# Said -> written; used only where nothing in the document is called what was said.
_SYNONYMS = {
    "emailaddress": "email", "mail": "email", "phonenumber": "phone", "telephone": "phone",
    "telephonenumber": "phone", "cost": "price", "surname": "lastname", "familyname": "lastname",
    "givenname": "firstname", "colour": "color", "zipcode": "zip", "postcode": "zip",
    "postalcode": "zip", "birthday": "birthdate", "dateofbirth": "birthdate",
    "quantity": "qty", "description": "desc", "database": "db", "environment": "env",
    "configuration": "config", "maximum": "max", "minimum": "min", "webpage": "website",
    "homepage": "website", "link": "url", "picture": "image", "jobtitle": "title",
    "log": "logging", "numberofreplica": "replica", "replicacount": "replica",
    "organisation": "organization",
}  # fmt: skip
_SHORTENED = {
    "maximum": "max", "minimum": "min", "configuration": "config", "environment": "env",
    "database": "db", "description": "desc", "quantity": "qty", "password": "pwd",
    "message": "msg", "number": "num", "repository": "repo", "authentication": "auth",
    "directory": "dir", "language": "lang", "information": "info", "application": "app",
    "development": "dev", "production": "prod", "identifier": "id", "temperature": "temp",
    "image": "img", "address": "addr", "connection": "conn", "organization": "org",
}  # fmt: skip
_WRITTEN_OUT = {short: long for long, short in _SHORTENED.items()}
_REVERSED = {written: said for said, written in _SYNONYMS.items()}


class Aliases:
    """Finds keys by what people call them; asked only where nothing bears the name itself."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def of(self, names: Tokens) -> list[int]:
        """The nodes that *names* may stand for."""
        form = form_of(names)
        by_form = self._index.by_form
        said = _SYNONYMS.get(form) or _REVERSED.get(form)
        if said and said in by_form:
            return by_form[said]
        short = form_of(tuple(_abbreviated(t) for t in names))
        if short != form and short in by_form:
            return by_form[short]
        return self._without_marks.get(form) or self._long_forms.get(form, [])

    @cached_property
    def _long_forms(self) -> dict[str, list[int]]:
        """Keys with their abbreviations written out."""
        found: dict[str, list[int]] = {}
        for nodes in self._index.by_form.values():
            words = key_words(str(self._index.keys[nodes[0]]))
            written = "".join(singular(_WRITTEN_OUT.get(word, word)) for word in words)
            found.setdefault(written, []).extend(nodes)
        return found

    @cached_property
    def _without_marks(self) -> dict[str, list[int]]:
        """Forms of keys without a unit at the end or an is/has/enabled around a flag."""
        found: dict[str, list[int]] = {}
        for nodes in self._index.by_form.values():
            node = nodes[0]
            words = key_words(str(self._index.keys[node]))
            flag = isinstance(self._index.values[node], bool)
            form = "".join(map(singular, words))
            for kind in _kind_words(self._index.values[node]):
                found.setdefault(form + kind, []).extend(nodes)
            if _is_date(self._index.values[node]):
                stem = words[:-1] if words[-1] == "at" else words
                found.setdefault("".join(map(singular, stem)) + "date", []).extend(nodes)
            if len(words) < 2:
                continue
            if unit_of(words[-1]) or (flag and words[-1] in ("enabled", "flag", "active")):
                short = "".join(map(singular, words[:-1]))
            elif flag and words[0] in ("is", "has", "enable", "use", "allow"):
                short = "".join(map(singular, words[1:]))
            else:
                continue
            found.setdefault(short, []).extend(nodes)
        return found


def _abbreviated(token: Token) -> Token:
    short = _SHORTENED.get(singular(token.low))
    return token if short is None else Token("word", short, token.start, token.end)


def _kind_words(value: object) -> tuple[str, ...]:
    """What people say after the key of such a value: homepage URL, contact e-mail address."""
    if isinstance(value, bool):
        return ("mode", "flag", "feature")
    if isinstance(value, Num):
        return ("number", "count", "size", "amount")
    if not isinstance(value, str):
        return ()
    if re.match(r"https?://", value):
        return ("url",)
    if re.fullmatch(r"\S+@\S+", value):
        return ("address",)
    return ("name", "text", "string", "label", "message", "command")


def _is_date(value: object) -> bool:
    return isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value) is not None
