"""Masks: what a model sees in place of a secret, and the session that can put it back."""

from __future__ import annotations

import hashlib
import hmac
import re
from threading import Lock

from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex

OPEN = "«secret:"
# The name of a mask for text that looked like a mask where it was.
LITERAL = "LITERAL"
_ID_CHARS = 8
# In place of the id of a mask that nothing can put back: a rule denies the value.
DENIED = "denied"
MASK = late_regex(rf"«secret:([A-Za-z0-9_.-]{{1,40}}):([0-9a-f]{{{_ID_CHARS}}}|{DENIED})»")
LOOKS_LIKE_MASK = late_regex(r"«secret:[^«»\n]{0,80}»?")
# What is left of a mask that was cut or changed; the first group is its name, the second its id.
_BROKEN = late_regex(
    r"(?i)«\s{0,4}secret\b|secret:([a-z0-9_.-]{1,40}):([0-9a-f]{2,8}|denied)\b|:[0-9a-f]{2,8}»"
)
_IN_REGEX = late_regex(r"([\\^$.|?*+()\[\]{}])")


def label_of(name: str, kind: str) -> str:
    """Return the name that a mask shows, from the name of a value or the kind of its rule."""
    last = re.split(r"[.\s]", name.strip(".-_ "))[-1] if name else ""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last or kind)
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").upper()[:40] or "SECRET"


class MaskSession:
    """The masks that one session was shown; any other is refused. Safe from several threads."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._lock = Lock()
        self._values: dict[str, str] = {}
        self._masks: dict[str, str] = {}

    def issue(self, value: str, label: str) -> tuple[str, bool]:
        """Return the mask of *value*, the same for the whole session, and whether it is new."""
        known = self._masks.get(value)
        if known is not None:
            return known, False
        with self._lock:
            for turn in range(1000):
                given = value.encode("utf-8", "surrogatepass") + bytes(turn)
                digest = hmac.new(self._key, given, hashlib.sha256).hexdigest()[:_ID_CHARS]
                mask = f"{OPEN}{label}:{digest}»"
                if self._values.setdefault(mask, value) == value:
                    break
            self._masks[value] = mask
        return mask, True

    def has_issued(self, mask: str) -> bool:
        """Return whether *mask* is one of this session."""
        return mask in self._values

    def restore(
        self, text: str, *, in_regex: bool = False, in_template: bool = False, in_code: bool = False
    ) -> str:
        """Return *text* with its masks replaced by their values; InvalidArgument.

        *in_regex*: the value is escaped to match itself. *in_template*: `$` is doubled. *in_code*:
        a value with `$` is refused, since nothing escapes it in a pattern of code.
        """
        rest = MASK.sub("", text)
        broken = next((m for m in _BROKEN.finditer(rest) if self._is_remnant(m)), None)
        if broken is not None:
            raise refuse_mask(broken.group(), "it was cut or changed")

        def put_back(match: re.Match[str]) -> str:
            value = self._values.get(match.group())
            if value is None:
                why = "this session was never shown it"
                if match[2] == DENIED:
                    why = "a rule denies its use"
                raise refuse_mask(match.group(), why)
            if in_code and "$" in value:
                raise refuse_mask(match.group(), "its $ would stand for a node of code")
            if in_regex:
                return _IN_REGEX.sub(r"\\\1", value)
            return value.replace("$", "$$") if in_template else value

        return MASK.sub(put_back, text)

    def _is_remnant(self, match: re.Match[str]) -> bool:
        """Return whether this comes from a mask, not from text that only looks a bit like one."""
        if match[1] is None:
            return True
        return any(mask.startswith(f"{OPEN}{match[1].upper()}:") for mask in list(self._values))


def holds_mask(text: str) -> bool:
    """Return whether *text* has a mask or what is left of one; quick for texts without."""
    return ("ecret" in text or "»" in text or "ECRET" in text) and bool(
        MASK.search(text) or _BROKEN.search(text)
    )


def refuse_mask(shown: str, why: str) -> InvalidArgument:
    """Return the refusal of a mask that cannot be put back."""
    return InvalidArgument(
        f"This mask of a secret cannot be put back, {why}: {shown}",
        hint="copy the whole mask from an answer of this session; nothing was done",
        details={"reason": "unknown_mask"},
    )
