"""Read values from documents and query them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count

from redline.code.syntax.languages import language_of
from redline.core.errors import InvalidArgument, NodeNotFound, RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, Regex
from redline.core.records import dataclass, replace
from redline.core.wording import naming
from redline.documents import isolated
from redline.documents.base.model import MAX_BYTES, Slice
from redline.documents.base.path import Path
from redline.documents.editing import Options
from redline.documents.formats import named_format
from redline.documents.isolated import DocumentSource
from redline.documents.query import Match, RegexTest
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
        with suppress(NodeNotFound):
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
        except InvalidArgument:
            return  # there are no more
        yield each


def refuse_code(name: str, form: str | None, *, takes_format: bool = True) -> None:
    """Refuse a file of source code, which would be read as one YAML text; InvalidArgument.

    *takes_format* says that the caller has an argument for the format of a file.
    """
    language = language_of(name)
    if form is None and named_format(name) is None and language is not None:
        raise InvalidArgument(
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
    except RedlineError as error:
        error.details.setdefault("file", name)
        raise


def regex_test(regex: Regex, cancel: Cancel) -> RegexTest:
    """Return how the expressions inside a query are matched: by a worker that can be killed."""

    def test(pattern: str, text: str, whole: bool) -> bool:
        cancel.check()
        wrapped = f"^(?:{pattern})$" if whole else pattern
        return bool(regex.find(wrapped, text, flags="u", limit=1))

    return test
