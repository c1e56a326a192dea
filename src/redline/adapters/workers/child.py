"""The program inside a worker; run as text that the server read when it started.

It limits itself: memory, stack and processor time by the kernel, wall time by an alarm that needs
no interpreter to go off. It writes no file, opens no socket, and dies with the thread that
started it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any, BinaryIO

_STACK = 8 << 20
_PAGE = 4096
# A worker that has grown beyond this is not asked again.
_MAX_RESIDENT = 384 << 20
# Seconds after its budget at which a worker ends itself if the server has not killed it.
_GRACE = 2
_SIGKILL = 9
# What a template has loaded for its copies: what most calls need.
_LOADED_AHEAD = tuple(
    """
    ast_grep_py resource signal redline.adapters.sandbox.seccomp redline.adapters.sandbox.syscalls
    redline.adapters.workers.messages redline.adapters.workers.regex_child redline.code.worker
    redline.documents.isolated redline.documents.toml.document redline.documents.toml.verify
    redline.documents.yaml.edit.document redline.documents.yaml.strict
    """.split()
)
_FORBIDDEN = ("socket", "kill", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd")


_FOUND_CHANGES = 86  # the server knows it


def _end() -> None:
    os._exit(_FOUND_CHANGES)


class _UnchangedLoader(SourceFileLoader):
    """Loads a module of Redline only as it was when the server started."""

    refuse: Callable[[], None] = staticmethod(_end)
    started = 0
    directories: frozenset[tuple[int, int]] = frozenset()
    record: Sequence[Any] | None = None

    def get_data(self, path: str) -> bytes:
        """Read a module; refuse one that has changed. Compiled code is only passed over: the source
        is read instead.
        """
        with open(path, "rb") as file:
            data = file.read()
            there = os.fstat(file.fileno())
        above = os.stat(os.path.dirname(path))
        is_known = (above.st_dev, above.st_ino) in self.directories
        if is_known and (there.st_ctime_ns < self.started or self._is_recorded(path, data)):
            return data
        if not path.endswith(".pyc"):
            self.refuse()
        raise OSError("changed", path)

    def _is_recorded(self, path: str, data: bytes) -> bool:
        """Return whether this is the very content that was installed."""
        import base64
        import hashlib

        if self.record is None:
            return False
        place, *identity = self.record
        try:
            with open(place, encoding="utf-8") as file:
                lines = file.read().splitlines()
                there = os.fstat(file.fileno())
        except (OSError, ValueError):
            return False
        if [there.st_dev, there.st_ino, there.st_size, there.st_ctime_ns] != identity:
            return False
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        name = os.path.relpath(path, os.path.dirname(os.path.dirname(place)))
        return f"{name},sha256={digest},{len(data)}" in lines


class _UnchangedFinder:
    """Finds the modules of Redline; everything else is left to others."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where a module is."""
        if name.partition(".")[0] != "redline":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _UnchangedLoader(spec.loader.name, spec.loader.path)
        return spec


def guard_imports(state: str, refuse: Callable[[], None] = _end) -> None:
    """From now on import Redline's modules only as they were by *state* (`loaded_program.STATE`).

    *refuse* is called for one that is not, and must not return.
    """
    loaded = json.loads(state)
    _UnchangedLoader.refuse = staticmethod(refuse)
    _UnchangedLoader.started = loaded["started"]
    _UnchangedLoader.directories = frozenset(
        (device, node) for device, node in loaded["directories"]
    )
    _UnchangedLoader.record = loaded["record"]
    sys.meta_path.insert(0, _UnchangedFinder())


class _Channel:
    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        from redline.adapters.workers import messages
        from redline.core.errors import RedlineError

        self.messages = messages
        self.expected = RedlineError
        self._requests = requests
        self._answers = answers

    def receive(self) -> Any:
        """Return the next message; None at the end."""
        body = self.messages.receive(self._requests.read)
        return None if body is None else self.messages.decode(body)

    def send(self, message: Any) -> None:
        """Send one message."""
        for part in self.messages.frame(self.messages.encode(message)):
            self._answers.write(part)
        self._answers.flush()

    def ask(self, *asked: Any) -> Any:
        """Return what the server's function of that name answers."""
        self.send(("ask", asked, False))
        reply = self.receive()
        if reply is None:
            sys.exit(0)
        verdict, value = reply
        if verdict == "error":
            raise self.messages.decode_error(value)
        return value


def serve(requests: BinaryIO, answers: BinaryIO, mapped: int) -> None:
    """Answer until the input ends; the *mapped* bytes of addresses are no call's memory."""
    channel = _Channel(requests, answers)
    limits = _CallLimits(mapped)
    channel.send("ready")
    while (request := channel.receive()) is not None:
        function, budget, arguments = request
        limits.set(*budget)
        channel.send((*_run(channel, function, arguments), limits.is_worn()))
        limits.clear()


def _run(channel: _Channel, function: str, arguments: list[Any]) -> tuple[str, Any]:
    try:
        return "value", _find(function)(channel.ask, *arguments)
    except channel.expected as error:
        return "error", channel.messages.encode_error(error)
    except (MemoryError, RecursionError):
        return "exhausted", None
    except Exception as error:  # passed to the server, which raises it as its own
        return "failed", f"{type(error).__name__}: {error}"


@lru_cache(64)
def _find(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


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


class _CallLimits:
    """The limits of one call; what the kernel holds already is not set again."""

    def __init__(self, mapped: int) -> None:
        self._mapped = mapped
        self._set: dict[int, int] = {}

    def set(self, seconds: float, memory: int, cpu: int) -> None:
        """Set them before a call."""
        try:
            import resource
        except ImportError:
            return
        self._set_soft(resource.RLIMIT_AS, memory + self._mapped)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = usage.ru_utime + usage.ru_stime
        self._set_soft(resource.RLIMIT_CPU, int(used + (cpu + 1 if cpu else seconds + _GRACE)))
        _set_alarm(seconds + _GRACE)

    def clear(self) -> None:
        """Let this process wait for the next call for as long as it takes."""
        _set_alarm(0)

    def is_worn(self) -> bool:
        """Return whether this process holds more memory than a fresh one should replace."""
        try:
            import resource
        except ImportError:
            return False
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 <= _MAX_RESIDENT:
            return False  # it never held as much
        return _count_pages()[1] * _PAGE > _MAX_RESIDENT

    def _set_soft(self, limit: int, value: int) -> None:
        import resource

        if self._set.get(limit) == value:
            return
        _, hard = resource.getrlimit(limit)
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (soft, hard))
        self._set[limit] = value


def _set_alarm(seconds: float) -> None:
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _count_pages() -> tuple[int, int]:
    """Return the pages of this process's addresses, and those in memory; 0 where nothing says."""
    try:
        with open("/proc/self/statm", "rb") as file:
            size, resident, *_ = file.read().split()
    except (OSError, ValueError):
        return 0, 0
    return int(size), int(resident)


def work(parent: int, requests: BinaryIO, answers: BinaryIO, mapped: int = 0) -> None:
    """Be a worker until *requests* ends, with all its limits; it dies with *parent*."""
    die_with(parent)
    limit_process()
    forbid_outside()
    serve(requests, answers, mapped)


def be_template(descriptor: int) -> None:
    """Load what workers need, then fork a worker for each request on the socket *descriptor*."""
    import gc

    from redline.adapters.process_templates.forking import fork_on_request

    for name in _LOADED_AHEAD:
        import_module(name)
    template, mapped = os.getpid(), _count_pages()[0] * _PAGE

    def start(_arguments: list[str], streams: list[int]) -> None:
        gc.enable()
        requests, answers = streams
        os.dup2(requests, 0)
        os.close(requests)
        work(template, os.fdopen(0, "rb"), os.fdopen(answers, "wb"), mapped)

    fork_on_request(descriptor, start)


if __name__ == "__main__":
    path, parent, state, *template = sys.argv[1:]
    sys.path[:] = path.split(os.pathsep)
    guard_imports(state)
    if template:
        be_template(int(template[0]))
        sys.exit(0)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints gets among the answers
    work(int(parent), sys.stdin.buffer, sink)
