"""Reserves stdin and stdout for the protocol."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def claim_std_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return private duplicates of stdin and stdout.

    Afterwards descriptor 0 is the null device and 1 is stderr, so that a child process or a
    forgotten print can neither eat requests nor break the stream of replies.
    """
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), 1)
    return reader, writer


def read_named_input(path: str, limit: int) -> bytes:
    """Return what a file, a pipe or a descriptor such as /dev/fd/3 holds, up to *limit* bytes."""
    with open(path, "rb") as file:
        return file.read(limit)
