"""The toolset `files`: sixteen tools over absolute paths."""

from __future__ import annotations

from redline.toolsets.files import schemas
from redline.toolsets.tool import READS, Hints, Json, ProtocolProfile, Tool, Toolset

_HERE = "redline.toolsets.files"


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


TOOLS = (
    _reads(
        "read_file",
        "Read a file",
        "Read a file: whole, start_line to end_line, or the first (head) or last (tail) lines. "
        "Binary content comes as base64.",
        schemas.READ_FILE,
        "read",
    ),
    _reads(
        "read_multiple_files",
        "Read several files",
        "Read up to 50 files; failures are reported in place.",
        schemas.READ_MULTIPLE,
        "read",
        unlisted=schemas.READ_MULTIPLE_UNLISTED,
    ),
    _writes(
        "write_file",
        "Write a file",
        "Create a file or replace all of its content; parents are created.",
        schemas.WRITE_FILE,
        "write",
        destroys=True,
        repeats=True,
    ),
    _writes(
        "create_directory",
        "Create a directory",
        "Create a directory and its parents.",
        schemas.CHANGED_PATH,
        "write",
        destroys=False,
        repeats=True,
    ),
    _reads(
        "list_directory",
        "List a directory",
        "List the entries of one directory as [FILE] or [DIR].",
        schemas.PATH,
        "browse",
        schemas.LISTING,
    ),
    _reads(
        "directory_tree",
        "Directory tree",
        "The tree below a directory as JSON {name, type, children}; limit it with depth.",
        schemas.DIRECTORY_TREE,
        "browse",
        schemas.TREE,
    ),
    _writes(
        "move_file",
        "Move or rename",
        "Move or rename a file or directory; parents are created. "
        "An existing file is replaced only with overwrite.",
        schemas.MOVE_FILE,
        "write",
        destroys=True,
        repeats=False,
    ),
    _writes(
        "delete_file",
        "Delete",
        "Delete a file, or a directory with everything in it.",
        schemas.CHANGED_PATH,
        "write",
        destroys=True,
        repeats=True,
    ),
    _reads(
        "get_file_info",
        "File facts",
        "Type, size, time and permissions of a file or directory.",
        schemas.PATH,
        "browse",
        schemas.FILE_INFO,
    ),
    _reads(
        "list_allowed_directories",
        "Allowed directories",
        "The directories this server may touch, read-write or read-only.",
        schemas.NOTHING,
        "browse",
        schemas.ROOTS,
    ),
    _writes(
        "edit_file",
        "Edit a file",
        "Replace text in a file, all edits or none, in order. Quote enough of oldText to be "
        "unique; indentation may be shifted.",
        schemas.EDIT_FILE,
        "edit",
        destroys=True,
        repeats=False,
    ),
    _writes(
        "edit_files",
        "Edit many files",
        "Apply the same edits to files and globs as one operation. compact: a short report.",
        schemas.EDIT_FILES,
        "edit",
        destroys=True,
        repeats=False,
    ),
    _reads(
        "search_files",
        "Find by name",
        "Find files and directories whose name contains a text, ignoring case.",
        schemas.SEARCH_FILES,
        "find",
        schemas.NAMES,
        unlisted=schemas.SEARCH_FILES_UNLISTED,
    ),
    _reads(
        "grep_files",
        "Search contents",
        "Search file contents with a regex, like grep -n. Give directory, globs or both. "
        "compact: equal lines once.",
        schemas.GREP_FILES,
        "grep",
        schemas.GREPPED,
    ),
    _reads(
        "glob_search",
        "Find by glob",
        "Find files by glob: ** any depth, {a,b}. compact: names by directory, no links.",
        schemas.GLOB_SEARCH,
        "find",
        schemas.GLOBBED,
    ),
    Tool(
        "execute_command",
        "Run a command",
        "Run a shell command (/bin/sh -c) in an allowed directory.",
        schemas.EXECUTE_COMMAND,
        f"{_HERE}.command:execute_command",
        Hints(read_only=False, destructive=True, idempotent=False, open_world=True),
        schemas.COMMAND,
        writes=True,
        runs=True,
    ),
)

TOOLSET = Toolset(
    name="files",
    title="Files by absolute path",
    tools=TOOLS,
    wording=f"{_HERE}.errors:word",
    adapt=f"{_HERE}.adapt:adapt",
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
