"""The document a call is about, inline or in a file, with every number as it was written."""

from __future__ import annotations

from typing import Any

from redline.core.errors import InvalidArgument
from redline.instruct.model.values import Value, dumps, from_plain, parse
from redline.services.instructions.inputs import Source, check_depth, check_size, file_source
from redline.services.instructions.session import hash_of
from redline.toolsets.call import Call


def document_of(call: Call) -> Source:
    """The document of a preview call; exactly one of document and document_path."""
    given = call.arguments.get("document")
    path = call.arguments.get("document_path")
    if (given is None) == (path is None):
        raise InvalidArgument(
            "Give either document or document_path",
            field="document",
            hint="Pass the JSON as document, or the name of a workspace file as document_path",
        )
    if path is not None:
        return file_source(call.runtime, path)
    document = _inline(call, given)
    text = dumps(document)
    check_size(len(text.encode("utf-8", "surrogatepass")), "document")
    check_depth(document)
    return Source(document, hash_of(document))


def _inline(call: Call, given: Any) -> Value:
    """The document from the request as it came, since a decoded number has lost its text."""
    if call.raw is not None:
        request = parse(call.raw)
        for message in request if isinstance(request, list) else [request]:
            document = _argument(message, call)
            if document is not None:
                return document
    return from_plain(given)


def _argument(message: Value, call: Call) -> Value:
    if not isinstance(message, dict) or not isinstance(message.get("params"), dict):
        return None
    if call.request_id and _id(message) != call.request_id:
        return None
    params: Any = message["params"]
    arguments = params.get("arguments")
    return arguments.get("document") if isinstance(arguments, dict) else None


def _id(message: dict[str, Any]) -> str:
    value = message.get("id")
    return str(getattr(value, "text", value))
