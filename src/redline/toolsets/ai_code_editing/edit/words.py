"""Pieces of patterns for edit instructions: kinds of definitions, names, quoted text."""

from __future__ import annotations

import re

KIND = (
    r"(?:function|method|class|struct|interface|trait|enum|type|constant|variable|field|property"
    r"|macro|module|namespace|def|fn|func|definition)"
)
# Words that may follow "function" or "after" in a sentence without being a name.
_NOT_NAMES = (
    "the|a|an|this|that|these|which|who|is|are|was|it|its|to|of|in|on|at|and|or|so|with|without|for"
    "|from|by|all|every|each|any|first|second|third|fourth|fifth|last|next|new|old|definition|definitions|declaration|call"
    "|calls|body|has|have|does|returns|ends|starts|begins|there|here|class|function|method"
)
NAME = (
    r"(?:[`'\"](?P<{0}q>[^`'\"\n]+)[`'\"]"
    r"|(?!(?-i:" + _NOT_NAMES + r")\b)(?P<{0}w>[A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*))(?:\(\))?"
)
# After "rename" and "to" any word is a name, and so is what a style sheet names.
ANY_NAME = NAME.replace("(?!(?-i:" + _NOT_NAMES + r")\b)", "").replace(
    r"[A-Za-z_$][\w$]*", r"(?:[.#]?-?|--)[A-Za-z_$](?:[\w$]|-(?=\w|-))*"
)
QUOTED = r"(?:`(?P<{0}b>[^`\n]+)`|\"(?P<{0}d>[^\"\n]+)\"|'(?P<{0}s>[^'\n]+)')"


def compile_words(text: str) -> re.Pattern[str]:
    """Compile a pattern of English words, in any case."""
    return re.compile(text, re.IGNORECASE)


def name_in(match: re.Match[str], key: str) -> str:
    """Return the name or quoted text that the groups named after *key* found."""
    groups = match.groupdict()
    return next(v for k, v in groups.items() if v and k.startswith(key) and len(k) == len(key) + 1)
