"""Answers for `compact`: what the long form says, in fewer words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from redline.core.text_limits import MAX_SHOWN

_Row = TypeVar("_Row")

# Names with one of these would not be read back as they are inside a glob's braces.
_MEANINGFUL = frozenset("{},*?[]\\ ")
# The globs of this toolset take up to 256 alternatives.
_MAX_IN_BRACES = 200


def by_directory(paths: Iterable[str]) -> list[str]:
    """*paths* in order, those of one directory as one glob: `src/{a.py,b.py}`."""
    groups: dict[str, list[str]] = {}
    lines: list[str] = []
    for path in paths:
        directory, slash, name = path.rpartition("/")
        if _MEANINGFUL.isdisjoint(name) and not _MEANINGFUL & set(directory) - {" "}:
            groups.setdefault(directory + slash, []).append(name)
        else:
            lines.append(path)
    for directory, names in groups.items():
        for start in range(0, len(names), _MAX_IN_BRACES):
            part = names[start : start + _MAX_IN_BRACES]
            lines.append(directory + (part[0] if len(part) == 1 else f"{{{','.join(part)}}}"))
    return lines


def below(base: str, path: str) -> str:
    """*path* relative to the directory *base*, or as it is where it lies elsewhere."""
    return path.removeprefix(base.rstrip("/") + "/")


def equal_lines_once(found: Sequence[tuple[str, int, str]]) -> list[str]:
    """Format (path, line number, text) like grep; equal texts once, with their lines below."""
    groups: dict[str, dict[str, list[str]]] = {}
    for path, number, text in found:
        groups.setdefault(text.strip(), {}).setdefault(path, []).append(str(number))
    lines: list[str] = []
    for text, files in groups.items():
        places = [f"{path}:{','.join(numbers)}" for path, numbers in files.items()]
        if len(places) == 1:
            lines.append(f"{places[0]}:{text}")
        else:
            lines += [text, *(f" {place}" for place in places)]
    return lines


def fit_rows(
    rows: Sequence[_Row], write: Callable[[Sequence[_Row]], list[str]]
) -> tuple[Sequence[_Row], list[str]]:
    """Return the first of *rows* whose lines clients show whole, and the lines of *write*."""
    lines = write(rows)
    while len(rows) > 1 and len("\n".join(lines).encode("utf-8", "replace")) > MAX_SHOWN:
        rows = rows[: len(rows) * 3 // 4]
        lines = write(rows)
    return rows, lines
