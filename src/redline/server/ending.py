"""The end of the server process, whatever hangs."""

from __future__ import annotations

import os

# From the signal to the end of the process; five seconds are promised.
END_SECONDS = 4.5


def end_process_within(seconds: float = END_SECONDS) -> None:
    """End this process after *seconds*, unless it has ended by itself.

    The watchdog is a native thread: it waits for no lock, no thread, no exit handler and not for
    the interpreter. A change that was not finished is settled from the journal by the next start.
    """
    import faulthandler

    # The watchdog reports where every thread was: into a pipe that nobody reads, for stderr could
    # be full and block it.
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    faulthandler.dump_traceback_later(seconds, exit=True, file=writer)
    _kept_open.append(reader)


_kept_open: list[int] = []
