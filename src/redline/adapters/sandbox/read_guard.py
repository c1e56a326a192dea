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
        """Return what *work* answers, done inside the guard; one at a time."""
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
    from redline.adapters.sandbox import landlock, syscalls  # not before: they load ctypes

    needed = [*roots, program] if program else [*roots]
    if not all(isinstance(place, int) or os.path.exists(place) for place in needed):
        return False
    extra = _LIBRARIES if program and _needs_libraries(program) else ()
    reading = landlock.READ_FILE | landlock.READ_DIR
    try:
        made = landlock.ruleset(
            [(place, reading) for place in (*needed, *extra)], version=1, handled=reading
        )
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        landlock.restrict(made)
    except OSError:
        return False
    return True


def _needs_libraries(program: str) -> bool:
    """Return whether *program* names a dynamic loader."""
    try:
        with open(program, "rb") as file:
            head = file.read(4096)
    except OSError:
        return True
    return b"/ld-" in head
