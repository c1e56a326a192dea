"""Refusals that teach: what was not understood, then the nearest form that works.

Finding the nearest form is loose: it goes by shared words, owners and the shapes of values. It
only proposes; whatever it proposes is tried before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from redline.instruct.exact_forms import exact_form
from redline.instruct.forms import FormWord
from redline.instruct.kinds import BY_VERB
from redline.instruct.loose import rewritings
from redline.instruct.model.operations import DocumentOperation, pointer
from redline.instruct.model.values import Num, Value, dumps
from redline.instruct.paths import is_new_key, looks_like_path, path_parts
from redline.instruct.sentence import SEVERAL, Sentence, Trouble
from redline.instruct.tree import Nodes
from redline.instruct.words import FALSE_WORDS, TRUE_WORDS, key_form, key_words, number_in, singular

MAX_SUGGESTIONS = 3
# At most a hundred tokens for message and suggestions together, of which the message says one.
MAX_CHARACTERS = 285
_SHOWN = 160
_SHORT = 120  # characters of an exact form; a longer one is suggested as a sentence
_LOOSE = 2
_DELIMITED = frozenset('"[{')
_LARGE = 5000  # nodes of a document for which looser readings would take too long
_GROWING = ("increase", "raise", "add", "increment")
_SHRINKING = ("decrease", "reduce", "lower", "subtract", "deduct")


def explain(s: Sentence) -> Trouble:
    """Return the trouble that says most about why the sentence was not understood."""
    if not s.tokens:
        return Trouble(0, "it says nothing")
    heaviest = max(s.troubles, key=lambda t: (t.weight, -len(t.message)), default=None)
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
    return next((t.low for t in s.tokens if t.low in BY_VERB), "")


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

    def works(text: str) -> bool:
        return effect(text) is not None

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
    several = trouble.weight == SEVERAL and _value(s) is None
    if several:
        yield from _proposals(s, trouble)
    yield from _looser(s, effect)
    if not several:
        yield from _proposals(s, trouble)


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
    if not isinstance(value, str) or value in s.text:
        return False
    words = value.split()
    return len(words) > 1 and all(word in s.text for word in words)


def _proposals(s: Sentence, trouble: Trouble) -> Iterator[str]:
    yield from _quote_value(s)
    yield from _new_keys(s)
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
                yield f"{s.text[:start].rstrip(' :')} {dumps(value)}"


def _new_keys(s: Sentence) -> Iterator[str]:
    """Yield the exact form for a path that is not there but whose parent is."""
    for k, token in enumerate(s.tokens):
        if token.is_name and looks_like_path(token.text) and not token.text.startswith("$"):
            parts = path_parts(token.text)
            value = _value(s, k)
            if parts and value is not None and is_new_key(s.tree, parts) is not None:
                yield f"{pointer(parts)} = {value}"


def _value(s: Sentence, after: int = -1) -> str | None:
    """Return the value that the sentence gives, as JSON text."""
    for k in range(len(s.tokens) - 1, after, -1):
        token = s.tokens[k]
        marked = k > 0 and s.tokens[k - 1].low in (
            "to",
            "=",
            "->",
            "as",
            "with",
            "is",
            "be",
            "value",
            ":",
            "by",
        )
        if token.kind == "quoted" and (marked or after >= 0 or k == len(s.tokens) - 1):
            return dumps(token.text)
        if token.kind == "json":
            return dumps(token.value)
        if token.kind != "word":
            continue
        number = number_in(token.text)
        if number is not None and token.text[-1:].isdigit():
            return number
        if token.low in ("true", "false", "null"):
            return token.low
        if s.tokens[k - 1].low in ("to", "=", "->", ":") and k == len(s.tokens) - 1:
            return dumps(token.text)
    return None


def _nearest(s: Sentence, among: Nodes) -> list[int]:
    """Return the places that share most words with the sentence, at most a few."""
    tree = s.tree
    words = {singular(w) for t in s.tokens for w in key_words(t.text)}
    records = _records(s)
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


def _records(s: Sentence) -> set[int]:
    """Return the records that the sentence names."""
    found: set[int] = set()
    tokens = s.tokens
    for size in (3, 2, 1):
        for k in range(len(tokens) - size + 1):
            text = s.source(k, k + size)
            nodes = s.tree.with_label(text) or (s.tree.named_with(text) if size == 1 else [])
            found |= {r for n in nodes[:5] if (r := s.tree.record_of(n)) is not None}
    return found


def _forms_for(s: Sentence, node: int, *, both: bool) -> Iterator[str]:
    """Yield the exact form, and where *both* the sentence, for a change of one place."""
    where, old, verb = pointer(s.tree.path(node)), s.tree.values[node], _verb(s)
    if not where or any(c.isspace() for c in where):
        return
    if verb in ("remove", "delete", "drop", "erase", "unset"):
        if not s.tree.is_collection(node):
            yield f"delete {where}"
    elif verb in ("enable", "activate", "disable", "deactivate", "turn") and isinstance(old, bool):
        on = verb in ("enable", "activate") or "on" in s.words(0, len(s.tokens))
        yield f"{where} = {dumps(on)}"
    elif isinstance(old, list):
        if verb in ("add", "append", "insert", "push", "put"):
            yield from _additions(where, old, _value(s))
    elif not isinstance(old, dict):
        yield from _assignments(s, where, old, both=both)


def _additions(where: str, held: list[Value], value: str | None) -> Iterator[str]:
    """Yield what adds an element: a text where the others are texts, as it then becomes."""
    if value is None:
        return
    is_texts = bool(held) and all(isinstance(item, str) for item in held)
    yield f"{where}/- = {dumps(value) if is_texts and value[0] not in _DELIMITED else value}"


def _assignments(s: Sentence, where: str, old: Value, *, both: bool) -> Iterator[str]:
    """Yield what sets or calculates one scalar."""
    verb, value = _verb(s), _value(s)
    if verb in _GROWING + _SHRINKING and isinstance(old, Num) and " by " in s.text:
        if "%" not in s.text and "percent" not in s.text and value is not None:
            yield f"{where} {'+=' if verb in _GROWING else '-='} {value}"
        return
    text = _fitting(value, old)
    if text is not None:
        if both:
            yield f"Set {where} to {text}"
        yield f"{where} = {text}"


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
