"""How many planted secrets any answer shows: python -m tests.secrets.planted [COUNT] [PROJECTS].

Secrets of twenty kinds are written into copies of real projects' files; each is then met by every
way a model has to see it. A secret counts as seen by a way when the answer holds twelve characters
of it, plain, in base64 or in hexadecimal.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.secrets.kinds import KINDS, Planted, plant, write_into
from tests.secrets.seat import Seat, is_seen

_SUFFIXES = (".py", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini")
_ENV = "PORT=8080\nDEBUG=true\nNODE_ENV=production\nHOST=localhost\n"


class Figures(NamedTuple):
    """How often secrets were met and seen, by kind and by way."""

    met: Counter[str]
    seen: Counter[str]
    ways: Counter[str]

    @property
    def unseen_share(self) -> float:
        """The share of meetings in which nothing was seen."""
        return 1 - self.seen.total() / max(1, self.met.total())


def measure(count: int, files: Iterator[tuple[str, str]], folder: Path, seed: int = 40) -> Figures:
    """Plant *count* secrets in *files*, twenty in each, and look at them in every way."""
    rng = random.Random(seed)
    figures = Figures(Counter(), Counter(), Counter())
    for number in range(count // len(KINDS)):
        name, text = next(files)
        secrets = [plant(kind, rng) for kind in KINDS]
        name = ".env" if number % 5 == 4 else f"part{number}_{name}"
        content = write_into(name, _ENV if name == ".env" else text, secrets, rng)
        seat = Seat(folder / str(number))
        try:
            _meet(seat, name, text, content, secrets, figures)
        finally:
            seat.close()
    return figures


def _meet(
    seat: Seat, name: str, before: str, content: str, secrets: list[Planted], figures: Figures
) -> None:
    seat.write(name, before)
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        identity = ("-c", "user.name=x", "-c", "user.email=x@x")
        subprocess.run(["git", *identity, *command], cwd=seat.folder, check=True)
    seat.write(name, content)
    for way, answer in _ways(seat, name, content):
        for each in secrets:
            figures.met[each.kind] += 1
            if any(is_seen(part, answer) for part in each.parts):
                figures.seen[each.kind] += 1
                figures.ways[f"{way}: {each.kind}"] += 1


def _ways(seat: Seat, name: str, content: str) -> Iterator[tuple[str, str]]:
    for command in (
        f"git diff -- {name}", f"cat {name}", f"grep -n '' {name}", f"base64 {name}", f"xxd {name}",
        f"xxd -p {name}", f"hexdump -C {name}", f"base64 -w0 {name}", f"tail -n 25 {name}",
        f"cut -c1-120 {name}", f"sed -n '3,40p' {name}", f"tac {name}",
        f"set -a; . ./{name} 2>/dev/null; env" if name == ".env" else f"awk 'NR%2' {name}",
    ):  # fmt: skip
        yield f"run {command.split()[0]}", seat.call("run", command=command)
    top, lines = str(seat.folder), content.count("\n") + 1
    yield "read", seat.call("read", path=name)
    for start in range(1, lines, max(7, lines // 6)):
        yield "read lines", seat.call("read", path=name, lines=f"{start}-{start + 5}")
    for query in ("=", ":", "key", "[A-Za-z0-9]{20}"):
        yield "search", seat.call("search", query=query, regex=True, hidden=True, max=400)
    line = next(x for x in content.splitlines() if len(x) > 3 and content.count(x) == 1)
    edits = [{"old": line, "new": f"{line} "}]
    yield "edit", seat.call("edit", path=name, edits=edits, dry_run=True)
    yield "edit", seat.call("edit", path=name, edits=[{"old": "no such text = 'x'", "new": ""}])
    if name.endswith((".yaml", ".yml", ".json", ".toml", ".ini")):
        yield "get", seat.call("get", path=name)
    yield "move", seat.call("move", path=name, to="other-name", dry_run=True)
    yield "files", seat.call("read_file", toolset="files", path=f"{top}/{name}")
    many = {"paths": [f"{top}/{name}"]}
    yield "files", seat.call("read_multiple_files", toolset="files", **many)
    found = seat.call("grep_files", toolset="files", directory=top, regex="[=:]", contextLines=1)
    yield "files", found
    yield "coding", seat.call("read_file", toolset="coding", path=name)
    yield "coding", seat.call("search_text", toolset="coding", query="e", include_hidden=True)
    yield "coding", seat.call("git_diff", toolset="coding")
    yield "coding", seat.call("exec_command", toolset="coding", cmd=f"cat {name} >&2")
    yield "delete", seat.call("delete", path=name)
    yield "changes", seat.call("changes")
    shown = seat.call("list_changes", toolset="history")
    yield "history", shown
    change = re.search(r'"id": ?"([a-z0-9]{6,12})"|\b([a-z0-9]{8}) ', shown)
    if change is not None:
        wanted = change[1] or change[2]
        yield "history", seat.call("show_change", toolset="history", id=wanted)


def files_of(places: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield names and contents of real files, of wheels and folders, again and again."""
    found: list[tuple[str, str]] = []
    for place in places:
        if place.suffix == ".whl":
            with zipfile.ZipFile(place) as archive:
                listed = [(each, archive.read(each)) for each in archive.namelist()]
        else:
            listed = [(str(each), each.read_bytes()) for each in sorted(place.rglob("*.*"))]
        for name, data in listed:
            if name.endswith(_SUFFIXES) and 300 < len(data) < 30_000 and data.isascii():
                found.append((Path(name).name, data.decode()))
    random.Random(7).shuffle(found)
    while True:
        yield from found


def main(count: int, places: list[Path]) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(count, files_of(places), Path(folder))
    for kind in KINDS:
        met, seen = figures.met[kind], figures.seen[kind]
        print(f"{kind:14} {met:7} met {seen:5} seen {100 * (1 - seen / met):8.3f} % unseen")
    print(f"{'all':14} {figures.met.total():7} met {figures.seen.total():5} seen"
          f" {100 * figures.unseen_share:8.3f} % unseen")  # fmt: skip
    for way, times in figures.ways.most_common(25):
        print(f"  {way}: {times}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000, [Path(each) for each in sys.argv[2:]])
