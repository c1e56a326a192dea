"""The independent opinion on a large stream, piece by piece.

A parser's tree of a whole stream takes some thirty times its size. So large streams are parsed in
runs of entries (see yaml_split), one tree at a time; an edit is then checked on the streams before
and after it without the runs it does not touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents import yaml_native, yaml_tree, yaml_view
from redline.documents.model import Edit
from redline.documents.yaml_depth import require_bounded
from redline.documents.yaml_region import ENTRY, STEP, STREAM, Region, Run
from redline.documents.yaml_runs import Runs, without
from redline.documents.yaml_scan import Scanner
from redline.documents.yaml_split import regions_of
from redline.documents.yaml_stream import Stream
from redline.documents.yaml_tree import Where

Span = tuple[int, int]
_BESIDE = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: by keys and indexes, and by the bytes the skimmer found.

    `trail` holds the start of the collection each step looks into, `at` an offset inside the node.
    """

    where: Where
    trail: tuple[int, ...]
    at: int

    def under(self, step: bytes | int, start: int, at: int) -> Place:
        """The entry *step* of the collection at this place, which starts at *start*."""
        where = Where(self.where.document, (*self.where.steps, step))
        return Place(where, (*self.trail, start), at)


@dataclass(frozen=True, slots=True)
class Trees:
    """The parser's trees before and after an edit, and the place in both."""

    old: Any
    new: Any
    where: Where


class Opinion:
    """What the independent parser says of a stream; making it validates the whole stream."""

    def __init__(self, scanner: Scanner, stream: Stream, step: int = STEP) -> None:
        self.source = scanner.source
        self._tree: Any = None
        self._regions = self._validated(scanner, stream, step)
        if self._regions:
            self.count = self._count
        else:
            self._tree = yaml_native.parse_bounded(self.source)
            self.count = yaml_tree.count_of(self._tree)

    def _validated(self, scanner: Scanner, stream: Stream, step: int) -> list[Region]:
        """The regions whose every run the parser accepts; none when the whole must tell."""
        if len(self.source) <= 4 * step:
            return []
        is_unsure = require_bounded(self.source)
        try:
            regions = regions_of(scanner, stream, step)
            if not regions or _has_odd_tabs(self.source, regions):
                return []
            self._runs = Runs(self.source, regions)
            for region in regions:
                for run in region.runs:
                    run.count = self._entries(region, run, is_unsure=is_unsure)
            rest = self._runs.rest()
            if is_unsure:
                yaml_tree.require_shallow_tree(rest)
        except (DocumentSyntax, CannotApply):
            scanner.ends.clear()
            return []
        scanner.runs |= {
            region.start: [(run.start, run.end, run.count) for run in region.runs]
            for region in regions
            if region.kind in ("mapping", "sequence")
        }
        stream_runs = [region.runs for region in regions if region.start == STREAM]
        self._count = yaml_tree.count_of(rest) + sum(r.count for runs in stream_runs for r in runs)
        return regions

    def _entries(self, region: Region, run: Run, *, is_unsure: bool) -> int:
        tree, node = self._runs.read(region, run)
        if is_unsure:
            yaml_tree.require_shallow_tree(tree, region.level - region.depth)
        if region.start == STREAM:
            if not _is_between(tree, int(tree.root_id())):
                raise CannotApply("A run is not one of documents")
            return yaml_tree.count_of(tree) - _BESIDE
        if region.is_text:
            return _no_entry(tree, node)
        if region.kind == "gap":
            return _no_entries(tree, node)
        fits = tree.is_map(node) if region.kind == "mapping" else tree.is_seq(node)
        # Behind the last entry, rapidyaml takes a lone anchor for one of the collection.
        is_marked = tree.has_val_anchor(node) or tree.has_val_tag(node)
        count = int(tree.num_children(node)) - _BESIDE if fits and not is_marked else 0
        if count < 1 or not _is_between(tree, node):
            raise CannotApply("A run is not what its collection is")
        return count

    def agree(self, place: Place) -> None:
        """CannotApply unless the parser finds a node at *place* too."""
        if not self._regions:
            yaml_tree.find(self._whole(), place.where)
            return
        dropped, where = self._untouched(place, [(place.at, place.at)])
        yaml_tree.find(yaml_native.parse(without(self.source, dropped)), where)

    def trees(self, edit: Edit, place: Place, gone: Span | None = None) -> Trees:
        """The trees to compare; what stands in *gone* is replaced or taken out by the edit."""
        if not self._regions:
            return self._whole_trees(edit, place)
        spans = [(splice.start, splice.end) for splice in edit.splices]
        dropped, where = self._untouched(place, spans)
        try:
            new = yaml_native.parse_bounded(without(self.source, dropped, edit.splices))
        except DocumentSyntax:
            # Its lines are not those of the file; the whole file is asked.
            return self._whole_trees(edit, place)
        if gone is not None:
            dropped = [*dropped, *self._inside(gone, dropped)]
        return Trees(yaml_native.parse(without(self.source, dropped)), new, where)

    def _whole_trees(self, edit: Edit, place: Place) -> Trees:
        try:
            new = yaml_native.parse_bounded(edit.after)
        except DocumentSyntax as error:
            raise CannotApply(f"The result would not parse: {error.message}") from None
        # Verification takes the trees apart.
        old, self._tree = self._whole(), None
        return Trees(old, new, place.where)

    def whole(self) -> Any:
        """The tree of the whole stream."""
        return self._whole()

    def _whole(self) -> Any:
        if self._tree is None:
            self._tree = yaml_native.parse(self.source)
        return self._tree

    def _untouched(self, place: Place, spans: Sequence[Span]) -> tuple[list[Run], Where]:
        """The runs that may go, and the place in what is left."""
        dropped: list[Run] = []
        document, steps = place.where.document, list(place.where.steps)
        for region in self._regions:
            level = place.trail.index(region.start) if region.start in place.trail else None
            step = steps[level] if level is not None else None
            going = [run for run in region.runs if not _touches(run, spans)]
            if region.kind == "gap" and self._is_below(region, spans):
                # Blank lines may become part of the value above them.
                going = []
            if isinstance(step, bytes):
                going = [run for run in going if not self._holds(region, run, step)]
            above = sum(run.count for run in going if run.end <= place.at)
            if region.start == STREAM:
                document -= above
            elif level is not None and isinstance(step, int):
                steps[level] = step - above
            dropped += going
        return dropped, Where(document, tuple(steps))

    def _is_below(self, gap: Region, spans: Sequence[Span]) -> bool:
        """Whether one of *spans* ends on the line above *gap*."""
        above = self.source.rfind(b"\n", 0, gap.start - 1) + 1
        return any(above <= end <= gap.start for _, end in spans)

    def _holds(self, region: Region, run: Run, key: bytes) -> bool:
        """Whether an entry of a run has the *key*, in whatever spelling."""
        at = self.source.find
        is_odd = not key or any(byte in key for byte in b" \t\r\n'\"\\")
        if not is_odd and at(key, run.start, run.end) < 0 and at(b"\\", run.start, run.end) < 0:
            return False
        tree, node = self._runs.read(region, run)
        return yaml_tree.has_key(tree, node, key)

    def _inside(self, gone: Span, dropped: Sequence[Run]) -> list[Run]:
        out = {run.start for run in dropped}
        return [
            run
            for region in self._regions
            for run in region.runs
            if gone[0] <= run.start and run.end <= gone[1] and run.start not in out
        ]


def _is_between(tree: Any, node: int) -> bool:
    """Whether the entries beside a run are what they were, so that nothing of it reaches them."""
    return all(
        yaml_tree.is_bare(tree, int(entry), ENTRY)
        for entry in (tree.first_child(node), tree.last_child(node))
    )


def _no_entries(tree: Any, node: int) -> int:
    """Comments add nothing to their collection."""
    if tree.num_children(node) != _BESIDE or not _is_between(tree, node):
        raise CannotApply("What looked like comments is none")
    return 0


def _no_entry(tree: Any, node: int) -> int:
    """A part of a scalar's text must be the text of one scalar, alone."""
    if yaml_tree.count_of(tree) != 1 or tree.is_container(node) or not tree.has_val(node):
        raise CannotApply("A part of a text is not text")
    if not tree.is_root(node) and tree.num_siblings(node) != 1:
        raise CannotApply("A part of a text is not alone")
    return 0


def _has_odd_tabs(source: bytes, regions: Sequence[Region]) -> bool:
    """Whether a tab may stand for indentation at the start of a line that a run cuts off."""
    if b"\t" not in source:
        return False
    runs = [run for region in regions if region.before.endswith(b" ") for run in region.runs]
    return any(yaml_view.has_odd_tab(source, run.start, run.end) for run in runs)


def _touches(run: Run, spans: Sequence[Span]) -> bool:
    return any(run.start <= end and start <= run.end for start, end in spans)
