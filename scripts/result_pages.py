"""docs/performance.md and the figures of docs/scale.md, from bench/results/*.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parent.parent
RESULTS = REPO / "bench" / "results"
NOTE = "<!-- Generated from bench/results: run `make bench`, then `make docs`. -->"
INTRO = """\
Redline and its peers, measured in the same run on the same data by the programs under `bench/`
(`make bench`). CPU is the server's own and its children's. `x` is how many times Redline's CPU
the row used (for tokens: how many times the better peer's tokens); under 1 on a peer's row means
that the peer is cheaper there.
"""
TITLES = {
    "cold_start": "Starting",
    "files": "Toolset files",
    "coding": "Toolset coding",
    "documents": "Documents",
    "instruct": "JSON by instruction",
    "context": "Code context",
    "http": "HTTP",
    "commit": "Durable commits",
    "exec": "Commands in the sandbox",
    "growth": "How cost grows",
    "tokens": "Tokens",
    "noise": "Landing noisy edits",
    "scale": "Several servers",
}


def results() -> dict[str, dict[str, Any]]:
    """Every result file that exists, in the order of the page."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in RESULTS.glob("*.json")}
    ordered = [name for name in TITLES if name in found] + sorted(set(found) - set(TITLES))
    return {name: found[name] for name in ordered}


def performance_page() -> str:
    """Every table, with the machine it was measured on."""
    parts = [
        NOTE,
        "# Performance\n",
        INTRO,
    ]
    for name, body in results().items():
        parts.append(f"## {TITLES.get(name, name)}\n")
        parts.append(_machine(body))
        parts.append(_facts(body.get("facts", {})))
        parts.append(_table(body.get("rows", [])))
        if (RESULTS / f"{name}.svg").exists():
            parts.append(f"![{name}](plots/{name}.svg)\n")
    return "\n".join(part for part in parts if part)


def plots() -> dict[Path, str]:
    """The charts, where the site finds them."""
    return {
        REPO / "docs" / "plots" / path.name: path.read_text("utf-8")
        for path in sorted(RESULTS.glob("*.svg"))
    }


def scale_figures() -> str:
    """The facts of the simulation as a table, or a word on how to get them."""
    body = results().get("scale")
    if body is None:
        return "Run `make bench ARGS=scale` for the figures."
    return _facts(body["facts"]).strip()


def _machine(body: dict[str, Any]) -> str:
    machine = body.get("machine")
    if not machine:
        return ""
    return f"*{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}*\n"


def _facts(facts: dict[str, Any]) -> str:
    if not facts:
        return ""
    rows = [f"| {name} | {_shown(value)} |" for name, value in facts.items()]
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
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        times = [f"{row['cpu_ms']:.2f}", f"{row['p50_ms']:.2f}", f"{row['p95_ms']:.2f}"]
        cells = [row["task"], row["who"], *([*times, f"{row['rss_mb']:.0f}"] if timed else [])]
        ratio = "" if row.get("ratio") is None else f"{row['ratio']:.2f}"
        lines.append("| " + " | ".join([*cells, ratio, row.get("note", "")]) + " |")
    return "\n".join([*lines, ""])
