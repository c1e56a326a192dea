"""Output cut to what an answer may hold: whole lines from the end, and a piece of the start."""

from __future__ import annotations

from redline.core.ports.commands import Captured, Job
from redline.services.commands.output import keep_tail
from redline.toolsets.tool import Json

_HEAD_SHARE = 4
_HEAD_MOST = 8192


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
