"""Questions that ask for no change: `Which port is the proxy on?`."""

from __future__ import annotations

import re

_QUESTION = re.compile(
    r"(?:and |so |hi,? |hello,? |hey,? )?"
    r"(?:how (?:much|many|long|old|often|far|big|high)|what|which|who|whose|where|when|why)\b"
    r"[^?!.;:\n\"'`]*\?",
    re.IGNORECASE,
)
# Words of a question that may ask for a change all the same: what about setting it to 5?
_ASKING = re.compile(
    r"\b(?:about|if|not|don't|should|could|would|can|please|need|needs|want|set|sets|setting|"
    r"change|changing|make|making|add|adding|remove|removing|delete|put|use|using|switch|turn|"
    r"rename|instead|to)\b|=|->",
    re.IGNORECASE,
)


def asks_only(instruction: str) -> bool:
    """Return whether an instruction is one question that begins with what it asks for."""
    text = " ".join(instruction.split())
    return _QUESTION.fullmatch(text) is not None and _ASKING.search(text) is None
