"""The coding toolset: coding-tools-mcp-v0.1, its twelve tools and nothing else."""

from __future__ import annotations

from redline.toolsets import schemas as s
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
_ASKS = Hints(read_only=True, destructive=False, idempotent=False, open_world=False)
_ADDS = Hints(read_only=False, destructive=False, idempotent=False, open_world=False)
_DESTROYS = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
_RUNS = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)
# One permissive schema for every tool, as the profile has it.
_OUTPUT: Json = {**s.record("ok", ok=s.FLAG, error=s.OBJECT), "additionalProperties": True}
_SOME_TEXT: Json = {"type": "string", "minLength": 1}
_OUTPUT_BYTES = s.integer(1, 1048576, default=65536)
_YIELD = s.integer(0, 30000, default=1000)


def _tool(
    name: str,
    title: str,
    module: str,
    description: str,
    required: str,
    /,
    *,
    hints: Hints = _LOOKS,
    runs: bool = False,
    **takes: Json,
) -> Tool:
    """Return a tool that *takes* these arguments and nothing else; its handler is in *module*."""
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema={
            "type": "object",
            "properties": takes,
            "required": required.split(),
            "additionalProperties": False,
        },
        output_schema=_OUTPUT,
        handler=f"{_HERE}.{module}:{name}",
        hints=hints,
        writes=not hints.read_only,
        runs=runs,
    )


TOOLS = (
    _tool(
        "read_file",
        "Read file",
        "read_file",
        "Read text by lines; when truncated, go on at next_start_line or next_start_byte.",
        "path",
        path=_SOME_TEXT,
        start_line=s.integer(1, default=1),
        end_line=s.integer(1),
        start_byte=s.integer(0),
        max_bytes=s.integer(1, 1048576, default=131072),
        encoding=s.TEXT,
    ),
    _tool(
        "list_dir",
        "List directory",
        "find",
        "List a directory's entries.",
        "",
        path=s.TEXT,
        recursive=s.FLAG,
        max_depth=s.integer(1, 20, default=1),
        max_entries=s.integer(1, 10000, default=1000),
        include_hidden=s.FLAG,
        include_ignored=s.FLAG,
        sort=s.choice("name", "type", "modified", default="name"),
    ),
    _tool(
        "list_files",
        "List files",
        "find",
        "Find files by glob; *.py matches at any depth.",
        "",
        path=s.TEXT,
        patterns=s.TEXTS,
        glob=s.TEXT,
        exclude_patterns=s.TEXTS,
        include_hidden=s.FLAG,
        include_ignored=s.FLAG,
        max_results=s.integer(1, 50000, default=5000),
        sort=s.choice("path", "modified", default="path"),
    ),
    _tool(
        "search_text",
        "Search text",
        "find",
        "Find lines in a file or below a directory; literal unless regex (Rust syntax).",
        "query",
        query=_SOME_TEXT,
        path=s.TEXT,
        regex=s.FLAG,
        case_sensitive=s.FLAG,
        include_globs=s.TEXTS,
        glob=s.TEXT,
        exclude_globs=s.TEXTS,
        context_lines=s.integer(0, 5, default=0),
        max_results=s.integer(1, 10000, default=1000),
        max_preview_bytes=s.integer(80, 4096, default=512),
        count_all=s.FLAG,
    ),
    _tool(
        "apply_patch",
        "Apply patch",
        "apply_patch",
        "Change files, all or nothing. *** Begin Patch, then *** Add File: P with + lines, "
        "*** Delete File: P, or *** Update File: P (then *** Move to: Q) with @@ hunks of "
        "space, - and + lines, then *** End Patch. dry_run answers the diff; expected maps "
        "paths to versions from read_file.",
        "patch",
        patch=_SOME_TEXT,
        encoding=s.TEXT,
        dry_run=s.FLAG,
        expected={
            "type": "object",
            "additionalProperties": {"type": ["string", "object"]},
        },
        hints=_DESTROYS,
    ),
    _tool(
        "exec_command",
        "Execute command",
        "commands",
        "Run a shell command in the sandbox. Still running after yield_time_ms: go on with its "
        "session_id. dry_run shows its changes; the same cmd with apply=session_id makes them.",
        "cmd",
        cmd=_SOME_TEXT,
        workdir=s.TEXT,
        timeout_ms=s.integer(1, 600000, default=30000),
        yield_time_ms=_YIELD,
        max_output_bytes=_OUTPUT_BYTES,
        stdin=s.TEXT,
        tty=s.FLAG,
        rows=s.integer(1, 1000),
        cols=s.integer(1, 1000),
        env={"type": "object", "additionalProperties": {"type": "string"}},
        dry_run=s.FLAG,
        apply=s.TEXT,
        hints=_RUNS,
        runs=True,
    ),
    _tool(
        "write_stdin",
        "Write stdin",
        "commands",
        "Type into a running session, or poll its output with empty chars.",
        "session_id",
        session_id=_SOME_TEXT,
        chars=s.TEXT,
        yield_time_ms=_YIELD,
        max_output_bytes=_OUTPUT_BYTES,
        hints=_ADDS,
        runs=True,
    ),
    _tool(
        "kill_session",
        "Kill session",
        "commands",
        "End a session and all its processes; answers the last output.",
        "session_id",
        session_id=_SOME_TEXT,
        signal=s.choice("TERM", "KILL", "INT", default="TERM"),
        wait_ms=s.integer(0, 30000, default=5000),
        max_output_bytes=_OUTPUT_BYTES,
        hints=_DESTROYS,
        runs=True,
    ),
    _tool(
        "git_status",
        "Git status",
        "git",
        "Branch, upstream and changed files of the repository that holds path.",
        "",
        path=s.TEXT,
        include_untracked={**s.FLAG, "default": True},
        max_entries=s.integer(1, 10000, default=1000),
    ),
    _tool(
        "git_diff",
        "Git diff",
        "git",
        "Unified diff of unstaged and/or staged changes.",
        "",
        path=s.TEXT,
        paths=s.TEXTS,
        staged=s.FLAG,
        unstaged={**s.FLAG, "default": True},
        context_lines=s.integer(0, 20, default=3),
        max_bytes=s.integer(1, 1048576, default=262144),
    ),
    _tool(
        "request_permissions",
        "Request permissions",
        "commands",
        "Ask the person for the permission a PERMISSION_REQUIRED error named, with the arguments "
        "of that call; then repeat the call.",
        "tool_name permission reason arguments",
        tool_name=s.choice("exec_command", "apply_patch"),
        permission=s.choice(
            "network",
            "destructive_command",
            "long_timeout",
            "sensitive_env",
            "shell_expansion",
            "inline_script",
            "privileged_executable",
            "write_generated_or_ignored",
        ),
        reason=_SOME_TEXT,
        arguments={"type": "object"},
        scope=s.choice("once", "session", default="once"),
        ttl_seconds=s.integer(1, 3600, default=300),
        hints=_ASKS,
        runs=True,
    ),
    _tool(
        "view_image",
        "View image",
        "view_image",
        "Look at a PNG, JPEG, GIF or WebP, resized to fit.",
        "path",
        path=_SOME_TEXT,
        max_bytes=s.integer(1024, 10485760, default=5242880),
        max_width=s.integer(1, 10000, default=2000),
        max_height=s.integer(1, 10000, default=2000),
        auto_resize={**s.FLAG, "default": True},
        output=s.choice("mcp_image", "data_url", "compact", default="mcp_image"),
    ),
)

TOOLSET = Toolset(
    name="coding",
    title="Coding tools",
    tools=TOOLS,
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
            choose=f"{_HERE}.read_file:choose",
        ),
    ),
    titles_in_annotations=True,
    paths="Paths are relative to the workspace.",
    instructions=(
        "Read or search first, then change files with {apply_patch}.",
        "Run commands with {exec_command}.",
    ),
)
