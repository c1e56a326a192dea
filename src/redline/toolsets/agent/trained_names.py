"""What models that were trained on other tools say to these.

The tables have the words of Claude Code, Codex, Gemini CLI, Cursor, VS Code and the text editor
tool. They are read before the schema is checked (see `toolsets.trained_words`). A name is here only
where it can mean one thing; what it means in two ways is refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.search.globs import is_glob
from redline.toolsets.tool import Json
from redline.toolsets.trained_words import NOTE, Reader, Words

_FILE = (
    "file_path target_file file filename file_name relative_path relative_workspace_path"
    " relative_file_path"
)
_DIRECTORY = "dir_path directory_path directory dir folder target_directory"
_PLACE = f"{_FILE} absolute_path {_DIRECTORY}"
_MAX = "max_results limit max_count total_max_matches"
_GLOBS = "glob include include_pattern includes glob_pattern file_pattern file_glob"
# A timeout of less than this is taken for seconds, as the list says.
_SURELY_MILLISECONDS = 10_000
_LONGEST = 600
_MAX_WAIT = 60
_DEEPEST = 20
_IN_SANDBOX = "commands run in the sandbox only; leave it out"
_RANGE = late_regex(r"\[\s*(\d+)\s*,\s*(-?\d+)\s*\]")
# A patch as the first word of a list, or in a here-document or a quoted text of a line.
_PATCHES = late_regex(r"\Aapply_?patch\Z|(?:\A|&&|;|\n)\s*apply_?patch\s+(?:<<|['\"]\*\*\*)")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
# File types of ripgrep that models name most.
_TYPES: Mapping[str, tuple[str, ...]] = {
    "c": ("*.c", "*.h"),
    "cpp": ("*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.h"),
    "css": ("*.css", "*.scss"),
    "go": ("*.go",),
    "html": ("*.html", "*.htm"),
    "java": ("*.java",),
    "js": ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue"),
    "json": ("*.json",),
    "kotlin": ("*.kt", "*.kts"),
    "md": ("*.md", "*.markdown", "*.mdx"),
    "py": ("*.py", "*.pyi"),
    "python": ("*.py", "*.pyi"),
    "ruby": ("*.rb", "Gemfile", "Rakefile"),
    "rust": ("*.rs",),
    "sh": ("*.sh", "*.bash"),
    "swift": ("*.swift",),
    "toml": ("*.toml",),
    "ts": ("*.ts", "*.tsx", "*.mts", "*.cts"),
    "typescript": ("*.ts", "*.tsx", "*.mts", "*.cts"),
    "txt": ("*.txt",),
    "yaml": ("*.yaml", "*.yml"),
}
_MODES = {
    "content": "lines",
    "lines": "lines",
    "files_with_matches": "files",
    "files": "files",
    "count": "counts",
    "counts": "counts",
}


def _refuse(name: str, message: str, hint: str) -> InvalidArgument:
    return InvalidArgument(message, field=name, hint=f"{hint}; nothing was done")


def _only(name: str, wanted: object, fact: str, hint: str) -> Reader:
    """Return a reader that takes an argument with the value *wanted* and refuses any other."""

    def read(given: object) -> Json:
        if given == wanted:
            return {}
        raise _refuse(name, fact.format(given), hint)

    return Reader({name: "boolean" if wanted is True else "string"}, read)


# --- read -------------------------------------------------------------------------------------


def _from_offset(absolute: str | None, offset: int | None, limit: int | None) -> Json:
    """Read offset as the first line; it counts from 0 beside absolute_path (Gemini CLI)."""
    read: Json = {} if absolute is None else {"path": absolute}
    if offset is None and limit is None:
        return read
    if offset is not None and offset < 0:
        if limit is not None and limit != -offset:
            raise _refuse("offset", "offset counts from the end", 'pass lines, such as "-20"')
        return read | {"lines": str(offset)}
    first = 1 if offset is None else max(1, offset + 1 if absolute is not None else offset)
    return read | {"lines": _lines(first, None if limit is None else first + limit - 1)}


def _from_range(first: int | None, last: int | None, whole: bool | None = None) -> Json:
    """Read the first and the last line; Cursor gives them even with the flag for all lines."""
    if whole or (first is None and last is None):
        return {}
    return {"lines": _lines(first or 1, None if last == -1 else last)}


def _lines(first: int, last: int | None) -> str:
    if last is not None and last < first:
        raise _refuse("lines", f"No lines {first}-{last}", "pass lines such as 10-40, 10- or -20")
    return f"{first}-{'' if last is None else last}"


def _from_view_range(given: Any) -> Json:
    """Read [first, last], where -1 is the end of the file, a number, or the listed text."""
    if isinstance(given, str) and (found := _RANGE.fullmatch(given)):
        return _from_range(int(found[1]), int(found[2]))
    if isinstance(given, list) and len(given) == 2 and all(type(each) is int for each in given):
        return _from_range(*given)
    return {"lines": str(given) if type(given) is int else given}


def _ends(head: int | None, tail: int | None) -> Json:
    """Read the first or the last lines, by their number (the filesystem server)."""
    if head is not None and tail is not None:
        raise _refuse("head", "head and tail are both given", "give one of them")
    return {"lines": f"-{tail}" if head is None else _lines(1, head)}


# --- find and search --------------------------------------------------------------------------


def _globs(globs: Any, exclude: Any, kind: str | None) -> Json:
    """Join globs of files, of files to leave out, and those of a file type of ripgrep."""
    found = globs if isinstance(globs, list) else [globs] if globs else []
    if kind:
        if kind not in _TYPES:
            raise _refuse("type", f"Unknown type: {kind}", 'give globs, such as ["*.py"]')
        if found:
            raise _refuse("type", "type and globs are both given", "give globs alone")
        found = list(_TYPES[kind])
    left_out = [exclude] if isinstance(exclude, str) else exclude or []
    return {"globs": [*found, *(f"!{each}" for each in left_out)]}


def _listed_without(globs: Any, ignore: Any) -> Json:
    if ignore and not globs:
        hint = 'globs: ["*", "!x"] lists files at any depth without x'
        raise _refuse("ignore", "A listing of one directory shows everything", hint)
    return _globs(globs, ignore, None)


def _name(query: str) -> Json:
    """Find names with the text of a query in them, unless it is a glob."""
    if is_glob(query):
        return {"globs": [query]}
    return {"globs": [f"**/{query}*" if "/" in query else f"*{query}*"]}


def _whole_depth(given: bool) -> Json:
    if given:
        return {"depth": _DEEPEST}
    raise _refuse("recursive", "Globs already match at any depth", "leave recursive out")


def _first_entry(given: int) -> Json:
    if given <= 1:
        return {}
    raise _refuse("offset", "find has no offset", "narrow it with path and globs, or raise max")


def _pattern(pattern: str | None, regex: bool | None, literal: bool | None) -> Json:
    """A pattern is a regex unless the call says otherwise; query stays a text."""
    read: Json = {} if pattern is None else {"query": pattern}
    if literal is not None and regex is not None and literal == regex:
        raise _refuse("regex", "regex and fixed_strings disagree", "give only regex")
    if regex is not None or literal is not None:
        return read | {"regex": not literal if regex is None else regex}
    return read if pattern is None else read | {"regex": True}


def _around(context: int | None, *others: int | None) -> Json:
    """Show the most lines that are wanted on either side on both."""
    wanted = [each for each in (context, *others) if each is not None]
    return {"context": max(wanted)}


def _mode(given: str) -> Json:
    if given not in _MODES:
        hint = "give content, files_with_matches or count"
        raise _refuse("output_mode", f"Unknown output_mode: {given}", hint)
    return {} if _MODES[given] == "lines" else {"output": _MODES[given]}


def _limit(given: int) -> Json:
    return {"max": given} if given > 0 else {}  # Claude Code's 0 means all; the answer says more


# --- run and session --------------------------------------------------------------------------


def _command(command: Any, shell: str | None, login: bool | None) -> Json:
    """Join a list of words to a line, and let the shell that is named run it."""
    is_list = isinstance(command, list) and all(isinstance(word, str) for word in command)
    if _PATCHES.search(command[0] if is_list and command else str(command)):
        raise _refuse("command", "apply_patch is a tool here", "call apply_patch with patch")
    if is_list and command:
        command = shlex.join(command)
    if not shell or not isinstance(command, str):
        return {"command": command}
    if shell.rpartition("/")[2] not in _SHELLS:
        raise _refuse("shell", f"Unknown shell: {shell}", "write it into command")
    return {"command": shlex.join([shell, "-lc" if login else "-c", command])}


def _timeout(given: int) -> Json:
    if given < _SURELY_MILLISECONDS:
        return {"timeout": given}
    seconds = _seconds(given)
    return {"timeout": seconds, NOTE: f"timeout {given} was read as milliseconds: {seconds} s"}


def _background(given: bool, timeout: int | None) -> Json:
    """Answer at once, and let the command run as long as any may."""
    if given:
        return {"wait": 0, "timeout": timeout or _LONGEST}
    return {} if timeout is None else {"timeout": timeout}


def _seconds(milliseconds: int) -> int:
    return -(-milliseconds // 1000)


def _lines_of_output(offset: int | None, limit: int | None) -> Json:
    """Read offset as the first line of the output."""
    return _from_offset(None, offset, limit)


def _session_wait(timeout: int | None, block: bool | None) -> Json:
    """Wait for output as long as the timeout, which is in milliseconds if it is long."""
    if block is False:
        return {"wait": 0}
    if timeout is None:
        return {"wait": _MAX_WAIT}
    return {"wait": _seconds(timeout) if timeout >= 1000 else timeout}


# --- others -----------------------------------------------------------------------------------


def _editor_command(*names: str) -> Reader:
    """Return a reader for the text editor tool's command, which is one of *names* here."""

    def read(given: str) -> Json:
        if given in names:
            return {}
        hint = "call read to view, edit to replace, write to create, undo to take back"
        raise _refuse("command", f"{given} is not a command of this tool", hint)

    return Reader({"command": "string"}, read)


def _replacements(given: int | None, every: bool | None) -> Json:
    """Take one place, which is what an edit without `all` changes; other numbers cannot be."""
    if given is None or (given == 1 and not every):
        return {} if every is None else {"all": every}
    hint = "give all: true alone to change every one, or quote more of the text around it"
    raise _refuse("expected_replacements", "edit changes one place or all", hint)


def _insert(line: int | None, text: str | None, new: str | None) -> Json:
    """Put text after a line, or before the first with 0: a regex finds the end of that line."""
    if line is None:
        given = {"insert_text": text, "new": new}
        return {name: value for name, value in given.items() if value is not None}
    added = new if text is None else text
    if line < 0 or added is None:
        raise _refuse("insert_line", "insert_line needs a line and insert_text", "give both")
    ended = added if added.endswith("\n") else added + "\n"
    read = {"old": f"^(?:[^\\n]*\\n){{{line}}}", "new": "$&" + ended.replace("$", "$$")}
    return {**read, "regex": True, NOTE: f"inserted after line {line}"}


def _one_place(given: Sequence[str]) -> Json:
    if len(given) > 1:
        raise _refuse("path", "One call searches one directory", "pass one path, or none for all")
    return {"path": given[0]} if given else {}


_RESPECTS_IGNORE = Reader(
    {"respect_git_ignore": "boolean"}, lambda given: {} if given else {"hidden": True}
)
_LINES = (
    Reader(
        {"absolute_path": "string", "offset": "integer", "limit": "integer"},
        _from_offset,
    ),
    Reader(
        {"start_line": "integer", "end_line": "integer", "should_read_entire_file": "boolean"},
        _from_range,
    ),
    Reader({"lines": None}, _from_view_range),
)
_SKETCH = "give the text to replace as old and the new one as new, or call write"
_EDIT_NAMES = {
    "path": f"{_FILE} absolute_path",
    "edits": "replacements changes",
    "old": "old_string old_str old_text search search_string find",
    "new": "new_string new_str new_text replace replacement replace_string",
    "all": "replace_all allow_multiple",
    "regex": "is_regex is_regexp use_regex",
}

WORDS: Mapping[str, Words] = {
    "read": Words(
        {
            "path": _FILE,
            "paths": "file_paths files",
            "lines": "view_range line_range range",
            "start_line": "start_line_one_indexed start_line_number",
            "end_line": "end_line_one_indexed_inclusive end_line_number",
        },
        (
            *_LINES,
            Reader({"head": "integer", "tail": "integer"}, _ends),
            _only("mode", "slice", "Unknown mode: {}", "give lines, or the symbol to read"),
            _editor_command("view"),
        ),
        {"pages": "only text and pictures are read"},
        "indentation",
    ),
    "find": Words(
        {
            "path": _PLACE,
            "globs": f"pattern {_GLOBS}",
            "hidden": "no_ignore include_ignored_files include_hidden show_hidden",
            "max": _MAX,
            "ignore": "ignore_globs exclude exclude_pattern exclude_patterns",
        },
        (
            Reader({"query": "string"}, _name),
            Reader({"globs": None, "ignore": None}, _listed_without),
            Reader({"head_limit": "integer"}, _limit),
            _only(
                "case_sensitive",
                True,
                "Globs tell capital letters from small ones",
                "write both cases, such as [Rr]eadme*",
            ),
            Reader({"recursive": "boolean"}, _whole_depth),
            Reader({"offset": "integer"}, _first_entry),
            _RESPECTS_IGNORE,
        ),
    ),
    "search": Words(
        {
            "path": _PLACE,
            "globs": _GLOBS,
            "regex": "is_regexp is_regex use_regex",
            "ignore_case": "-i case_insensitive",
            "context": "-C context_lines",
            "before": "-B before_context",
            "after": "-A after_context",
            "hidden": "no_ignore include_ignored_files include_hidden show_hidden",
            "max": _MAX,
            "exclude": "exclude_pattern exclude_patterns excludes",
            "fixed_strings": "literal fixed_string -F",
            "names_only": "files_only files_with_matches -l",
            "output_mode": "output",
            "-n": "line_numbers",
        },
        (
            Reader({"pattern": "string", "regex": "boolean", "fixed_strings": "boolean"}, _pattern),
            Reader({"context": "integer", "before": "integer", "after": "integer"}, _around),
            Reader({"output_mode": "string"}, _mode),
            Reader({"names_only": "boolean"}, lambda given: {"output": "files"} if given else {}),
            Reader({"globs": None, "exclude": None, "type": "string"}, _globs),
            Reader({"head_limit": "integer"}, _limit),
            Reader({"case_sensitive": "boolean"}, lambda given: {"ignore_case": not given}),
            Reader({"-n": "boolean"}, lambda _: {}),
            _RESPECTS_IGNORE,
        ),
        {
            "multiline": "search looks at one line at a time; rewrite matches code by its syntax",
            "offset": "narrow it with path and globs, or raise max",
            "max_matches_per_file": "give max, which is for all files",
        },
    ),
    "edit": Words(
        _EDIT_NAMES,
        (
            Reader({"expected_replacements": "integer", "all": "boolean"}, _replacements),
            Reader({"insert_line": "integer", "insert_text": "string", "new": "string"}, _insert),
            _editor_command("str_replace", "insert"),
        ),
        {
            "code_edit": _SKETCH,
            "code": _SKETCH,
        },
        "instruction instructions",
    ),
    "apply_patch": Words({"patch": "input patch_text diff"}),
    "write": Words(
        {"path": f"{_FILE} absolute_path", "content": "contents file_text text"},
        (
            _editor_command("create"),
            _only(
                "overwrite",
                True,
                "write replaces a file that is there",
                "leave overwrite out if it may; find says whether the file is there",
            ),
        ),
        {"code_edit": _SKETCH},
        "instruction instructions",
    ),
    "move": Words(
        {
            "path": f"source source_path src from old_path {_FILE}",
            "to": "destination destination_path dest dst target new_path",
        }
    ),
    "delete": Words(
        {"path": _PLACE},
        (
            _only(
                "recursive",
                True,
                "delete cannot be told to spare what is in a directory",
                "leave recursive out if it is a file; a directory is deleted whole",
            ),
        ),
    ),
    "run": Words(
        {
            "command": "cmd command_line script",
            "cwd": f"workdir work_dir working_directory working_dir cd {_DIRECTORY}",
            "timeout_ms": "timeout_milliseconds",
            "timeout": "timeout_seconds timeout_secs timeout_sec timeout_s",
            "run_in_background": "is_background background",
            "yield_time_ms": "block_until_ms",
            "stdin": "input",
            "env": "environment",
        },
        (
            Reader({"command": None, "shell": "string", "login": "boolean"}, _command),
            Reader({"timeout": "integer"}, _timeout),
            Reader({"timeout_ms": "integer"}, lambda given: {"timeout": _seconds(given)}),
            Reader({"run_in_background": "boolean", "timeout": "integer"}, _background),
            Reader({"yield_time_ms": "integer"}, lambda given: {"wait": _seconds(given)}),
            _only(
                "sandbox_permissions", "use_default", "run has no sandbox_permissions", _IN_SANDBOX
            ),
        ),
        {
            "dangerouslyDisableSandbox": _IN_SANDBOX,
            "with_escalated_permissions": _IN_SANDBOX,
            "required_permissions": _IN_SANDBOX,
        },
        "max_output_tokens max_output_length require_user_approval requires_approval prefix_rule",
    ),
    "session": Words(
        {
            "session": "session_id bash_id shell_id task_id terminal_id id",
            "input": "chars text data stdin",
            "stop": "kill terminate",
        },
        (
            Reader({"yield_time_ms": "integer"}, lambda given: {"wait": _seconds(given)}),
            Reader({"timeout": "integer", "block": "boolean"}, _session_wait),
            Reader({"offset": "integer", "limit": "integer"}, _lines_of_output),
        ),
        {"filter": "the answer has all output"},
        "max_output_tokens",
    ),
    "context": Words(
        {"path": _PLACE, "symbol": "symbol_name", "directories": "target_directories file_paths"},
        (Reader({"directories": "array"}, _one_place),),
    ),
    "rewrite": Words(
        {
            "path": _PLACE,
            "globs": _GLOBS,
            "language": "lang",
            "rewrite": "replacement replace fix",
        }
    ),
    "rename": Words(
        {"path": f"{_FILE} absolute_path", "symbol": "symbol_name old_name name", "to": "new_name"},
        ignored="line_content",
    ),
    "get": Words({"path": f"{_FILE} absolute_path", "key": "key_path json_path", "max": _MAX}),
    "set": Words(
        {
            "path": f"{_FILE} absolute_path",
            "edits": "changes updates",
            "key": "key_path json_path",
            "value": "new_value",
            "create": "create_parents create_missing",
        }
    ),
    "changes": Words({"id": "change_id", "path": _PLACE, "max": _MAX}),
    "undo": Words(
        {"id": "change_id", "paths": f"path files file_paths {_FILE}"},
        (Reader({"id": "string"}, lambda given: {} if given == "latest" else {"id": given}),),
    ),
}

# Tools that models know, by what to call here; case and separators do not count.
_KNOWN_TOOLS = {
    "run": (
        "bash shell localshell exec execcommand execute executecommand runcommand "
        "runshellcommand runterminalcmd runinterminal terminal"
    ),
    "session": "bashoutput taskoutput writestdin getterminaloutput",
    "session with stop: true": "killshell killbash taskstop",
    "read": "cat openfile readfile readmanyfiles viewimage viewfile view",
    "write": "createfile writefile writetofile",
    "write with a path that ends in /": "createdirectory",
    "edit": (
        "editfile inserteditintofile multiedit multireplacestringinfile replace replaceinfile "
        "replacestringinfile searchreplace strreplace"
    ),
    "read, edit or write": "strreplaceeditor strreplacebasededittool",
    "apply_patch": "applydiff",
    "delete": "deletefile removefile",
    "move": "movefile renamefile",
    "find": "findfiles filesearch glob globfilesearch listdir listdirectory listfiles ls",
    "search": "grep grepfiles grepsearch ripgrep searchfilecontent searchfiles",
    "context with query": "codebasesearch semanticsearch",
    "context with kind: references": "listcodeusages",
    "rename": "renamesymbol",
    "undo": "undoedit",
}
TOOL_NAMES: Mapping[str, str] = {
    known: call for call, names in _KNOWN_TOOLS.items() for known in names.split()
}
