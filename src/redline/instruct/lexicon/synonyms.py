"""Other words for keys and kinds: synonyms, abbreviations, languages, stages, people."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.instruct.language.words import key_form, key_words, singular, unit_of
from redline.instruct.model.values import Num, Value

# Said -> written; used only where nothing in the document is called what was said.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "emailaddress": ("email",), "mail": ("email",), "emailaddres": ("email",),
    "phonenumber": ("phone",), "telephone": ("phone",), "telephonenumber": ("phone",),
    "cost": ("price",), "price": ("cost",), "surname": ("lastname",), "familyname": ("lastname",),
    "givenname": ("firstname",), "colour": ("color",), "zipcode": ("zip", "postcode"),
    "postcode": ("zip", "postalcode"), "postalcode": ("zip",), "birthday": ("birthdate",),
    "dateofbirth": ("birthdate", "dob"), "quantity": ("qty", "amount", "count"), "link": ("url",),
    "description": ("desc",), "webpage": ("website", "homepage"), "homepage": ("website",),
    "picture": ("image", "photo"), "photo": ("image", "picture"), "jobtitle": ("title",),
    "log": ("logging", "logs"), "organisation": ("organization",), "website": ("url", "homepage"),
    "salary": ("pay", "wage"), "address": ("addr", "email"),
    "star": ("rating",), "contactperson": ("contact",), "boss": ("manager",),
    "qty": ("quantity",), "town": ("city",),
    "expiry": ("expires", "expiresat", "expirydate"), "expirydate": ("expires", "expiresat"),
    "department": ("dept",), "dept": ("department",), "teammate": ("member",),
    "colleague": ("employee",), "headcount": ("employee",), "deadline": ("due", "duedate"),
    "duedate": ("due",), "job": ("title", "role"), "db": ("database",), "database": ("db",),
    "number": ("phone", "no", "num", "nr"), "shop": ("store",), "store": ("shop",),
    "limit": ("max",),
    "monday": ("mon",), "tuesday": ("tue", "tues"), "wednesday": ("wed",), "thursday": ("thu",
    "thur"), "friday": ("fri",), "saturday": ("sat",), "sunday": ("sun",),
    "openinghour": ("hour", "open", "opening"),
    "ceiling": ("max",), "floor": ("min",), "vendor": ("supplier",),
}  # fmt: skip
SYNONYMS = {key_form(said): tuple(map(key_form, keys)) for said, keys in SYNONYMS.items()}
SHORTENED = {
    "maximum": "max", "minimum": "min", "configuration": "config", "environment": "env",
    "database": "db", "description": "desc", "quantity": "qty", "password": "pwd",
    "message": "msg", "number": "num", "repository": "repo", "authentication": "auth",
    "directory": "dir", "language": "lang", "information": "info", "application": "app",
    "development": "dev", "production": "prod", "identifier": "id", "temperature": "temp",
    "image": "img", "address": "addr", "connection": "conn", "organization": "org",
    "second": "sec", "minute": "min", "millisecond": "ms", "reference": "ref",
    "preference": "pref", "notification": "notify", "department": "dept", "average": "avg",
    "document": "doc", "parameter": "param", "attribute": "attr", "administrator": "admin",
    "staging": "stage", "preferences": "prefs",
}  # fmt: skip
WRITTEN_OUT = {short: long for long, short in SHORTENED.items()}
# Said short where keys are written out.
_SAID_SHORT = {
    "param": "parameter", "ep": "episode", "pic": "photo", "sub": "subscriber", "pw": "password",
    "mem": "memory", "req": "request", "cfg": "config", "svc": "service", "usr": "user",
    "res": "resolution", "tz": "timezone", "bg": "background", "fg": "foreground",
    "ns": "namespace", "bday": "birthday", "prio": "priority", "sev": "severity",
    "intvl": "interval", "amt": "amount", "cnt": "count", "sched": "schedule", "loc": "location",
    "config": "configuration", "auth": "authentication", "dir": "directory", "def": "default",
    "ver": "version", "mgr": "manager", "tel": "phone", "btn": "button", "lib": "library",
    "pkg": "package", "acct": "account", "dest": "destination", "src": "source", "len": "length",
    "freq": "frequency", "appt": "appointment", "notif": "notification", "emp": "employee",
    "cust": "customer", "inv": "invoice", "fav": "favourite", "pos": "position",
    "cert": "certificate", "perm": "permission", "vol": "volume",
    "lang": "language", "dep": "dependency", "min": "minimum", "max": "maximum", "no": "number",
    "pwd": "password", "addr": "address", "qty": "quantity", "msg": "message",
    "desc": "description", "repo": "repository", "env": "environment", "img": "image",
    "temp": "temperature",
}  # fmt: skip
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
FAMILIES = {
    "language": _CODES, "locale": _CODES, "translation": _CODES, "environment": _STAGES,
    "env": _STAGES, "stage": _STAGES,
}  # fmt: skip
# Fields that say what kind of thing a record is.
KIND_FIELDS = frozenset(
    "type kind role category class species breed genre position title department dept "
    "team status tier level".split()
)
PERSONAL = frozenset(
    "email age firstname lastname role birthdate birthday phone username gender salary "
    "title department dept shift hour".split()
)
CROWDS = frozenset(
    "user person employee member staff customer player student contact guest patient speaker "
    "teacher worker participant attendee friend hero character author people team crew".split()
)
ASSIGNEES = frozenset(map(key_form, "assignee assigned assignedTo owner agent responsible".split()))
WHOLE = frozenset("document json file root config configuration doc yaml toml".split())
NAMING = frozenset("id name number no key type title code ref".split())
_FLAG_HEADS = ("is", "has", "enable", "use", "allow", "can", "should")
_FLAG_TAILS = ("enabled", "flag", "active", "enable")


def other_forms(words: tuple[str, ...], value: Value) -> set[str]:
    """Return the forms under which a key of *words* that holds *value* may also be called."""
    form = "".join(map(singular, words))
    found = {"".join(singular(WRITTEN_OUT.get(word, word)) for word in words)}
    found |= {form + kind for kind in _kind_words(value)}
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value):
        stem = words[:-1] if words[-1:] in (("at",), ("on",)) else words
        found.add("".join(map(singular, stem)) + "date")
        said = stem[-1].removesuffix("s") if len(stem) == 1 else ""
        if said:  # the closing date of `closes`
            found |= {said.removesuffix("e") + "ingdate", said + "date"}
        if words[-1:] in (("at",), ("on",)):
            found.add("".join(map(singular, stem)))
    if len(words) > 1:
        flag = isinstance(value, bool)
        if unit_of(words[-1]) or (flag and words[-1] in _FLAG_TAILS):
            found.add("".join(map(singular, words[:-1])))
            found.add("".join(singular(WRITTEN_OUT.get(word, word)) for word in words[:-1]))
        elif flag and words[0] in _FLAG_HEADS:
            found.add("".join(map(singular, words[1:])))
    found.discard(form)
    found.discard("")
    return found


def _kind_words(value: Value) -> tuple[str, ...]:
    """Return what people say after the key of such a value: homepage URL, replica count."""
    if isinstance(value, bool):
        return ("mode", "flag", "feature", "setting", "status")
    if isinstance(value, Num):
        return ("number", "count", "size", "amount", "value", "level", "percentage")
    if not isinstance(value, str):
        return ("list", "section", "setting", "config", "configuration") if value else ()
    if re.match(r"https?://", value):
        return ("url", "link", "address")
    if re.fullmatch(r"\S+@\S+", value):
        return ("address",)
    return ("name", "text", "string", "label", "message", "command", "value", "setting")


def write_out(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return *words* with abbreviations written out."""
    return tuple(_SAID_SHORT.get(singular(word), word) for word in words)


def abbreviate(words: tuple[str, ...]) -> str:
    """Return the form of *words* with each abbreviated as keys do."""
    return "".join(SHORTENED.get(singular(word), singular(word)) for word in words)


def is_short_for(word: str, words: tuple[str, ...]) -> bool:
    """Return whether a word is the consonants of another, or the first letters of several."""
    if len(words) > 1:
        return len(words) == len(word) and word == "".join(part[0] for part in words)
    whole = "".join(words)
    bare = whole[:1] + "".join(c for c in whole[1:] if c not in "aeiouy")
    return len(whole) > len(word) > 1 and word == bare


def may_abbreviate(word: str, keys: Iterable[str]) -> bool:
    """Return whether a word may be short for a key: its beginning or end, or some consonants."""
    if not 2 <= len(word) <= 5 or not word.isalpha():
        return False
    bare = not set(word) & set("aeiou")
    for key in keys:
        whole = "".join(key_words(key))
        rest = iter(whole)
        ends = len(word) > 2 and (whole.startswith(word) or whole.endswith(word))
        starts = bare and whole[:1] == word[0] and all(c in rest for c in word)
        if len(whole) > len(word) and (ends or starts):
            return True
    return False
