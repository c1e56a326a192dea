"""The globs of the `files` toolset.

`*` stays within a name, `?` is any one character, `**` any number of names, `[a-z]` and `[!a]` are
classes, `{a,b}` alternatives, a backslash takes the next character literally. Case does not
matter, names with a leading dot are like any other. A pattern without a slash is tried on names at
any depth. A malformed pattern matches nothing.

Matching takes time proportional to the length of the path, whatever the pattern: a few wildcards go
to `re`, more than that to a simulation that cannot backtrack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from redline.core.call_scope import checkpoint
from redline.search.patterns import check_alternatives, check_glob, check_globs

Matcher = Callable[[str], bool]
_META = frozenset("*?[{}")
_MAX_STARS, _MAX_GLOBSTARS = 3, 2
_MAX_MASKS = 4096
_STAR, _GLOBSTAR, _ANY, _GATE = "*", "**", "?", ""


def is_glob(text: str) -> bool:
    """Return whether *text* is a pattern and not a plain path."""
    return not _META.isdisjoint(text)


def split_base(pattern: str) -> tuple[str, str]:
    """Return the directory a pattern begins with, as far as it is literal, and the rest."""
    parts = pattern.split("/")
    literal = next((i for i, part in enumerate(parts) if is_glob(part) or "\\" in part), len(parts))
    literal = min(literal, len(parts) - 1)
    base = "/".join(parts[:literal])
    return (base or "/" if pattern.startswith("/") else base), "/".join(parts[literal:])


def name_or_path(patterns: Sequence[str]) -> tuple[Matcher | None, Matcher | None]:
    """Matchers for names (patterns without slash and `**`) and for relative paths (the rest)."""
    names = [p for p in patterns if "/" not in p and "**" not in p]
    paths = [p.removeprefix("./") for p in patterns if "/" in p or "**" in p]
    return (matcher(tuple(names)) if names else None, matcher(tuple(paths)) if paths else None)


def selects(patterns: Sequence[str]) -> Matcher:
    """Return a test of relative paths: does any pattern select it?"""
    by_name, by_path = name_or_path(patterns)

    def test(path: str) -> bool:
        if by_name is not None and by_name(path.rpartition("/")[2]):
            return True
        return by_path is not None and by_path(path)

    return test


@lru_cache(maxsize=256)
def matcher(patterns: tuple[str, ...]) -> Matcher:
    """Return a test of whole texts against any of *patterns*, anchored at both ends."""
    check_globs(patterns)
    quick: list[str] = []
    slow: list[Matcher] = []
    for pattern in patterns:
        checkpoint()
        for plain in expand(pattern):
            tokens = parse(plain)
            if tokens is None:
                continue
            if _is_quick(tokens):
                quick.append(_regex(tokens))
            else:
                slow.append(_Simulation(tokens))
    tests = list(slow)
    if quick:
        found = re.compile("|".join(f"(?:{q})" for q in quick), re.IGNORECASE | re.DOTALL).fullmatch
        tests.insert(0, lambda text: found(text) is not None)
    if len(tests) == 1:
        return tests[0]
    return lambda text: any(test(text) for test in tests)


def expand(pattern: str) -> list[str]:
    """*pattern* without braces, one text per combination; an open brace makes it match nothing."""
    check_glob(pattern)
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        found = _first_brace(text)
        if found is None:
            done.append(text)
        elif found[1] < 0:
            continue
        else:
            start, stop, choices = found
            waiting += [text[:start] + choice + text[stop:] for choice in reversed(choices)]
        check_alternatives(len(done) + len(waiting), pattern)
    return list(dict.fromkeys(done))


def _first_brace(text: str) -> tuple[int, int, list[str]] | None:
    """(start, stop, choices) of the first pair of braces; stop is -1 when it is not closed."""
    start, depth, begin = -1, 0, 0
    choices: list[str] = []
    index = 0
    while index < len(text):
        char = text[index]
        if char == "\\":
            index += 1
        elif char == "{":
            if depth == 0:
                start, begin = index, index + 1
            depth += 1
        elif depth and char == "," and depth == 1:
            choices.append(text[begin:index])
            begin = index + 1
        elif depth and char == "}":
            depth -= 1
            if depth == 0:
                return start, index + 1, [*choices, text[begin:index]]
        index += 1
    return (start, -1, []) if depth else None


def parse(pattern: str) -> list[str] | None:
    """Tokens of a pattern without braces: wildcards, and regexes of one character each."""
    tokens: list[str] = []
    index = 0
    while index < len(pattern):
        found = _next(pattern, index)
        if found is None:
            return None
        piece, index = found
        tokens.append(piece)
    return tokens


def _next(pattern: str, index: int) -> tuple[str, int] | None:
    """Return the token at *index* and where the next one begins; None when it is malformed."""
    char = pattern[index]
    if char == "*":
        stop = index + len(pattern[index:]) - len(pattern[index:].lstrip("*"))
        return (_GLOBSTAR if stop - index > 1 else _STAR), stop
    if char == "?":
        return _ANY, index + 1
    if char == "[":
        close = pattern.find("]", index + 2 + (pattern[index + 1 : index + 2] in ("!", "^")))
        return None if close < 0 else (_class(pattern[index + 1 : close]), close + 1)
    if char == "\\":
        index += 1
        if index == len(pattern):
            return None
    return re.escape(pattern[index]), index + 1


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    escaped = re.sub(r"([\\\[\]^&|~])", r"\\\1", body)
    text = f"[{'^' if negated else ''}{escaped}]"
    try:
        re.compile(text)
    except re.error:
        return "(?!)"
    return text


def _is_quick(tokens: list[str]) -> bool:
    """Return whether `re` cannot take long, however a path is made to backtrack."""
    globstars = [index for index, token in enumerate(tokens) if token == _GLOBSTAR]
    # A globstar that ends at a slash can only stop there; any other one stops at every character.
    loose = sum(not _may_be_nothing(tokens, at) for at in globstars if at + 1 < len(tokens))
    weight = tokens.count(_STAR) + len(globstars) + loose
    return weight <= _MAX_STARS and len(globstars) <= _MAX_GLOBSTARS


def _regex(tokens: list[str]) -> str:
    """Return the tokens as one regular expression."""
    pieces: list[str] = []
    index = 0
    while index < len(tokens):
        piece = tokens[index]
        if _may_be_nothing(tokens, index):
            pieces.append("(?:.*/)?" if piece == _GLOBSTAR else "(?:/.*)?")
            index += 2
            continue
        pieces.append({_STAR: "[^/]*", _GLOBSTAR: ".*", _ANY: "."}.get(piece, piece))
        index += 1
    return "".join(pieces)


class _Simulation:
    """The tokens as a set of positions that moves along the text: linear, however many stars."""

    def __init__(self, tokens: list[str]) -> None:
        # There is a gate before each `**/`, because only there, not inside, may it be passed over.
        gated: list[str] = []
        for index, piece in enumerate(tokens):
            if piece == _GLOBSTAR and _may_be_nothing(tokens, index):
                gated.append(_GATE)
            gated.append(piece)
        self._stars = _bits(gated, lambda i: gated[i] == _STAR)
        self._globstars = _bits(gated, lambda i: gated[i] == _GLOBSTAR)
        self._gates = _bits(gated, lambda i: gated[i] == _GATE)
        self._ends = _bits(gated, lambda i: gated[i] == "/" and _may_be_nothing(gated, i))
        self._final = 1 << len(gated)
        self._masks: dict[str, int] = {}
        self._plain = [
            (1 << i, re.compile("." if piece == _ANY else piece, re.IGNORECASE | re.DOTALL))
            for i, piece in enumerate(gated)
            if piece not in (_STAR, _GLOBSTAR, _GATE)
        ]

    def __call__(self, text: str) -> bool:
        states = self._closure(1)
        for char in text:
            kept = states & (self._globstars if char == "/" else self._globstars | self._stars)
            states = self._closure(kept | ((states & self._mask(char)) << 1))
            if not states:
                return False
        return bool(states & self._final)

    def _mask(self, char: str) -> int:
        """Return the positions that *char* moves on from."""
        mask = self._masks.get(char)
        if mask is None:
            mask = sum(bit for bit, regex in self._plain if regex.fullmatch(char))
            if len(self._masks) < _MAX_MASKS:
                self._masks[char] = mask
        return mask

    def _closure(self, states: int) -> int:
        """*states* and what can be reached from them without reading anything."""
        while True:
            free = states & (self._stars | self._globstars | self._gates)
            more = states | free << 1 | (states & self._ends) << 2 | (states & self._gates) << 3
            if more == states:
                return states
            states = more


def _bits(tokens: list[str], holds: Callable[[int], bool]) -> int:
    return sum(1 << index for index in range(len(tokens)) if holds(index))


def _may_be_nothing(tokens: list[str], index: int) -> bool:
    """Whether this token and the next are `**/` at the start of a name, or `/**` at the end."""
    pair = tokens[index : index + 2]
    if pair == [_GLOBSTAR, "/"]:
        return index == 0 or tokens[index - 1] == "/"
    return pair == ["/", _GLOBSTAR] and index + 2 == len(tokens)
