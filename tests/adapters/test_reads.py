"""The memory of what each connection was shown."""

from __future__ import annotations

from redline.adapters.session_memory import MAX_FILE, MemoryReads
from redline.core.changes import digest_of
from redline.core.paths import WorkspacePath

A = WorkspacePath(0, ("a.py",))
B = WorkspacePath(0, ("b.py",))


def test_a_connection_remembers_the_last_content_it_was_shown() -> None:
    reads = MemoryReads()
    reads.note("one", A, b"old\n")
    reads.note("one", A, b"new\n")
    seen = reads.last_seen("one", A)
    assert seen is not None
    assert seen.content == b"new\n"
    assert seen.digest == digest_of(b"new\n")


def test_what_one_connection_saw_is_not_what_another_saw() -> None:
    reads = MemoryReads()
    reads.note("one", A, b"x\n")
    assert reads.last_seen("two", A) is None
    assert reads.last_seen("one", B) is None


def test_the_oldest_is_forgotten_when_the_bytes_run_out() -> None:
    reads = MemoryReads(max_bytes=10)
    reads.note("one", A, b"123456")
    reads.note("one", B, b"123456")
    assert reads.last_seen("one", A) is None
    assert reads.last_seen("one", B) is not None


def test_a_huge_file_is_known_by_its_digest_alone() -> None:
    reads = MemoryReads()
    content = b"x" * (MAX_FILE + 1)
    reads.note("one", A, content)
    seen = reads.last_seen("one", A)
    assert seen is not None
    assert seen.content is None
    assert seen.digest == digest_of(content)
