"""The texts that a large stream is read in: each run without the runs that stand inside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from redline.core.errors import CannotApply
from redline.core.splice import Splice, apply_splices
from redline.documents import yaml_native, yaml_tree
from redline.documents.yaml_region import Region, Run, unspaced

_WHOLE = (0, 0)
_CUT = re.compile(rb"Text[0-9]+Cut")


class Runs:
    """The runs of a stream, by the run they stand in."""

    def __init__(self, source: bytes, regions: Sequence[Region]) -> None:
        self.source = source
        # Of the text read last: one run has about as many nodes to a byte as the next.
        self._nodes = self._size = 0
        self._inside: dict[tuple[int, int], list[tuple[Region, Run]]] = {}
        runs = [(region, run) for region in regions for run in region.runs]
        around: list[Run] = []
        for region, run in sorted(runs, key=lambda pair: (pair[1].start, -pair[1].end)):
            while around and around[-1].end <= run.start:
                around.pop()
            key = (around[-1].start, around[-1].end) if around else _WHOLE
            self._inside.setdefault(key, []).append((region, run))
            around.append(run)

    def rest(self) -> Any:
        """The tree of what is in no run."""
        return self._read(b"", (0, len(self.source)), b"", self._inside.get(_WHOLE, []))

    def read(self, region: Region, run: Run) -> tuple[Any, int]:
        """The tree of a run, and the collection in it that the run belongs to."""
        span = run.start, run.end
        tree = self._read(region.before, span, region.after, self._inside.get(span, []))
        node = int(tree.root_id())
        if tree.is_stream(node):
            node = int(tree.first_child(node))
        for _ in range(region.depth):
            node = int(tree.first_child(node))
        return tree, node

    def _read(
        self, before: bytes, span: tuple[int, int], after: bytes, inside: list[tuple[Region, Run]]
    ) -> Any:
        """The tree of a text; scalars that are cut in it must be the same scalars to the parser."""
        texts: dict[bytes, Region] = {}
        text: list[bytes | memoryview] = [before]
        view, at = memoryview(self.source), span[0]
        for region, run in inside:
            text.append(view[at : run.start])
            if region.is_text and run is region.runs[0]:
                word = b"Text%dCut" % run.start
                texts[word] = region
                text.append(region.marked(word))
            at = run.end
        text += view[at : span[1]], after
        tree = self._parsed(b"".join(text))
        if texts:
            self._require_texts(tree, texts)
        return tree

    def _parsed(self, text: bytes) -> Any:
        tree = yaml_native.parse(text, self._nodes * len(text) // max(self._size, 1))
        self._nodes, self._size = tree.size(), len(text)
        return tree

    @cached_property
    def _has_words(self) -> bool:
        """Whether the stream itself has what is to stand where a text was cut."""
        return _CUT.search(self.source) is not None

    def _require_texts(self, tree: Any, texts: dict[bytes, Region]) -> None:
        found = {(style, unspaced(text)) for style, text in yaml_tree.texts(tree)}
        mine = {(region.kind, region.text_with(self.source, w)) for w, region in texts.items()}
        if not mine <= found or self._has_words:
            raise CannotApply("The two parsers disagree on where a text stands")


def outermost(runs: Iterable[Run]) -> list[Run]:
    """The runs that stand in no other one, in order."""
    found: list[Run] = []
    for run in sorted(runs, key=lambda run: (run.start, -run.end)):
        if not found or run.start >= found[-1].end:
            found.append(run)
    return found


def without(source: bytes, runs: Iterable[Run], splices: Sequence[Splice] = ()) -> bytes:
    """*source* with *splices* made and *runs* left out."""
    cuts = [Splice(run.start, run.end, b"") for run in outermost(runs)]
    return apply_splices(source, [*splices, *cuts])
