"""Unquoted words as a text: where a remark may begin, the reading is in doubt."""

from __future__ import annotations

from collections.abc import Sequence

from redline.instruct.grammar.frames import VERBS
from redline.instruct.language.dates import date_in
from redline.instruct.language.tokens import Tokens
from redline.instruct.language.words import key_words, singular
from redline.instruct.model.values import Value

# Words that speak of the change rather than belong to the text.
_ABOUT = frozenset(
    "until till starting temporarily permanently when once unless because since so except but not "
    "without instead rather again exactly etc only tomorrow today tonight if while whenever per "
    "effective immediately regardless unlike everywhere throughout otherwise now please asap soon "
    "later anymore also too then forever already thanks".split()
)
_LEADING = frozenset(
    "called named titled simply just exactly value string word text back like about around "
    "roughly approximately almost nearly at between from something whatever that which saying "
    "reading one another some".split()
)
# Words that may join a name or begin to say where, when and why.
_JOINING = frozenset(
    "in on at for of by to with from as like this next plus than into under over after before "
    "all both every each the a an is are was and or w/ w/o".split()
)
# Words that even in a phrase may begin to say where, when and why.
_LINKING = frozenset(
    "in on at for by with from as like this next per after before is are w/ w/o".split()
)
_WORDY = frozenset(
    "title name label heading headline subject description summary note text message bio motto "
    "comment caption subtitle content body quote slogan greeting".split()
)


def bare_doubt(tokens: Tokens, current: str, peers: Sequence[Value] = (), key: str = "") -> str:
    """Return the reason why some of several bare *tokens* may not belong to the text."""
    if date_in(lower_text(tokens).replace(" ,", ",")) is not None:
        return ""
    if len(tokens) < 2 or any(str(peer).lower() == lower_text(tokens) for peer in peers):
        return ""
    words = [t.text for t in tokens]
    bad = [w for w in words[1:] if w in _ABOUT or w[0] in "(-"]
    bad += [w for w in words[:1] if w in _LEADING]
    loose = _LINKING if _may_be_long(words, current, key) else _JOINING
    bad += [w for w in words[1:] if w in loose]
    if loose is _JOINING:
        bad += [w for w in words[:1] if w in ("the", "a", "an")]
        bad += [] if date_in(" ".join(words).replace(" ,", ",")) else [w for w in words if w == ","]
    return f"{lower_text(tokens)!r} may be more than the value ({bad[0]})" if bad else ""


# Words that ask for something new or for its end where a terse note begins with them.
_ASKING = frozenset(
    "allow permit whitelist block deny forbid ban grant revoke open close start stop add insert "
    "append remove delete drop admit accept reject".split()
)


def opening_doubt(words: Sequence[str]) -> str:
    """Return why a terse note may ask for something else: `allow port 22`."""
    asks = len(words) > 1 and words[0] in _ASKING
    return f"{words[0]!r} may ask for something else" if asks else ""


# Words that say how or when something is to become otherwise.
_HOW = _ABOUT | frozenset("back right down up away better best worse nice good well fine".split())


def describes(said: str, held: str) -> bool:
    """Return whether bare words may say how a text is to become: `make the title shorter`."""
    last = said.split()[-1].lower()
    compares = last.endswith("er") and len(last) > 4
    # "make the living room nice": what is there does not look like that
    is_other = (" " in held.strip() or held[:1].isupper()) and said.islower()
    return last in _HOW or last.endswith("ly") or compares or is_other


def list_doubt(items: Sequence[Tokens]) -> str:
    """Return the reason why bare words between commas may not be the items of a list."""
    for item in items:
        if item[0].kind == "word" and item[0].text in ("+", "-"):
            return f"{lower_text(item)!r} may not be an item of the list"
        if len(item) > 1 and item[0].kind == "word" and item[0].text in VERBS:
            return f"{lower_text(item)!r} may say what to do with an item of the list"
        doubt = bare_doubt(item, "")
        if doubt:
            return doubt
    return ""


def lower_text(tokens: Tokens) -> str:
    """Return the words in lower case."""
    return " ".join(token.text.lower() for token in tokens)


def _may_be_long(words: list[str], current: str, key: str) -> bool:
    """Whether the place takes phrases: it holds one, or its name says so."""
    if " " in current.strip():
        return True
    wordy = bool(_WORDY & {singular(w) for w in key_words(key)[-1:]})
    return wordy and (not current or words[-1][:1].isupper())
