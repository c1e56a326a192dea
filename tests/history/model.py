"""What undo must do, written without Redline: files as lines with identities.

Every line that is ever written is an atom with a text of its own. A file keeps all its atoms in one
order, and a version of it is the set of those that are alive. Taking back a step from version T to
version B looks at the atoms that are alive in T, in B and now: they divide the file into stretches.
A stretch that is now as B has it becomes what T has; one that already is as T has it stays; any
other one refuses the undo as a whole.

A file and a folder have a place: a name in a folder. One that is removed keeps its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Alive = frozenset[int]
# A folder, None for the top, and a name.
Place = tuple[int | None, str]


class Refused(Exception):
    """The model refuses: something since is in the way."""


@dataclass
class File:
    """A file or folder through all its names; `alive` is None while it does not exist.

    For a folder `alive` holds one atom, which says how often it was made.
    """

    place: Place
    order: list[int] = field(default_factory=list)
    alive: Alive | None = None
    is_folder: bool = False


@dataclass(frozen=True)
class Step:
    """One file went from one version to another, or from one place to another."""

    file: int
    before: Alive | None = None
    after: Alive | None = None
    moved: tuple[Place, Place] | None = None

    def inverse(self) -> Step:
        places = None if self.moved is None else (self.moved[1], self.moved[0])
        return Step(self.file, self.after, self.before, places)

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
    return Step(step.file, step.after, step.after - region | (step.before & region))


def join(tasks: list[list[Step]]) -> list[Step]:
    """One list of steps for many; consecutive versions of a file count as one change of it.

    Whether they lead back in time or forth makes no difference: what is asked for is the change
    from the first to the last, and what happened in between is in nobody's way.
    """
    joined: list[Step] = []
    latest: dict[int, int] = {}
    for step in [step for steps in tasks for step in steps]:
        at = latest.get(step.file)
        if step.is_edit and at is not None and joined[at].after == step.before:
            joined[at] = Step(step.file, joined[at].before, step.after)
            continue
        if step.is_edit:
            latest[step.file] = len(joined)
        elif step.moved is None:
            latest.pop(step.file, None)
        joined.append(step)
    return joined


@dataclass
class Model:
    """The workspace, and every operation on it."""

    files: list[File] = field(default_factory=list)
    atoms: int = 0
    operations: dict[str, list[Step]] = field(default_factory=dict)

    def path(self, place: Place) -> str:
        """The path of a place, wherever its folder is."""
        folder, name = place
        return name if folder is None else f"{self.path(self.files[folder].place)}/{name}"

    def contents(self) -> dict[str, list[str]]:
        """Every file that exists, as texts of lines; a folder has a slash and none."""
        return {
            self.path(file.place) + "/" * file.is_folder: [
                text_of(atom) for atom in file.order if atom in file.alive
            ]
            for file in self.files
            if file.alive is not None
        }

    def existing(self, *, folders: bool = False) -> list[int]:
        """The files that exist, or the folders."""
        found = enumerate(self.files)
        return [n for n, file in found if file.alive is not None and file.is_folder is folders]

    def is_free(self, place: Place) -> bool:
        """Whether something can be put there."""
        folder = place[0]
        if folder is not None and self.files[folder].alive is None:
            return False
        return all(file.place != place for file in self.files if file.alive is not None)

    def is_empty(self, folder: int) -> bool:
        return all(file.place[0] != folder for file in self.files if file.alive is not None)

    def is_within(self, folder: int | None, outer: int) -> bool:
        """Whether a folder is *outer* or lies in it."""
        while folder is not None and folder != outer:
            folder = self.files[folder].place[0]
        return folder == outer

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
        return Step(number, before, file.alive)

    def create(self, place: Place, lines: int) -> Step:
        self.files.append(File(place, alive=frozenset()))
        step = self.edit(len(self.files) - 1, 0, 0, lines)
        return Step(step.file, None, step.after)

    def create_folder(self, place: Place) -> Step:
        """Make a folder; one that was there before is the same folder."""
        found = (n for n, file in enumerate(self.files) if file.is_folder and file.place == place)
        number = next(found, len(self.files))
        if number == len(self.files):
            self.files.append(File(place, is_folder=True))
        self.files[number].alive = frozenset({self.atoms})
        self.atoms += 1
        return Step(number, None, self.files[number].alive)

    def delete(self, number: int) -> Step:
        file = self.files[number]
        before, file.alive = file.alive, None
        return Step(number, before, None)

    def move(self, number: int, place: Place) -> Step:
        file = self.files[number]
        old, file.place = file.place, place
        return Step(number, moved=(old, place))

    # -- taking back --------------------------------------------------------------------------

    def carry_out(self, steps: list[Step]) -> list[Step]:
        """Carry steps over to what the files hold now, all or none; the steps that did it."""
        saved = [(file.place, file.alive) for file in self.files]
        done: list[Step] = []
        try:
            for step in steps:
                made = self._take(step)
                if made is not None:
                    done.append(made)
        except Refused:
            for file, (place, alive) in zip(self.files, saved, strict=True):
                file.place, file.alive = place, alive
            raise
        return self._net(done)

    def _net(self, steps: list[Step]) -> list[Step]:
        """Return what steps come to: neither what changed nothing, nor what was there in between.

        Steps about one file become one, as long as no folder was changed and nothing moved.
        """
        found: list[Step] = []
        latest: dict[int, int] = {}
        for step in steps:
            is_folder = self.files[step.file].is_folder
            is_removal = step.moved is None and step.after is None
            if is_folder and is_removal and self._undo_making(found, step.file):
                continue
            at = latest.get(step.file)
            if step.moved is not None or is_folder:
                latest.clear()
            elif at is None:
                latest[step.file] = len(found)
            else:
                found[at] = Step(step.file, found[at].before, step.after)
                continue
            found.append(step)
        return [step for step in found if step.moved or step.before != step.after]

    def _undo_making(self, steps: list[Step], folder: int) -> bool:
        """Empty the last of *steps* that made a folder, unless something was put there since."""
        for at in reversed(range(len(steps))):
            step = steps[at]
            if step.file == folder:
                is_made = step.moved is None and step.before is None
                if is_made:
                    steps[at] = Step(folder)
                return is_made
            if step.moved is None and step.before == step.after:
                continue
            places = [self.files[step.file].place] if step.moved is None else list(step.moved)
            if any(self.is_within(place[0], folder) for place in places):
                return False
        return False

    def _take(self, step: Step) -> Step | None:
        file = self.files[step.file]
        if step.moved is not None:
            return self._take_move(step, file)
        base, wanted, now = step.before, step.after, file.alive
        if now == wanted or (file.is_folder and now != base):
            return None  # a folder is there or not; how often it was made since does not matter
        if now == base:
            if base is None and not self.is_free(file.place):
                raise Refused
            if wanted is None and file.is_folder and not self.is_empty(step.file):
                raise Refused
            file.alive = wanted
        elif base is None or wanted is None or now is None:
            raise Refused
        else:
            file.alive = _merge(file.order, base, wanted, now)
        return Step(step.file, now, file.alive)

    def _take_move(self, step: Step, file: File) -> Step | None:
        assert step.moved is not None
        source, target = step.moved
        if file.place == target:
            return None
        if file.place != source or file.alive is None or not self.is_free(target):
            raise Refused
        if file.is_folder and self.is_within(target[0], step.file):
            raise Refused
        file.place = target
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
