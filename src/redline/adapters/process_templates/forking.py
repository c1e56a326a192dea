"""Inside a template: fork a copy for each request, until the server has gone.

Two requests, one packet each, JSON: `{"fork": ARGUMENTS}` with the descriptors that the copy gets,
answered by its number and a pidfd; `{"wait": NUMBER}` for a copy that has ended or is being killed,
answered by its exit status.
"""

from __future__ import annotations

import gc
import json
import os
import socket
from collections.abc import Callable, Sequence

MAX_PACKET = 64 << 10
MAX_DESCRIPTORS = 8


def fork_on_request(descriptor: int, run: Callable[[list[str], list[int]], object]) -> None:
    """Serve the socket *descriptor*; a copy calls *run* with its arguments and descriptors.

    The caller must have one thread only.
    """
    requests = socket.socket(fileno=descriptor)
    gc.collect()
    gc.disable()
    gc.freeze()  # so that copies share what was loaded
    while True:
        body, descriptors, _flags, _address = socket.recv_fds(requests, MAX_PACKET, MAX_DESCRIPTORS)
        if not body:
            return
        request = json.loads(body)
        if "wait" in request:
            requests.sendall(str(_wait(request["wait"])).encode())
        else:
            _fork(requests, request["fork"], descriptors, run)


def _fork(
    requests: socket.socket,
    arguments: list[str],
    descriptors: Sequence[int],
    run: Callable[[list[str], list[int]], object],
) -> None:
    number = os.fork()
    if number == 0:
        status = 1
        try:
            requests.close()
            run(arguments, list(descriptors))
            status = 0
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else 0
        finally:
            os._exit(status)
    for descriptor in descriptors:
        os.close(descriptor)
    handle = os.pidfd_open(number)
    socket.send_fds(requests, [str(number).encode()], [handle])
    os.close(handle)


def _wait(number: int) -> int:
    """How the copy ended, as `subprocess` says it; the server only asks when it is ending."""
    try:
        _, status = os.waitpid(number, 0)
    except ChildProcessError:
        return -9
    return os.waitstatus_to_exitcode(status)
