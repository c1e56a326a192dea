"""What a trial found, as tables for people and as data for programs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

RESULTS = ("exact", "refused", "wrong")
_HEADS = ("latency", "calls", "median ms", "p95 ms", "cpu ms")


@dataclass(slots=True)
class Timing:
    """One kind of call: how long each took in milliseconds, and processor time of the server."""

    task: str
    walls: list[float] = field(default_factory=list)
    cpu: float | None = None

    def row(self) -> list[str]:
        """The cells of its row."""
        ordered = sorted(self.walls)
        late = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        cpu = "" if self.cpu is None else f"{self.cpu / len(ordered):.2f}"
        return [
            self.task,
            str(len(ordered)),
            f"{statistics.median(ordered):.2f}",
            f"{late:.2f}",
            cpu,
        ]


@dataclass(slots=True)
class TrialResult:
    """Everything that one trial of one server found."""

    server: str
    tool: str
    version: str
    number: int
    timings: list[Timing] = field(default_factory=list)
    # By what is right (apply, refuse, either), noise and result.
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    peak_mb: float | None = None
    # A few calls that went wrong, for people.
    examples: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Everything as data."""
        noise = [
            {"should": should, "noise": noise, "result": result, "calls": count}
            for (should, noise, result), count in sorted(self.counts.items())
        ]
        return {
            "server": self.server,
            "tool": self.tool,
            "redline": self.version,
            "seed": self.number,
            "peak_mb": self.peak_mb,
            "latency": [dict(zip(_HEADS, timing.row(), strict=True)) for timing in self.timings],
            "noise": noise,
            "summary": self.summary(),
        }

    def summary(self) -> dict[str, int]:
        """The figures that matter most."""
        totals: Counter[tuple[str, str]] = Counter()
        for (should, _, result), count in self.counts.items():
            totals[should, result] += count
        return {
            "calls": totals.total(),
            "should apply": sum(totals["apply", result] for result in RESULTS),
            "applied exactly": totals["apply", "exact"],
            "should refuse": sum(totals["refuse", result] for result in RESULTS),
            "refused": totals["refuse", "refused"],
            "wrong": sum(totals[should, "wrong"] for should in ("apply", "refuse", "either")),
        }

    def text(self) -> str:
        """The tables."""
        groups: dict[tuple[str, str], Counter[str]] = {}
        for (should, noise, result), count in self.counts.items():
            for name in ("all", noise):
                groups.setdefault((should, name), Counter())[result] += count
        order = sorted(groups, key=lambda key: (key[0], key[1] != "all", key))
        rows = [
            [*key, str(groups[key].total()), *(str(groups[key][result]) for result in RESULTS)]
            for key in order
        ]
        peak = "" if self.peak_mb is None else f", at most {self.peak_mb:.0f} MB in memory"
        by = f"(Redline {self.version}, seed {self.number})"
        parts = [
            [f"{self.server}: tool {self.tool}{peak} {by}"],
            _table(_HEADS, [timing.row() for timing in self.timings]),
            _table(["should", "noise", "calls", *RESULTS], rows),
            [f"{name}: {count}" for name, count in self.summary().items()],
            self.examples,
        ]
        return "\n\n".join("\n".join(part) for part in parts if part)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for row in (heads, ["-" * width for width in widths], *rows):
        cells = [
            cell.rjust(width) if _is_number(cell) else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ]
        lines.append(" | ".join(cells).rstrip())
    return lines


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).isdigit()
