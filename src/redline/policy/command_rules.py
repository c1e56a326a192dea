"""Decide what becomes of the changes that a command wrote in its copy-on-write view.

Nothing of them is in the workspace yet. Each change is judged; what is allowed is made, what a rule
asks about waits for a person, and the rest is dropped with the view. So there is nothing to put
back, and what another program saved meanwhile is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, DirState, FileState, in_order
from redline.core.errors import Conflict, LimitReached, PathError, PolicyUnreadable, RedlineError
from redline.core.guarded import GuardedPath, Permission
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.commands import SAVED_MEANWHILE, Command, CommandView, Written
from redline.core.ports.history import ChangeEditor, Origin
from redline.core.ports.review import Action, HeldState, Ruling, Wanted
from redline.core.records import dataclass, replace
from redline.policy.holding import Holding, refusal_text
from redline.policy.ports import ChangeRules

_SHOWN = 5
_BUSY = "another change to the same files went on"
# Why a change that is allowed is held, and what an answer says of it.
_REASONS_TO_HOLD = {
    SAVED_MEANWHILE: "Left as another program saved it while the command ran",
    _BUSY: f"Not made, because {_BUSY}",
}


class _Fate(Enum):
    """Why a change is not made."""

    DENIED = "denied"
    ASKED = "asked"
    OVERTAKEN = "overtaken"
    STUCK = "stuck"


class _Verdict(NamedTuple):
    fate: _Fate
    ruling: Ruling
    # Whether a person may still decide about it.
    is_held: bool = True


@dataclass(frozen=True, slots=True)
class _Decided:
    """Every change that a command wrote, and why some are not made."""

    changes: Mapping[WorkspacePath, Change]
    unwanted: Mapping[WorkspacePath, _Verdict]
    # Guarded paths that a person allowed.
    consented: Sequence[GuardedPath] = ()

    def wanted(self) -> list[Change]:
        return [each for path, each in self.changes.items() if path not in self.unwanted]

    def of(self, fate: _Fate) -> list[tuple[Change, _Verdict]]:
        return [
            (self.changes[path], verdict)
            for path, verdict in self.unwanted.items()
            if verdict.fate is fate
        ]


class CommandRules:
    """See `core.ports.commands.CommandPolicy`."""

    def __init__(
        self,
        rules: ChangeRules,
        holding: Holding,
        editor: ChangeEditor,
        find_guarded: Callable[[ChangeSet], Sequence[GuardedPath]],
        show: Callable[[WorkspacePath], str],
    ) -> None:
        self._rules = rules
        self._holding = holding
        self._editor = editor
        self._find_guarded = find_guarded
        # A path as the errors of the editor name it.
        self._show = show

    def is_active(self) -> bool:
        """Return whether there are rules to enforce. PolicyUnreadable."""
        return self._rules.is_active()

    def sealed_places(self, origin: Origin) -> tuple[WorkspacePath, ...]:
        """Directories that a command need not be able to write in: nothing there would be made."""
        return tuple(self._rules.sealed_places(origin))

    def settle(
        self, view: CommandView, command: Command, origin: Origin
    ) -> tuple[str | None, list[str]]:
        """Make what is allowed of what a command wrote; the operation, and what to say."""
        try:
            written = view.read()
        except LimitReached as error:
            return None, [f"Nothing of what the command changed was made: {error.message}"]
        decided = self._decide(written, view, command, origin)
        made: dict[WorkspacePath, Change] = {}
        operation = ""
        notes: list[str] = []
        while left := [step for step in decided.wanted() if step.path not in made]:
            uncovered, covered = _makeable(left, written)
            failed = _place(view, uncovered, made)
            if not failed and covered:
                try:
                    done = self._editor.commit_judged(
                        ChangeSet(tuple(covered)), origin, decided.consented
                    )
                except RedlineError as error:
                    failed = self._blame(error, covered)
                else:
                    operation = done.id or operation
                    notes += done.notes
                    made |= {step.path: step for step in covered}
            if failed:
                decided = _without(decided, failed, written, made)
        notes = [*self._report(decided, written, view, origin), *notes]
        return operation or None, [*notes, *_not_covered(made.values(), written)]

    def _blame(self, error: RedlineError, steps: Sequence[Change]) -> dict[WorkspacePath, str]:
        """Return which of *steps* an error is about, all where it does not say, and why."""
        shown = getattr(error, "path", "") or error.details.get("path")
        named = [step.path for step in steps if self._show(step.path) == shown]
        reason = error.message
        if isinstance(error, Conflict | PathError):
            reason = SAVED_MEANWHILE if named else _BUSY
        return dict.fromkeys(named or [step.path for step in steps], reason)

    # -- deciding -----------------------------------------------------------------------------

    def _decide(
        self,
        written: Written,
        view: CommandView,
        command: Command,
        origin: Origin,
    ) -> _Decided:
        changes = {change.path: change for change in written.changes}
        unwanted = dict(self._judge(written, view, origin))
        consented: list[GuardedPath] = []
        for each in self._find_guarded(ChangeSet(written.changes)):
            is_open = each.permission is Permission.GIT and "git" in command.permissions
            consented += [each] if is_open else []
            known = unwanted.get(each.path)
            if not is_open and (known is None or known.fate is not _Fate.DENIED):
                ruling = Ruling(Action.ASK, each.path.relative, each.permission, 0, each.reason)
                unwanted[each.path] = _Verdict(_Fate.ASKED, ruling)
        for path in written.overtaken:
            unwanted.setdefault(path, _failure(path, SAVED_MEANWHILE))
        for path, reason in written.refused.items():
            if path in changes:
                unwanted.setdefault(path, _failure(path, reason))
        unwanted = {path: each for path, each in unwanted.items() if path in changes}
        return _Decided(changes, _with_dependent(changes, unwanted, written.refused), consented)

    def _judge(
        self, written: Written, view: CommandView, origin: Origin
    ) -> Iterator[tuple[WorkspacePath, _Verdict]]:
        """Judge every change; what git ignores is judged by its own size, file by file."""
        for is_left_out in (False, True):
            steps = [s for s in written.changes if (s.path in written.left_out) is is_left_out]
            rulings = self._rulings(steps, view, origin, alone=is_left_out)
            for step, ruling in zip(steps, rulings, strict=True):
                if ruling.action is Action.DENY:
                    yield step.path, _Verdict(_Fate.DENIED, ruling, is_held=False)
                elif ruling.action is Action.ASK:
                    is_held = not is_left_out or self._rules.concerns(step.path)
                    yield step.path, _Verdict(_Fate.ASKED, ruling, is_held)

    def _rulings(
        self, steps: Sequence[Change], view: CommandView, origin: Origin, *, alone: bool
    ) -> Sequence[Ruling]:
        if not steps:
            return ()
        try:
            change_set = ChangeSet(tuple(steps))
            return self._rules.judge_steps(change_set, origin, view.load, alone=alone)
        except PolicyUnreadable as error:
            return [Ruling(Action.DENY, "", "policy", 0, error.message)] * len(steps)

    # -- reporting ----------------------------------------------------------------------------

    def _report(
        self, decided: _Decided, written: Written, view: CommandView, origin: Origin
    ) -> list[str]:
        notes: list[str] = []
        by_rule: dict[str, list[Change]] = {}
        for change, verdict in decided.of(_Fate.DENIED):
            by_rule.setdefault(_describe_rule(verdict.ruling), []).append(change)
        notes += [
            f"Not made, because {rule} denies it: {_names(changes)}"
            for rule, changes in by_rule.items()
        ]
        notes += self._report_asked(decided.of(_Fate.ASKED), view, origin)
        overtaken = decided.of(_Fate.OVERTAKEN)
        for reason, why in _REASONS_TO_HOLD.items():
            steps = [change for change, each in overtaken if each.ruling.reason == reason]
            if steps:
                rulings = tuple(
                    each.ruling for _, each in overtaken if each.ruling.reason == reason
                )
                held = self._hold(steps, rulings[:_SHOWN], view, origin)
                notes.append(f"{why}; what the command wrote there is {held}: {_names(steps)}")
        refused = {
            path: why for path, why in written.refused.items() if path not in decided.changes
        }
        stuck = {change.path: each.ruling.reason for change, each in decided.of(_Fate.STUCK)}
        return notes + _describe_failed({**refused, **stuck})

    def _report_asked(
        self, asked: Sequence[tuple[Change, _Verdict]], view: CommandView, origin: Origin
    ) -> list[str]:
        notes: list[str] = []
        dropped = [(change, verdict) for change, verdict in asked if not verdict.is_held]
        if dropped:
            rule = _describe_rule(dropped[0][1].ruling)
            names = _names(change for change, _ in dropped)
            notes.append(f"Not made and not held, because {rule} asks and git ignores it: {names}")
        steps = [change for change, verdict in asked if verdict.is_held]
        if not steps:
            return notes
        rulings = tuple(dict.fromkeys(v.ruling for _, v in asked if v.is_held))
        held = self._hold(steps, rulings, view, origin)
        notes.append(f"Not made, because {_describe_ask(rulings[0])}; {held}: {_names(steps)}")
        return notes

    def _hold(
        self,
        steps: Iterable[Change],
        rulings: tuple[Ruling, ...],
        view: CommandView,
        origin: Origin,
    ) -> str:
        """Keep changes for a person to decide about; what became of them, in words."""
        try:
            complete = [view.complete(step) for step in in_order(steps)]
            held = self._holding.hold(
                Wanted(ChangeSet(tuple(complete)), replace(origin, consent=None), "change", None),
                rulings,
            )
        except RedlineError as error:
            return f"not held either ({error.message})"
        if held.decision is not None and held.decision.state is HeldState.REFUSED:
            return f"not held again, {refusal_text(held)}"
        return f"held for a person as {held.id} (redline held show {held.id})"


def _with_dependent(
    changes: Mapping[WorkspacePath, Change],
    unwanted: Mapping[WorkspacePath, _Verdict],
    refused: Iterable[WorkspacePath],
) -> dict[WorkspacePath, _Verdict]:
    """Add what cannot be made without what is unwanted, or would lose a content by it.

    Nothing is made in a directory that is not made; a directory stays in which something stays;
    a file stays whose content would be nowhere else.
    """
    found = dict(unwanted)
    dependent = _Dependent(changes)
    waiting = list(unwanted)
    new = {above: _STAYS for path in refused for above in dependent.on_place(path)}
    while True:
        for other, verdict in new.items():
            if other not in found:
                found[other] = verdict
                waiting.append(other)
        if not waiting:
            break
        path = waiting.pop()
        new = dict.fromkeys(dependent.on_change(changes[path]), found[path])
    return found


_STAYS = _Verdict(
    _Fate.STUCK, Ruling(Action.DENY, "", "failed", 0, "something in it stays"), is_held=False
)


class _Dependent:
    """Which changes are not made when another one is not."""

    def __init__(self, changes: Mapping[WorkspacePath, Change]) -> None:
        self._changes = changes
        self._made = {
            path
            for path, each in changes.items()
            if isinstance(each.after, DirState) and not isinstance(each.before, DirState)
        }
        self._beneath: dict[WorkspacePath, list[WorkspacePath]] = {}
        # Files that change, by what they hold. The digest of one that the history does not keep
        # is not known: its size must do.
        self._holding: dict[str | int, list[WorkspacePath]] = {}
        for path, each in changes.items():
            for above in _above(path):
                if above in self._made:
                    self._beneath.setdefault(above, []).append(path)
            if isinstance(each.before, FileState):
                key = each.before.digest or each.before.size
                self._holding.setdefault(key, []).append(path)

    def on_change(self, change: Change) -> Iterator[WorkspacePath]:
        """Yield the changes that cannot be made without *change*."""
        if change.path in self._made:
            yield from self._beneath.get(change.path, ())
        if not isinstance(change.before, Absent):
            yield from self.on_place(change.path)
        after = change.after
        if isinstance(after, FileState) and after.size:
            yield from self._holding.get(after.digest, ())
            yield from self._holding.get(after.size, ())

    def on_place(self, path: WorkspacePath) -> Iterator[WorkspacePath]:
        """Yield the removals of directories that *path*, which stays, lies in."""
        for above in _above(path):
            each = self._changes.get(above)
            if each is None or not isinstance(each.before, DirState):
                continue
            if not isinstance(each.after, DirState):
                yield above


def _above(path: WorkspacePath) -> Iterator[WorkspacePath]:
    for length in range(1, len(path.parts)):
        yield WorkspacePath(path.root, path.parts[:length])


def _is_plain(step: Change, written: Written) -> bool:
    """Return whether the history cannot keep *step*."""
    before, after = step.before, step.after
    return (
        step.path in written.left_out
        or step.path in written.surplus
        or any(isinstance(each, FileState) and each.content is None for each in (before, after))
    )


def _makeable(steps: Sequence[Change], written: Written) -> tuple[list[Change], list[Change]]:
    """Return what can be made now: first what the history does not keep, then what it keeps.

    A file is removed after its content is where it went, and a directory after what was in it.
    Whatever waits for the changes that are returned can be made after them.
    """
    plain = [step for step in steps if _is_plain(step, written)]
    covered = [step for step in steps if not _is_plain(step, written)]
    new = {each.path for each in covered if isinstance(each.after, DirState)}
    went, waiting = _contents(covered), set[WorkspacePath]()
    for step in plain:
        if not new.isdisjoint(_above(step.path)) or _went_to(step, went):
            waiting.add(step.path)
    went = _contents(step for step in plain if step.path in waiting)
    waiting |= {step.path for step in covered if _went_to(step, went)}
    leading = {above for path in waiting for above in _above(path)}
    waiting |= {step.path for step in steps if _is_removal(step) and step.path in leading}
    now = [step for step in plain if step.path not in waiting]
    then = in_order(step for step in covered if step.path not in waiting)
    first, removals = _in_making_order(now)
    return (first, []) if first else (removals, list(then))


def _is_removal(step: Change) -> bool:
    return isinstance(step.after, Absent)


def _contents(steps: Iterable[Change]) -> set[str | int]:
    """Return what *steps* bring, by digest and by size."""
    found = [step.after for step in steps if isinstance(step.after, FileState) and step.after.size]
    return {each.digest for each in found} | {each.size for each in found}


def _went_to(step: Change, brought: Collection[str | int]) -> bool:
    """Return whether the content that *step* removes may be what others bring."""
    before = step.before
    if not _is_removal(step) or not isinstance(before, FileState):
        return False
    return (before.digest or before.size) in brought


def _in_making_order(changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """Return what to make first, removals that are in the way included, and other removals."""
    steps = in_order(changes)
    removals = [step for step in steps if _is_removal(step)]
    others = [step for step in steps if not _is_removal(step)]
    new = {step.path for step in others if isinstance(step.before, Absent)}
    in_the_way = {
        step.path for step in removals if step.path in new or not new.isdisjoint(_above(step.path))
    }
    first = [step for step in removals if step.path in in_the_way]
    return [*first, *others], [step for step in removals if step.path not in in_the_way]


def _without(
    decided: _Decided,
    failed: Mapping[WorkspacePath, str],
    written: Written,
    made: Collection[WorkspacePath],
) -> _Decided:
    """Return the decision after some changes failed; what is *made* stays made."""
    failures = {path: _failure(path, reason) for path, reason in failed.items()}
    unwanted = {**failures, **decided.unwanted}
    dependent = _with_dependent(decided.changes, unwanted, written.refused)
    found = {path: each for path, each in dependent.items() if path not in made}
    return _Decided(decided.changes, found, decided.consented)


def _failure(path: WorkspacePath, reason: str) -> _Verdict:
    fate = _Fate.OVERTAKEN if reason in _REASONS_TO_HOLD else _Fate.STUCK
    ruling = Ruling(Action.ASK, path.relative, "meanwhile", 0, reason)
    return _Verdict(fate, ruling, is_held=fate is _Fate.OVERTAKEN)


def _place(
    view: CommandView, steps: Iterable[Change], made: dict[WorkspacePath, Change]
) -> dict[WorkspacePath, str]:
    """Make *steps* and add them to *made*; those that failed, with the reason."""
    failed: dict[WorkspacePath, str] = {}
    for step in steps:
        problem = view.place(step)
        if problem:
            failed[step.path] = problem
        else:
            made[step.path] = step
    return failed


def _describe_failed(failed: Mapping[WorkspacePath, str]) -> list[str]:
    reasons: dict[str, list[WorkspacePath]] = {}
    for path, reason in failed.items():
        reasons.setdefault(reason, []).append(path)
    return [f"Not made, because {reason}: {_list(paths)}" for reason, paths in reasons.items()]


def _not_covered(made: Iterable[Change], written: Written) -> list[str]:
    names: dict[str, None] = {}
    for step in made:
        path = step.path
        if not _is_plain(step, written):
            continue
        top = next((above for above in _above(path) if above in written.left_out), path)
        why = "ignored" if path in written.left_out else "too large"
        is_directory = top != path or DirState in (type(step.before), type(step.after))
        slash = "/" if is_directory else ""
        names.setdefault(f"{show_name(top.relative)}{slash} ({why})")
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"Undo does not cover: {', '.join(list(names)[:_SHOWN])}{more}"]


def _describe_ask(ruling: Ruling) -> str:
    if ruling.rule in set(Permission):
        return f"it takes a person's consent ({ruling.reason})"
    return f"{_describe_rule(ruling)} asks"


def _describe_rule(ruling: Ruling) -> str:
    where = f" (line {ruling.line})" if ruling.line else ""
    reason = f", {ruling.reason}" if ruling.reason else ""
    name = ruling.rule if ruling.line else "the default of the policy"
    return f"{name}{where}{reason}"


def _names(changes: Iterable[Change]) -> str:
    return _list(change.path for change in changes)


def _list(paths: Iterable[WorkspacePath]) -> str:
    names = [show_name(path.relative) for path in paths]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
