"""What a policy would say about a place, rule by rule, before there is a change."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.ports.history import Origin
from redline.policy.field_patterns import Steps
from redline.policy.model import Policy, Rule
from redline.policy.ports import RuleOutcome, RuleReport


def explain(
    policy: Policy, relative: Sequence[str], absolute: str, origin: Origin, steps: Steps | None
) -> list[RuleReport]:
    """Return every rule up to the one that decides for certain; *steps* is a value inside."""
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
