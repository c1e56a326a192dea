"""Owner, extended attributes and access list of a removed file come back with its undo."""

from __future__ import annotations

import os
import struct
import sys
import tempfile
from pathlib import Path

import pytest

from tests.engine.bench import Bench
from tests.support import ordinary_user

pytestmark = [
    pytest.mark.requirement("engine-undo-attributes"),
    pytest.mark.skipif(sys.platform != "linux", reason="sets extended attributes"),
]
STRANGER = 12345
OWNER, USER, GROUP, MASK, OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
NO_ID = 0xFFFFFFFF
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def _access_list() -> bytes:
    """Read access for one more user, as the kernel encodes it."""
    entries = [
        (OWNER, 6, NO_ID),
        (USER, 4, STRANGER),
        (GROUP, 4, NO_ID),
        (MASK, 4, NO_ID),
        (OTHER, 0, NO_ID),
    ]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def _attributes(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def _make(bench: Bench, **attributes: bytes) -> Path:
    path = bench.root / "a"
    path.write_text("a\n")
    for name, value in attributes.items():
        try:
            os.setxattr(path, name.replace("__", "."), value)
        except OSError as error:
            pytest.skip(f"no such attributes here: {error}")
    return path


def test_undo_and_redo_and_undo_of_a_removal_restore_extended_attributes(bench: Bench) -> None:
    path = _make(bench, user__note=b"\x00\xff kept", system__posix_acl_access=_access_list())
    before, mode = _attributes(path), path.stat().st_mode
    removal = bench.commit(bench.delete("a"))
    assert removal.notes == ()
    for _ in range(2):
        undo = bench.undo()
        assert (_attributes(path), path.stat().st_mode) == (before, mode)
        assert undo.notes == ()
        bench.redo()
        assert not path.exists()


def test_another_server_restores_them_from_the_history(bench: Bench) -> None:
    path = _make(bench, user__note=b"kept")
    bench.commit(bench.delete("a"))
    other = Bench(bench.root)
    with other.app:
        other.undo()
    assert _attributes(path) == {"user.note": b"kept"}


def test_a_file_that_becomes_a_link_gets_them_back_too(bench: Bench) -> None:
    path = _make(bench, user__note=b"kept")
    bench.commit(bench.link("a", "elsewhere"))
    bench.undo()
    assert _attributes(path) == {"user.note": b"kept"}


@as_root
def test_undo_of_a_removal_restores_the_owner(bench: Bench) -> None:
    path = _make(bench)
    os.chown(path, STRANGER, STRANGER + 1)
    path.chmod(0o4750)
    assert bench.commit(bench.delete("a")).notes == ()
    bench.undo()
    found = path.stat()
    assert (found.st_uid, found.st_gid) == (STRANGER, STRANGER + 1)
    assert found.st_mode & 0o7777 == 0o4750


@as_root
def test_an_undo_that_may_not_restore_the_owner_says_so(bench: Bench, tmp_path: Path) -> None:
    path = _make(bench)
    bench.commit(bench.delete("a"))
    bench.undo()  # what an undo loads is loaded
    os.chown(path, STRANGER, STRANGER)
    bench.commit(bench.delete("a"))
    with ordinary_user(tmp_path):
        undo = bench.undo()
    assert undo.notes == ("owner not kept",)
    assert path.stat().st_uid == 54321


@as_root
def test_a_removal_says_that_its_undo_may_not_restore_the_owner(
    bench: Bench, tmp_path: Path
) -> None:
    path = _make(bench)
    bench.commit(bench.delete("a"))
    bench.undo()
    with ordinary_user(tmp_path):
        os.seteuid(0)
        os.chown(path, STRANGER, STRANGER)
        os.seteuid(54321)
        removal = bench.commit(bench.delete("a"))
    assert removal.notes == (f"an undo will not restore owner of {path}",)


def test_a_removal_says_that_attributes_are_too_large_for_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as root:  # most disks hold less
        bench = Bench(Path(root))
        with bench.app:
            path = _make(bench, **{f"user__{number}": b"x" * 60_000 for number in range(2)})
            removal = bench.commit(bench.delete("a"))
            assert removal.notes == (f"an undo will not restore extended attributes of {path}",)
            bench.undo()
            assert _attributes(path) == {}
