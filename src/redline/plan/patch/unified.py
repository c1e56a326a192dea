"""Unified diffs, with or without the headers of git.

Names come from `---` and `+++`, or from the headers of git where there are none. Line numbers
decide nothing; only where `index` names the very content that the file has do they say where a
hunk goes. The counts after them say where a hunk ends if they fit its lines; else the next header
does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from redline.core.call_scope import checkpoint
from redline.core.errors import PatchError
from redline.core.records import dataclass, field
from redline.plan.patch import model
from redline.plan.patch.hunk_lines import Opening, quote_line, read_hunk, read_opening

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
    """Return the names of a file that is created or deleted."""
    usual = "b" if names.old is None else "a"
    prefix, _, rest = (names.new or names.old or "").partition("/")
    if not rest or prefix not in _USUAL or (prefix != usual and keep_doubtful):
        return names
    return FileNames(None, rest) if names.old is None else FileNames(rest, None)


def _unquote(text: str) -> str:
    """Return a name as it is; git writes one with unusual bytes in quotes, with escapes of C."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text
    raw = _ESCAPE.sub(_unescape, text[1:-1].encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def _unescape(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    return bytes([int(escape, 8) & 0xFF if len(escape) == 3 else _LETTERS[escape[0]]])


_GIT, _OLD, _NEW, _SVN = "diff --git ", "--- ", "+++ ", "Index: "
_STARTS = (_GIT, _OLD, _SVN, "diff -")
_FROM_GIT = re.compile(r"(?:From|commit) [0-9a-f]{7,64}\b.*")
_HASHES = re.compile(r"([0-9a-f]{7,64})\.\.[0-9a-f]{7,64}(?: \d+)?")
_IGNORED = re.compile(r"(?:dis)?similarity index .*|Index: .*|=+|diff -.*|old mode \d+")
_NO_NEWLINE = "\\ "
_REFUSED = {
    "Binary files ": "binary content",
    "GIT binary patch": "binary content",
    "copy from ": "a copy of a file",
    "copy to ": "a copy of a file",
    "new mode ": "a change of mode",
}
_RENAME_FROM, _RENAME_TO = "rename from ", "rename to "
_NEW_FILE, _DELETED, _CONTENT = "new file mode ", "deleted file mode ", "index "
_KEPT = (_GIT, _RENAME_FROM, _RENAME_TO, _NEW_FILE, _DELETED, _CONTENT)
_REGULAR_MODES = ("100644", "100755", "100664", "100600", "100640", "100700")


def is_unified(lines: Sequence[str]) -> bool:
    """Return whether *lines* begin as a unified diff."""
    return bool(lines) and (
        lines[0].startswith((*_STARTS, "@@ -", "@@@")) or bool(_FROM_GIT.fullmatch(lines[0]))
    )


def read_unified(
    lines: Sequence[str], first: int, *, keep_doubtful: bool = False
) -> model.PatchReading:
    """Return the operations of a unified diff.

    A prefix that may be a directory (a/ on both sides) counts as one with *keep_doubtful*.
    """
    reader = _Reader(lines, first)
    operations: list[model.PatchOperation] = []
    while (section := reader.section()) is not None:
        checkpoint()
        operations.append(section.operation(keep_doubtful=keep_doubtful))
    if not operations:
        raise PatchError("The diff holds no change of a file", hint="send the whole diff")
    return tuple(operations)


@dataclass(slots=True)
class _Section:
    """What a diff says about one file; `headers` are those of git."""

    at: int
    names: FileNames | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hunks: list[model.Hunk] = field(default_factory=list)

    def operation(self, *, keep_doubtful: bool) -> model.PatchOperation:
        """Return the change of the file."""
        if _RENAME_FROM in self.headers and _RENAME_TO in self.headers:
            old, new = (read_name(self.headers[key]) for key in (_RENAME_FROM, _RENAME_TO))
            if old and new:
                return model.UpdateFile(old, new, tuple(self.hunks), self.at, self._base)
        old, new = self._names(keep_doubtful=keep_doubtful)
        if new is not None and (old is None or _NEW_FILE in self.headers):
            return self._add(new)
        if old is not None and (new is None or _DELETED in self.headers):
            return self._delete(old)
        if old is None or old != new:
            raise _refuse(
                self.at,
                f"has two names for one file, {old} and {new}",
                "write the same name on both lines; to rename, add the lines rename from NAME"
                " and rename to NAME, or use *** Move to: in an envelope",
            )
        return model.UpdateFile(old, None, tuple(self.hunks), self.at, self._base)

    def _names(self, *, keep_doubtful: bool) -> FileNames:
        names = self.names or read_git_names(self.headers.get(_GIT, ""))
        if names is None or names == (None, None):
            raise _refuse(self.at, "names no file", "name the file with --- and +++ lines")
        return strip_prefixes(names, keep_doubtful=keep_doubtful)

    @property
    def _base(self) -> str | None:
        hashes = _HASHES.fullmatch(self.headers.get(_CONTENT, "").rstrip())
        return hashes[1] if hashes else None

    def _add(self, path: str) -> model.AddFile:
        mode = self.headers.get(_NEW_FILE, "100644").strip()
        if mode not in _REGULAR_MODES:
            raise _refuse(self.at, f"adds what is not a regular file (mode {mode})", "add files")
        hunk = self._whole_file("+", "the hunk of a new file has + lines only")
        lines = hunk.added_lines if hunk else ()
        ends = hunk is not None and hunk.final_newline is not False
        return model.AddFile(path, lines, self.at, ends, executable=mode in ("100755", "100700"))

    def _delete(self, path: str) -> model.DeleteFile:
        hint = "every line in the hunk of a deleted file starts with -"
        hunk = self._whole_file("-", hint)
        return model.DeleteFile(path, self.at, hunk.old_lines if hunk else ())

    def _whole_file(self, role: str, hint: str) -> model.Hunk | None:
        if len(self.hunks) > 1 or any(r != role for h in self.hunks for r, _ in h.lines):
            raise _refuse(self.at, "adds or deletes a file and quotes other lines of it", hint)
        return self.hunks[0] if self.hunks else None


class _Reader:
    """Walks the lines of a diff; line numbers count in the patch as sent."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self._lines = lines
        self._first = first
        self._at = 0
        if _FROM_GIT.fullmatch(lines[0]):
            # The message of a commit, which git prints before the diff.
            starts = (at for at, line in enumerate(lines) if line.startswith(_GIT))
            self._at = next(starts, len(lines))

    @property
    def _number(self) -> int:
        return self._first + self._at

    def _line(self, at: int | None = None) -> str | None:
        at = self._at if at is None else at
        return self._lines[at] if at < len(self._lines) else None

    def section(self) -> _Section | None:
        """Return the next file, or None at the end."""
        self._at = self._skip_blank(self._at)
        line = self._line()
        if line is None or self._is_signature(self._at):
            return None
        if not line.startswith(_STARTS):
            fact = f"is outside of any file: {quote_line(line)}"
            hint = "name the file with --- and +++ lines, or use *** Update File: in an envelope"
            raise _refuse(self._number, fact, hint)
        section = _Section(self._number)
        self._headers(section)
        while (line := self._line()) is not None and line.startswith("@@"):
            checkpoint()
            self._hunk(section)
        return section

    def _skip_blank(self, at: int) -> int:
        while at < len(self._lines) and not self._lines[at].strip():
            at += 1
        return at

    def _is_signature(self, at: int) -> bool:
        """Return whether only the signature is left that git format-patch adds."""
        rest = [line for line in self._lines[at : at + 8] if line.strip()]
        return at + 8 >= len(self._lines) and len(rest) <= 2 and rest[0].rstrip() == "--"

    def _headers(self, section: _Section) -> None:
        """Read up to the first hunk or the next file."""
        seen: set[str] = set()
        while (line := self._line()) is not None and not line.startswith("@@"):
            start = next((start for start in (_GIT, _SVN) if line.startswith(start)), None)
            if start in seen:
                return
            if start is not None:
                seen.add(start)
            if line.startswith(_OLD):
                self._names(section, line)
                return
            if line.strip():
                self._header(section, line)
            self._at += 1

    def _names(self, section: _Section, line: str) -> None:
        following = self._line(self._at + 1)
        if following is None or not following.startswith(_NEW):
            raise _refuse(self._number, "has no +++ line after it", "name the file on both lines")
        section.names = FileNames(read_name(line[len(_OLD) :]), read_name(following[len(_NEW) :]))
        self._at += 2

    def _header(self, section: _Section, line: str) -> None:
        for start, what in _REFUSED.items():
            if line.startswith(start):
                raise _refuse(self._number, f"is {what}, which is not applied", "leave it out")
        kept = next((start for start in _KEPT if line.startswith(start)), None)
        if kept is not None:
            section.headers[kept] = line.removeprefix(kept)
        elif not _IGNORED.fullmatch(line):
            hint = "after the names of a file come its hunks, which start with @@"
            raise _refuse(self._number, f"is no header of a diff: {quote_line(line)}", hint)

    def _hunk(self, section: _Section) -> None:
        at = self._number
        line = self._lines[self._at]
        opening = read_opening(line)
        if line.startswith("@@@") and opening.start is None:
            raise _refuse(at, "is a diff against several files", "send a diff against one")
        start = self._at + 1
        stop = self._stop_by_counts(opening, start)
        is_counted = stop is not None
        self._at = self._stop_by_headers(start) if stop is None else stop
        raw = self._lines[start : self._at]
        hunk = read_hunk(raw, [opening], at, self._first + start, is_counted=is_counted)
        section.hunks += [hunk] if hunk else []

    def _stop_by_counts(self, opening: Opening, start: int) -> int | None:
        """Return where the hunk ends by its counts; None if the lines there say otherwise."""
        if opening.start is None:
            return None
        old, new, at = opening.old_count, opening.new_count, start
        while old > 0 or new > 0:
            line = self._line(at)
            if line is None or (line and line[0] not in " -+\\"):
                return None
            old -= line[:1] not in ("+", "\\")
            new -= line[:1] not in ("-", "\\")
            at += 1
        while (self._line(at) or "").startswith(_NO_NEWLINE):
            at += 1
        rest = self._skip_blank(at)
        return at if not (old or new) and self._is_boundary(rest) else None

    def _stop_by_headers(self, start: int) -> int:
        at = start
        while not self._is_boundary(at):
            at += 1
        return at

    def _is_boundary(self, at: int) -> bool:
        """Return whether the next hunk, the next file or the end of the diff is at *at*."""
        line = self._line(at)
        if line is None or line.startswith(("@@", _GIT, _SVN)):
            return True
        if line.startswith("--"):
            names = line.startswith(_OLD) and (self._line(at + 1) or "").startswith(_NEW)
            return (names and (self._line(at + 2) or "").startswith("@@")) or self._is_signature(at)
        return False


def _refuse(at: int, fact: str, hint: str) -> PatchError:
    return PatchError(f"Line {at} of the patch {fact}", hint=hint, details={"line": at})
