"""Which grammar a verb calls for."""

from __future__ import annotations

from redline.instruct import arrange, assign, grammars, removal, statements, states, texts
from redline.instruct.grammars import Grammar
from redline.instruct.tokens import Tokens

_TABLE: dict[str, Grammar] = {
    "set|change|update|modify|edit|assign|configure|adjust|correct|fix": assign.set_values,
    "put": grammars.put,
    "reset|upgrade|downgrade|scale|reschedule|postpone": assign.set_values,
    "make": grammars.make,
    "turn|switch": grammars.turn,
    "flip": grammars.flip,
    "let|want": assign.set_values,
    "use": grammars.use,
    "give": grammars.give,
    "ensure|make sure|make certain": statements.ensure,
    "rename": texts.rename,
    "replace|substitute": texts.replace,
    "drop": grammars.drop,
    "take|knock": grammars.take,
    "remove|delete|erase|get rid of|eliminate|discard|strip|take out": removal.remove,
    "keep": removal.keep_only,
    "clear|empty|blank|empty out|clear out|blank out": states.clear,
    "add": grammars.add("add"),
    "create": grammars.add("create"),
    "include": grammars.add("include"),
    "insert": grammars.add("insert"),
    "append|push": grammars.add("append"),
    "prefix": grammars.prefix("prefix"),
    "suffix|postfix": grammars.prefix("suffix"),
    "prepend|unshift": grammars.add("prepend"),
    "increment": grammars.adjust(1, unit_step=True),
    "decrement": grammars.adjust(-1, unit_step=True),
    "increase|raise|bump|bump up|boost|grow|extend": grammars.adjust(1),
    "decrease|reduce|lower|cut|drop down|shrink|discount": grammars.adjust(-1),
    "subtract|deduct": grammars.subtract,
    "double": grammars.scale("double"),
    "triple": grammars.scale("triple"),
    "quadruple": grammars.scale("quadruple"),
    "halve": grammars.scale("halve"),
    "multiply": grammars.scale("multiply"),
    "divide": grammars.scale("divide"),
    "toggle|invert|negate": states.toggle,
    "enable": grammars.switch("enable"),
    "disable": grammars.switch("disable"),
    "activate": grammars.switch("activate"),
    "deactivate": grammars.switch("deactivate"),
    "turn on|switch on": grammars.switch("enable"),
    "turn off|switch off": grammars.switch("disable"),
    "mark|flag": states.mark,
    "swap|exchange|interchange": arrange.swap,
    "move": arrange.move,
    "copy": arrange.copy,
    "sort|order": arrange.sort,
    "reverse": arrange.reverse,
    "uppercase|upcase": grammars.case("uppercase"),
    "lowercase|downcase": grammars.case("lowercase"),
    "capitalize|capitalise": grammars.case("capitalize"),
    "trim": grammars.case("trim"),
    "dedupe|deduplicate": grammars.dedupe,
}
VERBS: dict[tuple[str, ...], Grammar] = {
    tuple(phrase.split()): grammar
    for names, grammar in _TABLE.items()
    for phrase in names.split("|")
}
_WIDEST = max(map(len, VERBS))


def verb_at(tokens: Tokens, place: int = 0) -> tuple[Grammar, int] | None:
    """The grammar of the verb that begins at *place*, and how many words the verb has."""
    for width in range(_WIDEST, 0, -1):
        words = tuple(t.low for t in tokens[place : place + width])
        if len(words) == width and words in VERBS:
            return VERBS[words], width
    return None
