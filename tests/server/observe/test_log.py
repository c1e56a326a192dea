"""What is said to the operator: whole where it is read, lost and counted where it is not."""

from __future__ import annotations

import io
import os
import sys

import pytest

from redline.server.observe import log


def test_lines_that_nobody_reads_are_lost_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stderr", pipe)
        for number in range(1000):
            log.warn(f"line {number} " + "x" * 500)
        said = os.read(reading, 1 << 20).decode().splitlines()
        kept = len(said)
        assert said[0].startswith("redline: line 0 ")
        assert 10 < kept < 1000
        log.warn("again")
        told, again = os.read(reading, 1 << 20).decode().splitlines()
        assert told == f"redline: log lines lost because nothing read them: {1000 - kept}"
        assert again == "redline: again"
        log.warn("and again")
        assert os.read(reading, 1 << 20) == b"redline: and again\n"


def test_without_a_standard_error_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    log.warn("to nobody")


def test_a_standard_error_in_memory_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    log.warn("x" * 5000)
    assert sys.stderr.getvalue() == f"redline: {'x' * 5000}\n"  # type: ignore[attr-defined]
