"""Members of the same name in other types: which of them may override one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, GrepLine, GrepQuery
from redline.services.runtime import Runtime

_MAX_LINES = 50_000
_WORD = re.compile(r"[^\W\d][\w$]*")
_PYTHON = re.compile(r"^\s*class\s+(?P<name>\w+)\s*(?:\[[^\]]*\])?\s*(?P<bases>\(.*\))?\s*:")
_SCRIPT = re.compile(
    r"\b(?:class|interface)\s+(?P<name>[\w$]+)(?P<bases>[^{]*)\{"
    r"|\btype\s+(?P<alias>[\w$]+)\s*(?:<.*?>)?\s*="
)
# Bases that give a class no members of their own.
_PLAIN = frozenset({"object", "Generic"})
SCRIPT_GLOBS = ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts")
_DECLARATIONS = {
    "python": (r"^\s*class\s+\w+", ("*.py", "*.pyi")),
    "javascript": (
        r"\b(class|interface|type)\s+[\w$]+",
        SCRIPT_GLOBS,
    ),
}


class ClassFamilies:
    """Classes and interfaces by name, joined where one extends another.

    A name means all classes of that name, so that unrelated ones may seem related, never the
    other way round. A class whose bases are not on its first line is related to everything.
    """

    def __init__(self, lines: Iterable[str], group: str) -> None:
        self._joined: dict[str, str] = {}
        self._open: set[str] = set()
        for line in lines:
            self._read(line, group)

    def are_apart(self, first: str, second: str) -> bool:
        """Return whether no class can have members of both."""
        if not first or not second or first == second:
            return False
        one, other = self._find(first), self._find(second)
        known = first in self._joined and second in self._joined
        return known and one != other and not {one, other} & set(map(self._find, self._open))

    def _read(self, line: str, group: str) -> None:
        found = (_PYTHON if group == "python" else _SCRIPT).search(line)
        if found is None:
            begun = re.search(r"\b(?:class|interface|type)\s+([\w$]+)", line)
            if begun is not None:
                self._find(begun[1])
                self._open.add(begun[1])
            return
        alias = found.groupdict().get("alias")
        name = str(alias or found["name"])
        self._find(name)
        if alias:
            self._open.add(name)
            return
        for base in _WORD.findall(found["bases"] or ""):
            if base == "Protocol":
                self._open.add(name)
            elif base not in _PLAIN and base not in ("extends", "implements", "metaclass"):
                self._joined[self._find(base)] = self._find(name)

    def _find(self, name: str) -> str:
        self._joined.setdefault(name, name)
        while self._joined[name] != name:
            name = self._joined[name]
        return name


def read_families(runtime: Runtime, root: int, group: str, cancel: Cancel) -> ClassFamilies | None:
    """Return the classes of a root; None where types are related without saying so."""
    if group not in _DECLARATIONS:
        return None
    pattern, globs = _DECLARATIONS[group]
    query = GrepQuery(pattern, include=globs, max_matches=_MAX_LINES, columns=False)
    found = runtime.grep.search([WorkspacePath(root, ())], query, cancel)
    if found.timed_out or found.total > _MAX_LINES:
        return None
    return ClassFamilies(_texts(found.lines), group)


def _texts(lines: Iterable[GrepLine]) -> Iterator[str]:
    return (line.text for line in lines if line.is_match)
