"""Where a large flow collection can be cut: behind the commas of its own entries."""

from __future__ import annotations

from redline.core.errors import CannotApply
from redline.documents.yaml_flow import quoted_end
from redline.documents.yaml_region import ENTRY, Around, Region, Run
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

    def _flow(self, start: int, limit: int, around: Around) -> int:
        """Cut the collection that opens at *start*; where it ends."""
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
        at, is_first = start + 1, True
        while source[(begin := scanner.space(at, limit)) : begin + 1] not in (b"]", b"}", b""):
            end = at if is_first else scanner.entries_end(at, min(at + self.step, limit))
            is_cut = is_first
            if end == at:
                end, has_runs = self._flow_entry(region, begin, limit, inner)
                if source[end] != 0x2C:
                    begin = end
                    break
                end += 1
                is_cut = is_first or has_runs
            if not is_cut:
                self._add(region, at, end)
            at, is_first = end, False
        scanner.ends[start] = begin + 1
        return begin + 1

    def _add(self, region: Region, at: int, end: int) -> None:
        """Entries that are passed over one by one come together in a run, too."""
        last = region.runs[-1] if region.runs else None
        if last and last.end == at and end - last.start <= self.step:
            last.end = end
        else:
            region.runs.append(Run(at, end))

    def _flow_entry(self, region: Region, at: int, limit: int, around: Around) -> tuple[int, bool]:
        """Where the entry at *at* ends; cut if it is large."""
        end = self._small_end(at, limit)
        if end is not None:
            return end, False
        scanner, source = self.scanner, self.source
        value = at
        if region.kind == "mapping":
            value = scanner.flow_value_at(at, limit)
            before = around.before + b"x: "
            around = Around(before, around.after, around.depth, around.level)
        first = source[value : value + 1] if value >= 0 else b""
        is_cut = first in (b"[", b"{")
        if is_cut:
            end = scanner.space(self._flow(value, limit, around), limit)
        else:
            end = scanner.entry_end(at, limit)
            is_cut = first in (b'"', b"'") and self._quoted(value, end, around)
        if source[end : end + 1] not in (b",", b"]", b"}"):
            raise CannotApply("A flow collection is malformed")
        return end, is_cut

    def _quoted(self, start: int, limit: int, around: Around) -> bool:
        """Cut the text in quotes at *start*, if it is large and nothing follows it."""
        end = quoted_end(self.source, start, limit)
        if end - start <= self.large or self.scanner.space(end, limit) != limit:
            return False
        found = list(inline_runs(self.source, start, end, around, self.step))
        self.regions += found
        return bool(found)

    def _small_end(self, at: int, limit: int) -> int | None:
        window = min(at + self.large, limit)
        try:
            end = self.scanner.entry_end(at, window)
        except CannotApply:
            return None
        return end if end < window and self.source[end] in b",]}" else None
