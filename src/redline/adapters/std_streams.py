"""Reserves stdin and stdout for the protocol, and stderr for Python."""

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


def silence_native_stderr() -> None:
    """Reserve standard error for Python.

    A native parser prints part of an error there before Python can report it, and its binding has
    no option against that. Afterwards descriptor 2 is the null device and sys.stderr writes to a
    private duplicate; so does the traceback of a process that crashes.
    """
    import faulthandler

    if sys.flags.verbose or "importtime" in sys._xoptions:
        return  # the interpreter was asked to report there itself
    sys.stderr.flush()
    private = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)
    sys.stderr = os.fdopen(private, "w", buffering=1, errors="backslashreplace")
    faulthandler.enable(sys.stderr)
