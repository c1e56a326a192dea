"""Sentences: how an instruction divides into clauses, and what every clause does.

Clauses are joined by `and`, `then`, commas, semicolons, stops and line breaks. A clause without a
verb goes on with that of the one before: `set a to 1, b to 2`. A scope in front (`In jobs.test,`)
holds to the end of its sentence, one behind holds for the clause.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.instruct import filters
from redline.instruct.forms import FormWord, match
from redline.instruct.kinds import BY_VERB, REMOVING, WITHOUT_VERB, Form
from redline.instruct.paths import looks_like_path
from redline.instruct.plans import ABSENT_NOTE, DONE_NOTE, ClauseOutcome, split_list
from redline.instruct.promises import promise
from redline.instruct.sentence import Env, Pick, Sentence
from redline.instruct.targets import PREPOSITIONS, owner_of, phrase, without
from redline.instruct.words import GENERIC, QUANTIFIERS, key_form, singular

JOINTS = frozenset((",", ";", ".", "\n", "and", "then", "but", "also", "!", "plus"))
_CONNECTIVES = JOINTS | frozenset(
    "please additionally finally next afterwards furthermore moreover first lastly".split()
)
_STOPS = frozenset((".", "\n", "!"))
_TRAILERS = (
    ("in", "that", "order"),
    ("again",),
    ("please",),
    ("as", "well"),
    ("too",),
    ("instead",),
    ("entirely",),
    ("completely",),
)
# What is not there needs no removal.
_IF_THERE = (
    ("if", "it", "is", "there"),
    ("if", "it", "is", "present"),
    ("if", "it", "exists"),
    ("if", "present"),
    ("if", "they", "exist"),
)
MAX_READINGS = 12


def read(s: Sentence) -> list[tuple[ClauseOutcome, ...]]:
    """Return every complete reading of the instruction: the outcomes of its clauses."""
    return _sequence(s, 0, len(s.tokens), Env(), None, False)


Readings = list[tuple[ClauseOutcome, ...]]


def _sequence(s: Sentence, i: int, j: int, env: Env, verb: Form | None, elided: bool) -> Readings:
    key = ("sequence", i, j, env, id(verb), elided)
    known: Readings | None = s.memo.get(key)
    if known is not None:
        return known
    s.tree.spend(10)
    found: dict[object, tuple[ClauseOutcome, ...]] = {}
    for reading in _sequences(s, i, j, env, verb, elided):
        found.setdefault(_signature(reading), reading)
        if len(found) >= MAX_READINGS:
            break
    s.memo[key] = list(found.values())
    return s.memo[key]  # type: ignore[no-any-return]


def _signature(reading: tuple[ClauseOutcome, ...]) -> object:
    return tuple(
        (o.op, o.path, o.new_path, repr(o.value)) for outcome in reading for o in outcome.operations
    ), tuple(outcome.note for outcome in reading)


def _sequences(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None, elided: bool
) -> Iterator[tuple[ClauseOutcome, ...]]:
    i = _skip(s, i, j)
    if i >= j:
        yield ()
        return
    if not elided:
        yield from _begin_with_front(s, i, j, env)
    ends = [k for k in range(i + 1, j) if s.tokens[k].low in JOINTS] + [j]
    for end in ends:
        for outcome, form in _clause(s, i, end, env, verb, elided):
            inner = env._replace(it=outcome.it) if outcome.it is not None else env
            if end < j and s.tokens[end].low in _STOPS and elided:
                continue
            for rest in _sequence(s, end, j, inner, form, elided):
                if not (rest and rest[0].scoped and _is_bare(s, i, end)):
                    yield (outcome, *rest)


def _is_bare(s: Sentence, i: int, end: int) -> bool:
    """Return whether a clause names a key alone, to which the scope behind the next one belongs."""
    bare = not any(
        t.kind == "poss" or t.low in PREPOSITIONS or looks_like_path(t.text)
        for t in s.tokens[i:end] if t.kind != "quoted"
    )  # fmt: skip
    if bare:
        s.fail(24, f'it does not say where "{s.source(i, end)}" is meant: name it by path')
    return bare


def _skip(s: Sentence, i: int, j: int) -> int:
    """Return where the next clause begins: behind joints, courtesies and numbering."""
    while i < j:
        token = s.tokens[i]
        following = s.tokens[i + 1].low if i + 1 < j else ""
        if token.low in _CONNECTIVES:
            i += 1
        elif (token.low == "in" and following == "addition") or (
            _is_number(token.low) and following in (".", ")")
        ):
            i += 2
        elif token.low == "(" and i + 2 < j and s.tokens[i + 2].low == ")" and len(following) <= 2:
            i += 3
        elif token.low in ("-", "*", "•"):
            i += 1
        elif _announcement(s, i, j):
            i = _announcement(s, i, j)
        else:
            break
    return i


def _is_number(text: str) -> bool:
    return text.isdigit() or (len(text) == 1 and text.isalpha())


def _announcement(s: Sentence, i: int, j: int) -> int:
    """Return where `make the following changes:` ends, 0 when it does not begin here."""
    words = s.words(i, min(i + 6, j))
    if words[:1] not in (["make"], ["apply"], ["perform"]):
        return 0
    for size, word in enumerate(words):
        if word == ":":
            middle = words[1:size]
            allowed = {"these", "the", "following", "changes", "edits", "updates", "two", "three",
                       "this", "change", "edit", "all", "of", "to", "it"}  # fmt: skip
            return i + size + 1 if set(middle) <= allowed else 0
    return 0


# -- fronts


def _begin_with_front(s: Sentence, i: int, j: int, env: Env) -> Iterator[tuple[ClauseOutcome, ...]]:
    """Yield the readings in which the sentence begins with a scope or a condition."""
    end = next((k for k in range(i, j) if s.tokens[k].low in _STOPS), j)
    word = s.tokens[i].low
    if word in ("if", "unless", "when") or s.words(i, i + 2) == ["only", "if"]:
        start = i + 1 + (word == "only")
        yield from _conditional(s, start, end, j, env, word)
        return
    begin = (
        i + 1
        if word in PREPOSITIONS | {"update", "modify", "edit", "change", "upgrade", "adjust"}
        else i
    )
    begin += 2 * (s.words(i, i + 2) == ["only", "for"])
    for k in range(begin + 1, end):
        low = s.tokens[k].low
        closes = low == ":" or (word in PREPOSITIONS and (low == "," or low in BY_VERB))
        if closes:
            yield from _in_front(s, begin, k, end, j, env)


def _in_front(
    s: Sentence, i: int, k: int, end: int, j: int, env: Env
) -> Iterator[tuple[ClauseOutcome, ...]]:
    stop = k - 2 if s.words(k - 2, k) == ["as", "follows"] else k
    stop = k - 1 if s.words(k - 1, k) == ["only"] else stop
    for pick in (*phrase(s, i, stop, env), *_around(s, i, stop, env)):
        if not _is_scope(s, pick, i, stop):
            if pick.many and not pick.nodes and _has_form(s, k, end):
                yield (ClauseOutcome((), pick, ABSENT_NOTE),)
            continue
        # a text is a scope only for what replaces a part of it
        holds = any(s.tree.is_container(n) for n in pick.nodes)
        in_text = s.tokens[i - 1].low in PREPOSITIONS and s.words(k + 1, k + 2) == ["replace"]
        if not holds and not in_text:
            continue
        start = k if s.tokens[k].low in BY_VERB else k + 1
        whole = _sequence(s, start, end, Env(pick, pick), None, False)
        for first in whole:
            yield from ((*first, *rest) for rest in _sequence(s, end, j, env, None, False))
        if not whole:
            yield from _scope_ending(s, start, end, j, pick)


def _around(s: Sentence, i: int, stop: int, env: Env) -> Iterator[Pick]:
    """Yield the scope before this one if this one holds all of it: every rule, in all groups."""
    scope = env.scope
    for outer in phrase(s, i, stop, Env()) if scope is not None else ():
        assert scope is not None
        if not outer.several and all(s.tree.lies_in(n, outer.members) for n in scope.nodes):
            yield scope


def _scope_ending(
    s: Sentence, start: int, end: int, j: int, pick: Pick
) -> Iterator[tuple[ClauseOutcome, ...]]:
    """Yield the readings in which a later clause names an owner outside of the scope in front."""
    for k in range(start + 1, end):
        following = _skip(s, k, end)
        if s.tokens[k].low not in JOINTS or not _has_form(s, k, end):
            continue
        if _is_bare(s, following + 1, _clause_end(s, following, end)):
            continue
        for first in _sequence(s, start, k, Env(pick, pick), None, False):
            yield from ((*first, *rest) for rest in _sequence(s, k, j, Env(), None, False))


def _clause_end(s: Sentence, i: int, j: int) -> int:
    """Return where the target of a clause ends: at its value or at the next joint."""
    stops = JOINTS | {"to", "by", "=", "with"}
    return next((k for k in range(i + 1, j) if s.tokens[k].low in stops), j)


def _is_scope(s: Sentence, pick: Pick, i: int, j: int) -> bool:
    """Return whether a phrase names exactly what it speaks of, and something at all."""
    if pick.several:
        s.fail(15, f'"{s.source(i, j)}" fits {len(pick.nodes)} places', pick.nodes)
    elif not pick.nodes:
        s.fail(22, f'there is no "{s.source(i, j)}"')
    return bool(pick.nodes) and not pick.several


def _has_form(s: Sentence, i: int, j: int) -> bool:
    i = _skip(s, i, j)
    return i < j and s.tokens[i].low in BY_VERB


def _conditional(
    s: Sentence, start: int, end: int, j: int, env: Env, word: str
) -> Iterator[tuple[ClauseOutcome, ...]]:
    for k in range(start + 2, end):
        joined = s.tokens[k].low in (",", "then")
        if not joined and s.tokens[k].low not in BY_VERB:
            continue
        for held, it in truth(s, start, k, env):
            for done in _sequence(s, k + joined, end, env._replace(it=it), None, False):
                unmet = (ClauseOutcome((), None, "the condition is not met"),)
                first = unmet if held is (word == "unless") else done
                yield from ((*first, *rest) for rest in _sequence(s, end, j, env, None, False))


def truth(s: Sentence, i: int, j: int, env: Env) -> list[tuple[bool, Pick]]:
    """Return whether a condition about named places is true, for each of its readings."""
    key = ("truth", i, j, env)
    known: list[tuple[bool, Pick]] | None = s.memo.get(key)
    if known is None:
        known = s.memo[key] = list(_truth(s, i, j, env))
    return known


def _truth(s: Sentence, i: int, j: int, env: Env) -> Iterator[tuple[bool, Pick]]:
    for k in range(i + 1, j - 1):
        word = s.tokens[k].low
        if word in ("and", "or"):
            for left, it in truth(s, i, k, env):
                for right, _ in truth(s, k + 1, j, env):
                    yield (left or right) if word == "or" else (left and right), it
    if s.tokens[i].low in ("any", "all", "every", "each"):
        yield from _truth_of_many(s, i, j, env)
        return
    for k in range(j - 1, i, -1):
        single = (p for p in phrase(s, i, k, env) if len(p.nodes) == 1 and not p.several)
        for pick in single:
            yield from ((kept, pick) for kept in filters.holds(s, k, j, pick.nodes[0]))


def _truth_of_many(s: Sentence, i: int, j: int, env: Env) -> Iterator[tuple[bool, Pick]]:
    """Yield whether any of several places, or every one, meets what is said of it."""
    is_any = s.tokens[i].low == "any"
    for k in range(i + 2, j):
        for pick in phrase(s, i, k, env):
            records = pick.many and all(isinstance(s.tree.values[n], dict) for n in pick.nodes)
            for kept in filters.condition(s, k, j, pick.nodes) if records else ():
                yield bool(kept) if is_any else len(kept) == len(pick.nodes), pick


# -- clauses


def _clause(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None, elided: bool
) -> list[tuple[ClauseOutcome, Form | None]]:
    key = ("clause", i, j, env, id(verb), elided)
    known: list[tuple[ClauseOutcome, Form | None]] | None = s.memo.get(key)
    if known is None:
        s.memo[key] = []
        known = s.memo[key] = _once(_clauses(s, i, j, env, verb, elided))
    return known


def _once(
    found: Iterator[tuple[ClauseOutcome, Form | None]],
) -> list[tuple[ClauseOutcome, Form | None]]:
    kept: dict[object, tuple[ClauseOutcome, Form | None]] = {}
    for outcome, form in found:
        kept.setdefault(_signature((outcome,)), (outcome, form))
        if len(kept) >= MAX_READINGS:
            break
    return list(kept.values())


def _clauses(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None, elided: bool
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    for trailer in _TRAILERS:
        if j - i > len(trailer) + 1 and tuple(s.words(j - len(trailer), j)) == trailer:
            end = j - len(trailer)
            end -= s.tokens[end - 1].low == ","
            yield from _clause(s, i, end, env, verb, elided)
            return
    for condition in _IF_THERE if s.tokens[i].low in REMOVING else ():
        if j - i > len(condition) + 1 and tuple(s.words(j - len(condition), j)) == condition:
            yield from _clause(s, i, j - len(condition), env, verb, elided)
            return
    kept = promise(s, i, j, env)
    if kept is not None:
        yield kept, verb
        return
    if s.tokens[j - 1].low == ")":
        yield from _with_remark(s, i, j, env, verb)
    found = list(_forms_of(s, i, j, env, verb))
    yield from found or _where_behind(s, i, j, env, verb)
    yield from _if_behind(s, i, j, env, verb)
    yield from _except_behind(s, i, j, env, verb)


def _with_remark(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield what a clause does that a remark in brackets behind it repeats in other words."""
    k = next((p for p in range(j - 1, i, -1) if s.tokens[p].low == "("), i)
    if k <= i + 1 or k + 1 >= j - 1:
        return
    for outcome, form in _clause(s, i, k, env, verb, False):
        if outcome.operations and _repeats(s, k + 1, j - 1, outcome):
            yield outcome, form


def _repeats(s: Sentence, i: int, j: int, outcome: ClauseOutcome) -> bool:
    """Return whether words name exactly what a clause changes, or say its change once more."""
    operations = set(map(repr, outcome.operations))
    for env in (Env(), Env(outcome.it, outcome.it)):
        for again, _ in _clause(s, i, j, env, None, False):
            if set(map(repr, again.operations)) == operations:
                return True
    picks = [
        [p for p in phrase(s, *span, Env()) if len(p.nodes) == 1] for span in split_list(s, i, j)
    ]
    if not picks or not all(len(found) == 1 for found in picks):
        return False
    named = {s.tree.path(found[0].nodes[0]) for found in picks}
    above = [{o.path[:n] for n in range(len(o.path) + 1)} & named for o in outcome.operations]
    return all(above) and set().union(*above) == named


def _forms_of(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield what the clause does by a form of its own, by the verb before, or in a scope behind."""
    own = BY_VERB.get(s.tokens[i].low)
    # add an object with "a": 1 and "b": 2: the second key is a field of it
    added = verb is not None and verb.name == "add a record" and s.tokens[i].kind == "quoted"
    for form in (() if added else WITHOUT_VERB) if own is None else own:
        yield from _match_form(s, form, i, j, env)
    # a key may be called like a verb: set price to 2 and scale to 3
    is_key = bool(s.tree.by_form.get(key_form(s.tokens[i].text)))
    if verb is not None and (own is None or is_key):
        yield from _match_elided(s, i, j, env, verb)
    for outcome, form_ in _with_scope(s, i, j, env, verb):
        yield outcome._replace(scoped=own is None), form_


def _match_form(
    s: Sentence, form: Form, i: int, j: int, env: Env
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    for slots in match(s, form.pattern, i, j):
        s.tree.spend(5)
        for outcome in form.plan(s, slots, env):
            yield outcome, form


def _match_elided(
    s: Sentence, i: int, j: int, env: Env, verb: Form
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield the readings of a clause that goes on with the verb of the one before."""
    forms = [f for f in BY_VERB.get(_verb_of(verb), ()) if f.name == verb.name]
    for form in forms:
        pattern = form.pattern[_lead(form) :]
        placed = len(pattern) > 1 or "from" in s.words(i, j)
        if not placed or isinstance(pattern[0], FormWord):
            continue
        for slots in match(s, pattern, i, j):
            for outcome in form.plan(s, slots, env):
                yield outcome, verb
            if env.it is not None and env.scope is None:
                beside = Env(owner_of(s, env.it), env.it)
                for outcome in form.plan(s, slots, beside):
                    yield outcome, verb


def _verb_of(form: Form) -> str:
    first = form.pattern[0]
    return min(first.words) if isinstance(first, FormWord) else ""


def _lead(form: Form) -> int:
    """Return how many words of a pattern its verb is."""
    count = 0
    for element in form.pattern:
        if not isinstance(element, FormWord):
            break
        count += 1
    return count


def _with_scope(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield the readings with a scope behind: set a to 1 and b to 2 for every job."""
    for k in range(i + 2, j - 1):
        if s.tokens[k].text not in PREPOSITIONS or s.tokens[k - 1].low == ";":
            continue
        if s.tokens[k].low == "of" and any(
            s.tokens[p].low == "and" and s.tokens[p + 1].low in BY_VERB for p in range(i, k - 1)
        ):
            continue  # enable a and add 1 to the b of c: the owner belongs to the last clause
        before = s.it_field
        refers = {"it", "one", "them"} & set(s.words(k, j))
        s.it_field = _target_words(s, i, k) if refers else before
        for pick in phrase(s, k + 1, j, env):
            if _is_scope(s, pick, k + 1, j):
                yield from _inside_scope(s, i, k, pick, env, verb)
            elif pick.many and not pick.nodes and s.tokens[i].low in BY_VERB:
                yield ClauseOutcome((), pick, ABSENT_NOTE), verb
        s.it_field = before


def _inside_scope(
    s: Sentence, i: int, k: int, pick: Pick, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield what a clause does in a scope; for students in CS1, in each of their records."""
    found = list(_inside(s, i, k, Env(pick, env.it), verb))
    points_back = s.tokens[k + 1].low in ("those", "these", "that", "this")
    is_kind = len(pick.nodes) == 1 and s.tree.is_collection(pick.nodes[0])
    if not found and is_kind and not points_back:
        members = Pick(tuple(s.tree.children(pick.nodes[0])), True)
        found = list(_inside(s, i, k, Env(members, env.it), verb)) if members.nodes else []
    yield from found


def _where_behind(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield the readings of `set a to 1 where b is 2` in records that have both."""
    k = next((p for p in range(i + 3, j - 1) if s.tokens[p].low == "where"), 0)
    # all items where b is 2: it is the items that are meant
    of_records = any(t.low in QUANTIFIERS or singular(t.low) in GENERIC for t in s.tokens[i:k])
    if not k or of_records or env.scope is not None or s.tokens[i].low not in BY_VERB:
        return
    named = {
        form for p in range(k + 1, j) if (form := key_form(s.tokens[p].text)) in s.tree.by_form
    }
    groups: dict[tuple[str, ...], list[int]] = {}
    for form in named:
        for node in s.tree.by_form[form]:
            record = s.tree.record_of(node)
            if record is not None:
                kind = tuple(p for p in s.tree.path(s.tree.parents[record]) if not p.isdigit())
                groups.setdefault(kind, []).append(record)
    before, s.it_field = s.it_field, (0, 0)
    for records in groups.values():
        members = tuple(dict.fromkeys(records))
        for kept in filters.keep(s, k, j, members):
            if kept:
                yield from _inside(s, i, k, Env(Pick(kept, True), env.it), verb)
    s.it_field = before


def _inside(
    s: Sentence, i: int, k: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield what the clauses before token *k* do inside the scope behind them."""
    end = k - (s.tokens[k - 1].low in (",", "only"))
    own = None if s.tokens[i].low in BY_VERB else verb
    for outcomes in _sequence(s, i, end, env, own, True):
        if outcomes:
            operations = tuple(o for outcome in outcomes for o in outcome.operations)
            note = "; ".join(dict.fromkeys(o.note for o in outcomes if o.note))
            yield ClauseOutcome(operations, env.scope, note), _form_of(s, i, verb)


def _form_of(s: Sentence, i: int, verb: Form | None) -> Form | None:
    forms = BY_VERB.get(s.tokens[i].low)
    return forms[0] if forms else verb


def _target_words(s: Sentence, i: int, k: int) -> tuple[int, int]:
    """Return the words between the verb and `to`, `by` or the scope."""
    end = next((p for p in range(i + 1, k) if s.tokens[p].low in ("to", "by", "from", "=")), k)
    return (i + 1, end) if end > i + 1 else (0, 0)


def _except_behind(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    """Yield what a clause does without the exceptions behind it: set all prices to 2 except x."""
    k = next((p for p in range(i + 3, j - 1) if s.tokens[p].low in ("except", "excluding")), 0)
    end = k - (s.tokens[k - 1].low == ",")
    for outcome, form in _clause(s, i, end, env, verb, False) if k else ():
        head = outcome.it
        for kept in without(s, head, k + 1, j) if head is not None and head.many else ():
            paths = {s.tree.path(n) for n in kept.nodes}
            operations = tuple(
                o for o in outcome.operations
                if any(o.path[:size] in paths for size in range(1, len(o.path) + 1))
            )  # fmt: skip
            yield ClauseOutcome(operations, kept, "" if operations else DONE_NOTE), form


def _if_behind(
    s: Sentence, i: int, j: int, env: Env, verb: Form | None
) -> Iterator[tuple[ClauseOutcome, Form | None]]:
    for k in range(i + 2, j - 1):
        word = s.tokens[k].low
        if word not in ("if", "unless") or s.tokens[k + 1].low in ("they", "it", "he", "she"):
            continue
        end = k - (s.tokens[k - 1].low in (",", "only"))
        for outcome, form in _clause(s, i, end, env, verb, False):
            for held, _ in truth(s, k + 1, j, env._replace(it=outcome.it)):
                if held is (word == "unless"):
                    yield ClauseOutcome((), outcome.it, "the condition is not met"), form
                else:
                    yield outcome, form
