"""Runs of a large YAML stream that can be read alone, and the collections they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.documents.yaml_flow import decode_key

# A run has about this many bytes: its tree takes some thirty times as much.
STEP = 1 << 13
STREAM = -1
# Entries that stand beside a run.
ENTRY = b"beside: 0"
# The line that stands beside a run of lines.
LINE = b"0\n"


@dataclass(slots=True)
class Run:
    """Whole entries that stand in [start, end); how many, the parser has to say.

    `size` is what is left of it without the runs inside it.
    """

    start: int
    end: int
    count: int = 0
    size: int = 0


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

    `kind` is stream, mapping, sequence, gap (comments and blank lines) or the style of a scalar,
    whose runs are parts of its text and which ends at `end`. `before` and `after` make a document
    of a run: in it the collection is `depth` levels down and has one more entry on either side, for
    parsers are more lenient at an end. The first and the last entries are in no run, so what is
    left of the stream ends where it did, too. In the stream, `level` collections stand around it.
    """

    start: int
    kind: str
    before: bytes = b""
    after: bytes = b""
    depth: int = 0
    level: int = 0
    runs: list[Run] = field(default_factory=list)
    end: int = -1

    def add(self, start: int, end: int, inside: int, step: int) -> int:
        """Put what stands in [start, end) into a run, *inside* bytes of it being in others."""
        size, last = end - start - inside, self.runs[-1] if self.runs else None
        if last and last.end == start and last.size + size <= step:
            last.end, last.size = end, last.size + size
        else:
            self.runs.append(Run(start, end, size=size))
        return end - start

    @property
    def is_text(self) -> bool:
        """Whether this is one large scalar."""
        return self.kind not in ("stream", "mapping", "sequence", "gap")

    def marked(self, word: bytes) -> bytes:
        """*word* so that it can stand where a run of text stood."""
        is_block = self.kind in ("literal", "folded")
        return self.after[: -len(LINE)] + word + b"\n" if is_block else word

    def text_with(self, source: bytes, word: bytes) -> bytes:
        """The scalar's text without its blanks, with *word* where its runs stood."""
        left, right = source[self.start : self.runs[0].start], source[self.runs[-1].end : self.end]
        if self.kind in ("literal", "folded"):
            left = left.partition(b"\n")[2]
        text = left + word + right
        if self.kind in ("single", "double"):
            text = decode_key(text).encode("utf-8", "surrogatepass")
        return unspaced(text)


def unspaced(text: bytes) -> bytes:
    """*text* without blanks and line breaks, of which folding makes others."""
    return b"".join(text.split())
