"""Which function carries out which frame."""

from __future__ import annotations

from collections.abc import Callable

from redline.instruct.effects import (
    arrange,
    assign,
    contrasts,
    facts,
    numbers,
    removal,
    states,
    texts,
)
from redline.instruct.effects.adding import copies, elements, keys, members, records
from redline.instruct.effects.context import EffectContext
from redline.instruct.effects.implied import fields, singled_out
from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import Nothing
from redline.instruct.effects.several import pairs


def _no_value(context: EffectContext) -> EffectOutcome:
    """Refuse a change of which the new value is not said."""
    try:
        found = context.resolve(context.clause.role("target"))
    except Nothing as nothing:
        raise Unclear("target", f"nothing here is {str(nothing)!r}") from None
    raise Unclear("value", "no value is given", found.nodes)


EFFECTS: dict[str, Callable[[EffectContext], EffectOutcome]] = {
    "assign": assign.assign,
    "assigninto": assign.assign,
    "assignlist": assign.assign_list,
    "respectively": assign.respectively,
    "owned": assign.give_field,
    "samefield": singled_out.copy_field,
    "fromto": singled_out.change_held,
    "tag": singled_out.tag,
    "setfields": keys.set_fields,
    "cost": assign.cost,
    "copy": copies.copy,
    "copykey": copies.copy_to_key,
    "merge": copies.merge,
    "enum": states.enum,
    "switch": states.switch,
    "switchfields": pairs.switch_and_set,
    "transfer": pairs.transfer,
    "verbed": states.set_flag_by_verb,
    "clear": states.clear,
    "nullify": states.nullify,
    "shape": states.shape,
    "stock": states.stock,
    "implied": fields.imply,
    "agent": facts.agent,
    "idiom": facts.idiom,
    "instead": contrasts.instead,
    "join": facts.join,
    "tally": facts.tally,
    "age": numbers.age,
    "money": numbers.money,
    "shift": numbers.shift,
    "scale": numbers.scale,
    "version": numbers.version,
    "append": elements.append,
    "newkey": members.newkey,
    "newkeys": members.newkeys,
    "newrecord": records.newrecord,
    "remove": removal.remove,
    "absent": removal.absent,
    "keep": removal.keep,
    "dedupe": removal.dedupe,
    "swap": arrange.swap,
    "move": arrange.move,
    "sort": arrange.sort,
    "reverse": arrange.reverse,
    "rename": texts.rename,
    "renamed": texts.give_name,
    "replace": texts.replace,
    "case": texts.case,
    "affix": texts.affix,
    "retype": texts.retype,
    "novalue": _no_value,
}
