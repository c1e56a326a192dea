"""Judge a change set, beneath its locks, by the rules of the policy.

Every place is judged by its real name: no directory on the way is opened through a link. What a
move takes along is judged at both ends.
"""

from __future__ import annotations

import stat as modes
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from redline.adapters.files.disk import Disk
from redline.adapters.files.own_places import split_path
from redline.adapters.files.tree_walk import walk_down
from redline.adapters.files.workspace import FOREIGN, DiskWorkspace
from redline.core.changes import (
    Absent,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.errors import HistoryError, RuleAsks, RuleDenied
from redline.core.once import built_once
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.confined import Confined
from redline.core.ports.history import ChangePermits, Origin
from redline.core.ports.review import Action, Ruling
from redline.core.ports.tree import Kind
from redline.policy.adapters.policy_file import PolicyFile
from redline.policy.judging import Content, Judge, Place, Unknown, explain
from redline.policy.model import DAY, Policy, Size
from redline.policy.ports import RuleReport

if TYPE_CHECKING:
    from redline.policy.documents import ConfinedDocuments

_MAX_CONTENT = 16 << 20
_MAX_NAMED = 5
_VERY_LARGE = 1 << 62
_MAX_NAMES = 1024
_MAX_SEALED = 64
_NOTHING_STAGED = "\0"
_ALLOWED = Ruling(Action.ALLOW, "", "default")
Load = Callable[[FileState], FileState]


class PolicyGuard:
    """Says what the policy rules about change sets; `check` refuses what it does not allow."""

    def __init__(
        self,
        disk: Disk,
        workspace: DiskWorkspace,
        policy: PolicyFile,
        confined: Callable[[], Confined],
    ) -> None:
        self.policy = policy
        self._disk = disk
        self._workspace = workspace
        self._confined = confined
        self._roots = [split_path(root.path) for root in workspace.roots]
        self._names = lru_cache(_MAX_NAMES)(self._find_names)

    @built_once
    def _documents(self) -> ConfinedDocuments:
        # Most changes are made without a policy: a command need not load the documents.
        from redline.policy.documents import ConfinedDocuments

        return ConfinedDocuments(self._confined, self.policy.read_schema)

    def check(
        self, change_set: ChangeSet, origin: Origin, permits: ChangePermits, load: Load
    ) -> None:
        """Raise RuleDenied or, where no person approved it, RuleAsks; PolicyUnreadable."""
        rulings = self.judge(change_set, origin, load)
        if not rulings:
            return
        if rulings[0].action is Action.DENY:
            raise _denial(rulings, self.policy.path)
        if not permits.is_approved:
            raise RuleAsks(describe(rulings, "A person must approve this change"), rulings)

    def judge(self, change_set: ChangeSet, origin: Origin, load: Load) -> list[Ruling]:
        """Return the strictest rulings; none where everything is allowed. PolicyUnreadable."""
        policy = None if origin.as_owner else self.policy.current()
        if policy is None or policy.allows_all:
            return []
        found = _Places(self, change_set, load)
        places = list(found.places())
        if not places:
            return []
        size = _MeasuredOnce(policy, places, found.count)
        return Judge(policy, origin, size, self._documents).judge(places)

    def judge_steps(
        self, change_set: ChangeSet, origin: Origin, load: Load, *, alone: bool = False
    ) -> list[Ruling]:
        """Return the strictest ruling on each step of a change set that renames nothing."""
        policy = self.policy.current()
        if policy is None:
            return [_ALLOWED] * len(change_set.steps)
        found = _Places(self, change_set, load)
        places = list(found.places())
        assert len(places) == len(change_set.steps)
        if alone:
            sizes = [_MeasuredOnce(policy, [place], 1) for place in places]
        else:
            sizes = [_MeasuredOnce(policy, places, found.count)] * len(places)
        return [
            Judge(policy, origin, size, self._documents).strictest(place)
            for place, size in zip(places, sizes, strict=True)
        ]

    def sealed_places(self, origin: Origin) -> list[WorkspacePath]:
        """Return directories in which every change by *origin* is denied. PolicyUnreadable."""
        policy = None if origin.as_owner else self.policy.current()
        roots = self._roots
        # A place in two roots has two names, and a rule may be about either.
        is_nested = any(a is not b and b[: len(a)] == a for a in roots for b in roots)
        if policy is None or is_nested:
            return []
        names = [tuple(name.split("/")) for name in policy.find_sealed(origin)]
        writable = [n for n, root in enumerate(self._workspace.roots) if root.writable]
        places = [WorkspacePath(number, parts) for number in writable for parts in names]
        return [place for place in places if self._is_directory(place)][:_MAX_SEALED]

    def _is_directory(self, path: WorkspacePath) -> bool:
        try:
            top = self._disk.open_dir(self._workspace.handles[path.root], path.parts)
        except OSError:  # a link is none
            return False
        self._disk.close_dir(top)
        return True

    def hold_for(self) -> float:
        """Return for how many seconds a change is held."""
        policy = self.policy.current()
        return DAY if policy is None else policy.expires

    def concerns(self, path: WorkspacePath) -> bool:
        """Whether a rule names this place, or places beneath it, to hold or deny changes there."""
        policy = self.policy.current()
        if policy is None or policy.allows_all:
            return False
        relative, absolute, _ = self._names(path)
        return any(
            rule.action is not Action.ALLOW and rule.may_match_at(relative, absolute)
            for rule in policy.rules
        )

    def is_active(self) -> bool:
        """Return whether anything is ever held or denied. PolicyUnreadable."""
        policy = self.policy.current()
        return policy is not None and not policy.allows_all

    def explain(
        self, path: WorkspacePath, origin: Origin, steps: tuple[str, ...] | None
    ) -> Sequence[RuleReport]:
        """What each rule says about a place, up to the one that decides. PolicyUnreadable."""
        relative, absolute, _ = self._names(path)
        return explain(self.policy.current() or Policy(), relative, absolute, origin, steps)

    def place(
        self,
        path: WorkspacePath,
        before: Callable[[], Content],
        after: Callable[[], Content],
        *,
        is_kept: bool = False,
        is_moved: bool = False,
        is_link: bool = False,
    ) -> Place:
        """Return a place with all its names."""
        relative, absolute, shown = self._names(path)
        return Place(shown, relative, absolute, before, after, is_kept, is_moved, is_link)

    def _find_names(self, path: WorkspacePath) -> tuple[tuple[str, ...], str, str]:
        whole = self._roots[path.root] + path.parts
        relative = tuple(
            "/".join(whole[len(root) :]) or "."
            for root in self._roots
            if whole[: len(root)] == root
        )
        absolute = self._workspace.absolute(path)
        return relative, absolute, show_name(path.relative if path.root == 0 else absolute)

    def read(self, path: WorkspacePath) -> Content:
        """Return what a file holds now."""
        try:
            fd = self._disk.open_read(self._workspace.handles[path.root], path.parts)
        except OSError:
            return Unknown.NO_FILE
        try:
            facts = self._disk.fstat(fd)
            if not modes.S_ISREG(facts.st_mode):
                return Unknown.NO_FILE
            if facts.st_size > _MAX_CONTENT:
                return Unknown.LARGE
            return self._disk.pread(fd, facts.st_size, 0)
        except OSError:
            return Unknown.LARGE
        finally:
            self._disk.close_fd(fd)

    def is_link(self, path: WorkspacePath) -> bool:
        """Return whether a link is there now."""
        try:
            parent = self._disk.open_dir(self._workspace.handles[path.root], path.parts[:-1])
        except OSError:
            return False
        try:
            return modes.S_ISLNK(self._disk.stat(parent, path.name).st_mode)
        except OSError:
            return False
        finally:
            self._disk.close_dir(parent)

    def beneath(self, source: WorkspacePath) -> Iterator[tuple[tuple[str, ...], Kind]]:
        """Yield the names of everything beneath a directory, and what each is."""
        try:
            top = self._disk.open_dir(self._workspace.handles[source.root], source.parts)
        except OSError:
            return  # no directory: there is nothing beneath
        for folder in walk_down(self._disk, top, _NOTHING_STAGED, None, None):
            here = tuple(name for name in folder.prefix.split("/") if name)
            for names, kind in (
                (folder.files, Kind.FILE),
                (folder.directories, Kind.DIRECTORY),
                (folder.links, Kind.SYMLINK),
                (folder.others, Kind.OTHER),
            ):
                for name in names:
                    yield (*here, name), kind


class _Places:
    """The places of one change set."""

    def __init__(self, guard: PolicyGuard, change_set: ChangeSet, load: Load) -> None:
        self._guard = guard
        self._change_set = change_set
        self._load = load
        # What earlier steps leave at a place.
        self._left: dict[WorkspacePath, Callable[[], Content]] = {}
        self._links: set[WorkspacePath] = set()
        self.count = 0

    def places(self) -> Iterator[Place]:
        """Yield every place that changes, a moved one at both ends."""
        for step in self._change_set.steps:
            if isinstance(step, Rename):
                if step.source.root < FOREIGN and step.target.root < FOREIGN:
                    yield from self._find_moved(step)
            elif step.before != step.after and step.path.root < FOREIGN:
                yield self._list_changed(step)

    def _list_changed(self, step: Change) -> Place:
        self.count += 1
        before = self._left.get(step.path) or partial(self._content, step.before, step.path)
        after = partial(self._content, step.after, None)
        self._left[step.path] = after
        states = step.before, step.after
        files = [state for state in states if isinstance(state, FileState)]
        is_kept = len(files) == 2 and files[0].digest == files[1].digest
        is_link = isinstance(step.after, LinkState)
        if is_link:
            self._links.add(step.path)
        return self._guard.place(step.path, before, after, is_kept=is_kept, is_link=is_link)

    def _find_moved(self, step: Rename) -> Iterator[Place]:
        top = Kind.SYMLINK if self._guard.is_link(step.source) else Kind.FILE
        entries: dict[tuple[str, ...], Kind] = {(): top}
        entries.update(self._guard.beneath(step.source))
        if len(entries) > 1:
            entries[()] = Kind.DIRECTORY
        for path in list(self._left):
            if path.is_beneath(step.source):
                kind = Kind.SYMLINK if path in self._links else Kind.FILE
                entries.setdefault(path.parts[len(step.source.parts) :], kind)
        for names, kind in entries.items():
            self.count += 1
            source, target = step.source.child(*names), step.target.child(*names)
            held = self._left.get(source) or (
                partial(self._guard.read, source) if kind is Kind.FILE else _nothing
            )
            self._left[source], self._left[target] = _nothing, held
            is_link = kind is Kind.SYMLINK
            if is_link:
                self._links.add(target)
            yield self._guard.place(source, held, _nothing, is_moved=True)
            yield self._guard.place(target, _nothing, held, is_moved=True, is_link=is_link)

    def _content(self, state: State, path: WorkspacePath | None) -> Content:
        """Return what a state holds; *path* is where it is now, None for what is to come."""
        if isinstance(state, Absent | DirState):
            return None
        if not isinstance(state, FileState):
            return Unknown.NO_FILE
        if state.content is not None:
            return state.content
        if path is not None:
            return self._guard.read(path)  # if it is another content, the commit is refused
        if state.size > _MAX_CONTENT:
            return Unknown.LARGE
        try:
            loaded = self._load(state).content
        except HistoryError:
            return Unknown.LARGE
        return Unknown.LARGE if loaded is None else loaded


def describe(rulings: Sequence[Ruling], fact: str) -> str:
    """Return the fact with the places and the rules."""
    first = rulings[0]
    rule = f"{first.rule} (line {first.line})" if first.line else "the default of the policy"
    reason = f", {first.reason}" if first.reason else ""
    names = list(dict.fromkeys(_name(ruling) for ruling in rulings))
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f"{fact}, by {rule}{reason}: {', '.join(names[:_MAX_NAMED])}{more}"


def _name(ruling: Ruling) -> str:
    return f"{ruling.path} {ruling.field}".strip()


def _denial(rulings: Sequence[Ruling], policy: str) -> RuleDenied:
    return RuleDenied(
        describe(rulings, "A rule denies this change"),
        rulings,
        hint="leave this to the person, or do it another way; nothing was changed",
        details={"rules": [ruling.wire() for ruling in rulings[:20]], "policy": policy},
    )


def _nothing() -> Content:
    return None


class _MeasuredOnce:
    """How large a change is, measured when it is first asked for."""

    __slots__ = ("_count", "_places", "_policy", "_size")

    def __init__(self, policy: Policy, places: Sequence[Place], count: int) -> None:
        self._policy = policy
        self._places = places
        self._count = count
        self._size: Size | None = None

    def __call__(self) -> Size:
        if self._size is None:
            self._size = _measure(self._policy, self._places, self._count)
        return self._size


def _measure(policy: Policy, places: Sequence[Place], count: int) -> Size:
    """Return how large a change is; lines and bytes only where a rule asks for them."""
    if not policy.has_contents:
        return Size(files=count)
    lines = written = 0
    for place in places:
        if place.is_kept or place.is_moved:
            continue
        old, new = place.before(), place.after()
        if Unknown.LARGE in (old, new):
            return Size(count, _VERY_LARGE, _VERY_LARGE)
        if isinstance(new, bytes):
            written += len(new)
        if not policy.has_lines:
            continue
        was, becomes = (_lines(content) for content in (old, new))
        lines += sum(((was - becomes) + (becomes - was)).values())
    return Size(count, lines, written)


def _lines(content: Content) -> Counter[bytes]:
    return Counter(content.splitlines(keepends=True)) if isinstance(content, bytes) else Counter()
