"""The strict YAML 1.2 parser (py-yaml12): the documents of a stream as plain Python values.

The parser is native and recursive. What could exhaust its stack is refused before it sees the text;
workspace content reaches it in a worker process that can be killed (see `isolated`).
Aliases are never expanded: each is read as a value of its own that holds the alias's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml12

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.base.depth import too_deep
from redline.documents.base.model import MAX_DEPTH, syntax_error
from redline.documents.yaml.skim.scan import Scanner

BOM = b"\xef\xbb\xbf"
# Every nested block collection begins at a column of its own, so a line's blanks and indicators
# bound the depth of what begins on it. The parser's stack holds several times as many levels.
_MAX_LEAD = 2000
_LEADING = bytes.maketrans(b"\t-?:", b"    ")
_WINDOW = 1 << 16
# What YAML forbids outside of escapes, in the reading on which all parsers agree.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]|\r(?!\n)"
)
# Bytes that are never part of those characters, and occur in most files.
_COMMON = bytes(byte for byte in range(256) if byte in b"\t\n" or 0x20 <= byte < 0x7F)
_RARE = bytes(byte for byte in range(0x80, 256) if byte not in (0xC2, 0xEF))
_ALWAYS_PRINTABLE = _COMMON + _RARE
# What may be an alias, its whole name taken in one step.
_ALIAS = re.compile(r"\*(?<![^ \t\r\n,\[{:]\*)([^ \t\r\n,\[\]{}'\"]+)")
_NAME_ENDS = " \t\r\n,]}"
_PROPERTY_BEFORE = re.compile(r"(?:\A|[ \t\r\n,\[{:])[&!][^ \t\r\n,\[\]{}]*[ \t]+\Z")
# How far before an alias a tag or an anchor is looked for.
_MAX_PROPERTY = 200
_ALIAS_TAG = "redline:alias"
_ALIAS_TEXT = f"!<{_ALIAS_TAG}> ="
# The parser wants a space after a key's colon where YAML also allows a tab.
_TAB = re.compile(r"(?<=[^ \t\r\n]):\t")
_SURROGATES = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)
# Tags whose scalars the parser converts, and fails on what only other versions of YAML accept.
_TYPED = re.compile(r"!!(?=(?:int|bool|float|null)[ \t\r\n])")
_COLLECTIONS = (dict, list)
_NESTING = (*_COLLECTIONS, yaml12.Yaml)
_POSITION = re.compile(r" at byte \d+ line (\d+) column (\d+)")


def parse(source: bytes) -> list[Any]:
    """Return the value of each document; DocumentSyntax.

    Mappings are dicts (of duplicate keys the last counts), tagged nodes and aliases `yaml12.Yaml`.
    """
    is_shallow = _is_shallow(source)
    if not is_shallow:
        _require_narrow(source)
    text = source.decode("utf-8-sig")
    wrong = _UNPRINTABLE.search(text) if source.translate(None, _ALWAYS_PRINTABLE) else None
    if wrong:
        raise _unprintable(source, text, wrong.start())
    documents = _load(_readable(text), text)
    if may_be_misread(source, nodes(documents)):
        text = with_explicit_keys(source).decode("utf-8-sig")
        documents = _load(_readable(text), text)
    if not is_shallow:
        require_shallow(documents)
    return documents


def _load(text: str, original: str) -> list[Any]:
    try:
        return yaml12.parse_yaml(text, multi=True)
    except ValueError as error:
        reason = str(error)
    if "invalid YAML scalar value" in reason and _TYPED.search(text):
        return _load(_TYPED.sub("!", text), original)
    if "recursion limit" in reason:
        raise too_deep()
    raise _syntax(reason, text, original)


def _readable(text: str) -> str:
    """Rewrite what the parser does not read, or would expand, to what it reads as values."""
    if "*" in text:
        text = _ALIAS.sub(_alias_value, text)
    if ":\t" in text:
        text = _TAB.sub(": \t", text)
    if "\\u" in text:
        text = _SURROGATES.sub(_whole_character, text)
    return text


def _alias_value(match: re.Match[str]) -> str:
    """Return an alias as a tagged scalar; what not every parser reads as an alias is left alone.

    No alias follows a tag or an anchor, and `*a:` is a key in most files.
    """
    text, start, end = match.string, match.start(), match.end()
    is_whole = text[end : end + 1] in _NAME_ENDS and text[end - 1] != ":"
    if not is_whole or _PROPERTY_BEFORE.search(text[max(start - _MAX_PROPERTY, 0) : start]):
        return match[0]
    return _ALIAS_TEXT + match[1]


def _whole_character(match: re.Match[str]) -> str:
    high, low = int(match[2], 16), int(match[3], 16)
    return f"{match[1]}\\U{0x10000 + ((high - 0xD800) << 10) + low - 0xDC00:08x}"


def parse_key(token: bytes) -> Any:
    """Return what a key's source text means as a key of a parsed mapping; ValueError."""
    if b"\n" not in token:
        (mapping,) = parse(token + b": 0")
        if not isinstance(mapping, dict):
            raise ValueError(token)
        (key,) = mapping
        return key
    found = parse(token)
    return found[0] if found else None


def alias_name(value: Any) -> str | None:
    """Return the name of the anchor if *value* was an alias."""
    if isinstance(value, yaml12.Yaml) and value.tag == _ALIAS_TAG:
        return str(value.value)[1:]
    return None


def without_tag(value: Any) -> Any:
    """Return *value* without its tag."""
    return value.value if isinstance(value, yaml12.Yaml) else value


def original_text(text: str) -> str:
    """Return a scalar's text as the file has it."""
    return text.replace(_ALIAS_TEXT, "*") if _ALIAS_TEXT in text else text


def nodes(top: Any) -> Iterator[Any]:
    """Every node of *top*, keys that are collections or tagged included, without recursion."""
    stack = [top]
    while stack:
        value = stack.pop()
        yield value
        inner = without_tag(value)
        if isinstance(inner, dict):
            stack += inner.values()
            stack += [key for key in inner if isinstance(key, yaml12.Yaml)]
        elif isinstance(inner, list):
            stack += inner


def require_shallow(documents: list[Any]) -> None:
    """Refuse values that nest deeper than the limit, without recursion."""
    level: list[Any] = [documents]
    depth = 0
    while level:
        if depth > MAX_DEPTH + 1:
            raise too_deep()
        inner = [
            value
            for node in level
            for value in (node.values() if type(node) is dict else node)
            if type(value) in _NESTING
        ]
        level = [without_tag(value) for value in inner]
        level = [value for value in level if type(value) in _COLLECTIONS]
        depth += 1


def _is_shallow(source: bytes) -> bool:
    """Return whether columns and brackets alone show that the text nests within the limit."""
    opened = source.count(b"[") + source.count(b"{")
    width = MAX_DEPTH // 2 - 1 - opened
    return width > 0 and not _has_lead(source, width)


def _require_narrow(source: bytes) -> None:
    """Refuse, in linear time, what could nest so deeply that the parser's stack ends."""
    if _has_lead(source, _MAX_LEAD):
        raise too_deep()


def _has_lead(source: bytes, width: int) -> bool:
    """Return whether a line begins with *width* or more blanks and indicators."""
    line = b"\n" + b" " * width
    if (b"\n" + source[: width + 3].lstrip(BOM)[:width].translate(_LEADING)) == line:
        return True
    return any(
        line in source[start : start + _WINDOW + width].translate(_LEADING)
        for start in range(0, len(source), _WINDOW)
    )


def _unprintable(source: bytes, text: str, at: int) -> DocumentSyntax:
    offset = len(text[:at].encode("utf-8")) + (3 if source.startswith(BOM) else 0)
    if text[at] == "\r":
        return syntax_error(source, offset, "a CR without LF: end lines in LF", "YAML")
    name = f"the control character U+{ord(text[at]):04X}"
    error = syntax_error(source, offset, name, "YAML")
    error.hint = f'in double quotes it is written as an escape: "\\u{ord(text[at]):04x}"'
    return error


def _syntax(reason: str, text: str, original: str) -> DocumentSyntax:
    position = _POSITION.search(reason)
    reason = reason.removeprefix("YAML parse error: ")
    if position is None:
        return DocumentSyntax(f"Invalid YAML: {reason}")
    line, column = int(position[1]), int(position[2])
    if text is not original:
        # What was rewritten is longer than what the file has.
        before = "".join(text.split("\n", line)[line - 1 : line])[: column - 1]
        column -= (len(_ALIAS_TEXT) - 1) * before.count(_ALIAS_TEXT) + before.count(": \t")
    reason = reason[: reason.index(" at byte")]
    message = f"Invalid YAML at line {line}, column {column}: {reason}"
    return DocumentSyntax(message, line=line, column=column)


_MAY_BE_PAIR = re.compile(rb"[\[,]([^\[\]{},]*)\{")


def may_be_misread(source: bytes, nodes: Any) -> bool:
    """Return whether some mapping among *nodes* may be what is left of a single pair's value."""
    return (
        b"[" in source
        and any(b":" in found[1] for found in _MAY_BE_PAIR.finditer(source))
        and any(isinstance(node, dict) and None in list(node.values())[1:] for node in nodes)
    )


def with_explicit_keys(source: bytes) -> bytes:
    """Return the stream with `? ` before the key of every single pair; DocumentSyntax."""
    scanner = Scanner(source)
    try:
        starts = sorted(
            start
            for part in scanner.stream.parts()
            for start in _pairs(scanner, scanner.root(part))
        )
    except CannotApply as error:
        raise DocumentSyntax(f"Invalid YAML: {error.message}") from None
    pieces, at = [], 0
    for start in starts:
        pieces += [source[at:start], b"? "]
        at = start
    return b"".join([*pieces, source[at:]])


def _pairs(scanner: Scanner, root: Any) -> list[int]:
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.kind not in ("mapping", "sequence"):
            continue
        if node.pair is not None and scanner.source[node.start : node.start + 1] != b"?":
            found.append(node.start)
        stack += [scanner.value_of(node, child) for child in scanner.entries(node)]
    return found
