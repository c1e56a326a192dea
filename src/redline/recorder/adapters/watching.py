"""Hears of changes beneath the roots, from the kernel or by looking again and again."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING

from redline.recorder.ports import Noticed

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

QUIET_MS = 150
MAX_BURST_MS = 1000
LOOK_AGAIN = 5.0
# Without the kernel's help, looking may take this share of one processor.
_MAX_LOOKING = 0.2
# After so long without a change everything is looked at once, if anything had changed: the kernel
# may have dropped events, of which watchfiles says nothing. With many at once that is likely.
REST_MS = 60_000
MAX_EVENTS = 4_000
_STAGED = ".redline-"
_GIT_NAMES = ("HEAD", "logs")
_INOTIFY = "/proc/sys/fs/inotify/"
_INOTIFY_LIMITS = ("max_user_watches", "max_user_instances")


class KernelWatcher:
    """See `recorder.ports.Watcher`; it notices what happens from the time it is built."""

    def __init__(
        self, roots: Sequence[str], *, look_again: float = LOOK_AGAIN, max_events: int = MAX_EVENTS
    ) -> None:
        self._closed = Event()
        self._look_again = look_again
        self._max_events = max_events
        self._may_miss_some = False
        # The processor time of the thread that waits and looks, when it last began to look.
        self._looking_since: float | None = None
        self._limits = ""
        self._roots = [*roots]
        self._kernel: RustNotify | None = None
        try:
            self._kernel = self._open()
        except (OSError, RuntimeError) as error:  # watchfiles raises both
            self._fall_back(error)

    def _open(self) -> RustNotify:
        # Not `watchfiles.watch`: that begins to watch only when it is first waited for.
        from watchfiles._rust_notify import RustNotify

        try:
            return RustNotify(self._roots, False, False, 0, True, False)
        except PermissionError:
            # Skip what may not be read. Then watchfiles does not report that watches ran out.
            return RustNotify(self._roots, False, False, 0, True, True)

    @property
    def limits(self) -> str:
        """What it cannot do here."""
        return self._limits

    def wait(self) -> Noticed | None:
        """Wait until something changed and has been quiet for a moment; None when closed."""
        while self._kernel is not None and not self._closed.is_set():
            try:
                found = self._kernel.watch(MAX_BURST_MS, QUIET_MS, REST_MS, self._closed)
            except (OSError, RuntimeError) as error:
                self._fall_back(error)
                return Noticed(None)
            if found == "signal":  # interrupted by the person
                self._closed.set()
            if found == "timeout" and self._may_miss_some:
                self._may_miss_some = False
                return Noticed(None)
            if isinstance(found, str):
                continue
            self._may_miss_some = True
            if len(found) > self._max_events:
                return Noticed(None, f"{len(found)} changes at once: looking at every file")
            paths = frozenset(path for _, path in found if _is_of_interest(path))
            if paths:
                return Noticed(paths)
        now, since = time.thread_time(), self._looking_since
        looked = 0.0 if since is None else now - since
        self._closed.wait(max(self._look_again, looked / _MAX_LOOKING))
        self._looking_since = time.thread_time()
        return None if self._closed.is_set() else Noticed(None)

    def renew(self) -> None:
        """Watch also the directories that could not be read before."""
        before = self._kernel
        if before is None:
            return
        try:
            self._kernel = self._open()
        except (OSError, RuntimeError) as error:
            self._fall_back(error)
        before.close()

    def _fall_back(self, error: Exception) -> None:
        self._kernel = None
        reason = str(error).partition(" about ")[0]
        self._limits = (
            f"changes are looked for every {self._look_again:g} s, less often where that takes"
            f" long, because the system gives no more watches: {reason}{_name_inotify_limits()}"
        )

    def close(self) -> None:
        """Stop; `wait` returns."""
        self._closed.set()


def _name_inotify_limits() -> str:
    found: list[str] = []
    for name in _INOTIFY_LIMITS:
        try:
            with open(_INOTIFY + name, encoding="ascii") as file:
                found.append(f"fs.inotify.{name} is {int(file.read())}")
        except (OSError, ValueError):
            return ""
    return f" (each directory takes one, whatever it holds; {', '.join(found)})"


def _is_of_interest(path: str) -> bool:
    """Return whether a change there may be of a file, or says that git moved the work tree."""
    name = os.path.basename(path)
    if name.startswith(_STAGED):
        return False
    _, inside, below = path.partition(f"{os.sep}.git{os.sep}")
    return not inside or below.split(os.sep)[0] in _GIT_NAMES
