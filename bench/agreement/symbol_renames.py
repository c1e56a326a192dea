"""`rename` of symbols in whole projects against the language services.

    python -m bench.agreement.symbol_renames python PYRIGHT_PACKAGE PROJECT...
    python -m bench.agreement.symbol_renames typescript TYPESCRIPT_PACKAGE PROJECT...
    python -m bench.agreement.symbol_renames go GOPLS PROJECT...
    python -m bench.agreement.symbol_renames rust RUST_ANALYZER PROJECT...

Projects of Go lie in a GOPATH with what they import, crates beside those that they need
(`CARGO_REGISTRY`); `rename_projects.toml` lists the projects and where they come from.

Fixed before measuring: definitions are picked at random (seeded) among all that the files have,
functions, classes, methods and variables alike. Each is renamed by its path and line, and by the
service at the same place. `same`: the same texts afterwards; of Python also what pyright renames
at a method and at those that override it, which it keeps apart. Comments of Go are left out:
gopls renames in them. `listed`: the places that only the service renames are all listed as
possible references. Where they differ otherwise, the compiler or type checker decides: `better`
if it has new problems after the service's rename and none after Redline's, else `wrong`. What the
service itself declines is not compared, nor what it would rename in a library.

With REDLINE_CHECKED=N the check of the project runs after N accepted renames of each project:
`breaks` are those with new problems.
"""

from __future__ import annotations

import ast
import os
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from bench.agreement.rename_checks import Problems, new_problems, problems
from bench.agreement.rename_judges import FRESH, JUDGES, Judge, Place, Replaced, read, staged
from redline.app import Redline
from redline.code.syntax.languages import language_of
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.settings import Settings

SEED = 20_261
PER_PROJECT = int(os.environ.get("REDLINE_RENAMES", "60"))
CHECKED = int(os.environ.get("REDLINE_CHECKED", "0"))


def compare(language: str, tool: Path, project: Path, most: int, show: bool) -> Counter[str]:
    """Count how renames in one project end."""
    counts: Counter[str] = Counter()
    with (
        staged(language, project) as (root, files),
        tempfile.TemporaryDirectory() as state,
        Redline(Settings(workspace=str(root), state_dir=state, record=False)) as redline,
        JUDGES[language](tool, root, files) as judge,
    ):
        redline.code_index.build()
        places = _places(redline, files)
        random.Random(SEED).shuffle(places)
        trial = Trial(language, tool, root, redline, judge, places)
        for place in places[:most]:
            verdict, why = trial.verdict(place)
            counts[verdict] += 1
            counts["breaks"] += trial.breaks(place) if verdict in ("same", "listed") else 0
            if verdict == "refused":
                counts[f"  {' '.join(why.split(':')[0].split()[:4])}"] += 1
            if show and verdict in ("wrong", "better", "refused"):
                name = place.path.relative_to(root)
                print(f"{verdict}: {name}:{place.line} {place.name}: {why[:400]}", flush=True)
        counts["checked"] = trial.checked
    return counts


def _places(redline: Redline, files: list[Path]) -> list[Place]:
    found = []
    for path in files:
        language, text = language_of(path.name), read(path)
        if language is not None:
            for symbol in redline.analysis.symbols(text, language):
                name = symbol.name.rpartition(".")[2]
                at = text.find(name, symbol.offset)
                if name.isidentifier() and not name.startswith("__") and at >= 0:
                    found.append(Place(path, text.count("\n", 0, at) + 1, at, symbol))
    return found


@dataclass(slots=True)
class Trial:
    """Renames in one project, and how each ends."""

    language: str
    tool: Path
    root: Path
    redline: Redline
    judge: Judge
    places: list[Place]
    checked: int = 0
    _ours: dict[Path, str] = field(default_factory=dict)
    _before: Problems | None = None

    def verdict(self, place: Place) -> tuple[str, str]:
        """Return how a rename compares, and why."""
        expected = self.judge(place)
        if not expected:
            return "declined", ""
        if any(not spot.path.is_relative_to(self.root) for way in expected for spot in way):
            return "declined", ""
        at = self.redline.workspace.resolve(str(place.path), Access.READ)
        request = RenameRequest(place.name, FRESH, at, place.line)
        try:
            made = plan_symbol_rename(self.redline, request, Access.READ, UNCANCELLABLE)
        except RedlineError as error:
            return "refused", error.message
        ours = self._ours = _texts(made.change_set, self.root)
        ways = [_apply(spots) for spots in expected]
        if ours not in ways and self.language == "python":
            extended = _with_overrides(place, self.places, ours, self.judge, expected[0])
            ways.append(_apply(extended))
        if ours in ways:
            return "same", ""
        differences = [_differing(ours, way, self.root) for way in ways]
        if any(not lines for lines in differences):
            return "same", ""
        if any(lines <= set(made.possible) for lines in differences):
            return "listed", ""
        why = ", ".join(sorted(min(differences, key=len))[:6])
        is_better = not self._new(place, ours) and all(self._new(place, way) for way in ways)
        return "better" if is_better else "wrong", why

    def breaks(self, place: Place) -> bool:
        """Whether the project's check has new problems after the last rename, if it is run."""
        if self.checked >= CHECKED:
            return False
        self.checked += 1
        found = self._new(place, self._ours)
        if found:
            name = place.path.relative_to(self.root)
            print(f"breaks: {name}:{place.line} {place.name}: {list(found)[:3]}", flush=True)
        return bool(found)

    def _new(self, place: Place, texts: dict[Path, str]) -> Problems:
        if self._before is None:
            self._before = problems(self.language, self.tool, self.root)
        return new_problems(self.language, self.tool, self.root, place.name, texts, self._before)


def _texts(change_set: ChangeSet, root: Path) -> dict[Path, str]:
    return {
        root / step.path.relative: step.after.content.decode("utf-8", "replace")
        for step in change_set.steps
        if isinstance(step, Change) and isinstance(step.after, FileState) and step.after.content
    }


def _with_overrides(
    place: Place,
    places: list[Place],
    ours: dict[Path, str],
    judge: Judge,
    expected: list[Replaced],
) -> list[Replaced]:
    """What pyright renames at a member and at those that override it, which it keeps apart.

    Of the definitions that Redline renames, those count whose classes inheritance joins.
    """
    found = dict.fromkeys(expected)
    bases = _bases(tuple(sorted({other.path for other in places})))
    for other in places:
        is_renamed = other.name == place.name and FRESH in _line(ours, other)
        if is_renamed and other != place and _are_joined(place.owner, other.owner, bases):
            found.update(dict.fromkeys(spot for way in judge(other) for spot in way))
    return list(found)


def _line(texts: dict[Path, str], place: Place) -> str:
    return texts.get(place.path, "\n" * place.line).split("\n")[place.line - 1]


@lru_cache(1)
def _bases(files: tuple[Path, ...]) -> dict[str, set[str]]:
    """The names of classes, with those of their bases and of what derives from them."""
    found: dict[str, set[str]] = {}
    for path in files:
        for node in ast.walk(ast.parse(read(path))):
            for base in node.bases if isinstance(node, ast.ClassDef) else ():
                named = base.value if isinstance(base, ast.Subscript) else base
                name = ast.unparse(named).rpartition(".")[2]
                found.setdefault(node.name, set()).add(name)
                found.setdefault(name, set()).add(node.name)
    return found


def _are_joined(first: str, second: str, bases: dict[str, set[str]]) -> bool:
    seen, waiting = {first}, [first]
    while waiting:
        new = bases.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return second in seen


def _differing(ours: dict[Path, str], theirs: dict[Path, str], root: Path) -> set[str]:
    """The lines that differ, as Redline names possible references."""
    found = set()
    for path in {*ours, *theirs}:
        sides = [(texts.get(path) or read(path)).split("\n") for texts in (ours, theirs)]
        before = read(path).split("\n")
        for number, (a, b, c) in enumerate(zip(*sides, before, strict=True), 1):
            if a != b and not (path.suffix == ".go" and c.lstrip().startswith("//")):
                if os.environ.get("SHOW"):
                    print("    ", path.name, number, "OURS" if a != c else "theirs", c.strip()[:90])
                found.add(f"{path.relative_to(root)}:{number}")
    return found


def _apply(spots: list[Replaced]) -> dict[Path, str]:
    texts: dict[Path, str] = {}
    for spot in sorted(spots, key=lambda spot: -spot.start):
        text = texts.get(spot.path) or read(spot.path)
        new = f"{spot.prefix}{FRESH}{spot.suffix}"
        texts[spot.path] = text[: spot.start] + new + text[spot.end :]
    return texts


def main(argv: list[str]) -> None:
    """Print a table for each project."""
    language, tool, *projects = argv
    total: Counter[str] = Counter()
    for project in projects:
        root = Path(project).resolve()
        counts = compare(language, Path(tool).resolve(), root, PER_PROJECT, show=True)
        print(root.name, dict(counts))
        total += counts
    compared = sum(total[each] for each in ("same", "listed", "better", "wrong", "refused"))
    print(f"{language}: {compared} renames, {dict(total)}")
    print(f"refused {100 * total['refused'] / max(1, compared):.1f} %, wrong {total['wrong']}")
    print(f"checked {total['checked']}, breaks {total['breaks']}")


if __name__ == "__main__":
    main(sys.argv[1:])
