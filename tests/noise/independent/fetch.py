"""Fetch two releases of each project: between them lie real edits. A program, not a test.

python -m tests.noise.independent.fetch FOLDER pypi:flask npm:zod ...
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

RELEASES_BETWEEN = 4
LARGEST_FILE = 400_000


def main(folder: str, projects: list[str]) -> None:
    """Unpack an earlier and a later release of every project below *folder*."""
    for project in projects:
        registry, _, name = project.partition(":")
        target = Path(folder) / project.replace(":", "-").replace("/", "-").replace("@", "")
        if target.exists():
            continue
        releases = (_pypi if registry == "pypi" else _npm)(name)
        if len(releases) < 2:
            print(f"{project}: fewer than two releases", file=sys.stderr)
            continue
        earlier = releases[max(0, len(releases) - 1 - RELEASES_BETWEEN)]
        try:
            for side, (version, url) in (("a", earlier), ("b", releases[-1])):
                _unpack(_download(url), target / side)
                print(project, side, version, flush=True)
        except OSError as failure:
            print(f"{project}: {failure}", file=sys.stderr, flush=True)


def _download(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=180) as answer:
        content: bytes = answer.read()
    return content


def _pypi(name: str) -> list[tuple[str, str]]:
    facts: dict[str, Any] = json.loads(_download(f"https://pypi.org/pypi/{name}/json"))
    found = []
    for version, files in facts["releases"].items():
        for file in files:
            if file["filename"].endswith(".tar.gz") and version.replace(".", "").isdigit():
                url = urllib.parse.urljoin(f"https://pypi.org/simple/{name}/", file["url"])
                found.append((file["upload_time"], version, url))
    return [(version, url) for _, version, url in sorted(found)]


def _npm(name: str) -> list[tuple[str, str]]:
    quoted = urllib.parse.quote(name, safe="@")
    facts: dict[str, Any] = json.loads(_download(f"https://registry.npmjs.org/{quoted}"))
    found = []
    for version, release in facts["versions"].items():
        if version.replace(".", "").isdigit():
            number = tuple(int(part) for part in version.split("."))
            found.append((number, version, release["dist"]["tarball"]))
    return [(version, url) for _, version, url in sorted(found)]


def _unpack(archive: bytes, target: Path) -> None:
    """Regular files alone, without the archive's own top folder."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            parts = Path(member.name).parts[1:]
            if not member.isfile() or not parts or ".." in parts or member.size > LARGEST_FILE:
                continue
            content = tar.extractfile(member)
            path = target.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is not None:
                path.write_bytes(content.read())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
