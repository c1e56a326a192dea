"""What happened to the names in a directory, in the kernel's own order (inotify)."""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path
from typing import NamedTuple

_MODIFIED, _MOVED_FROM, _MOVED_TO, _CREATED, _REMOVED = 0x2, 0x40, 0x80, 0x100, 0x200
_OVERFLOW = 0x4000
_KINDS = {_MODIFIED: "written", _MOVED_TO: "moved", _CREATED: "created", _REMOVED: "removed"}
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 20


class Event(NamedTuple):
    """Something that happened to `name`; of a move, `source` is the name before."""

    kind: str
    name: str
    source: str = ""


class DirectoryEvents:
    """Collects what happens in one directory."""

    def __init__(self, directory: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        wanted = _MODIFIED | _MOVED_FROM | _MOVED_TO | _CREATED | _REMOVED
        if libc.inotify_add_watch(self._fd, os.fsencode(directory), wanted) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def take(self) -> list[Event]:
        """Return what happened since the last call."""
        found: list[Event] = []
        sources: dict[int, str] = {}
        while chunk := self._read():
            at = 0
            while at < len(chunk):
                _, mask, cookie, length = _HEAD.unpack_from(chunk, at)
                at += _HEAD.size + length
                assert not mask & _OVERFLOW, "the kernel dropped events"
                name = os.fsdecode(chunk[at - length : at].rstrip(b"\0"))
                if mask & _MOVED_FROM:
                    sources[cookie] = name
                else:
                    found.append(Event(_KINDS[mask & 0xFFF], name, sources.get(cookie, "")))
        return found

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, _BUFFER)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Stop watching."""
        os.close(self._fd)
