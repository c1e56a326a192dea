"""Refusals that teach: what was not understood, then the nearest form that works.

Finding the nearest form is loose: it goes by shared words, owners and the shapes of values. It
only proposes; whatever it proposes is tried before it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from redline.instruct.exact_forms import exact_form
from redline.instruct.forms import FormWord
from redline.instruct.kinds import BY_VERB, REMOVING
from redline.instruct.loose import rewritings
from redline.instruct.model.operations import DocumentOperation, pointer
from redline.instruct.model.values import Num, Value, dumps
from redline.instruct.paths import insertion_point, looks_like_path, object_for_new_key, path_parts
from redline.instruct.plans import is_plain
from redline.instruct.sentence import LACKING, SEVERAL, Env, Sentence, Trouble
from redline.instruct.targets import PREPOSITIONS, phrase
from redline.instruct.tokens import Token
from redline.instruct.tree import Nodes
from redline.instruct.words import (
    ARTICLES,
    FALSE_WORDS,
    TRUE_WORDS,
    key_form,
    key_words,
    number_in,
    singular,
)

MAX_SUGGESTIONS = 3
# At most a hundred tokens for message and suggestions together, of which the message says one.
MAX_CHARACTERS = 285
_SHOWN = 160
_SHORT = 120  # characters of an exact form; a longer one is suggested as a sentence
_LOOSE = 2
_DELIMITED = frozenset('"[{')
_LARGE = 5000  # nodes of a document for which looser readings would take too long
_SETTING = frozenset("set change update modify adjust make put give assign use".split())
_SWITCHING = frozenset("enable activate disable deactivate turn switch".split())
# Words that keep something from being done.
_DENYING = frozenset("not never don't doesn't except unless if until when without".split())
_FILTERING = frozenset("that who which whose with where".split())
_SMALL_NUMBERS = frozenset("one two three four five six seven eight nine ten".split())
_GROWING = ("increase", "raise", "add", "increment")
_SHRINKING = ("decrease", "reduce", "lower", "subtract", "deduct")


def explain(s: Sentence) -> Trouble:
    """Return the trouble that says most about why the sentence was not understood."""
    if not s.tokens:
        return Trouble(0, "it says nothing")
    weights = {t.weight for t in s.troubles}
    troubles = [t for t in s.troubles if t.weight != SEVERAL or LACKING not in weights]
    heaviest = max(troubles, key=lambda t: (t.weight, -len(t.message)), default=None)
    verb = _verb(s)
    if heaviest is None or heaviest.weight < 12:
        if not verb:
            return Trouble(0, f"no form begins with {dumps(s.tokens[0].text)}")
        unknown = _unknown(s)
        several = [n for f in _forms(s)[:1] for n in s.tree.by_form[f]]
        if not unknown and len(several) > 1 and _value(s) is None:
            name = dumps(str(s.tree.keys[several[0]]))
            return Trouble(SEVERAL, f"multiple {name} fields found", tuple(several))
        if unknown:
            return Trouble(0, f"not understood: {', '.join(map(dumps, unknown[:3]))}")
        return heaviest or Trouble(0, f'no form of "{verb}" takes these words')
    return heaviest


def _verb(s: Sentence) -> str:
    """Return the first verb of a form before a value behind a colon."""
    colon = next((k for k, t in enumerate(s.tokens) if t.low == ":"), len(s.tokens))
    before = any(t.low in BY_VERB for t in s.tokens[:colon])
    named = colon < 3 and any(s.tree.by_form.get(key_form(t.text)) for t in s.tokens[:colon])
    tokens = s.tokens[:colon] if before or named else s.tokens
    return next((t.low for t in tokens if t.low in BY_VERB), "")


def _unknown(s: Sentence) -> list[str]:
    """Return the words that name nothing and belong to no form."""
    known = _known_words()
    found = []
    for token in s.tokens:
        if token.kind != "word" or token.low in known or len(token.text) < 3:
            continue
        if s.tree.by_form.get(key_form(token.text)) or s.tree.with_label(token.text):
            continue
        if number_in(token.text) is None and not looks_like_path(token.text):
            found.append(token.text)
    return found


@cache
def _known_words() -> frozenset[str]:
    found = set(
        "true false null where whose with that which who having its their only other than are not "
        "please and then first last list array object entry value field key all every each "
        "both".split()
    )
    for forms in BY_VERB.values():
        for form in forms:
            found |= {w for e in form.pattern if isinstance(e, FormWord) for w in e.words}
    return frozenset(found)


Operations = tuple[DocumentOperation, ...]


def suggest(
    s: Sentence, trouble: Trouble, effect: Callable[[str], Operations | None]
) -> tuple[str, ...]:
    """Return the nearest instructions that work, the likeliest first.

    *effect* tells what an instruction does, and None for one that is not understood.
    """
    found: list[str] = []
    length = len(trouble.message[:_SHOWN])

    is_open = _is_open(s)

    def works(text: str) -> bool:
        operations = effect(text)
        return bool(operations) or (is_open and operations is not None)

    for text in _all_proposals(s, trouble, effect):
        cost = _cost(text) * (1 if found else 2)
        if text in found or length + cost > MAX_CHARACTERS or not works(text):
            continue
        found.append(text)
        length += cost
        if len(found) == MAX_SUGGESTIONS:
            break
    return tuple(found)


def _cost(text: str) -> int:
    """Return about how many characters of plain words cost as many tokens as a text does."""
    return len(text) + sum(not c.isalnum() and not c.isspace() for c in text) // 2


def fitting(message: str, forms: Iterable[str]) -> tuple[str, ...]:
    """Return those of some forms that go with a message into an answer of a hundred tokens."""
    found: list[str] = []
    left = MAX_CHARACTERS - len(message)
    for form in forms:
        cost = _cost(form) * (1 if found else 2)
        if cost <= left:
            found.append(form)
            left -= cost
    return tuple(found)


def _all_proposals(
    s: Sentence, trouble: Trouble, effect: Callable[[str], Operations | None]
) -> Iterator[str]:
    if "not delimited" in trouble.message:
        yield from _quote_value(s)
    if trouble.weight in (SEVERAL, LACKING):
        yield from _by_place(s, trouble, effect)
    if _DENYING & {t.low for t in s.tokens}:
        yield from _without_promises(s, effect)
        yield from _quote_value(s)
        return  # anything looser could do what is not to be done
    several = trouble.weight == SEVERAL and _value(s) is None
    if several:
        yield from _proposals(s, trouble)
    yield from _looser(s, effect)
    if not several:
        yield from _proposals(s, trouble)


def _by_place(
    s: Sentence, trouble: Trouble, effect: Callable[[str], Operations | None]
) -> Iterator[str]:
    """Yield the sentence with each place that its words fit, or with all of them, in their stead.

    A short exact form replaces the sentence.
    """
    i, j = trouble.span
    if i >= j:
        return
    before, behind = s.text[: s.tokens[i].start], s.text[s.tokens[j - 1].end :]
    if trouble.weight == LACKING:
        yield from _in_all(s, trouble)
        yield f"{before}{s.source(i, j)} that has one{behind}"
        yield f"{s.text.rstrip(' .')} that has one"
        return
    nodes = tuple(_nearest(s, trouble.nodes)) or trouble.nodes
    everywhere = f"{before}every {' '.join(s.words(i + (s.tokens[i].low == 'the'), j))}{behind}"
    for place, node in enumerate(nodes[:MAX_SUGGESTIONS]):
        if place == MAX_SUGGESTIONS - 1 < len(nodes) - 1:
            yield everywhere
        where = pointer(s.tree.path(node))
        if any(c.isspace() for c in where):
            continue
        text = f"{before}{where}{behind}"
        operations = effect(text)
        form = exact_form(operations) if operations else ""
        if operations:
            yield form if form and len(form) <= _SHORT else text
    yield everywhere


def _without_promises(s: Sentence, effect: Callable[[str], Operations | None]) -> Iterator[str]:
    """Yield what the other sentences do, without those that only say what stays."""
    kept: list[str] = []
    for sentence in re.split(r"(?<=[.!;\n])\s+", s.text):
        low = sentence.lower().split()[:2]
        if low[:1] not in (["leave"], ["keep"], ["don't"]) and low != ["do", "not"]:
            kept.append(sentence)
    text = " ".join(kept)
    operations = effect(text) if kept and len(text) < len(s.text) else None
    form = exact_form(operations) if operations else ""
    if operations:
        yield form if form and len(form) <= _SHORT else text


def _in_all(s: Sentence, trouble: Trouble) -> Iterator[str]:
    """Yield the statements that set a key in every holder, including those without it."""
    tree = s.tree
    holders = [n for n in trouble.nodes if tree.is_container(n)]
    held = [n for n in trouble.nodes if not tree.is_container(n)]
    keys = {str(tree.keys[n]) for n in held}
    values = [_fitting(_value(s), tree.values[n]) for n in held if _value(s) is not None]
    objects = all(isinstance(tree.values[h], dict) for h in holders)
    filtered = bool(_FILTERING & {t.low for t in s.tokens})
    if len(keys) != 1 or len(set(values)) != 1 or None in values or not objects or filtered:
        return
    key = keys.pop()
    paths = [tree.path(n) for n in held] + [(*tree.path(h), key) for h in holders]
    where = [pointer(path) for path in paths]
    plain = not any(c.isspace() or c == "=" for w in where for c in w)
    if plain and {len(path) for path in paths} == {len(paths[0])}:
        yield "\n".join(f"{w} = {values[0]}" for w in where)


def _looser(s: Sentence, effect: Callable[[str], Operations | None]) -> Iterator[str]:
    """Yield what looser readings of the sentence do, each effect once and at most two."""
    done: list[str] = []
    if len(s.tree.values) > _LARGE:
        return
    for text in rewritings(s, frozenset(_unknown(s))):
        operations = effect(text)
        form = exact_form(operations) if operations else ""
        if not operations or not form or form in done:
            continue
        if any(_is_patched_up(s, o.value) for o in operations):
            continue
        done.append(form)
        yield form if len(form) <= _SHORT else text
        if len(done) == _LOOSE:
            break


def _is_patched_up(s: Sentence, value: object) -> bool:
    """Return whether a text is made of words of the sentence that do not stand side by side."""
    if not isinstance(value, str):
        return False
    if value in s.text:
        return value.lower() in ("and", "or", "to", *ARTICLES)
    words = value.split()
    return len(words) > 1 and all(word in s.text for word in words)


def _proposals(s: Sentence, trouble: Trouble) -> Iterator[str]:
    yield from _quote_value(s)
    yield from _new_keys(s)
    if _verb(s) in _SETTING:
        yield from _new_keys_inside(s)
        yield from _by_value(s)
    yield from _records_removed(s)
    if _verb(s) in REMOVING and (trouble.span[0] > 2 or _FILTERING & {t.low for t in s.tokens}):
        return
    nodes = trouble.nodes[:MAX_SUGGESTIONS] if trouble.weight == SEVERAL else ()
    nodes = tuple(_nearest(s, nodes)) or nodes
    for place, node in enumerate(nodes[:MAX_SUGGESTIONS]):
        yield from _forms_for(s, node, both=place == 0 and len(nodes) == 1)


def _quote_value(s: Sentence) -> Iterator[str]:
    """Yield the sentence with the value behind its last `to` in quotes."""
    places = [k for k, t in enumerate(s.tokens) if t.low in ("to", "=", "as", "with", ":")]
    for k in reversed(places):
        rest = s.tokens[k + 1 :]
        if len(rest) > 1 and all(t.kind in ("word", "sep", "poss") for t in rest):
            start, end = rest[0].start, rest[-1].end
            value = s.text[start:end].rstrip(" .")
            if "\n" not in value:
                lead = s.text[:start].rstrip()
                yield f"{lead if k < 3 else lead.rstrip(' :')} {dumps(value)}"


def _new_keys(s: Sentence) -> Iterator[str]:
    """Yield the exact form for a path that is not there but whose parent is."""
    for k, token in enumerate(s.tokens):
        if token.is_name and looks_like_path(token.text) and not token.text.startswith("$"):
            parts = path_parts(token.text)
            value = _value(s, k)
            if not parts or value is None:
                continue
            place = insertion_point(s.tree, parts)
            if place is not None and parts[-1] == str(len(s.tree.values[place[0]])):  # type: ignore[arg-type]
                yield f"{pointer((*parts[:-1], '-'))} = {value}"
            elif object_for_new_key(s.tree, parts) is not None:
                yield f"{pointer(parts)} = {value}"


def _new_keys_inside(s: Sentence) -> Iterator[str]:
    """Yield the exact form for a key that the object named behind it or before it has not."""
    tokens, value = s.tokens, _value(s)
    stops = ("to", "=", "as", "with", ":", "for", "in", "on", ",", "and")
    for k in range(1, len(tokens) - 1) if value is not None else ():
        low = tokens[k].low
        end = next((p for p in range(k + 2, len(tokens)) if tokens[p].low in stops), len(tokens))
        if low in ("of", "for", "in", "on") and _may_be_key(tokens[k - 1]):
            spans = ((k + 1, end), tokens[k - 1])
        elif tokens[k].kind == "poss" and _may_be_key(tokens[k + 1]):
            start = next((p for p in range(k - 1, -1, -1) if tokens[p].low in BY_VERB), -1) + 1
            spans = ((start, k), tokens[k + 1])
        else:
            continue
        (i, j), name = spans
        known = s.tree.by_form.get(key_form(name.text), [])
        before = tokens[k - 2] if k > 1 and name is tokens[k - 1] else name
        key = str(s.tree.keys[known[0]]) if known else name.text
        for pick in phrase(s, i, j, Env()):
            path = s.tree.path(pick.nodes[0]) if len(pick.nodes) == 1 else ()
            beside = s.tree.child(pick.nodes[0], before.text) if path and not known else None
            if beside is not None:
                fit_value = _fitting(value, s.tree.values[beside])
                where = pointer(s.tree.path(beside))
                if not s.tree.is_container(beside) and fit_value and " " not in where:
                    yield f"{where} = {fit_value}"
                continue
            is_free = bool(path) and object_for_new_key(s.tree, (*path, key)) is not None
            if is_free and not any(c.isspace() or c == "=" for c in pointer((*path, key))):
                yield f"{pointer((*path, key))} = {value}"


def _may_be_key(token: Token) -> bool:
    """Return whether a token can be what a new key is called."""
    return token.is_name and not _is_literal(token)


def _by_value(s: Sentence) -> Iterator[str]:
    """Yield the field of a named record that has the value in another: order 7 to "shipped"."""
    value, tree = _value(s), s.tree
    text = value[1:-1].lower() if value is not None and value.startswith('"') else ""
    for record in _records(s)[:MAX_SUGGESTIONS] if text else ():
        for node in tree.children(record):
            alike = tree.by_key.get(str(tree.keys[node]), [])[:200]
            held = (tree.values[n] for n in alike if n != node)
            where = pointer(tree.path(node))
            if any(isinstance(v, str) and v.lower() == text for v in held) and " " not in where:
                yield f"{where} = {value}"


def _records_removed(s: Sentence) -> Iterator[str]:
    """Yield what removes the record that is named, where it does not say of what kind it is."""
    if _verb(s) in REMOVING:
        found = _records(s)
        for node in found if len(found) <= MAX_SUGGESTIONS else ():
            where = pointer(s.tree.path(node))
            if not any(c.isspace() for c in where):
                yield f"delete {where}"


_MARKS = ("to", "=", "->", ":")
_WEAK_MARKS = ("as", "with", "is", "be", "value", "by")


def _value(s: Sentence, after: int = -1) -> str | None:
    """Return the value that the sentence gives, as JSON text."""
    tokens, last = s.tokens, len(s.tokens) - 1
    for k in range(max(after + 1, 1), last + 1):
        if tokens[k - 1].low in _MARKS and _is_literal(tokens[k]):
            return _as_json(tokens[k])
    for k in range(last, after, -1):
        token, mark = tokens[k], tokens[k - 1].low if k else ""
        is_said = mark in _MARKS + _WEAK_MARKS or after >= 0 or k == last
        if _is_literal(token) and (is_said or token.kind != "quoted"):
            return _as_json(token)
        ends = k == last or tokens[k + 1].low in PREPOSITIONS
        if token.kind == "word" and mark in _MARKS and ends and token.low not in ARTICLES:
            return dumps(token.text)
    return None


def _is_literal(token: Token) -> bool:
    """Return whether a token is a value: quoted, JSON, digits, true, false or null."""
    return is_plain(token) and (token.kind != "word" or token.low not in _SMALL_NUMBERS)


def _nearest(s: Sentence, among: Nodes) -> list[int]:
    """Return the places that share most words with the sentence, at most a few."""
    tree = s.tree
    words = {singular(w) for t in s.tokens for w in key_words(t.text)}
    records = set(_records(s))
    scored: dict[int, int] = {}
    forms = _forms(s)
    candidates = among or tuple(n for f in forms for n in tree.by_form.get(f, ())[:200])
    if not candidates:
        partly = [
            k for k in tree.by_key if words & {singular(w) for w in key_words(k)} - {"id", "name"}
        ]
        candidates = tuple(n for k in partly[:20] for n in tree.by_key[k][:50])
    for node in candidates:
        tree.spend(5)
        above, score = tree.parents[node], 0
        while above > 0:
            score += 3 * (above in records)
            score += bool({singular(w) for w in key_words(str(tree.keys[above]))} & words)
            above = tree.parents[above]
        scored[node] = score * 2 + (not tree.is_container(node))
    if not scored:
        return []
    best = max(scored.values())
    found = [n for n, score in scored.items() if score == best]
    return found if len(found) <= MAX_SUGGESTIONS or among else []


def _forms(s: Sentence) -> list[str]:
    """Return the keys that the words of the sentence name, longer ones first."""
    found: list[str] = []
    names = [t for t in s.tokens if t.is_name]
    for size in (3, 2, 1):
        for k in range(len(names) - size + 1):
            form = key_form(" ".join(t.text for t in names[k : k + size]))
            nodes = s.tree.by_form.get(form)
            if nodes and form not in found and not any(form in longer for longer in found):
                found.append(form)
    scalars = [f for f in found if any(not s.tree.is_container(n) for n in s.tree.by_form[f][:50])]
    return scalars or found


def _records(s: Sentence) -> list[int]:
    """Return the records that the sentence names, in its order."""
    found: dict[int, None] = {}
    for k in range(len(s.tokens)):
        for size in (3, 2, 1):
            if k + size > len(s.tokens):
                continue
            text = s.source(k, k + size)
            nodes = s.tree.with_label(text) or (s.tree.named_with(text) if size == 1 else [])
            found |= {r: None for n in nodes[:5] if (r := s.tree.record_of(n)) is not None}
    return list(found)


def _forms_for(s: Sentence, node: int, *, both: bool) -> Iterator[str]:
    """Yield the exact form, and where *both* the sentence, for a change of one place."""
    where, old, verb = pointer(s.tree.path(node)), s.tree.values[node], _verb(s)
    if not where or any(c.isspace() for c in where):
        return
    if verb in REMOVING:
        if not s.tree.is_collection(node):
            yield f"delete {where}"
    elif verb in _SWITCHING:
        yield from _switches(s, node, where, on=_turns_on(s, verb))
    elif isinstance(old, list):
        yield from _additions(where, old, verb, _value(s))
    elif not isinstance(old, dict):
        yield from _assignments(s, where, old, both=both)


def _turns_on(s: Sentence, verb: str) -> bool:
    return verb in ("enable", "activate") or "on" in s.words(0, len(s.tokens))


def _switches(s: Sentence, node: int, where: str, *, on: bool) -> Iterator[str]:
    """Yield what switches a flag, or gives an object one."""
    old = s.tree.values[node]
    if isinstance(old, bool) or old is None:
        yield f"{where} = {dumps(on)}"
    elif isinstance(old, dict) and "enabled" not in old and not s.tree.is_collection(node):
        yield f"{where}/enabled = {dumps(on)}"


def _additions(where: str, held: list[Value], verb: str, value: str | None) -> Iterator[str]:
    """Yield what adds an element, a text where the others are texts, or makes it the only one."""
    is_texts = bool(held) and all(isinstance(item, str) for item in held)
    if value is None or any(isinstance(item, dict | list) for item in held):
        return
    text = dumps(value) if is_texts and value[0] not in _DELIMITED else value
    if verb in ("add", "append", "insert", "push", "put"):
        yield f"{where}/- = {text}"
    elif verb in _SETTING and value[0] not in "[{":
        yield f"{where} = [{text}]"


def _assignments(s: Sentence, where: str, old: Value, *, both: bool) -> Iterator[str]:
    """Yield what sets or calculates one scalar."""
    verb, value = _verb(s), _value(s)
    if verb in _GROWING + _SHRINKING and isinstance(old, Num) and " by " in s.text:
        if "%" not in s.text and "percent" not in s.text and value is not None:
            yield f"{where} {'+=' if verb in _GROWING else '-='} {value}"
        return
    text = _fitting(value, old) if value is not None or _is_open(s) else None
    if verb in ("rename", "convert", "sort", "move", "copy", "swap", "replace"):
        return
    if text is not None:
        if both and old is not None:  # the sentence goes by what others have in place of a null
            yield f"Set {where} to {text}"
        yield f"{where} = {text}"


def _is_open(s: Sentence) -> bool:
    """Return whether the sentence says no value at all: update the price."""
    marks = (*_MARKS, "as", "with", "by", "into", "from")
    return _verb(s) in _SETTING and not _unknown(s) and not any(t.low in marks for t in s.tokens)


def _as_json(token: Token) -> str:
    if token.kind == "json":
        return dumps(token.value)
    number = number_in(token.text) if token.kind == "word" else None
    plain = token.low in ("true", "false", "null")
    return number if number is not None else token.low if plain else dumps(token.text)


def _fitting(value: str | None, old: Value) -> str | None:
    """Return a value that can stand where *old* is; the old one when none is given."""
    if value is None:
        return dumps(old)
    if isinstance(old, bool):
        low = value.strip('"').lower()
        return "true" if low in TRUE_WORDS else "false" if low in FALSE_WORDS else None
    if isinstance(old, Num):
        return value if number_in(value) is not None else None
    if isinstance(old, str) and value[:1] not in '"{[':
        return dumps(value)
    return value
