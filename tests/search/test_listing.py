"""Listings agree with a plain walk, wherever they are cut and however they are sorted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.adapters.files.disk import Disk
from redline.adapters.files.platform import choose_disk
from redline.adapters.files.tree import DiskTree
from redline.adapters.files.workspace import DiskWorkspace
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import FactLists
from redline.search.levels import ListingScope
from redline.search.listing import Listing, list_files
from tests.adapters.ripgrep.test_search_port import Patient

TOP = WorkspacePath(0, ())
NAMES = ("a", "a-b", "a.b", "b.py", "z", "caf\u00e9", "\udcff", 'quo"te.py', "line\nbreak.py")
FILES = {"many/": [f"{number:04}.py" for number in range(700)], "empty": []}
PLACES = ("", "a/", "a-c/", "b/inner/", "b/inner/deep/", "many/", "empty")


@pytest.fixture(params=["chosen", "walk"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> DiskTree:
    """Directories and files whose names sort between each other, with times of their own."""
    moment = 10**18
    for place in PLACES:
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
    for place in PLACES:
        for name in FILES.get(place, NAMES):
            file = tmp_path / place / name
            if not file.is_dir():
                file.write_bytes(b"x" * (moment % 97))
                moment += 1_234_567_891
                os.utime(file, ns=(moment, moment ^ 0xF0F0F))
    disk = choose_disk() if request.param == "chosen" else Disk()
    return DiskTree(disk, DiskWorkspace(disk, [str(tmp_path)]))


def _expected(root: Path, order: str, ending: str) -> list[tuple[str, int]]:
    found = []
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.relpath(os.path.join(directory, name), root)
            if path.endswith(ending):
                found.append((path, os.lstat(root / path)))
    if order == "modified":
        found.sort(key=lambda pair: (-pair[1].st_mtime_ns, pair[0].split("/")))
    else:
        found.sort(key=lambda pair: pair[0].split("/"))
    return [(path, info.st_size) for path, info in found]


def _paths(prefix: str, facts: FactLists) -> list[tuple[str, int]]:
    assert facts.names
    return [(prefix + name, size) for name, size in zip(facts.names, facts.sizes, strict=True)]


def _flat(listing: Listing[list[tuple[str, int]]]) -> list[tuple[str, int]]:
    return [file for some in listing.entries for file in some]


@pytest.mark.parametrize("order", ["path", "modified"])
@pytest.mark.parametrize("ending", ["", ".py"])
def test_every_cut_is_the_beginning_of_the_whole(
    tree: DiskTree, tmp_path: Path, order: str, ending: str
) -> None:
    whole = _expected(tmp_path, order, ending)
    patterns = [f"**/*{ending}"] if ending else []
    total = len(whole)
    for most in (1, 2, 9, 17, 18, 19, 700, total - 1, total, total + 1):
        listing = list_files(
            tree, TOP, ListingScope(), Patient(), _paths, patterns=patterns, most=most, order=order
        )
        assert _flat(listing) == whole[:most]
        assert listing.shown == min(most, total)
        assert listing.truncated == (most < total)
        assert listing.total in (None, total)


def test_nothing_is_listed_of_nothing(tree: DiskTree) -> None:
    for order in ("path", "modified"):
        for place in (TOP, TOP.child("empty")):
            listing = list_files(
                tree, place, ListingScope(), Patient(), _paths, patterns=["*.none"], order=order
            )
            assert (listing.entries, listing.truncated, listing.total) == ([], False, 0)
