"""Plan a rename in one file without parsing what cannot matter to it, if the file is large."""

from __future__ import annotations

import re
from dataclasses import replace

from redline.code.rename.in_file import Replacement, last_word, plan_rename
from redline.code.scopes.read import SCOPED
from redline.code.syntax.changed_part import MIN_LINES
from redline.code.syntax.definitions import parse, readable
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import Language
from redline.code.syntax.outlines.cutting import outline_of
from redline.code.syntax.outlines.lexers import LEXERS
from redline.code.syntax.outlines.named import MAX_SHARE
from redline.code.syntax.outlines.related import related_outline


def plan_text_rename(
    text: str, language: Language, old: str, new: str, *, lines: range | None, everywhere: bool
) -> list[Replacement]:
    """Plan a rename in *text* as `plan_rename` does."""
    if text.count("\n") >= MIN_LINES:
        found = outlined_rename(text, language, old, new, lines=lines, everywhere=everywhere)
        if found is not None:
            return found
    return plan_rename(parse(text, language), old, new, lines=lines, everywhere=everywhere)


def outlined_rename(
    text: str,
    language: Language,
    old: str,
    new: str,
    *,
    lines: range | None = None,
    everywhere: bool = False,
    max_share: float = MAX_SHARE,
) -> list[Replacement] | None:
    """Return the same by an outline of *text*; None if that is uncertain or not worth it."""
    if language.name not in LEXERS:
        return None
    word = re.compile("|".join(re.escape(last_word(name)) for name in (old, new)))
    spots = [match.start() for match in word.finditer(text)]
    is_scoped = language.name in SCOPED and not everywhere
    outline = (related_outline if is_scoped else outline_of)(text, language, spots)
    if len(outline.text) > max_share * len(text):
        return None
    parsed = parse(outline.text, language)
    plain = readable(parsed)
    if syntax_issues(parsed) or (plain is not parsed and syntax_issues(plain)):
        return None
    return [
        replace(item, start=outline.offset(item.start), end=outline.offset(item.end - 1) + 1)
        for item in plan_rename(parsed, old, new, lines=lines, everywhere=everywhere)
    ]
