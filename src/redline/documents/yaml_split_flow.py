"""Where a large flow collection can be cut: behind the commas of its own entries."""

from __future__ import annotations

from collections.abc import Iterable

from redline.core.errors import CannotApply
from redline.documents.yaml_passing import quoted_end
from redline.documents.yaml_region import ENTRY, Around, Region
from redline.documents.yaml_scan import Scanner
from redline.documents.yaml_split_text import inline_runs


class FlowSplitter:
    """Cuts flow collections into runs, the larger ones among their entries too."""

    def __init__(self, scanner: Scanner, step: int) -> None:
        self.scanner = scanner
        self.source = scanner.source
        self.step = step
        self.large = 4 * step
        self.regions: list[Region] = []
        # The directives of the document that is cut, with its marker.
        self.prefix = b""

    def _flow(self, start: int, limit: int, around: Around) -> tuple[int, int]:
        """Cut the collection that opens at *start*; where it ends, how many bytes are in runs."""
        scanner, source = self.scanner, self.source
        is_map = source[start] == 0x7B
        kind, opening, entry, closing = (
            ("mapping", b"{", ENTRY, b"}") if is_map else ("sequence", b"[", b"0", b"]")
        )
        inner = Around(
            around.before + opening, closing + around.after, around.depth + 1, around.level + 1
        )
        beside = inner.before + entry + b", ", b" " + entry + inner.after
        region = Region(start, kind, *beside, around.depth, around.level)
        self.regions.append(region)
        at, removed = start + 1, 0
        while source[(begin := scanner.space(at, limit)) : begin + 1] not in (b"]", b"}", b""):
            is_first = at == start + 1
            end = at if is_first else scanner.entries_end(at, min(at + self.step, limit))
            inside = 0
            if end == at:
                most = 2 * self.step if is_first else self.large
                end, inside = self._flow_entry(region, begin, limit, inner, most)
                if source[end] != 0x2C:
                    begin, removed = end, removed + inside
                    break
                end += 1
            removed += inside if is_first else region.add(at, end, inside, self.step)
            at = end
        scanner.ends[start] = begin + 1
        return begin + 1, removed

    def _flow_entry(
        self, region: Region, at: int, limit: int, around: Around, most: int
    ) -> tuple[int, int]:
        """Where the entry at *at* ends, and how many bytes of it are in runs: it may be large."""
        end = self._small_end(at, limit, most)
        if end is not None:
            return end, 0
        scanner, source = self.scanner, self.source
        value, inside = at, 0
        if region.kind == "mapping":
            value = scanner.flow_value_at(at, limit)
            before = around.before + b"x: "
            around = Around(before, around.after, around.depth, around.level)
        first = source[value : value + 1] if value >= 0 else b""
        if first in (b"[", b"{"):
            end, inside = self._flow(value, limit, around)
            end = scanner.space(end, limit)
        elif first in (b'"', b"'"):
            end, inside = self._quoted(at, value, limit, around)
        else:
            end = scanner.entry_end(at, limit)
        if source[end : end + 1] not in (b",", b"]", b"}"):
            raise CannotApply("A flow collection is malformed")
        return end, inside

    def _quoted(self, at: int, value: int, limit: int, around: Around) -> tuple[int, int]:
        """Where the entry at *at* ends that has a value in quotes; cut if nothing follows it."""
        last = quoted_end(self.source, value, limit)
        end = self.scanner.space(last, limit)
        if self.source[end : end + 1] not in (b",", b"]", b"}"):
            return self.scanner.entry_end(at, limit), 0
        return end, self._texts(inline_runs(self.source, value, last, around, self.step))

    def _texts(self, found: Iterable[Region]) -> int:
        """Take the regions of texts in; how many bytes are in their runs."""
        regions = list(found)
        self.regions += regions
        return sum(region.runs[-1].end - region.runs[0].start for region in regions)

    def _small_end(self, at: int, limit: int, most: int) -> int | None:
        window = min(at + most, limit)
        if window - self.source.rfind(b'"', at, window) > self.step and most < limit - at:
            # Most likely a large text or list goes on behind the window.
            return None
        try:
            end = self.scanner.entry_end(at, window)
        except CannotApply:
            return None
        return end if end < window and self.source[end] in b",]}" else None
