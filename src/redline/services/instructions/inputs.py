"""A document in a file of the workspace, with every number as it is written there."""

from __future__ import annotations

from dataclasses import dataclass

from redline.core.changes import digest_of
from redline.core.errors import DocumentSyntax, LimitReached, TooLarge
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.confined import Confined
from redline.instruct.values import Value, parse
from redline.services.runtime import Runtime

MAX_DOCUMENT = 1_000_000
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Source:
    """A document and where it came from; `raw` are a file's bytes."""

    document: Value
    document_hash: str
    file: str = ""
    path: WorkspacePath | None = None
    raw: bytes = b""
    form: str = "json"


def file_source(runtime: Runtime, file: str, access: Access = Access.READ) -> Source:
    """A JSON or JSONC file of the workspace, as it is now."""
    path = runtime.workspace.resolve(file, access, must_exist=True)
    raw = runtime.tree.read(path, limit=MAX_DOCUMENT * 4)
    check_size(len(raw), "document_path")
    form = form_of(runtime.confined, file, raw)
    document = read_document(raw, form)
    check_depth(document)
    return Source(document, digest_of(raw), file, path, raw, form)


def form_of(confined: Confined, file: str, raw: bytes) -> str:
    """json, or jsonc where the file's name says so."""
    from redline.documents.isolated import detect

    named = detect(confined, file, raw)
    if named == "json5":
        raise DocumentSyntax("JSON5 cannot be edited by instruction; doc_set and doc_delete can")
    return "jsonc" if named == "jsonc" else "json"


def read_document(raw: bytes, form: str) -> Value:
    """The object or array a file holds, comments and trailing commas aside where it may."""
    from redline.documents.json.mask import mask_of

    plain = bytes(mask_of(raw, form)) if form == "jsonc" else raw.removeprefix(b"\xef\xbb\xbf")
    document = parse(plain)
    if not isinstance(document, dict | list):
        raise DocumentSyntax("The file does not hold a JSON object or array")
    return document


def check_size(size: int, field: str) -> None:
    """DOCUMENT_TOO_LARGE above the limit."""
    if size > MAX_DOCUMENT:
        raise TooLarge(
            field,
            f"Document exceeds the limit of {MAX_DOCUMENT} bytes: {size}",
            details={"field": field, "limit": MAX_DOCUMENT, "reason_text": f"{size} bytes"},
        )


def check_depth(document: Value) -> None:
    """Refuse documents nested deeper than the limit, without recursion."""
    level: list[Value] = [document]
    for _ in range(MAX_DEPTH + 1):
        below: list[Value] = []
        for value in level:
            if isinstance(value, dict):
                below += [v for v in value.values() if isinstance(v, dict | list)]
            elif isinstance(value, list):
                below += [v for v in value if isinstance(v, dict | list)]
        if not below:
            return
        level = below
    raise LimitReached(
        f"Document is nested deeper than {MAX_DEPTH} levels", details={"field": "document"}
    )
