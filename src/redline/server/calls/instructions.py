"""The instructions for a client that connects: true for the tools that it is shown."""

from __future__ import annotations

import re

from redline.core.access.rights import Right
from redline.server.calls.catalog import Catalog
from redline.toolsets.tool import Client

_CHANGES = "Redline changes files exactly and all-or-nothing."
_READ_ONLY = "Redline runs read-only here: nothing can be changed."
_FAILURES = "A failure says how to repair the call."
_TOOL = re.compile(r"\{([\w.]+)\}")


def write_instructions(catalog: Catalog, client: Client) -> str:
    """Return the instructions for *client*, a line for each toolset that has something to say."""
    paths = next((toolset.paths for toolset in catalog.toolsets if toolset.paths), "")
    general = [_opening(catalog, client), _FAILURES, paths]
    lines = [" ".join(filter(None, general))]
    for toolset in catalog.toolsets:
        said = (_with_names(sentence, catalog, client) for sentence in toolset.instructions)
        lines.append(" ".join(filter(None, said)))
    return "\n".join(filter(None, lines))


def _opening(catalog: Catalog, client: Client) -> str:
    if catalog.read_only or Right.WRITE not in client.rights:
        return _READ_ONLY
    return _CHANGES if any(tool.writes for tool in catalog.tools) else ""


def _with_names(sentence: str, catalog: Catalog, client: Client) -> str:
    """*sentence* with the names of tools as *client* sees them; empty if one is not listed."""
    named = _TOOL.findall(sentence)
    listed = catalog.names_for(client)
    if not all(name in listed for name in named):
        return ""
    return _TOOL.sub(lambda found: catalog.shown_name(found[1], client), sentence)
