"""The toolset `agent`: seventeen tools with which an agent can do everything."""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.change_offers import REVIEW_APP, prompts_for, resources_for
from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

_HERE = "redline.toolsets.agent"
_WRITES = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
_RUNS = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)


def _tool(
    name: str,
    title: str,
    description: str,
    place: str,
    gives: Json,
    required: str,
    /,
    *,
    hints: Hints = READS,
    unlisted: tuple[str, ...] = (),
    app: str = "",
    exact: bool = False,
    **takes: Json,
) -> Tool:
    """Return a tool that *takes* these arguments; *place* is "module:function" in this package."""
    return Tool(
        name,
        title,
        description,
        s.record(required, **takes),
        f"{_HERE}.{place}",
        hints,
        gives,
        writes=not hints.read_only,
        unlisted=unlisted,
        runs=hints is _RUNS,
        app=app,
        exact=exact,
        words=f"{_HERE}.trained_names:WORDS",
    )


_ENCODING = s.text("If not detected")
_FILE_OR_GLOB = s.text("File or glob")

_CHANGED = s.record(
    "id dry_run files diff",
    id=s.TEXT_OR_NULL,
    dry_run=s.FLAG,
    files=s.OBJECTS,
    diff=s.TEXT,
    diff_truncated=s.FLAG,
    notes=s.TEXTS,
    status=s.TEXT,
    readings=s.TEXTS,
    suggestions=s.TEXTS,
    matches=s.OBJECTS,
    problems=s.OBJECTS,
)
_READ = s.whole(files=s.OBJECTS)
_FOUND = s.whole(entries=s.OBJECTS, truncated=s.FLAG, roots=s.OBJECTS)
_MATCHED = s.whole(matches=s.OBJECTS, total=s.INTEGER, truncated=s.FLAG)
_CONTEXT = s.record(
    "kind message snippets",
    kind=s.TEXT,
    message=s.TEXT,
    snippets=s.OBJECTS,
    omitted=s.OBJECTS,
    notes=s.TEXTS,
)
_VALUES = s.record(
    "", values=s.OBJECTS, total=s.INTEGER, notes=s.TEXTS, valid=s.FLAG, problems=s.OBJECTS
) | {"required": []}
_CHANGES = s.whole(changes=s.OBJECTS, next_before=s.TEXT_OR_NULL)


def _change(
    name: str,
    title: str,
    description: str,
    place: str,
    required: str,
    /,
    *,
    checks: bool = True,
    exact: bool = False,
    **takes: Json,
) -> Tool:
    """A tool that changes files, or shows the change; with *checks* it can format and lint it."""
    takes["dry_run"] = s.flag("Only show the change")
    if checks:
        takes["check"] = s.flag("Format and lint it")
    plain = _tool(name, title, description, place, _CHANGED, required, hints=_WRITES)
    return plain._replace(input_schema=s.record(required, **takes), exact=exact)


TOOLS = (
    _tool(
        "read",
        "Read files",
        "Read text files or pictures; answers the version for later edits.",
        "read:read",
        _READ,
        "",
        path=s.text("File"),
        lines=s.text("10-40, 10- or -20 (last 20)"),
        symbol=s.text("Read only this, e.g. Class.method"),
        paths=s.texts("Several: a.py, a.py:10-40, a.py#symbol"),
        encoding=_ENCODING,
    ),
    _tool(
        "find",
        "Find files",
        "List a directory, or find files below it by glob.",
        "find:find",
        _FOUND,
        "",
        path=s.text("Directory or file"),
        globs=s.texts("*.py matches at any depth; !x excludes"),
        depth=s.number("Levels without globs, default 1"),
        details=s.flag("Size, time, mode, roots"),
        hidden=s.flag("And ignored files"),
        max=s.number("Default 1000"),
    ),
    _tool(
        "search",
        "Search contents",
        "Find lines in files by text or regex.",
        "find:search",
        _MATCHED,
        "query",
        query=s.text("Text"),
        path=s.text("File or directory"),
        globs=s.texts("As in find"),
        regex=s.flag("query is a regex"),
        ignore_case=s.flag("Ignore case"),
        context=s.number("Lines around each"),
        hidden=s.flag("And ignored files"),
        max=s.number("Default 200"),
        # files or counts, for a call with output_mode
        unlisted=("output",),
    ),
    _change(
        "edit",
        "Edit files",
        "Replace text in one or more files, all or nothing. old must be unique; indentation may"
        " be shifted.",
        "edit:edit",
        "edits",
        path=s.text("For edits without a path"),
        edits=s.array(
            s.record(
                "old",
                path=_FILE_OR_GLOB,
                old=s.text("Text to replace"),
                new=s.text("With regex: $1, $&, $$"),
                all=s.flag("Every occurrence"),
                regex=s.flag("old is a JavaScript regex"),
                ignore_case=s.flag("Ignore case"),
                version=s.text("From read: refuse if changed"),
            ),
            description="In order",
        ),
        encoding=_ENCODING,
    ),
    _change(
        "apply_patch",
        "Apply a patch",
        "Apply a patch, all or nothing: a unified diff, or *** Begin Patch, *** Add File: P /"
        " *** Delete File: P / *** Update File: P (*** Move to: Q), @@ hunks, *** End Patch.",
        "edit:apply_patch",
        "patch",
        patch=s.text("The patch"),
        versions=s.mapping("By path, from read"),
        encoding=_ENCODING,
    ),
    _change(
        "write",
        "Write a file",
        "Create a file or replace its content; parents are created.",
        "edit:write",
        "path",
        path=s.text("File; dir/ makes a directory"),
        content=s.text("All of it"),
        append=s.flag("Add it to the end"),
        version=s.text("From read: refuse if changed"),
    ),
    _change(
        "move",
        "Move or rename",
        "Move, rename or copy a file or directory.",
        "edit:move",
        "path to",
        path=s.text("What"),
        to=s.text("New path"),
        overwrite=s.flag("Replace a file"),
        copy=s.flag("Keep the old one"),
        imports=s.flag("Update imports (Python, JS, TS)"),
        checks=False,
    ),
    _change(
        "delete",
        "Delete",
        "Delete a file or a whole directory.",
        "edit:delete",
        "path",
        path=s.text("What"),
        checks=False,
    ),
    _tool(
        "run",
        "Run a command",
        "Run a shell command in the sandbox; its changes can be undone. If it runs longer than"
        " wait, it becomes a session.",
        "run:run",
        s.OBJECT,
        "command",
        command=s.text("For bash"),
        cwd=s.text("Directory"),
        timeout=s.number("Seconds, default 120"),
        wait=s.number("Seconds, default 30"),
        stdin=s.text("Its input"),
        env=s.mapping("Variables"),
        tty=s.flag("Give it a terminal"),
        dry_run=s.flag("Run on a copy, show changes"),
        apply=s.text("Session of a dry run to apply"),
        hints=_RUNS,
    ),
    _tool(
        "session",
        "Running command",
        "Type into a running command, poll its output, or stop it.",
        "run:session",
        s.OBJECT,
        "session",
        session=s.text("From run"),
        input=s.text("What to type; none polls"),
        lines=s.text("Of its output: 10-40"),
        wait=s.number("Seconds, default 1"),
        stop=s.flag("End it"),
        signal=s.choice("TERM", "KILL", "INT", description="How, default TERM"),
        hints=_RUNS,
    ),
    _tool(
        "context",
        "Code context",
        "Definition or references of a symbol, outline of a file, structure of a project, or code"
        " about a query.",
        "code:context",
        _CONTEXT,
        "",
        symbol=s.text("e.g. Class.method"),
        path=s.text("File or directory"),
        kind=s.choice(
            *"definition references outline structure search".split(),
            description="Default: what fits",
        ),
        line=s.number("Its line in path"),
        query=s.text("Words"),
        precise=s.flag("Ask the type checker"),
        max_tokens=s.number("Default 4000"),
    ),
    _change(
        "rewrite",
        "Rewrite by syntax",
        "Structural search and replace (ast-grep): pattern is code with $A for a node, $$$B for"
        " several. Refused if a file would not parse.",
        "code:rewrite",
        "pattern",
        pattern=s.text("e.g. foo($A)"),
        rewrite=s.text("Without: list matches"),
        language=s.text("Needed unless path is a file"),
        path=s.text("File or directory"),
        globs=s.texts("As in find"),
        rule=s.mapping("More rules: kind, inside, has, not"),
        where=s.mapping('Constraints, e.g. {"A": {"regex": "^x"}}'),
    ),
    _change(
        "rename",
        "Rename a symbol",
        "Rename a symbol: its definition and every reference bound to it.",
        "code:rename",
        "symbol to",
        symbol=s.text("e.g. Class.method"),
        to=s.text("New name"),
        path=s.text("File that defines it"),
        line=s.number("Its line"),
        possible=s.flag("Uncertain uses: rename or (false) leave"),
    ),
    _tool(
        "get",
        "Get values",
        "Read values of YAML, TOML, JSON, JSONC and JSON5 as written, or validate.",
        "documents:get",
        _VALUES,
        "path",
        path=_FILE_OR_GLOB,
        key=s.text('a.b[0]["x.y"], or JSONPath: $..image'),
        schema=s.text("Validate by this file; own: the one it names"),
        document=s.number("Of several in YAML, from 0"),
        format=s.text("If not by its name"),
        max=s.number("Default 100"),
    ),
    _change(
        "set",
        "Set values",
        "Set values in YAML, TOML and JSON, all or nothing; every other byte stays.",
        "documents:set_values",
        "edits",
        path=s.text("For edits without a path"),
        edits=s.array(
            s.record(
                "key",
                path=_FILE_OR_GLOB,
                key=s.text('a.b[0]; a[+] appends; flags[?@.owner=="x"].on: each'),
                value={"description": "Any JSON value"},
                source=s.text("Instead, in the file's own syntax"),
                action=s.choice(
                    "set", "insert", "delete", description="insert: before a list index"
                ),
                after=s.text("Put a new key after this one"),
                rename=s.text("New name of the key, without value"),
            ),
            description="In order",
        ),
        create=s.flag("Create missing parents"),
        document=s.number("Of several in YAML, from 0"),
        format=s.text("If not by its name"),
        exact=True,
    ),
    _tool(
        "changes",
        "List changes",
        "List what was changed, newest first, or show one change as a diff.",
        "history:changes",
        _CHANGES,
        "",
        id=s.text("Show this change, or latest"),
        path=s.text("Only below this"),
        session=s.text("Only of this; current: yours"),
        since=s.text("ISO time, or 2h"),
        before=s.text("Older than this id"),
        max=s.number("Default 20"),
        # A note beside an answer says how comments are closed, when there are any.
        unlisted=("comments", "resolve", "answer"),
        app=REVIEW_APP.uri,
    ),
    _change(
        "undo",
        "Undo",
        "Take back your latest change or others; later changes are kept.",
        "history:undo",
        "",
        id=s.text("This change"),
        paths=s.texts("Only these files of it"),
        hunks=s.array(s.INTEGER, description="Only these, by number"),
        to=s.text("Yours since this id, checkpoint or time"),
        session=s.text("All of this session"),
        redo=s.flag("Take an undo back"),
        checkpoint=s.text("Name this moment for to"),
        checks=False,
    ),
)

TOOLSET = Toolset(
    name="agent",
    title="Everything an agent needs",
    tools=TOOLS,
    wording=f"{_HERE}.errors:word",
    paths="Paths are absolute, or relative to the workspace.",
    answers_in_text=True,
    tool_names=f"{_HERE}.trained_names:TOOL_NAMES",
    tells_news=True,
    instructions=(
        "Prefer these tools to your own for files: changes are exact, and {undo} takes them back.",
        "Prefer {run} for commands: they run in a sandbox, and what they change can be undone.",
        "{set} changes values in documents, {rename} and {rewrite} change code by its syntax.",
    ),
    prompts=prompts_for("changes", "undo"),
    resources=resources_for("changes"),
)
