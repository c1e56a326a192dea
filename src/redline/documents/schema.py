"""JSON Schema 2020-12 over any format, each problem with its line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from redline.core.errors import DocumentSyntax, InvalidArgument, NodeNotFound
from redline.core.records import dataclass
from redline.core.text_limits import shorten
from redline.documents.base.model import Document
from redline.documents.base.path import Path, render_path
from redline.documents.formats import detect, open_document
from redline.documents.query import plain_data

_MODELINE = re.compile(
    rb"^[ \t]*(?:#|//)[ \t]*(?:yaml-language-server:|:schema)[ \t]*(?:\$schema=)?(\S+)",
    re.MULTILINE,
)
_BASE = "workspace:///"
_MAX_MESSAGE_CHARS = 403
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
# The validator knows these without fetching anything.
_DIALECTS = frozenset(
    [
        *(f"http://json-schema.org/draft-0{number}/schema" for number in (4, 6, 7)),
        "https://json-schema.org/draft/2019-09/schema",
        _DRAFT,
    ]
)
MOST = 200
# How far a pattern of a schema may backtrack before it counts as no match.
_BACKTRACKING = 100_000


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; line and column are None where there is no place."""

    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None


def syntax_problem(error: DocumentSyntax) -> Problem:
    """Return a parse error as a problem."""
    return Problem(error.message, "", error.line, error.column)


def named_schema(document: Document) -> str | None:
    """Return the schema a document names itself: a modeline in its first lines, or `$schema`."""
    head = b"\n".join(document.source[:4096].split(b"\n")[:10])
    match = _MODELINE.search(head)
    if match:
        return match[1].decode("utf-8", "replace")
    if not _has_key(document, "$schema"):
        return None
    data = document.data()
    named = data.get("$schema") if isinstance(data, dict) else None
    return named if isinstance(named, str) else None


def _has_key(document: Document, key: str) -> bool:
    """Return whether a document has a key at its top, found without reading its values."""
    try:
        document.get((key,))
    except NodeNotFound:
        return False
    return True


def check(
    document: Document, schema_name: str, read: Callable[[str], bytes]
) -> tuple[list[Problem], int]:
    """What the schema file *schema_name* finds wrong: the first problems, and how many in all.

    *read* gives the bytes of a file by its path from the workspace; nothing else is fetched.
    """
    import jsonschema_rs

    if is_dialect(schema_name):
        return _check_as_schema(document, schema_name)
    schema = _load(schema_name, read)
    if isinstance(schema, dict) and schema.get("$schema", _DRAFT) in (_DRAFT, _DRAFT + "#"):
        schema = {**schema, "$schema": _DRAFT}
    if not isinstance(schema, dict | bool):
        raise _unusable(schema_name, "it is no object and no boolean")
    try:
        validator = jsonschema_rs.validator_for(
            schema,
            base_uri=_BASE + schema_name,
            retriever=lambda uri: _retrieve(uri, read),
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKING),
        )
    except (jsonschema_rs.ValidationError, ValueError) as error:
        raise _unusable(schema_name, str(error).strip().splitlines()[0]) from None
    errors = list(validator.iter_errors(plain_data(document)))
    return [_problem(document, error) for error in errors[:MOST]], len(errors)


def is_dialect(name: str) -> bool:
    """Return whether a schema's name is the address of a draft of JSON Schema that we have here."""
    return name.removesuffix("#") in _DIALECTS


def _check_as_schema(document: Document, dialect: str) -> tuple[list[Problem], int]:
    """What is wrong with a document that is a JSON Schema; the first problem alone is known."""
    import jsonschema_rs

    try:
        jsonschema_rs.meta.validate(plain_data(document))
    except jsonschema_rs.ValidationError as error:
        return [_problem(document, error)], 1
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        raise _unusable(dialect, str(error).strip().splitlines()[0]) from None
    return [], 0


def _unusable(name: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"Not a usable JSON Schema: {name}: {why}", field="schema")


def _load(name: str, read: Callable[[str], bytes]) -> Any:
    source = read(name)
    try:
        return plain_data(open_document(source, detect(name, source)))
    except DocumentSyntax as error:
        raise InvalidArgument(
            f"Schema does not parse: {name}: {error.message}", field="schema"
        ) from None


def _retrieve(uri: str, read: Callable[[str], bytes]) -> Any:
    if not uri.startswith(_BASE):
        raise ValueError(f"only files of the workspace are read, not {uri}")
    return _load(uri.removeprefix(_BASE), read)


def _problem(document: Document, error: Any) -> Problem:
    path: Path = tuple(error.instance_path)
    message = shorten(str(error.message), _MAX_MESSAGE_CHARS)
    while True:
        try:
            found = document.get(path)
        except NodeNotFound:
            if not path:
                return Problem(message)
            path = path[:-1]
            continue
        return Problem(message, render_path(tuple(error.instance_path)), found.line, found.column)
