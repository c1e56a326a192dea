"""Audit lines in a file that only grows."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def open_audit_file(path: str) -> Callable[[dict[str, Any]], None]:
    """A sink that appends one JSON line per event; the file is readable by its owner only."""
    import orjson

    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def write(event: dict[str, Any]) -> None:
        os.write(descriptor, orjson.dumps(event) + b"\n")

    return write
