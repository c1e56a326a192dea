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

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.library.language_server import LanguageServer
from redline.app import Redline
from redline.code.syntax.definitions import Symbol
from redline.code.syntax.languages import language_of
from redline.core.cancellation import UNCANCELLABLE
from redline.core.changes import Change, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.settings import Settings

FRESH = "renamed_by_bench"
SEED = 20_261
PER_PROJECT = 60
ENDINGS = {"python": (".py",), "typescript": (".ts", ".tsx")}
LEFT_OUT = ("node_modules", "dist", "build", ".dist-info")


class Place(NamedTuple):
    """A definition: its file, its line from 1, the offset of its name, and the name."""

    path: Path
    line: int
    offset: int
    symbol: Symbol


class Spot(NamedTuple):
    """Text that a service replaces, with what it puts around the new name."""

    path: Path
    start: int
    end: int
    prefix: str = ""
    suffix: str = ""


# What a service may answer: one way to rename, or several.
Judge = Callable[[Place], list[list[Spot]]]


def pyright(package: Path, root: Path, files: list[Path]) -> Iterator[Judge]:
    """Pyright with every file open."""
    argv = ["node", str(package / "langserver.index.js"), "--stdio"]
    with LanguageServer(argv, root) as server:
        for path in files:
            server.open(str(path.relative_to(root)), _text(path), "python")

        def rename(place: Place) -> list[list[Spot]]:
            before = _text(place.path)[: place.offset]
            line = before.count("\n")
            column = place.offset - (before.rfind("\n") + 1)
            given = {
                "textDocument": {"uri": place.path.as_uri()},
                "position": {"line": line, "character": column},
                "newName": FRESH,
            }
            answer = server.request("textDocument/rename", given) or {}
            changes = dict(answer.get("changes", {}))
            for change in answer.get("documentChanges", []):
                changes.setdefault(change["textDocument"]["uri"], []).extend(change["edits"])
            spots = [
                _spot(Path(uri.removeprefix("file://")), edit["range"])
                for uri, edits in changes.items()
                for edit in edits
            ]
            return [spots] if spots else []

        yield rename


def typescript(package: Path, _root: Path, files: list[Path]) -> Iterator[Judge]:
    """The TypeScript service over all files."""
    script = Path(__file__).with_name("symbol_renames.mjs")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("\n".join(map(str, files)))
        listed.flush()
        argv = ["node", str(script), str(package / "lib" / "typescript.js"), listed.name]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin
        assert process.stdout
        reader, writer = process.stdout, process.stdin

        def rename(place: Place) -> list[list[Spot]]:
            writer.write(json.dumps({"path": str(place.path), "start": place.offset}) + "\n")
            writer.flush()
            answers = json.loads(reader.readline())
            return [[Spot(Path(path), *rest) for path, *rest in each] for each in answers if each]

        yield rename
        writer.close()
        process.wait()


def _spot(path: Path, span: dict[str, dict[str, int]]) -> Spot:
    lines = _text(path).split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    ends = [starts[span[key]["line"]] + span[key]["character"] for key in ("start", "end")]
    return Spot(path, *ends)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def compare(language: str, package: Path, root: Path, most: int, show: bool) -> Counter[str]:
    """Count how renames in one project end."""
    files = sorted(
        path
        for path in root.rglob("*")
        if path.name.endswith(ENDINGS[language])
        and not path.name.endswith(".d.ts")
        and not any(part in str(path.relative_to(root)) for part in LEFT_OUT)
        and _text(path).isascii()
    )
    counts: Counter[str] = Counter()
    open_judge = pyright if language == "python" else typescript
    with (
        tempfile.TemporaryDirectory() as state,
        Redline(Settings(workspace=str(root), state_dir=state, record=False)) as redline,
    ):
        redline.code_index.build()
        places = _places(redline, files)
        random.Random(SEED).shuffle(places)
        for judge in open_judge(package, root, files):
            for place in places[:most]:
                verdict, why = _verdict(redline, root, place, judge)
                counts[verdict] += 1
                if verdict == "refused":
                    counts[f"  {' '.join(why.split(':')[0].split()[:7])}"] += 1
                if show and verdict in ("wrong", "refused"):
                    name = place.path.relative_to(root)
                    print(f"{verdict}: {name}:{place.line} {place.symbol.name}: {why[:200]}")
    return counts


def _places(redline: Redline, files: list[Path]) -> list[Place]:
    found = []
    for path in files:
        language, text = language_of(path.name), _text(path)
        if language is not None:
            for symbol in redline.analysis.symbols(text, language):
                name = symbol.name.rpartition(".")[2]
                at = text.find(name, symbol.offset)
                if name.isidentifier() and not name.startswith("__") and at >= 0:
                    found.append(Place(path, text.count("\n", 0, at) + 1, at, symbol))
    return found


def _verdict(redline: Redline, root: Path, place: Place, judge: Judge) -> tuple[str, str]:
    expected = judge(place)
    if not expected:
        return "declined", ""
    at = redline.workspace.resolve(str(place.path), Access.READ)
    name = place.symbol.name.rpartition(".")[2]
    request = RenameRequest(name, FRESH, at, place.line)
    try:
        made = plan_symbol_rename(redline, request, Access.READ, UNCANCELLABLE)
    except RedlineError as error:
        return "refused", error.message
    ours: dict[Path, str] = {}
    for step in made.change_set.steps:
        if isinstance(step, Change) and isinstance(step.after, FileState) and step.after.content:
            ours[root / step.path.relative] = step.after.content.decode("utf-8", "replace")
    ways = [_apply(spots) for spots in expected]
    if ours in ways:
        return "same", ""
    theirs = ways[0]
    differing = [path for path in {*ours, *theirs} if ours.get(path) != theirs.get(path)]
    lines = {
        f"{path.relative_to(root)}:{number}"
        for path in differing
        for number, (a, b) in enumerate(
            zip(
                (ours.get(path) or _text(path)).split("\n"),
                (theirs.get(path) or _text(path)).split("\n"),
                strict=True,
            ),
            1,
        )
        if a != b
    }
    why = ", ".join(sorted(lines)[:6])
    return ("listed" if lines <= set(made.possible) else "wrong"), why


def _apply(spots: list[Spot]) -> dict[Path, str]:
    texts: dict[Path, str] = {}
    for spot in sorted(spots, key=lambda spot: -spot.start):
        text = texts.get(spot.path) or _text(spot.path)
        new = f"{spot.prefix}{FRESH}{spot.suffix}"
        texts[spot.path] = text[: spot.start] + new + text[spot.end :]
    return texts


def main(argv: list[str]) -> None:
    """Print a table for each project."""
    language, package, *projects = argv
    total: Counter[str] = Counter()
    for project in projects:
        root = Path(project).resolve()
        counts = compare(language, Path(package).resolve(), root, PER_PROJECT, show=True)
        print(root.name, dict(counts))
        total += counts
    compared = sum(total[each] for each in ("same", "listed", "wrong", "refused"))
    print(f"{language}: {compared} renames, {dict(total)}")
    print(f"refused {100 * total['refused'] / max(1, compared):.1f} %, wrong {total['wrong']}")


if __name__ == "__main__":
    main(sys.argv[1:])
