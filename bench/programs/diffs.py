"""The diff engine: its cost on large and awkward texts, and how short its diffs are beside git's.

    python -m bench.programs.diffs [--short] [--releases FOLDER]

FOLDER holds the source archives of projects in two versions each (`pip download --no-deps
--no-binary :all:`). Of every file over 500 lines that differs between the two, the changed lines
are counted and set beside those of `git diff --minimal`. Goals: 2,400 repeated lines within 0.2 s,
200,000 lines with 1,000 edits within 1 s, 4,000 lines within 5 ms, and no more than 1.05 times as
many changed lines as git finds.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.library.measure import Report, Row
from redline.core.diff import diff_of_files
from redline.core.line_diff import count_hunks, diff_lines, split_lines

MOST_TIMES = 1.05
LEAST_LINES = 500


class Case(NamedTuple):
    """Two texts, and the milliseconds of CPU in which their diff is to be made, if any."""

    name: str
    old: list[str]
    new: list[str]
    goal: float | None = None


def functions(count: int, word: str) -> list[str]:
    """Return small functions that are alike but for a number and *word*."""
    block = "export function handler{n}(req, res) {{\n  return res.{word}({n});\n}}\n\n"
    text = "".join(block.format(n=n, word=word) for n in range(count))
    return text.splitlines(keepends=True)


def edited(lines: list[str], count: int, make: Callable[[int], str]) -> list[str]:
    """Return *lines* with *count* of them replaced, removed or repeated elsewhere."""
    rng = random.Random(count)
    new = list(lines)
    for at in sorted(rng.sample(range(len(lines)), count), reverse=True):
        kind = rng.randrange(3)
        new[at : at + (kind != 2)] = [] if kind == 1 else [make(rng.randrange(len(lines)))]
    return new


def cases(size: int) -> Iterator[Case]:
    """Yield texts of *size* lines, with few edits, with many, and with nothing in common."""
    yield Case("2,400 repeated lines", functions(600, "send"), functions(600, "json"), 200)
    few = [f"line {n % 50}\n" for n in range(4_000)]
    yield Case("4,000 lines, 3 edits", few, edited(few, 3, lambda n: f"line {n % 50}\n"), 5)
    rng = random.Random(size)
    for kinds in (2, 10, 1_000, 10**9):
        lines = [f"{rng.randrange(kinds)}\n" for _ in range(size)]
        name = "no line twice" if kinds > size else f"{kinds:,} kinds of lines"
        new = edited(lines, 1_000, lambda n, lines=lines: lines[n])  # type: ignore[misc]
        yield Case(f"{size:,} lines, {name}, 1,000 edits", lines, new, 1_000)
        other = [f"{rng.randrange(min(kinds, size))}\n" for _ in range(size)]
        yield Case(f"{size:,} lines, {name}, unrelated", lines, other)
    lines = [f"{n % 7}\n" for n in range(size)]
    new = edited(lines, 1_000, lambda n: f"{n % 7}\n")
    yield Case(f"{size:,} lines, in turns of 7, 1,000 edits", lines, new, 1_000)
    yield Case(f"{size:,} lines, backwards", lines, lines[::-1])
    old, new = ([f"{rng.randrange(10)}\n" for _ in range(5 * size)] for _ in range(2))
    yield Case(f"{5 * size:,} lines, 10 kinds of lines, unrelated", old, new)


def measure(report: Report, case: Case) -> None:
    """Make the whole unified diff of a case."""
    old, new = ("".join(lines).encode() for lines in (case.old, case.new))
    start = time.process_time()
    diff = diff_of_files(old, new, "a", "b")
    spent = (time.process_time() - start) * 1000
    counts = count_hunks(diff_lines(case.old, case.new))
    note = f"{diff.count('@@ -')} hunks, +{counts.added} -{counts.removed}"
    report.add(Row(case.name, "redline", spent, spent, spent, note=note))
    if case.goal is not None and spent > case.goal:
        report.facts.setdefault("missed", []).append(f"{case.name}: {spent:.0f} ms")


def read_archive(path: Path) -> dict[str, bytes]:
    """Return the files of a source archive by their path inside its folder."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            return {name.partition("/")[2]: archive.read(name) for name in names}
    with tarfile.open(path) as archive:
        members = [member for member in archive if member.isfile()]
        opened = ((member.name, archive.extractfile(member)) for member in members)
        return {name.partition("/")[2]: file.read() for name, file in opened if file is not None}


def changed_files(before: Path, after: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield the long texts that differ between two versions of a project."""
    old, new = read_archive(before), read_archive(after)
    for name in sorted(old.keys() & new.keys()):
        texts = old[name], new[name]
        is_text = all(b"\0" not in text for text in texts)
        if texts[0] != texts[1] and is_text and min(t.count(b"\n") for t in texts) > LEAST_LINES:
            yield name, *texts


def lines_by_git(old: bytes, new: bytes, folder: Path) -> int:
    """Return how many lines git's shortest diff removes and adds."""
    paths = [folder / "old", folder / "new"]
    for path, text in zip(paths, (old, new), strict=True):
        path.write_bytes(text)
    command = ["git", "diff", "--no-index", "--minimal", "--numstat", *map(str, paths)]
    added, removed, *_ = subprocess.run(command, capture_output=True, text=True).stdout.split()
    return int(added) + int(removed)


def compare(report: Report, releases: Path) -> None:
    """Set the changed lines between releases beside git's, project by project."""
    projects: dict[str, list[Path]] = {}
    for path in sorted(releases.iterdir()):
        projects.setdefault(path.name.rpartition("-")[0].lower(), []).append(path)
    total = by_git = 0
    worst = (0.0, "")
    with tempfile.TemporaryDirectory() as scratch:
        for project, versions in sorted(projects.items()):
            ours = theirs = files = 0
            start = time.process_time()
            for name, old, new in changed_files(versions[0], versions[-1]):
                found = sum(count_hunks(diff_lines(split_lines(old), split_lines(new))))
                wanted = lines_by_git(old, new, Path(scratch))
                ours, theirs, files = ours + found, theirs + wanted, files + 1
                worst = max(worst, (found / wanted, f"{project}: {name}"))
            spent = (time.process_time() - start) * 1000
            ratio = ours / max(1, theirs)
            note = f"{files} files, {ours} changed lines, {ratio:.4f} times git's"
            report.add(Row(project, "redline", spent, spent, spent, note=note))
            total, by_git = total + ours, by_git + theirs
    report.facts["changed lines, times git's"] = round(total / max(1, by_git), 4)
    report.facts["worst file"] = f"{worst[0]:.4f} {worst[1]}"
    if total > MOST_TIMES * by_git:
        report.facts.setdefault("missed", []).append(f"{total} changed lines, git {by_git}")


def main() -> int:
    """Measure, show, save; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="smaller texts, nothing is kept")
    parser.add_argument("--releases", type=Path, help="a folder of source archives, two of each")
    args = parser.parse_args()
    report = Report("diffs", facts={"most, times git's": MOST_TIMES})
    for case in cases(20_000 if args.short else 200_000):
        measure(report, case)
    if args.releases is not None:
        compare(report, args.releases)
    report.finish(short=args.short)
    for name in ("changed lines, times git's", "worst file"):
        if name in report.facts:
            print(f"{name}: {report.facts[name]}")
    for goal in report.facts.get("missed", []):
        print(f"missed: {goal}")
    return 1 if report.facts.get("missed") else 0


if __name__ == "__main__":
    raise SystemExit(main())
