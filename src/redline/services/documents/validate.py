"""Check documents against a JSON Schema: the one given, or the one they name themselves."""

from __future__ import annotations

from redline.core.errors import DocumentSyntax, InvalidArgument, NotFound, PathError
from redline.core.paths import Access, WorkspacePath
from redline.core.records import dataclass
from redline.documents import isolated
from redline.documents.base.model import MAX_BYTES
from redline.documents.editing import Options
from redline.documents.schema import Problem, is_dialect, syntax_problem
from redline.services.documents.read import naming_file, open_document
from redline.services.names import display_name
from redline.services.runtime import Runtime


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
    except DocumentSyntax as error:
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
    except PathError as error:
        raise _cannot_use(named, error.message) from None
    return display_name(runtime.workspace, found)


def _cannot_use(named: str, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"The document names a schema that cannot be used ({why}): {named}",
        field="schema",
        hint="give schema: the path of a schema file in the workspace",
    )


def _read_schema(runtime: Runtime, name: str) -> bytes:
    try:
        place = runtime.workspace.resolve(name, Access.READ, must_exist=True)
        return runtime.tree.read(place, MAX_BYTES)
    except NotFound as error:
        raise InvalidArgument(f"No such schema file: {error.path}", field="schema") from None
