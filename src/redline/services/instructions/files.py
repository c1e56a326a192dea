"""A document in a file of the workspace: read with its numbers as written, edited losslessly."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from redline.core.changes import digest_of
from redline.core.errors import CannotApply, DocumentSyntax, LimitReached, TooLarge
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.confined import Confined
from redline.core.records import dataclass
from redline.documents import isolated
from redline.documents.base.model import MAX_BYTES
from redline.documents.json.operations import JsonOp, plan_operations
from redline.instruct.model.operations import (
    DocumentOperation,
    NoValue,
    Path,
    apply_operations,
    is_index,
    pointer,
    value_at,
)
from redline.instruct.model.values import Value, dumps, from_plain, parse
from redline.services.runtime import Runtime


def plan_file(confined: Confined, source: Source, operations: Sequence[DocumentOperation]) -> bytes:
    """Return the file's bytes after *operations*; what they do not touch stays as it is."""
    if not operations:
        return source.raw
    steps = in_sequence(source.document, operations)
    if source.form in ("json", "jsonc"):
        after = plan_operations(source.raw, steps, source.form).after
    else:
        native = isolated.DocumentSource(source.raw, source.form)
        after = isolated.apply_steps(confined, native, steps)
    expected = apply_operations(source.document, operations)
    written = read_document(confined, after, source.form)
    if source.form in ("json", "jsonc"):
        is_same = dumps(written) == dumps(expected)
    else:
        # other formats read 12.50 as 12.5, and the order of their keys means nothing
        is_same = written == expected
    if not is_same:
        raise CannotApply("The file cannot be changed as previewed")
    return after


_Rank = tuple[tuple[int, int, str], ...]
_Step = tuple[_Rank, int, JsonOp]


def in_sequence(document: Value, operations: Sequence[DocumentOperation]) -> list[JsonOp]:
    """Operations that all speak of the first state, in an order in which each still finds its
    place: new values first, then whatever moves others, from the last place to the first."""
    values: list[JsonOp] = []
    moving: list[_Step] = []
    for place, operation in enumerate(operations):
        where, rank = pointer(operation.path), _rank(operation.path)
        if operation.op in ("replace", "add"):
            values.append(JsonOp(operation.op, where, _text(operation.value)))
        elif operation.op == "insert":
            moving.append((rank, place, JsonOp("insert", where, _text(operation.value))))
        elif operation.op == "rename":
            assert operation.new_path is not None
            moving.append((rank, -1, JsonOp("rename", where, operation.new_path[-1])))
        else:
            moving.append((rank, -1, JsonOp("remove", where)))
        if operation.op == "move":
            moving.append(_arrival(document, operation, place))
    return [*values, *_stable(sorted(moving, key=lambda step: step[0], reverse=True))]


def _stable(ordered: list[_Step]) -> list[JsonOp]:
    """Within one place: what happens to the element, then insertions from the last to the first."""
    found: list[JsonOp] = []
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        group = ordered[start:end]
        found += [op for _, place, op in group if place < 0]
        inserts = sorted((g for g in group if g[1] >= 0), key=lambda g: -g[1])
        found += [op for _, _, op in inserts]
        start = end
    return found


def _arrival(document: Value, operation: DocumentOperation, place: int) -> _Step:
    assert operation.new_path is not None
    holder = value_at(document, operation.new_path[:-1])
    action = "insert" if isinstance(holder, list) else "add"
    step = JsonOp(action, pointer(operation.new_path), _text(operation.old))
    return _rank(operation.new_path), place, step


def _rank(path: Path) -> _Rank:
    return tuple((1, int(p), "") if is_index(p) else (0, 0, p) for p in path)


def _text(value: Value | NoValue) -> str:
    if isinstance(value, NoValue):
        raise CannotApply("The operation has no value")
    return dumps(value)


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
