"""Inputs by the thousand in child processes; one that kills a child is found and made small."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.crashes.child import rng_of
from tests.crashes.targets import TARGETS

ROOT = Path(__file__).parents[2]
# Tries spent on making one input smaller.
_TRIES = 120


@dataclass(frozen=True, slots=True)
class Finding:
    """How a child ended, and the smallest input that still ends it so."""

    what: str
    smallest: bytes


def run(target: str, *, seed: str, inputs: int, batch: int) -> list[Finding]:
    """Try *inputs* inputs of *target*, a process per *batch*; what took a process down."""
    findings: list[Finding] = []
    first = 0
    while first < inputs:
        count = min(batch, inputs - first)
        ended, last = _child(target, [seed, str(first), str(count)])
        if ended is None:
            first += count
            continue
        if not any(_kind(known.what) == _kind(ended) for known in findings):
            findings.append(_found(target, seed, first, last, ended))
        first = last + 1
    return findings


def _kind(what: str) -> str:
    """What tells one finding from another: the signal, or the last lines of a traceback."""
    return "\n".join(what.strip().split("\n")[-4:]).partition(", only after")[0]


def _found(target: str, seed: str, first: int, last: int, ended: str) -> Finding:
    data = TARGETS[target]().make(rng_of(seed, last))
    fate = f"{seed} {last}"
    if _alone(target, data, fate) is None:
        return Finding(f"{ended}, only after others: {_culprits(target, seed, first, last)}", data)
    return Finding(ended, _smaller(target, data, fate))


def _culprits(target: str, seed: str, first: int, last: int) -> str:
    """The shortest run of inputs up to *last* that still takes a process down."""
    start = last
    while start > first:
        start = max(first, last - 2 * (last - start) - 1)
        if _child(target, [seed, str(start), str(last - start + 1)])[0] is not None:
            break
    return f"seed {seed!r}, inputs {start} to {last}"


def _smaller(target: str, data: bytes, fate: str) -> bytes:
    size, tries = max(1, len(data) // 2), 0
    while size and tries < _TRIES:
        at, shrunk = 0, False
        while at < len(data) and tries < _TRIES:
            tries += 1
            shorter = data[:at] + data[at + size :]
            if _alone(target, shorter, fate) is not None:
                data, shrunk = shorter, True
            else:
                at += size
        size = size if shrunk and size == 1 else size // 2
    return data


def _alone(target: str, data: bytes, fate: str) -> str | None:
    return _child(target, ["-", fate], data)[0]


def _child(target: str, arguments: list[str], data: bytes = b"") -> tuple[str | None, int]:
    """How the child ended (None: as it should), and the last input it named."""
    command = [sys.executable, "-m", "tests.crashes.child", target, *arguments]
    done = subprocess.run(
        ["nice", *command],
        input=data,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )
    lines = done.stdout.split()
    last = int(lines[-1]) if lines else -1
    if done.returncode == 0:
        return None, last
    if done.returncode > 0:
        return done.stderr.decode("utf-8", "replace")[-1500:], last
    return f"killed by {signal.Signals(-done.returncode).name}", last
