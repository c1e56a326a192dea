"""Source archives to measure on, pinned by digest in corpora.toml and kept in the cache.

    python -m bench.library.corpora [SET...]    fetch what is missing, say where it lies

Archives come from PyPI, npm and Debian's pool (upstream's own tarball, no Debian patches).
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.library.peers import CACHE, REPO
from redline.code.syntax.languages import language_of

LARGEST = 400_000
# What compilers and bundlers wrote, and files that are no code of the project.
MADE = {"dist", "build", "bundles", "_esm5", "_esm2015", "cjs", "esm", "esm5", "node_modules"}
MADE_NAMES = (".d.ts", ".d.mts", ".d.cts", ".min.js")
HOME = CACHE / "corpora"


@dataclass(frozen=True, slots=True)
class Archive:
    """One published archive; `language` is the one it is read for."""

    name: str
    version: str
    url: str
    sha256: str
    language: str = ""
    set: str = ""

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    def folder(self) -> Path:
        """Where it is unpacked; fetched and checked when it is not there yet."""
        target = HOME / f"{self.name}-{self.version}"
        if not target.is_dir():
            HOME.mkdir(parents=True, exist_ok=True)
            self._unpack(target)
        return target

    def _unpack(self, target: Path) -> None:
        packed = HOME / self.url.rsplit("/", 1)[-1]
        with urllib.request.urlopen(self.url, timeout=120) as answer:
            content = answer.read()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise SystemExit(f"Not the pinned archive: {self.url}")
        packed.write_bytes(content)
        part = target.with_name(f"{target.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        _extract(packed, part)
        packed.unlink()
        part.rename(target)

    def files(self) -> list[Path]:
        """The files of its language, without what was generated."""
        return list(of_language(self.folder(), self.language))


def _extract(packed: Path, target: Path) -> None:
    """Unpack an archive: a tarball, a wheel or a Debian package."""
    if packed.suffix == ".whl":
        with zipfile.ZipFile(packed) as wheel:
            wheel.extractall(target)
            programs = [i.filename for i in wheel.infolist() if i.external_attr >> 16 & 0o111]
        for program in [*target.glob("*/data/bin/*"), *(target / name for name in programs)]:
            program.chmod(0o755)
    elif packed.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", packed, target], check=True)
    else:
        with tarfile.open(packed) as archive:
            archive.extractall(target, filter="data")


def of_language(root: Path, wanted: str) -> Iterator[Path]:
    """Yield the files beneath *root* of a language, without what was generated."""
    return _of_language(iter(sorted(root.rglob("*"))), root, wanted)


def _of_language(paths: Iterator[Path], root: Path, wanted: str) -> Iterator[Path]:
    for path in paths:
        language = language_of(path.name)
        if language is None or language.name != wanted or path.is_symlink() or not path.is_file():
            continue
        if path.name.endswith(MADE_NAMES) or path.stat().st_size > LARGEST:
            continue
        if not MADE & set(path.relative_to(root).parts):
            yield path


def own_files(language: str) -> list[Path]:
    """The files of this repository."""
    command = ["git", "-C", str(REPO), "ls-files", "-z"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    return list(_of_language((REPO / name for name in sorted(names) if name), REPO, language))


def archives(*sets: str) -> list[Archive]:
    """The archives of these sets, of all when none is named."""
    found = [Archive(**entry) for entry in _table()["corpus"]]
    return [archive for archive in found if not sets or archive.set in sets]


def tool(name: str) -> Archive:
    """A service to compare with."""
    return next(Archive(**entry) for entry in _table()["tool"] if entry["name"] == name)


def _table() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def main(arguments: list[str]) -> int:
    """Fetch the sets that are named, or all."""
    for archive in archives(*arguments):
        print(archive.set, archive.language, archive.title, archive.folder(), sep="\t")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
