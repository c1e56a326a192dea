"""Move files and directories of Python, JavaScript or TypeScript; every import follows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from redline.code.moving.model import ImportUpdate, MovedFile
from redline.code.moving.python import (
    STATEMENT_RULE,
    FromStatement,
    PythonFile,
    Statement,
    module_stem,
    read_statement,
    source_of,
    update_python,
)
from redline.code.moving.script import spec_rule, update_script
from redline.code.python_js.imports import aliased_candidates, script_candidates
from redline.code.python_js.path_aliases import PathAliases
from redline.code.syntax.languages import Language, language_of
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.errors import Busy, CannotApply, InvalidArgument, ParserFailed, PathError
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.search import Cancel, GrepQuery
from redline.core.ports.tree import Kind
from redline.core.records import dataclass, field, replace
from redline.core.textfile import TextFile
from redline.services.names import display_name
from redline.services.runtime import Runtime

_PYTHON, _SCRIPTS = "python", ("javascript", "typescript", "tsx")
_GLOBS = {
    True: ("*.py", "*.pyi"),
    False: ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts"),
}
_MAX_LINES = 200_000
_MAX_NAMED = 12
_MAX_UNTOUCHED = 50
_COMPUTED = {
    True: r"\b(import_module|__import__)\(\s*[^'\"\s)]",
    False: r"\b(import|require)\(\s*[^'\"\s)]",
}
_PATHS = re.compile(r"['\"`](\.{1,2}/[^'\"`\n]+)['\"`]")
_IS_BINDING = {
    "assignment", "augmented_assignment", "for_statement", "for_in_clause", "parameters",
    "lambda_parameters", "typed_parameter", "default_parameter", "typed_default_parameter",
    "list_splat_pattern", "dictionary_splat_pattern", "pattern_list", "tuple_pattern",
    "list_pattern", "named_expression", "as_pattern_target", "function_definition",
    "class_definition", "global_statement", "nonlocal_statement", "delete_statement",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MovedImports:
    """The changes of other imports, the file's own content if it changes, and what is not known.

    `untouched` are places that may mean the file and were left: texts that name it, and imports
    whose name is computed.
    """

    change_set: ChangeSet
    count: int
    untouched: tuple[str, ...] = ()


def plan_moved_imports(
    runtime: Runtime, source: WorkspacePath, target: WorkspacePath, access: Access, cancel: Cancel
) -> MovedImports:
    """Plan what follows the move of *source* to *target*, which is not part of the change.

    The content of what moves is changed at *target*: the move comes first. CannotApply names
    the places that prevent the move.
    """
    entry = runtime.tree.stat(source)
    if entry is None or entry.kind is not Kind.DIRECTORY:
        is_python = _language_name(source) == _PYTHON
        return _Moving(runtime, source, target, access, cancel, is_python).plan()
    python, scripts = (
        _Moving(runtime, source, target, access, cancel, is_python, is_directory=True).plan()
        for is_python in (True, False)
    )
    return MovedImports(
        python.change_set + scripts.change_set,
        python.count + scripts.count,
        (*python.untouched, *scripts.untouched),
    )


def count_left_imports(
    runtime: Runtime, source: WorkspacePath, target: WorkspacePath, cancel: Cancel
) -> int:
    """Return how many imports name the old path after a move without them; 0 if unknown."""
    try:
        return plan_moved_imports(runtime, source, target, Access.READ, cancel).count
    except (InvalidArgument, CannotApply, PathError):
        return 0


@dataclass(slots=True)
class _Moving:
    runtime: Runtime
    source: WorkspacePath
    target: WorkspacePath
    access: Access
    cancel: Cancel
    is_python: bool
    is_directory: bool = False
    moved: MovedFile = field(init=False)
    _known: dict[WorkspacePath, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        aliases = PathAliases(self._read_config)
        self.moved = MovedFile(
            self.source,
            self.target,
            self._is_file,
            aliases=aliases,
            is_directory=self.is_directory,
        )

    def plan(self) -> MovedImports:
        self._check_names()
        self._check_aliases()
        candidates = self._candidates()
        if not candidates:
            return MovedImports(ChangeSet(), 0)
        if self.is_python:
            self.moved = replace(self.moved, source=self._source(candidates))
        steps: list[Change] = []
        obstacles: list[str] = []
        texts: dict[WorkspacePath, str] = {}
        count = 0
        for path in candidates:
            self.cancel.check()
            before = self.runtime.tree.state(path)
            if not isinstance(before, FileState) or before.content is None:
                continue
            file = open_file(self.runtime.tree, path, before.content)
            if file.is_binary:
                continue
            update = self._update(path, file)
            obstacles += self._describe(path, file.text, update)
            texts[path] = file.text
            if update.splices and not obstacles:
                texts[path] = update.apply(file.text)
                steps.append(self._change(path, before, file, texts[path]))
                count += len(set(update.splices))
        if obstacles:
            raise CannotApply(
                f"The move is prevented by: {'; '.join(obstacles[:_MAX_NAMED])}",
                hint="change these places first, or move without imports; nothing was changed",
                details={"places": obstacles},
            )
        return MovedImports(ChangeSet(tuple(steps)), count, tuple(self._list_untouched(texts)))

    def _check_names(self) -> None:
        if self.source.root != self.target.root:
            raise InvalidArgument("Imports do not follow to another root", field="imports")
        if self.is_directory:
            return
        old, new = _language_name(self.source), _language_name(self.target)
        entry = self.runtime.tree.stat(self.source)
        known = old in _SCRIPTS if new in _SCRIPTS else old == new == _PYTHON
        if not known or entry is None or entry.kind is not Kind.FILE:
            raise InvalidArgument(
                "Imports follow files of Python, JavaScript and TypeScript, and directories",
                field="imports",
                hint="move it without imports",
            )
        special = {"__init__", "__main__"} & {module_stem(self.source), module_stem(self.target)}
        if self.is_python and special:
            raise InvalidArgument(
                f"It is not a module that is imported by its name: {self.source.name}",
                field="imports",
                hint="move it without imports",
            )
        twin = self.source.parent.child(
            module_stem(self.source) + (".py" if self.source.name.endswith(".pyi") else ".pyi")
        )
        if self.is_python and self._is_file(twin):
            raise CannotApply(
                f"Another file is the same module: {self._name(twin)}",
                hint="move that one first, without imports",
            )

    def _check_aliases(self) -> None:
        """Refuse a script that a configuration names itself: no import says where it is."""
        for pattern, targets in self.moved.aliases.rules(self.source.parent).paths:
            if "*" not in pattern and not self.is_python:
                files = aliased_candidates(self.source, pattern, self.moved.aliases)
                if self.moved.moves(next(filter(self._is_file, files), None)) and targets:
                    raise CannotApply(
                        f"A configuration of TypeScript names the file as: {pattern}",
                        hint="change `paths` of tsconfig.json and move without imports",
                    )

    def _candidates(self) -> list[WorkspacePath]:
        """Return what moves, and the files whose text may import it."""
        own = {self.source}
        if self.is_directory:
            globs = _GLOBS[self.is_python]
            own = set(self.runtime.grep.files(self.source, globs, hidden=False, ignored=False))
            if not own:
                return []
        stem = module_stem(self.source) if self.is_python else self.source.name.split(".")[0]
        pattern = rf"\b{re.escape(stem)}\b"
        if stem == "index":
            above = re.escape(self.source.parent.name)
            pattern += r"|['\"/]\.{1,2}/?['\"]" + (rf"|\b{above}\b" if above else "")
        query = GrepQuery(
            pattern, include=_GLOBS[self.is_python], max_matches=_MAX_LINES, columns=False
        )
        top = WorkspacePath(self.source.root, ())
        found = self.runtime.grep.search([top], query, self.cancel)
        if found.timed_out or found.total > _MAX_LINES:
            raise CannotApply(
                f"Too many files hold the name {stem}", hint="move without imports, use rewrite"
            )
        return sorted({*own, *(line.place for line in found.lines)})

    def _source(self, candidates: Sequence[WorkspacePath]) -> tuple[str, ...] | None:
        """Return where most absolute imports begin that lead above the file; None without any."""
        found: Counter[tuple[str, ...]] = Counter()
        for path in candidates:
            language = language_of(path.name)
            content = self.runtime.tree.read(path)
            file = open_file(self.runtime.tree, path, content)
            if language is None or file.is_binary:
                continue
            parsed = self._python_file(path, file.text, language)
            for statement in parsed.statements:
                source = source_of(parsed, statement, self.moved)
                if source is not None and self.source.parts[: len(source)] == source:
                    found[source] += 1
        return found.most_common(1)[0][0] if found else None

    def _update(self, path: WorkspacePath, file: TextFile) -> ImportUpdate:
        language = language_of(path.name)
        if language is None:
            return ImportUpdate()
        try:
            if self.is_python:
                return update_python(self._python_file(path, file.text, language), self.moved)
            rule = spec_rule(language.name)
            found = self.runtime.analysis.structural(file.text, language, rule, None)
        except (ParserFailed, Busy) as error:
            raise CannotApply(
                f"It cannot be parsed: {self._name(path)} ({error.message})",
                hint="move without imports",
            ) from None
        return update_script(path, file.text, [(m.start, m.end) for m in found], self.moved)

    def _python_file(self, path: WorkspacePath, text: str, language: Language) -> PythonFile:
        analysis = self.runtime.analysis

        def chains(dotted: str) -> list[tuple[int, int]]:
            if dotted.split(".")[-1] not in text:
                return []
            exact = r"\s*\.\s*".join(map(re.escape, dotted.split(".")))
            rule = {"rule": {"kind": "attribute", "regex": f"^{exact}$"}}
            return [(m.start, m.end) for m in analysis.structural(text, language, rule, None)]

        def is_rebound(name: str) -> bool:
            return any(
                use.parent in _IS_BINDING for use in analysis.word_uses(text, language, name)
            )

        statements = self._statements(text, language)
        return PythonFile(path, text, statements, chains, is_rebound, self._package_binds)

    def _statements(self, text: str, language: Language) -> list[Statement]:
        found = self.runtime.analysis.structural(text, language, STATEMENT_RULE, None)
        return [read_statement(text, match.start, match.end) for match in found]

    def _package_binds(self, path: WorkspacePath, name: str) -> bool:
        """Return whether the file of a package binds *name*, so that it hides the module."""
        text = open_file(self.runtime.tree, path, self.runtime.tree.read(path)).text
        language = language_of(path.name)
        if language is None or name not in text:
            return False
        for statement in self._statements(text, language):
            for item in statement.names:
                bound = item.alias or item.name
                if not isinstance(statement, FromStatement) and not item.alias:
                    bound = bound.partition(".")[0]
                if bound == name:
                    return True
        uses = self.runtime.analysis.word_uses(text, language, name)
        return any(use.parent in _IS_BINDING for use in uses)

    def _describe(self, path: WorkspacePath, text: str, update: ImportUpdate) -> Iterator[str]:
        for obstacle in update.obstacles:
            line = text.count("\n", 0, obstacle.offset) + 1
            yield f"{self._name(path)}:{line} ({obstacle.reason})"

    def _change(self, path: WorkspacePath, before: FileState, file: TextFile, text: str) -> Change:
        language = language_of(path.name)
        if language is not None:
            issues = self.runtime.analysis.introduced_issues(file.text, text, language)
            if issues:
                raise CannotApply(f"{self._name(path)} would no longer parse: {issues[0].text}")
        after = FileState.of(file.with_text(text), before.mode)
        if self.moved.moves(path):
            return Change(self.moved.after(path), before, after)
        workspace = self.runtime.workspace
        place = workspace.resolve(workspace.absolute(path), self.access, must_exist=True)
        return Change(place, before, after)

    def _list_untouched(self, texts: dict[WorkspacePath, str]) -> Iterator[str]:
        """Yield the places that may mean the file and were left."""
        listed = [*self._mentions(texts), *self._list_computed()]
        yield from listed[:_MAX_UNTOUCHED]

    def _mentions(self, texts: dict[WorkspacePath, str]) -> Iterator[str]:
        """Yield the lines that still name the file by its old name."""
        words = self._module_words()
        dotted = re.compile(rf"\b{re.escape('.'.join(words))}\b")
        for path, text in texts.items():
            for number, line in enumerate(text.splitlines(), 1):
                if self.is_python:
                    is_named = len(words) > 1 and dotted.search(line) is not None
                else:
                    is_named = any(self._means(path, spec) for spec in _PATHS.findall(line))
                if is_named:
                    yield f"{self._name(path)}:{number}"

    def _means(self, path: WorkspacePath, spec: str) -> bool:
        after = self.moved.after(path)
        return any(map(self.moved.moves, script_candidates(after, spec))) and not any(
            map(self.moved.is_file_after, script_candidates(after, spec))
        )

    def _module_words(self) -> Sequence[str]:
        """Return the words of the module's old name, from its outermost package."""
        folder = self.source.parent
        while folder.parts and self._is_file(folder.child("__init__.py")):
            folder = folder.parent
        return (*self.source.parts[len(folder.parts) : -1], module_stem(self.source))

    def _list_computed(self) -> Iterator[str]:
        query = GrepQuery(
            _COMPUTED[self.is_python],
            include=_GLOBS[self.is_python],
            max_matches=_MAX_UNTOUCHED,
            columns=False,
        )
        top = WorkspacePath(self.source.root, ())
        for line in self.runtime.grep.search([top], query, self.cancel).lines:
            if line.is_match:
                yield f"{self._name(line.place)}:{line.line} (computed)"

    def _read_config(self, path: WorkspacePath) -> str | None:
        if not self._is_file(path):
            return None
        return open_file(self.runtime.tree, path, self.runtime.tree.read(path)).text

    def _is_file(self, path: WorkspacePath) -> bool:
        if path not in self._known:
            entry = self.runtime.tree.stat(path)
            self._known[path] = entry is not None and entry.kind is Kind.FILE
        return self._known[path]

    def _name(self, path: WorkspacePath) -> str:
        return display_name(self.runtime.workspace, path)


def _language_name(path: WorkspacePath) -> str:
    language = language_of(path.name)
    return language.name if language is not None else ""
