"""Contents by digest: stored once, compressed, and missed out loud."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.adapters.blobs import PIECE, Blobs
from redline.adapters.platform import choose_disk
from redline.core.changes import digest_of


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    disk = choose_disk()
    return Blobs(disk, disk.open_root(str(tmp_path)))


def _named(*contents: bytes) -> dict[str, bytes]:
    return {digest_of(content): content for content in contents}


def _read(blobs: Blobs, digest: str) -> bytes:
    return b"".join(blobs.pieces(digest))


def test_a_content_is_stored_once_and_compressed(blobs: Blobs, tmp_path: Path) -> None:
    content = b"the same line\n" * 1000
    added = blobs.put(_named(content), "transact")
    assert 0 < added < len(content) // 10
    assert blobs.put(_named(content), "another0") == 0
    assert os.listdir(tmp_path) == [digest_of(content)]
    assert _read(blobs, digest_of(content)) == content


def test_a_large_content_is_packed_and_unpacked_in_pieces(blobs: Blobs, tmp_path: Path) -> None:
    content = os.urandom(3 * PIECE) + bytes(100 * PIECE) + b"end"
    added = blobs.put(_named(content), "transact")
    stored = tmp_path / digest_of(content)
    assert added == stored.stat().st_size < 4 * PIECE
    pieces = list(blobs.pieces(digest_of(content)))
    assert b"".join(pieces) == content
    assert max(map(len, pieces)) <= PIECE
    stored.write_bytes(stored.read_bytes()[:-1])
    with pytest.raises(OSError, match="damaged"):
        _read(blobs, digest_of(content))


def test_a_content_given_as_a_function_is_read_only_when_it_is_new(blobs: Blobs) -> None:
    blobs.put(_named(b"known"), "transact")

    def never() -> bytes:
        raise AssertionError

    assert blobs.put({digest_of(b"known"): never, digest_of(b"new"): lambda: b"new"}, "again000")
    assert _read(blobs, digest_of(b"new")) == b"new"


def test_a_missing_or_damaged_content_is_an_error(blobs: Blobs, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        _read(blobs, digest_of(b"nothing"))
    blobs.put(_named(b"x" * 100), "transact")
    (tmp_path / digest_of(b"x" * 100)).write_bytes(b"garbage")
    with pytest.raises(OSError, match="damaged"):
        _read(blobs, digest_of(b"x" * 100))


def test_keeping_only_some_drops_the_rest_and_what_was_half_written(
    blobs: Blobs, tmp_path: Path
) -> None:
    blobs.put(_named(b"a", b"b"), "transact")
    (tmp_path / "new-deadbeef-0").write_bytes(b"half")
    blobs.keep_only({digest_of(b"a")})
    assert os.listdir(tmp_path) == [digest_of(b"a")]
    assert blobs.put(_named(b"b"), "transact") > 0
