"""Output cut to what an answer may hold: whole lines from the end, and a piece of the start."""

from __future__ import annotations

from dataclasses import dataclass

from redline.core.ports.commands import Captured, Job
from redline.toolsets.tool import Json

MAX_LINES = 2000
_HEAD_SHARE = 4
_HEAD_MOST = 8192


@dataclass(frozen=True, slots=True)
class OutputCut:
    """The end of a stream that fits, and why there is not more."""

    data: bytes
    by: str | None


def keep_tail(data: bytes, max_bytes: int, max_lines: int = MAX_LINES) -> OutputCut:
    """The last whole lines within both limits; a last line that is too long keeps its end."""
    by = None
    start = _start_of_last_lines(data, max_lines)
    if start:
        data, by = data[start:], "lines"
    if len(data) <= max_bytes:
        return OutputCut(data, by)
    start = len(data) - max_bytes
    if data[start - 1 : start] != b"\n":
        line_end = data.find(b"\n", start)
        if 0 <= line_end < len(data) - 1:
            start = line_end + 1
    while start < len(data) and data[start] & 0xC0 == 0x80:  # not inside a character
        start += 1
    return OutputCut(data[start:], "bytes")


def _start_of_last_lines(data: bytes, count: int) -> int:
    position = len(data) - 1 if data.endswith(b"\n") else len(data)
    for _ in range(count):
        position = data.rfind(b"\n", 0, position)
        if position < 0:
            return 0
    return position + 1


def stream_fields(name: str, got: Captured, max_bytes: int) -> Json:
    """The fields of one stream; `<name>_head` is there only when the start was cut off."""
    whole = got.tail if got.lost else got.head + got.tail
    cut = keep_tail(whole, max_bytes)
    by = cut.by or ("bytes" if got.lost else None)
    text = cut.data.decode("utf-8", "replace")
    fields: Json = {
        name: text,
        f"{name}_truncated": by is not None,
        f"{name}_truncated_by": by,
        f"{name}_output_lines": text.count("\n") + (not text.endswith("\n") if text else 0),
        f"{name}_output_bytes": len(cut.data),
        f"{name}_dropped_bytes": got.lost_ever,
        f"{name}_omitted_bytes": got.lost,
    }
    head = _head(got, len(cut.data), max_bytes) if by else b""
    if head:
        fields[f"{name}_head"] = head.decode("utf-8", "replace")
    return fields


def _head(got: Captured, shown: int, max_bytes: int) -> bytes:
    room = min(max_bytes // _HEAD_SHARE, _HEAD_MOST)
    if not got.lost:
        room = min(room, len(got.head) + len(got.tail) - shown)
    head = got.head[:room]
    end = head.rfind(b"\n")
    return head[: end + 1] if end >= 0 else b""


def session_fields(job: Job, max_bytes: int, *, again: bool = False) -> Json:
    """What both streams got since the last answer; *again* repeats that answer's."""
    look = job.take_again if again else job.take
    fields: Json = {}
    for name in ("stdout", "stderr"):
        fields |= stream_fields(name, look(name), max_bytes)
    fields["truncated"] = fields["stdout_truncated"] or fields["stderr_truncated"]
    return fields
