"""What undo must do, written without Redline: files as lines with identities.

Every line that is ever written is an atom with a text of its own. A file keeps all its atoms in one
order, and a version of it is the set of those that are alive. Taking back a step from version T to
version B looks at the atoms that are alive in T, in B and now: they divide the file into stretches.
A stretch that is now as B has it becomes what T has; one that already is as T has it stays; any
other one refuses the undo as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Alive = frozenset[int]


class Refused(Exception):
    """The model refuses: something since is in the way."""


@dataclass
class File:
    """A file through all its names; `alive` is None while it does not exist."""

    path: str
    order: list[int] = field(default_factory=list)
    alive: Alive | None = None


@dataclass(frozen=True)
class Step:
    """One file went from one version to another, or from one name to another."""

    file: int
    before: Alive | None = None
    after: Alive | None = None
    renamed: tuple[str, str] | None = None
    # The name of the file when this was done; steps of a group are only joined under one name.
    path: str = ""

    def inverse(self) -> Step:
        names = None if self.renamed is None else (self.renamed[1], self.renamed[0])
        return Step(self.file, self.after, self.before, names, self.path)

    @property
    def is_edit(self) -> bool:
        return self.before is not None and self.after is not None


def in_reverse(steps: list[Step]) -> list[Step]:
    """The steps that take *steps* back, in order."""
    return [step.inverse() for step in reversed(steps)]


def without_region(step: Step, region: frozenset[int]) -> Step:
    """The step that takes back what an edit did to the atoms of one region alone."""
    assert step.before is not None
    assert step.after is not None
    wanted = step.after - region | (step.before & region)
    return Step(step.file, step.after, wanted, path=step.path)


def join(tasks: list[list[Step]]) -> list[Step]:
    """One list of steps for many; consecutive versions of a file count as one change of it."""
    joined: list[Step] = []
    latest: dict[str, int] = {}
    for steps in tasks:
        if not all(step.is_edit for step in steps):
            latest.clear()
            joined += steps
            continue
        for step in steps:
            at = latest.get(step.path)
            if at is not None and joined[at].after == step.before:
                joined[at] = Step(step.file, joined[at].before, step.after, path=step.path)
            else:
                latest[step.path] = len(joined)
                joined.append(step)
    return joined


@dataclass
class Model:
    """The workspace, and every operation on it."""

    files: list[File] = field(default_factory=list)
    atoms: int = 0
    operations: dict[str, list[Step]] = field(default_factory=dict)

    def contents(self) -> dict[str, list[str]]:
        """Every file that exists, as texts of lines."""
        return {
            file.path: [text_of(atom) for atom in file.order if atom in file.alive]
            for file in self.files
            if file.alive is not None
        }

    def existing(self) -> list[int]:
        return [n for n, file in enumerate(self.files) if file.alive is not None]

    def is_free(self, path: str) -> bool:
        return all(file.path != path for file in self.files if file.alive is not None)

    # -- changes ------------------------------------------------------------------------------

    def edit(self, number: int, start: int, end: int, added: int) -> Step:
        """Replace lines [start, end) of a file by new ones."""
        file = self.files[number]
        assert file.alive is not None
        living = [atom for atom in file.order if atom in file.alive]
        fresh = list(range(self.atoms, self.atoms + added))
        self.atoms += added
        at = file.order.index(living[start - 1]) + 1 if start else 0
        file.order[at:at] = fresh
        before = file.alive
        file.alive = before - set(living[start:end]) | set(fresh)
        return Step(number, before, file.alive, path=file.path)

    def create(self, path: str, lines: int) -> Step:
        self.files.append(File(path, alive=frozenset()))
        step = self.edit(len(self.files) - 1, 0, 0, lines)
        return Step(step.file, None, step.after, path=path)

    def delete(self, number: int) -> Step:
        file = self.files[number]
        before, file.alive = file.alive, None
        return Step(number, before, None, path=file.path)

    def rename(self, number: int, path: str) -> Step:
        file = self.files[number]
        old, file.path = file.path, path
        return Step(number, renamed=(old, path))

    # -- taking back --------------------------------------------------------------------------

    def carry_out(self, steps: list[Step]) -> list[Step]:
        """Carry steps over to what the files hold now, all or none; the steps that did it."""
        saved = [(file.path, file.alive) for file in self.files]
        done: list[Step] = []
        try:
            for step in steps:
                made = self._take(step)
                if made is not None:
                    done.append(made)
        except Refused:
            for file, (path, alive) in zip(self.files, saved, strict=True):
                file.path, file.alive = path, alive
            raise
        return done

    def _take(self, step: Step) -> Step | None:
        file = self.files[step.file]
        if step.renamed is not None:
            return self._take_rename(step, file)
        base, wanted, now = step.before, step.after, file.alive
        if now == wanted:
            return None
        if now == base:
            if base is None and not self.is_free(file.path):
                raise Refused
            file.alive = wanted
        elif base is None or wanted is None or now is None:
            raise Refused
        else:
            file.alive = _merge(file.order, base, wanted, now)
        return Step(step.file, now, file.alive, path=file.path)

    def _take_rename(self, step: Step, file: File) -> Step | None:
        assert step.renamed is not None
        source, target = step.renamed
        if file.path == target:
            return None
        if file.path != source or file.alive is None or not self.is_free(target):
            raise Refused
        file.path = target
        return step


def text_of(atom: int) -> str:
    """The text of an atom, which no other has."""
    return f"line {atom}\n"


def _merge(order: list[int], base: Alive, wanted: Alive, now: Alive) -> Alive:
    result: set[int] = set()
    stretch: list[int] = []
    for atom in [*order, -1]:
        is_common = atom in base and atom in wanted and atom in now
        if atom >= 0 and not is_common:
            stretch.append(atom)
            continue
        inside = frozenset(stretch)
        was, becomes, found = base & inside, wanted & inside, now & inside
        if was == found:
            result |= becomes
        elif was == becomes or becomes == found:
            result |= found
        else:
            raise Refused
        if atom >= 0:
            result.add(atom)
        stretch = []
    return frozenset(result)
