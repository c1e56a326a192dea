"""References as the Java compiler sees them: the JDK's own, with the files of one source alone."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.agreement.references import Answer, Line, Pick, Source

_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_INTERNALS = ("com.sun.tools.javac.tree", "com.sun.tools.javac.code", "com.sun.tools.javac.util")


def references(source: Source, picks: list[Pick]) -> list[Answer]:
    """What the compiler answers for each pick."""
    found: dict[Pick, set[Line]] = {}
    for own, files in _rounds(source):
        asked = [pick for pick in picks if source.root / pick.path in own]
        if asked:
            found.update(zip(asked, _compiled(source, files, asked), strict=True))
    return [(found.get(pick, set()), found.get(pick, set())) for pick in picks]


def _rounds(source: Source) -> Iterator[tuple[set[Path], list[Path]]]:
    """Files to ask about, and those to compile with: of a class that is there twice, the first.

    A source may hold two editions of a package, each beneath a folder of its own.
    """
    folders: dict[Path, dict[str, Path]] = {}
    for file in source.files:
        if file.name == "module-info.java":
            continue  # all are compiled as one, without modules
        package = _PACKAGE.search(file.read_bytes().decode("utf-8", "replace"))
        parts = package[1].split(".") if package else []
        beneath = tuple(parts) == file.parent.parts[len(file.parent.parts) - len(parts) :]
        root = file.parents[len(parts)] if beneath else file.parent
        folders.setdefault(root, {})[".".join([*parts, file.name])] = file
    left = list(folders)
    while left:
        own = list(_apart(left, [], folders))
        taken: dict[str, Path] = {}
        for root in [*own, *_apart([r for r in folders if r not in own], own, folders)]:
            taken = {**folders[root], **taken}
        yield {file for root in own for file in folders[root].values()}, sorted(taken.values())
        left = [root for root in left if root not in own]


def _apart(
    roots: Iterable[Path], beside: Iterable[Path], folders: dict[Path, dict[str, Path]]
) -> Iterator[Path]:
    """Those of *roots* that are no other edition of one before: most of their classes differ."""
    kept = list(beside)
    for root in roots:
        own = {name for name in folders[root] if not name.endswith("-info.java")}
        if not any(2 * len(own & folders[other].keys()) > len(own) for other in kept):
            kept.append(root)
            yield root


def _compiled(source: Source, files: list[Path], picks: list[Pick]) -> list[set[Line]]:
    exports = [f"--add-exports=jdk.compiler/{name}=ALL-UNNAMED" for name in _INTERNALS]
    program = Path(__file__).with_name("References.java")
    asked = [f"file {file}" for file in files]
    asked += [f"ask {source.root / pick.path} {pick.offset}" for pick in picks]
    command = ["java", "-Xss16m", *exports, str(program)]
    done = subprocess.run(
        command, input="\n".join(asked), capture_output=True, text=True, check=True
    )
    rows = done.stdout.split("\n")[: len(picks)]
    return [{_line(source, spot) for spot in row.split("\t") if spot} for row in rows]


def _line(source: Source, spot: str) -> Line:
    path, _, line = spot.rpartition(":")
    return str(Path(path).relative_to(source.root)), int(line)
