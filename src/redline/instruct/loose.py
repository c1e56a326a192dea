"""Looser readings of a refused sentence: the same words, but for what the language does not know.

Each rewriting leaves out or exchanges words. What comes out is only ever suggested, never done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from redline.instruct.kinds import BY_VERB, REMOVING
from redline.instruct.model.values import dumps
from redline.instruct.paths import looks_like_path
from redline.instruct.sentence import Sentence
from redline.instruct.targets import PREPOSITIONS
from redline.instruct.tokens import Token
from redline.instruct.tree import DocumentTree
from redline.instruct.words import key_form, number_in, singular

MAX_REWRITINGS = 28
_DEPTH = 3
_ENDS = frozenset((".", ";", "!", "?", "\n"))
_JOINTS = frozenset((",", "and", "but", "so", "since", "because", "then"))
_BEGINNINGS = PREPOSITIONS | {"if", "unless", "when", "only"}
_FILLERS = frozenset(
    "there already yet still both just even own also currently here again really simply of-course "
    "date time mode entry entries record records object objects level count operation setting "
    "settings value values number numbers one ones itself now back named config".split()
)
Words = tuple[Token, ...]


def rewritings(s: Sentence, unknown: frozenset[str]) -> Iterator[str]:
    """Yield looser texts of a sentence, those nearest to it first; *unknown* words name nothing."""
    steps: tuple[Callable[[Words], Iterator[Words]], ...] = (
        _without_remarks,
        _other_verbs,
        _without_announcement,
        _imperatives,
        _without_statements,
        lambda words: _nearest_keys(s.tree, words, unknown),
        lambda words: _flags(s.tree, words),
        lambda words: _without_unknown(words, unknown),
        lambda words: _without(words, lambda w: _is_filler(s.tree, w)),
        lambda words: _without_units(s.tree, words),
        lambda words: _kinds(words, unknown),
        _without_tail,
    )
    level: list[Words] = [s.tokens]
    seen = {_text(s.tokens)}
    for _ in range(_DEPTH):
        found: list[Words] = []
        for words in level:
            for step in steps:
                for changed in step(words):
                    text = _text(changed)
                    if not text or text in seen:
                        continue
                    seen.add(text)
                    found.append(changed)
                    yield text
                    if len(seen) > MAX_REWRITINGS:
                        return
        level = found


def _text(words: Words) -> str:
    """Return words as an instruction; a value keeps its quotes."""
    text = ""
    for word in words:
        if word.kind == "quoted":
            piece = dumps(word.text)
        elif word.kind == "code":
            piece = f"`{word.text}`"
        else:
            piece = word.text
        close = word.kind == "poss" or piece in (",", ";", ".", ":", ")", "!", "?", "\n")
        text += piece if close or not text or text.endswith("\n") else f" {piece}"
    return text.strip(" ,;:")


def _word(text: str) -> Token:
    return Token("word", text, 0, 0, text)


def _without_remarks(words: Words) -> Iterator[Words]:
    opened = next((k for k, w in enumerate(words) if w.low == "("), -1)
    closed = next((k for k, w in enumerate(words) if w.low == ")" and k > opened), -1)
    if 0 <= opened < closed:
        yield words[:opened] + words[closed + 1 :]


def _other_verbs(words: Words) -> Iterator[Words]:
    """Yield a rename for `change the key a to b`, and the positions of two records to swap."""
    low = [w.low for w in words[:3]]
    if low[0] in ("change", "update", "modify", "alter") and "key" in low[1:]:
        yield (_word("rename"), *words[1:])
    elif low[0] in ("set", "put", "change") and _is_placed_behind(words):
        to = next(k for k, w in enumerate(words) if w.low == "to")
        place = next(k for k in range(to, len(words)) if words[k].low in ("in", "for", "on", "of"))
        sign, joint = Token("op", "=", 0, 0, "="), _word("to")
        yield (_word("add"), *words[1:to], sign, *words[to + 1 : place], joint, *words[place + 1 :])
    elif low[0] in ("swap", "exchange") and "of" not in (w.low for w in words):
        yield (*map(_word, ("swap", "the", "positions", "of")), *words[1:])


def _is_placed_behind(words: Words) -> bool:
    """Return whether a sentence is `set K to V for S`."""
    low = [w.low for w in words]
    to = low.index("to") if "to" in low else len(low)
    return 1 < to <= 3 and any(w in ("in", "for", "on", "of") for w in low[to + 2 : to + 3])


def _without_announcement(words: Words) -> Iterator[Words]:
    """Yield what stands behind a colon, alone and inside what is named before it."""
    colon = next((k for k, w in enumerate(words) if w.low == ":"), 0)
    if colon and colon + 1 < len(words):
        yield words[colon + 1 :]
        named = words[1:colon] if words[0].low not in _BEGINNINGS else words[:colon]
        if named:
            yield (_word("in"), *named, Token("sep", ",", 0, 0, ","), *words[colon + 1 :])


def _imperatives(words: Words) -> Iterator[Words]:
    """Yield the commands of `by setting x to 1`, alone and inside what is named before them."""
    for k, word in enumerate(words):
        verb = _verb_in(word.low)
        if not verb or not k:
            continue
        by = words[k - 1].low == "by"
        rest = (_word(verb), *words[k + 1 :])
        head = words[: k - by]
        if by and len(head) > 1:
            yield (_word("for"), *head[1:], Token("sep", ",", 0, 0, ","), *rest)
            yield rest
        else:
            yield (*words[:k], *rest)


def _verb_in(word: str) -> str:
    """Return the verb of a form that `setting` or `moving` is made from."""
    if not word.endswith("ing") or len(word) < 6:
        return ""
    stem = word[:-3]
    made = (stem, stem + "e", stem[:-1])
    return next((verb for verb in made if verb in BY_VERB), "")


def _without_statements(words: Words) -> Iterator[Words]:
    """Yield the sentences that command something, without those that do not."""
    kept: list[Token] = []
    start, dropped = 0, False
    for k in range(len(words) + 1):
        if k < len(words) and words[k].low not in _ENDS:
            continue
        part = words[start:k]
        start = k + 1
        if part and (part[0].low in BY_VERB or part[0].low in _BEGINNINGS | {"please"}):
            kept += [*([Token("sep", ";", 0, 0, ";")] if kept else []), *part]
        else:
            dropped = dropped or bool(part)
    if kept and dropped:
        yield tuple(kept)


def _without_tail(words: Words) -> Iterator[Words]:
    """Yield the sentence up to its last joints that no command follows."""
    places = [
        k for k in range(3, len(words) - 1)
        if words[k].low in _JOINTS and words[k + 1].low not in BY_VERB
    ]  # fmt: skip
    for k in reversed(places[-2:]):
        yield words[:k]


def _nearest_keys(tree: DocumentTree, words: Words, unknown: frozenset[str]) -> Iterator[Words]:
    """Yield the sentence with a key in the place of an unknown word that begins like it."""
    for k, word in enumerate(words):
        if word.kind not in ("word", "code") or word.text not in unknown or len(word.text) < 4:
            continue
        form = key_form(word.text)
        near = [f for f in tree.by_form if f.startswith(form[: max(4, len(form) - 3)])]
        near = near or [f for f in tree.by_form if len(f) > 3 and f.endswith(form)]
        if 0 < len(near) <= 2:
            for held in near:
                key = str(tree.keys[tree.by_form[held][0]])
                yield (*words[:k], Token("code", key, 0, 0), *words[k + 1 :])


def _flags(tree: DocumentTree, words: Words) -> Iterator[Words]:
    """Yield `mark x as published` for `publish x`, where such a flag is there."""
    for k, word in enumerate(words[:-1]):
        begins = k == 0 or words[k - 1].low in _JOINTS | _ENDS
        if not begins or word.kind != "word" or word.low in BY_VERB or len(word.low) < 3:
            continue
        off = word.low.startswith("un")
        stem = word.low.removeprefix("un")[:4]
        flags = [
            key for key, nodes in tree.by_key.items()
            if key.lower().startswith(stem) and nodes and isinstance(tree.values[nodes[0]], bool)
        ]  # fmt: skip
        end = next((p for p in range(k + 1, len(words)) if words[p].low in _JOINTS | _ENDS
                    or words[p].low == "by"), len(words))  # fmt: skip
        if len(flags) == 1 and end > k + 1:
            state = (_word("not"), _word(flags[0])) if off else (_word(flags[0]),)
            named = words[k + 1 : end]
            yield (*words[:k], _word("mark"), *named, _word("as"), *state, *words[end:])


def _without(words: Words, is_dropped: Callable[[Token], bool]) -> Iterator[Words]:
    kept = tuple(w for w in words if not is_dropped(w))
    if kept and len(kept) < len(words):
        yield kept


def _without_unknown(words: Words, unknown: frozenset[str]) -> Iterator[Words]:
    """Yield the sentence without its unknown words, unless it might then remove too much."""
    if not any(w.low in REMOVING or w.low == "clear" for w in words):
        yield from _without(words, lambda w: w.text in unknown)


def _is_filler(tree: DocumentTree, word: Token) -> bool:
    return word.low in _FILLERS and not tree.by_form.get(key_form(word.text))


def _without_units(tree: DocumentTree, words: Words) -> Iterator[Words]:
    """Yield the sentence without the words behind numbers, such as units and currencies."""
    dropped = {
        id(b) for a, b in pairwise(words)
        if number_in(a.text) is not None and b.kind == "word" and b.text.isalpha()
        and b.low not in _JOINTS | PREPOSITIONS | {"to", "where", "whose", "with", "if", "percent"}
        and not tree.by_form.get(key_form(b.text))
    }  # fmt: skip
    yield from _without(words, lambda w: id(w) in dropped)


def _kinds(words: Words, unknown: frozenset[str]) -> Iterator[Words]:
    """Yield the sentence with `entry` in the place of a noun that is not the document's."""
    for k, word in enumerate(words[1:-1], 1):
        known = word.kind != "word" or word.text not in unknown or looks_like_path(word.text)
        beside = words[k + 1].kind == "quoted" or words[k + 1].low in ("with", "where", "whose")
        if not known and beside:
            plural = singular(word.low) != word.low
            yield (*words[:k], _word("entries" if plural else "entry"), *words[k + 1 :])
