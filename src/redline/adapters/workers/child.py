"""The program inside a worker; run by path, with the server's module path.

It limits itself: memory, stack and processor time by the kernel, wall time by an alarm that needs
no interpreter to go off. It writes no file, opens no socket, and dies with the thread that
started it.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, BinaryIO

_STACK = 8 << 20
# A worker that has grown beyond this is not asked again.
_MAX_RESIDENT = 384 << 20
# Seconds after its budget at which a worker ends itself if the server has not killed it.
_GRACE = 2
_SIGKILL = 9
_FORBIDDEN = ("socket", "kill", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd")


class _Channel:
    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests = requests
        self._answers = answers

    def receive(self) -> Any:
        """The next message; None at the end."""
        from redline.adapters.workers.messages import decode, receive

        body = receive(self._requests.read)
        return None if body is None else decode(body)

    def send(self, message: Any) -> None:
        """Send one message."""
        from redline.adapters.workers.messages import encode, frame

        for part in frame(encode(message)):
            self._answers.write(part)
        self._answers.flush()

    def ask(self, *asked: Any) -> Any:
        """What the server's function of that name answers."""
        from redline.adapters.workers.messages import decode_error

        self.send(("ask", asked, False))
        reply = self.receive()
        if reply is None:
            sys.exit(0)
        verdict, value = reply
        if verdict == "error":
            raise decode_error(value)
        return value


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the input ends."""
    channel = _Channel(requests, answers)
    channel.send("ready")
    while (request := channel.receive()) is not None:
        function, budget, arguments = request
        _limit_call(*budget)
        channel.send((*_run(channel, function, arguments), _is_worn()))
        _set_alarm(0)


def _run(channel: _Channel, function: str, arguments: list[Any]) -> tuple[str, Any]:
    from redline.adapters.workers.messages import encode_error
    from redline.core.errors import RedlineError

    module, _, name = function.partition(":")
    try:
        return "value", getattr(import_module(module), name)(channel.ask, *arguments)
    except RedlineError as error:
        return "error", encode_error(error)
    except (MemoryError, RecursionError):
        return "exhausted", None
    except Exception as error:  # passed to the server, which raises it as its own
        return "failed", f"{type(error).__name__}: {error}"


def limit_process() -> None:
    """Set the limits that hold for the whole life of this worker."""
    try:
        import resource
    except ImportError:  # not a POSIX system: the server's clock still holds
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if hard == resource.RLIM_INFINITY or hard >= _STACK:
        resource.setrlimit(resource.RLIMIT_STACK, (_STACK, hard))


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    from redline.adapters.sandbox import syscalls

    if syscalls.IS_LINUX:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != parent:
            sys.exit(0)


def forbid_outside() -> None:
    """Take sockets and other processes away from this one, where the kernel filters calls."""
    from redline.adapters.sandbox import seccomp, syscalls

    if not seccomp.is_supported():
        return
    program = seccomp.CallFilter()
    for name in _FORBIDDEN:
        program.when(name, seccomp.errno_action(seccomp.EPERM))
    try:
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        seccomp.install(program.assemble(), listen=False)
    except OSError:  # a kernel without filters: the other limits hold
        return


def _limit_call(seconds: float, memory: int, cpu: int) -> None:
    try:
        import resource
    except ImportError:
        return
    _set_soft(resource.RLIMIT_AS, memory)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    _set_soft(resource.RLIMIT_CPU, int(used + (cpu + 1 if cpu else seconds + _GRACE)))
    _set_alarm(seconds + _GRACE)


def _set_soft(limit: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(limit)
    soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (soft, hard))


def _set_alarm(seconds: float) -> None:
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _is_worn() -> bool:
    """Whether this process holds more memory than a fresh one should replace."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError):
        return False
    return pages * 4096 > _MAX_RESIDENT


if __name__ == "__main__":
    path, parent = sys.argv[1:3]
    sys.path[:] = path.split(os.pathsep)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints gets among the answers
    die_with(int(parent))
    limit_process()
    forbid_outside()
    serve(sys.stdin.buffer, sink)
