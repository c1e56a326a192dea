"""One value or line changed in a large file through the server: CPU, and memory by the file's size.

    python -m bench.programs.large_edits [--short]

Every file gets a server of its own that has changed small files of the kind before, so what it
grows by is what the large one takes: its bytes before and after, and whatever else is held with
them. Goal: at most four times the file, on the way there, back by undo, and in a dry run. The code
file has 200,000 lines; an edit by line or by symbol is to be answered within a second.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.library.measure import Report, Row, StdioServer, redline_argv, spread
from bench.programs.documents import json5_document, json_document, toml_document, yaml_document
from bench.programs.growth import SHM

MOST = 4.0
# The request as received, the decoder's copy of it and the text; later the text or the old file,
# and the new one.
MOST_WRITTEN = 3.1
WARM = (2_000, 400_000)
TEXT_TOOLS = {"txt": "edit_file", "patched txt": "apply_patch"}
CODE_TOOL = "ai_code_editing.edit_file"
CODE = "def f{n}(a):\n    b = a + 1\n    return b\n\n"
# Bytes of a file with 200,000 lines.
LARGE_CODE = 50_000 * len(CODE.format(n=10_000))
TEXT = "line {n} of the file, with a few words in it\n"


@dataclass(frozen=True)
class Edit:
    """A file, and how a line in its middle is changed for the *n*th time."""

    name: str
    content: bytes
    tool: str
    place: str

    def arguments(self, turn: int, *, dry_run: bool = False) -> dict[str, Any]:
        """What the tool is called with."""
        turns = (f"{self.place}, turn {n}" if n else self.place for n in (turn, turn + 1))
        old, new = (TEXT.replace("line {n}", line) for line in turns)
        if self.tool == "edit_file":
            edits = [{"oldText": old, "newText": new}]
            return {"path": self.name, "edits": edits, "dryRun": dry_run}
        if self.tool == "apply_patch":
            lines = ("Begin Patch", f"Update File: {self.name}", "End Patch")
            begin, update, end = (f"*** {line}\n" for line in lines)
            return {"patch": f"{begin}{update}@@\n-{old}+{new}{end}", "dry_run": dry_run}
        if self.tool == CODE_TOOL and self.name.startswith("symbol"):
            block = CODE.format(n=self.place).replace("a + 1", f"a + {turn + 2}").rstrip()
            order = {"edit_instruction": f"turn {turn}", "edit_type": "replace"}
            where = {"symbol": f"f{self.place}", "code_block": block}
            return {"target_file": self.name, **order, **where, "dry_run": dry_run}
        if self.tool == CODE_TOOL:
            line = {"start_line": int(self.place), "end_line": int(self.place)}
            block = {"edit_instruction": f"turn {turn}", "code_block": f"    b = a + {turn}"}
            return {"target_file": self.name, **line, **block, "dry_run": dry_run}
        value = f'"turn {turn + 1}"'
        return {"file": self.name, "path": self.place, "value": value, "dry_run": dry_run}


def edit_of(form: str, size: int) -> Edit:
    """A file of about *size* bytes of one format."""
    name = f"{form}-{size}.{form.rpartition('.')[2]}"
    if form in TEXT_TOOLS:
        content = "".join(TEXT.format(n=n) for n in range(size // len(TEXT))).encode()
        return Edit(name, content, TEXT_TOOLS[form], f"line {content.count(b'line') // 2}")
    if form.endswith("py"):
        functions = size // len(CODE.format(n=10_000))
        content = "".join(CODE.format(n=10_000 + n) for n in range(functions)).encode()
        middle = functions // 2
        place = 10_000 + middle if form == "symbol.py" else middle * 4 + 2
        return Edit(name, content, CODE_TOOL, str(place))
    if form == "yaml":
        content = yaml_document(size)
        place = f"services.svc{content.count(b'image') // 2}.image"
        return Edit(name, content, "noyalib_set", place)
    if form == "toml":
        content = toml_document(size)
        return Edit(name, content, "doc_set", f"svc{content.count(b'image') // 2}.image")
    content = json5_document(size) if form == "json5" else _json(form, size)
    return Edit(name, content, "doc_set", f"rows[{content.count(b'name') // 2}].name")


def _json(form: str, size: int) -> bytes:
    content = json_document(size, " // note" if form == "jsonc" else "")
    return content.replace(b"\n", b"") if form == "one line.json" else content


@contextmanager
def warm_server(form: str) -> Iterator[tuple[StdioServer, Path]]:
    """A server that knows the format, and its workspace."""
    with tempfile.TemporaryDirectory(dir=SHM) as home:
        root = Path(home) / "ws"
        root.mkdir()
        flags = ("--workspace", str(root), "--state-dir", f"{home}/state", "--history-size", "8G")
        with StdioServer(redline_argv(*flags)) as server:
            server.initialize()
            for size in WARM:
                small = edit_of(form, size)
                (root / small.name).write_bytes(small.content)
                server.call(small.tool, small.arguments(0, dry_run=True))
                server.call(small.tool, small.arguments(0))
                server.call("undo_change", {})
            yield server, root


def measure(report: Report, form: str, size: int) -> None:
    """A dry run, three edits and an undo."""
    with warm_server(form) as (server, root):
        edit = edit_of(form, size)
        (root / edit.name).write_bytes(edit.content)
        task = f"{form} {size / 1_000_000:.0f} MB"
        turns = [("dry run", edit.tool, edit.arguments(0, dry_run=True))]
        turns += [("edit", edit.tool, edit.arguments(turn)) for turn in range(3)]
        turns += [("undo", "undo_change", {})]
        rows: dict[str, list[tuple[float, float, float]]] = {}
        for what, tool, arguments in turns:
            rows.setdefault(what, []).append(_call(server, tool, arguments))
        for what, found in rows.items():
            cpu, walls, grown = zip(*found, strict=True)
            times = max(grown) * 1.048576e6 / len(edit.content)
            row = Row(f"{task}, {what}", "redline", min(cpu), *spread(walls), max(grown))
            row.note = f"{times:.1f} times the file"
            report.add(row)
            if times > MOST and not form.endswith("py"):
                report.facts.setdefault("missed", []).append(f"{row.task}: {row.note}")


def measure_write(report: Report, size: int) -> None:
    """write_file of a new file, then over it; the call itself holds the content as text."""
    with warm_server("txt") as (server, _):
        text = edit_of("txt", size).content.decode()
        for what in ("new", "over a file"):
            arguments = {"path": "written.txt", "content": f"{what}\n{text}"}
            cpu, wall, grown = _call(server, "write_file", arguments)
            times = grown * 1.048576e6 / len(text)
            task = f"write_file {size / 1_000_000:.0f} MB, {what}"
            row = Row(task, "redline", cpu, wall, wall, grown, note=f"{times:.1f} times the file")
            report.add(row)
            if times > MOST_WRITTEN:
                report.facts.setdefault("missed", []).append(f"{row.task}: {row.note}")


def _call(server: StdioServer, tool: str, arguments: dict[str, Any]) -> tuple[float, float, float]:
    """CPU and wall milliseconds, and the megabytes grown by."""
    before, start = server.cpu_ms(), time.perf_counter()
    grown = server.growth_mb(lambda: server.call(tool, arguments))
    return server.cpu_ms() - before, (time.perf_counter() - start) * 1000, grown


def main(arguments: list[str]) -> int:
    """Measure, show, save; exit 1 when a goal is missed."""
    short = "--short" in arguments
    report = Report("large_edits", facts={"most, times the file": MOST})
    for form in ("json", "one line.json", "jsonc", "json5", "toml", "yaml", *TEXT_TOOLS):
        measure(report, form, 3_000_000 if short else 10_000_000)
    for form in ("py", "symbol.py"):
        measure(report, form, LARGE_CODE)
    measure_write(report, 3_000_000 if short else 50_000_000)
    for form in () if short else ("json", "one line.json", *TEXT_TOOLS):
        measure(report, form, 50_000_000)
    report.finish(short=short)
    for goal in report.facts.get("missed", []):
        print(f"missed: {goal}")
    return 1 if report.facts.get("missed") else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
