"""Releases: notes come from the changelog, the bundle runs, the image has what it builds from."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from redline._version import __version__
from redline.review.page.layout import ICON
from scripts.release import bundle, notes
from tests.support import NODE_MODULES, REPO, need_node

CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### Added

- Two.

## [0.1.0] - 2026-11-01

- One.
"""


def test_notes_are_the_section_of_the_version() -> None:
    assert notes(CHANGELOG, "0.2.0") == "### Added\n\n- Two.\n"
    assert notes(CHANGELOG, "0.1.0") == "- One.\n"
    assert notes((REPO / "CHANGELOG.md").read_text()).startswith("### ")


def test_a_version_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(SystemExit, match=r"0\.3\.0\nhint: it has Unreleased, 0\.2\.0, 0\.1\.0"):
        notes(CHANGELOG, "0.3.0")


@pytest.mark.node
def test_the_desktop_bundle_packs_and_what_is_in_it_runs(tmp_path: Path) -> None:
    node = need_node()
    program = NODE_MODULES / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
    packed, unpacked = tmp_path / "redline.mcpb", tmp_path / "unpacked"
    bundle(str(node), str(program), str(packed))
    subprocess.run([node, program, "unpack", packed, unpacked], check=True, capture_output=True)
    manifest = json.loads((unpacked / "manifest.json").read_text())
    assert (unpacked / manifest["icon"]).is_file()
    assert (unpacked / manifest["server"]["entry_point"]).is_file()
    told = subprocess.run(
        [sys.executable, "-m", "redline", "--version"],
        env={**os.environ, "PYTHONPATH": str(unpacked / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == f"redline {__version__}"


@pytest.mark.parametrize("place", ["mcpb", "claude-plugin/.claude-plugin"])
def test_icons_are_square_and_large_enough(place: str) -> None:
    with Image.open(REPO / "packaging" / place / "icon.png") as icon:
        assert icon.width == icon.height >= 512


def test_the_page_has_the_mark_of_the_site() -> None:
    mark = (REPO / "docs" / "pictures" / "mark.svg").read_text()
    assert re.findall(r"<rect[^>]*>", ICON) == re.findall(r"<rect[^>]*>", mark)


def test_what_the_image_copies_is_enough_to_build_from(tmp_path: Path) -> None:
    recipe = (REPO / "Dockerfile").read_text()
    copies = re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE)
    assert copies
    for name in " ".join(copies).split():
        source = REPO / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / "src-tree" / name)
        else:
            (tmp_path / "src-tree").mkdir(exist_ok=True)
            shutil.copy2(source, tmp_path / "src-tree" / name)
    wheel = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run(
        [sys.executable, "-m", "pip", *wheel, "--wheel-dir", tmp_path, tmp_path / "src-tree"],
        check=True,
    )
    assert list(tmp_path.glob("redline_mcp-*.whl"))
