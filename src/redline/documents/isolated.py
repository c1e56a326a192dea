"""Parse, query and edit documents in a worker process that can be killed.

Native parsers, queries and schemas may crash or never end on hostile content. Work that needs one
(YAML, TOML, JSON5, or content of unknown format) is sent to a worker through the `Confined` port.
JSON and JSONC are read in this process, by parsers that do not recurse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from redline.core.errors import DocumentSyntax
from redline.core.ports.confined import Confined
from redline.core.records import astuple, dataclass, replace
from redline.documents import editing, schema
from redline.documents.base import model
from redline.documents.base.path import Path, whole_keys
from redline.documents.editing import DocEdit, EditedFile, Options
from redline.documents.formats import named_format, open_document, sniff
from redline.documents.json.operations import JsonOp
from redline.documents.query import Match, RegexTest, plain, refuse_regex, select
from redline.documents.schema import Problem, check

Ask = Callable[..., Any]
_IN_PROCESS = ("json", "jsonc")


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A document that is not parsed yet."""

    data: bytes
    form: str
    index: int = 0


def detect(confined: Confined, name: str, data: bytes, form: str | None = None) -> str:
    """Return the format of a file, as `formats.detect` does."""
    known = named_format(name, form)
    if known is not None:
        return known
    if data.lstrip()[:1] in (b"{", b"["):
        try:
            open_document(data, "json")
        except DocumentSyntax:
            pass
        else:
            return "json"
    return str(_call(confined, "sniff_format", data))


def apply_edits(
    confined: Confined,
    name: str,
    data: bytes,
    edits: Sequence[DocEdit],
    options: Options,
    regex: RegexTest = refuse_regex,
) -> EditedFile:
    """Return the file after every edit, as `editing.apply_edits` does."""
    form = detect(confined, name, data, options.form)
    if form in _IN_PROCESS and not any(edit.selection for edit in edits):
        return editing.apply_edits(name, data, edits, replace(options, form=form))
    given = [(edit.action, whole_keys(edit.path), *astuple(edit)[2:]) for edit in edits]
    how = (options.index, options.create_parents, options.every_document)
    after, notes = _call(
        confined, "edit_document", data, form, how, given, answers={"regex": regex}
    )
    return EditedFile(after, tuple(notes))


def apply_steps(confined: Confined, source: DocumentSource, steps: Sequence[JsonOp]) -> bytes:
    """Return a YAML, TOML or JSON5 file after every step, as `editing.apply_steps` does."""
    given = [(step.action, step.pointer, step.value) for step in steps]
    return bytes(_call(confined, "edit_at_pointers", source.data, source.form, given))


def read(confined: Confined, source: DocumentSource, path: Path) -> model.Slice:
    """Return the node's source slice, as `Document.get` does."""
    if source.form in _IN_PROCESS:
        return open_document(source.data, source.form, source.index).get(path)
    found = _call(confined, "read_node", source.data, source.form, source.index, whole_keys(path))
    return _slice(found)


def read_value(confined: Confined, source: DocumentSource, path: Path) -> Any:
    """Return the node as plain values that JSON has types for."""
    if source.form in _IN_PROCESS:
        return _value_at(open_document(source.data, source.form, source.index), path)
    return _call(confined, "read_data", source.data, source.form, source.index, whole_keys(path))


def named_schema(confined: Confined, source: DocumentSource) -> str | None:
    """Return the schema that a document names itself, as `schema.named_schema` does."""
    if source.form in _IN_PROCESS:
        return schema.named_schema(open_document(source.data, source.form, source.index))
    found = _call(confined, "read_schema_name", source.data, source.form, source.index)
    return None if found is None else str(found)


def find_syntax_error(confined: Confined, data: bytes, form: str) -> str | None:
    """Return why a document does not parse; None if it does."""
    try:
        if form in _IN_PROCESS:
            open_document(data, form)
        else:
            _call(confined, "check_syntax", data, form)
    except DocumentSyntax as error:
        return error.message
    return None


def query(
    confined: Confined, source: DocumentSource, expression: str, regex: RegexTest, limit: int
) -> tuple[list[Match], int]:
    """Return what `query.select` returns; also raises TimeLimit and LimitReached."""
    given = (source.data, source.form, source.index, expression, limit)
    found, total = _call(confined, "select_nodes", *given, answers={"regex": regex})
    return [Match(tuple(path), place and _slice(place)) for path, place in found], total


def validate(
    confined: Confined, source: DocumentSource, schema: str, read: Callable[[str], bytes]
) -> tuple[list[Problem], int]:
    """Return what `schema.check` returns; also raises TimeLimit and LimitReached."""
    given = (source.data, source.form, source.index, schema)
    found, total = _call(confined, "check_schema", *given, answers={"read": read})
    return [Problem(*problem) for problem in found], total


def _call(
    confined: Confined,
    function: str,
    data: bytes,
    *arguments: Any,
    answers: dict[str, Callable[..., Any]] | None = None,
) -> Any:
    """Call a function of this module in a worker; raise TooLarge for a document over the limit."""
    form = str(arguments[0]) if arguments else "A"
    if form not in _IN_PROCESS:
        model.require_size(data, form.upper(), model.MAX_PARSED_BYTES)
    return confined.call(f"{__name__}:{function}", (data, *arguments), answers or {})


def _slice(found: Sequence[Any]) -> model.Slice:
    data, start, end, line, column, kind, notes = found
    return model.Slice(data, start, end, line, column, kind, tuple(notes))


def sniff_format(_ask: Ask, data: bytes) -> str:
    """The worker's part of `detect`."""
    return sniff(data)


def check_syntax(_ask: Ask, data: bytes, form: str) -> None:
    """The worker's part of `find_syntax_error`."""
    model.require_text(data, form.upper())
    if form == "yaml":
        from redline.documents.yaml.strict import parse as parse_yaml

        parse_yaml(data)
    elif form == "toml":
        from redline.documents.toml.verify import parse as parse_toml

        parse_toml(data)
    else:
        open_document(data, form)


def edit_document(
    ask: Ask, data: bytes, form: str, how: tuple[int, bool, bool], edits: Sequence[Any]
) -> tuple[bytes, list[str]]:
    """The worker's part of `apply_edits`."""
    wanted = [DocEdit(action, tuple(path), *rest) for action, path, *rest in edits]
    index, create_parents, every_document = how
    options = Options(form, index, create_parents, every_document)
    done = editing.apply_edits("", data, wanted, options, _ask_regex(ask))
    return done.after, list(done.notes)


def edit_at_pointers(_ask: Ask, data: bytes, form: str, steps: Sequence[Any]) -> bytes:
    """The worker's part of `apply_steps`."""
    return editing.apply_steps(data, form, [JsonOp(*step) for step in steps])


def read_node(_ask: Ask, data: bytes, form: str, index: int, path: Sequence[Any]) -> list[Any]:
    """The worker's part of `read`."""
    return _plain_slice(open_document(data, form, index).get(tuple(path)))


def read_data(_ask: Ask, data: bytes, form: str, index: int, path: Sequence[Any]) -> Any:
    """The worker's part of `read_value`."""
    return plain(_value_at(open_document(data, form, index), tuple(path)))


def read_schema_name(_ask: Ask, data: bytes, form: str, index: int) -> str | None:
    """The worker's part of `named_schema`."""
    return schema.named_schema(open_document(data, form, index))


def select_nodes(
    ask: Ask, data: bytes, form: str, index: int, expression: str, limit: int
) -> tuple[list[Any], int]:
    """The worker's part of `query`, in plain data."""
    document = open_document(data, form, index)
    found, total = select(document, expression, _ask_regex(ask), limit)
    return [(match.path, match.slice and _plain_slice(match.slice)) for match in found], total


def _ask_regex(ask: Ask) -> RegexTest:
    return lambda pattern, text, whole: bool(ask("regex", pattern, text, whole))


def check_schema(ask: Ask, data: bytes, form: str, index: int, name: str) -> tuple[list[Any], int]:
    """The worker's part of `validate`, in plain data."""
    document = open_document(data, form, index)
    found, total = check(document, name, lambda file: bytes(ask("read", file)))
    return [astuple(problem) for problem in found], total


def _plain_slice(found: model.Slice) -> list[Any]:
    *facts, notes = astuple(found)
    return [*facts, list(notes)]


def _value_at(document: model.Document, path: Path) -> Any:
    """Return the plain value at *path*; NodeNotFound, including for an index into a string."""
    value: Any = document.data()
    for step in path:
        try:
            value = None if isinstance(value, str) else value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        if value is None:
            document.get(path)  # raises NodeNotFound that names the missing part
    return value
