"""Hold a change that a rule wants a person to decide about, and go on when it is decided."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from redline.core.call_scope import checkpoint
from redline.core.changes import Change, ChangeSet, FileState, Rename, State
from redline.core.errors import (
    ChangeHeld,
    HeldDecided,
    HeldRefused,
    HistoryError,
    PermissionDenied,
    RedlineError,
    RuleAsks,
    UnknownHeld,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.core.ports.review import Decision, HeldChange, HeldChanges, HeldState, Ruling, Wanted
from redline.core.ports.store import Store
from redline.core.ports.tree import Tree
from redline.core.records import replace
from redline.policy.ports import ChangeRules

_POLL_SECONDS = 0.1
MAX_WAIT = 600.0
_MAX_BASE = 4 << 20


class Holding:
    """See `core.ports.review.ChangeHolder`."""

    def __init__(
        self, held: HeldChanges, rules: Callable[[], ChangeRules], store: Store, tree: Tree
    ) -> None:
        self._held = held
        self._rules = rules
        self._store = store
        self._tree = tree

    def settle(
        self, wanted: Wanted, asks: RuleAsks, carry_out: Callable[[HeldChange, str], Operation]
    ) -> Operation:
        """Hold what is *wanted*, ask the person where that is possible, and return what came of it.

        ChangeHeld when no person has decided yet, HeldRefused. *carry_out* journals the approval
        and makes the change.
        """
        held = self.hold(wanted, asks.rulings)
        self._raise_refusal(held)
        origin = wanted.origin
        agreed = None
        if origin.consent is not None:
            try:
                agreed = origin.consent(asks, held.change_set)
            except PermissionDenied:
                agreed = None  # it cannot be shown there: it waits for the person elsewhere
        if agreed is not None:
            return self._decide(held, agreed, origin, carry_out)
        return self._wait(held, asks)

    def hold(self, wanted: Wanted, rulings: tuple[Ruling, ...]) -> HeldChange:
        """Keep a change; the same one of the same session is kept once."""
        now = time.time()
        change_set = self._with_contents(wanted.change_set)
        kept = self._held.hold(
            HeldChange(
                _identify(wanted),
                now,
                now + self._rules().hold_for(),
                wanted.origin,
                change_set,
                rulings,
                wanted.kind,
                wanted.reverts,
            )
        )
        # One that was held before comes back without its contents.
        return replace(kept, change_set=change_set)

    def _decide(
        self,
        held: HeldChange,
        agreed: bool,
        origin: Origin,
        carry_out: Callable[[HeldChange, str], Operation],
    ) -> Operation:
        by = origin.principal or f"the person at {origin.client or 'the client'}"
        try:
            with self._held.deciding(held.id):
                if agreed:
                    operation = carry_out(held, by)
                    decision = Decision(HeldState.APPROVED, by, time.time(), "", operation.id)
                    self._held.decide(held.id, decision)
                    return operation
                refusal = Decision(HeldState.REFUSED, by, time.time())
                held = self._held.decide(held.id, refusal)
        except HeldDecided:
            pass  # another answer was first: that one counts
        return self._outcome(self._held.get(held.id))

    def _wait(self, held: HeldChange, asks: RuleAsks) -> Operation:
        limit = min(held.origin.wait, MAX_WAIT)
        until = time.monotonic() + limit
        while time.monotonic() < until:
            checkpoint()
            time.sleep(_POLL_SECONDS)
            try:
                found = self._held.get(held.id)
            except UnknownHeld:
                break
            if found.decision is not None:
                return self._outcome(found)
        raise _held_error(held, asks)

    def _outcome(self, held: HeldChange) -> Operation:
        self._raise_refusal(held)
        decision = held.decision
        if decision is None or not decision.operation:
            raise _held_error(held, None)
        return self._store.load(decision.operation)

    def _raise_refusal(self, held: HeldChange) -> None:
        decision = held.decision
        if decision is not None and decision.state is HeldState.REFUSED:
            raise HeldRefused(
                refusal_text(held),
                hint="do it another way, or leave it to the person",
                details={"held_id": held.id, "reason": decision.reason, "by": decision.by},
            )

    def _with_contents(self, change_set: ChangeSet) -> ChangeSet:
        """Return the change set with all contents it needs when it is carried out later."""

        def fill(path: WorkspacePath, state: State, *, is_now: bool) -> State:
            if not isinstance(state, FileState) or state.content is not None:
                return state
            if is_now:
                if state.size > _MAX_BASE:
                    return state  # shown by its name only
                try:
                    content = self._tree.read(path, _MAX_BASE)
                except RedlineError:
                    return state
                return replace(state, content=content)
            try:
                return self._store.load_content(state)
            except HistoryError:
                return state

        steps: list[Change | Rename] = [
            step
            if isinstance(step, Rename)
            else replace(
                step,
                before=fill(step.path, step.before, is_now=True),
                after=fill(step.path, step.after, is_now=False),
            )
            for step in change_set.steps
        ]
        return ChangeSet(tuple(steps))


def refusal_text(held: HeldChange) -> str:
    """Return what the agent reads about a refusal."""
    assert held.decision is not None
    because = f": {held.decision.reason}" if held.decision.reason else ""
    return f"{held.decision.by} refused the held change {held.id}{because}"


def _held_error(held: HeldChange, asks: RuleAsks | None) -> ChangeHeld:
    fact = asks.message if asks is not None else "A person must approve this change"
    return ChangeHeld(
        f"{fact}. Nothing was changed; the change is held as {held.id}",
        held_id=held.id,
        hint=(
            "go on with other work: the decision comes with a later answer, and repeating the call"
            f" says what became of it; the person decides with: redline held show {held.id}"
        ),
        details={
            "state": HeldState.WAITING.value,
            "expires": held.expires,
            "rules": [ruling.wire() for ruling in held.rulings[:20]],
        },
    )


def _identify(wanted: Wanted) -> str:
    """Return an id that the same change of the same session has too."""
    origin = wanted.origin
    facts = [origin.session, origin.principal, origin.tool, wanted.kind, wanted.reverts or ""]
    facts += [repr(step) for step in wanted.change_set.steps]
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:12]
