"""Facts that imply a field by their verb: who leads, who joined, what was sold, what is live."""

from __future__ import annotations

from decimal import Decimal

from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.contrasts import holds
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.places import doubt_case
from redline.instruct.effects.resolved import ResolvedNodes
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import size_of
from redline.instruct.language.words import key_form
from redline.instruct.model.operations import DocumentOperation
from redline.instruct.model.values import Num, Value

# The keys under which a verb's field is found; for a flag, the state that it says comes first.
_FORMS: dict[str, tuple[str, ...]] = {
    group: tuple(map(key_form, keys.split()))
    for group, keys in {
        "teach": "instructor teacher lecturer tutor trainer coach professor",
        "lead": "lead leader manager head chair captain owner organizer organiser host "
        "coordinator responsible contact instructor speaker",
        "organize": "organizer organiser host coordinator lead owner planner",
        "speak": "speaker presenter host",
        "drive": "driver",
        "play": "player actor cast",
        "invite": "attendee guest invitee participant member invited",
        "notify": "recipient subscriber notify watcher cc email",
        "hire": "employee staff member",
        "enrol": "enrolled enrolment enrollment student participant member registered attendee "
        "signup headcount attending booked",
        "count": "quantity qty stock count instock onhand available amount copy",
        "promote": "title role position rank level grade job",
        "live": "city town location address",
        "report": "manager supervisor boss lead reportsto",
        "belong": "owner team group department namespace",
        "hold": "capacity seat maxguest places",
    }.items()
}
_FLAGS: dict[str, tuple[bool, tuple[str, ...]]] = {
    group: (wanted, tuple(map(key_form, keys.split())))
    for group, (wanted, keys) in {
        "home": (True, "remote workFromHome homeOffice isRemote wfh"),
        "office": (False, "remote workFromHome homeOffice isRemote wfh"),
        "unmade": (True, "discontinued retired endOfLife obsolete"),
        "made": (False, "discontinued retired endOfLife obsolete"),
        "live": (True, "enabled live published active released public"),
        "down": (False, "enabled live published active online up"),
        "up": (True, "enabled online active up live"),
        "paid": (True, "paid settled"),
        "sold": (True, "sold soldOut"),
        "finished": (True, "done completed finished complete"),
        "running": (True, "active enabled running"),
    }.items()
}


def _fields(context: EffectContext, holder: int, forms: tuple[str, ...]) -> list[int]:
    """Return the members of a record under the first of the forms that it has."""
    tree = context.tree
    for form in forms:
        found = tree.children_called(holder, form)
        if found:
            return found
    return []


def _holders(context: EffectContext, kind: type, forms: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return each record that is spoken of with its field; Refusal unless all have one."""
    owner: Phrase = context.clause.role("owner")
    fitting = [
        n for n in owner.nodes
        if [f for f in _fields(context, n, forms) if isinstance(context.tree.values[f], kind)]
    ]  # fmt: skip
    if not owner.many and len(owner.nodes) > 1 and len(fitting) == 1:
        # a name that is also elsewhere: only one of them has such a field
        nodes: tuple[int, ...] = tuple(fitting)
        context.whole = context.whole and owner.whole
        if context.clause.scopes:
            raise Unclear("clause", "it is not clear what the scope applies to")
    else:
        nodes = context.resolve(owner).nodes
    pairs = []
    for node in nodes:
        found = _fields(context, node, forms) if node in fitting else []
        if len(found) != 1:
            raise Unclear("target", "no field says so of it", (node,))
        pairs.append((node, found[0]))
    return pairs


def agent(context: EffectContext) -> EffectOutcome:
    """Give a field a new text by what the verb says: `Nadia will organize the All Hands`."""
    forms, value = _FORMS[context.clause.extra], context.clause.role("value")
    pairs = _holders(context, str, forms)
    first = context.chart.tokens[value.start]
    if (
        first.kind == "word"
        and not first.text[:1].isupper()
        and not any(map(str.isdigit, first.text))
    ):
        raise Unclear("value", f"{context.text(value)!r} may not be the value")
    said = context.text(value).strip("\"'").lower()
    for _, field in pairs if context.clause.extra == "belong" else ():
        known = {str(peer).lower() for peer in context.tree.peers(field)}
        if said not in known:
            context.doubt = context.doubt or f"no other is in {context.text(value)!r}"
    old = context.clause.role("old")
    if old is not None and not all(holds(context, field, old) for _, field in pairs):
        raise Unclear("value", f"it is not {context.text(old)} now")
    fields = ResolvedNodes(tuple(field for _, field in pairs))
    return context.each(fields, lambda node: context.type_value(value, node), 0.9)


def idiom(context: EffectContext) -> EffectOutcome:
    """Set the flag that a manner of speaking is about: `Erik works from home`."""
    wanted, forms = _FLAGS[context.clause.extra]
    pairs = _holders(context, bool, forms)
    negated = context.clause.role("NOT") is not None
    fields = ResolvedNodes(tuple(field for _, field in pairs))
    return context.each(fields, lambda _: wanted is not negated, 0.9)


def join(context: EffectContext) -> EffectOutcome:
    """Put a value into the list that a verb is about: `invite Priya to the planning`."""
    forms, value = _FORMS[context.clause.extra], context.clause.role("value")
    operations = []
    pairs = _holders(context, list, forms)
    for _, field in pairs:
        held = context.tree.values[field]
        assert isinstance(held, list)
        if not held or not all(isinstance(item, str) for item in held):
            raise Unclear("type", "it is not a list of texts", (field,))
        text = context.text(value).strip("\"'`")
        if len(text.split()) > 3 or not (text[:1].isupper() or "@" in text):
            raise Unclear("value", f"{text!r} may be more than the value")
        if text in held:
            continue
        doubt_case(context, context.chart.tokens[value.start], held)
        path = (*context.tree.path(field), str(len(held)))
        operations.append(DocumentOperation("insert", path, value=text).with_confidence(0.9))
    return context.outcome(operations, tuple(field for _, field in pairs), "already there")


def tally(context: EffectContext) -> EffectOutcome:
    """Count up or down what a verb counts: `two more students joined`, `ten were sold`."""
    group, _, way = context.clause.extra.partition("-")
    amount = context.clause.role("value")
    size = size_of(context.text(amount)) if amount is not None else Decimal(1)
    if not isinstance(size, Decimal):
        raise Unclear("value", "no amount is given")
    step = -size if way == "down" else size

    def compute(node: int) -> Value:
        held = context.tree.values[node]
        assert isinstance(held, Num)
        return Num(f"{held.decimal + step:f}")

    fields = tuple(field for _, field in _holders(context, Num, _FORMS[group]))
    if any(isinstance(v := compute(n), Num) and v.decimal < 0 for n in fields):
        raise Unclear("value", "there are not as many", fields)
    return context.each(ResolvedNodes(fields), compute, 0.9)
