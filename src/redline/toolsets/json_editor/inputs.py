"""The document a call is about, inline or in a file, with every number as it was written."""

from __future__ import annotations

from redline.core.errors import InvalidArgument
from redline.instruct.model.values import dumps
from redline.services.instructions.inputs import Source, check_depth, check_size, file_source
from redline.services.instructions.session import hash_of
from redline.toolsets.call import Call
from redline.toolsets.exact_arguments import exact_argument


def document_of(call: Call) -> Source:
    """The document of a preview call; exactly one of document and document_path.

    Beside a path an empty document counts as none: clients that keep to the listing send one.
    """
    path = call.arguments.get("document_path")
    given = call.arguments.get("document")
    given = None if path is not None and not given else given
    if (given is None) == (path is None):
        raise InvalidArgument(
            "Give either document or document_path",
            field="document",
            hint="Pass the JSON as document, or the name of a workspace file as document_path",
        )
    if path is not None:
        return file_source(call.runtime, path)
    document = exact_argument(call, "document", given)
    text = dumps(document)
    check_size(len(text.encode("utf-8", "surrogatepass")), "document")
    check_depth(document)
    return Source(document, hash_of(document))
