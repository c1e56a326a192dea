"""Where flow collections and their entries end: found in one pass, without parsing values."""

from __future__ import annotations

import re
from functools import cache

from redline.core.errors import CannotApply
from redline.core.records import dataclass, field
from redline.documents.base.possessive import compile_pattern

# Every repetition is possessive: nothing is read twice, and nothing is remembered to go back to.
_GAP = rb"(?:[ \t\r\n]++|(?<![^ \t\r\n])#[^\r\n]*+)*+"
_QUOTED = rb"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
_APOSTROPHED = rb"'[^']*+(?:''[^']*+)*+'"
_PLAIN = (
    rb"(?:[^ \t\r\n\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^ \t\r\n,\[\]{}]))"
    rb"(?:[^ \t\r\n,\[\]{}:#]++|:(?=[^ \t\r\n,\[\]{}])|(?<![ \t\r\n])#"
    rb"|[ \t\r\n]++(?=[^ \t\r\n,\[\]{}:#]|:[^ \t\r\n,\[\]{}]))*+"
)
# After a quoted scalar or a collection, a colon needs no space to make it a key.
_KEYED = rb"(?::[ ]?|[ \t\r\n]" + _GAP + rb":)?+"
_SPACE = compile_pattern(_GAP)
_DOUBLE = compile_pattern(_QUOTED, re.DOTALL)
_SINGLE = compile_pattern(_APOSTROPHED)
PLAIN = compile_pattern(_PLAIN)
_AFTER = compile_pattern(_KEYED)
_QUICK_KEY = re.compile(rb"(?:\"[^\"\\\r\n]*+\"[ ]?:[ \t\r\n]*+|\w++[ ]?:[ \t\r\n]++)")
MAX_FLOW = 200
BLOCK = 8
# Deeper ones are passed over level by level; where there are many, this is worth more levels.
_LEVELS = 2
_MORE_LEVELS = 16
_MANY = 500
# JSON, and what is written like it, is passed over by simpler patterns, which may hold more levels.
_JSON_LEVELS = 14
_MORE_JSON_LEVELS = 48
_BLANKS = rb"[ \t\r\n]*+"
_JSON_KEY = rb"(?:" + _QUOTED + _BLANKS + rb":" + _BLANKS + rb"|\w[\w.+-]*+:[ \t\r\n]++)?+"
# What is larger is not passed over twice.
_LARGE = 256
# How many times in a row the patterns may fail.
_MAX_MISSES = 32


def _token(space: bytes) -> bytes:
    """Anything but a collection; the cheap and frequent kinds come first."""
    # Words up to the next bracket (or comma): nothing in them starts anything else.
    words = rb"\w[\w .:+,-]*+(?=[\[{\]}])" if b"," in space else rb"\w[\w .:+-]*+(?=[\[{\]},])"
    return (
        _QUOTED + _KEYED + rb"|[" + space + rb"]++|" + words + rb"|\w[\w.+-]*+(?:(?=[,\]}])|:[ ])"
        rb"|" + _PLAIN + rb"|" + _APOSTROPHED + _KEYED + rb"|(?<![^ \t\r\n])#[^\r\n]*+"
        rb"|[&*][^ \t\r\n,\[\]{}]++|!<[^>\r\n]*+>|![^ \t\r\n,\[\]{}]*+"
        rb"|[:?](?=[ \t\r\n,\[\]{}])"
    )  # fmt: skip


def _nested_pattern(levels: int) -> bytes:
    """Return a collection that holds at most *levels* more levels."""
    inner = rb"|" + _nested_pattern(levels - 1) if levels else b""
    return rb"[\[{](?:" + _token(rb" \t\r\n,") + inner + rb")*+[\]}]" + _KEYED


@cache
def _passing(what: str, levels: int = _LEVELS) -> re.Pattern[bytes]:
    """Return a pattern that skips parts of a collection without parsing them."""
    entry = rb"(?:" + _token(rb" \t\r\n") + rb"|" + _nested_pattern(levels) + rb")*+"
    text = {
        "entry": entry,
        "block": rb"(?:" + entry + rb",){%d}+" % BLOCK,
        "inside": rb"(?:" + _token(rb" \t\r\n,") + rb"|" + _nested_pattern(levels) + rb")*+",
    }[what]
    return compile_pattern(text, re.DOTALL)


def _json_value(levels: int) -> bytes:
    """A string in double quotes, a word, or a collection of such with at most *levels* more."""
    inner = rb"|" + _json_nested(levels) if levels >= 0 else b""
    return rb"(?:" + _QUOTED + inner + rb"|[\w.+-]++(?<=\w))"


def _json_nested(levels: int) -> bytes:
    """As `_nested_pattern`, with nothing in it but keys and values of the usual kinds."""
    words = rb"\w[\w .:+,-]*+(?=[\]}])"
    entry = _JSON_KEY + _json_value(levels - 1) + _BLANKS + rb"(?:," + _BLANKS + rb"|(?=[\]}]))"
    return rb"[\[{](?:" + words + rb"|" + _BLANKS + rb")(?:" + entry + rb")*+[\]}]"


@cache
def _passing_json(what: str, levels: int) -> re.Pattern[bytes]:
    """As `_passing`; it stops before anything that is not written as in JSON."""
    nested = _json_nested(levels)
    entry = _BLANKS + _JSON_KEY + _json_value(levels) + _BLANKS
    text = {
        "entry": entry + rb"(?=[,\]}])",
        "block": rb"(?:" + entry + rb",){%d}+" % BLOCK,
        "nested": nested,
    }
    return compile_pattern(text[what], re.DOTALL)


@dataclass(slots=True)
class Passing:
    """Passes over parts of `source`."""

    source: bytes
    # Where large collections that were passed over once end.
    ends: dict[int, int] = field(default_factory=dict)
    levels: int = _LEVELS
    steps: int = 0
    misses: int = 0

    def flow_end(self, at: int, limit: int) -> int:
        """Return where the collection that opens at *at* ends; nothing inside is looked at."""
        if at in self.ends:
            return self.ends[at]
        end = self._json_end("nested", at, limit)
        if end == at:
            end = self._level_by_level(at, limit)
        if end - at > _LARGE:
            self.ends[at] = end
        return end

    def _level_by_level(self, at: int, limit: int) -> int:
        source, inside, depth = self.source, _passing("inside", self.levels), 0
        while True:
            self.steps += 1
            byte = source[at : at + 1] if at < limit else b""
            if byte in (b"[", b"{"):
                depth += 1
                at += 1
            elif byte in (b"]", b"}"):
                depth -= 1
                at += 1
                if not depth:
                    self._adapt()
                    return at
                at = self._after(_AFTER, at, limit)
            else:
                raise CannotApply("A flow collection is malformed or not closed")
            if depth > MAX_FLOW:
                raise CannotApply(f"Document is nested deeper than {MAX_FLOW} levels")
            at = self._after(inside, at, limit)

    def _adapt(self) -> None:
        """Use patterns with more levels once that has paid off."""
        if self.steps > _MANY and self.levels == _LEVELS:
            self.levels, self.misses = _MORE_LEVELS, 0

    def entry_end(self, at: int, limit: int) -> int:
        """Return where the entry at *at* of a collection ends: at a comma or a closing bracket."""
        key = _QUICK_KEY.match(self.source, at, limit)
        value = key.end() if key else at
        if self.source[value : value + 1] in (b"[", b"{"):
            end = self.space(self.flow_end(value, limit), limit)
            if self.source[end : end + 1] in (b",", b"]", b"}"):
                return end
        elif (end := self._json_end("entry", at, limit)) > at:
            return end
        entry = _passing("entry", self.levels)
        at = self._after(entry, self.ends.get(value, at), limit)
        while at < limit and self.source[at] in b"[{":
            at = self._after(_AFTER, self.flow_end(at, limit), limit)
            at = self._after(entry, at, limit)
        return at

    def block_end(self, at: int, limit: int) -> int:
        """After the comma of the last of BLOCK entries, or *at* when there are fewer."""
        end = self._json_end("block", at, limit)
        return end if end > at else self._after(_passing("block", self.levels), at, limit)

    def _json_end(self, what: str, at: int, limit: int) -> int:
        """Return the offset after what is at *at* if it is as in JSON, else *at*."""
        if self.misses > _MAX_MISSES:
            return at
        is_deep = self.levels > _LEVELS
        levels = _MORE_JSON_LEVELS if is_deep else _JSON_LEVELS
        end = self._after(_passing_json(what, levels), at, limit)
        self.misses = 0 if end > at else self.misses + 1
        return end

    def space(self, at: int, limit: int) -> int:
        """After the blanks and comments at *at*."""
        return self._after(_SPACE, at, limit)

    def _after(self, pattern: re.Pattern[bytes], at: int, limit: int) -> int:
        match = pattern.match(self.source, at, limit)
        return match.end() if match else at


def quoted_end(source: bytes, at: int, limit: int) -> int:
    """Return where the quoted scalar at *at* ends."""
    is_double = source[at] == 0x22
    end = source.find(b'"' if is_double else b"'", at + 1, limit) + 1
    if end and (source.find(b"\\", at, end) < 0 if is_double else source[end : end + 1] != b"'"):
        return end
    match = (_DOUBLE if is_double else _SINGLE).match(source, at, limit)
    if match is None:
        raise CannotApply("A quoted scalar is not closed")
    return match.end()
