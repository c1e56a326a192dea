"""What each kind of change does to structure: add, remove, rename, move and copy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from redline.instruct.forms import Slots, Span
from redline.instruct.literals import Given, Misfit, fit, values
from redline.instruct.model.operations import ABSENT, DocumentOperation, Path, apply_operations
from redline.instruct.model.values import Num, Value, dumps
from redline.instruct.paths import find, looks_like_path, path_parts
from redline.instruct.plans import (
    ABSENT_NOTE,
    DONE_NOTE,
    ClauseOutcome,
    is_plain,
    replace_nodes,
    set_fields,
    split_list,
    usable,
)
from redline.instruct.sentence import SEVERAL, Env, Pick, Sentence
from redline.instruct.targets import collections, key_nodes, owner_of, phrase
from redline.instruct.tree import NAME_FORMS, Nodes
from redline.instruct.words import (
    ARTICLES,
    ORDINALS,
    STRUCTURAL,
    is_plural,
    key_form,
    number_in,
    singular,
)

Plan = Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]
_NOT_KEYS = frozenset(
    "with to from in on of and or it them one two three that which all every each value null true "
    "false computed by for as".split()
)
_THERE = {
    (who, verb, *rest)
    for who, verb in (("it", "is"), ("they", "are"))
    for rest in (("there",), ("present",), ("in", "it"), ("in", "the", "list"), ("included",),
                 ("listed",), ("in", "there"))
} | {("present",), ("it", "exists"), ("there",)}  # fmt: skip
_NOT_THERE = {(*t[:2], "not", *t[2:]) for t in _THERE if len(t) > 2} | {
    ("missing",), ("it", "is", "missing"), ("not", "present"), ("absent",), ("not", "there"),
    ("it", "does", "not", "exist"), ("it", "is", "absent"),
}  # fmt: skip
_LACKING = {
    (helps, "not", verb, "it")
    for helps in ("does", "do")
    for verb in ("have", "contain", "include", "list")
} | {("lacks", "it"), ("lack", "it")}
_AS_SETS = frozenset("add include includes contain contains list lists".split())
_ORDER = ("this", "that")
_NEW = ARTICLES | {"new", "another", "further", "additional", "optional", "missing"}


# -- remove


def remove(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Remove keys, elements and records."""
    i, j = slots["T"]
    while j - i > 1 and s.tokens[j - 1].low in ("entirely", "completely", "altogether"):
        j -= 1
    for pick in usable(s, (i, j), env, partly=True, absent=True):
        if 0 in pick.nodes:
            continue
        if _is_bare(s, i, j, env) and not all(
            _is_named_so(s, n, s.source(j - 1, j)) for n in pick.nodes
        ):
            s.fail(23, f'it does not say of what kind "{s.source(i, j)}" is', pick.nodes)
            continue
        operations = _removals(s, pick.nodes)
        note = "" if operations else ABSENT_NOTE
        holders = tuple(dict.fromkeys(s.tree.parents[n] for n in pick.nodes))
        yield ClauseOutcome(operations, Pick(holders, len(holders) > 1), note)


def _is_bare(s: Sentence, i: int, j: int, env: Env) -> bool:
    """Return whether a target is one plain word without kind, scope or path."""
    token = s.tokens[j - 1]
    words = j - i - (s.tokens[i].low in ARTICLES)
    return (
        words == 1
        and env.scope is None
        and (token.kind == "word" or (token.kind == "quoted" and bool(key_nodes(s, j - 1, j))))
        and not (looks_like_path(token.text) and find(s.tree, token.text))
    )


def _is_named_so(s: Sentence, node: int, name: str) -> bool:
    """Return whether a node is the only thing of that name: a key, and no value anywhere."""
    if key_form(str(s.tree.keys[node])) != key_form(name):
        return False
    low = name.lower()
    s.tree.spend(len(s.tree.values))
    return s.tree.parents[node] == 0 or not any(
        isinstance(v, str) and v.lower() == low for v in s.tree.values
    )


def _removals(s: Sentence, nodes: Sequence[int]) -> tuple[DocumentOperation, ...]:
    tree = s.tree
    tree.spend(len(nodes))
    return tuple(DocumentOperation("remove", tree.path(n), tree.values[n]) for n in nodes)


def remove_values(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Remove elements from lists by their value."""
    lists = list(_lists(s, slots["L"], env) if "L" in slots else _target_lists(s, {}, env, "last"))
    for pick in lists or _lists_holding(s, slots, env):
        for wanted in element_values(s, *slots["E"], pick):
            held = [c for n in pick.nodes for c in s.tree.children(n)]
            s.tree.spend(len(held))
            nodes = [c for c in held if _is_one(s, c, wanted)]
            if nodes and not all(any(_is_one(s, c, [g]) for c in nodes) for g in wanted):
                s.fail(24, "not all of these are in the list", pick.nodes)
                continue
            if nodes or "L" in slots:
                yield ClauseOutcome(_removals(s, nodes), pick, "" if nodes else ABSENT_NOTE)


def _lists_holding(s: Sentence, slots: Slots, env: Env) -> Iterator[Pick]:
    """Yield the only list in each of the named records that holds the elements."""
    for pick in usable(s, slots["L"], env) if "L" in slots else ():
        found = []
        for record in pick.nodes:
            held = [c for c in s.tree.children(record) if isinstance(s.tree.values[c], list)]
            found += [
                c for c in held for wanted in element_values(s, *slots["E"], Pick((c,)))
                if all(any(_is_one(s, e, [g]) for e in s.tree.children(c)) for g in wanted)
            ]  # fmt: skip
        holders = [s.tree.parents[c] for c in found]
        who_have_it = s.words(slots["L"][1], slots["L"][1] + 1) in (["that"], ["which"], ["who"])
        if found and (
            holders == list(pick.nodes) or (who_have_it and len(set(holders)) == len(found))
        ):
            yield Pick(tuple(found), pick.many)


def remove_within(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Remove what is named inside something: remove from items every object with x."""
    for pick in usable(s, slots["L"], env):
        yield from remove(s, {"T": slots["T"]}, Env(pick, env.it))


def _is_one(s: Sentence, node: int, wanted: Sequence[Given]) -> bool:
    value = s.tree.values[node]
    for given in wanted:
        try:
            made = fit(given, value, "") if value is not None else given.value
        except Misfit:
            continue
        if dumps(made) == dumps(value):
            return True
        bare = given.style in ("word", "text") and isinstance(value, str)
        if bare and str(value).lower() == str(made).lower():
            return True
    return False


def _lists(s: Sentence, span: Span, env: Env) -> Iterator[Pick]:
    for pick in usable(s, span, env):
        if pick.nodes and all(isinstance(s.tree.values[n], list) for n in pick.nodes):
            yield pick
    i, j = span
    i += s.tokens[i].low in ARTICLES and j - i > 1
    if s.tokens[j - 1].kind == "word" and not is_plural(s.tokens[j - 1].low):
        held = [n for n in collections(s, i, j, env) if isinstance(s.tree.values[n], list)]
        if len(held) == 1:
            yield Pick(tuple(held))


def element_values(s: Sentence, i: int, j: int, lists: Pick) -> Iterator[list[Given]]:
    """Yield the elements that the words name: "a", the step "a", a and b."""
    i += s.tokens[i].low in ARTICLES and j - i > 1 and s.tokens[i + 1].low not in ("and", ",")
    i += s.tokens[i].low in _NEW - ARTICLES and j - i > 2
    j -= 5 * (j - i > 5 and s.words(j - 5, j) in (["(", "in", p, "order", ")"] for p in _ORDER))
    if j - i > 1 and s.tokens[i].kind == "word":
        named = [a for n in lists.nodes[:50] for a in (n, s.tree.parents[n])]
        kinds = {key_form(str(s.tree.keys[n])) for n in named}
        noun = s.tokens[i]
        i += key_form(noun.text) in kinds or singular(noun.low) in STRUCTURAL | {"word"}
    given: list[Given] = []
    for start, end in split_list(s, i, j):
        found = [g for g in values(s, start, end, Env()) if g.copied is None]
        if len(found) != 1:
            return
        given += found
    if len(given) == 1 or (given and all(g.style != "text" for g in given)):
        yield given


# -- add elements


def append(where: str = "last") -> Plan:
    """Return the plan that adds elements to lists: first, last, at an index, before, after."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        if "X" in slots and s.tokens[slots["E"][0]].kind != "json":
            return
        if "U" in slots and not _says_absent(s, slots["U"]):
            return
        for pick in _target_lists(s, slots, env, where):
            if "X" in slots and not _announces(s, slots["X"], pick):
                continue
            for wanted in element_values(s, *slots["E"], pick):
                yield from _insert_values(s, pick, wanted, slots, where)
            yield from _insert_record(s, pick, slots, where)

    return plan


def _says_absent(s: Sentence, span: Span) -> bool:
    """Return whether a condition only says that the element is not in the list: it is missing."""
    joint = s.tokens[span[0] - 1].low
    said = " ".join(s.words(*span)).replace("n't", " not").split()
    words = tuple(w for w in said if w not in ("already", "yet"))
    if joint in ("that", "which", "who"):
        return words in _LACKING
    return words in (_THERE if joint == "unless" else _NOT_THERE)


def _announces(s: Sentence, span: Span, lists: Pick) -> bool:
    """Return whether words only say of what kind the new element is: a line, the following step."""
    kinds = {key_form(str(s.tree.keys[n])) for n in lists.nodes}
    words = [w for w in s.words(*span) if w not in _NEW | {"following"}]
    nouns = [w for w in words if singular(w) not in STRUCTURAL]
    return len(nouns) <= 1 and all(any(key_form(n) in kind for kind in kinds) for n in nouns)


def _target_lists(s: Sentence, slots: Slots, env: Env, where: str) -> Iterator[Pick]:
    """Yield the lists that an element goes to: named, or those that hold its neighbours."""
    if "L" in slots:
        named = list(_lists(s, slots["L"], env))
        yield from named or _lists_by_noun(s, slots, env)
    elif "X" in slots:
        yield from _announced_list(s, slots["X"], env)
    elif where in ("before", "after", "between"):
        yield from _lists_with(s, slots, env)
    elif env.scope is not None:
        if env.scope.nodes and _are_lists(s, env.scope.nodes):
            yield env.scope
    else:
        noun = _noun_list(s, slots["E"], env) if "E" in slots else None
        yield from (noun,) if noun is not None else _lists_before(s, env)


def _lists_before(s: Sentence, env: Env) -> Iterator[Pick]:
    """Yield the lists that the clause before was about."""
    nodes = env.it.nodes if env.it is not None else ()
    lists = dict.fromkeys(n if _are_lists(s, (n,)) else s.tree.parents[n] for n in nodes)
    if lists and -1 not in lists and _are_lists(s, tuple(lists)):
        yield Pick(tuple(lists), len(lists) > 1)


def _are_lists(s: Sentence, nodes: Nodes) -> bool:
    return all(isinstance(s.tree.values[n], list) for n in nodes)


def _announced_list(s: Sentence, span: Span, env: Env) -> Iterator[Pick]:
    """Yield the only list whose elements the words name: a line, the following episode."""
    i, j = span
    while i < j and s.tokens[i].low in _NEW | {"following"}:
        i += 1
    j -= j - i > 1 and singular(s.tokens[j - 1].low) in STRUCTURAL
    held = [n for n in collections(s, i, j, env) if _are_lists(s, (n,))] if i < j else []
    if len(held) == 1:
        yield Pick(tuple(held))


def _noun_list(s: Sentence, span: Span, env: Env) -> Pick | None:
    """Return the only list whose elements the noun before a JSON element names: a quest {...}."""
    i, j = span
    while i < j and s.tokens[i].low in _NEW:
        i += 1
    if i >= j - 1 or s.tokens[j - 1].kind not in ("json", "quoted"):
        return None
    held = [n for n in collections(s, i, j - 1, env) if isinstance(s.tree.values[n], list)]
    return Pick(tuple(held)) if len(held) == 1 else None


def _lists_by_noun(s: Sentence, slots: Slots, env: Env) -> Iterator[Pick]:
    """Yield the list of a record that the noun before the element names: the tag "x" to task 3."""
    i, j = slots["E"]
    i += s.tokens[i].low in _NEW
    i += s.tokens[i].low == "new"
    if j - i < 2 or s.tokens[i].kind != "word":
        return
    for holder in usable(s, slots["L"], env):
        held = collections(s, i, i + 1, Env(Pick(holder.nodes, holder.many)))
        inside = [n for n in held if s.tree.parents[n] in holder.members]
        lists = [n for n in inside if isinstance(s.tree.values[n], list)]
        if len(lists) == len(holder.nodes):
            yield Pick(tuple(lists), holder.many)


def _lists_with(s: Sentence, slots: Slots, env: Env) -> Iterator[Pick]:
    """Yield the only list that holds the neighbours."""
    tree, anchor = s.tree, slots["A"]
    members = [p.nodes[0] for p in phrase(s, *anchor, env) if len(p.nodes) == 1]
    for given in values(s, *anchor, Env()):
        tree.spend(len(tree.values))
        members += [
            node for node, value in enumerate(tree.values)
            if isinstance(value, str)
            and (env.scope is None or tree.lies_in(node, env.scope.members))
            and _is_one(s, node, [given])
        ]  # fmt: skip
    lists = {tree.parents[n] for n in members if n and _are_lists(s, (tree.parents[n],))}
    if len(lists) == 1:
        yield Pick(tuple(lists))


def _insert_values(
    s: Sentence, pick: Pick, wanted: list[Given], slots: Slots, where: str
) -> Iterator[ClauseOutcome]:
    operations: list[DocumentOperation] = []
    quietly = "U" in slots
    verb = s.tokens[slots["E"][0] - 1].low
    for node in pick.nodes:
        held = s.tree.values[node]
        assert isinstance(held, list)
        s.tree.spend(10 + len(held))
        place = _place(s, node, slots, where)
        if place is None:
            s.fail(26, "the place in the list is not there", (node,))
            return
        for given in wanted:
            try:
                value = _fit_element(given, held, str(s.tree.keys[node]))
            except Misfit as error:
                s.fail(26, str(error), (node,))
                return
            is_set = not isinstance(value, dict | list) and verb in _AS_SETS
            if (quietly or is_set) and any(dumps(value) == dumps(item) for item in held):
                continue
            operations.append(
                DocumentOperation("insert", (*s.tree.path(node), str(place)), value=value)
            )
    yield ClauseOutcome(tuple(operations), pick, "" if operations else DONE_NOTE)


def _fit_element(given: Given, held: list[Value], key: str) -> Value:
    kinds = {type(item) for item in held}
    if kinds and given.style == "json" and isinstance(given.value, list) and list not in kinds:
        raise Misfit("a list would become one element; name the elements instead")
    if kinds == {dict} and not isinstance(given.value, dict):
        raise Misfit("the list holds objects; give one as JSON or by its fields")
    return fit(given, ABSENT, key, held)


def _place(s: Sentence, node: int, slots: Slots, where: str) -> int | None:
    """Return the index that new elements go before."""
    held = s.tree.values[node]
    assert isinstance(held, list)
    if where == "last":
        return len(held)
    if where == "first":
        return 0
    if where == "index":
        text = s.source(*slots["I"])
        place = int(text) if text.isdigit() else ORDINALS.get(text.lower(), -5)
        place = len(held) if place == -1 else place
        return place if 0 <= place <= len(held) else None
    if where == "between":
        left, right = _neighbour(s, node, slots["A"]), _neighbour(s, node, slots["B"])
        if left is None or right is None or abs(left - right) != 1:
            return None
        return max(left, right)
    beside = _neighbour(s, node, slots["A"])
    if beside is None:
        return None
    return beside + 1 if where == "after" else beside


def _neighbour(s: Sentence, node: int, span: Span) -> int | None:
    """Return the index of the one element that the words name."""
    i, j = span
    i += s.tokens[i].low in ARTICLES and j - i > 1
    hits: set[int] = set()
    for wanted in element_values(s, i, j, Pick((node,))):
        hits |= {i for i, c in enumerate(s.tree.children(node)) if _is_one(s, c, wanted)}
    if not hits:
        inner = Env(Pick((node,)))
        for pick in phrase(s, *span, inner):
            if not pick.several:
                hits |= {i for i, c in enumerate(s.tree.children(node)) if c in pick.members}
    return hits.pop() if len(hits) == 1 else None


# -- add keys


def add_key(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Add a key with a value to objects."""
    path = _new_path(s, slots["K"])
    noun = ""
    if path is None and "C" in slots:
        noun, path = _noun_and_path(s, slots["K"])
    if path is None:
        return
    for holder in _holders(s, slots, env, path):
        key = path[-1]
        called = _called(s, holder, noun) if noun else holder
        if called is None:
            continue
        for given in values(s, *slots["V"], env._replace(it=holder)):
            try:
                yield _with_key(s, called, key, given)
            except Misfit as error:
                s.fail(28, str(error), holder.nodes)


def add_keys(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Add several keys with their values to objects: "a": 1 and "b": 2."""
    made: list[ClauseOutcome] = []
    for i, j in split_list(s, *slots["G"]):
        k = next((p for p in range(i + 1, j - 1) if s.tokens[p].low in (":", "=")), 0)
        found = list(add_key(s, {"K": (i, k), "V": (k + 1, j), "C": slots["C"]}, env)) if k else []
        if len(found) != 1 or not found[0].operations:
            return
        made += found
    keys = {o.path for outcome in made for o in outcome.operations}
    operations = tuple(o for outcome in made for o in outcome.operations)
    if len(made) > 1 and len(keys) == len(operations):
        yield ClauseOutcome(operations, made[0].it)


def set_or_add(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give objects a key with a value, whether they have it or not."""
    path = _new_path(s, slots["K"])
    for holder in usable(s, slots["C"], env) if path is not None and len(path) == 1 else ():
        key = (path or ("",))[0]
        having = {n: None for n in holder.nodes if s.tree.child(n, key) is not None}
        s.tree.spend(len(holder.nodes))
        lacking = Pick(tuple(n for n in holder.nodes if n not in having), holder.many)
        if not all(isinstance(s.tree.values[n], dict) for n in holder.nodes):
            continue
        for given in values(s, *slots["V"], env):
            held = Pick(tuple(s.tree.child(n, key) or 0 for n in having), True)
            try:
                new = {n: fit(given, s.tree.values[n], key) for n in held.nodes}
                changed = replace_nodes(s, held, new.__getitem__)
                added = _with_key(s, lacking, key, given)
            except Misfit as error:
                s.fail(28, str(error), holder.nodes)
                continue
            yield ClauseOutcome(changed.operations + added.operations, holder)


def add_plainly(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Add a key with a value that is quoted, a number, JSON, or true and false: a timeout of 20."""
    i, j = slots["V"]
    if j - i == 1 and is_plain(s.tokens[i]):
        yield from add_key(s, slots, env)


def _called(s: Sentence, holder: Pick, noun: str) -> Pick | None:
    """Return the objects of that name: the holders themselves, or what each of them has."""
    if all(key_form(str(s.tree.keys[n])) == noun for n in holder.nodes):
        return holder
    inside = tuple(
        c for n in holder.nodes for c in s.tree.children(n)
        if key_form(str(s.tree.keys[c])) == noun and isinstance(s.tree.values[c], dict)
    )  # fmt: skip
    return Pick(inside, holder.many) if len(inside) == len(holder.nodes) else None


def _new_path(s: Sentence, span: Span) -> Path | None:
    """Return the keys that a name or path says; a new key is the last of them."""
    i, j = span
    nouns = STRUCTURAL | {"boolean", "string", "numeric", "top-level"}
    while (
        i < j - 1
        and s.tokens[i].kind == "word"
        and (s.tokens[i].low in _NEW or singular(s.tokens[i].low) in nouns)
    ):
        i += 1
    while i < j - 1 and s.tokens[i].low in ("named", "called", "key", "field"):
        i += 1
    if j - i > 1 and s.tokens[j - 1].kind == "word" and singular(s.tokens[j - 1].low) in nouns:
        j -= 1
    if j - i != 1 or not s.tokens[i].is_name:
        return None
    token = s.tokens[i]
    if token.kind == "word" and (token.low in _NOT_KEYS or singular(token.low) in STRUCTURAL):
        return None
    if token.kind != "quoted" and looks_like_path(token.text):
        parts = path_parts(token.text)
        return parts or None
    return (token.text,) if token.text else None


def _noun_and_path(s: Sentence, span: Span) -> tuple[str, Path | None]:
    """Return the noun before a new key, which has to be what its object is called."""
    i, j = span
    while i < j - 1 and s.tokens[i].low in _NEW | {"optional", "required"}:
        i += 1
    # a path alias "x": a second noun before a name in quotes is free
    free = s.tokens[j - 1].kind == "quoted" or singular(s.tokens[i + 1].low) in STRUCTURAL
    if not 2 <= j - i <= 2 + free or s.tokens[i].kind != "word":
        return "", None
    return key_form(s.tokens[i].text), _new_path(s, (j - 1, j))


def _holders(s: Sentence, slots: Slots, env: Env, path: Path) -> Iterator[Pick]:
    """Yield the objects that a new key goes into."""
    if "C" in slots:
        i, j = slots["C"]
        for pick in usable(s, (i, j), env):
            named = owner_of(s, pick).nodes if s.words(i, j) == ["it"] else pick.nodes
            yield from _objects_below(s, named, path[:-1], pick.many)
    elif len(path) > 1:
        scope = (0,) if env.scope is None else env.scope.nodes
        inside = list(_objects_below(s, scope, path[:-1], len(scope) > 1))
        yield from inside or _objects_below(s, (0,), path[:-1], False)
    elif env.scope is not None:
        yield from _objects_below(s, env.scope.nodes, (), env.scope.many)
    else:
        yield from _unnamed_holder(s, slots["K"], path)


def _objects_below(s: Sentence, nodes: Nodes, path: Path, many: bool) -> Iterator[Pick]:
    """Yield the objects at a path below each node, if all of them are there."""
    found = [s.tree.node_at(path, node) for node in nodes]
    there = tuple(n for n in found if n is not None and isinstance(s.tree.values[n], dict))
    if there and len(there) == len(found):
        yield Pick(there, many)


def _unnamed_holder(s: Sentence, span: Span, path: Path) -> Iterator[Pick]:
    """Yield the object that a new key goes into where the sentence does not name one."""
    noun = _noun_collection(s, span)
    flat = isinstance(s.tree.document, dict) and not any(
        map(s.tree.is_container, s.tree.children(0))
    )
    if {"top-level", "toplevel"} & set(s.words(*span)):
        yield Pick((0,))
    elif noun is not None:
        yield noun
    elif flat:
        yield Pick((0,))
    else:
        s.fail(24, f'it does not say where "{path[-1]}" is to be added')


def _noun_collection(s: Sentence, span: Span) -> Pick | None:
    """Return the object whose members the noun before a new key names: a script `x`."""
    i, j = span
    while i < j and s.tokens[i].low in _NEW:
        i += 1
    for k in range(i + 1, j):
        held = [n for n in key_nodes(s, i, k) if isinstance(s.tree.values[n], dict)]
        if len(held) == 1 and all(t.kind == "word" for t in s.tokens[i:k]):
            return Pick(tuple(held))
    return None


def add_json(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Add a quoted key with a JSON value: a `medium` entry {...} to packaging."""
    i, j = slots["V"]
    if s.tokens[i].kind not in ("json", "quoted") or j - i != 1:
        return
    start, end = slots["K"]
    if s.tokens[i].kind == "quoted":
        plain = (end - start == 1 and _is_name(s, start)) or _VERSION.match(s.tokens[i].text)
        for outcome in add_key(s, slots, env):
            held = [s.tree.values[n] for n in outcome.it.nodes] if outcome.it else []
            if plain or (end - start == 1 and all(map(_is_mixed, held))):
                yield outcome
        return
    noun = s.tokens[end - 1]
    if (
        any(s.tokens[k].kind in ("code", "quoted") for k in range(start, end))
        or noun.low == "object"
    ):
        yield from add_key(s, slots, env)
        yield from add_member(s, slots, env)


def _is_mixed(held: Value) -> bool:
    """Return whether an object has values of several types, so that its keys are fields."""
    return isinstance(held, dict) and len({type(v) for v in held.values()}) > 1


_VERSION = re.compile(r"[\^~<>=v]*\d")


def _is_name(s: Sentence, i: int) -> bool:
    """Return whether a token is no noun: in quotes, or with a sign or a capital in it."""
    token = s.tokens[i]
    return token.kind != "word" or not (token.text.isalpha() and token.text.islower())


def add_member(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Add a member to a map by its kind: a service `worker` with the value {...}."""
    i, j = slots["K"]
    while i < j and s.tokens[i].low in _NEW:
        i += 1
    for k in range(i + 1, j):
        held = [n for n in key_nodes(s, i, k) if isinstance(s.tree.values[n], dict)]
        if "C" in slots:
            inside = list(usable(s, slots["C"], env))
            held = [n for n in held if any(n in p.members for p in inside)]
        path = _new_path(s, (k, j))
        if len(held) != 1 or path is None or len(path) != 1:
            continue
        holder = Pick(tuple(held))
        for given in values(s, *slots["V"], env):
            try:
                yield _with_key(s, holder, path[0], given)
            except Misfit as error:
                s.fail(26, str(error), holder.nodes)


def _with_key(s: Sentence, holder: Pick, key: str, given: Given) -> ClauseOutcome:
    operations: list[DocumentOperation] = []
    for node in holder.nodes:
        s.tree.spend()
        held = s.tree.values[node]
        assert isinstance(held, dict)
        if given.style == "text" and not given.unit:
            raise Misfit(f"the value is not delimited: put it in quotes: {dumps(given.value)}")
        value = (
            s.tree.values[given.copied.nodes[0]]
            if given.copied
            else fit(given, ABSENT, key, _alike(s, node, key, held))
        )
        if key not in held:
            twin = next((k for k in held if key_form(k) == key_form(key)), None)
            if twin is not None and key_form(key):
                raise Misfit(f"{twin!r} is there already; set it, or give the new key as a path")
            operations.append(DocumentOperation("add", (*s.tree.path(node), key), value=value))
        elif dumps(held[key]) != dumps(value):
            raise Misfit(f"{key!r} is there already; set it instead")
    return ClauseOutcome(tuple(operations), holder, "" if operations else DONE_NOTE)


def _alike(s: Sentence, node: int, key: str, held: dict[str, Value]) -> list[Value]:
    """Return values that a new one should be like: the key's in records beside, else those here."""
    parent = s.tree.parents[node]
    if parent >= 0 and s.tree.is_record(node):
        beside = [s.tree.values[c] for c in list(s.tree.children(parent))[:100]]
        return [b[key] for b in beside if isinstance(b, dict) and key in b]
    texts = [v for v in held.values() if isinstance(v, str)]
    numeric = any(number_in(text) is not None or text in ("true", "false") for text in texts)
    return [*texts] if len(texts) == len(held) and numeric else []


def add_object(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Add a quoted key or a path with an object made of fields to each of some objects."""
    i, j = slots["K"]
    path = _new_path(s, (i, j))
    if path is None:
        return
    is_said = (
        len(path) > 1
        or s.tokens[j - 1].kind in ("quoted", "code")
        or singular(s.tokens[j - 1].low) in ("object", "section", "block", "map")
    )
    nouns = [key_form(t.text) for t in s.tokens[i : j - 1] if t.kind == "word"]
    for named in _holders(s, slots, env, path):
        # a property "x" goes to the properties of what is named
        inner = [c for c in (_called(s, named, noun) for noun in nouns) if c is not None]
        holder = inner[-1] if inner else named
        if not is_said and any(_may_hold_records(s, n) for n in holder.nodes):
            continue
        beside = [s.tree.values[c] for n in holder.nodes[:20] for c in s.tree.children(n)]
        template = [b for b in beside if isinstance(b, dict)]
        fields = read_fields(s, *slots["F"], template, free=True)
        if not fields or (beside and not template and len(fields) == 1) or "value" in fields:
            continue  # beside plain values, `with version "2"` says the value
        paths = [(*s.tree.path(n), path[-1]) for n in holder.nodes]
        if any(s.tree.node_at(p) is not None for p in paths):
            s.fail(26, f'"{path[-1]}" is there already', holder.nodes)
            continue
        yield ClauseOutcome(tuple(DocumentOperation("add", p, value=fields) for p in paths), holder)


def _may_hold_records(s: Sentence, node: int) -> bool:
    """Return whether a record may be added to a node, or to a collection in it."""
    tree = s.tree
    return (
        node == 0
        or tree.is_collection(node)
        or any(
            tree.is_map(c)
            or (isinstance(v := tree.values[c], list) and any(isinstance(e, dict) for e in v))
            for c in tree.children(node)
        )
    )


# -- add records


def add_record(where: str = "last") -> Plan:
    """Return the plan that adds an object made of fields, `with name "x", port 80`."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        yield from _add_record(s, slots, env, where)

    return plan


def _add_record(s: Sentence, slots: Slots, env: Env, where: str) -> Iterator[ClauseOutcome]:
    """Yield the addition to a list, or to an object under a new key."""
    for holder, named in _record_places(s, slots, env):
        if not s.tree.is_container(holder):
            continue
        fields = _fields_for(s, holder, slots, named)
        if not fields:
            continue
        path = s.tree.path(holder)
        held = s.tree.values[holder]
        if isinstance(held, list):
            place = _place(s, holder, slots, where)
            if place is None:
                continue
            operation = DocumentOperation("insert", (*path, str(place)), value=fields)
        elif named is None or named in held:  # type: ignore[operator]
            continue
        else:
            operation = DocumentOperation("add", (*path, named), value=fields)
        yield ClauseOutcome((operation,), Pick((holder,)))


def _fields_for(
    s: Sentence, holder: int, slots: Slots, named: str | None
) -> dict[str, Value] | None:
    """Return the fields of a new record, with the keys of those beside or of a list called alike.

    A record `named N` has N under the key that the others have their names under.
    """
    tree = s.tree
    twins = [holder] if len(tree.values[holder]) else tree.by_key.get(str(tree.keys[holder]), [])  # type: ignore[arg-type]
    beside = [tree.values[c] for n in twins[:20] for c in list(tree.children(n))[:100]]
    template = [b for b in beside if isinstance(b, dict)]
    fields = read_fields(s, *slots["F"], template)
    if "N" in slots:
        i, j = slots["N"]
        named = s.source(i, j) if j - i == 1 else None
    if not fields or named is None or isinstance(tree.values[holder], dict):
        return fields if "N" not in slots else None
    keys = {k for t in template for k in t if key_form(k) in NAME_FORMS}
    return {keys.pop(): named, **fields} if len(keys) == 1 and not keys & set(fields) else None


def _insert_record(s: Sentence, pick: Pick, slots: Slots, where: str) -> Iterator[ClauseOutcome]:
    """Yield a JSON object that is announced by its kind: the question {...}."""
    i, j = slots["E"]
    if s.tokens[j - 1].kind != "json" or not isinstance(s.tokens[j - 1].value, dict) or j - i < 2:
        return
    kinds = {key_form(str(s.tree.keys[n])) for n in pick.nodes}
    while i < j - 1 and s.tokens[i].low in _NEW:
        i += 1
    words = [t.low for t in s.tokens[i : j - 1] if t.low != "following"]
    nouns = [w for w in words if singular(w) not in STRUCTURAL and key_form(w) not in kinds]
    if len(nouns) > 1 or not all(any(n in kind for kind in kinds) for n in nouns):
        return
    yield from _insert_values(s, pick, [Given(s.tokens[j - 1].value, "json")], slots, where)


def _record_places(s: Sentence, slots: Slots, env: Env) -> Iterator[tuple[int, str | None]]:
    """Yield each list or map that a new record can go to, with the name that it gets in a map."""
    i, j = slots.get("K", (0, 0))
    while i < j and s.tokens[i].low in _NEW:
        i += 1
    held: list[int] = []
    if "L" in slots:
        held = [p.nodes[0] for p in usable(s, slots["L"], env) if len(p.nodes) == 1]
        if s.tokens[slots["L"][0] - 1].low == "at":
            held = [n for n in held if n == 0]
        if not held:
            return
    yield from _places_by_kind(s, i, j, held, env)
    if i >= j and len(held) == 1:
        yield held[0], None
    scope = list(env.scope.nodes) if env.scope is not None else []
    yield from _place_by_name(s, i, j, held or scope)


def _place_by_name(
    s: Sentence, i: int, j: int, held: list[int]
) -> Iterator[tuple[int, str | None]]:
    """Yield an object that gets the new record under a quoted name."""
    quoted = any(s.tokens[k].kind in ("code", "quoted") for k in range(i, j))
    name = _new_path(s, (i, j)) if quoted else None
    if (
        name is not None
        and len(name) == len(held) == 1
        and isinstance(s.tree.values[held[0]], dict)
    ):
        yield held[0], name[0]


def _places_by_kind(
    s: Sentence, i: int, j: int, held: list[int], env: Env
) -> Iterator[tuple[int, str | None]]:
    """Yield the collection that the noun of a record names, and the name behind the noun."""
    if j - i > 1 and s.tokens[j - 1].kind == "word" and singular(s.tokens[j - 1].low) in STRUCTURAL:
        j -= bool(collections(s, i, j - 1, Env(env.scope)))
    for k in range(i + 1, j + 1):
        kind = collections(s, i, k, Env(env.scope))
        last = s.tokens[k - 1]
        if held:
            structural = not kind and last.kind == "word" and singular(last.low) in STRUCTURAL
            inside = [n for n in kind if s.tree.parents[n] in held]
            kind = [n for n in held if structural or n in kind or _is_kind(s, n, i, k)] or inside
        if len(kind) != 1:
            continue
        path = _new_path(s, (k, j)) if k < j else None
        if k == j or (path is not None and len(path) == 1):
            yield kind[0], path[0] if path else None
    if j - i == 2 and held:
        # a 400 response: the name before the kind
        maps = [n for n in collections(s, i + 1, j, Env()) if s.tree.parents[n] in held]
        if len(maps) == 1 and isinstance(s.tree.values[maps[0]], dict) and s.tokens[i].is_name:
            yield maps[0], s.tokens[i].text


def _is_kind(s: Sentence, node: int, i: int, k: int) -> bool:
    form = key_form(s.source(i, k))
    return bool(form) and key_form(str(s.tree.keys[node])).endswith(form)


def read_fields(
    s: Sentence, i: int, j: int, template: list[dict[str, Value]], *, free: bool = False
) -> dict[str, Value] | None:
    """Return the object that `name "x", port 80 and an empty tags array` makes.

    *free*: keys that no record beside has are new ones.
    """
    fields: dict[str, Value] = {}
    p = i
    while p < j:
        while p < j and s.tokens[p].low in (",", "and", ";", "with"):
            p += 1
        if p >= j:
            break
        step = _read_field(s, p, j, template, free)
        if step is None or step[0] in fields:
            return None
        key, value, p = step
        fields[key] = value
    return fields or None


def _read_field(
    s: Sentence, p: int, j: int, template: list[dict[str, Value]], free: bool
) -> tuple[str, Value, int] | None:
    end = next((k for k in range(p + 1, j) if s.tokens[k].low in (",", ";")), j)
    stops = [k for k in range(p + 1, end) if s.tokens[k].low == "and"] + [end]
    for stop in stops:
        found = _one_field(s, p, stop, template, free)
        if found is not None and (
            stop == end
            or (stop + 1 < j and _read_field(s, stop + 1, j, template, free) is not None)
        ):
            return (*found, stop)
    return None


def _one_field(
    s: Sentence, i: int, j: int, template: list[dict[str, Value]], free: bool
) -> tuple[str, Value] | None:
    s.tree.spend(50 + len(template))
    i += s.tokens[i].low in ("the", "a", "an")
    if i < j and s.tokens[i].low == "empty" and j - i == 3:
        key = _template_key(s, i + 1, i + 2, template)
        blank: dict[str, Value] = {"array": [], "list": [], "object": {}, "string": ""}
        return (key, blank[s.tokens[j - 1].low]) if key and s.tokens[j - 1].low in blank else None
    if j - i == 2 and number_in(s.tokens[i].text) and s.tokens[i].kind == "word":
        key = _template_key(s, i + 1, j, template)  # 3 children
        return (key, Num(number_in(s.tokens[i].text) or "")) if key else None
    for k in range(min(j - 1, i + 4), i, -1):
        key = _template_key(s, i, k, template)
        start = _field_value(s, k, j)
        if key is None and free and k - i == 1 and start == j - 1:
            new, value = s.tokens[i], s.tokens[start]
            key = (
                new.text
                if is_plain(value) and new.kind == "word" and new.text.isidentifier()
                else None
            )
        found = [g for g in values(s, start, j, Env()) if g.copied is None]
        if key is None or len(found) != 1 or found[0].value in ("set", "to", "with"):
            continue
        try:
            return key, fit(found[0], ABSENT, key, [t[key] for t in template if key in t])
        except Misfit:
            return None
    return None


def _field_value(s: Sentence, start: int, j: int) -> int:
    """Return where the value of a field begins, behind `=`, `of` or `set to`."""
    while start < j - 1 and s.tokens[start].low in ("=", ":", "->", "of", "is", "field"):
        start += 1
    return start + 2 if s.words(start, start + 2) == ["set", "to"] and start + 2 < j else start


def _template_key(s: Sentence, i: int, k: int, template: list[dict[str, Value]]) -> str | None:
    """Return the key of the records beside that the words are; a quoted one may be new."""
    text = s.source(i, k)
    form = key_form(text)
    for record in template:
        for key in record:
            if key == text or (key_form(key) == form and s.tokens[i].kind == "word"):
                return key
    if k - i == 1 and s.tokens[i].kind in ("code", "quoted"):
        return (
            text
            if s.tokens[i].is_name and text.replace("_", "a").replace("-", "a").isalnum()
            else None
        )
    return None


# -- rename


def rename(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Give keys another name; a record of a list gets another name in its name field."""
    names = _name(s, slots["K"], words=True)
    if names is None:
        return
    for pick in usable(s, slots["T"], env, partly=True):
        if not pick.nodes:
            yield ClauseOutcome((), pick, ABSENT_NOTE)
        elif not _is_key_said(s, *slots["T"]) and any(_has_name(s, n) for n in pick.nodes):
            s.fail(29, "it does not say whether the key or the name changes", pick.nodes)
        elif all(isinstance(s.tree.keys[n], str) and n for n in pick.nodes):
            outcome = _rename_keys(s, pick, names)
            if outcome is not None:
                yield outcome
        elif len(pick.nodes) == 1 and len(names) == 1:
            yield from _retitle(s, pick.nodes[0], names[0], s.source(*slots["T"]).lower())


def _is_key_said(s: Sentence, i: int, j: int) -> bool:
    return any(
        t.low in ("key", "field", "property") or looks_like_path(t.text) for t in s.tokens[i:j]
    )


def _has_name(s: Sentence, node: int) -> bool:
    """Return whether an object that is no record has a name beside its key."""
    value = s.tree.values[node]
    named = isinstance(value, dict) and any(key_form(k) == "name" for k in value)
    return named and not s.tree.is_record(node)


def _name(s: Sentence, span: Span, *, words: bool = False) -> Path | None:
    """Return the keys that a name or path says; several bare *words* only where they may be one."""
    i, j = span
    skipped = ("the", "a", "new", "key", "name", "be", "called", "named", "field", "property")
    while i < j - 1 and s.tokens[i].kind == "word" and s.tokens[i].low in skipped:
        i += 1
    if j - i == 1 and s.tokens[i].is_name:
        token = s.tokens[i]
        if token.kind != "quoted" and looks_like_path(token.text):
            return path_parts(token.text)
        return (token.text,)
    if words and all(t.kind == "word" for t in s.tokens[i:j]) and j - i < 6:
        return (s.source(i, j),)
    return None


def _rename_keys(s: Sentence, pick: Pick, names: Path) -> ClauseOutcome | None:
    operations = []
    for node in pick.nodes:
        s.tree.spend()
        path, holder = s.tree.path(node), s.tree.values[s.tree.parents[node]]
        assert isinstance(holder, dict)
        if len(names) > 1 and tuple(names[:-1]) != path[-len(names) : -1]:
            s.fail(26, "a rename keeps its place; say move to put it elsewhere", pick.nodes)
            return None
        if " " in names[-1] and not any(" " in key for key in holder):
            s.fail(26, f'"{names[-1]}" is not like the keys there; put it in quotes', pick.nodes)
            return None
        if path[-1] == names[-1]:
            continue
        if names[-1] in holder:
            s.fail(27, f'"{names[-1]}" is there already', pick.nodes)
            return None
        old = s.tree.values[node]
        target = (*path[:-1], names[-1])
        operations.append(DocumentOperation("rename", path, old, old, target))
    return ClauseOutcome(tuple(operations), pick, "" if operations else DONE_NOTE)


def _retitle(s: Sentence, record: int, name: str, said: str) -> Iterator[ClauseOutcome]:
    """Yield another name for a record, if the words that it is named by are not something else."""
    fields = [
        c
        for c in s.tree.children(record)
        if key_form(str(s.tree.keys[c])) in NAME_FORMS and isinstance(s.tree.values[c], str)
    ]
    if not fields:
        fields = [
            c for c in s.tree.children(record)
            if isinstance(s.tree.values[c], str) and s.tree.identifies(c)
        ]  # fmt: skip
    if len(fields) != 1:
        return
    node = fields[0]
    old = s.tree.values[node]
    texts = [v.lower() for c in s.tree.children(record) if isinstance(v := s.tree.values[c], str)]
    partly = any(word in str(old).lower().split() for word in said.split())
    other = any(said.endswith(text) for text in texts if text and text != str(old).lower())
    is_filtered = any(f" {word} " in said for word in ("with", "whose", "where", "at"))
    if str(old).lower() not in said and not is_filtered and (partly or other):
        s.fail(29, f"it does not say which of its names changes; {dumps(old)} is one", (node,))
        return
    twins = tuple(n for n, v in enumerate(s.tree.values) if v == old and isinstance(v, str))
    if len(twins) > 1:
        s.fail(SEVERAL, f"{dumps(old)} stands in {len(twins)} places", twins)
        return
    operation = DocumentOperation("replace", s.tree.path(node), old, name)
    yield ClauseOutcome(
        () if old == name else (operation,), Pick((record,)), "" if old != name else DONE_NOTE
    )


# -- move and copy


def move(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Move a key to another object, or an element to another list."""
    for pick in _movable(s, slots, env):
        for target in _destinations(s, slots, env, pick.nodes[0]):
            outcome = _move_node(s, pick.nodes[0], target)
            if outcome is not None:
                yield outcome


def _movable(s: Sentence, slots: Slots, env: Env) -> Iterator[Pick]:
    """Yield the one node that is to be moved or copied."""
    if "A" not in slots:
        for pick in usable(s, slots["T"], env):
            if len(pick.nodes) == 1 and 0 not in pick.nodes:
                yield pick
        return
    for holder in usable(s, slots["A"], env):
        named = [
            pick for pick in phrase(s, *slots["T"], Env(holder))
            if not pick.several and len(pick.nodes) == 1 and not holder.members & pick.members
        ]  # fmt: skip
        yield from named or _elements_of(s, slots["T"], holder)


def _elements_of(s: Sentence, span: Span, holder: Pick) -> Iterator[Pick]:
    """Yield the only element of some lists that has the value of the words."""
    if not _are_lists(s, holder.nodes):
        return
    for wanted in element_values(s, *span, holder):
        held = (c for n in holder.nodes for c in s.tree.children(n))
        hits = [c for c in held if _is_one(s, c, wanted)]
        if len(hits) == 1:
            yield Pick((hits[0],))


def _destinations(s: Sentence, slots: Slots, env: Env, node: int) -> Iterator[Path]:
    """Yield the paths at which a moved or copied value can arrive."""
    name = _name(s, slots["Z" if "Z" in slots else "K"]) if {"Z", "K"} & set(slots) else ()
    if name is None or len(name) > 1:
        return
    new = name if "Z" in slots else _new_place(s, slots["C"]) if not name else None
    if new:
        yield new
        return
    for pick in usable(s, slots["C"], env._replace(scope=None)):
        if len(pick.nodes) != 1:
            continue
        yield from _arrivals(s, pick.nodes[0], node, name)


def _arrivals(s: Sentence, holder: int, node: int, name: Path) -> Iterator[Path]:
    """Yield where a value goes in a container; an element, to the list of that name in a record."""
    value, path = s.tree.values[holder], s.tree.path(holder)
    above = str(s.tree.keys[s.tree.parents[node]])
    if isinstance(value, list) and not name:
        yield (*path, str(len(value)))
    elif isinstance(value, dict) and isinstance(s.tree.keys[node], str):
        yield (*path, name[0] if name else str(s.tree.keys[node]))
    elif isinstance(value, dict) and isinstance(held := value.get(above), list) and not name:
        yield (*path, above, str(len(held)))


def _new_place(s: Sentence, span: Span) -> Path | None:
    """Return a path that is not there but whose parent is."""
    i, j = span
    token = s.tokens[i]
    if j - i != 1 or token.kind not in ("word", "code") or not looks_like_path(token.text):
        return None
    parts = path_parts(token.text)
    if not parts or s.tree.node_at(parts) is not None or s.tree.node_at(parts[:-1]) is None:
        return None
    return parts


def _move_node(s: Sentence, node: int, target: Path) -> ClauseOutcome | None:
    path, value = s.tree.path(node), s.tree.values[node]
    if target[: len(path)] == path:
        return None
    if s.tree.node_at(target) is not None and isinstance(
        s.tree.values[s.tree.node_at(target[:-1]) or 0], dict
    ):
        s.fail(27, f'"{target[-1]}" is there already', (node,))
        return None
    return ClauseOutcome((DocumentOperation("move", path, value, value, target),), Pick((node,)))


def move_into_new(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Move a key into an object that is made for it at the top level."""
    name = _name(s, slots["K"])
    inner = _name(s, slots["Z"]) if "Z" in slots else ()
    if (
        name is None
        or len(name) != 1
        or s.tree.node_at(name) is not None
        or inner is None
        or len(inner) > 1
    ):
        return
    for pick in _movable(s, slots, env):
        key, value = s.tree.keys[pick.nodes[0]], s.tree.values[pick.nodes[0]]
        if isinstance(key, str) and isinstance(s.tree.document, dict):
            addition = DocumentOperation("add", name, value={"".join(inner) or key: value})
            yield ClauseOutcome((addition, *_removals(s, pick.nodes)), pick)


def move_within(where: str) -> Plan:
    """Return the plan that moves an element to another place of its list."""

    def plan(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
        inner = env
        lists = list(_lists(s, slots["L"], env)) if "L" in slots else [None]
        for held in lists:
            if held is not None:
                inner = Env(held)
            for node in _elements_named(s, slots["T"], inner):
                parent = s.tree.parents[node]
                if not isinstance(s.tree.values[parent], list):
                    continue
                place = _place(s, parent, slots, where)
                index = int(str(s.tree.keys[node]))
                if place is None:
                    continue
                if place in (index, index + 1):
                    yield ClauseOutcome((), Pick((node,)), DONE_NOTE)
                    continue
                path, value = s.tree.path(node), s.tree.values[node]
                target = (*path[:-1], str(place))
                yield ClauseOutcome(
                    (DocumentOperation("move", path, value, value, target),), Pick((node,))
                )

    return plan


def _elements_named(s: Sentence, span: Span, env: Env) -> Iterator[int]:
    found = False
    for pick in phrase(s, *span, env):
        if not pick.several and len(pick.nodes) == 1:
            found = True
            yield pick.nodes[0]
    if found or env.scope is None:
        return
    for wanted in element_values(s, *span, env.scope):
        hits = [c for n in env.scope.nodes for c in s.tree.children(n) if _is_one(s, c, wanted)]
        if len(hits) == 1:
            yield hits[0]


def copy(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Copy a value to a new key, into an object, or over another value."""
    for pick in _movable(s, slots, env):
        node = pick.nodes[0]
        if "C" not in slots and "Z" not in slots:
            if env.scope is None:
                yield from _copy_beside(s, node, slots)
            continue
        for target in dict.fromkeys(_destinations(s, slots, env, node)):
            yield from _copy_to(s, s.tree.values[node], target)
        if "C" in slots and "K" not in slots:
            yield from _copy_over(s, slots, env, s.tree.values[node])


def copy_changed(s: Sentence, slots: Slots, env: Env) -> Iterator[ClauseOutcome]:
    """Copy an object under another name, with new values for some of its fields."""
    for outcome in copy(s, slots, env):
        [addition] = outcome.operations or (None,)
        if addition is None or addition.op != "add" or not isinstance(addition.value, dict):
            continue
        for source in usable(s, slots["T"], env):
            path = s.tree.path(source.nodes[0])
            for changes in set_fields(s, {"S": slots["T"], "G": slots["G"]}, env):
                inner = [replace(o, path=o.path[len(path) :]) for o in changes.operations]
                value = apply_operations(addition.value, inner)
                yield outcome._replace(operations=(replace(addition, value=value),))


def _copy_to(s: Sentence, value: Value, target: Path) -> Iterator[ClauseOutcome]:
    """Yield the addition of a value at a path, or its replacement of a scalar of its type."""
    holder, there = s.tree.node_at(target[:-1]), s.tree.node_at(target)
    if holder is None:
        return
    is_list = isinstance(s.tree.values[holder], list)
    if is_list or there is None:
        addition = DocumentOperation("insert" if is_list else "add", target, value=value)
        yield ClauseOutcome((addition,), Pick((holder,)))
        return
    old = s.tree.values[there]
    if type(old) is type(value) and not isinstance(value, dict | list):
        done = dumps(old) == dumps(value)
        change = DocumentOperation("replace", target, old, value)
        yield ClauseOutcome(() if done else (change,), Pick((there,)), DONE_NOTE if done else "")


def _copy_beside(s: Sentence, node: int, slots: Slots) -> Iterator[ClauseOutcome]:
    """Yield the copy of a member under another key of the same object."""
    name = _name(s, slots["K"])
    path = s.tree.path(node)
    if name is None or not isinstance(s.tree.keys[node], str):
        return
    i, j = slots["K"]
    if s.tokens[i].kind == "word" and len(name) == 1 and phrase(s, i, j, Env()):
        return
    target = (*path[:-1], name[0]) if len(name) == 1 else name
    holder = s.tree.node_at(target[:-1])
    if (
        holder is not None
        and s.tree.node_at(target) is None
        and isinstance(s.tree.values[holder], dict)
    ):
        yield ClauseOutcome(
            (DocumentOperation("add", target, value=s.tree.values[node]),), Pick((holder,))
        )


def _copy_over(s: Sentence, slots: Slots, env: Env, value: Value) -> Iterator[ClauseOutcome]:
    for pick in usable(s, slots["C"], env._replace(scope=None)):
        nodes = [
            n
            for n in pick.nodes
            if type(s.tree.values[n]) is type(value) or s.tree.values[n] is None
        ]
        if len(nodes) != len(pick.nodes) or isinstance(value, dict | list):
            continue
        operations = tuple(
            DocumentOperation("replace", s.tree.path(n), s.tree.values[n], value)
            for n in nodes if dumps(s.tree.values[n]) != dumps(value)
        )  # fmt: skip
        yield ClauseOutcome(operations, pick, "" if operations else DONE_NOTE)
