"""Gitignore-style patterns as regular expressions over slash-separated paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_POSIX = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "word": r"\w",
    "blank": r" \t",
}
_NEVER = r"(?!)"
_MOST_ALTERNATIVES = 64


def glob_regex(pattern: str) -> str:
    """The regex of one glob with its slashes meaning what they mean to git.

    `*` and `?` stay within a name, `**` as a whole part spans any number of them, also none.
    A class that is never closed matches nothing, as git has it.
    """
    parts = pattern.split("/")
    out: list[str] = []
    last = len(parts) - 1
    for index, part in enumerate(parts):
        if part == "**":
            if index == last:
                out.append(".+" if index else ".*")
            else:
                out.append("(?:[^/]+/)*")
            continue
        out.append(_part_regex(part))
        if index < last:
            out.append("/")
    return "".join(out)


def _part_regex(part: str) -> str:
    out: list[str] = []
    index = 0
    while index < len(part):
        char = part[index]
        index += 1
        if char == "*":
            if not out or out[-1] != "[^/]*":
                out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif char == "[":
            piece, index = _class_regex(part, index)
            out.append(piece)
        elif char == "\\":
            if index == len(part):
                return _NEVER
            out.append(re.escape(part[index]))
            index += 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def _class_regex(part: str, start: int) -> tuple[str, int]:
    """The character class whose inside begins at *start*, and where the text goes on."""
    index = start
    negated = part[index : index + 1] in ("!", "^")
    index += negated
    body: list[str] = []
    first = True
    while index < len(part) and (first or part[index] != "]"):
        first = False
        named = re.match(r"\[:(\w+):\]", part[index:])
        if named:
            body.append(_POSIX.get(named[1], ""))
            index += named.end()
            continue
        if part[index] == "\\" and index + 1 < len(part):
            index += 1
            body.append(re.escape(part[index]))
        else:
            body.append("-" if part[index] == "-" else re.escape(part[index]))
        index += 1
    if index >= len(part):
        return _NEVER, len(part)
    inside = "".join(body)
    try:
        re.compile(f"[{inside}]")
    except re.error:
        return _NEVER, index + 1
    return (f"[^/{inside}]" if negated else f"(?!/)[{inside}]"), index + 1


def expand_braces(pattern: str) -> list[str]:
    """`*.{a,b}` as `*.a` and `*.b`; a pattern without a full pair of braces stays as it is."""
    found = re.search(r"\{([^{}]*,[^{}]*)\}", pattern)
    if not found:
        return [pattern]
    head, tail = pattern[: found.start()], pattern[found.end() :]
    expanded: list[str] = []
    for choice in found[1].split(","):
        expanded += expand_braces(head + choice + tail)
        if len(expanded) > _MOST_ALTERNATIVES:
            break
    return expanded[:_MOST_ALTERNATIVES]


def _alternatives(pattern: str) -> Iterable[str]:
    for plain in expand_braces(pattern.removeprefix("./")):
        anchored = "/" in plain.rstrip("/")
        body = plain.strip("/")
        prefix = "" if anchored else "(?:.*/)?"
        inside = "(?:/.*)?" if plain.endswith("/") else ""
        yield f"{prefix}{glob_regex(body)}{inside}"


@lru_cache(maxsize=256)
def any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One regex for `fullmatch` on root-relative paths that any of *patterns* selects.

    A pattern without a slash is tried on the name at any depth; with one it is anchored at the
    root; a closing slash means everything inside that directory.
    """
    return re.compile(
        "|".join(f"(?:{p})" for each in patterns for p in _alternatives(each)), re.DOTALL
    )
