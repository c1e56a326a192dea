"""How deep a text nests, counted in linear time before any native parser sees it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from operator import sub

from redline.core.errors import CannotApply, NestsTooDeep
from redline.core.late_regex import late_regex
from redline.documents.base.model import MAX_DEPTH
from redline.documents.base.possessive import compile_pattern

# One step up, one step down: brackets of both kinds as signed numbers.
_STEPS = bytes(1 if byte in b"[{" else 255 for byte in range(256))
_UP, _DOWN = b"\x01", b"\xff"
_WITHIN = bytes(byte for byte in range(256) if byte not in b"[]{}\"'")
_QUOTED = compile_pattern(rb"\"[^\"]*+\"|'[^']*+'")
_QUOTE = late_regex(rb"[\"']")
_WINDOW = 64 * 1024


def nests_too_deep(text: bytes | bytearray, limit: int = MAX_DEPTH) -> bool:
    """Return whether brackets outside strings nest deeper than *limit*; comments are blank already.

    Exact, and linear: a bracket that closes more than was opened closes nothing, and a string
    that is never closed hides the rest.
    """
    if len(text) <= _WINDOW and text.count(b"[") + text.count(b"{") <= limit:
        return False
    depth = 0
    for brackets in _outside_strings(text):
        depth, deepest = _descend(depth, brackets.translate(_STEPS), limit)
        if deepest > limit:
            return True
    return False


def _outside_strings(text: bytes | bytearray) -> Iterator[bytes]:
    """Yield the brackets of *text* outside strings, window by window.

    Two adjacent quotes of a kind, wherever they are, do not change where strings are: without
    brackets between them they are removed, and few strings are left to read.
    """
    at, quote = 0, b""
    while at < len(text):
        end = at + _WINDOW
        while text[end - 1 : end] == b"\\":
            end += 1
        window = text[at:end]
        if b"\\" in window:
            window = window.replace(b"\\\\", b"").replace(b'\\"', b"").replace(b"\\'", b"")
        left = quote + window.translate(None, _WITHIN).replace(b'""', b"")
        left = left.replace(b"''", b"") if b"'" in left else left
        left = _QUOTED.sub(b"", left) if b'"' in left or b"'" in left else left
        # A string that is still open continues in the next window.
        still = _QUOTE.search(left)
        quote = still[0] if still else b""
        yield left[: still.start()] if still else left
        at = end


def _descend(depth: int, steps: bytes, limit: int) -> tuple[int, int]:
    """Return the depth after *steps*, and the deepest on the way (or a bound within the limit)."""
    left, layers, paired = steps, 0, len(steps)
    # Pairs are peeled off layer by layer while that makes good progress.
    while paired * 64 > len(left):
        shorter = left.replace(_UP + _DOWN, b"")
        left, layers, paired = shorter, layers + 1, len(left) - len(shorter)
    ups = left.count(_UP)
    if not paired and depth + ups + layers <= limit:
        # Nothing pairs any more: all that is left goes down first and then up.
        return max(0, depth - len(left) + ups) + ups, depth + ups + layers
    heights = list(accumulate(memoryview(steps).cast("b"), initial=depth))
    # Closing more brackets than were ever open leaves the depth at zero.
    ground = list(accumulate(heights, min, initial=0))[1:]
    return heights[-1] - ground[-1], max(map(sub, heights, ground))


def require_shallow(text: bytes | bytearray) -> None:
    """Refuse brackets nested deeper than any engine here goes."""
    if nests_too_deep(text):
        raise too_deep()


def too_deep() -> NestsTooDeep:
    """Return the error for a document that nests deeper than is supported."""
    return NestsTooDeep(f"Document is nested deeper than {MAX_DEPTH} levels")


def value_too_deep() -> CannotApply:
    """Return the error for a change that would nest the document too deeply."""
    return CannotApply(f"The result would be nested deeper than {MAX_DEPTH} levels")
