"""Names under which callers ask to see a change without making it."""

from __future__ import annotations

import re
from typing import Any

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Whole names, without case and separators; whatever their value is, they ask for a preview.
_NAMES = frozenset(
    {
        *("dryrun", "preview", "previewonly", "simulate", "simulation", "simulateonly"),
        *("checkonly", "whatif", "noop", "nowrite", "donotwrite", "dontwrite", "nocommit"),
        *("testrun", "testonly", "trial", "trialrun", "pretend", "planonly", "diffonly"),
        *("dry", "validateonly", "verifyonly", "showonly"),
    }
)
# A flag with one of these words in its name, or one of each set of a pair, asks for one too.
_WORDS = frozenset({"dry", "preview", "simulate", "simulation", "simulated", "pretend", "whatif"})
_PAIRS = (
    ({"only", "just"}, {"check", "validate", "verify", "plan", "diff", "show", "test", "print"}),
    ({"no", "not", "dont", "without", "skip"}, {"write", "writes", "commit", "apply", "save"}),
    ({"what"}, {"if"}),
    ({"test", "trial"}, {"run"}),
)
# A flag with one of these words may ask for a preview or for something else.
_DOUBTFUL = frozenset({"check", "validate", "verify", "test", "plan", "diff"})
_FLAG_TEXTS = frozenset({"true", "yes", "on", "1"})


def asks_for_preview(name: str, value: Any) -> bool:
    """Return whether the argument asks for a dry run, in any case and with any separators."""
    in_order = [word.lower() for word in _WORD.findall(name[:100])]
    whole, words = "".join(in_order), set(in_order)
    if whole in _NAMES:
        return True
    is_named = "dryrun" in whole or not words.isdisjoint(_WORDS)
    return _is_set(value) and (is_named or any(words & one and words & two for one, two in _PAIRS))


def may_ask_for_preview(name: str, value: Any) -> bool:
    """Return whether the flag could ask for a dry run, so that ignoring it could do harm."""
    words = {word.lower() for word in _WORD.findall(name[:100])}
    return _is_set(value) and not words.isdisjoint(_DOUBTFUL)


def _is_set(value: Any) -> bool:
    return value is True or value == 1 or str(value).lower() in _FLAG_TEXTS
