"""The tools of the code toolset: edit a code file by intent, and gather code context."""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.tool import READS, Hints, Tool, Toolset

CONTEXT_KINDS = ("auto", "outline", "definition", "references", "structure")
_HERE = "redline.toolsets.ai_code_editing"

_LINE = s.integer(1)
_STATUS = s.choice("success", "failure")

EDIT_FILE = Tool(
    name="ai_code_editing.edit_file",
    title="Edit code",
    description=(
        "Insert, replace or delete code in one file by lines, symbol or instruction (after "
        "function f, at the start of f, replace f); without a place at the end. "
        "Without code_block: a fenced block, delete ..., rename X to Y."
    ),
    input_schema=s.record(
        "target_file edit_instruction",
        target_file=s.TEXT,
        edit_instruction=s.TEXT,
        start_line=_LINE,
        end_line=_LINE,
        code_block=s.TEXT,
        edit_type=s.choice("insert", "replace", "delete"),
        symbol=s.TEXT,
        expected_text=s.TEXT,
        expected_hash=s.text("File SHA-256"),
        encoding=s.TEXT,
        create=s.FLAG,
        strict=s.FLAG,
        dry_run=s.FLAG,
    ),
    output_schema=s.record(
        "status file_path message",
        status=_STATUS,
        file_path=s.TEXT,
        message=s.TEXT,
        diff=s.TEXT,
        operation=s.text("Id for undo; empty: no change"),
        file_hash=s.TEXT,
    ),
    handler=f"{_HERE}.edit_file:edit_file",
    hints=Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
    writes=True,
    aliases=("ai_edit_code",),
)

GET_CODE_CONTEXT = Tool(
    name="ai_code_editing.get_code_context",
    title="Get code context",
    description=(
        "A symbol's definition or references (file and line say which), a file's outline, the "
        "repository's structure, or snippets for a query."
    ),
    input_schema=s.record(
        "",
        query=s.TEXT,
        file=s.TEXT,
        symbol=s.TEXT,
        kind=s.choice(*CONTEXT_KINDS),
        line=_LINE,
        max_tokens=s.integer(100, 50000),
    ),
    output_schema=s.record(
        "status message kind snippets omitted",
        status=_STATUS,
        message=s.TEXT,
        kind=s.TEXT,
        index=s.choice("ready", "building", "none"),
        snippets=s.OBJECTS,
        omitted=s.OBJECTS,
        tokens=s.INTEGER,
        warnings=s.TEXTS,
    ),
    handler=f"{_HERE}.context:get_code_context",
    hints=READS,
    aliases=("ai_get_code_context",),
)

TOOLSET = Toolset(
    name="code",
    title="Code",
    tools=(EDIT_FILE, GET_CODE_CONTEXT),
    wording=f"{_HERE}.errors:word",
    instructions=(
        "{ai_code_editing.get_code_context} finds definitions, references and outlines.",
        "{ai_code_editing.edit_file} changes code by lines, symbol or instruction.",
    ),
)
