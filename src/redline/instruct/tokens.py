"""Split an instruction into tokens; quoted text and JSON literals are one token each."""

from __future__ import annotations

import json
import re

from redline.core.errors import DocumentSyntax
from redline.core.records import dataclass
from redline.instruct.model.values import Value, parse

_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "`": "`", "«": "»"}
_OPERATORS = ("+=", "-=", "*=", "->", "=>", "→", "==", "!=", ">=", "<=", "=", ">", "<")
_GLUED = re.compile(r"([\w.\[\]/$~\"'-]+?)(\+=|-=|\*=|->|=>|→|==|!=|>=|<=|=|>|<)(?=.)")
_TRAILING = ",;:!?.)"
_INITIAL = re.compile(r"[A-Z]\.|(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Inc|Ltd|Co)\.")
_POSSESSIVE = re.compile(r"(.+?)(?:['’]s|(?<=s)['’])", re.IGNORECASE)
# A path with keys in brackets; a quoted key may contain blanks.
_BRACKETED = re.compile(r"[\w$/~.@-]*(?:\[(?:-?\d+|\+|\"[^\"]*\"|'[^']*')\][\w./~@-]*)+")
# A key and its value in one pair of backticks: `debug: true`, `"port": 80`.
_PAIR = re.compile(
    r"\"?([\w.$@-]+)\"?\s*([:=])\s*(-?\d+(?:\.\d+)?|true|false|null|\"[^\"\\]*\"|\[\]|\{\})"
)
# After one of these words and a colon, the rest of the line is one value.
_ANNOUNCING = frozenset("to as with by be say says read reads value text".split())
# The only JSON escapes read in quotes: other backslashes belong to file paths and patterns.
_ESCAPED = re.compile(r"\\([\"\\])")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Token:
    """One token. Kinds: word, quoted, code (backticks), json, poss ('s), op, sep.

    `text` is its content without quotes. `low` is `text` in lower case for a word, an operator or
    a mark, and empty for quoted text and JSON. `start` and `end` are offsets in the instruction.
    """

    kind: str
    text: str
    start: int
    end: int
    low: str = ""
    value: Value = None

    @property
    def is_name(self) -> bool:
        """Return whether the token can name a part of the document."""
        return self.kind in ("word", "quoted", "code")


def tokenize(text: str) -> tuple[Token, ...]:
    """Return the tokens of *text*."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            if text[at] == "\n" and found and found[-1].text != "\n":
                found.append(Token("sep", "\n", at, at + 1, "\n"))
            at += 1
            continue
        if text[at] == ":" and found and found[-1].low in _ANNOUNCING:
            at = _rest_of_line(text, at + 1, found)
            continue
        at = _read_quoted(text, at, found) or _literal(text, at, found) or _plain(text, at, found)
    return tuple(found)


def _rest_of_line(text: str, at: int, found: list[Token]) -> int:
    """Read the rest of the line after `to:` as one value, and return where the line ends."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    value = text[at:end].strip()
    alone = tokenize(value)
    start = at + len(text[at:end]) - len(text[at:end].lstrip())
    if len(alone) == 1 and alone[0].kind in ("quoted", "json"):
        token = alone[0]
        found.append(Token(token.kind, token.text, start, end, "", token.value))
    elif value:
        found.append(Token("quoted" if len(alone) > 1 else "word", value, start, end, ""))
    return end


def _read_quoted(text: str, at: int, found: list[Token]) -> int:
    """Read a quoted text and return where it ends; 0 when none begins here."""
    closing = _QUOTES.get(text[at])
    if closing is None or (text[at] == "'" and at and text[at - 1].isalnum()):
        return 0
    end = _closing(text, at, closing)
    if not end:
        return 0
    inner = text[at + 1 : end]
    if text[at] == '"':
        inner = _ESCAPED.sub(r"\1", inner)
    if text[at] == "`":
        pair = _PAIR.fullmatch(inner)
        if pair:
            found += _pair_tokens(pair, at + 1)
        else:
            found.append(Token("code", inner, at, end + 1))
    else:
        found.append(Token("quoted", inner, at, end + 1))
    after = end + 1
    if text[after : after + 2].lower() in ("'s", "’s"):
        found.append(Token("poss", "'s", after, after + 2, "'s"))
        after += 2
    return after


def _closing(text: str, start: int, mark: str) -> int:
    """Return where the quotation that opens at *start* closes, 0 when it does not."""
    end = text.find(mark, start + 1)
    if mark == '"':
        while end > 0 and text[end - 1] == "\\":
            end = text.find(mark, end + 1)
    if mark not in "'’":
        return max(end, 0)
    while end > 0:
        rest = text[end + 1 : end + 3]
        if not rest or rest[0] in " \t\r\n,.;:!?)]}" or rest == "'s":
            return end
        end = text.find(mark, end + 1)
    return 0


def _pair_tokens(pair: re.Match[str], at: int) -> list[Token]:
    """Return the tokens of `key: value` in backticks."""
    key = Token("code", pair[1], at + pair.start(1), at + pair.end(1))
    sign = Token("op", pair[2], at + pair.start(2), at + pair.end(2), pair[2])
    start, end, text = at + pair.start(3), at + pair.end(3), pair[3]
    if text[0] == '"':
        return [key, sign, Token("quoted", str(parse(text)), start, end)]
    if text[0] in "{[":
        return [key, sign, Token("json", text, start, end, value=parse(text))]
    return [key, sign, Token("word", text, start, end, text.lower())]


def _literal(text: str, at: int, found: list[Token]) -> int:
    """Read a JSON array or object and return where it ends; 0 when none begins here."""
    if text[at] not in "{[":
        return 0
    try:
        _, end = _DECODER.raw_decode(text, at)
        if text[end : end + 1] in ("[", "/") or text[end : end + 1].isalnum():
            return 0
        if text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum():
            return 0  # `[0].title` is a path
        value = parse(text[at:end])
    except (ValueError, RecursionError, DocumentSyntax):
        return 0
    found.append(Token("json", text[at:end], at, end, value=value))
    return end


def _plain(text: str, at: int, found: list[Token]) -> int:
    """Read an operator, a mark or a word and return where it ends."""
    sign = next((o for o in _OPERATORS if text.startswith(o, at)), "")
    if sign:
        found.append(Token("op", sign, at, at + len(sign), sign))
        return at + len(sign)
    if text[at] in ",;:!?)(" or (text[at] == "." and text[at + 1 : at + 2] in ("", " ", "\n")):
        found.append(Token("sep", text[at], at, at + 1, text[at]))
        return at + 1
    bracketed = _BRACKETED.match(text, at)
    chunk = bracketed[0] if bracketed else text[at:].split(maxsplit=1)[0]
    if text.startswith(("$.", "$["), at):
        chunk = _jsonpath(text, at)
        _word(chunk, at, found)
        return at + len(chunk)
    glued = _GLUED.match(chunk)
    if glued and "://" not in glued[1] and (not bracketed or "[" not in glued[1]):
        chunk = glued[1]
    comma = re.search(r"[,:;](?=[\"'“`\[{])|,(?=[^\W\d])|[()](?=\W|$)", chunk)
    if comma and comma.start() and not bracketed:
        chunk = chunk[: comma.start()]
    body = chunk.rstrip(_TRAILING)
    whole = text[at : at + len(chunk)]
    if _INITIAL.fullmatch(whole) and at + len(whole) < len(text):
        body = whole
    if not body:
        found.append(Token("word", chunk, at, at + len(chunk), chunk))
        return at + len(chunk)
    _word(body, at, found)
    return at + len(body)


def _jsonpath(text: str, at: int) -> str:
    """Return the JSONPath at *at*: up to a blank outside brackets, without trailing punctuation."""
    depth, end = 0, at
    while end < len(text) and (depth or not text[end].isspace()):
        depth += (text[end] == "[") - (text[end] == "]")
        end += 1
    return text[at:end].rstrip(_TRAILING.replace(")", ""))


def _word(body: str, at: int, found: list[Token]) -> None:
    owner = _POSSESSIVE.fullmatch(body)
    if owner and owner[1].lower() not in ("it", "that", "there", "let", "what", "here"):
        name = owner[1]
        found.append(Token("word", name, at, at + len(name), name.lower()))
        found.append(Token("poss", "'s", at + len(name), at + len(body), "'s"))
        return
    found.append(Token("word", body, at, at + len(body), body.lower()))
