"""Which changes each operation makes, undoes or redoes, and which of them are undone now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from redline.adapters.journal.format.lines import Line

_AGAIN, _PART = "+", "~"
_SILENT = ("grant", "checkpoint")


class UndoChains:
    """The state of every change as of one moment of the journal.

    A change is named by its own operation, its root. A part that was taken back is a root too.
    """

    def __init__(self, lines: Sequence[Line], find: Callable[[str], Line | None]) -> None:
        self._find = find
        # For each operation the roots it touches, and whether they are undone after it.
        self.effects: dict[str, dict[str, bool]] = {}
        self.last: dict[str, Line] = {}
        self.undone: dict[str, bool] = {}
        self.reverters: dict[str, str] = {}
        # The same roots and where they are in it, of those that were asked for.
        self._within: dict[str, dict[str, int]] = {}
        # When each operation happened, in relation to the others.
        self.order = {line.head.id: number for number, line in enumerate(lines)}
        for line in lines:
            head = line.head
            if head.kind == "change" and head.reverts is None:  # nearly all of them
                self.effects[head.id] = {head.id: False}
                self.last[head.id] = line
                self.undone[head.id] = False
            else:
                self._take_in(line)

    def _take_in(self, line: Line) -> None:
        head = line.head
        effects = self._effects(line)
        self.effects[head.id] = effects
        for root, is_undone in effects.items():
            self.last[root] = line
            self.undone[root] = is_undone
            if is_undone == self._starts_undone(root):
                self.reverters.pop(root, None)
            else:
                self.reverters[root] = head.id
        for token in _tokens(head.reverts):
            if head.kind == "redo" and self._starts_undone(token):
                self.reverters[token] = head.id

    def _starts_undone(self, name: str) -> bool:
        """Whether an operation is an undo itself."""
        line = self._find(name)
        return line is not None and line.head.kind == "undo"

    def _effects(self, line: Line) -> dict[str, bool]:
        head = line.head
        if head.kind in _SILENT:
            return {}
        tokens = _tokens(head.reverts)
        if not tokens or tokens[0].endswith(_PART):
            return {head.id: head.kind == "undo"}
        found: dict[str, bool] = {}
        for token in tokens:
            found |= self._effects_of(token, is_redo=head.kind == "redo")
        # Where what it names was pruned, the operation is the oldest that is left.
        return found or {head.id: head.kind == "undo"}

    def _effects_of(self, token: str, *, is_redo: bool) -> dict[str, bool]:
        name = token.removeprefix(_AGAIN)
        before = self._find(name)
        if before is None:
            return {}
        if name in self.effects and list(self.effects[name]) != [name]:
            return {root: not undone for root, undone in self.effects[name].items()}
        return {name: not (is_redo or token.startswith(_AGAIN))}

    def newest_first(self, *, undone: bool) -> Iterator[Line]:
        """The latest operation on each change that can be undone or, with *undone*, redone."""
        matching = {line.head.id: line for r, line in self.last.items() if self.undone[r] is undone}
        for name in sorted(matching, key=self.order.__getitem__, reverse=True):
            yield matching[name]

    def differing(self, lines: Sequence[Line], start: int) -> list[str]:
        """The changes that lines[start:] left in another state than before, newest first."""
        touched = {root for line in lines[start:] for root in self.effects[line.head.id]}
        # Made since: counts as taken back before. Of the others, the latest line says.
        older = {root for root in touched if self.order.get(root, start) < start}
        before = {root: not self._starts_undone(root) for root in touched - older}
        for number in range(start - 1, -1, -1):
            if not older:
                break
            for root, is_undone in self.effects[lines[number].head.id].items():
                if root in older:
                    older.discard(root)
                    before[root] = is_undone
        before |= dict.fromkeys(older, False)
        changed = [root for root, was in before.items() if was != self.undone[root]]
        return sorted(changed, key=self.moment, reverse=True)

    def moment(self, root: str) -> tuple[int, int]:
        """When a change that is done was made, or one that is taken back was taken back.

        The second number orders what one operation did.
        """
        if root in self.order and self.undone[root] == self._starts_undone(root):
            return self.order[root], 0
        last = self.last[root].head.id
        if last not in self._within:
            self._within[last] = {name: n for n, name in enumerate(self.effects[last])}
        return self.order[last], self._within[last][root]


def _tokens(reverts: str | None) -> list[str]:
    return reverts.split(",") if reverts else []
