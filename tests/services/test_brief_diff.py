"""A change in the fewest words says what the unified diff says."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.diff import unified_diff
from redline.core.paths import WorkspacePath
from redline.services.brief_diff import brief_change

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


def brief(max_chars: int, **files: tuple[str | None, str | None]) -> str:
    """Return the change of files, each given as its text before and after, in the fewest words."""
    states = {
        name: [ABSENT if text is None else FileState.of(text.encode()) for text in texts]
        for name, texts in files.items()
    }
    steps = [Change(WorkspacePath(0, (name,)), *both) for name, both in states.items()]
    return brief_change(ChangeSet(tuple(steps)), lambda path: path.relative, max_chars)


@given(_LINES, _LINES)
def test_every_changed_line_is_told_of_and_no_other(old: list[str], new: list[str]) -> None:
    assume(old != new)
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    diff = unified_diff(before, after, "a/f", "b/f")
    wanted = sorted(
        (line[0], line[1:])
        for line in diff.splitlines()[2:]
        if line[:1] in ("-", "+") and not line.startswith("@@")
    )
    assert sorted(expand(brief(100_000, f=(before, after)))) == wanted


@pytest.mark.requirement("agent-true-reports")
def test_a_long_diff_names_its_files() -> None:
    before, after = ("".join(f"{word} {n}\n" for n in range(50)) for word in ("old", "new"))
    assert brief(200, f=(before, after), g=(None, "x\n")) == "edited f (+50 -50)\ncreated g (+1)"


@pytest.mark.requirement("agent-true-reports")
def test_many_files_are_counted_and_the_first_are_named() -> None:
    before, after = ("".join(f"{word} {n}\n" for n in range(300)) for word in ("old", "new"))
    files = {f"m{n:02}": (before, after) for n in range(30)}
    said = brief(1500, **files, made=(None, "x\n"))
    assert said == (
        "edited 30 files (+9000 -9000): m00, m01, m02, m03, m04 and 25 more\ncreated made (+1)"
    )


@pytest.mark.requirement("engine-long-lines")
def test_a_changed_long_line_shows_what_changed_in_it() -> None:
    line = "".join(f"a{n}=f({n});" for n in range(4000))
    said = brief(1500, f=(line, line.replace("f(2500)", "g(2500)")))
    assert re.fullmatch(r"f:1:\[\.\.\. [0-9,]+ characters \.\.\.\].*\]", said)
    assert "a2500=[-f-]{+g+}(2500);" in said
    assert len(said) < 300


def test_a_change_of_only_the_newline_at_the_end_is_told_of() -> None:
    ended, open_ended = "one\nlast\n", "one\nlast"
    added = brief(1000, f=(open_ended, ended))
    assert added == "f:2\n-last\n\\ No newline at end of file\n+last"
    removed = brief(1000, f=(ended, open_ended))
    assert removed == "f:2\n-last\n+last\n\\ No newline at end of file"
    assert brief(1000, f=("one\nlast", "one\nfinal")) == "f:2\n-last\n+final"


def test_hidden_characters_are_escaped_where_they_are_shown() -> None:
    said = brief(1000, f=("a\u200b\nx = 1\n", "a\u200b\nx = 2\n"))
    assert said == "f:2:x = [-1-]{+2+}"
    said = brief(1000, f=("x = 1\n", "x = \u200b2\n"))
    assert said.startswith("warning: hidden characters are shown escaped\nf:1")
    assert "\\u200b" in said
    assert brief(1000, f=("a\r\nb\r\n", "a\r\nc\r\n")) == "f:2\n-b\n+c"
    assert "+c\\u000d" in brief(1000, f=("a\nb\n", "a\nc\r\n"))
