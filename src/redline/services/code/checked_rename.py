"""Rename with a language server: its edits, joined with ours and judged by its own checker.

The server is asked where the symbol is defined, and at every member that overrides it. What its
checker reports before and after decides whether a reference would be left behind: a new problem
that stands on the old name, or that names a type with a member of it, is followed; any other new
problem refuses the rename.
"""

from __future__ import annotations

import builtins
import datetime as dt
import io
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from redline.code.analysis import WordUse
from redline.code.rename.new_names import is_shorthand
from redline.code.syntax.languages import language_group
from redline.core.errors import CannotApply, LimitReached
from redline.core.paths import WorkspacePath
from redline.core.ports.language_servers import (
    OUTSIDE,
    CheckerProblem,
    ServerConversation,
    ServerEdit,
)
from redline.core.ports.search import Cancel
from redline.core.records import dataclass, field
from redline.core.wording import naming
from redline.services.code import rename_obstacles as obstacles
from redline.services.code.lookup import CodeLookup
from redline.services.code.references import Finder
from redline.services.names import display_name
from redline.services.runtime import Runtime

# Files that the server is shown with the contents that Redline sees, and characters in all.
_MAX_SHOWN = 200
_MAX_CHARACTERS = 8_000_000
# How often new problems are followed to further places.
_MAX_ROUNDS = 4
_MAX_FOLLOWED = 40
# Definitions of the name that are tried where a problem does not say which type it is about.
_MAX_OTHERS = 8
# Places of uncertain type that the server is asked about one by one.
_MAX_LEFT = 100
_QUOTES = "'\"`"
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
# Languages that declare the type of every value.
_DECLARED = frozenset({"go", "java", "rust"})

# What values have that no file of a project defines.
_BUILT_IN = {
    name
    for module in (builtins, dt, io, logging, re, threading)
    for kind in vars(module).values()
    if isinstance(kind, type)
    for name in dir(kind)
} | set(
    """
    exists glob iterdir joinpath mkdir parent parents parts read_bytes read_text relative_to rglob
    stem suffix touch unlink with_name with_suffix write_bytes write_text
    """.split()
)

# What is put at each offset of a file.
FileEdits = dict[int, str]


@dataclass(slots=True)
class CheckedRename:
    """One rename that a server is asked about."""

    runtime: Runtime
    lookup: CodeLookup
    finder: Finder
    files: list[obstacles.RenamePlaces]
    new_name: str
    cancel: Cancel
    waiting: Callable[[str], None]
    edits: dict[WorkspacePath, FileEdits] = field(default_factory=dict)
    # Places of unknown type that are renamed because nothing else can have the member.
    assumed: list[str] = field(default_factory=list)
    _of_server: set[tuple[WorkspacePath, int]] = field(default_factory=set)
    _asked: set[tuple[WorkspacePath, int]] = field(default_factory=set)

    def plan(self, language: str) -> dict[WorkspacePath, FileEdits]:
        """Return the edits of each file; CannotApply says why there are none."""
        servers = self.runtime.language_servers
        with servers.ask(language, self._read, self.waiting, self.cancel) as server:
            shown = self._choose_shown(language)
            server.show({path: self._text(path) for path in shown})
            before = server.problems(shown)
            for path, start in self._definitions():
                if start not in self.edits.get(path, {}):
                    self._ask(server, path, start)
            self._join_own()
            self._ask_about_left(server)
            try:
                self._follow(server, shown, before)
            finally:
                with suppress(CannotApply):
                    server.show({path: self._text(path) for path in shown})
        return self.edits

    def _choose_shown(self, language: str) -> list[WorkspacePath]:
        """Return the files that hold the name or the name of a type that has it."""
        group = language_group(language)
        names = [self.finder.name, *self._owners()]
        rows = (row.path for name in names for row in self.lookup.users(name))
        found = dict.fromkeys([*(places.used.path for places in self.files), *rows])
        shown: list[WorkspacePath] = []
        left = _MAX_CHARACTERS
        for path in found:
            text = self._read(path) if obstacles.group_of_path(self.lookup, path) == group else None
            if text is not None and len(shown) < _MAX_SHOWN and len(text) <= left:
                shown.append(path)
                left -= len(text)
        return shown

    def _owners(self) -> set[str]:
        """Return the names of the types that have the member."""
        if not self.finder.is_member:
            return set()
        found = {
            symbol.qualified.rpartition(".")[0].rpartition(".")[2]
            for places in self.files
            if places.used.file is not None
            for symbol in places.used.file.symbols()
            if symbol.name == self.finder.name and symbol.line in _lines_of(places)
        }
        return {name for name in found if len(name) > 1}

    def _definitions(self) -> Iterator[tuple[WorkspacePath, int]]:
        """Yield where the symbol is defined: first where it was asked for, then what overrides."""
        home = self.finder.definitions[0]
        text = self._text(home.path)
        first = find_on_line(text, self.finder.name, home.line)
        if first is None:
            raise CannotApply(
                f"The line does not have the name {self.finder.name}: {self._label(home.path)}:"
                f"{home.line}"
            )
        bound = next((p.starts for p in self.files if p.used.path == home.path), set())
        on_line = [s for s in bound if line_of(text, s) == home.line]
        yield home.path, min(on_line, default=first)
        for places in self.files:
            file = places.used.file
            lines = {s.line for s in file.symbols() if s.name == self.finder.name} if file else ()
            for start in sorted(places.starts):
                if file is not None and line_of(file.text, start) in lines:
                    yield places.used.path, start

    def _ask(self, server: ServerConversation, path: WorkspacePath, start: int) -> bool:
        """Add what the server renames at a place; return whether that is more than before."""
        if (path, start) in self._asked:
            return False
        self._asked.add((path, start))
        count = len(self._of_server)
        for edit in server.rename(path, start, self.new_name):
            self._add(server.name, edit)
        return len(self._of_server) > count

    def _add(self, server: str, edit: ServerEdit) -> None:
        old, new = self.finder.name, self.new_name
        text = edit.text
        if not self.finder.is_member and text in (f"{new} as {old}", f"{old} as {new}"):
            text = new
        forms = (new, f"{new}: {old}", f"{old}: {new}", f"{new} as {old}", f"{old} as {new}")
        if self._text(edit.path)[edit.start : edit.end] != old or text not in forms:
            raise CannotApply(
                f"{server} answered an edit that does not fit: "
                f"{self._place(edit.path, edit.start)}",
                hint="nothing was changed; repeat the call, or use edit or rewrite",
            )
        self._of_server.add((edit.path, edit.start))
        self.edits.setdefault(edit.path, {})[edit.start] = text

    def _add_word(self, server: str, path: WorkspacePath, start: int) -> None:
        end = start + len(self.finder.name)
        self._add(server, ServerEdit(path, start, end, self.new_name))

    def _join_own(self) -> None:
        """Add the places that scopes, imports and declarations bind and the server left out."""
        for places in self.files:
            text = places.used.file.text if places.used.file is not None else ""
            for start in places.starts:
                if text.startswith(self.finder.name, start):
                    self.edits.setdefault(places.used.path, {}).setdefault(start, self.new_name)

    def _ask_about_left(self, server: ServerConversation) -> None:
        """Add places of uncertain type that the server takes to a definition that is renamed.

        A value that may be of several types is left out of what a server renames. Places that the
        server knows nothing about refuse the rename where every type is declared: it could not read
        all of the project. In Python another checker may know more: in files that name a type with
        the member, and everywhere if comments state signatures, which no server reads, they are
        renamed if nothing else can have the member, and refuse the rename otherwise.
        """
        undecided: list[tuple[WorkspacePath, int]] = []
        is_foreign = False
        for count, (path, start) in enumerate(self._left()):
            found = server.find(path, start, "definition") if count < _MAX_LEFT else []
            is_foreign = is_foreign or OUTSIDE in found
            if not found:
                undecided.append((path, start))
            elif any(each.start in self.edits.get(each.path, {}) for each in found):
                self._add_word(server.name, path, start)
        doubtful = [each for each in undecided if self._is_doubtful(each[0])]
        left = self._places(doubtful)
        if left and not is_foreign and self._is_only_member():
            for path, start in doubtful:
                self._add_word(server.name, path, start)
            self.assumed = left
        elif left:
            raise CannotApply(
                f"{server.name} does not know whether these refer to {self.finder.name}: "
                + ", ".join(left[: obstacles.MAX_NAMED]),
                hint=naming("{possible: true} renames them, {possible: false} leaves them"),
                details={"places": left},
            )

    def _is_doubtful(self, path: WorkspacePath) -> bool:
        """Return whether places of a file may be of the symbol if the server knows none of them."""
        home = self.finder.definitions[0].path
        group = obstacles.group_of_path(self.lookup, home)
        if group != "python" or not self.finder.is_member:
            return group in _DECLARED
        if obstacles.SIGNATURE_COMMENT.search(self._text(home)) is not None:
            return True
        names = "|".join(map(re.escape, self._owners()))
        return bool(names and re.search(rf"\b(?:{names})\b", self._text(path)))

    def _is_only_member(self) -> bool:
        """Return whether, in Python, only types whose member is renamed have one of the name."""
        home = self.finder.definitions[0].path
        if obstacles.group_of_path(self.lookup, home) != "python" or self.finder.name in _BUILT_IN:
            return False
        try:
            defined = self.lookup.all_definitions(self.finder.name)
        except LimitReached:
            return False
        found = (
            (file.path, find_on_line(file.text, self.finder.name, symbol.line))
            for file, symbol in defined
            if obstacles.group_of_path(self.lookup, file.path) == "python"
        )
        return all(at in self.edits.get(path, {}) for path, at in found)

    def _left(self) -> Iterator[tuple[WorkspacePath, int]]:
        """Yield the places that may refer to the symbol, and are not renamed yet."""
        for places in self.files:
            unlikely = {at for reference in places.used.seen for at in reference.unlikely}
            renamed = self.edits.get(places.used.path, {}).keys()
            for start in sorted(places.possible - unlikely - renamed):
                yield places.used.path, start

    def _follow(
        self,
        server: ServerConversation,
        shown: list[WorkspacePath],
        before: list[CheckerProblem] | None,
    ) -> None:
        """Have the checker judge the edits, and follow what it misses to further places."""
        if before is None:
            self._refuse_disagreement(server.name, [])
            return
        known = Counter(self._plain(problem) for problem in before)
        fresh = self._settle(server, shown, known)
        if fresh and self._ask_at_uses(server):
            fresh = self._settle(server, shown, known)
        for path, start in self._others() if fresh else ():
            kept = {each: dict(edits) for each, edits in self.edits.items()}, set(self._of_server)
            self._try(server, path, start)
            left = self._settle(server, shown, known) if self.edits != kept[0] else fresh
            if len(left) <= len(fresh) and left != fresh:
                fresh = left
            else:
                self.edits, self._of_server = kept
            if not fresh:
                break
        if fresh:
            self._refuse_disagreement(server.name, fresh)

    def _ask_at_uses(self, server: ServerConversation) -> bool:
        """Ask at renamed uses in scripts: a value of several types has the member of each."""
        is_more = False
        uses = sorted(each for each in self._of_server if each[0].name.endswith(_SCRIPTS))
        for path, start in uses[:_MAX_FOLLOWED] if self.finder.is_member else ():
            with suppress(CannotApply):
                is_more |= self._ask(server, path, start)
        return is_more

    def _settle(
        self,
        server: ServerConversation,
        shown: list[WorkspacePath],
        known: Counter[tuple[WorkspacePath, str]],
    ) -> list[CheckerProblem]:
        """Follow new problems as far as they lead; return those that are left."""
        fresh: list[CheckerProblem] = []
        for _ in range(_MAX_ROUNDS):
            checked = list(dict.fromkeys([*shown, *self.edits]))
            server.show({path: self._after(path) for path in checked})
            after = server.problems(checked) or []
            fresh = list(_subtract(after, known, self._plain))
            server.show({path: self._text(path) for path in checked})
            if not fresh or not self._follow_problems(server, fresh[:_MAX_FOLLOWED]):
                break
        return fresh

    def _others(self) -> Iterator[tuple[WorkspacePath, int]]:
        """Yield definitions of the name that only the shape of their types may join to it."""
        if not self.finder.is_member:
            return
        try:
            defined = self.lookup.all_definitions(self.finder.name)
        except LimitReached:
            return
        group = obstacles.group_of_path(self.lookup, self.finder.definitions[0].path)
        paths = dict.fromkeys([*(places.used.path for places in self.files), *self.edits])
        scripts = [
            path
            for path in paths
            if group == obstacles.group_of_path(self.lookup, path) == "javascript"
        ]
        name = re.escape(self.finder.name)
        as_text = rf"(?:\b(?:Omit|Pick)<[^;{{}}]*?|=\s*)(['\"])(?={name}\1)"
        found = [
            (path, each.end())
            for path in scripts
            for each in re.finditer(as_text, self._text(path))
        ]
        found += [
            (path, use.start)
            for path in scripts
            for use in self._word_uses(path)
            if use.parent.endswith("_signature") or is_shorthand(use.kind, use.parent)
        ]
        for file, symbol in defined:
            at = find_on_line(file.text, self.finder.name, symbol.line)
            if at is not None and group == obstacles.group_of_path(self.lookup, file.path):
                found.append((file.path, at))
        for path, at in list(dict.fromkeys(found))[:_MAX_OTHERS]:
            if at not in self.edits.get(path, {}):
                yield path, at

    def _follow_problems(self, server: ServerConversation, fresh: list[CheckerProblem]) -> bool:
        """Return whether a new problem leads to a place that is not renamed yet."""
        is_more = False
        for problem in fresh:
            start = self._before(problem.path, problem.start)
            end = self._before(problem.path, problem.end)
            text = self._text(problem.path)[start:end]
            if text.endswith(f".{self.finder.name}") and text.count("\n") == 0:
                start, text = end - len(self.finder.name), self.finder.name
            quote = text[:1] if text[:1] and text[:1] in _QUOTES else ""
            is_name = text == f"{quote}{self.finder.name}{quote}"
            if is_name and not quote and self._keep(problem.path, start):
                is_more = True
                continue
            if is_name and self._follow_place(server, problem.path, start + len(quote), quote):
                is_more = True
                continue
            if f'"{self.finder.name}"' in self._plain(problem)[1]:
                is_more |= self._follow_texts(server, problem.path, start, end)
            for path, at in self._members_named(problem.text):
                with suppress(CannotApply):
                    is_more |= self._ask(server, path, at)
        return is_more

    def _try(self, server: ServerConversation, path: WorkspacePath, start: int) -> None:
        """Rename what is defined or named by a text at a place; of `{ name }` only the key."""
        if (quote := self._text(path)[start - 1 : start]) and quote in _QUOTES:
            self._follow_place(server, path, start, quote)
            return
        if self._is_shorthand(path, start):
            self._of_server.add((path, start))
            self.edits.setdefault(path, {})[start] = f"{self.new_name}: {self.finder.name}"
            return
        with suppress(CannotApply):
            self._ask(server, path, start)

    def _keep(self, path: WorkspacePath, start: int) -> bool:
        """Keep what should not have been renamed at a place; return whether anything was."""
        return self._keep_value(path, start) or self._keep_own(path, start)

    def _keep_value(self, path: WorkspacePath, start: int) -> bool:
        """Rename only the key of `{ name }` where the server renamed it as a whole."""
        was_renamed = self.edits.get(path, {}).get(start) == self.new_name
        if not was_renamed or not self._is_shorthand(path, start):
            return False
        self.edits[path][start] = f"{self.new_name}: {self.finder.name}"
        return True

    def _keep_own(self, path: WorkspacePath, start: int) -> bool:
        """Rename nothing in a script at a place that only declarations bind, and not the server."""
        if (path, start) in self._of_server or start not in self.edits.get(path, {}):
            return False
        if not self.finder.is_member or not path.name.endswith(_SCRIPTS):
            return False
        del self.edits[path][start]
        return True

    def _is_shorthand(self, path: WorkspacePath, start: int) -> bool:
        """Return whether one word at a place names a member and a variable."""
        uses = self._word_uses(path)
        return any(use.start == start and is_shorthand(use.kind, use.parent) for use in uses)

    def _word_uses(self, path: WorkspacePath) -> list[WordUse]:
        """Return the places of the name in the code of a file."""
        file = self.lookup.open(path)
        if file is None or file.language is None:
            return []
        return self.runtime.analysis.word_uses(file.text, file.language, self.finder.name)

    def _follow_texts(
        self, server: ServerConversation, path: WorkspacePath, start: int, end: int
    ) -> bool:
        """Follow a problem about a text to the places on its lines that quote the name."""
        text = self._text(path)
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        quoted = re.compile(rf"(['\"`]){re.escape(self.finder.name)}\1")
        is_more = False
        for each in quoted.finditer(text, first, last if last >= 0 else len(text)):
            is_more |= self._follow_place(server, path, each.start() + 1, each[1])
        return is_more

    def _follow_place(
        self, server: ServerConversation, path: WorkspacePath, start: int, quote: str
    ) -> bool:
        if start in self.edits.get(path, {}):
            return False
        with suppress(CannotApply):
            self._ask(server, path, start)
        is_member = self._text(path)[start - 1 : start] == "."
        if start not in self.edits.get(path, {}) and (quote or is_member):
            # The checker looks it up by itself: it names the member.
            self._of_server.add((path, start))
            self.edits.setdefault(path, {})[start] = self.new_name
        return start in self.edits.get(path, {})

    def _members_named(self, message: str) -> Iterator[tuple[WorkspacePath, int]]:
        """Yield the members of the name in the types that a message names."""
        words = set(re.findall(r"[^\W\d][\w$]*", message))
        try:
            defined = self.lookup.all_definitions(self.finder.name)
        except LimitReached:
            return
        for file, symbol in defined:
            owner = symbol.qualified.rpartition(".")[0].rpartition(".")[2]
            start = find_on_line(file.text, self.finder.name, symbol.line)
            if owner in words and start is not None:
                yield file.path, start

    def _refuse_disagreement(self, server: str, fresh: list[CheckerProblem]) -> None:
        """Refuse what would leave a reference behind, with what either side would rename."""
        own = {
            (places.used.path, start)
            for places in self.files
            for start in places.starts
            if (places.used.file and places.used.file.text.startswith(self.finder.name, start))
        }
        theirs = self._places(self._of_server - own)
        lists = {"only_redline": self._places(own - self._of_server), f"only_{server}": theirs}
        listed = (
            f"; only {name} renames {', '.join(places[: obstacles.MAX_NAMED])}"
            for name, places in (("Redline", lists["only_redline"]), (server, theirs))
            if places
        )
        hint = f"nothing was changed; rename it with edit or rewrite{''.join(listed)}"
        if fresh:
            named = [self._place(each.path, self._before(each.path, each.start)) for each in fresh]
            raise CannotApply(
                f"{server} reports new problems after the rename, the first at {named[0]}: "
                f"{fresh[0].text.strip()[:300]}",
                hint=hint,
                details={"places": list(dict.fromkeys(named))[:200], **lists},
            )
        if lists["only_redline"]:
            raise CannotApply(
                f"{server} does not rename places that are bound to {self.finder.name}",
                hint=hint,
                details={"places": lists["only_redline"], **lists},
            )

    def _plain(self, problem: CheckerProblem) -> tuple[WorkspacePath, str]:
        """Return a problem as it would be under the old name."""
        new = rf"(?<!\w){re.escape(self.new_name)}(?!\w)"
        text = re.sub(new, lambda _: self.finder.name, problem.text.strip().partition("\n")[0])
        return problem.path, text

    def _after(self, path: WorkspacePath) -> str:
        return write_edits(self._text(path), self.edits.get(path, {}), len(self.finder.name))

    def _before(self, path: WorkspacePath, offset: int) -> int:
        """Return the offset before the edits for one after them."""
        shift, length = 0, len(self.finder.name)
        for start, text in sorted(self.edits.get(path, {}).items()):
            if offset < start + shift + len(text):
                return min(offset - shift, start) if offset >= start + shift else offset - shift
            shift += len(text) - length
        return offset - shift

    def _read(self, path: WorkspacePath) -> str | None:
        file = self.lookup.open(path)
        return file.text if file is not None else None

    def _text(self, path: WorkspacePath) -> str:
        text = self._read(path)
        if text is None:
            raise CannotApply(f"It cannot be read as text: {self._label(path)}")
        return text

    def _label(self, path: WorkspacePath) -> str:
        return display_name(self.runtime.workspace, path)

    def _place(self, path: WorkspacePath, start: int) -> str:
        return f"{self._label(path)}:{line_of(self._text(path), start)}"

    def _places(self, found: Iterable[tuple[WorkspacePath, int]]) -> list[str]:
        return sorted({self._place(path, start) for path, start in found})


def write_edits(text: str, edits: FileEdits, length: int) -> str:
    """Replace a word of that *length* at each offset."""
    parts: list[str] = []
    end = 0
    for start, new in sorted(edits.items()):
        parts += [text[end:start], new]
        end = start + length
    return "".join([*parts, text[end:]])


def find_mentions(text: str, name: str, known: Iterable[int], code: Iterable[int]) -> list[int]:
    """Return the lines that have a name where it is not code: in comments and strings."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    skipped = {*known, *code}
    lines = {line_of(text, m.start()) for m in word.finditer(text) if m.start() not in skipped}
    return sorted(lines)


def _subtract(
    after: list[CheckerProblem],
    known: Counter[tuple[WorkspacePath, str]],
    plain: Callable[[CheckerProblem], tuple[WorkspacePath, str]],
) -> Iterator[CheckerProblem]:
    """Yield the problems that were not there before."""
    left = Counter(known)
    for problem in after:
        key = plain(problem)
        if left[key] > 0:
            left[key] -= 1
        else:
            yield problem


def _lines_of(places: obstacles.RenamePlaces) -> set[int]:
    return {each.line for each in places.used.seen if any(bound for _, bound in each.at)}


def line_of(text: str, start: int) -> int:
    return text.count("\n", 0, start) + 1


def find_on_line(text: str, name: str, line: int) -> int | None:
    """Return the offset of the first occurrence of a name on a line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return None
    end = text.find("\n", start)
    found = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search(
        text, start, end if end >= 0 else len(text)
    )
    return found.start() if found is not None else None
