"""Processes to be killed: forked from a small one, because thousands of them are.

A fork costs as much as the memory of what is forked: 1 ms for a fresh interpreter, 17 ms for a
process that has run the tests of other folders.
"""

from __future__ import annotations

import atexit
import importlib
import marshal
import os
import pickle
import pkgutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CellType, FunctionType
from typing import IO, Any, NoReturn

_FAILED = 70


def in_child(work: Callable[[], object]) -> int:
    """Run *work* in a forked process; its exit status (0 = to the end, 9 = killed on the way).

    Everything that *work* refers to must be possible to pickle; what it changes is not seen here.
    """
    forker = _start_forker()
    assert forker.stdin
    assert forker.stdout
    pickle.dump(_take_apart(work), forker.stdin)
    forker.stdin.flush()
    status, failure = pickle.load(forker.stdout)
    sys.stderr.write(failure)
    return int(status)


@cache
def _start_forker() -> subprocess.Popen[bytes]:
    top = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "tests.faults.children"]
    path = os.pathsep.join([str(top), str(top / "src")])
    forker = subprocess.Popen(
        command,
        cwd=top,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def end() -> None:
        forker.communicate()

    atexit.register(end)
    return forker


def _take_apart(work: Any) -> tuple[str, bytes, Any, list[object]]:
    cells = [cell.cell_contents for cell in work.__closure__ or ()]
    return work.__module__, marshal.dumps(work.__code__), work.__defaults__, cells


def _put_together(module: str, code: bytes, defaults: Any, cells: list[object]) -> Any:
    names = importlib.import_module(module).__dict__
    closure = tuple(map(CellType, cells))
    return FunctionType(marshal.loads(code), names, "work", defaults, closure)


def _fork(parts: tuple[str, bytes, Any, list[object]]) -> tuple[int, str]:
    importlib.import_module(parts[0])
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _work(parts, tell)
    os.close(tell)
    with os.fdopen(told, encoding="utf-8") as lines:
        failure = lines.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), failure


def _work(parts: tuple[str, bytes, Any, list[object]], tell: int) -> NoReturn:
    status = _FAILED
    try:
        _put_together(*parts)()
        status = 0
    except BaseException:
        os.write(tell, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _import_early() -> None:
    """Import what a commit imports when it first needs it: else every child does, for 15 ms."""
    importlib.import_module("orjson")
    journal = importlib.import_module("redline.adapters.journal")
    for module in pkgutil.walk_packages(journal.__path__, f"{journal.__name__}."):
        importlib.import_module(module.name)


def _serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    _import_early()
    while requests.peek(1):  # type: ignore[attr-defined]
        pickle.dump(_fork(pickle.load(requests)), answers)
        answers.flush()


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
