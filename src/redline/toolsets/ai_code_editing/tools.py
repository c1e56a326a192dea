"""The tools of the code toolset: edit a code file by intent, and gather code context."""

from __future__ import annotations

from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

CONTEXT_KINDS = ("auto", "outline", "definition", "references", "structure")
_HERE = "redline.toolsets.ai_code_editing"

_LINE: Json = {"type": "integer", "minimum": 1}
_FLAG: Json = {"type": "boolean"}
_TEXT: Json = {"type": "string"}

EDIT_FILE = Tool(
    name="ai_code_editing.edit_file",
    title="Edit code",
    description=(
        "Insert, replace or delete code in one file by lines, symbol or instruction (after "
        "function f, at the start of f, replace f); without a place at the end. "
        "Without code_block: a fenced block, delete ..., rename X to Y."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "target_file": _TEXT,
            "edit_instruction": _TEXT,
            "start_line": _LINE,
            "end_line": _LINE,
            "code_block": _TEXT,
            "edit_type": {"type": "string", "enum": ["insert", "replace", "delete"]},
            "symbol": _TEXT,
            "expected_text": _TEXT,
            "expected_hash": {"type": "string", "description": "File SHA-256"},
            "encoding": _TEXT,
            "create": _FLAG,
            "strict": _FLAG,
            "dry_run": _FLAG,
        },
        "required": ["target_file", "edit_instruction"],
    },
    output_schema={
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["success", "failure"]},
            "file_path": _TEXT,
            "message": _TEXT,
            "diff": _TEXT,
            "operation": {"type": "string", "description": "Id for undo; empty: no change"},
            "file_hash": _TEXT,
        },
        "required": ["status", "file_path", "message"],
    },
    handler=f"{_HERE}.edit.handler:edit_file",
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
    input_schema={
        "type": "object",
        "properties": {
            "query": _TEXT,
            "file": _TEXT,
            "symbol": _TEXT,
            "kind": {
                "type": "string",
                "enum": list(CONTEXT_KINDS),
            },
            "line": _LINE,
            "max_tokens": {"type": "integer", "minimum": 100, "maximum": 50000},
        },
    },
    output_schema={
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["success", "failure"]},
            "message": _TEXT,
            "kind": _TEXT,
            "index": {"type": "string", "enum": ["ready", "building", "none"]},
            "snippets": {"type": "array", "items": {"type": "object"}},
            "omitted": {"type": "array", "items": {"type": "object"}},
            "tokens": {"type": "integer"},
            "warnings": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["status", "message", "kind", "snippets", "omitted"],
    },
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
