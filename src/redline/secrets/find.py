"""Find secrets in a text: keys in known formats, values under names that mean one, private keys.

One automaton looks for texts that every secret has; only around these does anything else run. All
other patterns are bounded or run by RE2, so the time is linear in the text.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from pkgutil import get_data
from typing import Any, NamedTuple

from redline.core.late_regex import late_regex

# Around a text that begins a key: formats are no longer than this.
_BEFORE, _AFTER = 160, 4200
_MAX_BLOCK = 20_000
_MAX_NAME = 40
_MIN_RANDOM = 12
_MAX_JUDGED = 200
# A shorter text is looked through by one automaton.
_LONG = 2000
_FEW = 40
SURROGATE = late_regex("[\ud800-\udfff]")

# In the names of values that are secrets, by ends that no other common word has.
_NAMES: tuple[str, ...] = tuple(
    """
    assword ASSWORD asswd ASSWD assphrase ASSPHRASE _pass _PASS ecret ECRET token Token TOKEN
    redential REDENTIAL _pwd _PWD pi_key PI_KEY pikey piKey PiKey PIKEY pi-key PI-KEY pi-Key
    ss_key SS_KEY sskey ssKey ss-key uth_key UTH_KEY uthKey te_key TE_KEY teKey nt_key NT_KEY
    ntKey on_key ON_KEY ng_key NG_KEY
    """.split()
)
_BEARER, _ADDRESS, _BLOCK = ("earer ", "EARER "), "://", "PRIVATE KEY"
_AFTER_NAME = late_regex(
    r"""[\w.-]{0,40}["'`]?\]?(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z_]{1,12}(?=[ \t]{0,4}=))?"""
    r"""[ \t]{0,8}(?:=>|:=|={1,2}|:|>)[ \t]{0,8}(?:[rbuf]{0,2}(?P<quote>\\?["'`]))?"""
    r"""(?P<value>[^\s"'`,;<>(){}\[\]\\«»]{8,1024})"""
)
_AS_FLAG = late_regex(r"[\w-]{0,20}[ \t]{1,4}(?P<quote>[\"'])?(?P<value>[\w+/=.~-]{16,512})")
_AFTER_BEARER = late_regex(r"(?P<value>[\w.~+/-]{16,1024}={0,2})")
_WITH_PASSWORD = late_regex(r"://[^\s/:@\"'`<>«]{0,64}:(?P<value>[^\s/:@\"'`<>«»]{3,256})@")
_BLOCK_EDGE = late_regex(r"-----(BEGIN|END)[ A-Z0-9_]{0,40}$")
_BLOCK_PART = late_regex(r"\\[nrt]|(?P<value>[A-Za-z0-9+/=]{4,})")
_NAMED_BEFORE = late_regex(
    r"""([A-Za-z_][\w-]{1,40})\\?["']?[ \t]{0,2}[:=]{1,2}[ \t]{0,2}\\?["'`]?\Z"""
)
_NAME_BACK = late_regex(r"[\w.-]{0,40}\Z")
_NAME = late_regex(r"[\w.-]*")
_PLACEHOLDER = late_regex(
    r"(?i)example|xxxx|changeme|change[-_]me|placeholder|your[-_]|dummy|\*\*\*|\.\.\.|\$\{|\{\{|%\(|"
    r"^\$[A-Za-z_({]|^%\w+%\Z|process\.env|environ|insert|redacted|sample|<|^(?:test|fake|my|some|foo|bar)[-_]|"
    r"0000000|1234567|abcdefg|deadbeef"
)
# Passwords in documentation; in a file of secrets another rule finds such a one.
_WORDS_ONLY = late_regex(r"(?:%[0-9A-F]{2}|[a-z_-])+|(?i:.*(?:passw|passphrase|secret).*)")
_IDENTIFIER = late_regex(r"_?[A-Za-z]\w{0,24}(?:\.[A-Za-z_]\w*)+|v?\d+(?:\.\d+)+.*|[\d.:/-]+")
_FILE_NAME = late_regex(r"[.~]{0,2}/?(?:[\w.-]+/)*[\w.-]+\.[a-z]{2,4}")
_NOT_UNQUOTED = frozenset("$&|?!*#")
_CONFIG_FILE = late_regex(r"(?i)\.(?:ya?ml|json5?|jsonc|toml|ini|cfg|conf|properties)\Z")
_WORD = late_regex(r"[A-Za-z][a-z]{3,}|[A-Z]{4,}")
_VALUE_CHARS = late_regex(r"[A-Za-z0-9+/=_.!@#$%^&*~?:|-]+\Z")
_ENV_LINE = late_regex(
    r"(?m)^[ \t]*(?:export[ \t]+|set[ \t]+)?(?P<name>[A-Za-z_][\w.-]{0,80})[ \t]*[=:][ \t]*"
    r"""(?:(?P<quote>["'])(?P<quoted>[^\n"']*)(?P=quote)[ \t]*(?:#.*)?\r?$|"""
    r"""(?P<value>[^\s#"'][^\n]*))"""
)
# A comment behind a value; a # within a word is part of it.
_COMMENT = late_regex(r"[ \t]#")
_ENV_NAME = late_regex(r"(?i)pass|pwd|(?:^|_)(?:key|pin|salt|dsn|auth|private)(?:_|$)")
_NETRC = late_regex(r"\bpassword[ \t\n]+(?P<value>\S+)")
_PGPASS = late_regex(r"(?m)^[^:\n#]+:[^:\n]+:[^:\n]+:[^:\n]+:(?P<value>[^\n]+)$")
_ENV_FILE = late_regex(
    r"(?i)(?:^|/)(?:\.env(?:\.[\w-]+)*|[\w.-]+\.env|\.envrc|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|"
    r"\.netrc|_netrc|\.pgpass|credentials|\.dockercfg|\.git-credentials|secrets?\.(?:ya?ml|json|"
    r"toml|ini|env)|[\w.-]+\.tfvars)\Z"
)
_NOT_ENV_FILE = late_regex(r"(?i)\.(?:example|sample|template|dist|defaults?)\Z")
_PLAIN = late_regex(r"(?i)true|false|null|none|yes|no|on|off|\d+|localhost|production|development")


class FoundSecret(NamedTuple):
    """A secret in a text: where, the kind of rule that found it, and the name of its value.

    `near` is where the text begins by which a weak value is known again: its name and value.
    -1 means that the value alone is known again.
    """

    start: int
    end: int
    kind: str
    name: str = ""
    near: int = -1


class KeyFormat(NamedTuple):
    """The format of one kind of key."""

    kind: str
    pattern: str
    literals: tuple[str, ...]


class TextScanner:
    """Finds where any of many texts is.

    An automaton of few texts skips ahead by vector instructions; one of many reads each byte.
    """

    def __init__(self, texts: Iterable[str], *, longest: bool = False) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

        every = sorted(enumerate(texts), key=lambda numbered: len(numbered[1]))
        bounds = [0, len(every)]
        if len(every) <= _FEW * 7:
            # Short texts are met by chance: fewer of them share an automaton.
            bounds[1:1] = range(_FEW // 2, len(every), _FEW)
        dfa = Implementation.DFA if len(every) <= 2000 else None
        kind = MatchKind.LeftmostLongest if longest else MatchKind.LeftmostFirst
        self._parts = [
            (part, BytesAhoCorasick([text.encode() for _, text in part], kind, dfa))
            for part in (every[first:last] for first, last in pairwise(bounds))
        ]

    def find(self, text: str, data: bytes | None = None) -> list[tuple[int, int, int]]:
        """Return start, end and number of what is found in order, *data* being *text* in UTF-8.

        Of two texts that overlap, the second may be left out.
        """
        data = text.encode() if data is None else data
        found = sorted(
            (start, -end, part[number][0])
            for part, automaton in self._parts
            for number, start, end in automaton.find_matches_as_indexes(data)
        )
        moved, done, places = 0, 0, []
        for start, minus_end, number in found:
            if len(data) != len(text):
                moved += start - done - len(data[done:start].decode("utf-8", "replace"))
                done = start
            size = len(data[start:-minus_end].decode("utf-8", "replace"))
            places.append((start - moved, start - moved + size, number))
        return places


class KeyFormats:
    """The formats of `rules.json`, and a quick search for the places where one could match."""

    def __init__(self) -> None:
        import ahocorasick_rs

        source = get_data("redline.secrets", "rules.json") or b""
        self.rules = tuple(KeyFormat(**each) for each in json.loads(source)["rules"])
        own = (*_NAMES, *_BEARER, _ADDRESS, _BLOCK)
        # Where one text begins with another, the shorter one finds both: in this order it is the
        # last one that was kept.
        self._texts: list[str] = []
        for text in sorted({*own, *(text for rule in self.rules for text in rule.literals)}):
            if not self._texts or not text.startswith(self._texts[-1]):
                self._texts.append(text)
        self._of_text: list[list[int]] = [[] for _ in self._texts]
        for number, rule in enumerate(self.rules):
            for place in {bisect_right(self._texts, text) - 1 for text in rule.literals}:
                self._of_text[place].append(number)
        self._longest = max(map(len, self._texts))
        self._scanner = TextScanner(self._texts)
        self._automaton = ahocorasick_rs.AhoCorasick(
            self._texts, implementation=ahocorasick_rs.Implementation.DFA
        )

    def _candidates(self, text: str, data: bytes | None) -> list[tuple[int, int, int]]:
        """Return start, end and number of each of the texts, including overlapping ones."""
        around = [(0, len(text))]
        if len(text) > _LONG:
            places = self._scanner.find(text, data)
            if len(places) < len(text) // _LONG * 20:
                around = [(start, end + self._longest) for start, end, _ in places]
        return sorted({
            (first + start, first + end, number)
            for first, last in around
            for number, start, end in self._automaton.find_matches_as_indexes(
                text[first:last], True
            )
        })  # fmt: skip

    @lru_cache(None)  # noqa: B019  there is one of this class
    def _compile(self, number: int) -> Any:
        import re2

        return re2.compile(self.rules[number].pattern)

    def find(self, text: str, data: bytes | None = None) -> list[FoundSecret]:
        """Return the secrets of a text that has no lone surrogate, in no order."""
        found: list[FoundSecret] = []
        windows: dict[int, list[tuple[int, int]]] = {}
        for start, end, number in self._candidates(text, data):
            for rule in self._of_text[number]:
                _widen(windows.setdefault(rule, []), start, len(text))
            look = _LOOKS.get(self._texts[number])
            if look is not None:
                found += look(text, start, end)
        for rule, places in windows.items():
            for first, last in places:
                found += self._find_format(text[first:last], first, rule)
        return found

    def _find_format(self, window: str, first: int, rule: int) -> list[FoundSecret]:
        found = []
        for match in self._compile(rule).finditer(window):
            start, end = match.span(1) if match.re.groups else match.span()
            # A format that may have a backslash takes the one before a closing quote with it.
            end -= len(window[start:end]) - len(window[start:end].rstrip("\\"))
            if start >= 0 and not is_placeholder(window[start:end].lstrip("$")):
                name = _NAMED_BEFORE.search(window, max(0, start - _MAX_NAME - 8), start)
                kind = self.rules[rule].kind
                found.append(FoundSecret(start + first, end + first, kind, name[1] if name else ""))
        return found


key_formats = lru_cache(1)(KeyFormats)


def find(text: str, path: str = "", data: bytes | None = None) -> list[FoundSecret]:
    """Return the secrets of *text*, the content of the file *path* if that is known.

    *data* is the text in UTF-8, if the caller has it.
    """
    if data is None and not text.isascii():
        text = SURROGATE.sub("?", text)
    found = key_formats().find(text, data)
    if path and is_env_file(path):
        found += _find_in_env(text, path)
    elif path and _CONFIG_FILE.search(path) and has_secret_name(text):
        found += _find_in_config(text)
    return found


@lru_cache(4096)
def is_env_file(path: str) -> bool:
    """Return whether a file is one that holds secrets, by its name."""
    return bool(_ENV_FILE.search(path)) and not _NOT_ENV_FILE.search(path)


def has_secret_name(name: str) -> bool:
    """Return whether the name of a value says that it is a secret."""
    return any(each in name for each in _NAMES)


def _widen(places: list[tuple[int, int]], start: int, length: int) -> None:
    """Add the surroundings of *start* to windows that do not overlap."""
    first, last = max(0, start - _BEFORE), min(length, start + _AFTER)
    if places and first <= places[-1][1]:
        first = places.pop()[0]
    places.append((first, last))


def _find_named(text: str, start: int, end: int) -> list[FoundSecret]:
    before = _NAME_BACK.search(text, max(0, start - _MAX_NAME), start)
    begin = before.start() if before else start
    match = _AFTER_NAME.match(text, end)
    if match is None and text[begin : begin + 2] == "--":
        match = _AS_FLAG.match(text, end)
    if match is None:
        return []
    if not is_random(match["value"], is_quoted=match["quote"] is not None):
        return []
    name = _NAME.match(text, begin)
    return [FoundSecret(*match.span("value"), "named-value", name[0].strip("-.") if name else "")]


def _find_bearer(text: str, _start: int, end: int) -> list[FoundSecret]:
    match = _AFTER_BEARER.match(text, end)
    if match is None or not is_random(match["value"], is_quoted=False):
        return []
    return [FoundSecret(*match.span("value"), "bearer-token")]


def _find_password(text: str, start: int, _end: int) -> list[FoundSecret]:
    match = _WITH_PASSWORD.match(text, start)
    if match is None or is_placeholder(match["value"]) or match["value"][0] in "$%{<[":
        return []
    if _WORDS_ONLY.fullmatch(match["value"]) and len(match["value"]) < 16:
        return []
    near = -1 if is_random(match["value"], is_quoted=True) else start
    return [FoundSecret(*match.span("value"), "url-password", "URL_PASSWORD", near)]


def _find_block(text: str, start: int, end: int) -> list[FoundSecret]:
    """Return the parts of a private key, line by line, whatever stands before each line.

    The header stays: a line is replaced by a line, and no value holds a line break.
    """
    edge = _BLOCK_EDGE.search(text, max(0, start - 60), start)
    if edge is None:
        return []
    if edge[1] == "BEGIN":
        stop = text.find("-----END", end, end + _MAX_BLOCK)
        first = text.find("-----", end, end + 20) + 5
        last = stop if stop >= 0 else min(len(text), end + _MAX_BLOCK)
        another = text.find("-----BEGIN", end, last)
        last = another if another >= 0 else last
    else:
        last = edge.start()
        another = text.rfind("-----END", max(0, last - _MAX_BLOCK), last)
        first = max(0, last - _MAX_BLOCK, another)
        if text.find("-----BEGIN", first, last) >= 0:
            return []  # found from its beginning
    parts = [m for m in _BLOCK_PART.finditer(text, first, last) if m["value"]]
    long = [m for m in parts if len(m["value"]) >= 32]
    if not long:
        return []
    begin = long[0].start() if edge[1] == "BEGIN" else _block_start(long)
    end = _block_end(text, long, last)
    return [
        FoundSecret(*match.span("value"), "private-key", "PRIVATE_KEY")
        for match in parts
        if begin <= match.start() <= end
        and (len(match["value"]) >= 12 or match.start() > long[-1].start())
        and not _WORD.fullmatch(match["value"])
    ]


def _block_start(long: list[re.Match[str]]) -> int:
    """Return where the lines of a key begin that end where the text of *long* ends."""
    first = long[-1]
    for match in reversed(long[:-1]):
        if first.start() - match.end() > 60:
            break
        first = match
    return first.start()


def _block_end(text: str, long: list[re.Match[str]], last: int) -> int:
    """Return where a key ends that has no footer: where long parts stop."""
    if text.startswith("-----END", last):
        return last
    end = long[0].end()
    for match in long[1:]:
        if match.start() - end > 60:
            break
        end = match.end()
    return end + 60


def _env_lines(text: str) -> Iterator[tuple[str, int, int, int, bool]]:
    """Yield each name, where it and its value are, and whether the value is in quotes."""
    for match in _ENV_LINE.finditer(text):
        start, end = match.span("quoted")
        is_quoted = start >= 0
        if not is_quoted:
            start = match.start("value")
            end = start + len(_COMMENT.split(match["value"], 1)[0].rstrip())
        yield match["name"], match.start("name"), start, end, is_quoted


def _find_in_env(text: str, path: str) -> list[FoundSecret]:
    found = []
    for name, at, start, end, _ in _env_lines(text):
        value = text[start:end]
        # Of an address only the password is secret, which another rule finds.
        if not value or _PLAIN.fullmatch(value) or is_placeholder(value):
            continue
        if "://" in value:
            password = _WITH_PASSWORD.search(value)
            if password is not None:
                first, last = (start + offset for offset in password.span("value"))
                found.append(FoundSecret(first, last, "url-password", name, at))
            continue
        if is_random(value, is_quoted=True, least=8):
            found.append(FoundSecret(start, end, "env-value", name))
        elif len(value) >= 3 and (has_secret_name(name) or _ENV_NAME.search(name)):
            found.append(FoundSecret(start, end, "env-value", name, at))
    return found + _find_in_password_file(text, path)


def _find_in_config(text: str) -> list[FoundSecret]:
    """Return values under names that mean a secret, where a line says name and value."""
    return [
        FoundSecret(start, end, "named-value", name)
        for name, _, start, end, is_quoted in _env_lines(text)
        if not is_quoted and has_secret_name(name) and is_random(text[start:end], is_quoted=True)
    ]


def _find_in_password_file(text: str, path: str) -> list[FoundSecret]:
    found = []
    for pattern, files_ in ((_NETRC, "netrc"), (_PGPASS, ".pgpass")):
        if path.endswith(files_):
            for match in pattern.finditer(text):
                near = -1 if is_random(match["value"], is_quoted=True) else match.start()
                found.append(FoundSecret(*match.span("value"), "env-value", "PASSWORD", near))
    return found


_LOOKS: dict[str, Callable[[str, int, int], list[FoundSecret]]] = {
    **dict.fromkeys(_NAMES, _find_named),
    **dict.fromkeys(_BEARER, _find_bearer),
    _ADDRESS: _find_password,
    _BLOCK: _find_block,
}


def is_placeholder(value: str) -> bool:
    """Return whether a value is there for a person to replace it."""
    return bool(_PLACEHOLDER.search(value)) or len(set(value)) < 5


def is_random(value: str, *, is_quoted: bool, least: int = _MIN_RANDOM) -> bool:
    """Return whether a value looks drawn at random rather than written by a person."""
    # The beginning tells enough: names that follow each other are looked at again and again.
    value = value[:_MAX_JUDGED]
    length = len(value)
    if length < least or not _VALUE_CHARS.match(value) or is_placeholder(value):
        return False
    if sum(map(len, _WORD.findall(value))) > length * 0.5:
        return False
    kinds = [
        "0" if c.isdigit() else "a" if c.islower() else "A" if c.isupper() else "-" for c in value
    ]
    turns = sum(a != b for a, b in pairwise(kinds)) / (length - 1)
    if turns < 0.2:
        return False
    if "0" not in kinds and not (is_quoted and turns >= 0.42):
        return False
    if not {"a", "A"} & set(kinds) or _FILE_NAME.fullmatch(value):
        return False
    if not is_quoted and (_IDENTIFIER.fullmatch(value) or _NOT_UNQUOTED & set(value)):
        return False
    counts = Counter(value).values()
    entropy = -sum(n / length * math.log2(n / length) for n in counts)
    return entropy >= min(3.2, math.log2(length) * 0.78)
