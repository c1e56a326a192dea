"""The opening of docs/performance.md: ten lines a user can feel, from the newest results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Found = dict[str, dict[str, Any]]


def felt_section(found: Found) -> str:
    """The lines whose results exist."""
    lines = []
    for line in _LINES:
        try:
            lines.append(f"- {line(Figures(found))}")
        except LookupError:
            continue  # that program has not been run yet
    return "\n".join([*lines, ""])


class Figures:
    """Looks figures up by program, task and who."""

    def __init__(self, found: Found) -> None:
        self._found = found

    def row(self, name: str, task: str, who: str = "redline") -> dict[str, Any]:
        """The row of *task* whose `who` starts with *who*."""
        rows: Iterator[dict[str, Any]] = (
            row
            for row in self._found[name]["rows"]
            if row["task"] == task and row["who"].startswith(who)
        )
        for row in rows:
            return row
        raise LookupError(task)

    def time(self, name: str, task: str, who: str = "redline") -> str:
        """The median time of a task."""
        spent = self.row(name, task, who)["p50_ms"]
        if spent >= 1000:
            return f"{spent / 1000:.1f} s"
        return f"{spent:.0f} ms" if spent >= 10 else f"{spent:.1f} ms"

    def facts(self, name: str) -> dict[str, Any]:
        """What a program found out besides its rows."""
        facts: dict[str, Any] = self._found[name]["facts"]
        return facts


def _start(f: Figures) -> str:
    listed = "spawn to first tools/list"
    memory = f.row("cold_start", listed)["rss_mb"]
    return (
        f"A client has the list of all tools {f.time('cold_start', listed)} after it starts "
        f"Redline, which then uses {memory:.0f} MB."
    )


def _edit(f: Figures) -> str:
    read, edit = f.time("files", "read a small file"), f.time("files", "edit one line")
    return f"Reading a small file takes {read}; a durable, undoable one-line edit takes {edit}."


def _undo(f: Figures) -> str:
    undo, listed = f.time("commit", "undo"), f.time("commit", "list 50 of the history")
    return f"Undoing a change takes {undo}, and listing the last 50 changes takes {listed}."


def _documents(f: Figures) -> str:
    tasks = {"JSON": "json 1 MB, one object", "YAML": "yaml 1 MB", "TOML": "toml 1 MB"}
    times = [f"{f.time('documents', task)} in {form}" for form, task in tasks.items()]
    return f"Setting one value in 1 MB takes {', '.join(times)}; no other byte changes."


def _large(f: Figures) -> str:
    task = "txt 50 MB, edit"
    memory = f.row("large_edits", task)["note"]
    return (
        f"Editing a text file of 50 MB takes {f.time('large_edits', task)} "
        f"and needs {memory} size in memory."
    )


def _search(f: Figures) -> str:
    ours, alone = (f.time("files", "grep rare word", who) for who in ("redline", "rg"))
    return f"Searching a workspace for a rare word takes {ours}; ripgrep alone takes {alone}."


def _references(f: Figures) -> str:
    index = f.facts("context")["index"]
    return (
        f"Finding the uses of a definition takes {f.time('context', 'tool, references')} in "
        f"{index['files indexed']:,} files. Redline indexes them once, in {index['seconds']:.0f} s."
    )


def _sandbox(f: Figures) -> str:
    task = "sh -c true"
    held, plain = f.time("exec", task, "redline, bubblewrap"), f.time("exec", task, "plain")
    return f"A command that does nothing takes {held} in the sandbox and {plain} outside it."


def _tokens(f: Figures) -> str:
    row = f.row("tokens", "rename a call in ten files")
    times = f"{row['ratio']:.2f} times what it costs with the better peer"
    return f"Renaming a call in ten files costs a model {row['note']}, {times}."


def _noise(f: Figures) -> str:
    runs = [run for run in f.facts("noise").values() if isinstance(run, dict) and "wrong" in run]
    calls, wrong, meant, landed = (
        sum(run[name] for run in runs) for name in ("calls", "wrong", "should apply", "applied")
    )
    return (
        f"Of {calls:,} edits with the noise that models add, {wrong} landed wrong. "
        f"{meant:,} have one right outcome, and Redline reached it in {landed:,} of them."
    )


_LINES: tuple[Callable[[Figures], str], ...] = (
    *(_start, _edit, _undo, _documents, _large),
    *(_search, _references, _sandbox, _tokens, _noise),
)
