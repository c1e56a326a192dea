"""Messages to and from a language server in the sandbox, within bounds of size and time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any
from urllib.parse import quote, unquote

from redline.core.errors import SessionClosed
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Job
from redline.core.ports.tree import Root

# No message is longer than this, nor a header.
MAX_MESSAGE = 64 << 20
_MAX_HEADER = 4096
# What is sent at once; the sandbox keeps at most 4 MB that the program has not read.
_PIECE = 1 << 20


# Returns the text of a file as the caller sees it; None if it has none.
Read = Callable[[WorkspacePath], "str | None"]


class ServerFailed(Exception):
    """The server ended, did not answer in time, or answered what cannot be true."""


class FileEvent(IntEnum):
    """What happened to a file, as the Language Server Protocol numbers it."""

    CREATED = 1
    CHANGED = 2
    DELETED = 3


class JobStream:
    """The streams of a job in the sandbox."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def send(self, data: bytes) -> None:
        """Write in pieces that the sandbox keeps until the program reads them."""
        ends = time.monotonic() + 10.0
        for start in range(0, len(data), _PIECE):
            while True:
                try:
                    self._job.send(data[start : start + _PIECE])
                    break
                except SessionClosed as closed:
                    if self._job.state().has_ended or time.monotonic() > ends:
                        raise ServerFailed("does not read what it is sent") from closed
                    self._job.wait(0.02)

    def receive(self, seconds: float) -> bytes:
        """Return what came; ServerFailed if the process ended or more came than is kept."""
        self._job.wait(seconds, for_output=True)
        look = self._job.take()
        got = look.stdout
        if got.lost:
            raise ServerFailed("wrote more at once than is read")
        data = got.head + got.tail
        if not data and look.state.has_ended:
            raise ServerFailed("stopped")
        return data


class Wire:
    """JSON messages with a header for their length."""

    def __init__(self, stream: JobStream) -> None:
        self._stream = stream
        self._unread = bytearray()

    def send(self, message: dict[str, Any], *, as_line: bool = False) -> None:
        """Send a message, or one line of JSON to a server that reads lines."""
        body = json.dumps(message).encode()
        head = b"" if as_line else b"Content-Length: %d\r\n\r\n" % len(body)
        self._stream.send(head + body + (b"\n" if as_line else b""))

    def receive(self, ends: float) -> dict[str, Any]:
        """Return the next message; ServerFailed if none comes before *ends*."""
        while True:
            message = self._next()
            if message is not None:
                return message
            left = ends - time.monotonic()
            if left <= 0:
                raise ServerFailed("did not answer in time")
            self._unread += self._stream.receive(left)

    def _next(self) -> dict[str, Any] | None:
        head, found, _ = bytes(self._unread[:_MAX_HEADER]).partition(b"\r\n\r\n")
        if not found:
            if len(self._unread) >= _MAX_HEADER:
                raise ServerFailed("sent what is not a message")
            return None
        length = _read_length(head)
        start = len(head) + len(found)
        if len(self._unread) < start + length:
            return None
        body = bytes(self._unread[start : start + length])
        del self._unread[: start + length]
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as broken:
            raise ServerFailed("sent what is not JSON") from broken
        if not isinstance(message, dict):
            raise ServerFailed("sent what is not a message")
        return message


def _read_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            if digits.isdigit() and len(digits) < 12 and int(digits) <= MAX_MESSAGE:
                return int(digits)
    raise ServerFailed("sent a message without a length")


class Texts:
    """The texts that a server was shown, and offsets in them for its lines and columns."""

    def __init__(self, roots: Sequence[Root], encoding: str = "utf-16") -> None:
        self._roots = [root.path for root in roots]
        self.encoding = encoding
        self.shown: dict[WorkspacePath, str] = {}
        self._read: Read = lambda _: None
        self._unshown: dict[WorkspacePath, str | None] = {}
        self._lines: dict[WorkspacePath, list[int]] = {}

    def begin(self, read: Read) -> None:
        """Read files that the server was not shown by *read* from now on."""
        self._read = read
        for path in self._unshown:
            self._lines.pop(path, None)
        self._unshown.clear()

    def look_again(self) -> tuple[list[WorkspacePath], dict[WorkspacePath, str]]:
        """Return which files that the server was shown are gone, and which have another text."""
        now = {path: self._read(path) for path in self.shown}
        gone = [path for path, text in now.items() if text is None]
        for path in gone:
            del self.shown[path]
            self._lines.pop(path, None)
        return gone, {path: text for path, text in now.items() if text is not None}

    def put(self, path: WorkspacePath, text: str) -> None:
        """Keep the text of a file that the server was shown."""
        self.shown[path] = text
        self._lines.pop(path, None)

    def text(self, path: WorkspacePath) -> str:
        """Return the text of a file; ServerFailed if it cannot be read."""
        if path in self.shown:
            return self.shown[path]
        if path not in self._unshown:
            self._unshown[path] = self._read(path)
        text = self._unshown[path]
        if text is None:
            raise ServerFailed(f"named a file that cannot be read: {path.relative}")
        return text

    def file(self, path: WorkspacePath) -> str:
        """Return the absolute path of a file."""
        return "/".join([self._roots[path.root].rstrip("/"), *path.parts])

    def uri(self, path: WorkspacePath) -> str:
        """Return the address of a file."""
        return "file://" + quote(self.file(path))

    def path_of(self, name: str) -> WorkspacePath | None:
        """Return the file of an address or absolute path; None outside of all roots."""
        file = unquote(name.removeprefix("file://")) if name.startswith("file://") else name
        if any(part in ("", ".", "..") for part in file.split("/")[1:]):
            return None
        for number, root in sorted(enumerate(self._roots), key=lambda each: -len(each[1])):
            top = root.rstrip("/") + "/"
            if file.startswith(top):
                return WorkspacePath(number, tuple(file[len(top) :].split("/")))
        return None

    def position(self, path: WorkspacePath, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 0."""
        text = self.text(path)
        start = text.rfind("\n", 0, offset) + 1
        return text.count("\n", 0, start), self._width(text[start:offset])

    def offset(self, path: WorkspacePath, line: Any, column: Any) -> int:
        """Return the offset of a line and column; ServerFailed where the text has none."""
        if type(line) is not int or type(column) is not int:
            raise ServerFailed("answered what is not a place")
        starts = self._starts(path)
        if not 0 <= line < len(starts) or column < 0:
            raise ServerFailed("named a place that the file does not have")
        text, start = self.text(path), starts[line]
        end = starts[line + 1] if line + 1 < len(starts) else len(text)
        if text[start:end].isascii():
            found = start + column
        else:
            found = self._seek(text, start, end, column)
        if found > end:
            raise ServerFailed("named a place that the file does not have")
        return found

    def _starts(self, path: WorkspacePath) -> list[int]:
        if path not in self._lines:
            text, starts = self.text(path), [0]
            while (end := text.find("\n", starts[-1])) >= 0:
                starts.append(end + 1)
            self._lines[path] = starts
        return self._lines[path]

    def _width(self, text: str) -> int:
        if self.encoding == "utf-32" or text.isascii():
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def _seek(self, text: str, start: int, end: int, column: int) -> int:
        for at in range(start, end + 1):
            if column <= 0:
                return at
            column -= self._width(text[at : at + 1])
        return end + 1
