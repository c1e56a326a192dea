"""Lines of contents that match an ECMAScript regex.

ripgrep searches where the pattern means the same to it; otherwise the files are read and go, some
megabytes at a time, through the regex worker. Both ways give the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TypeAlias

from redline.core.encodings.opening import open_file
from redline.core.errors import InvalidPattern, RedlineError, TimeLimit
from redline.core.paths import WorkspacePath, outermost
from redline.core.ports import search
from redline.core.ports.tree import Folder, Tree
from redline.core.records import dataclass, replace
from redline.core.textfile import BOM, is_utf8
from redline.search import found_lines
from redline.search.es_regex import Translation, check_pattern, translate
from redline.search.globs import Matcher
from redline.search.walk import Excludes, below, in_tree_order

_BATCH = 4 << 20
_DEADLINE = 30.0
_ATTEMPTS = 4
_File: TypeAlias = tuple[int, str]
"""A root, and the path below it."""


@dataclass(frozen=True, slots=True)
class Base:
    """A directory to search, or one file; `selects` tests paths relative to it, None takes all."""

    path: WorkspacePath
    selects: Matcher | None = None
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Which files to search: beneath any base, and not left out; excludes count from `top`."""

    bases: tuple[Base, ...]
    top: WorkspacePath
    excludes: Excludes

    def wants(self, path: WorkspacePath) -> bool:
        """Return whether to search a file."""
        return any(self._selects(base, path) for base in self.bases) and not self._left_out(path)

    def places(self) -> list[WorkspacePath]:
        """Return the bases without those that lie in another one."""
        return outermost(base.path for base in self.bases)

    def files(self, tree: Tree, cancel: search.Cancel) -> Iterator[WorkspacePath]:
        """Yield every file to be searched, in tree order within each base."""
        single = {base.path for base in self.bases if base.is_file}
        for place in sorted(self.places()):
            if place in single:
                yield place
                continue
            found: list[str] = []
            for folder in tree.walk(place):
                cancel.check()
                found += [folder.prefix + name for name in folder.files]
            for relative in in_tree_order(found):
                path = below(place, relative)
                if self.wants(path):
                    yield path

    def links(self, tree: Tree, cancel: search.Cancel) -> Iterator[WorkspacePath]:
        """Yield every symbolic link that would be searched if it were a file."""
        single = {base.path for base in self.bases if base.is_file}
        for place in self.places():
            for folder in self._folders(tree, place) if place not in single else ():
                cancel.check()
                for name in folder.links:
                    path = below(place, folder.prefix + name)
                    if self.wants(path):
                        yield path

    def _folders(self, tree: Tree, place: WorkspacePath) -> Iterator[Folder]:
        """Yield the directories from *place* down that may hold something to search."""
        if not self.excludes.any:
            return tree.walk(place)
        enters = self.excludes.enter
        return tree.walk(place, enter=lambda name: enters(self._from_top(below(place, name))))

    def is_empty(self, tree: Tree, cancel: search.Cancel) -> bool:
        """Return whether there is nothing to search; the first file that is wanted settles it."""
        single = {base.path for base in self.bases if base.is_file}
        if any(map(self.wants, single)):
            return False
        for place in self.places():
            for folder in tree.walk(place) if place not in single else ():
                cancel.check()
                for name in folder.files:
                    if self.wants(below(place, folder.prefix + name)):
                        return False
        return True

    def _selects(self, base: Base, path: WorkspacePath) -> bool:
        if not path.is_beneath(base.path):
            return False
        if base.selects is None:
            return True
        return base.selects("/".join(path.parts[len(base.path.parts) :]))

    def _left_out(self, path: WorkspacePath) -> bool:
        if not self.excludes.any:
            return False
        return self.excludes.below(self._from_top(path))

    def _from_top(self, path: WorkspacePath) -> str:
        """Return what excludes are compared with."""
        inside = path.is_beneath(self.top)
        return "/".join(path.parts[len(self.top.parts) :] if inside else path.parts)


@dataclass(frozen=True, slots=True)
class ContentQuestion:
    """What to look for and how much of it to show."""

    regex: str
    ignore_case: bool = False
    context: int = 0
    cap: int = 500


class ContentSearch:
    """One question over one scope."""

    def __init__(
        self, tree: Tree, regex: search.Regex, grep: search.Grep, cancel: search.Cancel
    ) -> None:
        self._tree = tree
        self._regex = regex
        self._grep = grep
        self._cancel = cancel

    def run(self, question: ContentQuestion, scope: SearchScope) -> found_lines.ContentFound:
        """Return the answer, by either engine; InvalidPattern, TimeLimit.

        Of a line that is too long to be shown whole, the part around its match is.
        """
        found = self._find(question, scope)
        whole = found_lines.WholeLines(self._tree)
        lines = tuple(self._around_match(question, line, whole.read(line)) for line in found.lines)
        return replace(found, lines=lines)

    def _find(self, question: ContentQuestion, scope: SearchScope) -> found_lines.ContentFound:
        check_pattern(question.regex)
        translation = translate(question.regex, ignore_case=question.ignore_case)
        if translation is not None:
            found = self._by_ripgrep(question, scope, translation)
            if found is not None:
                return found
        return self.by_worker(question, scope)

    def _around_match(
        self, question: ContentQuestion, line: search.GrepLine, whole: bytes | None
    ) -> search.GrepLine:
        if whole is None:
            return line
        text = whole.decode("utf-8", "surrogateescape")
        at = 0
        if line.is_match:
            self._cancel.check()
            found = self._regex.find(question.regex, text, flags=_flags(question), limit=1)
            at = found[0].start if found else 0
        start, end = found_lines.cut_around(text, at, found_lines.MAX_LINE)
        before = f"[{start} characters cut]" if start else ""
        after = f"[{len(text) - end} characters cut]" if end < len(text) else ""
        return line._replace(text=before + text[start:end] + after)

    def _by_ripgrep(
        self, question: ContentQuestion, scope: SearchScope, how: Translation
    ) -> found_lines.ContentFound | None:
        """Return what ripgrep finds; None when its answer cannot be shown to be the right one.

        One line more than asked for is looked at: if it matches, there are too many.
        """
        try:
            result = self._without_binary(question, scope, how)
        except InvalidPattern:  # too big for it, perhaps; the other engine decides
            return None
        if result is None or not self._verify(question, result.lines, how):
            return None
        found = found_lines.cut_to_cap(result.lines, question.cap, question.context)
        return replace(found, undecoded=result.undecoded)

    def _without_binary(
        self, question: ContentQuestion, scope: SearchScope, how: Translation
    ) -> search.GrepResult | None:
        """Lines that ripgrep finds in files that begin without NUL; None when in doubt."""
        if how.is_plain:
            result = self._ripgrep_once(question, scope, how, search.Binary.NAME)
            named = {(path.root, "/".join(path.parts)) for path in result.binary}
            # A NUL further on does not make a file binary.
            if self._binary_among(named) == named:
                return result
        binary: set[_File] = set()
        for _ in range(_ATTEMPTS):
            result = self._ripgrep_once(question, scope, how, search.Binary.TEXT, frozenset(binary))
            spoiled = self._binary_among({line[:2] for line in result.lines})
            if not spoiled:
                return result
            if result.total <= question.cap:
                lines = tuple(line for line in result.lines if line[:2] not in spoiled)
                return replace(result, lines=lines)
            binary |= spoiled
        return None

    def _binary_among(self, files: set[_File]) -> set[_File]:
        return {
            (root, name)
            for root in {root for root, _ in files}
            for name in self._grep.binary_among(root, [name for at, name in files if at == root])
        }

    def _ripgrep_once(
        self,
        question: ContentQuestion,
        scope: SearchScope,
        how: Translation,
        with_nul: search.Binary,
        left_out: frozenset[_File] = frozenset(),
    ) -> search.GrepResult:
        def wants(root: int, relative: str) -> bool:
            if (root, relative) in left_out:
                return False
            return scope.wants(WorkspacePath(root, tuple(relative.split("/"))))

        all_of_it = all(base.selects is None for base in scope.bases)
        plain = all_of_it and not left_out and not scope.excludes.any
        query = search.GrepQuery(
            how.pattern,
            context=question.context,
            max_matches=question.cap + 1,
            hidden=True,
            ignored=True,
            deadline=_DEADLINE,
            longest_line=found_lines.MAX_LINE,
            columns=False,
            counts=False,
            binary=with_nul,
            wanted=None if plain else wants,
        )
        result = self._grep.search(scope.places(), query, self._cancel)
        if result.timed_out:
            raise _late()
        return result

    def _verify(
        self, question: ContentQuestion, found: Sequence[search.GrepLine], how: Translation
    ) -> bool:
        """Return whether the ECMAScript engine agrees about every line that is in doubt."""
        if not how.returns and not how.loose:
            return True
        lines = [
            line.text
            for line in found
            if line.is_match and (how.returns or not line.text.isascii())
        ]
        if not lines:
            return True
        text = "\n".join(lines).encode("utf-8", "surrogateescape")
        agreed = self._regex.matching_lines(question.regex, [text], flags=_flags(question))
        return len(agreed[0]) == len(lines)

    def by_worker(self, question: ContentQuestion, scope: SearchScope) -> found_lines.ContentFound:
        """Return the answer of the ECMAScript engine alone."""
        self._regex.check(question.regex, _flags(question))
        end = monotonic() + _DEADLINE
        lines: list[search.GrepLine] = []
        undecoded: list[WorkspacePath] = []
        left = question.cap + 1
        for batch in self._batches(scope, None if question.regex.isascii() else undecoded):
            self._cancel.check()
            if monotonic() > end:
                raise _late()
            texts = [content for _, content in batch]
            answers = self._regex.matching_lines(
                question.regex, texts, flags=_flags(question), limit=left
            )
            for (path, content), numbers in zip(batch, answers, strict=True):
                most = max(left - 1, 0)
                lines += found_lines.lines_with_context(
                    path, content, numbers, most, question.context
                )
                left -= len(numbers)
            if left <= 0:
                return found_lines.ContentFound(tuple(lines), True, tuple(undecoded))
        return found_lines.ContentFound(tuple(lines), False, tuple(undecoded))

    def _batches(
        self, scope: SearchScope, undecoded: list[WorkspacePath] | None
    ) -> Iterator[list[tuple[WorkspacePath, bytes]]]:
        """Yield texts to search; add to *undecoded* those whose encoding is not certain."""
        batch: list[tuple[WorkspacePath, bytes]] = []
        size = 0
        for path in scope.files(self._tree, self._cancel):
            try:
                file = open_file(self._tree, path, self._tree.read(path, found_lines.LARGEST))
                content = file.view
            except RedlineError:  # gone, unreadable or huge: grep goes on with the next
                continue
            if file.is_binary:
                continue
            if undecoded is not None and not file.is_foreign and not is_utf8(content):
                undecoded.append(path)
            batch.append((path, content.removeprefix(BOM)))
            size += len(content)
            if size >= _BATCH:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _flags(question: ContentQuestion) -> str:
    """Lines are searched one by one, so `^` and `$` need not look for line ends."""
    return "i" if question.ignore_case else ""


def _late() -> TimeLimit:
    return TimeLimit(
        f"The search took longer than {_DEADLINE:g} s and was stopped",
        hint="search a smaller directory, or narrow it with globs",
    )
