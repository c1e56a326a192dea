"""Ends the server process, even when a signal is not noticed or something hangs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread, main_thread

# From the signal to the end of the process; the documentation says five seconds.
END_SECONDS = 4.5
_REPEAT_SECONDS = 0.05
_END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM or SIGINT; no handler of Exception swallows it."""


@contextmanager
def end_on_signal() -> Iterator[None]:
    """Raise Terminated in the main thread on the first SIGTERM or SIGINT; ignore further ones.

    The interpreter only notes a signal that arrives in another thread, or right before the main
    thread waits in a system call: it would be handled with the next input. A thread sends the
    signal again, to the main thread, until the handler has run.
    """
    handled = Event()

    def handle(_number: int, _frame: object) -> None:
        handled.set()
        for number in _END_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        raise Terminated

    noted, note = os.pipe()
    os.set_blocking(note, False)
    replaced = signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    Thread(target=_repeat_signal, args=(noted, handled), name="signals", daemon=True).start()
    before = {number: signal.signal(number, handle) for number in _END_SIGNALS}
    try:
        yield
    finally:
        signal.set_wakeup_fd(replaced)
        os.close(note)  # which ends the thread
        if not handled.is_set():
            for number, handler in before.items():
                signal.signal(number, handler)


def _repeat_signal(noted: int, handled: Event) -> None:
    """Send the main thread each signal of *noted* again until it was *handled*."""
    while number := os.read(noted, 1):
        while not handled.wait(_REPEAT_SECONDS):
            signal.pthread_kill(main_thread().ident or 0, number[0])
    os.close(noted)


def end_process_within(seconds: float = END_SECONDS) -> None:
    """End this process after *seconds*, unless it has ended by itself.

    The watchdog is a native thread: it waits for no lock, thread or exit handler, nor for the
    interpreter. The next start completes or reverts an unfinished change from the journal.
    """
    import faulthandler

    # The watchdog writes where every thread was: into a pipe without a reader, because stderr could
    # be full and block it.
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    faulthandler.dump_traceback_later(seconds, exit=True, file=writer)
    _kept_open.append(reader)


_kept_open: list[int] = []
