"""Hears of changes beneath the roots, from the kernel or by looking again and again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from threading import Event

from redline.core.ports.recording import Noticed

QUIET_MS = 150
MAX_WAIT_MS = 1000
LOOK_AGAIN = 5.0
_MAX_PATHS = 5_000
_STAGED = ".redline-"
_GIT_NAMES = ("HEAD", "logs")


class KernelWatcher:
    """See `core.ports.recording.Watcher`."""

    def __init__(self, roots: Sequence[str], *, look_again: float = LOOK_AGAIN) -> None:
        self._closed = Event()
        self._look_again = look_again
        self._limits = ""
        self._roots = roots
        self._changes = self._open()

    def _open(self) -> object:
        import logging

        from watchfiles import watch

        logging.getLogger("watchfiles").setLevel(logging.CRITICAL)
        try:
            changes = watch(
                *self._roots,
                watch_filter=lambda _, path: _is_of_interest(path),
                debounce=MAX_WAIT_MS,
                step=QUIET_MS,
                stop_event=self._closed,
                rust_timeout=60_000,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
        except OSError as error:
            self._fall_back(error)
            return None
        return changes

    @property
    def limits(self) -> str:
        """What it cannot do here."""
        return self._limits

    def wait(self) -> Noticed | None:
        """Wait until something changed and has been quiet for a moment; None when closed."""
        while self._changes is not None and not self._closed.is_set():
            try:
                found = next(self._changes, None)  # type: ignore[call-overload]
            except OSError as error:
                self._fall_back(error)
                return Noticed(None)
            if found is None:  # interrupted by the person
                self._closed.set()
                return None
            if found:
                paths = frozenset(path for _, path in found)
                return Noticed(paths if len(paths) <= _MAX_PATHS else None)
        if self._closed.is_set():
            return None
        self._closed.wait(self._look_again)
        return None if self._closed.is_set() else Noticed(None)

    def _fall_back(self, error: OSError) -> None:
        self._changes = None
        self._limits = (
            f"changes are looked for every {self._look_again:g} s, "
            f"because the system gives no more watches: {error}"
        )

    def close(self) -> None:
        """Stop; `wait` returns."""
        self._closed.set()


def _is_of_interest(path: str) -> bool:
    """Whether a change there may be of a file, or says that git moved the work tree."""
    name = os.path.basename(path)
    if name.startswith(_STAGED):
        return False
    _, inside, below = path.partition(f"{os.sep}.git{os.sep}")
    return not inside or below.split(os.sep)[0] in _GIT_NAMES
