"""The tools for values of documents: get and set."""

from __future__ import annotations

from redline.toolsets.agent import schemas as s
from redline.toolsets.agent.schemas import CHANGES_FILES, tool

DOCUMENT_TOOLS = (
    tool(
        "get",
        "Get values",
        "Read values of YAML, TOML, JSON, JSONC and JSON5 as written, or validate.",
        s.takes(
            ("path",),
            path=s.FILE_OR_GLOB,
            key=s.text('a.b[0]["x.y"], or JSONPath: $..image'),
            schema=s.text("Validate by this file; own: the one it names"),
            document=s.number("Of several in YAML, from 0"),
            format=s.text("If not by its name"),
            max=s.number("Default 100"),
        ),
        s.VALUES,
        "documents:get",
    ),
    tool(
        "set",
        "Set values",
        "Set values in YAML, TOML and JSON, all or nothing; every other byte stays.",
        s.takes(
            ("edits",),
            path=s.text("For edits without a path"),
            edits=s.items(
                "In order",
                ("key",),
                path=s.FILE_OR_GLOB,
                key=s.text('a.b[0]; a[+] appends; flags[?@.owner=="x"].on: each'),
                value={"description": "Any JSON value"},
                source=s.text("Instead, in the file's own syntax"),
                action=s.choice("insert: before a list index", "set", "insert", "delete"),
                after=s.text("Put a new key after this one"),
                rename=s.text("New name of the key, without value"),
            ),
            create=s.flag("Create missing parents"),
            document=s.number("Of several in YAML, from 0"),
            format=s.text("If not by its name"),
            dry_run=s.DRY_RUN,
            check=s.CHECK,
        ),
        s.CHANGED,
        "documents:set_values",
        CHANGES_FILES,
        exact=True,
    ),
)
