"""Runs of a large YAML stream that can be read alone, and the collections they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field

# A run has about this many bytes: its tree takes some thirty times as much.
STEP = 1 << 13
STREAM = -1
# Entries that stand beside a run.
ENTRY = b"beside: 0"


@dataclass(slots=True)
class Run:
    """Whole entries that stand in [start, end); how many, the parser has to say."""

    start: int
    end: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class Around:
    """What makes a document of one node: it is `depth` levels down there, `level` in the stream."""

    before: bytes
    after: bytes
    depth: int
    level: int


@dataclass(frozen=True, slots=True)
class Region:
    """What starts at `start` (STREAM: the documents) and is large, its runs in order.

    `kind` is stream, mapping, sequence or text: a run of a scalar is a part of its text. `before`
    and `after` make a document of a run: in it the collection is `depth` levels down and has one
    more entry on either side, for parsers are more lenient at an end. The first and the last
    entries are in no run, so what is left of the stream ends where it did, too. In the stream,
    `level` collections stand around it.
    """

    start: int
    kind: str
    before: bytes = b""
    after: bytes = b""
    depth: int = 0
    level: int = 0
    runs: list[Run] = field(default_factory=list)
