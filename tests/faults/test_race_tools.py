"""Every tool that takes a path, called through one server while a directory is swapped.

At any moment the directory is itself or a link to a directory outside that looks just like it, so a
call that were fooled would find there what it looks for.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.adapters.test_git import ENVIRONMENT
from tests.faults.race import swapping
from tests.support import LONG
from tests.wire.client import Client, connect

SECRET = "never-to-be-seen"
CALLS = 3000 if LONG else 60
COMMANDS = 3000 if LONG else 6
# The directory is itself for longer than it is a link: a call that is always refused shows nothing.
PAUSES = (0.002, 0.0003)
SIDE = 77
FILES = {
    "f.txt": "value = {0}\nword\n",
    "k.txt": "flip\n{0}\n",
    "x.txt": "{0}\n",
    "m.txt": "{0}\n",
    "f.py": "value = 1\n\n\ndef work():\n    return '{0}'\n",
    "f.json": '{{"a": 1, "b": "{0}", "list": [1]}}\n',
    "f.yaml": "a: 1\nb: {0}\n",
}
Arguments = dict[str, Any]


@dataclass(slots=True)
class Ground:
    """A server over the raced workspace, and what its calls have shown."""

    client: Client
    root: Path
    passed: int = 0
    refusal: str = ""
    seen: list[str] = field(default_factory=list)

    def call(self, tool: str, arguments: Arguments) -> Any:
        """The structured answer, or None when the call was refused."""
        reply = self.client.call(tool, arguments)
        text = json.dumps(reply)
        if SECRET in text or "only-outside" in text or f'"width": {SIDE}' in text:
            self.seen.append(text)
        result = reply.get("result")
        if result is None or result.get("isError"):
            assert "Internal error" not in text
            self.refusal = text
            return None
        self.passed += 1
        return result.get("structuredContent") or result

    def at(self, name: str) -> str:
        return str(self.root / "d" / name)


def _lay_out(root: Path) -> None:
    for place, word in ((root / "d", "inside"), (root.parent / "outside", SECRET)):
        for name, text in FILES.items():
            (place / name).write_text(text.format(word))
        side = 1 if word == "inside" else SIDE
        Image.new("RGB", (side, side)).save(place / "i.png")
    for arguments in (["init", "-q"], ["add", "d"], ["commit", "-qm", "x"]):
        subprocess.run(["git", *arguments], cwd=root, env=ENVIRONMENT, check=True)
    (root / "d/f.txt").write_text("value = changed\nword\n")


Outside = dict[str, tuple[object, ...]]


def _outside(root: Path) -> Outside:
    """Everything outside with what tells that it was touched."""
    found: Outside = {}
    for path in sorted((root.parent / "outside").rglob("*")):
        info = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[path.name] = (info.st_mode, info.st_ino, info.st_mtime_ns, content)
    return found


def _patch(number: int) -> str:
    before, after = ("flip", "flop") if number % 2 else ("flop", "flip")
    return f"*** Begin Patch\n*** Update File: d/k.txt\n@@\n-{before}\n+{after}\n*** End Patch\n"


def _edits(number: int) -> list[Arguments]:
    return [{"oldText": "^value.*$", "newText": f"value = {number}", "isRegex": True}]


def _one(tool: str, make: Callable[[Ground, int], Arguments]) -> Callable[[Ground, int], None]:
    return lambda ground, number: ground.call(tool, make(ground, number)) and None


def _there_and_back(ground: Ground, number: int) -> None:
    ways = ("m.txt", "n.txt") if number % 2 else ("n.txt", "m.txt")
    ground.call("move_file", {"source": ground.at(ways[0]), "destination": ground.at(ways[1])})


def _made_and_deleted(ground: Ground, number: int) -> None:
    ground.client.call("write_file", {"path": ground.at("x.txt"), "content": "again\n"})
    ground.call("delete_file", {"path": ground.at("x.txt")})


def _previewed_and_applied(ground: Ground, number: int) -> None:
    instruction = f"set a to {number + 2}"
    shown = ground.call(
        "json_editor_preview", {"document_path": ground.at("f.json"), "instruction": instruction}
    )
    if shown is not None:
        text = shown["content"][0]["text"] if "content" in shown else json.dumps(shown)
        session = text.partition('"session_id"')[2].split('"')[1]
        ground.call("json_editor_apply", {"session_id": session})


def _edited_undone_redone(ground: Ground, number: int) -> None:
    path, content = ground.at("u.txt"), f"{number}\n"
    if not ground.client.call("write_file", {"path": path, "content": content}).get("error"):
        ground.call("undo_change", {})
        ground.call("redo_change", {})


def _by_name(name: str, **more: Any) -> Callable[[Ground, int], Arguments]:
    return lambda ground, _: {"path": ground.at(name), **more}


def _file(name: str, **more: Any) -> Callable[[Ground, int], Arguments]:
    return lambda ground, _: {"file": ground.at(name), **more}


WORK: dict[str, Callable[[Ground, int], None]] = {
    "read_file of files": _one("read_file", _by_name("f.txt", tail=5)),
    "read_file of coding": _one("read_file", lambda *_: {"path": "d/f.txt", "max_bytes": 900}),
    "list_dir": _one("list_dir", lambda *_: {"path": "d"}),
    "list_files": _one("list_files", lambda *_: {"path": "d", "patterns": ["**"]}),
    "search_text": _one("search_text", lambda *_: {"query": SECRET[:5], "path": "d"}),
    "apply_patch": _one("apply_patch", lambda _, number: {"patch": _patch(number)}),
    "git_status": _one("git_status", lambda *_: {"path": "d", "include_untracked": True}),
    "git_diff": _one("git_diff", lambda *_: {"path": "d"}),
    "view_image": _one("view_image", lambda *_: {"path": "d/i.png"}),
    "exec_command": _one(
        "exec_command", lambda *_: {"cmd": "cat f.txt", "workdir": "d", "yield_time_ms": 20000}
    ),
    "read_multiple_files": _one(
        "read_multiple_files", lambda ground, _: {"paths": [ground.at("f.txt"), ground.at("m.txt")]}
    ),
    "write_file": _one(
        "write_file", lambda ground, number: {"path": ground.at("w.txt"), "content": f"{number}"}
    ),
    "create_directory": _one(
        "create_directory", lambda ground, number: {"path": ground.at(f"c{number}")}
    ),
    "list_directory": _one("list_directory", lambda ground, _: {"path": ground.at("")}),
    "directory_tree": _one("directory_tree", lambda ground, _: {"path": ground.at("")}),
    "move_file": _there_and_back,
    "delete_file": _made_and_deleted,
    "get_file_info": _one("get_file_info", _by_name("f.txt")),
    "edit_file": _one(
        "edit_file",
        lambda ground, number: {"path": ground.at("f.txt"), "edits": _edits(number)},
    ),
    "edit_files": _one(
        "edit_files", lambda ground, number: {"paths": [ground.at("f.t*")], "edits": _edits(number)}
    ),
    "search_files": _one(
        "search_files", lambda ground, _: {"directory": ground.at(""), "nameContains": "."}
    ),
    "grep_files": _one(
        "grep_files", lambda ground, _: {"directory": ground.at(""), "regex": "to-be|inside"}
    ),
    "glob_search": _one(
        "glob_search", lambda ground, _: {"directory": ground.at(""), "globs": ["*"]}
    ),
    "execute_command": _one(
        "execute_command",
        lambda ground, _: {"command": "cat f.txt", "workingDirectory": ground.at("")},
    ),
    "ai_code_editing.edit_file": _one(
        "ai_code_editing.edit_file",
        lambda _, number: {
            "target_file": "d/f.py",
            "edit_instruction": "replace the first line",
            "start_line": 1,
            "end_line": 1,
            "code_block": f"value = {number + 2}",
        },
    ),
    "ai_code_editing.get_code_context": _one(
        "ai_code_editing.get_code_context", lambda *_: {"file": "d/f.py"}
    ),
    "json_editor_preview and apply": _previewed_and_applied,
    "noyalib_get": _one("noyalib_get", _file("f.yaml", path="b")),
    "noyalib_set": _one(
        "noyalib_set",
        lambda ground, number: {"file": ground.at("f.yaml"), "path": "a", "value": str(number + 2)},
    ),
    "doc_get": _one("doc_get", _file("f.json")),
    "doc_set": _one(
        "doc_set",
        lambda ground, number: {"file": ground.at("f.json"), "path": "a", "value": str(number)},
    ),
    "doc_insert": _one("doc_insert", _file("f.json", path="list[0]", value="2")),
    "doc_delete": _one("doc_delete", _file("f.json", path="list[0]")),
    "doc_query": _one("doc_query", _file("f.json", expression="$.b")),
    "doc_validate": _one("doc_validate", _file("f.json")),
    "list_changes": _one("list_changes", lambda *_: {"path": "d/f.txt"}),
    "undo_change and redo_change": _edited_undone_redone,
}
SLOW = {"exec_command", "execute_command"}
# They take no path, or one that only the calls above can have named.
PATHLESS = {
    "list_allowed_directories",
    "write_stdin",
    "kill_session",
    "request_permissions",
    "show_change",
    "create_checkpoint",
    "review_comments",
}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """One server for all tools, over a workspace in which the race goes on all the time."""
    top = tmp_path_factory.mktemp("race")
    environment = {"XDG_STATE_HOME": str(top / "state")}
    with swapping(top, PAUSES, _lay_out) as root:
        args = ["--workspace", str(root), "--sandbox", "trusted"]
        with connect("stdio", args, env=environment, cwd=root) as client:
            yield Ground(client, root)


@pytest.mark.requirement("coding-no-escape")
@pytest.mark.parametrize("tool", WORK)
def test_no_call_reaches_the_outside(ground: Ground, tool: str) -> None:
    if tool in SLOW and not shutil.which("bwrap"):
        pytest.skip("commands are held by bubblewrap here")
    ground.passed = 0
    outside = _outside(ground.root)
    calls = COMMANDS if tool in SLOW else CALLS
    for number in range(100 * calls):
        WORK[tool](ground, number)
        # On a busy machine the directory may be a link for all of the calls.
        if number >= calls and ground.passed:
            break
    assert ground.seen == []
    assert _outside(ground.root) == outside
    assert ground.passed, f"every call was refused, which proves nothing: {ground.refusal}"


def test_every_tool_takes_part(ground: Ground) -> None:
    listed = {tool["name"] for tool in ground.client.request("tools/list")["result"]["tools"]}
    raced = {word for name in WORK for word in name.split()} | {"json_editor_apply"}
    missing = listed - PATHLESS - raced
    assert not missing, "add a call to WORK, or the name to PATHLESS if it takes no path"


def test_whoever_checks_a_path_and_then_opens_it_does_reach_the_outside(tmp_path: Path) -> None:
    """The race is real: this is how many servers open files."""
    with swapping(tmp_path, PAUSES, _lay_out) as root:
        for _ in count():
            path = root / "d/f.txt"
            with suppress(OSError):  # a link when looked at, a directory when read
                real = os.path.realpath(path)
                if os.path.commonpath([real, str(root)]) != str(root):
                    continue
                if SECRET in path.read_text():
                    break
