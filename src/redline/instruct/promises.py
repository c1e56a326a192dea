"""Promises: clauses that only say what stays as it is, which is then checked."""

from __future__ import annotations

from redline.instruct.literals import Misfit, fit, values
from redline.instruct.model.values import dumps
from redline.instruct.plans import ClauseOutcome
from redline.instruct.sentence import Env, Sentence
from redline.instruct.targets import PREPOSITIONS, collections, phrase
from redline.instruct.words import ARTICLES

_KEEPING = (
    "keeping its value", "keeping its contents", "keeping its content", "keeping the value",
    "keeping its command", "keeping its version", "keeping its version range",
    "preserving its value", "preserving its version range", "keeping the key name",
    "keep its value", "its value stays the same", "keeping the first occurrence of each",
    "keeping everything else", "keeping its position",
    "keeping the version range", "keep the texts", "preserving its version", "keeping its settings",
)  # fmt: skip
_KEEPINGS = {tuple(text.split()) for text in _KEEPING}
_LEFT = frozenset("leave keep preserve retain".split())
_CHANGING = frozenset("change touch modify alter remove delete edit update affect".split())
_STAYING = frozenset("stay stays remain remains keep keeps".split())
_MODAL = (
    ["must", "stay"],
    ["must", "remain"],
    ["should", "stay"],
    ["must", "not"],
    ["may", "not"],
    ["are", "not"],
    ["is", "not"],
    ["are", "to"],
    ["is", "to"],
)
_UNCHANGED = (
    ("unchanged",), ("as", "is"), ("as", "it", "is"), ("as", "they", "are"), ("alone",),
    ("untouched",), ("in", "place"), ("unmodified",), ("intact",), ("the", "same"),
    ("as", "they", "were"), ("as", "it", "was"),
)  # fmt: skip
_OTHERS = frozenset("else only nothing other others rest remaining".split())
_ALL_OTHERS = frozenset("other others else rest remaining anything everything".split())
_REST = frozenset(
    "anything everything nothing else other others rest remaining any all the of its their every "
    "each entries entry fields field values value keys key elements element items item records "
    "record objects object must may should not be is are stay stays remain remains changed "
    "modified touched document no one two three these only to change do don't touch modify alter "
    "settings numbers document's as they it unchanged same untouched".split()
)
_TAIL = frozenset(
    "stay stays remain remains keep keeps must should unchanged as it is they are the same "
    "untouched its their value values not be changed modified unmodified may image alone "
    "intact to kept affected touched altered".split()
)
_NOWHERE_ELSE = (["to", "no", "one", "else"], ["only", "for", "those"], ["only", "those"])
_KEPT = ClauseOutcome((), None, "kept")


def promise(s: Sentence, i: int, j: int, env: Env) -> ClauseOutcome | None:
    """Return an outcome without operations when the clause only says what stays as it is."""
    low = s.words(i, j)
    if tuple(low) in _KEEPINGS or low in _NOWHERE_ELSE:
        return _KEPT
    if low[:2] == ["do", "not"] or low[0] in ("don't", "never"):
        return _promise_not(s, i + 1 + (low[0] == "do"), j, env)
    if low[0] in _LEFT:
        return _promise_kept(s, i, j, env)
    for k in range(1, len(low)):
        if low[k] in ("stays", "stay") and low[k + 1 : k + 2] == ["at"]:
            return _keep_at(s, i, i + k, j)
        promises = low[k] in _STAYING or (low[k : k + 2] in _MODAL and k + 2 < len(low))
        if promises and set(low[k:]) <= _TAIL:
            return _KEPT if low[0] in ("its", "their") and k < 4 else _guard(s, i, i + k, env)
    said = set(low)
    if said & _OTHERS and said & {"be", "may", "nothing", "stay", "should", "must"}:
        return _guard_others(s, i, j)
    return None


def _promise_not(s: Sentence, verb: int, j: int, env: Env) -> ClauseOutcome | None:
    """Return the promise of `do not change X` and `do not add it elsewhere`."""
    if verb < j and s.tokens[verb].low in _CHANGING:
        return _guard(s, verb + 1, j, env)
    if s.words(verb, verb + 2) in (["add", "it"], ["apply", "it"], ["add", "them"]):
        rest = s.words(verb + 2, j)
        if rest == ["elsewhere"] or (rest[:3] == ["to", "any", "other"] and len(rest) == 4):
            return _KEPT
    return None


def _promise_kept(s: Sentence, i: int, j: int, env: Env) -> ClauseOutcome | None:
    """Return the promise of `leave X as it is` and `keep X at 3`."""
    low = s.words(i, j)
    for tail in _UNCHANGED:
        if tuple(low[-len(tail) :]) == tail and len(low) > len(tail) + 1:
            return _guard(s, i + 1, j - len(tail), env)
    if "at" in low[2:]:
        return _keep_at(s, i + 1, i + 2 + low[2:].index("at"), j)
    if low[-1] in ("enabled", "disabled", "on", "off") and len(low) > 2:
        return _keep_at(s, i + 1, j - 1, j)
    return _guard(s, i + 1, j, env) if len(low) > 1 else None


def _keep_at(s: Sentence, i: int, k: int, j: int) -> ClauseOutcome | None:
    """Return the promise that a place keeps the value it has: keep retries at 3."""
    start = next((p + 1 for p in range(k, j) if s.tokens[p].low == "at"), k)
    nodes = [p.nodes[0] for p in phrase(s, i, k, Env()) if len(p.nodes) == 1]
    for given in values(s, start, j, Env()) if start < j else ():
        for node in nodes:
            try:
                held = fit(given, s.tree.values[node], "")
            except Misfit:
                continue
            if dumps(held) == dumps(s.tree.values[node]):
                return ClauseOutcome((), None, "kept", (node,))
    return None


def _guard(s: Sentence, i: int, j: int, env: Env) -> ClauseOutcome | None:
    """Return the promise that a named part, or all the rest, is not touched."""
    while i < j and s.tokens[j - 1].low in ("field", "itself"):
        j -= 1
    if i >= j:
        return None
    words = s.words(i, j)
    if set(words) & _ALL_OTHERS:
        return _guard_others(s, i, j)
    if "or" in words:
        k = i + words.index("or")
        left, right = _guard(s, i, k, env), _guard(s, k + 1, j, env)
        if left is None or right is None:
            return None
        return ClauseOutcome((), None, "kept", left.guarded + right.guarded)
    found = [p for p in phrase(s, i, j, env) if p.nodes]
    found = found or [p for p in phrase(s, i, j, Env()) if p.nodes]
    if not found:
        return _guard_kind(s, i, j)
    several = any(p.several for p in found)
    return ClauseOutcome((), None, "kept", () if several else found[0].nodes)


def _guard_kind(s: Sentence, i: int, j: int) -> ClauseOutcome | None:
    """Return the promise about a collection by its kind, or about the texts that hold a name."""
    i += s.tokens[i].low in ARTICLES and j - i > 1
    nodes = collections(s, i, j, Env())
    if not nodes and j - i == 1 and not s.tokens[i].text.isalpha():
        s.tree.spend(len(s.tree.values))
        text = s.tokens[i].text
        nodes = [n for n, v in enumerate(s.tree.values) if isinstance(v, str) and text in v]
    return ClauseOutcome((), None, "kept", tuple(nodes)) if nodes else None


def _guard_others(s: Sentence, i: int, j: int) -> ClauseOutcome | None:
    """Return the promise about all the rest, whose other words name something here."""
    plain = [k for k in range(i, j) if s.tokens[k].low not in _REST]
    named = (
        phrase(s, k, k + 1, Env()) or s.tokens[k].low in PREPOSITIONS or _is_kind(s, k)
        for k in plain
    )
    return _KEPT if all(named) else None


def _is_kind(s: Sentence, k: int) -> bool:
    return bool(collections(s, k, k + 1, Env()))
