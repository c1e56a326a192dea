"""docs/performance.md and the figures of docs/scale.md, from bench/results/*.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scripts.felt_figures import felt_section
from scripts.plot import bar_chart, share_rows

REPO = Path(__file__).resolve().parent.parent
RESULTS = REPO / "bench" / "results"
NOTE = "<!-- Generated from bench/results: run `make bench`, then `make docs`. -->"
INTRO = """\
The tables below compare Redline with other servers and tools. `make bench` runs the programs under
`bench/`, which measure Redline and its peers in the same run on the same data. To see where a peer
is better, read the next section.

- CPU is the time of the server and its children.
- `x` is the CPU of the row divided by Redline's. Under 1 on a peer's row, the peer is cheaper.
- For tokens, `x` is the row's tokens divided by those of the better peer.
"""
TITLES = {
    "cold_start": "Starting",
    "files": "Toolset files",
    "coding": "Toolset coding",
    "documents": "Documents",
    "large_edits": "Edits of large files",
    "diffs": "Diffs",
    "instruct": "JSON by instruction",
    "context": "Code context",
    "http": "HTTP",
    "commit": "Durable commits",
    "exec": "Commands in the sandbox",
    "growth": "How cost grows",
    "tokens": "Tokens",
    "noise": "Landing noisy edits",
    "scale": "Several servers",
    "workspaces": "Many workspaces",
    "history": "The history at a terminal",
    "policy": "Rules about changes",
    "review": "The review page",
}


def results() -> dict[str, dict[str, Any]]:
    """Every result file that exists, in the order of the page."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in RESULTS.glob("*.json")}
    ordered = [name for name in TITLES if name in found] + sorted(set(found) - set(TITLES))
    return {name: found[name] for name in ordered}


def performance_page() -> str:
    """Every table, with the machine it was measured on."""
    found, charts = results(), _charts()
    parts = [NOTE, "# Performance\n", felt_section(found), INTRO, _versions(found)]
    parts.append(losses_section(found))
    for name, body in found.items():
        parts.append(f"## {TITLES.get(name, name)}\n")
        parts.append(_machine(body))
        parts.append(_facts(body.get("facts", {})))
        parts.append(_table(body.get("rows", [])))
        if name in charts:
            parts.append(f"![{_chart_title(name)}](plots/{name}.svg)\n")
    return "\n".join(part for part in parts if part)


# What is compared, by the field of a row; under a hundredth more is no loss.
MEASURES = {"cpu_ms": "CPU ms", "p50_ms": "median ms", "rss_mb": "peak MB"}


def losses(name: str, rows: list[dict[str, Any]]) -> list[tuple[float, str]]:
    """Each measure in which a row of ours is dearer than a peer's for the same task."""
    found = []
    for mine in rows:
        if not mine["who"].startswith("redline"):
            continue
        if not mine["cpu_ms"] and not mine["p50_ms"] and (mine.get("ratio") or 0) > 1:
            cells = [name, mine["task"], "tokens", mine["note"], "the better peer", ""]
            found.append((mine["ratio"], _row([*cells, f"{mine['ratio']:.2f}"])))
        for peer in rows:
            if peer["task"] != mine["task"] or peer["who"].startswith("redline"):
                continue
            for key, measure in MEASURES.items():
                ours, theirs = mine.get(key) or 0.0, peer.get(key) or 0.0
                if theirs and ours / theirs >= 1.01:
                    cells = [name, mine["task"], measure, f"{ours:.2f}", peer["who"]]
                    times = ours / theirs
                    found.append((times, _row([*cells, f"{theirs:.2f}", f"{times:.2f}"])))
    return found


def losses_section(found: dict[str, dict[str, Any]]) -> str:
    """Where a peer does better, worst first, and the goals of our own that are missed."""
    rows = [
        loss
        for name, body in found.items()
        for loss in losses(TITLES.get(name, name), body.get("rows", []))
    ]
    rows.sort(key=lambda loss: -loss[0])
    head = ["where", "task", "measure", "Redline", "peer", "its figure", "times"]
    table = [_row(head), "|" + "---|" * len(head), *(row for _, row in rows)]
    missed = [
        f"- {TITLES.get(name, name)}: {goal}"
        for name, body in found.items()
        for goal in body.get("facts", {}).get("missed", [])
    ]
    parts = [
        "## Where Redline loses\n",
        "This list follows from the tables below, with the worst first.\n",
    ]
    parts += ["\n".join([*table, ""])] if rows else ["Nowhere in these results.\n"]
    if missed:
        parts += ["This run missed these goals of the project:\n", "\n".join([*missed, ""])]
    return "\n".join(parts)


def _versions(found: dict[str, dict[str, Any]]) -> str:
    merged: dict[str, str] = {}
    for body in found.values():
        merged.update(body.get("versions", {}))
    if not merged:
        return ""
    return "Versions: " + ", ".join(f"{name} {version}" for name, version in merged.items()) + ".\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def plots() -> dict[Path, str]:
    """The charts, where the site finds them."""
    return {REPO / "docs" / "plots" / f"{name}.svg": text for name, text in _charts().items()}


def _charts() -> dict[str, str]:
    """A chart of every result that has rows, by name."""
    charts = {}
    for name, body in sorted(results().items()):
        if name == "context":
            charts[name] = bar_chart(_chart_title(name), share_rows(body["facts"]))
        elif body["rows"]:
            charts[name] = bar_chart(_chart_title(name), body["rows"])
    return charts


def _chart_title(name: str) -> str:
    """What a chart shows, in words."""
    title = TITLES.get(name, name.replace("_", " ").capitalize())
    measures = {
        "context": "per cent of what compilers and language services find, longer is better",
        "tokens": "times the tokens of the better peer, shorter is better",
    }
    return f"{title}: {measures.get(name, 'cost of one call, shorter is better')}"


def fact_table(name: str) -> str:
    """The facts of a program as a table, or a word on how to get them."""
    body = results().get(name)
    if body is None:
        return f"Run `make bench ARGS={name}` for the figures."
    return _facts(body["facts"]).strip()


def figures() -> dict[str, str]:
    """Figures that stand in running text, by name."""
    found = {}
    start = results().get("cold_start", {"rows": []})["rows"]
    for row in start:
        if row["who"].startswith("redline") and "tools/list" in row["task"]:
            found["start"] = f"{row['cpu_ms']:.0f} ms of CPU and {row['rss_mb']:.0f} MB"
    return found


def _machine(body: dict[str, Any]) -> str:
    machine = body.get("machine")
    if not machine:
        return ""
    said = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"
    if "date" in machine:
        said += f"; {machine['date']}, load {machine['load']} at the end"
    if "scheduling" in machine:
        said += f", {machine['scheduling']} scheduling for all rows"
    return f"*{said}*\n"


def _facts(facts: dict[str, Any]) -> str:
    if not facts:
        return ""
    rows = [f"| {name} | {_shown(value)} |" for name, value in facts.items() if name != "missed"]
    return "\n".join(["| | |", "|---|---|", *rows, ""])


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items())
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    timed = any(row["cpu_ms"] or row["p50_ms"] for row in rows)
    head = [
        "task",
        "who",
        *(["CPU ms", "p50 ms", "p95 ms", "RSS MB"] if timed else []),
        "x",
        "note",
    ]
    lines = [_row(head), "|" + "---|" * len(head)]
    for row in rows:
        times = [f"{row['cpu_ms']:.2f}", f"{row['p50_ms']:.2f}", f"{row['p95_ms']:.2f}"]
        cells = [row["task"], row["who"], *([*times, f"{row['rss_mb']:.0f}"] if timed else [])]
        ratio = "" if row.get("ratio") is None else f"{row['ratio']:.2f}"
        lines.append(_row([*cells, ratio, row.get("note", "")]))
    return "\n".join([*lines, ""])
