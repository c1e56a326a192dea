"""Arguments that the tools of this toolset share."""

from __future__ import annotations

from redline.core.paths import Access, WorkspacePath
from redline.documents.editing import Options
from redline.services.select import select_files
from redline.toolsets.call import Call


def targets(call: Call, access: Access) -> list[WorkspacePath]:
    """Return the files of the call's `file` argument, resolved for *access*."""
    return select_files(call.runtime, str(call.arguments["file"]), access, call.cancel)


def options_of(call: Call) -> Options:
    """Return how the call wants its files to be read and edited."""
    arguments = call.arguments
    return Options(
        arguments.get("format"),
        arguments.get("doc_index", 0),
        create_parents=bool(arguments.get("create_parents")),
    )
