"""Ends the server process even when something in it hangs."""

from __future__ import annotations

import os

# From the signal to the end of the process; the documentation says five seconds.
END_SECONDS = 4.5


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
