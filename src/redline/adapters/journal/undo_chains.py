"""Which changes each operation makes, undoes or redoes, and which of them are undone now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from redline.adapters.journal.records import Line
from redline.core.ports.history import SILENT_KINDS

_AGAIN, _PART = "+", "~"


class UndoChains:
    """The state of every change as of one moment of the journal.

    A change is named by its own operation, its root. A part that was taken back is a root too.
    Only the *special* operations are looked at: every other one is a change that is done, unless
    one of these undid it.
    """

    def __init__(
        self,
        special: Sequence[Line],
        ids: Sequence[str],
        order: Mapping[str, int],
        find: Callable[[str], Line | None],
    ) -> None:
        self._ids = ids
        self.order = order
        self._find = find
        # For each special operation the roots it touches, and whether they are undone after it.
        self._effects: dict[str, dict[str, bool]] = {}
        self._last: dict[str, str] = {}
        self._undone: dict[str, bool] = {}
        self.reverters: dict[str, str] = {}
        # The roots of an operation and where they are in it, of those that were asked for.
        self._within: dict[str, dict[str, int]] = {}
        for line in special:
            self._take_in(line)

    def effects_of(self, name: str) -> Mapping[str, bool]:
        """Return the roots that an operation touches, and whether they are undone after it."""
        found = self._effects.get(name)
        return {name: False} if found is None else found

    def last(self, root: str) -> str:
        """Return the latest operation on a change."""
        return self._last.get(root, root)

    def is_undone(self, root: str) -> bool:
        """Return whether a change is undone now."""
        return self._undone.get(root, False)

    def _take_in(self, line: Line) -> None:
        head = line.head
        effects = self._effects_of_line(line)
        self._effects[head.id] = effects
        for root, is_undone in effects.items():
            self._last[root] = head.id
            self._undone[root] = is_undone
            if is_undone == self._starts_undone(root):
                self.reverters.pop(root, None)
            else:
                self.reverters[root] = head.id
        for token in _tokens(head.reverts):
            if head.kind == "redo" and self._starts_undone(token):
                self.reverters[token] = head.id

    def _starts_undone(self, name: str) -> bool:
        """Return whether an operation is an undo itself."""
        line = self._find(name)
        return line is not None and line.head.kind == "undo"

    def _effects_of_line(self, line: Line) -> dict[str, bool]:
        head = line.head
        if head.kind in SILENT_KINDS:
            return {}
        tokens = _tokens(head.reverts)
        if not tokens or tokens[0].endswith(_PART):
            return {head.id: head.kind == "undo"}
        found: dict[str, bool] = {}
        for token in tokens:
            found |= self._effects_of_token(token, is_redo=head.kind == "redo")
        # Where what it names was pruned, the operation is the oldest that is left.
        return found or {head.id: head.kind == "undo"}

    def _effects_of_token(self, token: str, *, is_redo: bool) -> dict[str, bool]:
        name = token.removeprefix(_AGAIN)
        before = self._find(name)
        if before is None:
            return {}
        if name in self._effects and list(self._effects[name]) != [name]:
            return {root: not undone for root, undone in self._effects[name].items()}
        return {name: not (is_redo or token.startswith(_AGAIN))}

    def newest_first(self, *, undone: bool) -> Iterator[str]:
        """The latest operation on each change that can be undone or, with *undone*, redone."""
        for name in reversed(self._ids):
            roots = self.effects_of(name)
            if any(self.last(root) == name and self.is_undone(root) is undone for root in roots):
                yield name

    def differing(self, start: int) -> list[str]:
        """The changes that operations from *start* on left in another state, newest first."""
        touched = {root for name in self._ids[start:] for root in self.effects_of(name)}
        # Made since: counts as taken back before. Of the others, the latest operation says.
        older = {root for root in touched if self.order.get(root, start) < start}
        before = {root: not self._starts_undone(root) for root in touched - older}
        for name in reversed(self._effects):
            if not older:
                break
            if self.order[name] < start:
                for root, is_undone in self._effects[name].items():
                    if root in older:
                        older.discard(root)
                        before[root] = is_undone
        before |= dict.fromkeys(older, False)
        changed = [root for root, was in before.items() if was != self.is_undone(root)]
        return sorted(changed, key=self.moment, reverse=True)

    def moment(self, root: str) -> tuple[int, int]:
        """Return when a change that is done was made, or one that is taken back was taken back.

        The second number orders what one operation did.
        """
        if root in self.order and self.is_undone(root) == self._starts_undone(root):
            return self.order[root], 0
        last = self.last(root)
        if last not in self._within:
            self._within[last] = {name: n for n, name in enumerate(self.effects_of(last))}
        return self.order[last], self._within[last][root]


def _tokens(reverts: str | None) -> list[str]:
    return reverts.split(",") if reverts else []
