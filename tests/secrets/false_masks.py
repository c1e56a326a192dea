"""How many lines of open-source projects are masked: python -m tests.secrets.false_masks WHEEL...

Prints each masked place, so that a person can tell a false mask from a planted or test key.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from redline.secrets.find import find

_BINARY = (".png", ".gif", ".jpg", ".ico", ".woff", ".woff2", ".gz", ".so", ".pyd", ".mo", ".exe")


def contents_of(place: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each text file of a wheel, an archive or a folder."""
    for name, data in _members(place):
        if not name.endswith(_BINARY) and b"\0" not in data[:4096] and len(data) < 4 << 20:
            yield name, data.decode("utf-8", "replace")


def _members(place: Path) -> Iterator[tuple[str, bytes]]:
    if place.is_dir():
        for path in sorted(place.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(place)), path.read_bytes()
    elif place.suffix == ".whl":
        with zipfile.ZipFile(place) as archive:
            for name in archive.namelist():
                yield name, archive.read(name)
    else:
        with tarfile.open(place) as packed:
            for member in packed:
                file = packed.extractfile(member)
                if file is not None:
                    yield member.name, file.read()


def masked_lines(place: Path) -> tuple[int, list[tuple[str, int, str, str]]]:
    """Return how many lines a project has, and each place that is masked, once for each line."""
    lines, found = 0, {}
    for name, text in contents_of(place):
        lines += text.count("\n") + 1
        for each in find(text, name):
            number = text.count("\n", 0, each.start) + 1
            found[name, number] = (each.kind, text[each.start : each.end])
    return lines, [(name, number, *what) for (name, number), what in found.items()]


def main(places: list[Path]) -> None:
    """Print the figures of each project."""
    total, masked = 0, 0
    for place in places:
        lines, found = masked_lines(place)
        total, masked = total + lines, masked + len(found)
        print(f"{place.name}: {lines} lines, {len(found)} masked")
        for name, number, kind, value in found:
            print(f"    {name}:{number} {kind} {value[:60]}")
    print(f"all: {total} lines, {masked} masked, {1e4 * masked / max(1, total):.2f} per 10,000")


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]])
