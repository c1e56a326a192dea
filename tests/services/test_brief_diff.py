"""A change in the fewest words says what the unified diff says."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from redline.core.diff import unified_diff
from redline.services.brief_diff import brief_diff

_LINES = st.lists(
    st.sampled_from(["total = rate * 2", "total = rate * 3", "", "-- dash", "++ plus", "x", "yy"]),
    max_size=12,
)
_WHERE = re.compile(r"f:(\d+)(?::(.*))?")


def expand(brief: str) -> list[tuple[str, str]]:
    """The removed and added lines that a brief diff tells of, in order."""
    found: list[tuple[str, str]] = []
    for line in brief.splitlines():
        merged = _WHERE.fullmatch(line)
        text = merged[2] if merged else line[1:] if line.startswith(" ") else None
        if text is not None:
            old = re.sub(r"\{\+.*?\+\}", "", re.sub(r"\[-(.*?)-\]", r"\1", text))
            new = re.sub(r"\[-.*?-\]", "", re.sub(r"\{\+(.*?)\+\}", r"\1", text))
            found += [("-", old), ("+", new)]
        elif not merged:
            found.append((line[0], line[1:]))
    return found


@given(_LINES, _LINES)
def test_every_changed_line_is_told_of_and_no_other(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    diff = unified_diff(before, after, "a/f", "b/f")
    wanted = sorted(
        (line[0], line[1:])
        for line in diff.splitlines()[2:]
        if line[:1] in ("-", "+") and not line.startswith("@@")
    )
    assert sorted(expand(brief_diff(diff, 100_000))) == wanted


def test_a_long_diff_names_its_files() -> None:
    before, after = ("".join(f"{word} {n}\n" for n in range(50)) for word in ("old", "new"))
    diff = unified_diff(before, after, "a/f", "b/f") + unified_diff("", "x\n", "/dev/null", "b/g")
    assert brief_diff(diff, 200) == "edited f (+50 -50)\ncreated g (+1)"


def test_a_change_of_only_the_newline_at_the_end_is_told_of() -> None:
    ended, open_ended = "one\nlast\n", "one\nlast"
    added = unified_diff(open_ended, ended, "a/f", "b/f")
    assert brief_diff(added, 1000) == "f:2\n-last\n\\ No newline at end of file\n+last"
    removed = unified_diff(ended, open_ended, "a/f", "b/f")
    assert brief_diff(removed, 1000) == "f:2\n-last\n+last\n\\ No newline at end of file"
    other = unified_diff("one\nlast", "one\nfinal", "a/f", "b/f")
    assert brief_diff(other, 1000) == "f:2\n-last\n+final"


def test_hidden_characters_are_not_counted_where_the_context_is_not_shown() -> None:
    diff = unified_diff("a\\u0000\nx = 1\n", "a\\u0000\nx = 2\n", "a/f", "b/f")
    brief = brief_diff(f"warning: 1 hidden character is shown escaped\n{diff}", 1000)
    assert brief == "warning: hidden characters are shown escaped\nf:2:x = [-1-]{+2+}"
