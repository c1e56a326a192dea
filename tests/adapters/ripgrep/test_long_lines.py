"""A line that does not fit into memory costs neither the machine nor the other matches."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from redline.adapters.ripgrep import other_encodings, process
from redline.core.errors import Unavailable
from redline.core.ports.search import Binary, GrepQuery
from tests.adapters.ripgrep.test_encodings import open_grep, search
from tests.support import need

pytestmark = pytest.mark.requirement("files-search-memory")
_IN_SPARSE_FILE = """
import resource, sys
from pathlib import Path
from redline.core.ports.search import GrepQuery
from tests.adapters.ripgrep.test_encodings import found, open_grep, search
grep = open_grep(Path(sys.argv[1]))
for _ in range(2):
    assert found(grep, "needle") == [("a.txt", 1), ("z.txt", 1)]
    assert not search(grep, GrepQuery("needle")).timed_out  # what is left out is binary
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    need(sys.platform == "linux", "limits that can be set for another process")
    base = tmp_path / "ws"
    base.mkdir()
    for name in ("a.txt", "z.txt"):
        (base / name).write_text("needle\n")
    return base


def test_a_search_beside_a_large_sparse_file_takes_bounded_memory(base: Path) -> None:
    with (base / "sparse").open("wb") as file:
        file.truncate(600 << 20)
    done = subprocess.run(
        [sys.executable, "-c", _IN_SPARSE_FILE, str(base)],
        capture_output=True,
        check=True,
        text=True,
    )
    assert int(done.stdout) < 1 << 30


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ripgrep has little memory, and files count as large early."""
    monkeypatch.setattr(process, "_MAX_MEMORY", 200 << 20)
    monkeypatch.setattr(other_encodings, "MAX_FILE", 1 << 20)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("is_held", [True, False])
def test_large_files_are_left_out_and_named_missing_where_one_cannot_be_searched(
    base: Path, is_held: bool
) -> None:
    (base / "b.txt").write_bytes(b"x" * (400 << 20))
    (base / "large.txt").write_bytes(b"x\n" * (1 << 20) + b"a needle\n")
    (base / "large.bin").write_bytes(b"\0needle\n" + b"x\n" * (1 << 20))
    grep = open_grep(base, is_held=is_held)
    for binary in (Binary.SKIP, Binary.NAME):
        result = search(grep, GrepQuery("needle", binary=binary))
        lines = [(line.path, line.line) for line in result.lines]
        assert lines == [("a.txt", 1), ("z.txt", 1)]
        assert (result.total, result.timed_out) == (2, True)
        named = [path.name for path in result.binary]
        assert named == (["large.bin"] if binary is Binary.NAME else [])


def test_what_is_left_out_because_ripgrep_was_killed_is_never_silent(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_MAX_MEMORY", 1 << 20)
    with pytest.raises(Unavailable):
        search(open_grep(base), GrepQuery("needle"))
