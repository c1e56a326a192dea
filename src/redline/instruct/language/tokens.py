"""An instruction cut into tokens; quoted text and JSON literals are one token each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from redline.core.errors import DocumentSyntax
from redline.instruct.model.values import Value, parse

_OPEN = {'"': '"', "“": "”", "'": "'", "‘": "’", "`": "`", "«": "»"}
_ENDS = frozenset(" \t\r\n,.;:!?)]}")
_ARROWS = (
    "==>",
    "-->",
    "+=",
    "-=",
    "*=",
    "/=",
    "->",
    "=>",
    "→",
    ":=",
    "==",
    "!=",
    ">=",
    "<=",
    "=",
    ">",
    "<",
)
_ASSIGN = re.compile(r"^([\w.\[\]/$~-]+?)(==>|-->|\+=|-=|\*=|/=|!=|>=|<=|==|->|=>|→|=|>|<)(.+)$")
_TRAILING = ",;:!?."
# A dot that belongs to the word: initials and titles.
_INITIAL = re.compile(r"[A-Z]\.|(Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Inc|Ltd|Co|[Nn]o|[Nn]r)\.")
# A key with its value in one pair of backticks: `debug: true`, `"port": 80`.
_PAIR = re.compile(
    r"\"?([\w.$@-]+)\"?\s*([:=])\s*(-?\d+(?:\.\d+)?|true|false|null|\"[^\"\\]*\"|\[\]|\{\})"
)
_GROUP = re.compile(r"\(([^()]+)\)(?=$|[\s,.;:!?])")
_LIST_MARK = re.compile(r"\d{1,2}|[a-z]|[ivx]{1,4}", re.IGNORECASE)
_POSSESSIVE = re.compile(r"^(.+?)(?:['’]s|(?<=s)['’])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """One token. Kinds: word, quoted, code (backticks), json, poss ('s), sign, end (of sentence).

    `text` is what it says, `start` and `end` its offsets in the instruction.
    """

    kind: str
    text: str
    start: int
    end: int
    value: Value = None
    path: bool = False

    @property
    def low(self) -> str:
        """The text in lower case for words and signs, something no word equals for the rest."""
        return self.text.lower() if self.kind in ("word", "sign", "poss", "end") else "\0"

    @property
    def is_name(self) -> bool:
        """Whether it can name something in the document."""
        return self.kind in ("word", "quoted", "code")


Tokens = tuple[Token, ...]


def tokenize(text: str) -> Tokens:
    """The tokens of *text*."""
    found: list[Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            if text[position] == "\n" and found and found[-1].kind != "end":
                found.append(Token("end", "\n", position, position + 1))
            position += 1
            continue
        position = _special(text, position, found) or _plain(text, position, found)
    return tuple(found)


def _special(text: str, position: int, found: list[Token]) -> int:
    """Read a quoted text, a JSON literal or an operator; 0 when none begins here."""
    mark = text[position]
    if mark in _OPEN:
        end = _closing(text, position, _OPEN[mark])
        if end:
            kind = "code" if mark == "`" else "quoted"
            pair = _PAIR.fullmatch(text, position + 1, end) if mark == "`" else None
            if pair:
                found += _pair_tokens(pair)
                return _suffix(text, end + 1, found)
            found.append(Token(kind, text[position + 1 : end], position, end + 1))
            return _suffix(text, end + 1, found)
    if mark in "{[":
        literal = _literal(text, position)
        if literal:
            value, end = literal
            found.append(Token("json", text[position:end], position, end, value))
            return end
    return _sign(text, position, found)


def _sign(text: str, position: int, found: list[Token]) -> int:
    """Read an operator or a bracket around words; 0 when none begins here."""
    mark = text[position]
    bracket = (mark == "(" and _opens_group(text, position)) or (mark == ")" and _is_open(found))
    signs = (mark,) if bracket else _ARROWS
    sign = next((sign for sign in signs if text.startswith(sign, position)), "")
    if sign:
        found.append(Token("sign", sign, position, position + len(sign)))
        return position + len(sign)
    return 0


def _opens_group(text: str, position: int) -> bool:
    """Whether a bracket encloses words of the sentence; `(a)` and `f(x)` are words themselves."""
    if position and not text[position - 1].isspace():
        return False
    group = _GROUP.match(text, position)
    return group is not None and not _LIST_MARK.fullmatch(group[1])


def _is_open(found: list[Token]) -> bool:
    brackets = [token.text for token in found if token.kind == "sign" and token.text in "()"]
    return brackets[-1:] == ["("]


def _pair_tokens(pair: re.Match[str]) -> list[Token]:
    """The tokens of `key: value` in backticks."""
    key = Token("code", pair[1], pair.start(1), pair.end(1))
    sign = Token("sign", pair[2], pair.start(2), pair.end(2))
    start, end, text = pair.start(3), pair.end(3), pair[3]
    if text[0] in '"{[':
        value = parse(text)
        if isinstance(value, str):
            return [key, sign, Token("quoted", value, start, end)]
        return [key, sign, Token("json", text, start, end, value)]
    return [key, sign, Token("word", text, start, end)]


def _closing(text: str, start: int, mark: str) -> int:
    """Where the quotation that opens at *start* closes, 0 when it does not."""
    end = text.find(mark, start + 1)
    if mark not in "'’":
        return max(end, 0)
    while end > 0:
        if end + 1 == len(text) or text[end + 1] in _ENDS or text[end + 1 : end + 3] == "'s":
            return end
        end = text.find(mark, end + 1)
    return 0


def _suffix(text: str, position: int, found: list[Token]) -> int:
    if text[position : position + 2].lower() in ("'s", "’s"):
        found.append(Token("poss", "'s", position, position + 2))
        return position + 2
    if position < len(text) and text[position] in _TRAILING:
        _mark(text[position], position, found)
        return position + 1
    return position


def _mark(mark: str, position: int, found: list[Token]) -> None:
    kind = "end" if mark in ".!?;" else "sign"
    found.append(Token(kind, mark, position, position + 1))


def _literal(text: str, position: int) -> tuple[Value, int] | None:
    try:
        _, end = json.JSONDecoder().raw_decode(text, position)
        if text[end : end + 2].strip(". \n"):
            # `[0].title` is a path, not an array with something behind it
            following = text[end : end + 1]
            if following in (".", "[") or following.isalnum():
                return None
        return parse(text[position:end]), end
    except (ValueError, RecursionError, DocumentSyntax):
        return None


def _plain(text: str, position: int, found: list[Token]) -> int:
    """Read up to the next blank and take marks and possessives apart."""
    chunk = _chunk(text, position, found)
    end = position + len(chunk)
    body = chunk.rstrip(_TRAILING)
    if _INITIAL.fullmatch(chunk) and end < len(text):
        body = chunk
    if chunk in (".", "..") and found and found[-1].end < position:
        # the current directory: "eslint ."
        body = chunk
    if not body:
        _mark(chunk[0], position, found)
        return position + 1
    tail = chunk[len(body) :]
    if "://" not in body and (parts := _ASSIGN.match(body)):
        left, sign, right = parts.groups()
        _word(left, position, found)
        start = position + len(left)
        found.append(Token("sign", sign, start, start + len(sign)))
        return start + len(sign) if right else end
    comma = _inner_comma(body)
    if comma:
        _word(body[:comma], position, found)
        return position + comma
    step = body[-2:] if len(body) > 2 and body[-2:] in ("++", "--") else ""
    _word(body.removesuffix(step), position, found)
    if step:
        found.append(Token("sign", step, position + len(body) - 2, position + len(body)))
    for offset, mark in enumerate(tail):
        _mark(mark, position + len(body) + offset, found)
    return end


def _chunk(text: str, position: int, found: list[Token]) -> str:
    """The text up to the next blank, or up to the bracket that closes a group."""
    chunk = text[position:].split(maxsplit=1)[0]
    closing = chunk.find(")")
    closes = closing > 0 and "(" not in chunk[:closing] and _is_open(found)
    return chunk[:closing] if closes else chunk


def _inner_comma(body: str) -> int:
    """Where `a,b` or `key:"x"` without a blank must be cut; 0 when nowhere."""
    if _is_path(body):
        return 0
    for match in re.finditer(r"[,:;](?=[\"'“`\[{])|,(?=[^\W\d])", body):
        return match.start()
    return 0


def _word(body: str, position: int, found: list[Token]) -> None:
    owner = _POSSESSIVE.match(body)
    if owner and owner[1].lower() not in ("it", "that", "there", "let", "what", "here"):
        name = owner[1]
        found.append(Token("word", name, position, position + len(name), path=_is_path(name)))
        found.append(Token("poss", "'s", position + len(name), position + len(body)))
        return
    found.append(Token("word", body, position, position + len(body), path=_is_path(body)))


_PATH = re.compile(
    r"^(\$\.?|/)?([\w~-]+|\[-?\d+\])((\.|/)[\w~-]+|\[-?\d+\]|\[\"[^\"]+\"\]|\['[^']+'\])*$"
)
# A pointer may hold anything but blanks: `/paths/~1pets~1{id}/get`.
_POINTER = re.compile(r"^(/[\w~.{}$@:+-]+){2,}$")


def _is_path(body: str) -> bool:
    """Whether the word has the form of a JSON Pointer or a dotted path."""
    if _POINTER.match(body):
        return True
    return bool(_PATH.match(body)) and any(mark in body for mark in "./[$")


def text_of(tokens: Sequence[Token], source: str) -> str:
    """Return the part of *source* that *tokens* cover."""
    return source[tokens[0].start : tokens[-1].end] if tokens else ""
