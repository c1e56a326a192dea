"""Runs what may read the roots and nothing else, where the kernel offers Landlock.

The restriction is laid on one thread, and what that thread starts inherits it: no code runs
between fork and exec, and the rest of the process stays free.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_SET_NO_NEW_PRIVS = 38
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")


_T = TypeVar("_T")


class ReadGuard:
    """A thread to work on and to start programs from, held by the kernel where it can do that."""

    def __init__(self, roots: Sequence[int | str], program: str | None = None) -> None:
        self._roots = roots
        self._program = program
        self._lock = threading.Lock()
        self._job: Callable[[], None] | None = None
        self._wake = threading.Semaphore(0)
        self._done = threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        self._confined = False

    @property
    def confined(self) -> bool:
        """Whether the kernel holds it."""
        with self._lock:
            self._ensure_thread()
            return self._confined

    def start(self, argv: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """`subprocess.Popen` from inside the guard."""
        return self.run(lambda: subprocess.Popen(list(argv), **options))

    def run(self, work: Callable[[], _T]) -> _T:
        """What *work* answers, done inside the guard; one at a time."""
        if not sys.platform.startswith("linux"):
            return work()
        answers: list[_T] = []
        failed: list[BaseException] = []

        def job() -> None:
            try:
                answers.append(work())
            except BaseException as error:
                failed.append(error)

        with self._lock:
            self._ensure_thread()
            self._job = job
            self._wake.release()
            self._done.acquire()
        if failed:
            raise failed[0]
        return answers[0]

    def _ensure_thread(self) -> None:
        if self._thread is None and sys.platform.startswith("linux"):
            self._thread = threading.Thread(target=self._run, name="read-guard", daemon=True)
            self._thread.start()
            self._done.acquire()

    def _run(self) -> None:
        self._confined = _restrict_this_thread(self._roots, self._program)
        self._done.release()
        while True:
            self._wake.acquire()
            if self._job is not None:
                self._job()
                self._job = None
            self._done.release()


def _restrict_this_thread(roots: Sequence[int | str], program: str | None) -> bool:
    """Let this thread and its children read only beneath *roots*; False where that is impossible.

    Only reading is taken away: nothing else in the process runs on this thread, but finalizers
    may, and those must still be able to clean up.
    """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    syscall = libc.syscall
    syscall.restype = ctypes.c_long
    if syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION)) < 1:
        return False
    handled = ctypes.c_uint64(_READ_FILE | _READ_DIR)
    ruleset = syscall(
        _CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), ctypes.c_uint32(0)
    )
    if ruleset < 0:
        return False
    try:
        needed = [*roots, program] if program else roots
        extra = _LIBRARIES if program and _needs_libraries(program) else ()
        if not all(_allow(syscall, ruleset, place) for place in needed):
            return False
        for place in extra:
            _allow(syscall, ruleset, place)
        if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        return bool(syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0)
    finally:
        os.close(ruleset)


def _allow(syscall: Any, ruleset: int, place: int | str) -> bool:
    import ctypes

    class PathBeneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))

    try:
        fd = place if isinstance(place, int) else os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        is_directory = os.path.isdir(f"/proc/self/fd/{fd}")
        rights = _READ_FILE | (_READ_DIR if is_directory else 0)
        rule = PathBeneath(rights, fd)
        return bool(
            syscall(
                _ADD_RULE,
                ctypes.c_int(ruleset),
                ctypes.c_int(_PATH_BENEATH),
                ctypes.byref(rule),
                ctypes.c_uint32(0),
            )
            == 0
        )
    finally:
        if not isinstance(place, int):
            os.close(fd)


def _needs_libraries(program: str) -> bool:
    """Whether *program* names a dynamic loader."""
    try:
        with open(program, "rb") as file:
            head = file.read(4096)
    except OSError:
        return True
    return b"/ld-" in head
