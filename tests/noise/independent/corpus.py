"""Real edits: what changed between two versions of a file, one change at a time."""

from __future__ import annotations

import ast
import difflib
import random
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.noise.independent.text import Doc

MOST_LINES, MOST_CHANGED, MOST_BYTES = 1500, 40, 120_000
BINARY = {".png", ".jpg", ".gz", ".zip", ".woff", ".woff2", ".map", ".lock", ".snap"}


@dataclass(frozen=True, slots=True)
class Spot:
    """One real edit: lines start..stop of a file become `added`."""

    doc: Doc
    start: int
    stop: int
    added: tuple[str, ...]
    suffix: str
    symbol: str = ""

    @property
    def removed(self) -> tuple[str, ...]:
        """What the edit takes away."""
        return self.doc.lines[self.start : self.stop]


@dataclass
class Pair:
    """Two versions of one file."""

    name: str
    before: str
    after: str
    spots: list[Spot] = field(default_factory=list)

    @cached_property
    def later(self) -> Doc:
        """The later version."""
        return Doc.of(self.after)

    def changes(self) -> list[Spot]:
        """Each change of the pair by itself, on the earlier version."""
        if self.spots:
            return self.spots
        doc, suffix = Doc.of(self.before), Path(self.name).suffix
        matcher = difflib.SequenceMatcher(None, doc.lines, self.later.lines, autojunk=True)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal" and (i2 - i1) + (j2 - j1) <= MOST_CHANGED:
                self.spots.append(Spot(doc, i1, i2, self.later.lines[j1:j2], suffix))
        return self.spots

    def functions(self) -> list[Spot]:
        """Python functions that both versions define once and the later one changed."""
        if not self.name.endswith(".py"):
            return []
        old, new = functions_of(self.before), functions_of(self.after)
        doc = Doc.of(self.before)
        return [
            Spot(doc, a, b, self.later.lines[c:d], ".py", name)
            for name, (a, b) in old.items()
            for c, d in [new.get(name, (0, 0))]
            if d and doc.lines[a:b] != self.later.lines[c:d] and b - a <= MOST_CHANGED
        ]


def functions_of(source: str) -> dict[str, tuple[int, int]]:
    """Line ranges of the functions whose extent nobody can argue about, by qualified name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    lines = Doc.of(source).lines
    found: dict[str, list[tuple[int, int]]] = {}
    _collect(tree, "", found)
    return {
        name: places[0]
        for name, places in found.items()
        if len(places) == 1 and _stands_alone(lines, *places[0])
    }


def _collect(node: ast.AST, prefix: str, found: dict[str, list[tuple[int, int]]]) -> None:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}.{child.name}".strip(".")
            decorated = bool(child.decorator_list) or isinstance(child, ast.ClassDef)
            place = (-1, -1) if decorated else (child.lineno - 1, child.end_lineno or 0)
            found.setdefault(name, []).append(place)
        _collect(child, name, found)


def _stands_alone(lines: tuple[str, ...], start: int, stop: int) -> bool:
    """Neither a decorator nor a comment touches it, and it does not share a line."""
    if start < 0 or stop - start < 2:
        return False
    above = lines[start - 1].strip() if start else ""
    below = next((line.strip() for line in lines[stop:] if line.strip()), "")
    return not above.startswith(("#", "@")) and not below.startswith("#")


def usable(content: bytes) -> str | None:
    """The text of a file fit to take edits from, with its lines ended by LF."""
    if not content or len(content) > MOST_BYTES or b"\0" in content:
        return None
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")
    if len(lines) < 5 or len(lines) > MOST_LINES or max(map(len, lines)) > 400:
        return None
    return text if text.endswith("\n") else text + "\n"


def from_releases(folder: Path) -> list[Pair]:
    """Pairs between the two releases that `fetch` unpacked for each project."""
    found = []
    for project in sorted(folder.iterdir()):
        for early in sorted((project / "a").rglob("*")):
            late = project / "b" / early.relative_to(project / "a")
            if early.suffix in BINARY or not early.is_file() or not late.is_file():
                continue
            before, after = usable(early.read_bytes()), usable(late.read_bytes())
            if before and after and before != after:
                found.append(Pair(f"{project.name}/{early.name}", before, after))
    return found


def from_history(repository: Path, *, commits: int = 200) -> list[Pair]:
    """Pairs between commits of a git repository and their parents.

    The oldest ones: they stay the same when the history grows.
    """
    found = []
    revisions = _git(repository, "rev-list", "--no-merges", "--reverse", "HEAD").split()
    for revision in revisions[:commits]:
        listed = _git(repository, "diff-tree", "-r", "--diff-filter=M", "--no-commit-id", revision)
        for row in listed.splitlines():
            facts, name = row.split("\t", 1)
            _, _, old, new, _ = facts.split()
            before, after = (usable(_blob(repository, name)) for name in (old, new))
            if before and after:
                found.append(Pair(f"{revision[:8]}/{Path(name).name}", before, after))
    return found


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace")


def _blob(repository: Path, name: str) -> bytes:
    command = ["git", "-C", str(repository), "cat-file", "blob", name]
    return subprocess.run(command, capture_output=True, check=True).stdout


def from_installed(package: Path, rng: random.Random, *, files: int = 40) -> list[Pair]:
    """Where there is no history: installed sources, with some of their own lines moved about."""
    found = []
    sources = sorted(package.rglob("*.py"))
    for path in rng.sample(sources, min(files, len(sources))):
        text = usable(path.read_bytes())
        if text and len(text) > 2_000:
            lines = text.split("\n")
            for _ in range(6):
                at, take = rng.randrange(len(lines) - 4), rng.randrange(1, 3)
                lines[at : at + take] = [line.replace("e", "oe") for line in lines[at : at + 2]]
            found.append(Pair(path.name, text, "\n".join(lines)))
    return found
