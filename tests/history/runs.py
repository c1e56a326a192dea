"""One random history, carried out by Redline and by the model beside it."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, Rename, State
from redline.core.errors import AlreadyUndone, UndoBlocked
from redline.core.ports.history import Author, Direction, Origin, Revert
from tests.engine.bench import Bench
from tests.history.model import Model, Place, Refused, Step, in_reverse, join, without_region

NAMES = ["a", "b", "c", "d", "e"]
AGENTS = ["one", "two"]
# Undos and redos are a third client's, so that they belong to nobody's session.
PERSON = "person"
UNDOER = Origin("undo", "command line", "", "", PERSON)

CHANGES = ["edit", "create", "delete", "move", "make folder", "remove folder", "move folder"]
CALM, RESTLESS = [24, 4, 2, 4, 1, 1, 2], [8, 4, 4, 6, 3, 2, 4]
ACTIONS = ["change", "person", "flip", "part", "hunk", "group", "regroup"]


class Run:
    """One history; `check` compares the two sides."""

    def __init__(self, rng: random.Random, top: str) -> None:
        self.rng = rng
        root = Path(top, "ws")
        root.mkdir()
        self.bench = Bench(root, state_dir=os.path.join(top, "state"))
        self.model = Model()
        self.weights = rng.choice([CALM, RESTLESS])
        # Changes, and parts of changes that were taken back: these start undone.
        self.changes: list[str] = []
        self.parts: set[str] = set()
        self.makers: dict[str, str] = {}
        # The latest operation on each change, and whether it is undone.
        self.last: dict[str, str] = {}
        self.undone: dict[str, bool] = {}
        # Every operation in turn, and what it made of which changes.
        self.journal: dict[str, dict[str, bool]] = {}
        # What taking back each hunk of a change means, as its diff numbers them.
        self.hunks: dict[str, list[Step]] = {}
        self.counts: Counter[str] = Counter()
        for name in NAMES[:2]:
            self.model.create((None, name), 30)
        self._save_as_person()

    def close(self) -> None:
        self.bench.app.close()

    def check(self) -> None:
        """Both have the same files."""
        assert self.on_disk() == self.model.contents()

    def on_disk(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.bench.root.rglob("*"):
            name = str(path.relative_to(self.bench.root))
            if path.is_dir():
                found[name + "/"] = []
            else:
                found[name] = path.read_text().splitlines(keepends=True)
        return found

    def _save_as_person(self) -> None:
        """Write the model's files past Redline; a person makes and removes none."""
        for name, lines in self.model.contents().items():
            if not name.endswith("/"):
                (self.bench.root / name).write_text("".join(lines))

    def _remember(self, operation: str, effects: dict[str, bool], steps: list[Step]) -> None:
        self.journal[operation] = effects
        self.model.operations[operation] = steps
        for change, is_undone in effects.items():
            self.last[change], self.undone[change] = operation, is_undone

    # -- changes ------------------------------------------------------------------------------

    def change(self) -> None:
        """An agent changes something, perhaps two files at once."""
        agent = self.rng.choice(AGENTS)
        kind = self.rng.choices(CHANGES, self.weights)[0]
        before = self.model.contents()
        hunks: list[Step] = []
        made = self._restructure(kind)
        if made is None:
            made, hunks = self._edit_some()
        moved = [step for step in made if step.moved]
        changes = [] if moved else self._differences(before)
        renames = [self._rename(step) for step in moved]
        origin = Origin("edit", "agent", "", "", agent)
        operation = self.bench.editor.commit(ChangeSet((*renames, *changes)), origin).id
        self.hunks[operation] = hunks
        self.changes.append(operation)
        self.makers[operation] = agent
        self._remember(operation, {operation: False}, made)
        self.counts["change"] += 1
        self.counts[kind] += 1

    def _restructure(self, kind: str) -> list[Step] | None:
        """Make, move or remove something; None if that cannot be done, or is not asked for."""
        files, folders = self.model.existing(), self.model.existing(folders=True)
        free = [place for folder in [None, *folders] for place in self._free_in(folder)]
        empty = [number for number in folders if self.model.is_empty(number)]
        if not files or (kind == "create" and free):
            return [self.model.create(self.rng.choice(free), self.rng.randint(5, 30))]
        if kind == "delete" and len(files) > 1:
            return [self.model.delete(self.rng.choice(files))]
        if kind == "move" and free:
            return [self.model.move(self.rng.choice(files), self.rng.choice(free))]
        if kind == "make folder" and free and len(folders) < 4:
            return [self.model.create_folder(self.rng.choice(free))]
        if kind == "remove folder" and empty:
            return [self.model.delete(self.rng.choice(empty))]
        if kind == "move folder" and folders:
            number = self.rng.choice(folders)
            outside = [place for place in free if not self.model.is_within(place[0], number)]
            return [self.model.move(number, self.rng.choice(outside))] if outside else None
        return None

    def _free_in(self, folder: int | None) -> list[Place]:
        places: list[Place] = [(folder, name) for name in NAMES]
        return [place for place in places if self.model.is_free(place)]

    def _rename(self, step: Step) -> Rename:
        """The rename of a move that the model has carried out already."""
        assert step.moved is not None
        source, target = (self.model.path(place) for place in step.moved)
        return self.bench.move(source, target)

    def _edit_some(self) -> tuple[list[Step], list[Step]]:
        """Edit one or two files; the steps, and what takes back each hunk."""
        existing = self.model.existing()
        count = min(len(existing), self.rng.choice([1, 1, 2]))
        chosen = self.rng.sample(existing, count)
        chosen.sort(key=lambda number: self.model.path(self.model.files[number].place))
        edits = [self._edit_twice(number) for number in chosen]
        return [step for step, _ in edits], [hunk for _, hunks in edits for hunk in hunks]

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
            return first, [first.inverse()]
        start = self.rng.randint(end + 9, size - 1)
        second = self.model.edit(number, start, start + 1, self.rng.choice([0, 1, 2]))
        assert second.after is not None
        whole = Step(number, first.before, second.after)
        regions = (first.before ^ first.after, first.after ^ second.after)
        return whole, [without_region(whole, frozenset(region)) for region in regions]

    def _differences(self, before: dict[str, list[str]]) -> list[Change]:
        after = self.model.contents()
        changes = []
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) == after.get(name):
                continue
            path = self.bench.at(name.rstrip("/"))
            new: State = ABSENT
            if name in after:
                text = "".join(after[name]).encode()
                new = DirState() if name.endswith("/") else FileState.of(text)
            changes.append(Change(path, self.bench.tree.state(path), new))
        return changes

    def person(self) -> None:
        """A person edits by hand."""
        existing = self.model.existing()
        if existing:
            self._edit(self.rng.choice(existing))
            self._save_as_person()
            self.counts["person"] += 1

    # -- taking back --------------------------------------------------------------------------

    def flip(self) -> None:
        """Undo a change that is done, or redo one that is undone."""
        self.flip_one(self.rng.choice(self.changes))

    def flip_one(self, change: str) -> None:
        is_undone = self.undone[change]
        direction = Direction.REDO if is_undone else Direction.UNDO
        made = self._revert(Revert(direction, (change,)), self._flipped(change))
        if made is not None:
            self._remember(made[0], {change: not is_undone}, made[1])

    def _flipped(self, change: str) -> list[Step]:
        """The steps that turn a change into the state it is not in."""
        last = self.last[change]
        if self.undone[change] and len(self.journal[last]) == 1:
            return in_reverse(self.model.operations[last])
        if self.undone[change] == (change in self.parts):
            return in_reverse(self.model.operations[change])
        return self.model.operations[change]

    def part(self) -> None:
        """Undo the changes of one file alone."""
        change = self.rng.choice(self.changes)
        steps = self.model.operations[change]
        if len({step.file for step in steps}) < 2 or not self._is_untouched(change):
            return
        recorded = self.bench.app._store.peek(change).change_set.steps[0]
        assert isinstance(recorded, Change)
        request = Revert(Direction.UNDO, (change,), paths=(recorded.path,))
        self._take_part(request, steps[0].inverse(), "part")

    def hunk(self) -> None:
        """Undo one hunk of a change alone."""
        change = self.rng.choice(self.changes)
        if not self._is_untouched(change) or len(self.hunks[change]) < 2:
            return
        number = self.rng.randrange(len(self.hunks[change]))
        request = Revert(Direction.UNDO, (change,), hunks=frozenset({number + 1}))
        self._take_part(request, self.hunks[change][number], "hunk")

    def _is_untouched(self, change: str) -> bool:
        return self.last[change] == change and change not in self.parts

    def _take_part(self, request: Revert, step: Step, what: str) -> None:
        """Take a part back and, most of the time, take that back at once."""
        made = self._revert(request, [step])
        if made is None:
            return
        self.counts[what] += 1
        part = made[0]
        self.changes.append(part)
        self.parts.add(part)
        self.makers[part] = PERSON
        self._remember(part, {part: True}, made[1])
        if self.rng.random() < 0.6:
            again = self._revert(Revert(Direction.UNDO, (part,)), in_reverse(made[1]))
            assert again is not None
            self._remember(again[0], {part: False}, again[1])

    def group(self) -> None:
        """Go back to a point, or take back what a session did; often take that back at once."""
        agent = self.rng.choice([*AGENTS, None])
        names = list(self.journal)
        start = self.rng.randint(0, len(names))
        by = None if agent is None else Author(session=agent)
        ids = list(self.bench.history.changed_since(names[start - 1] if start else None, by))
        assert ids == self._expected_group(start, agent)
        if not ids:
            return
        wanted = join([self._flipped(change) for change in ids])
        made = self._revert(Revert(Direction.REWIND, tuple(ids)), wanted)
        if made is None:
            return
        self.counts["group"] += 1
        group, steps = made
        self._remember(group, {change: not self.undone[change] for change in ids}, steps)
        if self.rng.random() < 0.6:
            again = self._revert(Revert(Direction.REDO, (group,)), in_reverse(steps))
            assert again is not None
            effects = {change: not self.undone[change] for change in ids}
            self._remember(again[0], effects, again[1])

    def regroup(self) -> None:
        """Redo what is still undone of a group, or undo what is still done of a redone one."""
        groups = [name for name, effects in self.journal.items() if len(effects) > 1]
        if not groups:
            return
        group = self.rng.choice(groups)
        changes = list(self.journal[group])
        is_whole = all(self.last[change] == group for change in changes)
        request = Revert(Direction.REDO, (group,))
        undone = sorted((c for c in changes if self.undone[c]), key=self._moment, reverse=True)
        is_undo = self.bench.history.get(group).kind == "undo"
        if is_whole and is_undo:
            wanted, turned = in_reverse(self.model.operations[group]), changes
        elif undone:
            wanted, turned = join([self._flipped(change) for change in undone]), undone
        else:
            self._check_refused(request, AlreadyUndone)
            return
        made = self._revert(request, wanted)
        if made is not None:
            self.counts["regroup"] += 1
            effects = {change: not self.undone[change] for change in turned}
            self._remember(made[0], effects, made[1])

    def _expected_group(self, start: int, agent: str | None) -> list[str]:
        """Which changes are not in the state they were in then, those touched last first."""
        then = {change: change not in self.parts for change in self.changes}
        names = list(self.journal)
        for name in names[:start]:
            then |= self.journal[name]
        found = []
        for change in self.changes:
            maker = self.makers[change] if change in names[start:] else PERSON
            if then[change] != self.undone[change] and agent in (None, maker):
                found.append(change)
        return sorted(found, key=self._moment, reverse=True)

    def _moment(self, change: str) -> tuple[int, int]:
        """When a change that is done was made, or one that is taken back was taken back."""
        is_as_made = self.undone[change] == (change in self.parts)
        name = change if is_as_made else self.last[change]
        return list(self.journal).index(name), list(self.journal[name]).index(change)

    def _check_refused(self, request: Revert, error: type[Exception]) -> None:
        try:
            self.bench.editor.revert(request, UNDOER)
        except error:
            return
        raise AssertionError("not refused although something is in the way")

    def _revert(self, request: Revert, wanted: list[Step]) -> tuple[str, list[Step]] | None:
        before = self.on_disk()
        try:
            steps = self.model.carry_out(wanted)
        except Refused:
            self.counts["refused"] += 1
            self._check_refused(request, UndoBlocked)
            assert self.on_disk() == before
            return None
        try:
            done = self.bench.editor.revert(request, UNDOER)
        except UndoBlocked as error:
            raise AssertionError(f"refused although nothing is in the way: {error}") from None
        self.check()
        self.counts["merged" if done.merged else "exact"] += 1
        return done.id, steps


def run_history(seed: int) -> Counter[str]:
    """Carry out one random history and compare after every step."""
    rng = random.Random(seed)
    top = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    run = Run(rng, top)
    try:
        run.check()
        for _ in range(rng.choice([rng.randint(3, 14), rng.randint(8, 30)])):
            action = rng.choices(ACTIONS, [8, 2, 5, 2, 2, 3, 2])[0]
            getattr(run, action if run.changes else "change")()
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
    end = run.on_disk()
    taken: list[str] = []
    for change in reversed(run.changes):
        before = run.counts["refused"]
        run.flip_one(change)
        if run.counts["refused"] > before:
            break
        taken.append(change)
    for change in reversed(taken):
        run.flip_one(change)
    assert run.on_disk() == end
