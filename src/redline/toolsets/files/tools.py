"""The toolset `files`: sixteen tools over absolute paths.

Properties that are not listed are accepted, as clients of this toolset rely on, and named in the
answer; `adapt` adds to the listing what older argument names keep the validator from demanding.
"""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.tool import READS, Client, Hints, Json, ProtocolProfile, Tool, Toolset

_HERE = "redline.toolsets.files"
# The first revision with outputSchema, structuredContent and resource_link.
_STRUCTURED = "2025-06-18"


def is_rich(client: Client) -> bool:
    """Return whether *client* understands structured results and resource links."""
    return client.protocol >= _STRUCTURED


def adapt(tool: Json, client: Client) -> Json:
    """Return the listing of *tool* for *client*."""
    if tool["name"] == "search_files":
        # Calls may name these path and pattern, so only the listing requires them.
        schema = {**tool["inputSchema"], "required": ["directory", "nameContains"]}
        tool = {**tool, "inputSchema": schema}
    if not is_rich(client):
        tool = {key: value for key, value in tool.items() if key not in ("outputSchema", "title")}
    return tool


def _reads(
    name: str,
    title: str,
    text: str,
    takes: Json,
    place: str,
    gives: Json | None = None,
    unlisted: tuple[str, ...] = (),
) -> Tool:
    handler = f"{_HERE}.{place}:{name}"
    return Tool(name, title, text, takes, handler, READS, gives, unlisted=unlisted)


def _writes(
    name: str, title: str, text: str, takes: Json, place: str, *, destroys: bool, repeats: bool
) -> Tool:
    hints = Hints(read_only=False, destructive=destroys, idempotent=repeats, open_world=False)
    return Tool(name, title, text, takes, f"{_HERE}.{place}:{name}", hints, writes=True)


_COUNT = s.integer(1)
_SOME_TEXTS = {**s.TEXTS, "minItems": 1}
_CHANGED_PATH = s.record("path", path=s.TEXT, dryRun=s.FLAG)


def _edits(new_text: Json, limit: Json, is_regex: Json) -> Json:
    """Return the list of edits; of two tools only one describes its fields."""
    edit = s.record(
        "oldText",
        oldText=s.TEXT,
        newText=new_text,
        limit=limit,
        isRegex=is_regex,
        caseInsensitive=s.FLAG,
    )
    return {"type": "array", "minItems": 1, "items": edit}


_KIND = s.choice("file", "directory")
_NODE = s.record("name type", name=s.TEXT, type=_KIND, children=s.array({"$ref": "#/$defs/node"}))
_MATCH = s.whole(path=s.TEXT, line=s.INTEGER, text=s.TEXT, isMatch=s.FLAG)

TOOLS = (
    _reads(
        "read_file",
        "Read a file",
        "Read a file: whole, start_line to end_line, or the first (head) or last (tail) lines. "
        "Binary content comes as base64.",
        s.record(
            "path",
            path=s.TEXT,
            start_line=_COUNT,
            end_line=_COUNT,
            head=_COUNT,
            tail=_COUNT,
            encoding=s.TEXT,
        ),
        "read",
    ),
    _reads(
        "read_multiple_files",
        "Read several files",
        "Read up to 50 files; failures are reported in place.",
        s.record("paths", paths=_SOME_TEXTS),
        "read",
        unlisted=("encoding",),
    ),
    _writes(
        "write_file",
        "Write a file",
        "Create a file or replace all of its content; parents are created.",
        s.record("path content", path=s.TEXT, content=s.TEXT, dryRun=s.FLAG),
        "edit",
        destroys=True,
        repeats=True,
    ),
    _writes(
        "create_directory",
        "Create a directory",
        "Create a directory and its parents.",
        _CHANGED_PATH,
        "edit",
        destroys=False,
        repeats=True,
    ),
    _reads(
        "list_directory",
        "List a directory",
        "List the entries of one directory as [FILE] or [DIR].",
        s.record("path", path=s.TEXT),
        "browse",
        s.whole(path=s.TEXT, entries=s.array(s.whole(name=s.TEXT, type=_KIND))),
    ),
    _reads(
        "directory_tree",
        "Directory tree",
        "The tree below a directory as JSON {name, type, children}; limit it with depth.",
        s.record(
            "path",
            path=s.TEXT,
            depth=s.integer(0, description="0: the root only; omitted: all"),
        ),
        "browse",
        {**_NODE, "$defs": {"node": _NODE}},
    ),
    _writes(
        "move_file",
        "Move or rename",
        "Move or rename a file or directory; parents are created. "
        "An existing file is replaced only with overwrite.",
        s.record(
            "source destination",
            source=s.TEXT,
            destination=s.TEXT,
            overwrite=s.FLAG,
            dryRun=s.FLAG,
        ),
        "edit",
        destroys=True,
        repeats=False,
    ),
    _writes(
        "delete_file",
        "Delete",
        "Delete a file, or a directory with everything in it.",
        _CHANGED_PATH,
        "edit",
        destroys=True,
        repeats=True,
    ),
    _reads(
        "get_file_info",
        "File facts",
        "Type, size, time and permissions of a file or directory.",
        s.record("path", path=s.TEXT),
        "browse",
        s.whole(
            path=s.TEXT,
            type=s.choice("file", "directory", "symlink", "other"),
            size=s.INTEGER,
            created=s.TEXT,
            modified=s.TEXT,
            permissions=s.TEXT,
            mode=s.TEXT,
        ),
    ),
    _reads(
        "list_allowed_directories",
        "Allowed directories",
        "The directories this server may touch, read-write or read-only.",
        s.record(""),
        "browse",
        s.whole(
            directories=s.array(
                s.whole(path=s.TEXT, access=s.choice("read-write", "read-only"), writable=s.FLAG)
            )
        ),
    ),
    _writes(
        "edit_file",
        "Edit a file",
        "Replace text in a file, all edits or none, in order. Quote enough of oldText to be "
        "unique; indentation may be shifted.",
        s.record(
            "path edits",
            path=s.TEXT,
            edits=_edits(
                s.text("With isRegex: $1-$9 groups, $& the match, $$ a dollar"),
                s.number("1 (default): must be unique; 0: all"),
                s.flag("JavaScript regex, m flag"),
            ),
            encoding=s.TEXT,
            dryRun=s.FLAG,
        ),
        "edit",
        destroys=True,
        repeats=False,
    ),
    _writes(
        "edit_files",
        "Edit many files",
        "Apply the same edits to files and globs as one operation. compact: a short report.",
        s.record(
            "paths edits",
            paths=_SOME_TEXTS,
            edits=_edits(s.TEXT, s.INTEGER, s.FLAG),
            encoding=s.TEXT,
            dryRun=s.FLAG,
            compact=s.FLAG,
        ),
        "edit",
        destroys=True,
        repeats=False,
    ),
    _reads(
        "search_files",
        "Find by name",
        "Find files and directories whose name contains a text, ignoring case.",
        s.record("", directory=s.TEXT, nameContains=s.TEXT, excludeGlobs=s.TEXTS),
        "find",
        s.whole(matches=s.TEXTS, count=s.INTEGER),
        unlisted=("path", "pattern", "excludePatterns", "compact"),
    ),
    _reads(
        "grep_files",
        "Search contents",
        "Search file contents with a regex, like grep -n. Give directory, globs or both. "
        "compact: equal lines once.",
        s.record(
            "regex",
            regex=s.text("JavaScript syntax, line by line"),
            directory=s.TEXT,
            globs=s.texts("Relative to directory, or absolute"),
            excludeGlobs=s.TEXTS,
            caseInsensitive=s.FLAG,
            contextLines=s.integer(0),
            maxResults=s.integer(1, description="Default 500"),
            compact=s.FLAG,
        ),
        "find",
        s.whole(matches=s.array(_MATCH), count=s.INTEGER, truncated=s.FLAG, skipped=s.INTEGER),
    ),
    _reads(
        "glob_search",
        "Find by glob",
        "Find files by glob: ** any depth, {a,b}. compact: names by directory, no links.",
        s.record(
            "directory globs",
            directory=s.TEXT,
            globs=_SOME_TEXTS,
            excludeGlobs=s.TEXTS,
            max=s.integer(0, description="Default 1000; 0: no cap"),
            compact=s.FLAG,
        ),
        "find",
        s.whole(matches=s.TEXTS, count=s.INTEGER, truncated=s.FLAG),
    ),
    Tool(
        "execute_command",
        "Run a command",
        "Run a shell command (/bin/sh -c) in an allowed directory.",
        s.record(
            "command",
            command=s.TEXT,
            workingDirectory=s.TEXT,
            timeout=s.number("Seconds, default 30, at most 60"),
            dryRun=s.flag("Run on a copy; answer the diff"),
        ),
        f"{_HERE}.command:execute_command",
        Hints(read_only=False, destructive=True, idempotent=False, open_world=True),
        s.whole(
            exitCode=s.INTEGER,
            stdout=s.TEXT,
            stderr=s.TEXT,
            timedOut=s.FLAG,
            truncated=s.FLAG,
            sandbox=s.record("", fs=s.TEXT, net=s.TEXT, pids=s.TEXT, memory=s.TEXT),
            warnings=s.TEXTS,
        ),
        writes=True,
        runs=True,
    ),
)

TOOLSET = Toolset(
    name="files",
    title="Files by absolute path",
    tools=TOOLS,
    wording=f"{_HERE}.errors:word",
    adapt=f"{_HERE}.tools:adapt",
    profile=ProtocolProfile(
        capabilities={"tools": {}},
        default_revision="2025-11-25",
        serves_batches=False,
        null_id_is_request=True,
        any_initialize_params=True,
        unknown_tool_code=-32601,
    ),
    paths="Paths are absolute; relative ones count from the first allowed directory.",
    instructions=("What {edit_file} and {write_file} change can be undone.",),
)
