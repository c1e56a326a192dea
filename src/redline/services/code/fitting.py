"""Fit snippets to a token budget; what does not fit goes on a map."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.records import dataclass, replace

# Tokens are estimated from above, so that a budget holds with any common tokenizer.
_CHARS_PER_TOKEN = 3
_MAP_SHARE = 0.15
_MAX_MAP = 800
_HEAD = 24


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of one file; lines are 1-based and inclusive."""

    path: str
    start: int
    end: int
    text: str
    language: str = ""
    symbol: str = ""
    kind: str = ""
    signature: str = ""
    doc: str = ""
    file_hash: str = ""
    # Of a reference: `bound` or `possible`, and the definition where several are asked for.
    certainty: str = ""
    of: str = ""
    # The lines of the references themselves, among those around them.
    uses: tuple[int, ...] = ()
    truncated: bool = False
    # Known to be there but not read: it can only go on the map of what was left out.
    unread: bool = False

    @property
    def head(self) -> str:
        """The line above the code that says where it is from."""
        what = f" {self.kind} {self.symbol}" if self.symbol else ""
        sure = " (possible)" if self.certainty == "possible" else ""
        of = f" of {self.of}" if self.of else ""
        at = f" at {', '.join(map(str, self.uses))}" if self.uses else ""
        return f"{self.path}:{self.start}-{self.end}{at}{what}{of}{sure}"

    @property
    def tokens(self) -> int:
        """An upper estimate of what showing this costs."""
        return _HEAD + estimate(self.head) + estimate(self.text)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits, and a map of what does not; `unlisted` are on neither."""

    snippets: list[Snippet]
    omitted: list[Snippet]
    unlisted: list[Snippet]
    tokens: int


def estimate(text: str) -> int:
    """Return about how many tokens *text* is at most."""
    plain = len(text.encode("ascii", "ignore"))
    return plain // _CHARS_PER_TOKEN + 1 + (len(text) - plain)


def fit(snippets: Sequence[Snippet], max_tokens: int) -> Fitted:
    """Return the best snippets within *max_tokens*: whole, else cut, else only on the map."""
    reserve = min(_MAX_MAP, int(max_tokens * _MAP_SHARE)) if len(snippets) > 1 else 0
    left = max_tokens - reserve
    kept: list[Snippet] = []
    dropped: list[Snippet] = []
    for snippet in snippets:
        fitting = None if snippet.unread else _cut_to_fit(snippet, left)
        if fitting is None:
            dropped.append(snippet)
            continue
        kept.append(fitting)
        left -= fitting.tokens
    listed, spent = _map_of(dropped, left + reserve)
    unlisted = dropped[len(listed) :]
    return Fitted(kept, listed, unlisted, sum(item.tokens for item in kept) + spent)


def _cut_to_fit(snippet: Snippet, left: int) -> Snippet | None:
    if snippet.tokens <= left:
        return snippet
    lines = snippet.text.split("\n")
    room = left - _HEAD - estimate(snippet.head) - 4
    used = 0
    shown: list[str] = []
    for line in lines:
        used += estimate(line + "\n")
        if used > room:
            break
        shown.append(line)
    if len(shown) < min(3, len(lines)):
        return None
    text = "\n".join((*shown, "..."))
    return replace(snippet, text=text, truncated=True)


def _map_of(dropped: list[Snippet], room: int) -> tuple[list[Snippet], int]:
    """Return the first snippets whose places fit on the map, and how many tokens that takes."""
    spent = 0
    for index, snippet in enumerate(dropped):
        cost = estimate(snippet.head) + 8
        if spent + cost > room - _HEAD and index < len(dropped) - 1:
            return dropped[:index], spent + 12
        spent += cost
    return dropped, spent
