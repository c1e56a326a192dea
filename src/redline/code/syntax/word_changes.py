"""Changes of words alone, which cannot decide whether a text parses."""

from __future__ import annotations

import re

from redline.code.syntax.languages import Language
from redline.core.spans import common_head, common_tail

_TOKEN = re.compile(r"[^\W\d]\w*|\d+|\s+|.", re.DOTALL)
# Languages in which a name is a name: no here-documents, no tags that must be closed.
_LANGUAGES = "python javascript typescript tsx go rust java c cpp csharp json yaml css"
_KEYWORDS = """
    abstract and any as assert async auto await base bool boolean break byte case catch chan char
    checked class const constexpr continue crate debugger declare def default defer del delegate
    delete do double dyn elif else enum event except explicit export extends extern fallthrough
    false final finally fixed float fn for foreach friend from func function get global go goto
    if impl implements implicit import in inline instanceof int interface internal is keyof lambda
    let lock long loop macro map match mod module move mut mutable namespace native new nonlocal
    not null object of operator or out override package params pass private protected pub public
    raise range readonly ref register return satisfies sealed select self set short signed sizeof
    static strictfp string struct super switch synchronized template this throw throws trait
    transient true try type typedef typename typeof undefined union unsafe use using var virtual
    void volatile when where while with xor yield none
"""
# Before a quote these may be the prefix of a string: r"", rb"", u8"".
_PREFIX_LETTERS = frozenset("rbuflc8")
_MAX_PREFIX = 3
_PLAIN_LANGUAGES = frozenset(_LANGUAGES.split())
_RESERVED = frozenset(_KEYWORDS.split())


def changes_words_only(before: str, after: str, language: Language) -> bool:
    """Return whether names or numbers alone changed, so that both texts parse or neither does."""
    if language.name not in _PLAIN_LANGUAGES:
        return False
    old, new = _changed_lines(before, after)
    ours, theirs = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(ours) != len(theirs):
        return False
    changed = [i for i, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]]
    return all(
        _is_free(ours, i) and _is_free(theirs, i) and _kind(ours[i]) == _kind(theirs[i])
        for i in changed
    )


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    """Return the lines that differ, without the common ones before and after them."""
    start = before.rfind("\n", 0, common_head(before, 0, after, 0)) + 1
    tail = before.find("\n", len(before) - common_tail(before, start, after, start))
    kept = len(before) - tail if tail >= 0 else 0
    return before[start : len(before) - kept], after[start : len(after) - kept]


def _is_free(tokens: list[str], at: int) -> bool:
    """Return whether the token may be any other of its kind there."""
    token = tokens[at]
    near = tokens[max(at - 1, 0) : at] + tokens[at + 1 : at + 2]
    is_tag = tokens[max(at - 1, 0) : at] in (["<"], ["/"])
    quoted = tokens[at + 1 : at + 2] in (['"'], ["'"], ["`"])
    is_prefix = quoted and len(token) <= _MAX_PREFIX and set(token.lower()) <= _PREFIX_LETTERS
    joined = any(other[0].isalnum() or other[0] in "\\%&" for other in near)
    return not (token.lower() in _RESERVED or is_tag or is_prefix or joined)


def _kind(token: str) -> str:
    if token[0].isdigit():
        return "leading zero" if token[0] == "0" and len(token) > 1 else "number"
    if not (token[0].isalpha() or token[0] == "_"):
        return token
    return "upper" if token[0].isupper() else "lower"
