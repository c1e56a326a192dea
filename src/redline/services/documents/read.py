"""Read values from documents and query them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from redline.code.syntax.languages import language_of
from redline.core.errors import InvalidArgument, RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel, Regex
from redline.documents import isolated
from redline.documents.base.model import MAX_BYTES, Slice
from redline.documents.base.path import Path
from redline.documents.editing import Options
from redline.documents.formats import named_format
from redline.documents.isolated import DocumentSource
from redline.documents.query import Match, RegexTest
from redline.services.names import display_name
from redline.services.runtime import Runtime

_COLLECTIONS = ("mapping", "sequence")


@dataclass(frozen=True, slots=True)
class FileMatch:
    """One node that an expression selects, and the name of its file."""

    file: str
    match: Match


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
    test = _regex_test(runtime.regex, cancel)
    return isolated.query(runtime.confined, source, expression, test, limit)


def query_files(
    runtime: Runtime,
    places: Sequence[WorkspacePath],
    expression: str,
    options: Options,
    limit: int,
    cancel: Cancel,
) -> tuple[list[FileMatch], int]:
    """Query several documents; *limit* holds for all of them together."""
    found: list[FileMatch] = []
    total = 0
    for place in places:
        cancel.check()
        name = display_name(runtime.workspace, place)
        with naming_file(name):
            source = open_document(runtime, place, options)
            matches, count = query_source(runtime, source, expression, limit - len(found), cancel)
        total += count
        found += [FileMatch(name, match) for match in matches]
    return found, total


def refuse_code(name: str, form: str | None) -> None:
    """Refuse a file of source code, which would be read as one YAML text; InvalidArgument."""
    language = language_of(name)
    if form is None and named_format(name) is None and language is not None:
        raise InvalidArgument(
            f"Not a YAML, JSON or TOML file but {language.name}: {name}",
            field="file",
            hint="name a document, or give its format",
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


def _regex_test(regex: Regex, cancel: Cancel) -> RegexTest:
    """Return how the expressions inside a query are matched: by a worker that can be killed."""

    def test(pattern: str, text: str, whole: bool) -> bool:
        cancel.check()
        wrapped = f"^(?:{pattern})$" if whole else pattern
        return bool(regex.find(wrapped, text, flags="u", limit=1))

    return test
