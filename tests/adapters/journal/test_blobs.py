"""Contents by digest: stored once, compressed, and missed out loud."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters.files.platform import choose_disk
from redline.adapters.journal.blobs import MIN_DELTA, PIECE, Blobs, Delta
from redline.core.changes import digest_of


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    disk = choose_disk()
    return Blobs(disk, disk.open_root(str(tmp_path)))


@pytest.fixture
def deltas(tmp_path: Path) -> Blobs:
    """Where every content may be stored as a delta, however small."""
    disk = choose_disk()
    return Blobs(disk, disk.open_root(str(tmp_path)), min_delta=0)


def _follow(blobs: Blobs, old: bytes, new: bytes) -> int:
    """Store a content and what was made of it."""
    return blobs.store(_named(old, new), "transact", {digest_of(new): digest_of(old)})


def _named(*contents: bytes) -> dict[str, bytes]:
    return {digest_of(content): content for content in contents}


def _read(blobs: Blobs, digest: str) -> bytes:
    return b"".join(blobs.pieces(digest))


def test_a_content_is_stored_once_and_compressed(blobs: Blobs, tmp_path: Path) -> None:
    content = b"the same line\n" * 1000
    added = blobs.store(_named(content), "transact")
    assert 0 < added < len(content) // 10
    assert blobs.store(_named(content), "another0") == 0
    assert os.listdir(tmp_path) == [digest_of(content)]
    assert _read(blobs, digest_of(content)) == content


def test_a_large_content_is_packed_and_unpacked_in_pieces(blobs: Blobs, tmp_path: Path) -> None:
    content = os.urandom(3 * PIECE) + bytes(100 * PIECE) + b"end"
    added = blobs.store(_named(content), "transact")
    stored = tmp_path / digest_of(content)
    assert added == stored.stat().st_size < 4 * PIECE
    pieces = list(blobs.pieces(digest_of(content)))
    assert b"".join(pieces) == content
    assert max(map(len, pieces)) <= PIECE
    stored.write_bytes(stored.read_bytes()[:-1])
    with pytest.raises(OSError, match="damaged"):
        _read(blobs, digest_of(content))


def test_a_content_given_as_a_function_is_read_only_when_it_is_new(blobs: Blobs) -> None:
    blobs.store(_named(b"known"), "transact")

    def never() -> bytes:
        raise AssertionError

    assert blobs.store({digest_of(b"known"): never, digest_of(b"new"): lambda: b"new"}, "again000")
    assert _read(blobs, digest_of(b"new")) == b"new"


def test_a_missing_or_damaged_content_is_an_error(blobs: Blobs, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        _read(blobs, digest_of(b"nothing"))
    blobs.store(_named(b"x" * 100), "transact")
    (tmp_path / digest_of(b"x" * 100)).write_bytes(b"garbage")
    with pytest.raises(OSError, match="damaged"):
        _read(blobs, digest_of(b"x" * 100))


def test_keeping_only_some_drops_the_rest_and_what_was_half_written(
    blobs: Blobs, tmp_path: Path
) -> None:
    blobs.store(_named(b"a", b"b"), "transact")
    (tmp_path / "new-deadbeef-0").write_bytes(b"half")
    blobs.keep_only({digest_of(b"a")})
    assert os.listdir(tmp_path) == [digest_of(b"a")]
    assert blobs.store(_named(b"b"), "transact") > 0


@settings(max_examples=150)
@given(
    versions=st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 20), st.binary(max_size=9)), max_size=12
    ),
    first=st.binary(min_size=60, max_size=200),
)
def test_every_version_of_a_content_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    first: bytes,
    versions: list[tuple[int, int, bytes]],
) -> None:
    disk = choose_disk()
    blobs = Blobs(disk, disk.open_root(str(tmp_path_factory.mktemp("blobs"))), min_delta=0)
    made = [first]
    for start, length, added in versions:
        old = made[-1]
        made.append(old[:start] + added + old[start + length :])
        _follow(blobs, old, made[-1])
    for content in made:
        if content != first or versions:
            assert _read(blobs, digest_of(content)) == content
    blobs.close()


def test_many_small_changes_of_a_large_content_take_little(blobs: Blobs, tmp_path: Path) -> None:
    content = os.urandom(4 * MIN_DELTA)
    blobs.store(_named(content), "transact")
    for number in range(20):
        old, content = content, content[:9999] + b"%d" % number + content[10000:]
        assert _follow(blobs, old, content) < 200
        assert _read(blobs, digest_of(content)) == content
    assert _follow(blobs, content, os.urandom(4 * MIN_DELTA)) > 4 * MIN_DELTA


def test_a_content_put_together_with_another_base_is_damaged(deltas: Blobs, tmp_path: Path) -> None:
    old, new = b"x" * 1000, b"x" * 500 + b"!" + b"x" * 499
    _follow(deltas, old, new)
    (tmp_path / digest_of(old)).write_bytes(zlib.compress(b"y" * 1000))
    with pytest.raises(OSError, match="damaged"):
        _read(deltas, digest_of(new))


def test_what_a_delta_needs_is_kept_with_it(deltas: Blobs, tmp_path: Path) -> None:
    first, second, third = (b"x" * 500 + b"%d" % number + b"y" * 500 for number in range(3))
    _follow(deltas, first, second)
    _follow(deltas, second, third)
    wanted = deltas.with_bases({digest_of(third), digest_of(b"elsewhere")})
    assert wanted == {digest_of(third), digest_of(first), digest_of(b"elsewhere")}
    deltas.keep_only(wanted)
    assert sorted(os.listdir(tmp_path)) == sorted(wanted - {digest_of(b"elsewhere")})
    assert _read(deltas, digest_of(third)) == third


def test_a_delta_whose_base_was_lost_is_not_here_and_is_stored_again(
    deltas: Blobs, tmp_path: Path
) -> None:
    first, second, other = (b"x" * 500 + b"%d" % number + b"y" * 500 for number in range(3))
    _follow(deltas, first, second)
    (tmp_path / digest_of(first)).unlink()
    assert not deltas.has(digest_of(second))
    with pytest.raises(OSError, match="gone"):
        _read(deltas, digest_of(second))
    _follow(deltas, other, second)
    assert _read(deltas, digest_of(second)) == second
    assert _read(deltas, digest_of(other)) == other


def test_a_delta_over_a_damaged_base_is_damaged(deltas: Blobs, tmp_path: Path) -> None:
    first, second = b"x" * 500, b"x" * 500 + b"y"
    _follow(deltas, first, second)
    for garbage in (zlib.compress(b"x" * 499), b"garbage"):
        (tmp_path / digest_of(first)).write_bytes(garbage)
        with pytest.raises(OSError, match="damaged"):
            _read(deltas, digest_of(second))


def test_a_delta_never_takes_the_place_of_what_is_stored(blobs: Blobs, tmp_path: Path) -> None:
    """Two contents told by each other would both be lost."""
    old, new = b"a" * MIN_DELTA, b"a" * MIN_DELTA + b"b"
    _follow(blobs, old, new)
    stored = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    delta = Delta(digest_of(new), len(new), len(old), 0)
    assert blobs._write(digest_of(old), old, delta, "new-x-0") == 0
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == stored
