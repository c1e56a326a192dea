"""The text of a patch, in whichever form it was sent, as operations."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from redline.core.errors import PatchError
from redline.plan.patch.envelope import BEGIN, envelope_readings, is_envelope, read_envelope
from redline.plan.patch.model import PatchOperation, PatchReading, UpdateFile
from redline.plan.patch.unified import is_unified, read_unified
from redline.plan.patch.wrapping import PatchText, unwrap


def parse_patch(text: str) -> tuple[PatchReading, ...]:
    """Every way to read a patch, the literal one first; PatchError names the line that is wrong.

    There is more than one where the form leaves a doubt that only the files can settle: see
    `plan.patch.apply.plan_patch`.
    """
    found = unwrap(text)
    readings: list[PatchReading] = []
    failure: PatchError | None = None
    for read in _readers(found):
        try:
            reading = tuple(_below(found.folder, operation) for operation in read())
        except PatchError as error:
            failure = failure or error
            continue
        if reading not in readings:
            readings.append(reading)
    if not readings and failure:
        raise failure
    return tuple(readings)


def _readers(found: PatchText) -> list[Callable[[], PatchReading]]:
    lines, first = found.lines, found.first
    if is_envelope(lines):
        ways = envelope_readings(lines, first)
        return [partial(read_envelope, inner, first + 1) for inner in ways]
    if is_unified(lines):
        return [partial(read_unified, lines, first, keep_doubtful=keep) for keep in (False, True)]
    begins = [at for at, line in enumerate(lines, first) if line.strip() == BEGIN]
    hint = f"begin with {BEGIN}, or send a unified diff with --- and +++ lines"
    if len(lines) == 1 and "\\n" in lines[0]:
        hint = "break the lines of the patch with line breaks, not with a backslash and n"
    elif begins:
        hint = f"leave out what is before line {begins[0]} of the patch"
    raise PatchError(f"The first line of a patch must be {BEGIN!r}", hint=hint)


def _below(folder: str, operation: PatchOperation) -> PatchOperation:
    """*operation* with its paths counted from *folder*."""
    if not folder:
        return operation
    moved = replace(operation, path=posixpath.join(folder, operation.path))
    if isinstance(moved, UpdateFile) and moved.move_to is not None:
        return replace(moved, move_to=posixpath.join(folder, moved.move_to))
    return moved
