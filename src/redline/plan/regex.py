"""Regular expression edits: where the pattern matches, and what the template makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.core.budget import check_count, join_text
from redline.core.cancellation import cancellable
from redline.core.error_families.wording import naming
from redline.core.errors import InvalidPattern, NoMatch
from redline.core.ports.search import Regex, RegexMatch
from redline.plan.match.compose import dominant_end
from redline.plan.match.views import TextView, unify_ends

# \0-\9, $0-$9 and $& name what was matched, $$ is a dollar; \n \t \r \\ are what they look like.
# Any other backslash or dollar means itself.
_REFERENCE = re.compile(r"\\([0-9ntr\\])|\$([0-9&$])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_WRITTEN_CR = re.compile(r"\\r|\\x0[dD]|\\u000[dD]|\\u\{0*[dD]\}|\\cM|\r")
_SKIPPED = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\((\?(?!<[^=!]))?", re.DOTALL)


def count_groups(pattern: str) -> int:
    """How many capture groups a well-formed ECMAScript pattern has."""
    return sum(
        found[0].startswith("(") and found[1] is None for found in _SKIPPED.finditer(pattern)
    )


def parse_template(template: str, groups: int) -> list[str | int]:
    """The template as text and group numbers; a group the pattern lacks is an error."""
    parts: list[str | int] = []
    position = 0
    for found in _REFERENCE.finditer(template):
        parts.append(template[position : found.start()])
        parts.append(_meaning(found[1] or found[2]))
        position = found.end()
    parts.append(template[position:])
    highest = max((part for part in parts if isinstance(part, int)), default=0)
    if highest > groups:
        raise InvalidPattern(
            f"The replacement names capture group {highest}, the pattern has {groups}",
            hint="put parentheses around what to reuse; \\0 or $& is the whole match",
        )
    return parts


def _meaning(mark: str) -> str | int:
    if mark == "&":
        return 0
    if mark == "$":
        return "$"
    return int(mark) if mark.isdigit() else _ESCAPES[mark]


def replace_regex(
    text: str, pattern: str, template: str, regex: Regex, *, limit: int, ignore_case: bool
) -> str:
    """*text* with the first *limit* matches (0 = all) replaced; NoMatch when there is none.

    Unless the pattern speaks of carriage returns, CRLF is one line end to it.
    """
    flags = "mi" if ignore_case else "m"
    groups = count_groups(pattern)
    parts = parse_template(template, groups)
    view = None
    if "\r\n" in text and not _WRITTEN_CR.search(pattern):
        view = TextView(text, str)
    seen = text if view is None else view.text
    # One more than asked for, because a match after the final newline does not count.
    found = regex.find(pattern, seen, flags=flags, limit=limit and limit + 1, groups=groups)
    matches = [m for m in found if not _behind_the_end(m, seen)]
    if limit:
        matches = matches[:limit]
    if not matches:
        raise NoMatch(
            f"The pattern matches nothing in the file: {pattern[:200]}",
            hint=naming(
                "^ and $ match at line ends, . does not cross them; try it with {grep_files}"
            ),
        )
    end = dominant_end(text) or "\n"
    check_count(len(matches))
    return join_text(_splice(text, matches, parts, view, end))


def _behind_the_end(match: RegexMatch, text: str) -> bool:
    """Whether this is the empty line that a final newline seems to open."""
    return match.start == match.end == len(text) and text.endswith("\n")


def _splice(
    text: str, matches: list[RegexMatch], parts: list[str | int], view: TextView | None, end: str
) -> Iterator[str]:
    def raw(offset: int) -> int:
        return offset if view is None else view.raw_offset(offset)

    position = 0
    for match in cancellable(matches):
        yield text[position : raw(match.start)]
        spans = ((match.start, match.end), *match.groups)
        for part in parts:
            if isinstance(part, str):
                yield unify_ends(part).replace("\n", end)
            elif (span := spans[part]) is not None:
                yield text[raw(span[0]) : raw(span[1])]
        position = raw(match.end)
    yield text[position:]
