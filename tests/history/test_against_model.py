"""Random histories of several agents and a person, undone in any order, beside the model.

python -m tests.history.test_against_model 10000 [SEED]
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, Rename
from redline.core.errors import AlreadyUndone, NothingToUndo, UndoBlocked
from redline.core.ports.history import Author, Direction, Origin, Revert
from tests.engine.bench import Bench
from tests.history.model import Model, Refused, Step, in_reverse, join, without_region
from tests.support import LONG

COUNT = 10_000 if LONG else 60
NAMES = ["a", "b", "c", "d", "e"]
AGENTS = ["one", "two"]
# Undos and redos are a third client's, so that they belong to nobody's session.
PERSON = "person"
UNDOER = Origin("undo", "command line", "", "", PERSON)


class Run:
    """One history, carried out by Redline and by the model."""

    def __init__(self, rng: random.Random, top: str) -> None:
        self.rng = rng
        root = Path(top, "ws")
        root.mkdir()
        self.bench = Bench(root, state_dir=os.path.join(top, "state"))
        self.model = Model()
        self.changes: list[str] = []
        self.makers: dict[str, str] = {}
        # The latest operation on each change, and whether it is undone.
        self.last: dict[str, str] = {}
        self.undone: dict[str, bool] = {}
        # Every operation on changes in turn, and what it made of them.
        self.journal: list[tuple[str, dict[str, bool]]] = []
        # Changes whose latest operation was about others too.
        self.grouped: set[str] = set()
        # What taking back each hunk of a change means, as its diff numbers them.
        self.hunks: dict[str, list[Step]] = {}
        self.counts: Counter[str] = Counter()
        for name in NAMES[:2]:
            self.model.create(name, 30)
        self._save_as_person()

    def close(self) -> None:
        self.bench.app.close()

    def check(self) -> None:
        """Both have the same files."""
        assert self._on_disk() == self.model.contents()

    def _on_disk(self) -> dict[str, list[str]]:
        paths = self.bench.root.iterdir()
        return {path.name: path.read_text().splitlines(keepends=True) for path in paths}

    def _save_as_person(self) -> None:
        """Write the model's files past Redline."""
        wanted = self.model.contents()
        for path in self.bench.root.iterdir():
            if path.name not in wanted:
                path.unlink()
        for name, lines in wanted.items():
            (self.bench.root / name).write_text("".join(lines))

    # -- changes ------------------------------------------------------------------------------

    def change(self) -> None:
        """An agent changes something, perhaps two files at once."""
        agent = self.rng.choice(AGENTS)
        before = self.model.contents()
        steps: list[Step] = []
        renames: list[Rename] = []
        hunks: list[Step] = []
        kind = self.rng.choices(["edit", "create", "delete", "rename"], [12, 2, 1, 2])[0]
        free = [name for name in NAMES if self.model.is_free(name)]
        existing = self.model.existing()
        if not existing or (kind == "create" and free):
            steps.append(self.model.create(self.rng.choice(free), self.rng.randint(5, 30)))
        elif kind == "delete" and len(existing) > 1:
            steps.append(self.model.delete(self.rng.choice(existing)))
        elif kind == "rename" and free and existing:
            number, target = self.rng.choice(existing), self.rng.choice(free)
            renames.append(self.bench.move(self.model.files[number].path, target))
            steps.append(self.model.rename(number, target))
        else:
            count = min(len(existing), self.rng.choice([1, 1, 2]))
            chosen = self.rng.sample(existing, count)
            chosen.sort(key=lambda number: self.model.files[number].path)
            edits = [self._edit_twice(number) for number in chosen]
            steps += [step for step, _ in edits]
            hunks = [hunk for _, found in edits for hunk in found]
        operation = self._commit(agent, before, renames)
        self.hunks[operation] = hunks
        self.journal.append((operation, {operation: False}))
        self.model.operations[operation] = steps
        self.changes.append(operation)
        self.makers[operation] = agent
        self.last[operation], self.undone[operation] = operation, False
        self.counts["change"] += 1

    def _edit(self, number: int) -> Step:
        size = len(self.model.files[number].alive or ())
        start = self.rng.randint(0, size)
        end = min(size, start + self.rng.choice([0, 1, 1, 2, 3]))
        added = self.rng.choice([0, 1, 1, 2, 3]) or (0 if end > start else 1)
        return self.model.edit(number, start, end, added)

    def _edit_twice(self, number: int) -> tuple[Step, list[Step]]:
        """Edit a file in one or two regions; the step, and what takes back each hunk of it."""
        file = self.model.files[number]
        first = self._edit(number)
        size = len(file.alive or ())
        assert first.before is not None
        assert first.after is not None
        living = [atom for atom in file.order if atom in (file.alive or ())]
        changed = [n for n, atom in enumerate(living) if atom not in first.before]
        end = max(changed, default=-1)
        if end < 0 or end + 12 > size or self.rng.random() < 0.5:
            return first, [Step(number, first.after, first.before, path=first.path)]
        start = self.rng.randint(end + 9, size - 1)
        second = self.model.edit(number, start, start + 1, self.rng.choice([0, 1, 2]))
        whole = Step(number, first.before, second.after, path=first.path)
        assert second.after is not None
        regions = (first.before ^ first.after, first.after ^ second.after)
        return whole, [without_region(whole, frozenset(region)) for region in regions]

    def _commit(self, agent: str, before: dict[str, list[str]], renames: list[Rename]) -> str:
        steps: list[Change | Rename] = list(renames)
        if not renames:
            after = self.model.contents()
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    path = self.bench.at(name)
                    new = FileState.of("".join(after[name]).encode()) if name in after else ABSENT
                    steps.append(Change(path, self.bench.tree.state(path), new))
        origin = Origin("edit", "agent", "", "", agent)
        return self.bench.editor.commit(ChangeSet(tuple(steps)), origin).id

    def person(self) -> None:
        """A person edits by hand."""
        existing = self.model.existing()
        if existing:
            self._edit(self.rng.choice(existing))
            self._save_as_person()
            self.counts["person"] += 1

    # -- taking back --------------------------------------------------------------------------

    def flip(self, change: str) -> None:
        """Undo a change that is done, or redo one that is undone."""
        is_undone = self.undone[change]
        direction = Direction.REDO if is_undone else Direction.UNDO
        request = Revert(direction, (change,))
        made = self._revert(request, self._flipped(change))
        if made is not None:
            self.last[change], self.undone[change] = made, not is_undone
            self.grouped.discard(change)
            self.journal.append((made, {change: not is_undone}))

    def _flipped(self, change: str) -> list[Step]:
        """The steps that turn a change into the state it is not in."""
        if not self.undone[change]:
            return in_reverse(self.model.operations[change])
        if change in self.grouped:
            return self.model.operations[change]
        return in_reverse(self.model.operations[self.last[change]])

    def part(self, change: str) -> None:
        """Undo the changes of one file alone, and take that back at once."""
        steps = self.model.operations[change]
        files = {step.file for step in steps}
        if len(files) < 2 or self.undone[change] or self.last[change] != change:
            return
        number = min(files)
        if self.model.files[number].path not in NAMES:
            return
        # Paths are those the operation had.
        chosen = [step for step in steps if step.file == number]
        step = self.bench.app._store.peek(change).change_set.steps[0]
        assert isinstance(step, Change)
        first = step.path
        if self._path_then(change, number) != first.name:
            return
        request = Revert(Direction.UNDO, (change,), paths=(first,))
        self._there_and_back(request, in_reverse(chosen))

    def hunk(self, change: str) -> None:
        """Undo one hunk of a change alone, and take that back at once."""
        if self.undone[change] or self.last[change] != change or len(self.hunks[change]) < 2:
            return
        number = self.rng.randrange(len(self.hunks[change]))
        request = Revert(Direction.UNDO, (change,), hunks=frozenset({number + 1}))
        if self._there_and_back(request, [self.hunks[change][number]]):
            self.counts["hunk"] += 1

    def _there_and_back(self, request: Revert, steps: list[Step]) -> bool:
        made = self._revert(request, steps)
        if made is None:
            return False
        back = Revert(Direction.UNDO, (made,))
        assert self._revert(back, in_reverse(self.model.operations[made])) is not None
        return True

    def _path_then(self, change: str, number: int) -> str:
        """The name a file had at a change, if no later change renamed it."""
        renamed = [
            step
            for later in self.changes[self.changes.index(change) :]
            for step in self.model.operations[later]
            if step.file == number and step.renamed
        ]
        return "" if renamed else self.model.files[number].path

    def group(self) -> None:
        """Go back to a point, or take back what a session did, and take that back at once."""
        agent = self.rng.choice([*AGENTS, None])
        start = self.rng.randint(0, len(self.journal))
        by = None if agent is None else Author(session=agent)
        since = self.journal[start - 1][0] if start else None
        ids = list(self.bench.history.changed_since(since, by))
        assert ids == self._expected_group(start, agent)
        if not ids:
            return
        request = Revert(Direction.REWIND, tuple(ids))
        made = self._revert(request, join([self._flipped(change) for change in ids]))
        if made is None:
            return
        self.counts["group"] += 1
        back = Revert(Direction.REDO, (made,))
        again = self._revert(back, in_reverse(self.model.operations[made]))
        assert again is not None
        # A group of one counts as an undo or redo of that change alone.
        self.grouped = self.grouped | set(ids) if len(ids) > 1 else self.grouped - set(ids)
        self.journal.append((again, {}))
        for change in ids:
            if self.undone[change]:
                self.last[change] = again

    def _expected_group(self, start: int, agent: str | None) -> list[str]:
        """Which changes are not in the state they were in then, those touched last first."""
        then = dict.fromkeys(self.changes, True)  # what was not made yet counts as undone
        for _, effects in self.journal[:start]:
            then |= effects
        later = [name for name, _ in self.journal[start:]]
        differing = [change for change in self.changes if then[change] != self.undone[change]]
        touched = {change: self.last[change] for change in differing if self.undone[change]}
        order = [name for name, _ in self.journal]
        found = []
        for change in differing:
            maker = self.makers[change] if change in later else PERSON
            if agent in (None, maker):
                found.append(change)
        return sorted(found, key=lambda c: order.index(touched.get(c, c)), reverse=True)

    def _revert(self, request: Revert, wanted: list[Step]) -> str | None:
        before = self._on_disk()
        try:
            steps = self.model.carry_out(wanted)
        except Refused:
            self.counts["refused"] += 1
            with pytest.raises(UndoBlocked):
                self.bench.editor.revert(request, UNDOER)
            assert self._on_disk() == before
            return None
        try:
            done = self.bench.editor.revert(request, UNDOER)
        except UndoBlocked:
            raise AssertionError("refused although nothing is in the way") from None
        self.check()
        self.model.operations[done.id] = steps
        self.counts["merged" if done.merged else "exact"] += 1
        return done.id


def run_history(seed: int) -> Counter[str]:
    """Carry out one random history and compare after every step."""
    rng = random.Random(seed)
    top = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    run = Run(rng, top)
    try:
        run.check()
        for _ in range(rng.randint(3, 14)):
            kinds = ["change", "person", "flip", "part", "hunk", "group"]
            what = rng.choices(kinds, [8, 2, 5, 2, 2, 3])[0]
            if what == "change" or not run.changes:
                run.change()
            elif what == "person":
                run.person()
            elif what == "group":
                run.group()
            else:
                getattr(run, what)(rng.choice(run.changes))
            run.check()
        _redo_everything(run)
    finally:
        run.close()
        shutil.rmtree(top, ignore_errors=True)
    return run.counts


def _redo_everything(run: Run) -> None:
    """Undone newest first as far as possible and redone again, the end state comes back."""
    if any(run.undone.values()):
        return
    end = run._on_disk()
    taken: list[str] = []
    for change in reversed(run.changes):
        before = Counter(run.counts)
        run.flip(change)
        if run.counts["refused"] > before["refused"]:
            break
        taken.append(change)
    for change in reversed(taken):
        run.flip(change)
    assert run._on_disk() == end


@pytest.mark.requirement("history-undo-model")
def test_random_histories_agree_with_the_model() -> None:
    totals: Counter[str] = Counter()
    for seed in range(COUNT):
        try:
            totals += run_history(seed)
        except (AssertionError, AlreadyUndone, NothingToUndo) as error:
            raise AssertionError(f"history {seed}: {error}") from error
    assert totals["merged"] > COUNT / 4
    assert totals["refused"] > COUNT / 10
    assert totals["hunk"] > COUNT / 20
    assert totals["group"] > COUNT / 4


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found: Counter[str] = Counter()
    for number in range(first, first + int(sys.argv[1])):
        try:
            found += run_history(number)
        except Exception as failure:
            print(number, type(failure).__name__, str(failure)[:300])
            found["wrong"] += 1
    print(dict(found))
