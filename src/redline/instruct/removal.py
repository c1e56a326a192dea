"""Remove keys and elements: only what is named exactly."""

from __future__ import annotations

from redline.instruct.conditions import STARTERS
from redline.instruct.operations import Operation
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import PRONOUNS, Reader, rate
from redline.instruct.resolve import Found
from redline.instruct.tokens import Token, Tokens
from redline.instruct.values import Value, dumps
from redline.instruct.words import (
    ARTICLES,
    GENERIC,
    QUANTIFIERS,
    SCOPING,
    STRUCTURAL,
    key_words,
    singular,
)

_EACH_TIME = frozenset(
    (many, noun, "of")
    for many in ("all", "every", "any")
    for noun in ("occurrence", "occurrences", "instance", "instances")
)
_VAGUE = frozenset("everything anything something nothing stuff things data rest all".split())


def _collects(reader: Reader, word: Token) -> bool:
    """Whether the word names a collection."""
    meanings = reader.meanings((word,))
    return len(meanings) == 1 and all(
        reader.index.is_collection(n) and _numbers_its_records(reader, n) for n in meanings[0].nodes
    )


def _numbers_its_records(reader: Reader, node: int) -> bool:
    """Whether a number can name a record here: all of them are objects with an id."""
    records = [reader.value(child) for child in reader.index.children(node)]
    return bool(records) and all(
        isinstance(r, dict) and any(key_words(k)[-1:] in (("id",), ("number",)) for k in r)
        for r in records
    )


def remove(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """Delete what *tokens* name; nothing to do when it is not there."""
    duplicates = _duplicates(reader, tokens)
    if duplicates is not None:
        return [duplicates]
    if tuple(t.low for t in tokens[:3]) in _EACH_TIME and len(tokens) > 3:
        with reader.speaking_of_all(True):
            return remove(reader, tokens[3:])
    try:
        found = reader.targets(tokens, strict=True)
    except Unclear as unclear:
        if unclear.rank == "target" and not reader.elided:
            return [_absent(reader, tokens, unclear)]
        raise
    if not found.nodes:
        return [Outcome((), "nothing fits the condition")]
    whole = found.nodes[0] if len(found.nodes) == 1 else 0
    if (
        whole > 0
        and tokens[0].low in QUANTIFIERS
        and isinstance(reader.value(whole), dict)
        and not reader.index.is_record(whole)
        and not any(t.low in STARTERS for t in tokens)
    ):
        raise Unclear("several", f"{reader.text(tokens)!r} may mean the key or what it holds",
                      found.nodes)  # fmt: skip
    if 0 in found.nodes:
        raise Unclear("target", "the whole document cannot be removed")
    _refuse_field_or_record(reader, tokens, found)
    operations = [
        Operation("remove", reader.index.path(node), reader.value(node)).rated(rate(found))
        for node in found.nodes
    ]
    return [Outcome(tuple(operations), found=found.nodes)]


def _refuse_field_or_record(reader: Reader, tokens: Tokens, found: Found) -> None:
    """`tasks that are done`, where each record has a `task`: the records may be what is meant."""
    place = next((i for i, t in enumerate(tokens) if t.low in STARTERS), None)
    if not place or any(t.kind == "poss" or t.low in SCOPING for t in tokens[:place]):
        return
    noun, index = tokens[place - 1].low, reader.index
    if singular(noun) != noun and all(
        index.keys[n] == singular(noun) and index.is_record(index.parents[n]) for n in found.nodes
    ):
        said = f"{reader.text(tokens)!r} may mean the records or one field of each"
        raise Unclear("several", said, found.nodes)


def _absent(reader: Reader, tokens: Tokens, unclear: Unclear) -> Outcome:
    """Nothing is called so: fine if the words are a plain name and nothing comes close."""
    loose = reader.meanings(tokens)
    if loose:
        nodes = tuple(n for m in loose for n in m.nodes)
        if nodes:
            raise Unclear("several", f"{reader.text(tokens)!r} is not an exact name", nodes)
        return Outcome((), "nothing fits the condition")
    words = [t for t in tokens if t.low not in ARTICLES and singular(t.low) not in STRUCTURAL]
    kinds = [t for t in tokens if singular(t.low) in GENERIC]
    if any(t.low in _VAGUE for t in words) or kinds:
        raise unclear
    if len(words) == 2 and words[1].text.lstrip("#").isdigit() and _collects(reader, words[0]):
        return Outcome((), f"there is no {reader.text(tokens)!r}")
    if len(words) == 1:
        return _absent_name(reader, words[0], unclear)
    return _absent_in(reader, tokens, unclear)


def _absent_name(reader: Reader, word: Token, unclear: Unclear) -> Outcome:
    vague = word.low in GENERIC or word.low in PRONOUNS
    if not word.is_name or vague or reader.nearest(word.text):
        raise unclear
    wanted = word.text.lower()
    held = [
        n for n, v in enumerate(reader.index.values) if isinstance(v, str) and v.lower() == wanted
    ]
    if held:
        raise Unclear("several", f"{word.text!r} is a value, not a key", tuple(held))
    return Outcome((), f"there is no {word.text!r}")


def _absent_in(reader: Reader, tokens: Tokens, unclear: Unclear) -> Outcome:
    for place in range(len(tokens) - 1, 0, -1):
        if tokens[place].low in ("from", "in", "of", "on"):
            return _absent_below(reader, tokens[:place], tokens[place + 1 :], unclear)
    return _absent_owned(reader, tokens, unclear)


def _absent_below(reader: Reader, name: Tokens, scope: Tokens, unclear: Unclear) -> Outcome:
    names = [t for t in name if t.low not in ARTICLES and singular(t.low) not in STRUCTURAL]
    if len(names) != 1 or not names[0].is_name or not scope:
        raise unclear
    meanings = reader.meanings(scope, strict=True)
    if len(meanings) != 1 or not meanings[0].nodes or meanings[0].several:
        raise unclear
    texts = [reader.value(n) for n in meanings[0].nodes]
    if reader.nearest(names[0].text) or any(isinstance(text, str) for text in texts):
        raise unclear
    if any(_says(reader, node, names[0]) for node in meanings[0].nodes):
        raise unclear
    return Outcome((), f"there is no {names[0].text!r} there")


def _says(reader: Reader, node: int, word: Token) -> bool:
    """Whether a value below *node* is the word, so that it may be what is meant."""
    held = (reader.value(n) for n in range(node, reader.index.end[node]))
    return any(isinstance(text, str) and text.lower() == word.text.lower() for text in held)


def _absent_owned(reader: Reader, tokens: Tokens, unclear: Unclear) -> Outcome:
    place = next((i for i in range(len(tokens) - 1, 0, -1) if tokens[i].kind == "poss"), None)
    if place is None:
        raise unclear
    return _absent_below(reader, tokens[place + 1 :], tokens[:place], unclear)


def _duplicates(reader: Reader, tokens: Tokens) -> Outcome | None:
    """`duplicates from tags`, `duplicate tags`."""
    words = [t for t in tokens if t.low not in ARTICLES and t.low != "any" and t.low != "all"]
    if not words or words[0].low not in ("duplicate", "duplicates"):
        return None
    rest = tuple(words[1:])
    while rest and rest[0].low in ("from", "in", "of", "entries", "values", "items"):
        rest = rest[1:]
    if not rest:
        return None
    found = reader.targets(rest)
    return dedupe(reader, found)


def dedupe(reader: Reader, found: Found) -> Outcome:
    """Later copies of an equal element go."""
    operations: list[Operation] = []
    for node in found.nodes:
        value = reader.value(node)
        if not isinstance(value, list):
            raise Unclear("type", "only an array can hold duplicates", (node,))
        kept: dict[str, Value] = {}
        for item in value:
            kept.setdefault(dumps(item), item)
        operations += reader.replace(node, list(kept.values()))
    return Outcome(tuple(operations), "there are no duplicates", found.nodes)


def keep_only(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """`keep only the first two tags`: the other elements of that array go."""
    words = tokens[1:] if tokens and tokens[0].low == "only" else ()
    if not words:
        raise Unclear("clause", "keep needs: keep only X")
    found = reader.targets(words)
    parents = {reader.index.parents[node] for node in found.nodes}
    if len(parents) != 1 or not all(reader.index.is_record(n) for n in found.nodes):
        raise Unclear("target", "keep only needs elements of one array", found.nodes)
    kept = set(found.nodes)
    gone = [n for n in reader.index.children(parents.pop()) if n not in kept]
    operations = [Operation("remove", reader.index.path(n), reader.value(n)) for n in gone]
    return [Outcome(tuple(o.rated(rate(found)) for o in operations), "already as asked")]
