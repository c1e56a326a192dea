"""A document in a file of the workspace, with every number as it is written there."""

from __future__ import annotations

from math import isfinite
from typing import Any

from redline.core.changes import digest_of
from redline.core.errors import DocumentSyntax, LimitReached, TooLarge
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.confined import Confined
from redline.core.records import dataclass
from redline.documents.base.model import MAX_BYTES
from redline.instruct.model.values import Value, from_plain, parse
from redline.services.runtime import Runtime

MAX_DOCUMENT = 1_000_000  # bytes of a document in the call itself
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
    """Return a JSON, JSONC, JSON5, YAML or TOML file of the workspace, as it is now."""
    path = runtime.workspace.resolve(file, access, must_exist=True)
    raw = runtime.tree.read(path, limit=MAX_BYTES)
    form = form_of(runtime.confined, file, raw)
    document = read_document(runtime.confined, raw, form)
    check_depth(document)
    return Source(document, digest_of(raw), file, path, raw, form)


def form_of(confined: Confined, file: str, raw: bytes) -> str:
    """Return the format of a file: by its name, else by its content."""
    from redline.documents.isolated import detect

    return detect(confined, file, raw)


def read_document(confined: Confined, raw: bytes, form: str) -> Value:
    """Return the object or array a file holds."""
    if form in ("json", "jsonc"):
        from redline.documents.json.mask import mask_of

        plain = bytes(mask_of(raw, form)) if form == "jsonc" else raw.removeprefix(b"\xef\xbb\xbf")
        try:
            document = parse(plain)
        except DocumentSyntax as error:
            if form == "json" and _parses(bytes(mask_of(raw, "jsonc"))):
                error.hint = "it has comments or trailing commas: set takes it with format jsonc"
            raise
    else:
        from redline.documents.isolated import DocumentSource, read_value

        document = as_json(read_value(confined, DocumentSource(raw, form), ()))
    if not isinstance(document, dict | list):
        raise DocumentSyntax("The file does not hold an object or array")
    return document


def _parses(text: bytes) -> bool:
    try:
        parse(text)
    except DocumentSyntax:
        return False
    return True


def as_json(value: Any) -> Value:
    """Return plain data of another format as JSON values; numbers JSON lacks become text."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | str | int | float):
        return from_plain(value)
    return str(value)


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
        f"Document is nested deeper than {MAX_DEPTH} levels",
        hint="Send the inner part that is to change as a document of its own",
        details={"field": "document"},
    )
