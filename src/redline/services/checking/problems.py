"""What checkers say, as values; and which of it the old contents did not have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class CheckerMessage(NamedTuple):
    """One message of a checker about a file; `line` is 0 where it names none."""

    tool: str
    path: str
    line: int
    code: str
    message: str

    def __str__(self) -> str:
        code = f"{self.code} " if self.code else ""
        return f"{self.path}:{self.line}: {code}{self.message} ({self.tool})"


_COLONS = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?P<message>.+)$", re.MULTILINE
)
_FORMS = {
    "mypy": re.compile(
        r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? error: (?P<message>.+?)"
        r"(?:  \[(?P<code>[\w-]+)\])?$",
        re.MULTILINE,
    ),
    "ruff": re.compile(
        r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?:(?P<code>[A-Z]+\d+|[\w-]+:) )?"
        r"(?:\[\*\] )?(?P<message>.+)$",
        re.MULTILINE,
    ),
    "ruff format": re.compile(
        r"Failed to parse (?P<path>[^\n:]+):(?P<line>\d+):\d+: (?P<message>.+)$", re.MULTILINE
    ),
    "tsc": re.compile(
        r"^(?P<path>[^\s(][^\n(]*)\((?P<line>\d+),\d+\): error (?P<code>TS\d+): (?P<message>.+)$",
        re.MULTILINE,
    ),
    "prettier": re.compile(
        r"^\[error\] (?P<path>[^\n:]+): (?P<message>.+?) \((?P<line>\d+):\d+\)$", re.MULTILINE
    ),
    "rustfmt": re.compile(
        r"^error(?:\[(?P<code>\w+)\])?: (?P<message>.+)\n\s*--> (?P<path>.+?):(?P<line>\d+):\d+$",
        re.MULTILINE,
    ),
}
_LINE_NUMBER = re.compile(r"\bline \d+")


def read_problems(tool: str, output: str, name: Callable[[str], str]) -> list[CheckerMessage]:
    """Return what *output* of a tool names; *name* turns its paths into ours."""
    found = _FORMS.get(tool, _COLONS).finditer(output)
    return [
        CheckerMessage(
            tool,
            name(match["path"]),
            int(match["line"]),
            (match.groupdict().get("code") or "").rstrip(":"),
            match["message"].strip(),
        )
        for match in found
    ]


def find_new(
    before: Sequence[CheckerMessage],
    after: Sequence[CheckerMessage],
    moved: Callable[[str, int], int],
) -> list[CheckerMessage]:
    """Return the problems of *after* that *before* does not have, each as often as it is new.

    Lines move, so a problem is known by its file and message. *moved* says where a line of the
    old file is in the new one: it chooses which of several alike is the new one.
    """
    old = _group(before)
    fresh: list[CheckerMessage] = []
    for key, group in _group(after).items():
        known = old.get(key, [])
        extra = len(group) - len(known)
        if extra > 0:
            fresh += _choose(group, known, extra, moved)
    order = {problem: number for number, problem in enumerate(after)}
    return sorted(fresh, key=lambda problem: order[problem])


def _choose(
    group: Sequence[CheckerMessage],
    known: Iterable[CheckerMessage],
    extra: int,
    moved: Callable[[str, int], int],
) -> list[CheckerMessage]:
    expected = Counter(moved(problem.path, problem.line) for problem in known)
    first: list[CheckerMessage] = []
    rest: list[CheckerMessage] = []
    for problem in group:
        if expected[problem.line] > 0:
            expected[problem.line] -= 1
            rest.append(problem)
        else:
            first.append(problem)
    return [*first, *rest][:extra]


def _group(
    problems: Iterable[CheckerMessage],
) -> dict[tuple[str, str, str, str], list[CheckerMessage]]:
    groups: dict[tuple[str, str, str, str], list[CheckerMessage]] = {}
    for problem in problems:
        message = _LINE_NUMBER.sub("line", problem.message)
        groups.setdefault((problem.tool, problem.path, problem.code, message), []).append(problem)
    return groups


def first_words(*outputs: str) -> str:
    """Return the first line that says something."""
    return next(_words(outputs), "it said nothing")


def _words(outputs: Iterable[str]) -> Iterator[str]:
    for output in outputs:
        yield from (line.strip() for line in output.splitlines() if line.strip())
