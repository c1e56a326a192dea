"""Snippets fitted to a token budget, and a map of what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from redline.toolsets.tool import Json

# Tokens are estimated from above, so that a budget holds with any common tokenizer.
_CHARS_PER_TOKEN = 3
_MAP_SHARE = 0.15
_MAP_MOST = 800
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
    truncated: bool = False
    # Known to be there but not read: it can only go on the map of what was left out.
    unread: bool = False

    @property
    def head(self) -> str:
        """The line above the code that says where it is from."""
        what = f" {self.kind} {self.symbol}" if self.symbol else ""
        sure = " (possible)" if self.certainty == "possible" else ""
        of = f" of {self.of}" if self.of else ""
        return f"{self.path}:{self.start}-{self.end}{what}{of}{sure}"

    @property
    def tokens(self) -> int:
        """An upper estimate of what showing this costs."""
        return _HEAD + estimate(self.head) + estimate(self.text)

    def wire(self) -> Json:
        """The snippet as JSON, empty fields left out."""
        fields = {
            "path": self.path,
            "start_line": self.start,
            "end_line": self.end,
            "language": self.language,
            "symbol": self.symbol,
            "kind": self.kind,
            "signature": self.signature,
            "doc": self.doc,
            "file_hash": self.file_hash,
            "certainty": self.certainty,
            "of": self.of,
            "text": self.text,
        }
        shown: Json = {key: value for key, value in fields.items() if value != ""}
        if self.truncated:
            shown["truncated"] = True
        return shown


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits, and a map of what does not."""

    snippets: list[Snippet]
    omitted: list[Json]
    tokens: int


def estimate(text: str) -> int:
    """How many tokens *text* is at most, near enough."""
    plain = len(text.encode("ascii", "ignore"))
    return plain // _CHARS_PER_TOKEN + 1 + (len(text) - plain)


def fit(snippets: Sequence[Snippet], max_tokens: int) -> Fitted:
    """The best snippets within *max_tokens*: whole, else cut, else only on the map."""
    reserve = min(_MAP_MOST, int(max_tokens * _MAP_SHARE)) if len(snippets) > 1 else 0
    left = max_tokens - reserve
    kept: list[Snippet] = []
    dropped: list[Snippet] = []
    for snippet in snippets:
        fitting = None if snippet.unread else _fitting(snippet, left)
        if fitting is None:
            dropped.append(snippet)
            continue
        kept.append(fitting)
        left -= fitting.tokens
    omitted, spent = _map_of(dropped, left + reserve)
    return Fitted(kept, omitted, sum(item.tokens for item in kept) + spent)


def _fitting(snippet: Snippet, left: int) -> Snippet | None:
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


def _map_of(dropped: list[Snippet], room: int) -> tuple[list[Json], int]:
    omitted: list[Json] = []
    spent = 0
    for index, snippet in enumerate(dropped):
        entry: Json = {"path": snippet.path, "start_line": snippet.start, "end_line": snippet.end}
        if snippet.symbol:
            entry["symbol"] = snippet.symbol
        cost = estimate(snippet.head) + 8
        if spent + cost > room - _HEAD and index < len(dropped) - 1:
            rest = dropped[index:]
            files = len({item.path for item in rest})
            omitted.append({"more": len(rest), "files": files})
            return omitted, spent + 12
        omitted.append(entry)
        spent += cost
    return omitted, spent


def render(message: str, fitted: Fitted) -> str:
    """The answer as text for a model."""
    parts = [message, *(f"\n{snippet.head}\n{snippet.text}" for snippet in fitted.snippets)]
    if fitted.omitted:
        parts.append("\nLeft out (ask for them, or raise max_tokens):")
        parts += [_map_line(entry) for entry in fitted.omitted]
    return "\n".join(parts)


def _map_line(entry: Json) -> str:
    if "more" in entry:
        return f"  ... {entry['more']} more in {entry['files']} files"
    return f"  {entry['path']}:{entry['start_line']}-{entry['end_line']} {entry.get('symbol', '')}"
