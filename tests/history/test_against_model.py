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
from tests.history.model import Model, Refused, Step
from tests.support import LONG

COUNT = 10_000 if LONG else 60
NAMES = ["a", "b", "c", "d", "e"]
AGENTS = ["one", "two"]


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
        kind = self.rng.choices(["edit", "create", "delete", "rename"], [12, 2, 1, 2])[0]
        free = [name for name in NAMES if self.model.is_free(name)]
        existing = self.model.existing()
        if kind == "create" and free:
            steps.append(self.model.create(self.rng.choice(free), self.rng.randint(5, 30)))
        elif kind == "delete" and len(existing) > 1:
            steps.append(self.model.delete(self.rng.choice(existing)))
        elif kind == "rename" and free and existing:
            number, target = self.rng.choice(existing), self.rng.choice(free)
            renames.append(self.bench.move(self.model.files[number].path, target))
            steps.append(self.model.rename(number, target))
        else:
            count = min(len(existing), self.rng.choice([1, 1, 2]))
            steps += [self._edit(number) for number in self.rng.sample(existing, count)]
        operation = self._commit(agent, before, renames)
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
        taken = self.last[change] if is_undone else change
        self._revert(request, [self.model.operations[taken]], {change: not is_undone})

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
        made = self._revert(request, [chosen], {})
        if made is not None:
            self._revert(Revert(Direction.UNDO, (made,)), [self.model.operations[made]], {})

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
        """Take back what a session did, or everything since a change."""
        if any(last != change for change, last in self.last.items()):
            return  # mixed with undos and redos it is tested apart
        agent = self.rng.choice([*AGENTS, None])
        start = self.rng.choice([None, *self.changes])
        by = None if agent is None else Author(session=agent)
        ids = list(self.bench.history.changed_since(start, by))
        later = self.changes[0 if start is None else self.changes.index(start) + 1 :]
        expected = [c for c in reversed(later) if agent in (None, self.makers[c])]
        assert ids == expected
        if not ids:
            return
        operations = [self.model.operations[each] for each in ids]
        request = Revert(Direction.REWIND, tuple(ids))
        made = self._revert(request, operations, {}, group=True)
        if made is not None:
            self._revert(Revert(Direction.REDO, (made,)), [self.model.operations[made]], {})

    def _revert(
        self,
        request: Revert,
        operations: list[list[Step]],
        becomes: dict[str, bool],
        *,
        group: bool = False,
    ) -> str | None:
        before = self._on_disk()
        try:
            steps = self.model.apply_inverse(*operations)
        except Refused:
            self._expect_refusal(request, before, group=group)
            return None
        try:
            done = self.bench.editor.revert(request, Origin("undo", "agent", "", "", "one"))
        except UndoBlocked:
            raise AssertionError("refused although nothing is in the way") from None
        self.check()
        self.model.operations[done.id] = steps
        for change, undone in becomes.items():
            self.last[change], self.undone[change] = done.id, undone
        self.counts["merged" if done.merged else "exact"] += 1
        return done.id

    def _expect_refusal(
        self, request: Revert, before: dict[str, list[str]], *, group: bool
    ) -> None:
        self.counts["refused"] += 1
        if group:
            # Consecutive changes of one file are taken back at once, which refuses less often;
            # planned only, so that both stay in step.
            try:
                self.bench.editor.plan_revert(request)
            except UndoBlocked:
                pass
        else:
            with pytest.raises(UndoBlocked):
                self.bench.editor.revert(request, Origin("undo"))
        assert self._on_disk() == before


def run_history(seed: int) -> Counter[str]:
    """Carry out one random history and compare after every step."""
    rng = random.Random(seed)
    top = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    run = Run(rng, top)
    try:
        run.check()
        for _ in range(rng.randint(3, 14)):
            what = rng.choices(["change", "person", "flip", "part", "group"], [8, 2, 5, 2, 2])[0]
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
