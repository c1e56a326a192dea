"""Disks that stop, fail or forget at a chosen operation."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from redline.adapters.files.disk import MUTATIONS, Disk
from tests.engine.quick import QuickDisk

Gate = Callable[[Disk, str, tuple[Any, ...]], None]


def gated(gate: Gate, base: type[Disk] | None = None) -> Disk:
    """A real disk that asks *gate* before every operation that changes something."""
    base = base or QuickDisk

    def guard(name: str) -> Callable[..., Any]:
        real = getattr(base, name)

        def operation(self: Disk, *arguments: Any) -> Any:
            gate(self, name, arguments)
            return real(self, *arguments)

        return operation

    made: Disk = type("GatedDisk", (base,), {name: guard(name) for name in MUTATIONS})()
    return made


def dies_before(number: int, *, torn: bool = False) -> Disk:
    """A disk on which the process dies before operation *number*, or halfway through a write."""
    count = 0

    def gate(disk: Disk, name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        count += 1
        if count == number:
            if torn and name in ("append", "pwrite"):
                fd, data, *place = arguments
                half = data[: len(data) // 2]
                if place:
                    os.pwrite(fd, half, place[0])
                else:
                    os.write(fd, half)
            os._exit(9)

    return gated(gate)


def fails_at(number: int, code: int, *, for_good: bool = False) -> tuple[Disk, Callable[[], bool]]:
    """A disk whose operation *number* (and, *for_good*, every later one) fails; was it reached?"""
    count = 0

    def gate(disk: Disk, name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        count += 1
        if count == number or (for_good and count > number):
            raise OSError(code, os.strerror(code))

    return gated(gate), lambda: count >= number
