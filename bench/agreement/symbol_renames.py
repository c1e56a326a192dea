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
gopls renames in them. `listed`: Redline renames less, and all places that only the service renames
are listed as possible references. Where they differ otherwise, the compiler or type checker
decides: `better` if it has new problems after the service's rename and none after Redline's, else
`wrong`. Gopls and rust-analyzer do not see what a build leaves out for its tags, features or
system: where only that differs, `better` needs no new problems, in Go with every tag. What the
service itself declines is not compared, nor what it would rename in a library. `kept`: a library
or the start of a program asks for the name, and the check has new problems after the service's
rename.

REDLINE_RENAMES=60 takes the first 60 of them in each project, 20:40 those after the first 20;
REDLINE_SECONDS=150 begins no further one of a project after that time.
With REDLINE_CHECKED=1 all accepted renames of a project are then carried out one after the other,
and its check runs before and after them: `breaks` are the new problems. Those that leave listed
places come last, and have a count of their own.
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
from time import monotonic

from bench.agreement.rename_checks import Problems, left_out_of_build, new_problems, problems
from bench.agreement.rename_judges import FRESH, JUDGES, Judge, Place, Replaced, read, staged
from redline.app import Redline
from redline.code.syntax.languages import language_of
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.services.code.rename import Renamed, RenameRequest, plan_symbol_rename
from redline.settings import Settings

SEED = 20_261
KEPT = ("of a library", "A program starts")
UNCERTAIN = "It is not certain whether these refer"
_FIRST, _, _LAST = os.environ.get("REDLINE_RENAMES", "60").rpartition(":")
PER_PROJECT = slice(int(_FIRST or 0), int(_LAST))
SECONDS = float(os.environ.get("REDLINE_SECONDS", "inf"))
CHECKED = os.environ.get("REDLINE_CHECKED", "0") != "0"


def compare(language: str, tool: Path, project: Path, which: slice, show: bool) -> Counter[str]:
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
        others = _places(redline, sorted({*root.rglob("*.py")} - {*files}))
        trial = Trial(language, tool, root, redline, judge, [*places, *others])
        ends = monotonic() + SECONDS
        for place in places[which]:
            if monotonic() > ends:
                break
            verdict, why = trial.verdict(place)
            counts[verdict] += 1
            if verdict in ("same", "better", "listed"):
                trial.accepted[verdict == "listed"].append(place)
            if verdict == "refused":
                counts[f"  {' '.join(why.split(':')[0].split()[:4])}"] += 1
            if show and verdict != "declined":
                name = place.path.relative_to(root)
                print(f"{verdict}: {name}:{place.line} {place.name}: {why[:400]}", flush=True)
        counts.update({f"  else {verdict}": n for verdict, n in trial.otherwise.items()})
        if CHECKED:
            counts["breaks"] = trial.carry_out(trial.accepted[False])
            counts["breaks by listed"] = trial.carry_out(trial.accepted[True])
            counts["checked"] = len(trial.old_names)
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
    # All definitions, of Python also those in files that none is picked from.
    places: list[Place]
    # By whether places are left that may refer to it, which are listed.
    accepted: dict[bool, list[Place]] = field(default_factory=lambda: {False: [], True: []})
    old_names: dict[str, str] = field(default_factory=dict)
    # How renames would have ended that are refused for uncertain references.
    otherwise: Counter[str] = field(default_factory=Counter)
    _before: Problems | None = None

    def verdict(self, place: Place) -> tuple[str, str]:
        """Return how a rename compares, and why."""
        expected = self.judge(place)
        if not expected:
            return "declined", ""
        if any(not spot.path.is_relative_to(self.root) for way in expected for spot in way):
            return "declined", ""
        try:
            made = self._plan(place, place.fresh)
        except RedlineError as error:
            is_kept = any(reason in error.message for reason in KEPT)
            ways = [_apply(spots, place.fresh) for spots in expected] if is_kept else []
            is_kept = is_kept and all(self._new(place, way) for way in ways)
            if error.message.startswith(UNCERTAIN):
                made = self._plan(place, place.fresh, possible=False)
                self.otherwise[self._compare(place, made, expected)[0]] += 1
            return ("kept" if is_kept else "refused"), error.message
        return self._compare(place, made, expected)

    def _compare(
        self, place: Place, made: Renamed, expected: list[list[Replaced]]
    ) -> tuple[str, str]:
        ours = _texts(made.change_set, self.root)
        ways = [_apply(spots, place.fresh) for spots in expected]
        if ours not in ways and self.language == "python":
            extended = _with_overrides(place, self.places, ours, self.judge, expected[0])
            ways.append(_apply(extended, place.fresh))
        if ours in ways:
            return "same", ""
        differences = [_differing(ours, way, self.root) for way in ways]
        if any(not lines for lines in differences):
            return "same", ""
        listed = set(made.possible)
        if any(
            lines <= listed and not _beyond(ours, way)
            for lines, way in zip(differences, ways, strict=True)
        ):
            return "listed", ", ".join(sorted(min(differences, key=len)))
        why = ", ".join(sorted(min(differences, key=len))[:6])
        is_better = not self._new(place, ours) and (
            self._differ_unseen(differences) or all(self._new(place, way) for way in ways)
        )
        return "better" if is_better else "wrong", why

    def _differ_unseen(self, differences: list[set[str]]) -> bool:
        left_out = left_out_of_build(self.language, self.root)
        unseen = {str(path.relative_to(self.root)) for path in left_out}
        return any({line.rpartition(":")[0] for line in each} <= unseen for each in differences)

    def carry_out(self, places: list[Place]) -> int:
        """Make renames, one upon the other, and count the problems that the check finds now."""
        before = self._problems_before()
        for place in places:
            fresh = f"{place.fresh}_{len(self.old_names)}_"
            try:
                made = self._plan(place, fresh)
            except RedlineError:
                continue  # an earlier one renamed it too
            self.old_names[fresh] = place.name
            for path, text in _texts(made.change_set, self.root).items():
                path.write_bytes(text.encode())
            self.redline.code_index.build()
        found = problems(self.language, self.tool, self.root, self.old_names) - before
        self._before = before + found
        for problem in list(found)[:9]:
            print(f"breaks: {problem}", flush=True)
        return found.total()

    def _plan(self, place: Place, fresh: str, possible: bool | None = None) -> Renamed:
        at = self.redline.workspace.resolve(str(place.path), Access.READ)
        request = RenameRequest(place.name, fresh, at, place.line, possible)
        return plan_symbol_rename(self.redline, request, Access.READ, UNCANCELLABLE)

    def _problems_before(self) -> Problems:
        if self._before is None:
            self._before = problems(self.language, self.tool, self.root, {})
        return self._before

    def _new(self, place: Place, texts: dict[Path, str]) -> Problems:
        before, names = self._problems_before(), {place.fresh: place.name}
        return new_problems(self.language, self.tool, self.root, names, texts, before)


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


def _beyond(ours: dict[Path, str], theirs: dict[Path, str]) -> bool:
    """Whether a file has the new name more often by Redline than by the service."""
    return any(
        text.count(FRESH) > theirs.get(path, read(path)).count(FRESH) for path, text in ours.items()
    )


def _apply(spots: list[Replaced], fresh: str) -> dict[Path, str]:
    texts: dict[Path, str] = {}
    for spot in sorted(spots, key=lambda spot: -spot.start):
        text = texts.get(spot.path) or read(spot.path)
        new = f"{spot.prefix}{fresh}{spot.suffix}"
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
    compared = sum(total[each] for each in ("same", "listed", "better", "wrong", "refused", "kept"))
    print(f"{language}: {compared} renames, {dict(total)}")
    print(f"refused {100 * total['refused'] / max(1, compared):.1f} %, wrong {total['wrong']}")
    left = total["breaks by listed"]
    print(f"checked {total['checked']}, breaks {total['breaks']}, by listed {left}")


if __name__ == "__main__":
    main(sys.argv[1:])
