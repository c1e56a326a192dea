"""Which change each undo and redo belongs to, and which operations can be undone now."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.adapters.journal.format.lines import Line


class UndoChains:
    """Chains of change, undo, redo, undo ... as of one moment of the journal."""

    def __init__(self, lines: Sequence[Line], find: Callable[[str], Line | None]) -> None:
        self._find = find
        self.last: dict[str, Line] = {}
        self.reverters: dict[str, str] = {}
        for line in lines:
            self.last[self.root(line)] = line
            if line.head.reverts is not None:
                self._note(line, line.head.reverts)

    def _note(self, line: Line, reverts: str) -> None:
        self.reverters[reverts] = line.head.id
        if line.head.kind == "redo":
            undo = self._find(reverts)
            if undo is not None and undo.head.reverts is not None:
                self.reverters.pop(undo.head.reverts, None)

    def root(self, line: Line) -> str:
        """The change that *line* is, undoes or redoes; where it was pruned, the oldest left."""
        while line.head.reverts is not None:
            before = self._find(line.head.reverts)
            if before is None:
                break
            line = before
        return line.head.id

    def latest(self, *, undone: bool) -> str | None:
        """The latest operation that can be undone or, with *undone*, redone."""
        kinds = ("undo",) if undone else ("change", "redo")
        matching = [line for line in self.last.values() if line.head.kind in kinds]
        newest = max(matching, key=lambda line: line.offset, default=None)
        return None if newest is None else newest.head.id
