"""Targets: which places of the document a phrase names.

A phrase is a path, a key, a record by its name or its kind, `K of S`, `S's K`, an ordinal, or
`all KIND` with a filter and exceptions. Each reading of it is a `Pick`; no reading leaves a word
of the phrase out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from redline.instruct import filters
from redline.instruct.model.values import Num
from redline.instruct.paths import find, looks_like_path, suffix_nodes
from redline.instruct.sentence import Env, Pick, Sentence
from redline.instruct.tree import Nodes
from redline.instruct.words import (
    ARTICLES,
    GENERIC,
    ORDINALS,
    QUANTIFIERS,
    STRUCTURAL,
    is_plural,
    key_form,
    key_words,
    number_in,
    singular,
)

PREPOSITIONS = frozenset("of in for on under within inside from at by across".split())
_OWN = frozenset("its their his her".split())
_IT = frozenset("it them they that".split())
_POINTING = frozenset("that this those these".split())
_IN_THE_LIST = {(p, "the", noun) for p in ("in", "of", "from") for noun in ("list", "array")}
_EXCEPT = (
    ("except", "for"), ("except", "in"), ("except",), ("but", "not"), ("apart", "from"),
    ("other", "than"), ("but",), ("excluding",), ("not",),
)  # fmt: skip
_TOP = frozenset(
    "root toplevel document rootobject rootdocument documentroot toplevelobject "
    "topleveldocument documentitself".split()
)
_LANGUAGE = re.compile(r"[a-z]{2}([-_][A-Z]{2})?")
MAX_PHRASE = 40


def phrase(s: Sentence, i: int, j: int, env: Env) -> list[Pick]:
    """Return the readings of the tokens i .. j - 1 as a target."""
    key = ("phrase", i, j, env, s.it_field)
    known: list[Pick] | None = s.memo.get(key)
    if known is not None:
        return known
    s.memo[key] = []
    if i >= j or j - i > MAX_PHRASE:
        return []
    s.tree.spend(10 + j - i)
    found = _distinct(_readings(s, i, j, env))
    s.tree.spend(sum(len(pick.nodes) for pick in found))
    s.memo[key] = found
    return found


def _distinct(picks: Iterator[Pick]) -> list[Pick]:
    """Return the picks, of those with the same nodes the plainest."""
    found: dict[Nodes, Pick] = {}
    for pick in picks:
        held = found.get(pick.nodes)
        if held is None or (held.several and not pick.several):
            found[pick.nodes] = pick
    return list(found.values())


def _readings(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    low = s.words(i, j)
    if low[0] in ("only", "just"):
        yield from phrase(s, i + 1, j, env)
    elif low[-1] in ("only", "alone") and j - i > 1:
        yield from phrase(s, i, j - 1, env)
    elif env.it is not None and low[0] in _OWN and j - i > 1:
        own = phrase(s, i + 1, j, env._replace(scope=owner_of(s, env.it)))
        own = own or phrase(s, i + 1, j, env._replace(scope=_records_of(s, env.it)))
        is_value = low[1:] in (["value"], ["values"]) and all(p.several for p in own)
        yield from (env.it,) if is_value else own
    elif env.it is not None and low[0] in _IT and j - i == 1:
        yield _same_key(s, env.it, env.scope)
    else:
        yield from _demonstratives(s, i, j, env)
        yield from _contents(s, i, j, env)
        yield from simple(s, i, j, env)
        everything = list(_all_of(s, i, j, env)) if j - i > 2 else []
        yield from everything or _possessives(s, i, j, env)
        yield from _in_scope_of(s, i, j, env)
        yield from _with_filter(s, i, j, env)
        yield from _in_list(s, i, j, env)
        yield from _except(s, i, j, env)
        yield from _members_of_the_list(s, i, j, env)


def _members_of_the_list(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield elements behind which `in the list` stands, or `there` for the object before."""
    low = s.words(i, j)
    if low[-1] == "there" and len(low) > 1 and env.it is not None:
        yield from phrase(s, i, j - 1, Env(owner_of(s, env.it)))
    elif len(low) > 3 and tuple(low[-3:]) in _IN_THE_LIST and not key_nodes(s, j - 1, j):
        for pick in phrase(s, i, j - 3, env):
            if all(isinstance(s.tree.keys[n], int) for n in pick.nodes):
                yield pick


def _contents(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield what `the value of X` and `the array at /x` name."""
    start = i + (s.tokens[i].low in ARTICLES)
    if start + 2 >= j or s.tokens[start].kind != "word":
        return
    noun, joint = s.tokens[start].low, s.tokens[start + 1].low
    holds = singular(noun) in ("value", "content") and joint in ("of", "at", "in", "for")
    if holds or (singular(noun) in STRUCTURAL and joint == "at"):
        yield from phrase(s, start + 2, j, env)


def _demonstratives(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield what `that array` or `the same order` refers to."""
    same = s.words(i, i + 2) == ["the", "same"]
    k = i + 1 + same
    if env.it is None or j - k != 1 or not (same or s.tokens[i].low in _POINTING):
        return
    it, noun = env.it, singular(s.tokens[k].low)
    if noun in ("array", "list"):
        nodes = tuple(n for n in it.nodes if isinstance(s.tree.values[n], list))
    elif noun in STRUCTURAL:
        nodes = owner_of(s, it).nodes
    else:
        records = dict.fromkeys(s.tree.record_of(n) for n in it.nodes)
        kind = s.tree.by_form.get(key_form(noun), [])
        nodes = tuple(r for r in records if r is not None and s.tree.parents[r] in kind)
    if nodes:
        yield Pick(nodes, len(nodes) > 1)


def owner_of(s: Sentence, pick: Pick) -> Pick:
    """Return the objects that are meant by `its`: the nodes themselves, or what holds a scalar."""
    key = ("owner", pick)
    known: Pick | None = s.memo.get(key)
    if known is None:
        tree = s.tree
        nodes = dict.fromkeys(
            n if isinstance(tree.values[n], dict) else tree.parents[n] for n in pick.nodes
        )
        known = s.memo[key] = Pick(tuple(nodes), len(nodes) > 1)
    return known


def _records_of(s: Sentence, pick: Pick) -> Pick:
    """Return the records that hold the nodes, at any depth."""
    records = dict.fromkeys(r for n in pick.nodes if (r := s.tree.record_of(n)) is not None)
    return Pick(tuple(records), len(records) > 1)


def _same_key(s: Sentence, it: Pick, scope: Pick | None) -> Pick:
    """Return what `it` means: in a scope without the nodes, what has their key there."""
    keys = {s.tree.keys[n] for n in it.nodes}
    if scope is None or len(keys) != 1 or any(s.tree.lies_in(n, scope.members) for n in it.nodes):
        return it
    key = str(keys.pop())
    inside = [c for n in scope.nodes if (c := s.tree.child(n, key)) is not None]
    return Pick(tuple(inside), scope.many) if len(inside) == len(scope.nodes) else it


def _possessives(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    for k in range(i + 1, j - 1):
        if s.tokens[k].kind == "poss":
            held = collections(s, k + 1, j, env)
            nodes = _with_value(s, [c for n in held for c in s.tree.children(n)], s.source(i, k))
            if nodes:
                yield Pick(nodes, False, len(nodes) > 1)
            for owner in (*phrase(s, i, k, env), *_joined_owners(s, i, k, env)):
                if not owner.several:
                    yield from phrase(s, k + 1, j, env._replace(scope=owner))


def _joined_owners(s: Sentence, i: int, k: int, env: Env) -> Iterator[Pick]:
    """Yield the owners of `Ann's and Bob's`, up to the last of their marks."""
    for p in range(i + 1, k - 2):
        if s.tokens[p].kind != "poss" or s.tokens[p + 1].low not in ("and", ","):
            continue
        start = p + 2 + (s.tokens[p + 2].low == "and")
        for left in phrase(s, i, p, env):
            for right in (*phrase(s, start, k, env), *_joined_owners(s, start, k, env)):
                if not left.several and not right.several:
                    yield Pick(tuple(dict.fromkeys(left.nodes + right.nodes)), True)


def _all_of(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield the members of what `all of Nina's orders` names."""
    start = i + 1 + (s.tokens[i + 1].low == "of")
    if s.tokens[i].low not in QUANTIFIERS or not any(t.kind == "poss" for t in s.tokens[start:j]):
        return
    for pick in phrase(s, start, j, env):
        members = _members(s, list(pick.nodes))
        if members and not pick.several:
            yield Pick(members, True)


def _in_scope_of(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield what `K of S` names: inside S, every K that S has or the only one."""
    for k in range(i + 1, j - 1):
        if s.tokens[k].text not in PREPOSITIONS:
            continue
        for scope in _scopes(s, i, k, j, env):
            if not _holds(s, scope):
                continue
            if scope.several:
                yield from _of_one_of(s, i, k, scope)
                continue
            yield from _inside(s, i, k, env._replace(scope=scope))
        k -= s.tokens[k - 1].low == "currently" and k > i + 1
        heads = (*phrase(s, i, k, env), *_kind(s, i, k, env)) if k + 1 < j else ()
        for records in heads:
            many = records.many or is_plural_phrase(s, i, k)
            held = records.nodes if records.many else _as_members(s, records.nodes)
            for kept in filters.by_field(s, k + (s.tokens[k].low == "currently"), j, held):
                yield Pick(kept, many, not many and len(kept) > 1, records.lacking)


def _scopes(s: Sentence, i: int, k: int, j: int, env: Env) -> list[Pick]:
    """Return what stands behind the joint *k*; `one` in it means the words before the joint."""
    before = s.it_field
    words = s.words(k + 1, j)
    if "one" in words or ("it" in words and {"which", "where"} & set(words)):
        s.it_field = (i, k)
    found = phrase(s, k + 1, j, env)
    s.it_field = before
    return found


def _inside(s: Sentence, i: int, k: int, env: Env) -> Iterator[Pick]:
    """Yield what words without a place of their own name in the scope: K, K and L."""
    yield from simple(s, i, k, env)
    yield from _with_filter(s, i, k, env)
    if any(t.kind == "poss" for t in s.tokens[i:k]):
        yield from _possessives(s, i, k, env)
    elif not _is_placed(s, i, k):
        yield from _in_list(s, i, k, env)


def _of_one_of(s: Sentence, i: int, k: int, owners: Pick) -> Iterator[Pick]:
    """Yield the K of S where S fits several places of which one alone has it."""
    for pick in simple(s, i, k, Env(Pick(owners.nodes, True))):
        if len(pick.nodes) == 1:
            yield Pick(pick.nodes)


def _holds(s: Sentence, scope: Pick) -> bool:
    return any(s.tree.is_container(node) for node in scope.nodes)


def _with_filter(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield the records of a phrase that meet the condition behind it."""
    for k in range(i + 1, j):
        if not filters.begins(s, k, j):
            continue
        if not filters.is_introduced(s, k) and any(
            filters.is_introduced(s, p) for p in range(i, k)
        ):
            continue  # with a price above 2: the operator goes on with the filter
        for head in (*phrase(s, i, k, env), *_kind(s, i, k, env)):
            records = head.nodes if head.many else _as_members(s, head.nodes)
            for kept in filters.keep(s, k, j, records):
                many = head.many or is_plural_phrase(s, i, k)
                yield Pick(kept, many, not many and len(kept) > 1, head.lacking)


def _kind(s: Sentence, i: int, k: int, env: Env) -> list[Pick]:
    """Return the members of the collections that the words before a condition name by kind."""
    many, _, i = _quantity(s, i, k)
    held = collections(s, i, k, env) if i < k else []
    members = tuple(child for node in held for child in s.tree.children(node))
    return [Pick(members, many)] if members else []


def _as_members(s: Sentence, nodes: Nodes) -> Nodes:
    """Return the members of collections that a kind is named by, other nodes as they are."""
    return _members(s, list(nodes)) or nodes


def is_plural_phrase(s: Sentence, i: int, k: int) -> bool:
    """Return whether a phrase speaks of several: all users, the users, those with."""
    words = s.words(i, k)
    if words[0] in QUANTIFIERS or words[0] in ("those", "any"):
        return True
    end = next((p for p, w in enumerate(words) if w in PREPOSITIONS), len(words))
    return bool(end) and is_plural(words[end - 1]) and s.tokens[i + end - 1].kind == "word"


def _in_list(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield the union of `A and B` and `A, B and C`."""
    first = i + (s.tokens[i].low in ("both", "either"))
    lead = s.tokens[i - 1].low if i and s.tokens[i - 1].low in ("from", "to", "into") else ""
    for k in range(first + 1, j - 1):
        if s.tokens[k].low not in ("and", ","):
            continue
        rest = k + 1 + (s.tokens[k + 1].low == "and")
        if s.tokens[k].low == "," and not any(t.low == "and" for t in s.tokens[rest - 1 : j]):
            continue
        if (lead and lead in s.words(rest, j)) or _is_one_scope(s, (first, k), (rest, j), env):
            continue  # remove A from S and B from T
        for left in simple(s, first, k, env) + list(_owner_of_simple(s, first, k, env)):
            for right in phrase(s, rest, j, env):
                if not left.several and not right.several and left.nodes and right.nodes:
                    nodes = tuple(dict.fromkeys(left.nodes + right.nodes))
                    yield Pick(nodes, True, False, left.lacking + right.lacking)


def _is_one_scope(s: Sentence, left: tuple[int, int], right: tuple[int, int], env: Env) -> bool:
    """Return whether what is joined is the scope of the words before it: the K of S and T."""
    joined = _is_placed(s, *left) and not _is_placed(s, *right)
    return joined and any(_in_scope_of(s, left[0], right[1], env))


def _is_placed(s: Sentence, i: int, j: int) -> bool:
    """Return whether words say where: by an owner or a path."""
    return any(
        t.kind == "poss" or t.low in PREPOSITIONS or looks_like_path(t.text) for t in s.tokens[i:j]
    )


def _owner_of_simple(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    yield from _possessives(s, i, j, env)
    if any(token.low in PREPOSITIONS for token in s.tokens[i:j]):
        yield from _in_scope_of(s, i, j, env)


def _except(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield what is left of a phrase without the exceptions that it names."""
    for k in range(i + 1, j - 1):
        for marker in _EXCEPT:
            end = k + len(marker)
            if tuple(s.words(k, end)) != marker or end >= j:
                continue
            for head in phrase(s, i, k - (s.tokens[k - 1].low == ","), env):
                s.tree.spend(len(head.nodes))
                if head.many or is_plural_phrase(s, i, k):
                    yield from without(s, head, end, j)
            break


def without(s: Sentence, head: Pick, start: int, j: int) -> Iterator[Pick]:
    """Yield what is left of *head* without the exceptions that the words name."""
    start += s.tokens[start].low in ("for", "those", "the")
    start += s.tokens[start].low in ("one", "ones")
    if start >= j:
        return
    within = Env(Pick(head.nodes, True))
    found = [p for p in phrase(s, start, j, Env()) if not p.several]
    found += list(_by_label(s, start, j, within))
    if filters.begins(s, start, j):
        found += [Pick(kept, True) for kept in filters.keep(s, start, j, head.nodes)]
    for gone in found:
        s.tree.spend(len(head.nodes) * len(gone.nodes))
        hit = {n for n in head.nodes if _is_excepted(s, n, gone.nodes)}
        if hit and len(hit) >= len(gone.nodes):
            kept = tuple(n for n in head.nodes if n not in hit)
            yield Pick(kept, True, False, head.lacking)


def _is_excepted(s: Sentence, node: int, gone: Nodes) -> bool:
    return any(node == g or g <= node < s.tree.end[g] or (node <= g < s.tree.end[node] and
               s.tree.identifies(g)) for g in gone)  # fmt: skip


def _by_label(s: Sentence, i: int, j: int, env: Env) -> list[Pick]:
    """Return the records of a list of names: A, B and C."""
    assert env.scope is not None
    names: list[str] = []
    start = i
    for k in range(i, j + 1):
        if k == j or s.tokens[k].low in ("and", ",", "or"):
            if start < k:
                names.append(s.source(start, k))
            start = k + 1
    nodes: list[int] = []
    for name in names:
        hit = [n for n in env.scope.nodes if _is_called(s, n, name)]
        if len(hit) != 1:
            return []
        nodes += hit
    return [Pick(tuple(nodes), True)] if nodes else []


def _is_called(s: Sentence, node: int, name: str) -> bool:
    """Return whether a node is the record or the key of that name."""
    if key_form(str(s.tree.keys[node])) == key_form(name):
        return True
    record = s.tree.record_of(node)
    if record is None:
        return False
    if key_form(str(s.tree.keys[record])) == key_form(name) and name:
        return True
    return any(s.tree.record_of(n) == record for n in s.tree.with_label(name))


# -- phrases without prepositions


def simple(s: Sentence, i: int, j: int, env: Env) -> list[Pick]:
    """Return the readings of a phrase without scope and filter."""
    key = ("simple", i, j, env)
    known: list[Pick] | None = s.memo.get(key)
    if known is None:
        known = s.memo[key] = _distinct(_simple(s, i, j, env))
    return known


def _simple(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    if i >= j or j - i > 12 or any(t.kind in ("sep", "op", "poss") for t in s.tokens[i:j]):
        return
    many, count, i = _quantity(s, i, j)
    if i >= j:
        return
    many = many or (j - i == 1 and _selects_many(s.tokens[i].text))
    yield from _top(s, i, j)
    if s.tokens[i].low in ("top-level", "toplevel", "root-level") and j - i > 1:
        yield from _at_top(s, i + 1, j)
        return
    for nodes, lacking in _names(s, i, j, env, many):
        s.tree.spend(len(nodes))
        if not count or len(nodes) == count or env.scope is not None:
            scope_many = env.scope is not None and env.scope.many
            yield Pick(nodes, many or scope_many, _is_several(s, nodes, many, env), lacking)
    if many and j - i == 1 and env.scope is None:
        named = key_nodes(s, i, j)
        holders = [s.tree.record_of(n) for n in named if s.tree.identifies(n)]
        if len(holders) == len(named) > 1 and all(r is not None for r in holders):
            yield Pick(tuple(r for r in holders if r is not None), True)
    yield from _ordinal(s, i, j, env)
    yield from _compound(s, i, j, env, many)


def _selects_many(text: str) -> bool:
    """Return whether a path itself speaks of all that it fits: `users[*].name`, JSONPath."""
    return looks_like_path(text) and (text.startswith("$") or "[*]" in text or ".*" in text)


def _at_top(s: Sentence, i: int, j: int) -> Iterator[Pick]:
    """Yield the key of that name at the top level."""
    for pick in simple(s, i, j, Env(Pick((0,)))):
        nodes = tuple(n for n in pick.nodes if s.tree.parents[n] == 0)
        if len(nodes) == 1:
            yield Pick(nodes)


def _compound(s: Sentence, i: int, j: int, env: Env, many: bool) -> Iterator[Pick]:
    """Yield the key of what stands before it: the Metformin dose, the test job timeout."""
    for k in range(i + 1, j):
        if not key_nodes(s, k, j):
            continue
        for owner in simple(s, i, k, env) or [Pick(tuple(key_nodes(s, i, k)))]:
            if owner.several or owner.many or len(owner.nodes) != 1 or not _holds(s, owner):
                continue
            inner = Env(owner, env.it)
            for nodes, lacking in _keys(s, k, j, inner, many):
                yield Pick(nodes, many, not many and len(nodes) > 1, lacking)


def _quantity(s: Sentence, i: int, j: int) -> tuple[bool, int, int]:
    """Return whether a phrase begins with a quantifier, the count it says, and where it goes on."""
    low = s.words(i, j)
    many, count, p = False, 0, 0
    if low[0] in QUANTIFIERS or (low[0] == "any" and len(low) > 1):
        many, count, p = True, 2 if low[0] == "both" else 0, 1
    if low[p : p + 2] in (["of", "the"], ["of", "these"], ["of", "those"]):
        p += 2
    elif many and low[p : p + 1] == ["of"]:
        p += 1
    if len(low) > p + 1 and low[p] in ARTICLES and s.tokens[i + p].text != "A":
        p += 1
    if many and low[p : p + 1] and (number_in(low[p]) or "").isdigit() and not low[p].isdigit():
        count, p = int(number_in(low[p]) or 0), p + 1
    p += len(low) > p + 1 and low[p] in ("existing", "current", "whole", "entire")
    if len(low) > p + 1 and low[p] == "remaining" and many and _removed_before(s, i):
        p += 1  # what is gone takes no further change
    return many, count, i + p


def _removed_before(s: Sentence, i: int) -> bool:
    """Return whether a clause before removes records, of which others remain."""
    return any(s.tokens[k].low in ("remove", "delete", "drop") for k in range(i))


def _is_several(s: Sentence, nodes: Nodes, many: bool, env: Env) -> bool:
    if many:
        return False
    if env.scope is None or not env.scope.many:
        return len(nodes) > 1
    holders = env.scope.members
    seen: set[int] = set()
    for node in nodes:
        above = node
        while above >= 0 and above not in holders:
            above = s.tree.parents[above]
        if above in seen:
            return True
        seen.add(above)
    return False


def _top(s: Sentence, i: int, j: int) -> Iterator[Pick]:
    form = "".join(singular(w) for w in s.words(i, j) if w not in ARTICLES and w != "of")
    is_root = form.replace("-", "") in _TOP or (
        form in ("list", "array") and isinstance(s.tree.document, list)
    )
    if is_root and all(t.kind == "word" for t in s.tokens[i:j]):
        yield Pick((0,))


Named = tuple[Nodes, Nodes]


def _names(s: Sentence, i: int, j: int, env: Env, many: bool) -> Iterator[Named]:
    token = s.tokens[i]
    if j - i == 1 and token.kind in ("word", "code", "quoted") and looks_like_path(token.text):
        found = list(_at_path(s, token.text, env))
        yield from found
        if found or (token.kind == "word" and token.text.startswith(("/", "$"))):
            yield from _labels(s, i, j, env) if not found else ()
            return
    if not all(t.is_name for t in s.tokens[i:j]):
        return
    own = _own_members(s, i, j, env)
    if own:
        yield own, ()
        return
    yield from _keys(s, i, j, env, many)
    if j - i > 1:
        yield from _operation(s, i, j, env)
        yield from _key_and_value(s, i, j, env)
        yield from _with_structure(s, i, j, env, many)
        yield from _kind_and_label(s, i, j, env, many)
    yield from _labels(s, i, j, env)
    yield from _of_type(s, i, j, env)
    yield from _generic(s, i, j, env)
    yield from _only_member(s, i, j, env, many)


def _operation(s: Sentence, i: int, j: int, env: Env) -> Iterator[Named]:
    """Yield the key in front of a key that is an address: GET /users, the POST /pets operation."""
    j -= s.tokens[j - 1].low == "operation" and j - i > 2
    held = s.tree.by_key.get(s.tokens[j - 1].text, []) if s.tokens[j - 1].text[:1] == "/" else []
    form = key_form(s.source(i, j - 1)) if held and j - i == 2 else ""
    found = [c for n in held for c in s.tree.children(n) if key_form(str(s.tree.keys[c])) == form]
    inside = [c for c in found if env.scope is None or s.tree.lies_in(c, env.scope.members)]
    if inside:
        yield tuple(inside), ()


def _only_member(s: Sentence, i: int, j: int, env: Env, many: bool) -> Iterator[Named]:
    """Yield the only member of the scope's collection: Omar's order."""
    if env.scope is None or len(env.scope.nodes) != 1 or many or is_plural(s.tokens[j - 1].low):
        return
    holder = env.scope.nodes[0]
    inside = s.tree.below(key_nodes(s, i, j), holder)
    held = [n for n in inside if s.tree.parents[n] == holder and _is_plural_collection(s, n)]
    members = [c for n in held for c in s.tree.children(n)]
    if len(members) == 1:
        yield tuple(members), ()


def _own_members(s: Sentence, i: int, j: int, env: Env) -> Nodes:
    """Return the members of the scope where the words are what the scope itself is called."""
    if env.scope is None or not all(t.kind == "word" for t in s.tokens[i:j]):
        return ()
    form = key_form(" ".join(t.text for t in s.tokens[i:j]))
    for holder in env.scope.nodes:
        if key_form(str(s.tree.keys[holder])) != form or not s.tree.is_collection(holder):
            return ()
        if s.tree.below(s.tree.by_form.get(form, []), holder):
            return ()
    return tuple(child for holder in env.scope.nodes for child in s.tree.children(holder))


def _key_and_value(s: Sentence, i: int, j: int, env: Env) -> Iterator[Named]:
    """Yield the record of which a field has a value: product "croissant", order_id "A-5001"."""
    for k in range(i + 1, j):
        if j - k > 1 and any(t.kind != "word" for t in s.tokens[k:j]):
            continue
        text = s.source(k, j)
        form = key_form(" ".join(t.text for t in s.tokens[i:k]))
        nodes = [
            n for n in s.tree.by_form.get(form, [])
            if scalar_text(s, n).lower() == text.lower() and s.tree.identifies(n)
        ]  # fmt: skip
        s.tree.spend(len(nodes))
        records = _in_scope(s, [s.tree.record_of(n) for n in nodes], env)
        if records and text:
            yield tuple(records), ()
    # the SlowQueries alert, of which alert is the identity
    low, form = s.source(i, j - 1).lower(), key_form(s.tokens[j - 1].text)
    named = [n for n in s.tree.by_form.get(form, []) if scalar_text(s, n).lower() == low]
    owners = _in_scope(s, [s.tree.record_of(n) for n in named if s.tree.identifies(n)], env)
    if owners and low:
        yield tuple(owners), ()


def _at_path(s: Sentence, text: str, env: Env) -> Iterator[Named]:
    tree = s.tree
    nodes: Nodes | None = ()
    if env.scope is not None and not text.startswith(("/", "$")):
        inside = [(holder, find(tree, text, holder) or ()) for holder in env.scope.nodes]
        nodes = tuple(n for _, found in inside for n in found)
        lacking = tuple(holder for holder, found in inside if not found)
        if nodes:
            yield nodes, lacking
            return
    nodes = find(tree, text)
    literal = tree.by_key.get(text, [])
    if nodes or literal:
        yield (*(nodes or ()), *literal), ()
        return
    ending = suffix_nodes(tree, text)
    if env.scope is not None:
        ending = [n for n in ending if tree.lies_in(n, env.scope.members)]
    if ending:
        yield tuple(ending), ()


def key_nodes(s: Sentence, i: int, j: int) -> list[int]:
    """Return every node whose key the words are, exactly or but for spacing and number."""
    token = s.tokens[i]
    if j - i == 1 and (token.kind != "word" or token.text in s.tree.by_key):
        exact = s.tree.by_key.get(token.text)
        if exact:
            return exact
        if token.kind == "code" and not token.text.replace(" ", "").isidentifier():
            return []
    if not all(key_words(t.text) for t in s.tokens[i:j]):
        return []
    return s.tree.by_form.get(key_form(" ".join(t.text for t in s.tokens[i:j])), [])


def _keys(s: Sentence, i: int, j: int, env: Env, many: bool) -> Iterator[Named]:
    nodes = key_nodes(s, i, j)
    if not many and s.tokens[j - 1].kind == "word" and not is_plural(s.tokens[j - 1].low):
        nodes = [n for n in nodes if not _is_plural_collection(s, n)]
    if not nodes:
        return
    if env.scope is not None:
        yield from _keys_inside(s, nodes, env.scope, many)
    elif many:
        yield _members(s, nodes) or tuple(nodes), ()
    else:
        top = [n for n in nodes if s.tree.parents[n] == 0]
        inner = len(top) == 1 and _is_inner(s, nodes, top[0])
        yield tuple(top if inner else nodes), ()


def _keys_inside(s: Sentence, nodes: list[int], scope: Pick, many: bool) -> Iterator[Named]:
    """Yield the nearest nodes of a name in each holder; all of them where many are meant."""
    tree = s.tree
    found: list[int] = []
    lacking: list[int] = []
    for holder in scope.nodes:
        inside = tree.below(nodes, holder)
        tree.spend(len(inside) + 1)
        if not inside:
            lacking.append(holder)
        elif many or len(inside) == 1:
            found += inside
        else:
            nearest = min(tree.depth(n, holder) for n in inside)
            found += [n for n in inside if tree.depth(n, holder) == nearest]
    if found:
        yield (_members(s, found) if many else ()) or tuple(found), tuple(lacking)


def _is_inner(s: Sentence, nodes: list[int], top: int) -> bool:
    """Return whether all other nodes of a name lie in records, which a bare key does not mean."""
    return all(n == top or s.tree.record_of(n) is not None for n in nodes)


def _is_plural_collection(s: Sentence, node: int) -> bool:
    """Return whether a node is a collection that the singular of its name does not mean."""
    words = key_words(str(s.tree.keys[node]))
    return bool(words) and is_plural(words[-1]) and s.tree.is_collection(node)


def _members(s: Sentence, nodes: list[int]) -> Nodes:
    """Return the members of the collections *nodes*; nothing if one is not a collection."""
    if not all(s.tree.is_collection(node) for node in nodes):
        return ()
    return tuple(child for node in nodes for child in s.tree.children(node))


def _with_structure(s: Sentence, i: int, j: int, env: Env, many: bool) -> Iterator[Named]:
    """Yield what is named beside a structural noun: the `tags` array, the key `port`."""
    last, first = s.tokens[j - 1], s.tokens[i]
    noun = singular(last.low)
    behind = noun in STRUCTURAL or noun in ("date", "operation", "command", "policy")
    if last.kind == "word" and behind and not key_nodes(s, j - 1, j):
        yield from _keys_of_shape(s, i, j - 1, env, many, last.low)
    noun = singular(first.low)
    plain = noun in ("key", "field", "property") or not key_nodes(s, i, i + 1)
    if first.kind == "word" and noun in STRUCTURAL and plain:
        yield from _names(s, i + 1, j, env, many)


def _keys_of_shape(s: Sentence, i: int, j: int, env: Env, many: bool, noun: str) -> Iterator[Named]:
    token = s.tokens[i]
    if j - i == 1 and looks_like_path(token.text):
        yield from _at_path(s, token.text, env)
        return
    shape = {"array": list, "list": list, "object": dict}.get(singular(noun))
    for nodes, lacking in (*_keys(s, i, j, env, many), *_inner_keys(s, i, j, env, noun)):
        kept = tuple(n for n in nodes if shape is None or isinstance(s.tree.values[n], shape))
        named = many and shape is None and set(kept) <= set(key_nodes(s, i, j))
        if named and all(s.tree.is_container(n) for n in kept):
            kept = tuple(child for n in kept for child in s.tree.children(n))
        if kept:
            yield kept, lacking


def _inner_keys(s: Sentence, i: int, j: int, env: Env, noun: str) -> Iterator[Named]:
    """Yield the key before the name of what holds it: the DEBUG environment variable."""
    if is_plural(noun) or j - i < 2:
        return
    for k in range(i + 1, j):
        outer = "" if number_in(s.source(k, j)) else key_form(s.source(k, j))
        found = [
            n for n in key_nodes(s, i, k)
            if key_form(str(s.tree.keys[s.tree.parents[n]])) == outer
            and (env.scope is None or s.tree.lies_in(n, env.scope.members))
        ]  # fmt: skip
        if found:
            yield tuple(found), ()


def collections(s: Sentence, i: int, j: int, env: Env) -> list[int]:
    """Return the collections whose members the words call by their kind."""
    tokens = s.tokens[i:j]
    if not all(t.kind in ("word", "code") and key_words(t.text) for t in tokens):
        return []
    form = key_form(" ".join(t.text for t in tokens))
    nodes = [n for n in s.tree.by_form.get(form, []) if s.tree.is_collection(n)]
    if env.scope is not None:
        above = {s.tree.parents[h] for h in env.scope.nodes}
        nodes = [n for n in nodes if n in above or s.tree.lies_in(n, env.scope.members)]
    if nodes or j - i == 1:
        held = nodes or _by_head_noun(s, form, env) or _generic_collections(s, i, env)
        return held or _by_languages(s, form, env)
    if singular(tokens[-1].low) in GENERIC | {"variable", "var"}:
        return collections(s, i, j - 1, env)  # every patient record
    return _by_head_noun(s, form, env) or _inner_collections(s, i, j, env)


def _by_languages(s: Sentence, form: str, env: Env) -> list[int]:
    """Return the map of which every key is the tag of a language, which `locale` means."""
    if form not in ("locale", "language"):
        return []
    tree = s.tree
    tree.spend(len(tree.values))
    return [
        n for n, held in enumerate(tree.values)
        if isinstance(held, dict) and tree.is_map(n) and all(map(_LANGUAGE.fullmatch, held))
        and (env.scope is None or tree.lies_in(n, env.scope.members))
    ]  # fmt: skip


def _inner_collections(s: Sentence, i: int, j: int, env: Env) -> list[int]:
    """Return the collection of what holds it: a shipping method, of shipping.methods."""
    outer = "" if number_in(s.tokens[i].text) else key_form(s.tokens[i].text)
    return [
        n for n in collections(s, i + 1, j, env)
        if n and key_form(str(s.tree.keys[s.tree.parents[n]])) == outer
    ]  # fmt: skip


def _by_head_noun(s: Sentence, form: str, env: Env) -> list[int]:
    """Return the collection whose name ends in those words: `product` for in_app_products."""
    if len(form) < 4 or s.tree.by_form.get(form) or form in GENERIC | STRUCTURAL:
        return []
    key = ("head noun", form)
    held: list[int] | None = s.memo.get(key)
    if held is None:
        s.tree.spend(len(s.tree.by_form))
        longer = [f for f in s.tree.by_form if f.endswith(form)]
        nodes = s.tree.by_form[longer[0]] if len(longer) == 1 else []
        held = [n for n in nodes if s.tree.is_collection(n) and _ends_in(s, n, form)]
        s.memo[key] = held
    if env.scope is None:
        return held
    return [n for n in held if s.tree.lies_in(n, env.scope.members)]


def _ends_in(s: Sentence, node: int, form: str) -> bool:
    """Return whether the last words of a key are that form."""
    words = [singular(w) for w in key_words(str(s.tree.keys[node]))]
    return any("".join(words[k:]) == form for k in range(1, len(words)))


def _generic_collections(s: Sentence, i: int, env: Env) -> list[int]:
    """Return what holds the members that `entry` or, in a list, any noun means."""
    generic = singular(s.tokens[i].low) in GENERIC
    if env.scope is not None and env.scope.nodes != (0,):
        return [h for h in env.scope.nodes if s.tree.is_collection(h)] if generic else []
    if isinstance(s.tree.document, list):
        return [0] if s.tokens[i].kind == "word" and _is_noun(s, i) else []
    lists = s.tree.record_lists() if generic else []
    return lists if len(lists) == 1 else []


def _kind_and_label(s: Sentence, i: int, j: int, env: Env, many: bool) -> Iterator[Named]:
    """Yield the members of a kind by name: the api container, order A-5001, task 3."""
    for k in range(i + 1, j):
        for kind, label in (((i, k), (k, j)), ((k, j), (i, k))):
            held = collections(s, *kind, env)
            if held:
                nodes = _members_called(s, held, label, env)
                plural = many or is_plural(s.tokens[kind[1] - 1].low)
                if (nodes and (plural or len(nodes) == 1 or kind[0] == k)) or nodes:
                    yield nodes, ()


def _members_called(s: Sentence, held: list[int], label: tuple[int, int], env: Env) -> Nodes:
    members = [child for node in held for child in s.tree.children(node)]
    if env.scope is not None and not any(s.tree.lies_in(n, env.scope.members) for n in held):
        members = [m for m in members if m in env.scope.members]
    start, end = label
    if s.tokens[start].low in ("no", "number", "#", "nr", "id", "key", "entry") and end - start > 1:
        start += 1
    text = s.source(start, end)
    for test in _label_tests(s, text):
        s.tree.spend(len(members))
        nodes = tuple(m for m in members if test(m))
        if nodes:
            return nodes
    nodes = _with_value(s, members, text)
    if not nodes and end - start == 1:
        partly = {s.tree.record_of(n) for n in s.tree.named_with(text)}
        nodes = tuple(m for m in members if m in partly)
    return nodes


def _label_tests(s: Sentence, text: str) -> Iterator[Callable[[int], bool]]:
    tree = s.tree
    low, form = text.lower(), key_form(text)
    named = {tree.record_of(n) for n in tree.with_label(text)}
    yield lambda m: m in named
    yield lambda m: isinstance(tree.keys[m], str) and key_form(str(tree.keys[m])) == form
    yield lambda m: isinstance(tree.values[m], str) and str(tree.values[m]).lower() == low
    yield lambda m: _has_flag(s, m, form, True)
    denied = opposite(form)
    if denied:
        yield lambda m: _has_flag(s, m, denied, False)


def _has_flag(s: Sentence, record: int, form: str, wanted: bool) -> bool:
    flags = s.tree.below(s.tree.by_form.get(form, []), record)
    return any(s.tree.values[n] is wanted and s.tree.parents[n] == record for n in flags)


def opposite(form: str) -> str:
    """Return what a word denies: disabled, unread, inactive, non-critical."""
    found = re.fullmatch(r"(dis|un|in|non)(\w{3,})", form)
    return ("en" if found[2] == "abled" else "") + found[2] if found else ""


def _with_value(s: Sentence, members: list[int], text: str) -> Nodes:
    """Return the members of which one field, the same in all, has that text."""
    low = text.lower()
    fields: dict[object, list[int]] = {}
    for member in members:
        if not isinstance(s.tree.values[member], dict):
            continue
        for node in s.tree.children(member):
            value = s.tree.values[node]
            if isinstance(value, str) and value.lower() == low:
                fields.setdefault(s.tree.keys[node], []).append(member)
    return tuple(next(iter(fields.values()))) if len(fields) == 1 else ()


def _labels(s: Sentence, i: int, j: int, env: Env) -> Iterator[Named]:
    """Yield the records with that name, or with it among the words of their name."""
    text = s.source(i, j)
    if all(t.low in ARTICLES for t in s.tokens[i:j]):
        return
    records = _in_scope(s, [s.tree.record_of(n) for n in s.tree.with_label(text)], env)
    if not records and j - i == 1 and s.tokens[i].kind == "word":
        records = _in_scope(s, [s.tree.record_of(n) for n in s.tree.named_with(text)], env)
        if key_nodes(s, i, j):
            records = []
    if records:
        yield tuple(records), ()


_TYPE_KEYS = ("type", "kind", "category", "species", "role")


def _of_type(s: Sentence, i: int, j: int, env: Env) -> Iterator[Named]:
    """Yield the records that the words name by their type: all thermostats, the widget."""
    if j - i != 1 or s.tokens[i].kind != "word" or key_nodes(s, i, j):
        return
    nouns = {s.tokens[i].low, singular(s.tokens[i].low)}
    for key in _TYPE_KEYS:
        nodes = [n for n in s.tree.by_key.get(key, []) if scalar_text(s, n).lower() in nouns]
        records = _in_scope(s, [s.tree.record_of(n) for n in nodes], env)
        if records:
            yield tuple(records), ()


def _in_scope(s: Sentence, records: list[int | None], env: Env) -> list[int]:
    found = sorted({r for r in records if r is not None})
    if env.scope is not None:
        found = [r for r in found if s.tree.lies_in(r, env.scope.members)]
    return found


def _generic(s: Sentence, i: int, j: int, env: Env) -> Iterator[Named]:
    """Yield what `every entry` means inside a scope, and any noun in a document that is a list."""
    token = s.tokens[i]
    if j - i != 1 or token.kind != "word":
        return
    nodes: Nodes = ()
    if env.scope is not None:
        if singular(token.low) in GENERIC | {"value"}:
            held = [h for h in env.scope.nodes if s.tree.is_container(h)]
            nodes = tuple(child for h in held for child in s.tree.children(h))
    elif isinstance(s.tree.document, list) and _is_noun(s, i):
        nodes = tuple(s.tree.children(0))
    elif singular(token.low) in GENERIC:
        lists = s.tree.record_lists()
        nodes = tuple(s.tree.children(lists[0])) if len(lists) == 1 else ()
    else:
        nodes = _members(s, _by_languages(s, singular(token.low), env))
    if nodes:
        yield nodes, ()


def _is_noun(s: Sentence, i: int) -> bool:
    """Return whether a word can be what the records of a list are called."""
    token = s.tokens[i]
    if singular(token.low) in GENERIC:
        return True
    if not token.text.isalpha() or len(token.text) < 3:
        return False
    return is_plural(token.low) or not key_nodes(s, i, i + 1)


def _ordinal(s: Sentence, i: int, j: int, env: Env) -> Iterator[Pick]:
    """Yield members by place: the second user, the element at index 2 of a list."""
    place, kind = _ordinal_words(s, i, j)
    if place is None or (j - i == 1 and key_nodes(s, i, j)):
        return
    count = _count(s, *kind) if place in (0, -1) else 0
    kind = (kind[0] + (count > 0), kind[1])
    nodes: list[int] = []
    for node in _ordered_lists(s, kind, env):
        members = list(s.tree.children(node))
        if env.scope is not None and not s.tree.lies_in(node, env.scope.members):
            members = [m for m in members if m in env.scope.members]
            if len(members) < 2:
                continue
        end = (place + max(count, 1)) or None
        start = place if place >= 0 or not count else -count
        if max(-start, end or 0, count) <= len(members):
            nodes += members[start : end if start >= 0 or not count else None]
    if nodes:
        many = count > 0 or (env.scope is not None and env.scope.many)
        yield Pick(tuple(nodes), many, not many and len(nodes) > 1)


def _count(s: Sentence, i: int, j: int) -> int:
    """Return the number in front of a kind: 2 for `two users`."""
    number = number_in(s.tokens[i].text) if j - i > 1 else None
    return int(number) if number is not None and number.isdigit() else 0


def _ordinal_words(s: Sentence, i: int, j: int) -> tuple[int | None, tuple[int, int]]:
    """Return the place that the words say, counted from 0, and the words for its kind."""
    low = s.words(i, j)
    if low[0] in ORDINALS:
        return ORDINALS[low[0]], (i + 1, j)
    if len(low) == 4 and low[1:3] == ["at", "index"] and low[3].isdigit():
        return int(low[3]), (i, i + 1)
    if len(low) == 2 and low[0] == "index" and low[1].isdigit():
        return int(low[1]), (i, i)
    return None, (i, i)


def _ordered_lists(s: Sentence, kind: tuple[int, int], env: Env) -> list[int]:
    """Return the lists of which a member is counted."""
    scope = [] if env.scope is None else list(env.scope.nodes)
    if kind[0] >= kind[1]:
        return scope
    held = collections(s, *kind, env)
    if held or kind[1] - kind[0] != 1:
        return held
    form = key_form(s.source(*kind))
    return [
        h
        for h in scope
        if isinstance(s.tree.values[h], list) and key_form(str(s.tree.keys[h])) == form
    ]


def scalar_text(s: Sentence, node: int) -> str:
    """Return the text of a scalar, empty for others."""
    value = s.tree.values[node]
    return value if isinstance(value, str) else value.text if isinstance(value, Num) else ""
