"""Contents in the journal's lines: found by everybody, kept by pruning, never trusted too early."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from redline.adapters.journal.blobs import Blobs
from redline.adapters.journal.content_store import MAX_INLINE, ContentStore
from redline.adapters.journal.log import Journal
from redline.adapters.journal.records import Head, format_operation
from redline.core.changes import digest_of
from tests.engine.quick import QuickDisk


class Side:
    """One process's view of a state directory."""

    def __init__(self, top: Path, max_inline: int = MAX_INLINE) -> None:
        (top / "blobs").mkdir(exist_ok=True)
        self.disk = QuickDisk()
        self.journal = Journal(self.disk, self.disk.open_root(str(top)))
        self.blobs = Blobs(self.disk, self.disk.open_root(str(top / "blobs")))
        self.contents = ContentStore(self.journal, self.blobs, max_inline)

    def commit(self, name: str, *contents: bytes) -> int:
        """Commit an operation; how many contents its line brought along."""
        given = {digest_of(content): content for content in contents}
        brought, added = self.contents.save(given, name, {})
        head = Head(name, "change", None, 1.0, added)
        self.journal.commit(format_operation(head, b'{"a": "b c"}', brought), brought, added)
        return len(brought)

    def body(self, name: str) -> bytes:
        self.journal.refresh()
        line = self.journal.index.find(name)
        assert line is not None
        return self.journal.body(line)

    def get(self, content: bytes) -> bytes:
        return self.contents.get(digest_of(content))


def test_small_contents_stand_in_the_line_and_every_process_finds_them(tmp_path: Path) -> None:
    one, two = Side(tmp_path), Side(tmp_path)
    assert one.commit("first000", b"old\n", b"") == 2
    assert os.listdir(tmp_path / "blobs") == []
    assert two.get(b"old\n") == b"old\n"
    assert two.get(b"") == b""
    assert two.body("first000") == b'{"a": "b c"}'
    assert Side(tmp_path).get(b"old\n") == b"old\n"


def test_what_we_have_synced_ourselves_is_not_stored_again(tmp_path: Path) -> None:
    one, two = Side(tmp_path), Side(tmp_path)
    assert one.commit("first000", b"a", b"b") == 2
    assert one.commit("second00", b"b", b"c") == 1
    two.journal.refresh()
    assert two.commit("third000", b"c", b"d") == 2  # the other may still take its line back
    assert [two.body(name) for name in ("first000", "third000")] == [b'{"a": "b c"}'] * 2


def test_larger_contents_are_blobs(tmp_path: Path) -> None:
    side = Side(tmp_path)
    large = os.urandom(MAX_INLINE)
    assert side.commit("first000", b"small", large) == 0
    assert sorted(os.listdir(tmp_path / "blobs")) == sorted([digest_of(b"small"), digest_of(large)])
    assert (side.get(b"small"), side.get(large)) == (b"small", large)
    assert side.commit("second00", b"x" * (1 << 20)) == 0


def test_a_large_journal_takes_in_no_more_contents(tmp_path: Path) -> None:
    side = Side(tmp_path)
    with open(tmp_path / "journal", "r+b") as file:
        file.truncate((8 << 20) + 1)
    assert side.commit("first000", b"a") == 0
    assert side.get(b"a") == b"a"


def test_a_journal_with_blobs_stays_readable(tmp_path: Path) -> None:
    old = Side(tmp_path, max_inline=0)
    assert old.commit("first000", b"a", b"b") == 0
    new = Side(tmp_path)
    assert new.commit("second00", b"b", b"c") == 2
    assert [new.get(each) for each in (b"a", b"b", b"c")] == [b"a", b"b", b"c"]
    assert new.body("first000") == new.body("second00") == b'{"a": "b c"}'


def test_pruning_again_and_again_keeps_what_is_wanted_of_dropped_lines(tmp_path: Path) -> None:
    one, two = Side(tmp_path), Side(tmp_path)
    one.commit("one", b"a", b"b")
    one.commit("two", b"b", b"c")
    one.commit("three", b"c", b"d")
    for wanted in ((b"b", b"c", b"d"), (b"c", b"d")):
        one.journal.refresh()
        one.journal.replace(one.journal.index.lines[1:], {digest_of(each) for each in wanted})
        assert two.get(b"c") == b"c"
    for side in (one, two, Side(tmp_path)):
        assert (side.get(b"c"), side.get(b"d")) == (b"c", b"d")
        for gone in (b"a", b"b"):
            with pytest.raises(OSError, match="gone") as caught:
                side.get(gone)
            assert caught.value.errno == errno.EIO
    assert one.commit("four", b"d", b"e") == 2  # another file: what we had synced is in doubt


def test_a_line_that_was_read_and_then_taken_back_is_not_believed(tmp_path: Path) -> None:
    one, two = Side(tmp_path), Side(tmp_path)
    one.commit("first000", b"a")
    end = (tmp_path / "journal").stat().st_size
    one.commit("second00", b"b")
    assert two.get(b"b") == b"b"
    os.truncate(tmp_path / "journal", end)
    Side(tmp_path).commit("third000", b"c")
    assert two.get(b"c") == b"c"
    with pytest.raises(OSError, match="gone"):
        two.get(b"b")
    assert two.get(b"a") == b"a"


def test_a_line_cut_off_brings_no_content(tmp_path: Path) -> None:
    Side(tmp_path).commit("first000", b"a")
    os.truncate(tmp_path / "journal", (tmp_path / "journal").stat().st_size - 3)
    side = Side(tmp_path)
    with pytest.raises(OSError, match="gone"):
        side.get(b"a")
    assert side.commit("second00", b"a") == 1
    assert side.get(b"a") == b"a"
