"""Tries an MCP server: how long its calls take, and what becomes of edits as models send them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from bench.trials.cases import make_cases
from bench.trials.changes import split_source
from bench.trials.drafts import Case
from bench.trials.edit_tools import ToolShape, find_edit_tool, find_read_tool
from bench.trials.judging import judge
from bench.trials.process import (
    CaseFile,
    ServerEnded,
    TriedServer,
    make_directory,
    read_sources,
)
from bench.trials.tables import Timing, TrialResult
from redline._version import __version__
from redline.core.errors import RedlineError

_MAX_EXAMPLES = 5
_SMALL = "".join(f"line {number}\n" for number in range(200)) + "value = 0\n"


def try_server(
    command: Sequence[str],
    *,
    number: int = 1,
    count: int = 500,
    calls: int = 100,
    tool: str = "",
    seconds: float = 30.0,
    progress: Callable[[str], None] = lambda _: None,
) -> TrialResult:
    """Try the server that *command* starts; the same *number* gives the same edits.

    RedlineError when it cannot be started or has no edit tool.
    """
    with make_directory() as top:
        began = time.perf_counter()
        server = TriedServer(command, top, seconds)
        try:
            shown = server.initialize().get("result", {}).get("serverInfo", {})
            tools = server.list_tools()
            started = Timing("start to the first tools/list", [_since(began)])
            shape = find_edit_tool(tools, tool)
            name = f"{shown.get('name', command[0])} {shown.get('version', '')}".strip()
            result = TrialResult(name, shape.tool, __version__, number, [started])
            trial = _Trial(server, shape, top)
            trial.learn_paths()
            progress("latency")
            result.timings += trial.time_calls(find_read_tool(tools), calls)
            trial.send_cases(result, islice(_cases(number, shape), count), progress)
            result.peak_mb = server.peak_mb()
            return result
        finally:
            server.close()


def _cases(number: int, shape: ToolShape) -> Iterator[Case]:
    """Edits by old and new text, without end."""
    found = ((name, split_source(raw)) for name, raw in read_sources())
    texts = [(name, lines) for name, lines in found if lines is not None]
    for case in make_cases(texts, (), random.Random(number)):
        is_sendable = shape.takes_many or len(case.call.get("edits", ())) == 1
        if case.dialect == "edit_file" and is_sendable:
            yield case


class _Trial:
    """One server under trial."""

    def __init__(self, server: TriedServer, shape: ToolShape, top: Path) -> None:
        self._server = server
        self._shape = shape
        self._top = top
        self._is_relative = False
        self._files = 0

    def _name(self, file: CaseFile) -> str:
        top = self._top / "files"
        return str(file.path.relative_to(top)) if self._is_relative else str(file.path)

    def _open(self, name: str, content: bytes) -> CaseFile:
        self._files += 1
        return CaseFile(self._top, self._files, name, content)

    def _edit(self, file: CaseFile, edits: Sequence[dict[str, str]]) -> bool:
        return self._server.call(self._shape.tool, self._shape.arguments(self._name(file), edits))

    def learn_paths(self) -> None:
        """Find out whether the server takes absolute paths; ServerEnded when it takes no edit."""
        edit = {"oldText": "value = 0\n", "newText": "value = 1\n"}
        for self._is_relative in (False, True):
            file = self._open("first.txt", _SMALL.encode())
            self._edit(file, [edit])
            is_made = file.read() == _SMALL.replace("value = 0", "value = 1").encode()
            file.remove()
            if is_made:
                return
        raise ServerEnded(
            f"The server does not make a plain edit of one line: {self._shape.tool}",
            hint="in the command, write {dir} where it wants the directory to serve; allow edits",
        )

    def time_calls(self, reader: tuple[str, str] | None, calls: int) -> Iterator[Timing]:
        """A ping-like list, reads and edits of a small file."""
        server = self._server
        yield self._time("tools/list", calls, lambda _: server.list_tools())
        file = self._open("small.txt", _SMALL.encode())
        if reader is not None:
            tool, path = reader
            given = {path: self._name(file)}
            task = f"read a small file ({tool})"
            yield self._time(task, calls, lambda _: server.call(tool, given))

        def edit(turn: int) -> None:
            lines = (f"value = {number}\n" for number in (turn, turn + 1))
            old, new = lines
            self._edit(file, [{"oldText": old, "newText": new}])

        yield self._time(f"edit one line ({self._shape.tool})", calls, edit)
        file.remove()

    def _time(self, task: str, calls: int, call: Callable[[int], object]) -> Timing:
        timing = Timing(task)
        before = self._server.cpu_ms()
        for turn in range(calls):
            began = time.perf_counter()
            call(turn)
            timing.walls.append(_since(began))
        after = self._server.cpu_ms()
        timing.cpu = None if before is None or after is None else after - before
        return timing

    def send_cases(
        self, result: TrialResult, cases: Iterator[Case], progress: Callable[[str], None]
    ) -> None:
        """Send every case and count what came of it."""
        for sent, case in enumerate(cases, 1):
            if sent % 100 == 0:
                progress(f"{sent} edits")
            file = self._open(case.name, case.content)
            try:
                self._edit(file, case.call["edits"])
            except RedlineError as error:
                result.examples.append(f"after {case.noise}: {error.message}")
                raise
            after = file.read()
            file.remove()
            came = judge(case, None if after == case.content else after)
            result.counts[case.verdict, case.noise, came] += 1
            if came == "wrong" and len(result.examples) < _MAX_EXAMPLES:
                call = str(case.call)[:400]
                result.examples.append(f"wrong: {case.verdict}, {case.noise}, {case.name}: {call}")


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
