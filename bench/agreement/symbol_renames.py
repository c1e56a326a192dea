"""`rename` of symbols in whole projects against pyright and the TypeScript service.

    python -m bench.agreement.symbol_renames python PYRIGHT_PACKAGE PROJECT...
    python -m bench.agreement.symbol_renames typescript TYPESCRIPT_PACKAGE PROJECT...

Fixed before measuring: definitions are picked at random (seeded) among all that the files have,
functions, classes, methods and variables alike. Each is renamed by its path and line, and by the
service at the same place. `same`: the same texts afterwards. `listed`: the places that only the
service renames are all listed as possible references. `wrong`: any other difference. What the
service itself declines is not compared.
"""

from __future__ import annotations

import ast
import os
import random
import sys
import tempfile
from collections import Counter
from functools import lru_cache
from pathlib import Path

from bench.agreement.rename_judges import FRESH, JUDGES, Judge, Place, Replaced, read, staged
from redline.app import Redline
from redline.code.syntax.languages import language_of
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import Change, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.settings import Settings

SEED = 20_261
PER_PROJECT = int(os.environ.get("REDLINE_RENAMES", "60"))


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
        for place in places[:most]:
            verdict, why = _verdict(redline, root, place, places, judge)
            counts[verdict] += 1
            if verdict == "refused":
                counts[f"  {' '.join(why.split(':')[0].split()[:4])}"] += 1
            if show and verdict in ("wrong", "refused"):
                name = place.path.relative_to(root)
                print(f"{verdict}: {name}:{place.line} {place.name}: {why[:400]}")
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


def _verdict(
    redline: Redline, root: Path, place: Place, places: list[Place], judge: Judge
) -> tuple[str, str]:
    expected = judge(place)
    if not expected:
        return "declined", ""
    at = redline.workspace.resolve(str(place.path), Access.READ)
    request = RenameRequest(place.name, FRESH, at, place.line)
    try:
        made = plan_symbol_rename(redline, request, Access.READ, UNCANCELLABLE)
    except RedlineError as error:
        return "refused", error.message
    ours: dict[Path, str] = {}
    for step in made.change_set.steps:
        if isinstance(step, Change) and isinstance(step.after, FileState) and step.after.content:
            ours[root / step.path.relative] = step.after.content.decode("utf-8", "replace")
    ways = [_apply(spots) for spots in expected]
    if ours not in ways and place.path.suffix == ".py":
        ways.append(_apply(_with_overrides(place, places, ours, judge, expected[0])))
    if ours in ways:
        return "same", ""
    differences = [_differing(ours, way, root) for way in ways]
    if any(lines <= set(made.possible) for lines in differences):
        return "listed", ""
    return "wrong", ", ".join(sorted(min(differences, key=len))[:6])


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
            if a != b:
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
    compared = sum(total[each] for each in ("same", "listed", "wrong", "refused"))
    print(f"{language}: {compared} renames, {dict(total)}")
    print(f"refused {100 * total['refused'] / max(1, compared):.1f} %, wrong {total['wrong']}")


if __name__ == "__main__":
    main(sys.argv[1:])
