"""Probes as data: one attack each, with what is tried and what must be seen.

    PROBES = probes("server")

    @each(PROBES, runner="message")
    def test_...(probe: Probe) -> None: ...

A runner module reads the probes of its area and parametrizes by them; `probe["field"]` gives what
is particular to its runner.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import LONG

HERE = Path(__file__).parent
# The areas, each with AREA.toml and its runner test_AREA_probes.py.
AREAS = ("sandbox", "egress", "parsers", "durable", "guarded", "consent", "server", "commands",
         "page", "stores", "fields", "held")  # fmt: skip
RUNNERS = {
    "parsers": "test_parser_probes.py",
    "consent": "test_consent.py",
    "stores": "test_store_probes.py",
    "fields": "test_field_probes.py",
}
# What an attack found; every one of them keeps a probe.
FINDINGS = (
    "C1",
    *(f"H{number}" for number in range(1, 10)),
    *(f"M{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15)),
    *("L-module", "L-config-link", "L-hard-link", "L-history", "L-undo-owner"),
    *("L-jwt", "L-framing", "L-schema", "L-internal"),
    *("N1", "N2", "N3", "N4", "N10", "N13", "N16", "N17"),
    *("N5", "N6", "N7", "N8", "N9", "N11", "N12", "N14", "N15", "N18", "N19", "N20"),
)
# Findings whose probes are in the file of an area; where the file is absent they are not asked for.
AREA_OF = {
    "sandbox": ("C1", "H2", "H5", "H6", "H7", "M1", "M2", "M8", "M11", "M14"),
    "parsers": ("H3",),
    "durable": ("H8", "H9", "M10", "L-hard-link", "L-history", "L-undo-owner"),
    "guarded": ("H1", "H4", "M12"),
    "consent": ("M3", "M4", "M15", "L-module", "L-config-link"),
    "commands": ("N1", "N2", "N3", "N4", "N10", "N13", "N16", "N17"),
    "page": ("N6", "N7", "N14", "N15", "N18", "N20"),
    "stores": ("N5", "N11", "N12", "N19"),
    "fields": ("N8",),
    "server": ("M5", "M6", "M7", "M9", "N9", "L-jwt", "L-framing", "L-schema", "L-internal"),
}
# What a class of attacks that always held is listed under.
HELD = "held"
COMMON = ("id", "finding", "tries", "must")


@dataclass(frozen=True, slots=True)
class Probe:
    """One attack: who found it, what it tries, what must be seen, and what its runner needs."""

    id: str
    finding: str
    tries: str
    must: str
    more: dict[str, Any]

    def __getitem__(self, field: str) -> Any:
        return self.more[field]

    def get(self, field: str, default: Any = None) -> Any:
        """A field of the runner, or *default*."""
        return self.more.get(field, default)


def entries(area: str) -> list[dict[str, Any]]:
    """The probes of an area as they are written; none where the area has no file."""
    file = HERE / f"{area}.toml"
    if not file.exists():
        return []
    found: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8")).get("probe", [])
    return found


def probes(area: str) -> list[Probe]:
    """The probes of an area; those marked `long` only in the long form."""
    return [
        Probe(
            *(entry[name] for name in COMMON), {k: v for k, v in entry.items() if k not in COMMON}
        )
        for entry in entries(area)
        if LONG or not entry.get("long", False)
    ]


def each(
    found: Sequence[Probe], runner: str | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test once for every probe, or for every probe with that `runner`."""
    chosen = [probe for probe in found if runner is None or probe.get("runner") == runner]
    assert chosen or not LONG, f"no probe for the runner {runner}"
    mark: Callable[[Callable[..., None]], Callable[..., None]] = pytest.mark.parametrize(
        "probe", chosen, ids=[probe.id for probe in chosen]
    )
    return mark
