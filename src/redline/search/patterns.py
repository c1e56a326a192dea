"""Gitignore-style patterns as regular expressions over slash-separated paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex

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
_ANY_NAMES = "(?:[^/]+/)*"
_CHOICE = late_regex(r"\{([^{}]*,[^{}]*)\}")
MAX_GLOBS = 1000
MAX_GLOB = 8192
MAX_ALTERNATIVES = 256


def check_globs(patterns: Sequence[str]) -> None:
    """Refuse more globs, or longer ones, than can be tried on every path."""
    if len(patterns) > MAX_GLOBS:
        raise InvalidArgument(
            f"The call has {len(patterns)} globs, {MAX_GLOBS} are allowed",
            hint="name a directory, or use fewer and wider globs",
        )
    for pattern in patterns:
        check_glob(pattern)


def check_glob(pattern: str) -> None:
    """Refuse a glob that is too long."""
    if len(pattern) > MAX_GLOB:
        raise InvalidArgument(
            f"A glob has {len(pattern)} characters, {MAX_GLOB} are allowed: {pattern[:100]}..."
        )


def check_alternatives(count: int, pattern: str) -> None:
    """Refuse a glob whose braces expand to too many patterns."""
    if count > MAX_ALTERNATIVES:
        raise InvalidArgument(
            f"The glob has more than {MAX_ALTERNATIVES} alternatives: {pattern[:100]}",
            hint="use fewer braces, or several globs",
        )


def glob_regex(pattern: str) -> str:
    """Return the regex of one glob with its slashes meaning what they mean to git.

    `*` and `?` stay within a name, `**` as a whole part spans any number of them, also none.
    A class that is never closed matches nothing, as git has it.
    """
    parts = pattern.split("/")
    spans: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            spans.append([])
        else:
            spans[-1].append(_part_regex(part))
    texts = ["/".join(span) for span in spans]
    if len(texts) == 1:
        return texts[0]
    head = f"{texts[0]}/" if spans[0] else ""
    # What lies between two `**` has a fixed number of names, so its first place is as good as any.
    middle = "".join(
        f"(?>{_ANY_NAMES}?{text}/)"
        for text, span in zip(texts[1:-1], spans[1:-1], strict=True)
        if span
    )
    tail = f"{_ANY_NAMES}{texts[-1]}" if spans[-1] else ".+" if len(parts) > 1 else ".*"
    return head + middle + tail


def _part_regex(part: str) -> str:
    """Return the regex of one name: what lies between two stars matches at the first place it can.

    That place is as good as any later one, so nothing is ever tried twice.
    """
    texts = [""]
    index = 0
    while index < len(part):
        char = part[index]
        index += 1
        if char == "*":
            texts.append("")
            continue
        if char == "?":
            piece = "[^/]"
        elif char == "[":
            piece, index = _class_regex(part, index)
        elif char == "\\":
            if index == len(part):
                return _NEVER
            piece = re.escape(part[index])
            index += 1
        else:
            piece = re.escape(char)
        texts[-1] += piece
    if len(texts) == 1:
        return texts[0]
    middle = "".join(f"(?>[^/]*?{text})" for text in texts[1:-1] if text)
    return f"{texts[0]}{middle}[^/]*{texts[-1]}"


def _class_regex(part: str, start: int) -> tuple[str, int]:
    """Return the character class whose inside begins at *start*, and where the text goes on."""
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
    check_glob(pattern)
    expanded: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        found = _CHOICE.search(text)
        if found is None:
            expanded.append(text)
            continue
        head, tail = text[: found.start()], text[found.end() :]
        waiting += [head + choice + tail for choice in reversed(found[1].split(","))]
        check_alternatives(len(expanded) + len(waiting), pattern)
    return expanded


def _alternatives(pattern: str) -> Iterable[str]:
    for plain in expand_braces(pattern.removeprefix("./")):
        anchored = "/" in plain.rstrip("/")
        body = plain.strip("/")
        prefix = "" if anchored else "(?:.*/)?"
        inside = "(?:/.*)?" if plain.endswith("/") else ""
        yield f"{prefix}{glob_regex(body)}{inside}"


@lru_cache(maxsize=256)
def any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return one regex for `fullmatch` on root-relative paths that any of *patterns* selects.

    A pattern without a slash is tried on the name at any depth; with one it is anchored at the
    root; a closing slash means everything inside that directory.
    """
    check_globs(patterns)
    alternatives = [p for each in patterns for p in _alternatives(each)]
    return re.compile("|".join(f"(?:{p})" for p in alternatives), re.DOTALL)
