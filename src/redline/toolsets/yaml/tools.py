"""The yaml toolset: read or replace one value of a YAML file, every other byte kept."""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.tool import READS, Hints, ProtocolProfile, Tool, Toolset

_HERE = "redline.toolsets.yaml"
_FILE = s.text("Path to the YAML file on disk.")

GET = Tool(
    name="noyalib_get",
    title="Get a YAML value",
    description="Read a value of a YAML file as its exact source text.",
    input_schema=s.record(
        "file path",
        file=_FILE,
        path=s.text("Dotted/indexed path into the YAML, e.g. `server.host` or `items[0].name`."),
        doc_index=s.INTEGER,
    ),
    handler=f"{_HERE}.handlers:get",
    hints=READS,
)

SET = Tool(
    name="noyalib_set",
    title="Set a YAML value",
    description="Replace a YAML value or add a key; comments and every other byte stay.",
    input_schema=s.record(
        "file path value",
        file=_FILE,
        path=s.text("Dotted/indexed path into the YAML."),
        value=s.text(
            'Replacement value as a YAML fragment (e.g. `0.0.2`, `"hello"`, `[1, 2, 3]`). Must '
            "parse in the target position; the document is left unchanged on parse error."
        ),
        doc_index=s.INTEGER,
        create_parents=s.FLAG,
        dry_run=s.FLAG,
    ),
    handler=f"{_HERE}.handlers:set_value",
    hints=Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    writes=True,
)

TOOLSET = Toolset(
    name="yaml",
    title="YAML values",
    tools=(GET, SET),
    wording=f"{_HERE}.handlers:word",
    profile=ProtocolProfile(
        capabilities={"tools": {}}, default_revision="2024-11-05", one_at_a_time=True
    ),
)
