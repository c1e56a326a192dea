"""Hostile calls against the server's memory.

    python -m tests.probes.memory [CALLS]

Makes files and arguments that tempt the server to hold gigabytes, calls the tools with them, and
prints by how much its resident size grew at most. Nothing may take it more than 512 MB above
what it was before.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Set
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tests.wire.client import Client, connect

MAX_GROWTH_MB = 512
MB = 1 << 20
_ANSWER = 600.0


class Hostile(NamedTuple):
    """One call; `kind` names what is tried. One that `is_long` is made once."""

    kind: str
    tool: str
    arguments: dict[str, Any]
    is_long: bool = False


def fill(root: Path) -> None:
    """Make the files that the calls name."""
    for name in ("sparse.txt", "sparse.py", "sparse.json", "sparse.yaml", "sparse.toml"):
        with open(root / name, "wb") as file:
            file.truncate(3 << 30)
    (root / "lines.txt").write_bytes(b"\n" * (60 * MB))
    (root / "letters.txt").write_bytes(b"a" * (60 * MB))
    (root / "controls.txt").write_bytes(b"\x01\n" * (5 * MB - 1))
    (root / "wide.txt").write_bytes("\U0001f600".encode() + b"word\n" * (10 * MB))
    (root / "small.txt").write_bytes(b"x\n")
    _write_numbers(root)
    (root / "a.toml").write_bytes(b"a = 1\n")
    (root / "a.json").write_bytes(b'{"a": 1}\n')
    (root / "a.yaml").write_bytes(b"a: 1\n")
    (root / "dotted.toml").write_bytes(b".".join([b"k"] * 30_000) + b" = 1\n")
    (root / "dotted-header.toml").write_bytes(b"[" + b".".join([b"k"] * 30_000) + b"]\nx = 1\n")
    (root / "deep.json").write_bytes(b"[" * 100_000 + b"]" * 100_000)
    for number in range(50):
        (root / f"ten-{number}.txt").write_bytes(b"0123456789abcde\n" * (10 * MB // 16))


def _write_numbers(root: Path) -> None:
    (root / "numbers.txt").write_bytes(b"".join(b"line %d\n" % n for n in range(60_000)))


def _patch(name: str, hunks: int) -> str:
    body = "".join(f"@@\n-line {n}\n+row {n}\n" for n in range(hunks))
    return f"*** Begin Patch\n*** Update File: {name}\n{body}*** End Patch\n"


def _edit(old: str, new: str, limit: int = 0, **more: Any) -> dict[str, Any]:
    return {"oldText": old, "newText": new, "limit": limit, **more}


def _sparse(root: Path) -> Iterator[Hostile]:
    for ending in ("txt", "py", "json", "yaml", "toml"):
        name = f"sparse.{ending}"
        whole = str(root / name)
        yield Hostile("sparse", "read_file", {"path": whole})
        yield Hostile("sparse", "edit_file", {"path": whole, "edits": [_edit("a", "b")]})
        yield Hostile("sparse", "write_file", {"path": whole, "content": "new"})
        yield Hostile("sparse", "delete_file", {"path": whole})
        yield Hostile("sparse", "move_file", {"source": whole, "destination": whole + ".moved"})
        yield Hostile("sparse", "move_file", {"source": whole + ".moved", "destination": whole})
        yield Hostile("sparse", "apply_patch", {"patch": _patch(name, 1)})
        patch = f"*** Begin Patch\n*** Delete File: {name}\n*** End Patch\n"
        yield Hostile("sparse", "apply_patch", {"patch": patch})
        yield Hostile("sparse", "view_image", {"path": name})
        yield Hostile("sparse", "read_multiple_files", {"paths": [whole]})
        code = {"target_file": name, "edit_instruction": "replace", "code_block": "x = 1"}
        yield Hostile("sparse", "ai_code_editing.edit_file", {**code, "start_line": 1})
        yield Hostile("sparse", "ai_code_editing.get_code_context", {"file": name, "line": 1})
    for ending in ("json", "yaml", "toml"):
        file = {"file": f"sparse.{ending}"}
        yield Hostile("sparse", "doc_get", {**file, "path": "a"})
        yield Hostile("sparse", "doc_set", {**file, "path": "a", "value": "1"})
        yield Hostile("sparse", "doc_insert", {**file, "path": "a", "value": "1"})
        yield Hostile("sparse", "doc_delete", {**file, "path": "a"})
        yield Hostile("sparse", "doc_query", {**file, "expression": "$.a"})
        yield Hostile("sparse", "doc_validate", file)
        yield Hostile("sparse", "noyalib_get", {**file, "path": "a"})
        yield Hostile("sparse", "noyalib_set", {**file, "path": "a", "value": "1"})
    preview = {"document_path": "sparse.json", "instruction": "set a to 2"}
    yield Hostile("sparse", "json_editor_preview", preview)


def _growing(root: Path) -> Iterator[Hostile]:
    def edit(name: str, *edits: dict[str, Any], tool: str = "edit_file") -> Hostile:
        return Hostile("growing", tool, {"path": str(root / name), "edits": list(edits)})

    for width in (100, 1000, 5000):
        many = [_edit("x" if n == 0 else "y", "y" * width) for n in range(5)]
        for edits in (many, [*many[:2], {**many[2], "isRegex": True}]):
            arguments = {"path": str(root / "small.txt"), "edits": edits}
            yield Hostile("multiplying", "edit_file", arguments)
    yield edit("letters.txt", _edit("a", "b"))
    yield edit("letters.txt", _edit("a", "bb"))
    yield edit("letters.txt", _edit("A", "bb", caseInsensitive=True))
    yield edit("letters.txt", _edit("a", "b"), _edit("b", "a"))
    yield edit("letters.txt", _edit("a", "b", isRegex=True))
    yield edit("letters.txt", _edit("(a)(a)(a)", "$1$1$1$1", isRegex=True))
    yield edit("lines.txt", _edit("\n", "\n\n"))
    yield edit("lines.txt", _edit("\n\n\n\n\n", "x"))
    yield edit("lines.txt", _edit("nothing like it", "x", 1))
    yield edit("wide.txt", _edit("word", "other"))
    yield edit("wide.txt", _edit("\U0001f600", "x", 1), _edit("word", "w", 1))
    yield edit("numbers.txt", _edit("line", "\U0001f600" * 100))
    tens = [str(root / f"ten-{number}.txt") for number in range(50)]
    both = {"paths": tens[:20], "edits": [_edit("0", "1")]}
    yield Hostile("growing", "edit_files", both)
    yield Hostile("growing", "edit_files", {**both, "edits": [_edit("0123456789", "0")]})
    yield Hostile("growing", "read_multiple_files", {"paths": tens})
    controls = str(root / "controls.txt")
    yield Hostile("growing", "read_multiple_files", {"paths": [controls] * 50})
    yield Hostile("growing", "read_file", {"path": controls})
    yield Hostile("growing", "read_file", {"path": str(root / "lines.txt")})
    for hunks in (1000, 30_000):
        many = {"patch": _patch("numbers.txt", hunks)}
        yield Hostile("hunks", "apply_patch", many, is_long=hunks > 1000)
    patch = _patch("numbers.txt", 100).replace("@@\n", "@@ line\n")
    yield Hostile("hunks", "apply_patch", {"patch": patch, "dry_run": True})


def _documents(_root: Path) -> Iterator[Hostile]:
    for length in (1_000, 30_000):
        dotted = ".".join(["k"] * length)
        for ending in ("toml", "json", "yaml"):
            file = {"file": f"a.{ending}"}
            yield Hostile("dotted", "doc_get", {**file, "path": dotted})
            more = {"value": "1", "create_parents": True}
            yield Hostile("dotted", "doc_set", {**file, "path": dotted, **more})
            yield Hostile("dotted", "doc_delete", {**file, "path": dotted})
            yield Hostile("dotted", "noyalib_set", {**file, "path": dotted, **more})
    for name in ("dotted.toml", "dotted-header.toml", "deep.json"):
        yield Hostile("dotted", "doc_get", {"file": name, "path": "k"})
        yield Hostile("dotted", "doc_set", {"file": name, "path": "k2", "value": "1"})
        yield Hostile("dotted", "doc_validate", {"file": name})
        yield Hostile("dotted", "doc_query", {"file": name, "expression": "$..k"})
    value = "v" * (500 << 10)
    edits = [{"path": f"k{n}", "value": f'"{value}"'} for n in range(100)]
    yield Hostile("growing", "doc_set", {"file": "a.json", "edits": edits}, is_long=True)


SOURCES: tuple[Callable[[Path], Iterator[Hostile]], ...] = (_sparse, _growing, _documents)


def hostile_calls(root: Path, seed: int = 1) -> Iterator[Hostile]:
    """Every call once, then those that do not take long again in other orders, without end."""
    calls = [call for source in SOURCES for call in source(root)]
    chance = random.Random(seed)
    yield from calls
    calls = [call for call in calls if not call.is_long]
    while True:
        chance.shuffle(calls)
        yield from calls


def _resident(client: Client, field: str) -> int:
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) >> 10


class Grown(NamedTuple):
    """By how many MB the server had grown at most while it answered a call."""

    megabytes: int
    call: Hostile
    answer: str
    seconds: float

    @property
    def line(self) -> str:
        """What was tried and what came of it, in one line."""
        call, arguments = self.call, str(self.call.arguments)[:80]
        head = f"{self.megabytes:6} MB {self.seconds:6.1f} s"
        return f"{head} {call.kind} {call.tool} {arguments} {self.answer[:99]}"


def run(
    root: Path,
    state: Path,
    calls: int,
    wanted: Set[tuple[str, str]] | None = None,
    shown: Callable[[str], object] = lambda line: None,
) -> list[Grown]:
    """Call the tools *calls* times; how far each took the server's memory.

    With *wanted*, only calls of these kinds and tools, each once. *shown* gets a line per call.
    """
    fill(root)
    args = ["--workspace", str(root), "--tools", "all"]
    env = {"XDG_STATE_HOME": str(state)}
    grown = []
    with connect("stdio", args, cwd=root, env=env) as client:
        for ending in ("json", "yaml", "toml"):  # warm: what every server has loaded
            client.call("doc_get", {"file": f"a.{ending}", "path": "a"})
        warm = _resident(client, "VmRSS")
        chosen = _chosen(root, wanted) if wanted else hostile_calls(root)
        for call in islice(chosen, calls):
            if call.kind == "hunks":  # another call may have changed every line
                _write_numbers(root)
            Path(f"/proc/{client.process.pid}/clear_refs").write_text("5")
            params = {"name": call.tool, "arguments": call.arguments}
            start = time.monotonic()
            reply = client.request("tools/call", params, timeout=_ANSWER)
            peak = _resident(client, "VmHWM") - warm
            grown.append(Grown(peak, call, str(reply)[:300], time.monotonic() - start))
            shown(f"{len(grown)}: {grown[-1].line}")
    return grown


def _chosen(root: Path, wanted: Set[tuple[str, str]]) -> Iterator[Hostile]:
    """The first call of each kind and tool."""
    left = set(wanted)
    for call in hostile_calls(root):
        if (call.kind, call.tool) in left:
            left.discard((call.kind, call.tool))
            yield call
        if not left:
            return


def main() -> int:
    """Run 400 calls unless told."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory() as top:
        root, state = Path(top, "ws"), Path(top, "state")
        root.mkdir()
        grown = run(root, state, calls, shown=lambda line: print(line, file=sys.stderr, flush=True))
    worst = sorted(grown, key=lambda each: -each.megabytes)
    for each in worst[:15]:
        print(each.line)
    print(f"{len(grown)} calls, at most {worst[0].megabytes} MB above the warm server")
    return 1 if worst[0].megabytes > MAX_GROWTH_MB else 0


if __name__ == "__main__":
    sys.exit(main())
