"""Where a clause applies: phrases resolved under its scopes and what was spoken of before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from redline.instruct.effects.outcome import EffectOutcome, Unclear
from redline.instruct.effects.resolved import Nothing, ResolvedNodes
from redline.instruct.effects.tied import (
    is_field,
    is_settled,
    is_tested,
    named_nodes,
    nearest_to,
    tested_fields,
)
from redline.instruct.effects.values.endings import says_how, says_where, speaks_on
from redline.instruct.effects.values.shapes import shape_doubt
from redline.instruct.effects.values.typing import doubt_of, type_value
from redline.instruct.grammar.additions.new_places import NewPlace
from redline.instruct.grammar.chart import Chart
from redline.instruct.grammar.clauses import Clause, ScopePhrase
from redline.instruct.grammar.frames import VERBS
from redline.instruct.grammar.phrase import Phrase
from redline.instruct.grammar.selectors import is_about
from redline.instruct.grammar.values import TokenSpan
from redline.instruct.language.words import key_words, unit_of
from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.synonyms import may_abbreviate
from redline.instruct.lexicon.tree import DocumentTree, Nodes
from redline.instruct.model.operations import ABSENT, DocumentOperation
from redline.instruct.model.values import Num, Value, dumps, same

# Effects of which `it` may be the document itself where nothing was spoken of before.
_OF_THE_DOCUMENT = frozenset({"verbed", "implied", "enum"})
# Effects of which `it` is the field that was spoken of, not its record.
_OF_A_FIELD = frozenset({"rename", "retype", "case", "scale", "shift", "affix", "sort", "reverse",
                         "assign", "switch"})  # fmt: skip


@dataclass(slots=True)
class EffectContext:
    """One clause at work: its chart, its scopes, and the nodes clauses before it were about."""

    chart: Chart
    clause: Clause
    focus: Nodes = ()
    doubt: str = ""
    cost: int = 0
    whole: bool = True
    part: bool = False
    previous: Clause | None = None
    many: bool = False
    choice: int | None = None
    scoped: bool = False  # the clause's scopes were applied to something

    @property
    def tree(self) -> DocumentTree:
        return self.chart.tree

    def text(self, span: TokenSpan | Phrase | NewPlace) -> str:
        """Return the words of a span as they were written."""
        return self.chart.text(span.start, span.end)

    def resolve(self, phrase: Phrase, *, scoped: bool = True) -> ResolvedNodes:
        """Return the nodes of *phrase* under the clause's scopes; Refusal unless they are meant."""
        nodes = self._refer_back(phrase) if phrase.owner else named_nodes(self.tree, phrase)
        many, unsure = phrase.many or is_tested(self.clause, nodes), phrase.unsure
        if phrase.owner and self.chart.low(phrase.start) == "their":
            many = many or len(nodes) == len({self.record_of(n) for n in self.focus})
        if not nodes and phrase.filtered:
            raise Nothing(self.text(phrase), many=many, filtered=True)
        if phrase.owner and not phrase.nodes:
            self.scoped, scoped = True, False  # what a pronoun refers to is in scope already
        self.scoped = self.scoped or scoped
        for scope in self._scopes(phrase, scoped):
            before = nodes
            nodes, wide, loose = self._narrow(nodes, scope, many)
            many, unsure = many or wide, unsure or loose
            if before and not nodes and (scope.condition is not None or self._is_empty(scope)):
                unmet = scope.is_if and scope.cost <= 1  # a value that the field has nowhere
                unmet = unmet and (scope.condition is None or scope.condition.whole)
                several = many and not scope.loose
                raise Nothing(self.text(phrase), many=several, filtered=True, unmet=unmet)
        if not nodes or any(set(part).isdisjoint(nodes) for part in phrase.parts):
            raise Unclear("target", f"nothing here is {self.text(phrase)!r}")
        near = nodes if many or len(nodes) == 1 else self._near(nodes)
        unsure = unsure or self._is_of_several(near, scoped)
        nodes = self._single_out(phrase, nodes, many, unsure)
        if phrase.doubt:
            self.doubt = self.doubt or f"what {self.text(phrase)!r} means is a guess"
        self.whole = self.whole and phrase.whole
        self.part = self.part or phrase.part or not phrase.whole
        return ResolvedNodes(nodes, many or len(nodes) > 1, phrase.whole, phrase.cost, phrase)

    def _scopes(self, phrase: Phrase, scoped: bool) -> tuple[ScopePhrase, ...]:
        """Return the scopes that narrow a phrase; conditions hold for a pronoun as well."""
        if scoped:
            return self.clause.scopes
        if not phrase.owner or phrase.nodes:
            return ()
        return tuple(s for s in self.clause.scopes if s.condition is not None or self._is_empty(s))

    def _is_of_several(self, nodes: Nodes, scoped: bool) -> bool:
        """Return whether a scope speaks of one thing and several of them are left."""
        for scope in self.clause.scopes if scoped else ():
            phrase = scope.phrase
            if phrase is None or phrase.many or not scope.wanted:
                continue
            tops = self.tree.outermost(phrase.nodes)
            if phrase.sort is Sort.KEY and not phrase.whole:
                # "the course" may name the courses, but then it is one of them
                tops = [c for n in tops for c in self.tree.children(n)]
            elif phrase.sort is not Sort.ITEMS:
                continue
            if sum(1 for top in tops if self.tree.below(top, nodes)) > 1:
                return True
        return False

    def _single_out(self, phrase: Phrase, nodes: Nodes, many: bool, unsure: bool) -> Nodes:
        """Return the nodes that are meant; Refusal when one is meant and several fit."""
        if len(nodes) > 1 and not many:
            nodes = self._near(nodes)
        if is_settled(phrase.parts, nodes):
            return nodes
        if self.choice in nodes and ((len(nodes) > 1 and not many) or unsure):
            nodes, unsure = tuple(n for n in nodes if n == self.choice), False
        if (len(nodes) > 1 and not many) or unsure:
            raise Unclear("several", self._several(phrase, nodes), nodes)
        return nodes

    def fields(self) -> ResolvedNodes:
        """Return the places whose value the clause changes; Refusal for records."""
        found = self.resolve(self.clause.role("target"))
        assert found.phrase is not None
        if found.phrase.sort in (Sort.RECORD, Sort.FLAG) or 0 in found.nodes:
            raise Unclear("type", "it is a record, not a field", found.nodes)
        return found

    def _is_empty(self, scope: ScopePhrase) -> bool:
        return scope.phrase is not None and scope.phrase.filtered and not scope.phrase.nodes

    def _refer_back(self, phrase: Phrase) -> Nodes:
        """Return what a pronoun refers to: what was spoken of last, or a part of its record."""
        if not self.focus:
            if self.clause.effect in _OF_THE_DOCUMENT and self.text(phrase).lower() == "it":
                return (0,)
            if len(phrase.nodes) == 1 and self.clause.effect == "assign":
                return phrase.nodes  # "their phone number", where there is only one
            raise Unclear("target", f"it is not clear what {self.text(phrase)!r} refers to")
        if not phrase.nodes and self.focus == self.chart.made:
            return self.focus
        if not phrase.nodes and (tested := tested_fields(self.tree, self.clause)):
            return tested
        if (
            not phrase.nodes
            and self.clause.effect in _OF_A_FIELD
            and is_field(self.tree, self.clause, self.previous, self.focus)
        ):
            return self.focus
        if not phrase.nodes:
            records = tuple(sorted({self.record_of(node) for node in self.focus}))
            return self.focus if phrase.many else records if len(records) == 1 else self.focus
        return self._beside(phrase.nodes) or ()

    def record_of(self, node: int) -> int:
        """Return the record a node is or belongs to."""
        return node if isinstance(self.tree.values[node], dict) else self.tree.record_of(node)

    def _beside(self, nodes: Nodes) -> Nodes:
        """Return those of *nodes* in the nearest container around what was spoken of."""
        chosen: list[int] = []
        for focus in self.focus:
            for holder in (focus, *self.tree.ancestors(focus)):
                inner = self.tree.below(holder, nodes)
                if inner and holder >= 0:
                    chosen += inner
                    break
        return tuple(sorted(set(chosen)))

    def _near(self, nodes: Nodes) -> Nodes:
        """Return the one of *nodes* beside what was spoken of before, else all of them."""
        if not self.focus:
            return nodes
        inner = self._beside(nodes)
        if inner and len(inner) == len({self.record_of(n) for n in self.focus}):
            self.cost += 1
            self.many = self.many or len(inner) > 1
            return inner if len(inner) == 1 else nodes
        return nodes

    def _narrow(self, nodes: Nodes, scope: ScopePhrase, many: bool) -> tuple[Nodes, bool, bool]:
        """Return the nodes in a scope, whether it means several, and whether it is unsure."""
        if scope.condition is not None:
            # a condition chooses among all the places there are
            return *nearest_to(self.tree, scope.condition, self._select(nodes, scope)), False
        phrase = scope.phrase
        if phrase is None:
            return nodes, scope.is_everywhere, False
        self._check_scope(phrase, nodes, many)
        holders = self._refer_back(phrase) if phrase.owner else named_nodes(self.tree, phrase)
        inside = self._within(nodes, holders, phrase, scope.wanted)
        if not scope.wanted:
            gone = set(inside)
            return tuple(n for n in nodes if n not in gone), True, not gone
        if not inside and not self._is_empty(scope):
            inside = self._by_value(nodes, phrase)
        if not inside and not phrase.filtered and nodes:
            raise Unclear("target", f"it is not in {self.text(phrase)!r}", nodes)
        if phrase.joined and inside and not all(self._have_some(holders, inside)):
            raise Unclear("target", f"not all of {self.text(phrase)!r} have it", nodes)
        is_one = many and not phrase.many
        loose = phrase.unsure or (is_one and sum(self._have_some(holders, inside)) > 1)
        return inside, phrase.many, loose

    def _have_some(self, holders: Nodes, nodes: Nodes) -> Iterator[bool]:
        """Yield for each of the outermost *holders* whether any of *nodes* lies in it."""
        tree = self.tree
        return (bool(tree.below(top, nodes)) for top in tree.outermost(holders))

    def _within(self, nodes: Nodes, holders: Nodes, phrase: Phrase, wanted: bool) -> Nodes:
        inside = self.tree.inside(nodes, holders)
        if phrase.top:
            return tuple(n for n in inside if self.tree.parents[n] == 0)
        if not wanted or phrase.sort in (Sort.RECORD, Sort.FLAG):
            return inside
        held, values = set(holders), self.tree.values
        return tuple(n for n in inside if n not in held or not isinstance(values[n], dict | list))

    def _select(self, nodes: Nodes, scope: ScopePhrase) -> Nodes:
        """Return the nodes for which a scope's condition holds, or does not where it must not."""
        is_group = self.tree.is_group
        nodes = tuple(n for n in nodes if not is_group(n))
        chosen: Nodes | None = scope.condition.select(self.tree, nodes) if nodes else None
        if chosen is None or not (scope.is_if or is_about(self.tree, nodes, scope.condition)):
            raise Unclear("target", "the condition does not fit what it is about", nodes)
        self.part = self.part or not scope.condition.whole
        kept = set(chosen)
        return chosen if scope.wanted else tuple(n for n in nodes if n not in kept)

    def _check_scope(self, phrase: Phrase, nodes: Nodes, many: bool) -> None:
        """Refuse a scope that is a part of the value to change; doubt one by a part of a name."""
        by_part = not phrase.whole and phrase.sort is Sort.RECORD
        if by_part and set(phrase.fields) & set(nodes):
            raise Unclear("target", f"{self.text(phrase)!r} is a part of what is to change", nodes)
        self.part = self.part or phrase.part or not phrase.whole
        # a group is named behind `in`, rather than a member by a part of its name
        among = self.chart.low(phrase.start - 1) in ("in", "from", "at", "on", "within")
        if phrase.doubt or (by_part and (many or among)):
            self.doubt = self.doubt or f"what {self.text(phrase)!r} means is a guess"

    def _by_value(self, nodes: Nodes, phrase: Phrase) -> Nodes:
        """Return the nodes whose record holds a named value somewhere inside."""
        fields = phrase.fields
        tree = self.tree
        if phrase.sort is not Sort.RECORD or not fields:
            return ()
        return tuple(
            n for n in nodes
            if n > 0 and not tree.is_group(n) and tree.below(self.record_of(n), sorted(fields))
        )  # fmt: skip

    def _several(self, phrase: Phrase, nodes: Nodes) -> str:
        keys = {self.tree.keys[n] for n in nodes}
        if len(keys) == 1 and isinstance(key := keys.pop(), str):
            return f"multiple {' '.join(key_words(key)) or key} fields found"
        return f"{self.text(phrase)!r} fits {len(nodes)} places"

    def type_value(self, span: TokenSpan, node: int) -> Value:
        """Return the value *span* says for the place of *node*."""
        current, key = self.tree.values[node], self.key(node)
        text = self.tree.text(node)
        holder = self.tree.parents[self.tree.parents[node]] if text is not None else node
        memo = (span.meaning, key, text, type(current), holder)
        known = self.chart.typed_values.get(memo)
        if known is None:
            known = self.chart.typed_values[memo] = self._type_with_doubt(span, node, current, key)
        self.doubt = self.doubt or known[1] or says_where(self, span, node)
        self.doubt = self.doubt or says_how(self, span, node)
        return known[0]

    def _type_with_doubt(
        self, span: TokenSpan, node: int, current: Value, key: str
    ) -> tuple[Value, str]:
        """Return the value and why it is in doubt."""
        tokens = self.chart.tokens[span.start : span.end]
        if span.extra == "literal":
            return type_value(tokens, self.chart.source, ABSENT), ""
        peers = self.tree.peers(node)
        found = type_value(tokens, self.chart.source, current, peers, self._measured_by(node, key))
        doubt = doubt_of(tokens, current, peers, key) or speaks_on(self, span)
        if not doubt and tokens[0].kind == "word" and shape_doubt(found, current):
            doubt = f"{key} does not hold such a value now"
        return found, doubt

    def _measured_by(self, node: int, key: str) -> str:
        """Return the key that says in which unit a number is: its own, or that of its section."""
        section = self.tree.keys[self.tree.parents[node]]
        words = key_words(section) if isinstance(section, str) else ()
        if not isinstance(self.tree.values[node], Num) or not words or not unit_of(words[-1]):
            return key
        return key if unit_of(key_words(key)[-1:][0] if key_words(key) else "") else str(section)

    @property
    def is_statement(self) -> bool:
        """Whether the clause says how things are, without a verb that asks for a change."""
        return not self.clause.gap and self.chart.low(self.clause.start) not in VERBS

    def names_key(self, place: int, end: int = 0) -> bool:
        """Return whether a key is there, or before *end* its short form and a value: `, tz UTC`."""
        short = self.chart.low(place - 1) == "," and place + 1 < end
        if short and may_abbreviate(self.chart.low(place), self.tree.by_key):
            return True
        senses = self.chart.lexicon.senses(place)
        return any(sense.sort is Sort.KEY and sense.whole for sense in senses)

    def key(self, node: int) -> str:
        """Return the key a node is known by: its own, or that of the array it is in."""
        key = self.tree.keys[node]
        return key if isinstance(key, str) else str(self.tree.keys[self.tree.parents[node]])

    def replace(self, node: int, value: Value, confidence: float = 0.95) -> list[DocumentOperation]:
        """Return the operation that gives *node* a value, or none when it has it."""
        old = self.tree.values[node]
        if same(old, value) and (not isinstance(old, Num) or old == value):
            return []
        if isinstance(old, dict | list) and type(old) is type(value) and dumps(old) == dumps(value):
            return []
        sure = round(self.rate(confidence), 2)
        return [DocumentOperation("replace", self.tree.path(node), old, value, confidence=sure)]

    def rate(self, confidence: float) -> float:
        """Return the confidence, lower where only a part of a name matched."""
        return confidence if self.whole and not self.part else confidence - 0.03

    def each(
        self, found: ResolvedNodes, change: Callable[[int], Value], confidence: float = 0.95
    ) -> EffectOutcome:
        """Return the outcome of giving each node the value *change* makes for it."""
        operations: list[DocumentOperation] = []
        for node in found.nodes:
            operations += self.replace(node, change(node), confidence)
        return self.outcome(operations, found.nodes)

    def outcome(
        self, operations: list[DocumentOperation], found: Nodes, note: str = "already as asked"
    ) -> EffectOutcome:
        """Return the outcome with what the clause cost and leaves in doubt."""
        return EffectOutcome(tuple(operations), note, found, doubt=self.doubt, cost=self.cost)
