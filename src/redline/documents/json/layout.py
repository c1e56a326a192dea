"""Where commas, line breaks and indents go when a JSON container gains or loses a member."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from redline.core.splice import Splice
from redline.documents.json.mask import blank_comments
from redline.documents.json.source import JsonText
from redline.documents.json.walk import JsonEntry, last_mark, skip_space

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_COMMENT_LINE = re.compile(rb"[ \t]*(?://|/\*)")
_BREAK = re.compile(rb"\r?\n")
_INDENTED = re.compile(rb"\n([ \t]+)\S")


def line_start(source: bytes, at: int) -> int:
    """Return the offset at which the line of *at* begins."""
    return source.rfind(b"\n", 0, at) + 1


def line_stop(source: bytes, at: int) -> int:
    """Return the offset of the line break that ends the line of *at*, or the end of the text."""
    match = _BREAK.search(source, at)
    return match.start() if match else len(source)


def indent_of(source: bytes, at: int) -> bytes:
    """Return the white space that opens the line of *at*."""
    start = line_start(source, at)
    stop = start
    while source[stop : stop + 1] in (b" ", b"\t"):
        stop += 1
    return source[start:stop]


def indent_unit(source: bytes) -> str | None:
    """Return the white space of one level as the file has it; None if it is on one line."""
    found = _INDENTED.search(source)
    if found is None:
        return None if b"\n" not in source.strip() else "  "
    return found[1].decode()


def is_first_on_line(source: bytes, at: int) -> bool:
    """Return whether only white space is before *at* on its line."""
    return not source[line_start(source, at) : at].strip()


def splices_to_append(
    text: JsonText, container: JsonEntry, key: str | None, value: str
) -> list[Splice]:
    """Put a member after the last one, in the shape of its siblings."""
    entries = text.tail(container)
    if not entries:
        member = _member(text, None, key, value)
        return [Splice(container.start + 1, container.start + 1, member)]
    last = entries[-1]
    member = _member(text, last, key, value)
    source = text.source
    comma = _trailing_comma(text, last)
    if not is_first_on_line(source, _entry_start(last)):
        at = last.end if comma is None else comma + 1
        gap = _inline_gap(text, entries)
        if comma is None:
            return [Splice(at, at, b"," + gap + member)]
        return [Splice(at, at, gap + member + b",")]
    indent = text.newline + indent_of(source, _entry_start(last))
    stop = min(line_stop(source, last.end if comma is None else comma), container.end - 1)
    stop = _before_closer(text, container, stop)
    if comma is None:
        if stop == last.end:
            return [Splice(stop, stop, b"," + indent + member)]
        return [Splice(last.end, last.end, b","), Splice(stop, stop, indent + member)]
    return [Splice(stop, stop, indent + member + b",")]


def splices_to_add_after(
    text: JsonText, container: JsonEntry, sibling: JsonEntry, key: str, value: str
) -> list[Splice]:
    """Put a member behind *sibling*, in its shape, and behind a comment on its line."""
    source = text.source
    member = _member(text, sibling, key, value)
    follows = skip_space(text.mask, sibling.end)
    if text.mask[follows : follows + 1] != b",":
        return splices_to_append(text, container, key, value)
    indent = text.newline + indent_of(source, sibling.key_start)
    is_own_line = is_first_on_line(source, sibling.key_start)
    if is_own_line and _rest_is_comment(text, follows + 1):
        stop = line_stop(source, follows)
        return [Splice(stop, stop, indent + member + b",")]
    gap = indent if is_own_line else _gap_after(text, sibling)
    return [Splice(follows + 1, follows + 1, gap + member + b",")]


def append_indent(text: JsonText, container: JsonEntry) -> bytes:
    """Return the indent of the line on which a new last member will start."""
    entries = text.tail(container)
    if entries and is_first_on_line(text.source, _entry_start(entries[-1])):
        return indent_of(text.source, _entry_start(entries[-1]))
    return indent_of(text.source, container.start)


def splices_to_insert(
    text: JsonText, container: JsonEntry, before: JsonEntry, value: str
) -> list[Splice]:
    """Put a list item in front of *before* and of the comment lines that belong to it."""
    source = text.source
    data = value.encode("utf-8")
    if is_first_on_line(source, before.start):
        at = _head(text, container, before.start)
        indent = indent_of(source, before.start)
        return [Splice(at, at, indent + data + b"," + text.newline)]
    return [Splice(before.start, before.start, data + b"," + _gap_after(text, before))]


def splices_to_delete(text: JsonText, container: JsonEntry, entry: JsonEntry) -> list[Splice]:
    """Take a member out with its comma, its same-line comment and the comment right above."""
    source, mask = text.source, text.mask
    start = _entry_start(entry)
    previous = last_mark(mask, start)
    following = skip_space(mask, entry.end)
    is_first, is_last = mask[previous] in b"[{", mask[following] in b"]}"
    if is_first and is_last:
        return [_sole(text, container, entry)]
    own_lines = is_first_on_line(source, start)
    if not is_last:
        comma = following + 1
        if own_lines and _rest_is_comment(text, comma):
            stop = line_stop(source, comma)
            stop += len(_BREAK.match(source, stop)[0]) if stop < len(source) else 0  # type: ignore[index]
            return [Splice(_head(text, container, start), stop, b"")]
        return [Splice(start, skip_space(source, comma), b"")]
    return _delete_last(text, container, entry, previous, own_lines=own_lines)


def splices_to_delete_all(text: JsonText, container: JsonEntry, gone: set[int]) -> list[Splice]:
    """Take several members out at once; *gone* are their positions."""
    entries = list(text.entries(container))
    tail = len(entries)
    while tail and tail - 1 in gone:
        tail -= 1
    splices: list[Splice] = []
    for position in sorted(gone):
        if position < tail:
            splices += splices_to_delete(text, container, entries[position])
    if tail < len(entries):
        first, last = entries[tail], entries[-1]
        merged = JsonEntry(first.key, first.key_start, first.key_end, first.start, last.end)
        splices += splices_to_delete(text, container, merged)
    return splices


def _delete_last(
    text: JsonText, container: JsonEntry, entry: JsonEntry, comma: int, *, own_lines: bool
) -> list[Splice]:
    source = text.source
    start = _entry_start(entry)
    trailing = _trailing_comma(text, entry)
    end = entry.end if trailing is None else trailing + 1
    if own_lines and _rest_is_comment(text, end):
        head = _head(text, container, start)
        head -= 2 if source[head - 2 : head] == b"\r\n" else 1
        end = min(line_stop(source, end), container.end - 1)
        end = _before_closer(text, container, end)
        if trailing is None and comma + 1 <= head:
            return [Splice(comma, comma + 1, b""), Splice(head, end, b"")]
        return [Splice(comma if trailing is None else head, end, b"")]
    if source[comma + 1 : start].strip():
        own = Splice(start, end, b"")
        return [own] if trailing is not None else [Splice(comma, comma + 1, b""), own]
    return [Splice(comma if trailing is None else comma + 1, end, b"")]


def _sole(text: JsonText, container: JsonEntry, entry: JsonEntry) -> Splice:
    source = text.source
    trailing = _trailing_comma(text, entry)
    end = entry.end if trailing is None else trailing + 1
    start = _entry_start(entry)
    if start == container.start + 1:
        return Splice(start, end, b"")
    if _rest_is_comment(text, end):
        end = min(line_stop(source, end), container.end - 1)
        end = _before_closer(text, container, end)
    head = _head(text, container, start) if is_first_on_line(source, start) else start
    inner_start, inner_end = container.start + 1, container.end - 1
    if not source[inner_start:head].strip() and not source[end:inner_end].strip():
        return Splice(inner_start, inner_end, b"")
    return Splice(start, end, b"")


def _member(text: JsonText, sibling: JsonEntry | None, key: str | None, value: str) -> bytes:
    if key is None:
        return value.encode("utf-8")
    separator = b": "
    token = json.dumps(key, ensure_ascii=False)
    if sibling is not None:
        between = text.source[sibling.key_end : sibling.start]
        separator = between if not between.strip(b" \t:") else separator
        token = _like_sibling(text, sibling, key, token)
    return token.encode("utf-8", "surrogatepass") + separator + value.encode("utf-8")


def key_like(text: JsonText, entry: JsonEntry, key: str) -> str:
    """Return *key* as the file would write it in place of the name of *entry*."""
    return _like_sibling(text, entry, key, json.dumps(key, ensure_ascii=False))


def _like_sibling(text: JsonText, sibling: JsonEntry, key: str, token: str) -> str:
    if text.form != "json5":
        return token
    quote = text.source[sibling.key_start : sibling.key_start + 1]
    if quote not in (b'"', b"'") and _IDENTIFIER.fullmatch(key):
        return key
    if quote == b"'" and not set(key) & set("'\\\"\n\r\t\b\f"):
        return f"'{key}'"
    return token


def _entry_start(entry: JsonEntry) -> int:
    return entry.start if entry.key is None else entry.key_start


def _trailing_comma(text: JsonText, last: JsonEntry) -> int | None:
    """Return the offset of a comma after the last member, which the mask has blanked."""
    if text.form == "json":
        return None
    gap = text.source[last.end : skip_space(text.mask, last.end)]
    at = last.end + skip_space(blank_comments(gap, text.form), 0)
    return at if text.source[at : at + 1] == b"," and text.mask[at : at + 1] == b" " else None


def _inline_gap(text: JsonText, entries: list[JsonEntry]) -> bytes:
    for left, right in pairwise(entries[-2:]):
        between = text.source[left.end : _entry_start(right)]
        if between.startswith(b",") and not between[1:].strip(b" \t"):
            return between[1:]
    last = entries[-1]
    tight = last.key is not None and text.source[last.key_end : last.start] == b":"
    return b"" if tight else b" "


def _gap_after(text: JsonText, entry: JsonEntry) -> bytes:
    at = skip_space(text.mask, entry.end)
    if text.mask[at : at + 1] == b",":
        gap = text.source[at + 1 : skip_space(text.source, at + 1)]
        return gap if not gap.strip(b" \t") and b"\n" not in gap else b" "
    return b" "


def _rest_is_comment(text: JsonText, at: int) -> bool:
    """Return whether only a comment (or nothing) follows on the line of *at*."""
    return not text.mask[at : line_stop(text.source, at)].strip()


def _before_closer(text: JsonText, container: JsonEntry, stop: int) -> int:
    """*stop*, moved in front of white space that leads to the closing bracket on its line."""
    if stop == container.end - 1:
        while text.source[stop - 1 : stop] in (b" ", b"\t"):
            stop -= 1
    return stop


def _head(text: JsonText, container: JsonEntry, start: int) -> int:
    """Return where the member's lines begin: its own line, or the comment directly above it."""
    source = text.source
    begin = line_start(source, start)
    indent = source[begin:start]
    while begin > container.start + 1:
        above = line_start(source, begin - 1)
        line = source[above : begin - 1]
        if above <= container.start or not _is_head_comment(text, line, above, begin, indent):
            break
        begin = above
    return begin


def _is_head_comment(text: JsonText, line: bytes, start: int, stop: int, indent: bytes) -> bool:
    if text.form == "json" or text.mask[start:stop].strip():
        return False
    match = _COMMENT_LINE.match(line)
    return match is not None and line[: len(indent)] == indent and line[len(indent)] == 0x2F
