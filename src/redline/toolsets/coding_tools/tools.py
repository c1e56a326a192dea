"""The coding toolset: coding-tools-mcp-v0.1, its twelve tools and nothing else."""

from __future__ import annotations

from redline.toolsets.coding_tools.exec.tools import EXEC_TOOLS
from redline.toolsets.coding_tools.schemas import (
    HERE,
    OUTPUT,
    SOME_TEXT,
    TEXT,
    TEXTS,
    choice,
    flag,
    inputs,
    number,
)
from redline.toolsets.tool import (
    CancelAlias,
    Hints,
    Json,
    ProtocolProfile,
    SharedTool,
    Tool,
    Toolset,
)

_HERE = "redline.toolsets.coding_tools"
_LOOKS = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
_PATCHES = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
_ASKS = Hints(read_only=True, destructive=False, idempotent=False, open_world=False)


def _reader(name: str, title: str, module: str, description: str, schema: Json) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=schema,
        output_schema=OUTPUT,
        handler=f"{_HERE}.{module}:{name}",
        hints=_LOOKS,
    )


READ_FILE = _reader(
    "read_file",
    "Read file",
    "read_file",
    "Read text by lines; when truncated, go on at next_start_line or next_start_byte.",
    inputs(
        {
            "path": SOME_TEXT,
            "start_line": number(1, default=1),
            "end_line": number(1),
            "start_byte": number(0),
            "max_bytes": number(1, 1048576, 131072),
            "encoding": TEXT,
        },
        "path",
    ),
)

LIST_DIR = _reader(
    "list_dir",
    "List directory",
    "listing",
    "List a directory's entries.",
    inputs(
        {
            "path": HERE,
            "recursive": flag(False),
            "max_depth": number(1, 20, 1),
            "max_entries": number(1, 10000, 1000),
            "include_hidden": flag(False),
            "include_ignored": flag(False),
            "sort": choice("name", "type", "modified", default="name"),
        }
    ),
)

LIST_FILES = _reader(
    "list_files",
    "List files",
    "listing",
    "Find files by glob; *.py matches at any depth.",
    inputs(
        {
            "path": HERE,
            "patterns": TEXTS,
            "glob": TEXT,
            "exclude_patterns": TEXTS,
            "include_hidden": flag(False),
            "include_ignored": flag(False),
            "max_results": number(1, 50000, 5000),
            "sort": choice("path", "modified", default="path"),
        }
    ),
)

SEARCH_TEXT = _reader(
    "search_text",
    "Search text",
    "search_text",
    "Find lines in a file or below a directory; literal unless regex (Rust syntax).",
    inputs(
        {
            "query": SOME_TEXT,
            "path": HERE,
            "regex": flag(False),
            "case_sensitive": flag(False),
            "include_globs": TEXTS,
            "glob": TEXT,
            "exclude_globs": TEXTS,
            "context_lines": number(0, 5, 0),
            "max_results": number(1, 10000, 1000),
            "max_preview_bytes": number(80, 4096, 512),
            "count_all": flag(False),
        },
        "query",
    ),
)

APPLY_PATCH = Tool(
    name="apply_patch",
    title="Apply patch",
    description=(
        "Change files, all or nothing. *** Begin Patch, then *** Add File: P with + lines, "
        "*** Delete File: P, or *** Update File: P (then *** Move to: Q) with @@ hunks of "
        "space, - and + lines, then *** End Patch. dry_run answers the diff; expected maps "
        "paths to versions from read_file."
    ),
    input_schema=inputs(
        {
            "patch": SOME_TEXT,
            "encoding": TEXT,
            "dry_run": flag(False),
            "expected": {
                "type": "object",
                "additionalProperties": {"type": ["string", "object"]},
            },
        },
        "patch",
    ),
    output_schema=OUTPUT,
    handler=f"{_HERE}.apply_patch:apply_patch",
    hints=_PATCHES,
    writes=True,
)

GIT_STATUS = _reader(
    "git_status",
    "Git status",
    "git",
    "Branch, upstream and changed files of the repository that holds path.",
    inputs(
        {
            "path": HERE,
            "include_untracked": flag(True),
            "max_entries": number(1, 10000, 1000),
        }
    ),
)

GIT_DIFF = _reader(
    "git_diff",
    "Git diff",
    "git",
    "Unified diff of unstaged and/or staged changes.",
    inputs(
        {
            "path": TEXT,
            "paths": TEXTS,
            "staged": flag(False),
            "unstaged": flag(True),
            "context_lines": number(0, 20, 3),
            "max_bytes": number(1, 1048576, 262144),
        }
    ),
)

REQUEST_PERMISSIONS = Tool(
    name="request_permissions",
    title="Request permissions",
    description=(
        "Ask the person for the permission a PERMISSION_REQUIRED error named, with the arguments "
        "of that call; then repeat the call."
    ),
    input_schema=inputs(
        {
            "tool_name": choice("exec_command", "apply_patch"),
            "permission": choice(
                "network",
                "destructive_command",
                "long_timeout",
                "sensitive_env",
                "shell_expansion",
                "inline_script",
                "privileged_executable",
                "write_generated_or_ignored",
            ),
            "reason": SOME_TEXT,
            "arguments": {"type": "object"},
            "scope": choice("once", "session", default="once"),
            "ttl_seconds": number(1, 3600, 300),
        },
        "tool_name",
        "permission",
        "reason",
        "arguments",
    ),
    output_schema=OUTPUT,
    handler=f"{_HERE}.exec.permissions:request_permissions",
    hints=_ASKS,
    runs=True,
)

VIEW_IMAGE = _reader(
    "view_image",
    "View image",
    "view_image",
    "Look at a PNG, JPEG, GIF or WebP, resized to fit.",
    inputs(
        {
            "path": SOME_TEXT,
            "max_bytes": number(1024, 10485760, 5242880),
            "max_width": number(1, 10000, 2000),
            "max_height": number(1, 10000, 2000),
            "auto_resize": flag(True),
            "output": choice("mcp_image", "data_url", "compact", default="mcp_image"),
        },
        "path",
    ),
)

TOOLSET = Toolset(
    name="coding",
    title="Coding tools",
    tools=(
        READ_FILE,
        LIST_DIR,
        LIST_FILES,
        SEARCH_TEXT,
        APPLY_PATCH,
        *EXEC_TOOLS,
        GIT_STATUS,
        GIT_DIFF,
        REQUEST_PERMISSIONS,
        VIEW_IMAGE,
    ),
    wording=f"{_HERE}.errors:word",
    profile=ProtocolProfile(
        oldest_revision="2025-06-18",
        newest_revision="2025-06-18",
        default_revision="2025-06-18",
        strict_handshake=True,
        cancel_alias=CancelAlias("session_id", "kill_session"),
        shared_tool=SharedTool(
            "read_file",
            other_toolset="files",
            description="Read a file by absolute or workspace-relative path, whole or by lines.",
            choose=f"{_HERE}.shared_read_file:choose",
        ),
    ),
    titles_in_annotations=True,
    paths="Paths are relative to the workspace.",
    instructions=(
        "Read or search first, then change files with {apply_patch}.",
        "Run commands with {exec_command}.",
    ),
)
