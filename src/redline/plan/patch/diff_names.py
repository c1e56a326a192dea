"""The names of files in a unified diff: unquoted, without timestamps and prefixes."""

from __future__ import annotations

import re
from typing import NamedTuple

_NOTHING = "/dev/null"
# What git puts before names: by default, reversed, mnemonic, and outside of a repository.
_PAIRS = {("a", "b"), ("b", "a"), ("i", "w"), ("c", "w"), ("c", "i"), ("o", "w"), ("1", "2")}
_USUAL = ("a", "b")
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_QUOTED_PAIR = re.compile(r'("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)')


class FileNames(NamedTuple):
    """The name of a file before and after; None where there is no file."""

    old: str | None
    new: str | None


def read_name(text: str) -> str | None:
    """Read the name after `---` or `+++`; None for /dev/null."""
    text = text.strip() if text.startswith('"') else text.partition("\t")[0].strip()
    name = _unquote(text)
    return None if name == _NOTHING else name


def read_git_names(text: str) -> FileNames | None:
    """Read both names after `diff --git`; None where it is not clear where the first ends."""
    if '"' in text:
        pair = _QUOTED_PAIR.fullmatch(text.strip())
        return FileNames(_unquote(pair[1]), _unquote(pair[2])) if pair else None
    text = text.rstrip()
    middle = len(text) // 2
    old, blank, new = text[:middle], text[middle : middle + 1], text[middle + 1 :]
    same = old == new or old.partition("/")[2] == new.partition("/")[2]
    return FileNames(old, new) if blank == " " and same else None


def strip_prefixes(names: FileNames, *, keep_doubtful: bool) -> FileNames:
    """Take off the prefixes of a diff; one that may be a directory stays with *keep_doubtful*."""
    old, new = names
    if old is None or new is None:
        return _strip_one(names, keep_doubtful)
    before, after = old.partition("/"), new.partition("/")
    if (before[0], after[0]) in _PAIRS:
        return FileNames(before[2], after[2])
    if before[0] == after[0] and before[0] in _USUAL and before[2] and after[2]:
        return names if keep_doubtful else FileNames(before[2], after[2])
    if before[0] == "a" and before[2] == new:
        return FileNames(new, new)
    if after[0] == "b" and after[2] == old:
        return FileNames(old, old)
    return names


def _strip_one(names: FileNames, keep_doubtful: bool) -> FileNames:
    """The names of a file that is created or deleted."""
    usual = "b" if names.old is None else "a"
    prefix, _, rest = (names.new or names.old or "").partition("/")
    if not rest or prefix not in _USUAL or (prefix != usual and keep_doubtful):
        return names
    return FileNames(None, rest) if names.old is None else FileNames(rest, None)


def _unquote(text: str) -> str:
    """A name as it is; git writes one with unusual bytes in quotes, with escapes of C."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text
    raw = _ESCAPE.sub(_unescape, text[1:-1].encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def _unescape(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    return bytes([int(escape, 8) & 0xFF if len(escape) == 3 else _LETTERS[escape[0]]])
