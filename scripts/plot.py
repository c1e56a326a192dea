"""A bar chart of one report as SVG: CPU per call, a group per task, ours in red; light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH, BAR, GAP, LEFT = 760, 16, 12, 260
# The classes of bars: ours, and those of others from dark to light.
OURS, OTHERS = "ours", ("a", "b", "c", "d")
STYLE = """<style>
svg{background:#fff}text{fill:#263238}
.ours{fill:#c62828}.a{fill:#546e7a}.b{fill:#90a4ae}.c{fill:#b0bec5}.d{fill:#cfd8dc}
@media (prefers-color-scheme:dark){svg{background:#1e2129}text{fill:#dee2ea}
.ours{fill:#ef5350}.a{fill:#b0bec5}.b{fill:#90a4ae}.c{fill:#78909c}.d{fill:#607d8b}}
</style>"""


def bar_chart(title: str, rows: Sequence[dict[str, Any]]) -> str:
    """The chart; bars of one task share a scale, since tasks differ by orders of magnitude."""
    parts: list[str] = []
    top = 40
    for task in dict.fromkeys(row["task"] for row in rows):
        group = [row for row in rows if row["task"] == task and _value(row)]
        if not group:
            continue
        parts.append(_text(12, top + 12, task, "bold"))
        top += 20
        most = max(_value(row) for row in group)
        others = 0
        for row in group:
            ours = row["who"].startswith("redline")
            kind = OURS if ours else OTHERS[others % len(OTHERS)]
            others += not ours
            length = max(1.0, _value(row) / most * (WIDTH - LEFT - 110))
            parts.append(_text(24, top + 12, row["who"]))
            parts.append(
                f'<rect x="{LEFT}" y="{top}" width="{length:.1f}" height="{BAR - 3}" '
                f'class="{kind}"/>'
            )
            parts.append(_text(LEFT + length + 6, top + 11, _label(row)))
            top += BAR
        top += GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" '
        f'viewBox="0 0 {WIDTH} {top}" font-family="sans-serif" font-size="12" role="img">'
        f"<title>{escape(title)}</title>{STYLE}"
    )
    return "\n".join([head, _text(12, 22, title, "bold"), *parts, "</svg>", ""])


def _value(row: dict[str, Any]) -> float:
    return float(row["cpu_ms"] or row["p50_ms"] or row.get("ratio") or 0)


def _label(row: dict[str, Any]) -> str:
    if row["cpu_ms"]:
        return f"{row['cpu_ms']:.2f} ms CPU"
    return (
        f"{row['p50_ms']:.2f} ms" if row["p50_ms"] else f"{row['ratio']:.2f} {row.get('unit', 'x')}"
    )


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-weight="{weight}">{escape(text)}</text>'


def share_rows(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Recall and precision of every part of *facts* as rows of a chart."""
    plain = {"cpu_ms": 0, "p50_ms": 0, "unit": "%"}
    bars = []
    for part, found in facts.items():
        for title, shares in found.items() if isinstance(found, dict) else ():
            if not isinstance(shares, dict):
                continue
            for share in ("recall", "precision"):
                if share in shares:
                    who = f"redline {title}"
                    bars.append(
                        {**plain, "task": f"{part}: {share}", "who": who} | {"ratio": shares[share]}
                    )
    return sorted(bars, key=lambda bar: bar["task"])
