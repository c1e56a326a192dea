"""Processes of our own that answer one request at a time and can be killed while they do.

Requests and answers are bytes behind a four-byte length.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Generic, TypeVar

_LEAST = 0.05
_ENVIRONMENT = ("SYSTEMROOT",)  # Windows starts no process without it


class Killable:
    """One process; whoever holds it asks it one thing at a time."""

    def __init__(self, program: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            cwd=os.path.dirname(program),
        )

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it now."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was still buffered has no reader any more
                    pass
        self._process.wait()

    @contextmanager
    def until(self, ends: float) -> Iterator[threading.Event]:
        """At the moment *ends* the process is killed, and the event is set."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(max(ends - monotonic(), _LEAST), stop)
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()

    def exchange(self, request: bytes) -> bytes | None:
        """What it answers to *request*; None when it ended."""
        source, sink = self._process.stdout, self._process.stdin
        assert source is not None
        assert sink is not None
        try:
            sink.write(len(request).to_bytes(4, "little"))
            sink.write(request)  # apart, as it may be large
            sink.flush()
            head = source.read(4)
            body = source.read(int.from_bytes(head, "little"))
        except (BrokenPipeError, OSError):
            return None
        if len(head) < 4 or len(body) < int.from_bytes(head, "little"):
            return None
        return body


_Worker = TypeVar("_Worker", bound=Killable)


class Idle(Generic[_Worker]):
    """Workers that wait to be asked again, at most *most* of them."""

    def __init__(self, make: Callable[[], _Worker], most: int) -> None:
        self._make = make
        self._most = most
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()

    def take(self) -> _Worker:
        """One that waits, or a new one."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
        return self._make()

    def give_back(self, worker: _Worker) -> None:
        """Let it wait, or end it when enough do."""
        with self._lock:
            if worker.alive and len(self._idle) < self._most:
                self._idle.append(worker)
                return
        worker.kill()

    def close(self) -> None:
        """End those that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()
