"""Follow one call through the real server, from the bytes of its message to the disk.

`python -m tests.walks [NAME]` prints what each walk enters; `--modules` and `--calls` list it,
with `--threads` in every thread.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from redline.server.calls.catalog import Catalog, load_toolsets
from redline.server.calls.tool_server import ToolServer
from redline.server.conversation import Conversation
from redline.server.rpc.messages import Channel
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import REPO

SOURCE = f"{REPO}/src/redline/"
Json = dict[str, Any]


class Walk(NamedTuple):
    """Each function of Redline that a call entered, in order and as often, and how deep it went."""

    calls: tuple[str, ...]
    # Own frames from the handler, which counts as one, to a `str.find`; 0 where none was called.
    frames_to_find: int

    @property
    def modules(self) -> set[str]:
        """The modules that the call entered."""
        return {name.partition(":")[0] for name in self.calls}


class Talk:
    """A client that has made its handshake with a server of one toolset, in this thread."""

    def __init__(self, redline: Redline, toolset: str) -> None:
        server = ToolServer(Catalog(load_toolsets([toolset])), redline)
        self._talk = Conversation(server, lambda job, _size=0: job())
        self._replies: list[Json] = []
        self._channel = Channel(self._replies.append, self._replies.append)
        info = {"clientInfo": {"name": "walk", "version": "1"}, "capabilities": {}}
        self._send("initialize", {"protocolVersion": "2025-06-18", **info})

    def call(self, tool: str, **arguments: Any) -> Json:
        """Return the result of one call."""
        return self._send("tools/call", {"name": tool, "arguments": arguments})

    def _send(self, method: str, params: Json) -> Json:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._talk.receive_bytes(json.dumps(message).encode(), self._channel)
        answer: Json = self._replies.pop()["result"]
        assert not answer.get("isError"), answer
        return answer


class Recorder:
    """Notes each function of Redline that is called, in this thread or in all that start later."""

    def __init__(self, *, in_threads: bool = False) -> None:
        self._calls: list[str] = []
        self._frames: list[int] = []
        self._names: dict[object, str] = {}
        self._handler = ""
        self._in_threads = in_threads
        if in_threads:
            threading.setprofile(self._note)

    def follow(self, handler: str, run: Callable[[], object]) -> Walk:
        """Return the walk of *run* through the function named *handler*."""
        self._handler = handler
        self._calls.clear()
        # What is read again after a while is read again each time: a count depends on no clock.
        with patch("redline.secrets.desk.monotonic", count().__next__):
            sys.setprofile(self._note)
            try:
                run()
            finally:
                sys.setprofile(None)
        return Walk(tuple(self._calls), max(self._frames, default=0))

    def close(self) -> None:
        """Follow no further threads."""
        if self._in_threads:
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "c_call":
            if getattr(argument, "__qualname__", "") == "str.find":
                self._frames.append(self._frames_to(frame))
        elif event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            code = frame.f_code
            if code not in self._names:
                module = code.co_filename.removeprefix(SOURCE).removesuffix(".py")
                self._names[code] = f"{module.replace('/', '.')}:{code.co_qualname}"
            self._calls.append(self._names[code])

    def _frames_to(self, frame: FrameType | None) -> int:
        """Return how many own frames there are from the handler to *frame*; 0 outside of it."""
        found = 0
        while frame is not None:
            name = self._names.get(frame.f_code)
            found += name is not None
            if name == self._handler:
                return found
            frame = frame.f_back
        return 0


def walk_edit(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`edit_file` of the toolset `files`: one line of a small file."""
    file = top / "edited.txt"
    file.write_text("one\ntwo\nthree\nfour\n")
    talk = Talk(redline, "files")

    def edit(old: str, new: str) -> Json:
        return talk.call("edit_file", path=str(file), edits=[{"oldText": old, "newText": new}])

    for number in range(3):
        edit("three" if number == 0 else f"t{number - 1}", f"t{number}")
    return recorder.follow("toolsets.files.edit:edit_file", lambda: edit("t2", "last"))


def walk_agent_edit(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`edit` of the toolset `agent`: the same."""
    file = top / "agent.txt"
    file.write_text("one\ntwo\nthree\nfour\n")
    talk = Talk(redline, "agent")

    def edit(old: str, new: str) -> Json:
        return talk.call("edit", path="agent.txt", edits=[{"old": old, "new": new}])

    for number in range(3):
        edit("three" if number == 0 else f"t{number - 1}", f"t{number}")
    return recorder.follow("toolsets.agent.edit:edit", lambda: edit("t2", "last"))


INSTRUCTION = "set title to 'Guide' and set pages to 12"


def walk_preview(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`json_editor_preview` of two clauses."""
    talk = Talk(redline, "json")
    del top
    document = {"title": "Draft", "pages": 10, "authors": [{"name": "Ada"}]}
    for _ in range(3):
        talk.call("json_editor_preview", document=document, instruction=INSTRUCTION)
    return recorder.follow(
        "toolsets.json_editor.handlers:preview",
        lambda: talk.call("json_editor_preview", document=document, instruction=INSTRUCTION),
    )


def walk_apply(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`json_editor_apply` to a file of what a preview showed."""
    talk = Talk(redline, "json")
    file = top / "book.json"

    def preview() -> str:
        file.write_text('{"title": "Draft", "pages": 10}\n')
        shown = talk.call("json_editor_preview", document_path="book.json", instruction=INSTRUCTION)
        session: str = json.loads(shown["content"][0]["text"])["session_id"]
        return session

    for _ in range(3):
        talk.call("json_editor_apply", session_id=preview())
    session = preview()
    return recorder.follow(
        "toolsets.json_editor.handlers:apply",
        lambda: talk.call("json_editor_apply", session_id=session),
    )


def walk_run(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`run` of the toolset `agent`: a command that writes one file."""
    talk = Talk(redline, "agent")
    for number in range(3):
        talk.call("run", command=f"echo {number} > run.txt")
    return recorder.follow(
        "toolsets.agent.run:run", lambda: talk.call("run", command="echo hi > run.txt")
    )


def walk_undo(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`undo` of the toolset `agent`: the last change of the session."""
    talk = Talk(redline, "agent")
    for number in range(5):
        talk.call("write", path="undone.txt", content=f"{number}\n")
    for _ in range(3):
        talk.call("undo")
    return recorder.follow("toolsets.agent.history:undo", lambda: talk.call("undo"))


def walk_context(redline: Redline, top: Path, recorder: Recorder) -> Walk:
    """`context` of the toolset `agent`: a question that one function answers."""
    talk = Talk(redline, "agent")
    (top / "shop.py").write_text("def total(prices):\n    return sum(prices)\n")
    (top / "till.py").write_text("from shop import total\n\n\ndef bill(p):\n    return total(p)\n")
    for _ in range(3):
        talk.call("context", query="total")
    return recorder.follow(
        "toolsets.agent.code:context", lambda: talk.call("context", query="total")
    )


WALKS: dict[str, Callable[[Redline, Path, Recorder], Walk]] = {
    "edit": walk_edit,
    "agent edit": walk_agent_edit,
    "preview": walk_preview,
    "apply": walk_apply,
    "run": walk_run,
    "undo": walk_undo,
    "context": walk_context,
}


def take(name: str, home: Path, *, in_threads: bool = False) -> Walk:
    """Take one of the walks in a workspace of its own below *home*."""
    top = home / "workspace"
    top.mkdir()
    settings = Settings(workspace=str(top), state_dir=str(home / "state"))
    recorder = Recorder(in_threads=in_threads)
    try:
        with Redline(settings) as redline:
            return WALKS[name](redline, top, recorder)
    finally:
        recorder.close()


def _main(options: list[str]) -> None:
    asked = [name for name in WALKS if name in options] or list(WALKS)
    for name in asked:
        with tempfile.TemporaryDirectory() as home:
            walk = take(name, Path(home), in_threads="--threads" in options)
        print(
            f"{name}: {len(walk.modules)} modules, {len(walk.calls)} calls, "
            f"{walk.frames_to_find} frames to str.find"
        )
        if "--modules" in options:
            of = Counter(call.partition(":")[0] for call in walk.calls)
            print("".join(f"  {count:4} {module}\n" for module, count in sorted(of.items())))
        if "--calls" in options:
            print("".join(f"  {call}\n" for call in walk.calls))


if __name__ == "__main__":
    _main(sys.argv[1:])
