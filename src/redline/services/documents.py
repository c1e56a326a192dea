"""Structured documents (YAML, JSON, TOML): read and query values, validate and edit them.

Every byte that an edit does not touch stays. Several files change together or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count

from redline.code.syntax.languages import language_of
from redline.core import errors
from redline.core.changes import ChangeSet, FileState
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.core.ports.search import Cancel, Regex
from redline.core.records import dataclass, replace
from redline.core.wording import join_texts, naming
from redline.documents import isolated
from redline.documents.base.model import MAX_BYTES, Slice
from redline.documents.base.path import Path
from redline.documents.editing import DocEdit, Options, change_of
from redline.documents.formats import named_format
from redline.documents.isolated import DocumentSource, apply_edits
from redline.documents.query import Match, RegexTest
from redline.documents.schema import Problem, is_dialect, syntax_problem
from redline.plan.describe import Label
from redline.services.commit import Planned, commit_plan
from redline.services.names import display_name
from redline.services.runtime import Runtime

# What begins another document of a YAML file.
_SEPARATOR = re.compile(rb"^---(?:\s|$)", re.MULTILINE)
_COLLECTIONS = ("mapping", "sequence")


@dataclass(frozen=True, slots=True)
class FileMatch:
    """One node that an expression selects, and the name of its file."""

    file: str
    match: Match
    document: int = 0


def open_document(runtime: Runtime, place: WorkspacePath, options: Options) -> DocumentSource:
    """Read the file and find out its format; nothing is parsed yet."""
    data = runtime.tree.read(place, MAX_BYTES)
    name = display_name(runtime.workspace, place)
    form = isolated.detect(runtime.confined, name, data, options.form)
    return DocumentSource(data, form, options.index)


def read_value(runtime: Runtime, source: DocumentSource, path: Path) -> Slice:
    """Return the source text of the value at *path*; NodeNotFound."""
    return isolated.read(runtime.confined, source, path)


def query_source(
    runtime: Runtime, source: DocumentSource, expression: str, limit: int, cancel: Cancel
) -> tuple[list[Match], int]:
    """Return the first *limit* nodes that a JSONPath expression selects, and how many there are."""
    test = regex_test(runtime.regex, cancel)
    return isolated.query(runtime.confined, source, expression, test, limit)


def query_files(
    runtime: Runtime,
    places: Sequence[WorkspacePath],
    expression: str,
    options: Options,
    limit: int,
    cancel: Cancel,
    *,
    every_document: bool = False,
) -> tuple[list[FileMatch], int]:
    """Query several documents; *limit* holds for all of them together.

    *every_document* also asks the other documents of YAML files.
    """
    found: list[FileMatch] = []
    total = 0
    for place in places:
        cancel.check()
        name = display_name(runtime.workspace, place)
        with naming_file(name):
            first = open_document(runtime, place, options)
            for source in _documents_of(runtime, first) if every_document else (first,):
                cancel.check()
                left = limit - len(found)
                matches, counted = query_source(runtime, source, expression, left, cancel)
                total += counted
                found += [FileMatch(name, match, source.index) for match in matches]
    return found, total


def find_document(runtime: Runtime, source: DocumentSource, path: Path) -> int | None:
    """Return the first document of a YAML file that has a value at *path*; None if none has."""
    for each in _documents_of(runtime, source):
        with suppress(errors.NodeNotFound):
            read_value(runtime, each, path)
            return each.index
    return None


def has_several(source: DocumentSource) -> bool:
    """Return whether a file may hold more than one document."""
    return source.form == "yaml" and _SEPARATOR.search(source.data) is not None


def _documents_of(runtime: Runtime, source: DocumentSource) -> Iterator[DocumentSource]:
    """Return every document of a file."""
    yield replace(source, index=0)
    for index in count(1) if has_several(source) else ():
        each = replace(source, index=index)
        try:
            read_value(runtime, each, ())
        except errors.InvalidArgument:
            return  # there are no more
        yield each


def refuse_code(name: str, form: str | None, *, takes_format: bool = True) -> None:
    """Refuse a file of source code, which would be read as one YAML text; InvalidArgument.

    *takes_format* says that the caller has an argument for the format of a file.
    """
    language = language_of(name)
    if form is None and named_format(name) is None and language is not None:
        raise errors.InvalidArgument(
            f"Not a YAML, JSON or TOML file but {language.name}: {name}",
            field="file",
            hint=naming("name a document, or give its {format}")
            if takes_format
            else "name a document",
        )


def as_own_document(found: Slice) -> str:
    """Return a value's source so that it parses alone: further lines lose its indentation."""
    margin = " " * (found.column - 1)
    first, *rest = found.text.split("\n")
    if found.kind not in _COLLECTIONS or not margin:
        return found.text
    return "\n".join([first, *(line.removeprefix(margin) for line in rest)])


@contextmanager
def naming_file(name: str) -> Iterator[None]:
    """Add the file's name to the details of errors raised inside."""
    try:
        yield
    except errors.RedlineError as error:
        error.details.setdefault("file", name)
        raise


def regex_test(regex: Regex, cancel: Cancel) -> RegexTest:
    """Return how the expressions inside a query are matched: by a worker that can be killed."""

    def test(pattern: str, text: str, whole: bool) -> bool:
        cancel.check()
        wrapped = f"^(?:{pattern})$" if whole else pattern
        return bool(regex.find(wrapped, text, flags="u", limit=1))

    return test


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """One file before and after the edits, and what is worth mentioning."""

    place: WorkspacePath
    name: str
    before: FileState
    after: bytes
    notes: tuple[str, ...]

    @property
    def source(self) -> bytes:
        """The bytes that the edits started from."""
        return self.before.content or b""

    @property
    def is_changed(self) -> bool:
        """Whether the edits made any difference."""
        return self.after != self.before.content


@dataclass(frozen=True, slots=True)
class EditedDocuments:
    """Every file of one call; `operation` is None for a dry run."""

    files: tuple[EditedDocument, ...]
    operation: Operation | None = None

    @property
    def changed(self) -> list[EditedDocument]:
        """The files that the edits made different."""
        return [file for file in self.files if file.is_changed]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth mentioning about the files and the commit."""
        committed = self.operation.notes if self.operation is not None else ()
        return (*(note for file in self.files for note in file.notes), *committed)

    @property
    def change_set(self) -> ChangeSet:
        """The changes of all files as one."""
        changes = ChangeSet()
        for file in self.changed:
            changes += change_of(file.place, file.before, file.after)
        return changes


def edit_documents(
    runtime: Runtime,
    places: Sequence[WorkspacePath],
    edits: Sequence[DocEdit],
    options: Options,
    label: Label,
    origin: Origin,
    cancel: Cancel,
) -> EditedDocuments:
    """Carry out all edits in every file as one operation; *label* names files in errors."""

    def plan() -> Planned[EditedDocuments]:
        planned = plan_edits(runtime, places, edits, options, label, cancel)
        return Planned(planned.change_set, planned)

    made = commit_plan(runtime.editor, plan, origin, cancel)
    return EditedDocuments(made.detail.files, made.operation)


def plan_edits(
    runtime: Runtime,
    places: Sequence[WorkspacePath],
    edits: Sequence[DocEdit],
    options: Options,
    label: Label,
    cancel: Cancel,
) -> EditedDocuments:
    """Return what `edit_documents` would do."""
    files: list[EditedDocument] = []
    for place in places:
        cancel.check()
        name = label(place)
        try:
            before = _require_file(runtime, place, name)
            test = regex_test(runtime.regex, cancel)
            source = before.content or b""
            done = apply_edits(runtime.confined, name, source, edits, options, test)
            files.append(EditedDocument(place, name, before, done.after, done.notes))
        except errors.DocumentError as error:
            if len(places) > 1:
                error.details.setdefault("file", name)
                error.message = join_texts(error.message_text, f" (in {name}; nothing was changed)")
            raise
    return EditedDocuments(tuple(files))


def _require_file(runtime: Runtime, place: WorkspacePath, name: str) -> FileState:
    before = runtime.tree.state(place)
    if not isinstance(before, FileState):
        raise (
            errors.NotFound(name) if runtime.tree.stat(place) is None else errors.IsADirectory(name)
        )
    return before


@dataclass(frozen=True, slots=True)
class Validation:
    """What is wrong with one file; `schema` is None where none applies."""

    file: str
    schema: str | None
    problems: list[Problem]


def validate_file(
    runtime: Runtime, place: WorkspacePath, options: Options, schema: str | None
) -> Validation:
    """Check one file; a syntax error is one of its problems."""
    name = display_name(runtime.workspace, place)
    try:
        source = open_document(runtime, place, options)
        with naming_file(name):
            own = isolated.named_schema(runtime.confined, source)
        used = schema if schema is not None else _own_schema(runtime, own, place)
        if used is None:
            return Validation(name, None, [])
        found, total = isolated.validate(
            runtime.confined, source, used, lambda file: _read_schema(runtime, file)
        )
    except errors.DocumentSyntax as error:
        return Validation(name, None, [syntax_problem(error)])
    if total > len(found):
        found.append(Problem(f"{total - len(found)} more problems"))
    return Validation(name, used, found)


def _own_schema(runtime: Runtime, named: str | None, place: WorkspacePath) -> str | None:
    """Return the schema a document names, as a path from the workspace; None if it names none.

    Only files are read, never an address. InvalidArgument when the schema is not in the workspace:
    "valid" would be a guess.
    """
    if named is None or named.startswith(("#", "none")):
        return None
    if is_dialect(named):
        return named
    if "://" in named:
        raise _cannot_use(named, "only files of the workspace are read")
    folder = runtime.workspace.absolute(WorkspacePath(place.root, place.parent.parts))
    try:
        found = runtime.workspace.resolve(
            f"{folder}/{named.partition('#')[0]}", Access.READ, must_exist=True
        )
    except errors.PathError as error:
        raise _cannot_use(named, error.message) from None
    return display_name(runtime.workspace, found)


def _cannot_use(named: str, why: str) -> errors.InvalidArgument:
    return errors.InvalidArgument(
        f"The document names a schema that cannot be used ({why}): {named}",
        field="schema",
        hint="give schema: the path of a schema file in the workspace",
    )


def _read_schema(runtime: Runtime, name: str) -> bytes:
    try:
        place = runtime.workspace.resolve(name, Access.READ, must_exist=True)
        return runtime.tree.read(place, MAX_BYTES)
    except errors.NotFound as error:
        raise errors.InvalidArgument(f"No such schema file: {error.path}", field="schema") from None
