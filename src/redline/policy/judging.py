"""What a policy says about a change: for each place and each touched value the first matching rule.

The strictest of these rulings holds for the whole change. A document that cannot be compared counts
as touching every value: then the strictest rule that could be about one of them decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Protocol

from redline.core.ports.history import Origin
from redline.core.ports.review import Action, Ruling
from redline.core.records import dataclass
from redline.documents.base.path import render_path
from redline.policy.field_patterns import Steps
from redline.policy.model import Policy, Rule, Size
from redline.policy.ports import RuleOutcome, RuleReport

_ORDER = {Action.ALLOW: 0, Action.ASK: 1, Action.DENY: 2}
_EVERY_FIELD = "(any field: the document cannot be compared)"


class Unknown(Enum):
    """Contents that are not available: there is no file, or it is too large to be read."""

    NO_FILE = "no file"
    LARGE = "large"


# The contents of a file on one side of a change; None where there is no file.
Content = bytes | None | Unknown


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a change: its names, and how to get at what it held and will hold.

    `relative` are its names from each root that it lies in. `is_kept` is True where contents are
    the same on both sides, as when a mode changes; `is_moved` where they only get another name.
    `is_link` is True where a link is left, which gives further names to what lies behind it.
    """

    shown: str
    relative: tuple[str, ...]
    absolute: str
    before: Callable[[], Content]
    after: Callable[[], Content]
    is_kept: bool = False
    is_moved: bool = False
    is_link: bool = False


class DocumentTests(Protocol):
    """What judging asks about documents."""

    def touched(self, name: str, old: bytes | None, new: bytes | None) -> list[Steps] | None:
        """Return the values that differ, None where that is not known."""

    def is_valid(self, name: str, content: bytes, schema: str) -> bool:
        """Return whether *content* parses and is valid by the schema file."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A policy, who asks, and how large the change is as a whole."""

    policy: Policy
    origin: Origin
    size: Callable[[], Size]
    documents: DocumentTests

    def judge(self, places: Sequence[Place]) -> list[Ruling]:
        """Return the strictest rulings on *places*: all that deny, else all that ask."""
        found: list[Ruling] = []
        for place in places:
            found += self.rulings(place)
        worst = max((_ORDER[ruling.action] for ruling in found), default=0)
        return [ruling for ruling in found if _ORDER[ruling.action] == worst] if worst else []

    def strictest(self, place: Place) -> Ruling:
        """Return the strictest ruling on one place."""
        return max(self.rulings(place), key=lambda ruling: _ORDER[ruling.action])

    def rulings(self, place: Place) -> Iterator[Ruling]:
        """Yield the rulings on one path, one for each value in it that rules may tell apart."""
        if place.is_link:
            yield from self._rulings_behind(place)
        candidates: list[Rule] = []
        has_fields = False
        for rule in self.policy.rules_for(place.relative, place.absolute):
            if not self._may_match(rule, place):
                continue
            candidates.append(rule)
            has_fields = has_fields or bool(rule.fields)
            if not rule.fields:
                break
        if not has_fields:
            yield self._ruling(place, candidates[0] if candidates else None, "")
            return
        general = None if candidates[-1].fields else candidates[-1]
        others = self.policy.default if general is None else general.action
        if all(action is Action.ALLOW for action in (others, *(r.action for r in candidates))):
            yield self._ruling(place, general, "")  # whichever values are touched
            return
        yield from self._field_rulings(place, candidates)

    def _rulings_behind(self, place: Place) -> Iterator[Ruling]:
        """Yield the rulings on paths beneath a link, whatever it leads to now or later."""
        for rule in self.policy.rules:
            if not rule.matches_origin(self.origin):
                continue
            if rule.is_about_all_beneath(place.relative):
                return
            if rule.action is not Action.ALLOW and rule.may_match_behind(
                place.relative, place.absolute
            ):
                yield self._ruling(place, rule, "")

    def _may_match(self, rule: Rule, place: Place) -> bool:
        return (
            rule.matches_origin(self.origin)
            and (not rule.more_than or rule.matches_size(self.size()))
            and (not rule.schema or self._is_invalid(rule.schema, place))
        )

    def _is_invalid(self, schema: str, place: Place) -> bool:
        content = place.after()
        if content is None:
            return False  # nothing is left that could be invalid
        if isinstance(content, Unknown):
            return True
        return not self.documents.is_valid(place.shown, content, schema)

    def _field_rulings(self, place: Place, candidates: Sequence[Rule]) -> Iterator[Ruling]:
        touched = self._list_touched(place)
        if touched is None:
            # Each candidate could be the first for some value; the last one or the default is
            # for all others.
            found = [self._ruling(place, rule, _EVERY_FIELD) for rule in candidates]
            if candidates[-1].fields:
                found.append(self._ruling(place, None, _EVERY_FIELD))
            yield max(found, key=lambda ruling: _ORDER[ruling.action])
            return
        general = next((rule for rule in candidates if not rule.fields), None)
        if not touched:
            yield self._ruling(place, general, "")
        seen: set[int] = set()
        for steps in touched:
            rule = next((r for r in candidates if _is_about(r, steps)), general)
            line = 0 if rule is None else rule.line
            if line not in seen:  # one value is enough to name for each rule
                seen.add(line)
                yield self._ruling(place, rule, render_path(steps))

    def _list_touched(self, place: Place) -> list[Steps] | None:
        if place.is_kept:
            return []
        old, new = place.before(), place.after()
        if isinstance(old, Unknown) or isinstance(new, Unknown):
            return None
        return self.documents.touched(place.shown, old, new)

    def _ruling(self, place: Place, rule: Rule | None, steps: str) -> Ruling:
        if rule is None:
            return Ruling(self.policy.default, place.shown, "default", 0, "", steps)
        return Ruling(rule.action, place.shown, rule.name, rule.line, rule.reason, steps)


def _is_about(rule: Rule, steps: Steps) -> bool:
    return not rule.fields or any(pattern.matches(steps) for pattern in rule.fields)


def explain(
    policy: Policy, relative: Sequence[str], absolute: str, origin: Origin, steps: Steps | None
) -> list[RuleReport]:
    """Return what a policy would say about a place before there is a change.

    That is every rule up to the one that decides for certain; *steps* is a value inside.
    """
    found: list[RuleReport] = []
    for rule in policy.rules:
        outcome, why = _outcome(rule, relative, absolute, origin, steps)
        found.append(RuleReport(rule.action, rule.name, rule.line, outcome, why))
        if outcome is RuleOutcome.DECIDES:
            return found
    why = "no rule above decides for certain"
    found.append(RuleReport(policy.default, "default", 0, RuleOutcome.DECIDES, why))
    return found


def _outcome(
    rule: Rule, relative: Sequence[str], absolute: str, origin: Origin, steps: Steps | None
) -> tuple[RuleOutcome, str]:
    if not rule.matches_path(relative, absolute):
        why = f"paths are {', '.join(rule.paths)}" if rule.paths else "not a document by its name"
        return RuleOutcome.PASSES, why
    unknown = [
        f"{name} {', '.join(wanted)}"
        for name, given, wanted in (
            ("tools", origin.tool, rule.tools),
            ("clients", origin.client, rule.clients),
            ("principals", origin.principal, rule.principals),
        )
        if wanted and not given
    ]
    if not unknown and not rule.matches_origin(origin):
        return RuleOutcome.PASSES, "it is about other tools, clients or principals"
    patterns = ", ".join(pattern.text for pattern in rule.fields)
    if steps is not None and patterns and not any(p.matches(steps) for p in rule.fields):
        return RuleOutcome.PASSES, f"fields are {patterns}"
    if steps is None and patterns:
        unknown.append(f"fields {patterns}")
    unknown += _conditions_of_contents(rule)
    if unknown:
        return RuleOutcome.MAY_DECIDE, f"for {'; '.join(unknown)}"
    return RuleOutcome.DECIDES, rule.reason


def _conditions_of_contents(rule: Rule) -> list[str]:
    sizes = ", ".join(f"{limit} {measure}" for measure, limit in rule.more_than.items())
    found = [f"more than {sizes}"] if sizes else []
    return [*found, f"contents not valid by {rule.schema}"] if rule.schema else found
