"""Three real clients do tasks with every tool of agent; what the model is shown is tested.

The model is scripted: each client is one process that does all tasks, and the conversation that
it sends its model is what a model would have read.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.library.tokenizer import count_tokens
from redline.core.text_limits import MAX_SHOWN
from redline.toolsets.agent.tools import TOOLS
from tests.clients.at_work import REAL_CLIENTS, AgentDesktop
from tests.clients.scripted_model import ScriptedModel, Step
from tests.clients.transcript import Shown, results_shown
from tests.support import need_node
from tests.toolsets.agent.each_tool import session_in

pytestmark = [pytest.mark.node, pytest.mark.requirement("agent-shown-in-clients")]

_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
    "rkJggg=="
)
FILES = {
    "notes.txt": "one\ntwo\nthree\n",
    "conf.yaml": "server:\n  port: 80  # http\n",
    "shop.py": "def price(x):\n    return x\n\n\nprint(price(1))\n",
    "till.py": "from shop import price\n\nprint(price(2))\n",
}
PATCH = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-three\n+3\n*** End Patch"
# In order; "$session" is the session that an answer before named.
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("read", {"path": "notes.txt"}),
    "search": ("search", {"query": "price"}),
    "edit": ("edit", {"path": "notes.txt", "edits": [{"old": "two", "new": "2"}]}),
    "patch": ("apply_patch", {"patch": PATCH}),
    "rename": ("rename", {"symbol": "price", "to": "cost", "path": "shop.py"}),
    "rewrite": ("rewrite", {"pattern": "print($A)", "rewrite": "log($A)", "language": "python"}),
    "config": ("set", {"path": "conf.yaml", "edits": [{"key": "server.port", "value": 81}]}),
    "run": ("run", {"command": "echo out; echo bad >&2; exit 3"}),
    "start": ("run", {"command": "cat", "wait": 0, "tty": True}),
    "session": ("session", {"session": "$session", "stop": True}),
    "undo": ("undo", {}),
    "picture": ("read", {"path": "dot.png"}),
    "failure": ("edit", {"path": "notes.txt", "edits": [{"old": "fuor", "new": "4"}]}),
    "repair": ("edit", {"path": "notes.txt", "edits": [{"old": "one", "new": "1"}]}),
    "write": ("write", {"path": "new.py", "content": "def f(:\n"}),
    "move": ("move", {"path": "new.py", "to": "old.py"}),
    "delete": ("delete", {"path": "old.py"}),
    "find": ("find", {"globs": ["*.py"]}),
    "context": ("context", {"path": "shop.py"}),
    "get": ("get", {"path": "conf.yaml", "key": "server.port"}),
    "changes": ("changes", {"max": 1}),
    "number": ("run", {"command": "wc -l < notes.txt"}),
    "unknown": ("run", {"command": "touch x", "work_directory": "src"}),
    "long output": ("run", {"command": "cat long.txt"}),
    "long file": ("read", {"path": "long.txt"}),
    "long search": ("search", {"query": "line", "max": 5000}),
    "many files": ("find", {"path": "many", "globs": ["*"], "max": 5000, "details": True}),
    "stale": ("write", {"path": "notes.txt", "content": "I", "version": "00000000"}),
}  # fmt: skip
MAX_LIST = 2_700


@dataclass(frozen=True)
class Worked:
    """A client's work: what its model was shown, by task, and the folder it left."""

    client: str
    shown: dict[str, Shown]
    folder: Path
    tools: list[dict[str, Any]]


@pytest.fixture(scope="module", params=REAL_CLIENTS)
def worked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Worked:
    need_node()
    client: str = request.param
    desktop = AgentDesktop(tmp_path_factory.mktemp("tasks"))
    desktop.prepare()
    for name, text in FILES.items():
        (desktop.folder / name).write_text(text)
    (desktop.folder / "dot.png").write_bytes(base64.b64decode(_DOT))
    lines = (f"    line_{n} = compute(line_{n - 1}, 0.{n}) # 行 {n}\n" for n in range(1, 4001))
    (desktop.folder / "long.txt").write_text("".join(lines))
    (desktop.folder / "many").mkdir()
    for number in range(1500):
        (desktop.folder / "many" / f"file_{number:04}.txt").touch()
    prefix = "mcp_redline_" if client == "gemini" else "mcp__redline__"
    models: list[ScriptedModel] = []

    def fill(arguments: dict[str, Any]) -> None:
        if arguments.get("session") == "$session":
            shown = results_shown(client, models[0].requests)
            arguments["session"] = session_in(shown[-1].text)

    steps = []
    for tool, given in TASKS.values():
        arguments = dict(given)
        steps.append(Step(prefix + tool, arguments, lambda a=arguments: fill(a)))  # type: ignore[misc]
    with ScriptedModel(steps) as model:
        models.append(model)
        REAL_CLIENTS[client].run(desktop, model.url)
    shown = results_shown(client, model.requests)
    assert len(shown) == len(TASKS), shown
    by_task = dict(zip(TASKS, shown, strict=True))
    return Worked(client, by_task, desktop.folder, _tools_sent(model.requests))


def _tools_sent(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return Redline's tools as the client sent them, without what it adds to each."""
    for request in requests:
        listed = [
            each
            for tool in request.get("tools", ())
            for each in tool.get("functionDeclarations", [tool])
        ]
        own = [tool for tool in listed if "redline_" in str(tool.get("name"))]
        for tool in own:
            tool.get("parametersJsonSchema", {}).get("properties", {}).pop(
                "wait_for_previous", None
            )
        if own:
            return own
    return []


_IDS = re.compile(r"change [a-z0-9]{8}$|session [0-9a-f]{16}|@[0-9a-f]{8}", re.MULTILINE)
# What the model reads, ids left out.
TEXTS = {
    "read": "[notes.txt ID]\none\ntwo\nthree\n",
    "search": (
        "shop.py:1:def price(x):\nshop.py:5:print(price(1))\n"
        "till.py:1:from shop import price\ntill.py:3:print(price(2))"
    ),
    "edit": "notes.txt:2\n-two\n+2\nID",
    "patch": "notes.txt:3\n-three\n+3\nID",
    "rename": (
        "shop.py:1:def [-price-]{+cost+}(x):\nshop.py:5:print([-price-]{+cost+}(1))\n"
        "till.py:1:from shop import [-price-]{+cost+}\ntill.py:3:print([-price-]{+cost+}(2))\n"
        "note: 4 places\nID"
    ),
    "rewrite": (
        "shop.py:5:[-print-]{+log+}(cost(1))\ntill.py:3:[-print-]{+log+}(cost(2))\n"
        "note: 2 places\nID"
    ),
    "config": "conf.yaml:2:  port: [-80-]{+81+}  # http\nID",
    "run": "out\n[stderr]\nbad\n[exit 3]",
    "start": "[running: ID]",
    "session": "[stopped]",
    "undo": "conf.yaml:2:  port: [-81-]{+80+}  # http\nID",
    "repair": "notes.txt:1\n-one\n+1\nID",
    "delete": "deleted old.py (-1)\nID",
    "find": "{shop.py,till.py}",
    "get": "80\n[end]",
    "number": "3\n[end]",
}


@pytest.mark.parametrize("task", TEXTS)
def test_the_model_is_shown_the_text_of_the_answer_and_nothing_else(
    worked: Worked, task: str
) -> None:
    assert _IDS.sub("ID", worked.shown[task].text) == TEXTS[task]


def test_every_tool_is_among_the_tasks() -> None:
    assert {tool for tool, _ in TASKS.values()} == {tool.name for tool in TOOLS}


def test_the_model_is_shown_notes_and_refusals_whole(worked: Worked) -> None:
    assert "note: the new file does not parse: line 1" in worked.shown["write"].text
    unknown = worked.shown["unknown"].text
    assert "did you mean cwd?" in unknown
    assert "Nothing was done" in unknown
    assert worked.shown["stale"].text.startswith("STALE: ")
    assert "\nhint: read the file again" in worked.shown["stale"].text


def test_the_tools_cost_what_they_should_as_the_client_sends_them(worked: Worked) -> None:
    if worked.client == "codex":  # it keeps them back until its model searches for them
        assert not worked.tools
        return
    assert len(worked.tools) == len(TOOLS) <= 18
    costs = count_tokens([json.dumps(tool, separators=(",", ":")) for tool in worked.tools])
    assert sum(costs) <= MAX_LIST, costs


@pytest.mark.requirement("agent-answers-fit-clients")
@pytest.mark.parametrize(
    ("task", "ends"),
    [
        ("long output", "note: all output is kept by its lines: session {"),
        ("long file", "[cut here; go on with lines "),
        ("long search", " of 4000 matching lines; narrow it]"),
        ("many files", "; narrow it]"),
    ],
)
def test_the_longest_answers_are_shown_whole(worked: Worked, task: str, ends: str) -> None:
    """Where a client would cut an answer, or put it into a file, the server cuts it before."""
    text = worked.shown[task].text
    assert len(text.encode()) > MAX_SHOWN / 2
    assert ends in text.splitlines()[-1]
    names = re.findall(r"line_(\d+) =|file_(\d+)\.", text)
    numbers = [int(line or file) for line, file in names]
    gaps = sum(second - first != 1 for first, second in pairwise(numbers))
    assert gaps == (task == "long output")


def test_the_model_is_shown_a_picture_as_a_picture(worked: Worked) -> None:
    picture = worked.shown["picture"]
    assert picture.pictures == ("image/png",)
    assert "[dot.png: image/png, 1x1]" in picture.text
    assert _DOT not in picture.text


def test_the_model_is_shown_why_a_call_failed_and_how_to_repair_it(worked: Worked) -> None:
    failure = worked.shown["failure"]
    assert failure.is_error in (True, None)
    assert failure.text.startswith("NO_MATCH: ")
    assert "\nhint: " in failure.text
    assert worked.shown["repair"].is_error in (False, None)


def test_the_files_are_as_the_tasks_leave_them(worked: Worked) -> None:
    left = {name: (worked.folder / name).read_text() for name in FILES}
    assert left == {
        "notes.txt": "1\n2\n3\n",
        "conf.yaml": FILES["conf.yaml"],
        "shop.py": "def cost(x):\n    return x\n\n\nlog(cost(1))\n",
        "till.py": "from shop import cost\n\nlog(cost(2))\n",
    }
