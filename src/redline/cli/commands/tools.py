"""The tools of the toolset `agent` as commands: each builds a call and sends it to the dispatcher.

Nothing is done here a second time. Flags, help and checks come from the schema of the tool, and the
answer is the text that a model gets.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import shlex
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from redline.cli.argument_names import WORDS
from redline.cli.flags import add_guarded_flag, find_caller, settings_from, state_dir_from
from redline.cli.terminal import NOTHING_FOUND, err, out, out_bytes, paint_diff, standard_input
from redline.core.errors import GuardedWrite, InvalidArgument
from redline.server.shell import SHELL_TOOLS, ShellAnswer, ShellCalls, ShellTool
from redline.wiring.command_line import locate_workspace, read_named_input
from redline.wiring.workspace import Redline

if TYPE_CHECKING:
    from redline.core.changes import ChangeSet
    from redline.core.errors import PermissionRequired

_MAX_INPUT = 64 << 20
_WAIT = 60
# The fields of an answer that have something in them if anything was found or changed.
_FOUND = ("matches", "entries", "files", "total", "snippets", "id", "diff")
_EXIT = {"INVALID_ARGUMENT": 2, "BAD_PATTERN": 2, "NO_VALUE": 3, "NO_CHANGE": 3}
Json = dict[str, Any]


_HELP = {
    "edit path": "File or glob",
    "edit old": "Text to replace; must be unique without --all",
    "edit edits": "Several edits at once: a list of {path, old, new, all, ...}",
    "apply_patch patch": "A file with the patch; default or -: standard input",
    "write content": "All of it; default: standard input",
    "run command": "A shell line, or a program and its arguments",
    "context symbol": "A symbol, file or directory; default: the whole project",
}


class Door(NamedTuple):
    """How a command takes the arguments of a tool.

    `places` are its positional arguments: `?` may be left out, `*` may be repeated. `inputs` can
    come from a file or standard input as well. `hidden` are for clients that stay connected.
    """

    tool: str
    places: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    example: str = ""


DOORS = {
    "read": Door("read", ("paths*",), hidden=("path",), example="read shop.py:10-40 till.py#total"),
    "find": Door("find", ("path?",), example="find src --glob '*.py' --glob '!test_*'"),
    "search": Door("search", ("query", "path?"), example="search --regex 'def \\w+_price' src"),
    "edit": Door(
        "edit",
        ("path?",),
        ("old", "new", "edits"),
        example="""edit shop.py --old 'rate = 2' --new 'rate = 3'
  redline edit shop.py --old-file /dev/fd/3 --new-file - 3<<'OLD' <<'NEW'
  def price(amount):
  OLD
  def price(amount, rate):
  NEW
  redline edit --edits-file - <<'EOF'
  [{"path": "a.py", "old": "x", "new": "y"}, {"path": "b.py", "old": "x", "new": "y"}]
  EOF""",
    ),
    "patch": Door(
        "apply_patch",
        ("patch?",),
        example="""patch <<'EOF'
  *** Begin Patch
  *** Update File: shop.py
  @@
  -rate = 2
  +rate = 3
  *** End Patch
  EOF
  git diff other | redline patch""",
    ),
    "write": Door(
        "write",
        ("path",),
        ("content",),
        example="write notes/todo.md <<'EOF'\n  - sell more\n  EOF",
    ),
    "move": Door("move", ("path", "to"), example="move till.py register.py --imports"),
    "remove": Door("delete", ("path",), example="remove old/"),
    "run": Door(
        "run",
        ("command*",),
        ("stdin",),
        ("wait", "tty", "apply"),
        example="run -- pytest -q tests\n  redline run --dry-run 'rm -rf build && make'",
    ),
    "context": Door("context", ("symbol?",), example="context Shop.price --kind references"),
    "rewrite": Door(
        "rewrite",
        ("pattern", "rewrite?"),
        example="rewrite 'print($A)' 'log.info($A)' --language python",
    ),
    "rename": Door("rename", ("symbol", "to"), example="rename Shop.price gross --dry-run"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command that the parser is for: those of its tool."""
    name = parser.prog.rpartition(" ")[2]
    if name == "call":
        _configure_call(parser)
        return
    door = DOORS[name]
    tool = SHELL_TOOLS[door.tool]
    parser.epilog = f"example:\n  redline {door.example}\n"
    fields = _fields(tool)
    for place in door.places:
        name = place.rstrip("?*")
        parser.add_argument(
            f"arg_{name}",
            metavar="FILE" if name == "patch" else name.upper(),
            nargs=argparse.REMAINDER if name == "command" else place[len(name) :] or None,
            help=_help(tool, name, fields[name]),
        )
    named = {place.rstrip("?*") for place in door.places}
    for name, schema in fields.items():
        if name not in named and name not in door.hidden:
            _add_flag(parser, tool, name, schema)
        if name in door.inputs:
            described = f"{name} from a file; - reads standard input"
            parser.add_argument(
                f"--{name}-file", dest=f"file_{name}", metavar="FILE", help=described
            )
    parser.add_argument("--args", metavar="JSON", help="more arguments, written as in hints")
    _add_common(parser, tool.writes)


def _configure_call(parser: argparse.ArgumentParser) -> None:
    """Declare `redline call TOOL JSON`: every tool, with the arguments that an MCP client sends."""
    parser.epilog = """example:
  redline call set '{"path": "conf.yaml", "edits": [{"key": "port", "value": 8080}]}'
  redline call undo '{"paths": ["shop.py"]}'
"""
    parser.add_argument("tool", choices=SHELL_TOOLS, metavar="TOOL", help=", ".join(SHELL_TOOLS))
    parser.add_argument(
        "args", metavar="JSON", nargs="?", default="{}", help="its arguments; - reads them"
    )
    _add_common(parser, writes=True)


def _add_common(parser: argparse.ArgumentParser, writes: bool) -> None:
    parser.add_argument("--json", action="store_true", help="answer in JSON, for programs")
    if writes:
        add_guarded_flag(parser)
    parser.add_argument("--workspace", metavar="DIR", help="default: found from here upwards")
    parser.add_argument("--state-dir", metavar="DIR", help="where history lives")


def _fields(tool: ShellTool) -> dict[str, Json]:
    """Return the arguments of a tool with their schemas; those of one edit stand beside them."""
    inner = {name: each for name, each in tool.edit_fields.items() if name not in tool.fields}
    return {**inner, **tool.fields}


def _help(tool: ShellTool, name: str, schema: Json) -> str:
    return _HELP.get(f"{tool.name} {name}") or str(schema.get("description"))


def _add_flag(parser: argparse.ArgumentParser, tool: ShellTool, name: str, schema: Json) -> None:
    flags = [f"--{'glob' if name == 'globs' else name}".replace("_", "-")]
    if name == "path" and tool.name in ("rename", "rewrite"):
        flags.append("--file")
    elif name == "dry_run":
        flags.append("-n")
    described = _help(tool, name, schema)
    parser.add_argument(*flags, dest=f"arg_{name}", help=described, **_form(name, schema))


def _form(name: str, schema: Json) -> dict[str, Any]:
    """Return what argparse needs to know about the values of a flag."""
    kind = schema.get("type")
    if kind == "boolean":
        # Only these say something when they are false.
        switch = name in ("imports", "possible")
        return {"action": argparse.BooleanOptionalAction if switch else "store_true"} | (
            {"default": None} if not switch else {}
        )
    if kind == "integer":
        return {"type": int, "metavar": "N"}
    if name == "env":
        return {"action": "append", "metavar": "NAME=VALUE"}
    if kind == "array" and schema["items"].get("type") == "string":
        return {"action": "append", "metavar": name.removesuffix("s").upper()}
    if kind in ("array", "object"):
        return {"metavar": "JSON"}
    return {"choices": schema["enum"]} if "enum" in schema else {"metavar": name.upper()}


def run(args: argparse.Namespace) -> int:
    """Call the tool and print its answer; return the exit code."""
    tool = SHELL_TOOLS[args.tool if args.command == "call" else DOORS[args.command].tool]
    settings = settings_from(args, "workspace", "state_dir", "directories")
    place = locate_workspace(args.workspace or ".", state_dir_from(args))
    if args.workspace and os.path.realpath(args.workspace) != place.workspace:
        place = place._replace(workspace=os.path.realpath(args.workspace), directories=())
    settings = settings._replace(
        workspace=place.workspace,
        directories=place.directories,
        state_dir=place.state_dir,
        allow_any_root=True,
        record=False,
    )
    if args.command == "call" and args.args == "-":
        args.args = _read_input("-")
    arguments = _arguments(args, tool)
    if args.workspace is None:
        _start_here(arguments, tool.name, settings.workspace)
    with Redline(settings, is_brief=True) as redline:
        if tool.name in ("context", "rename"):
            redline.code_index.build(_show_progress if sys.stderr.isatty() else None)
        calls = ShellCalls(
            redline,
            find_caller(),
            words={} if args.command == "call" else WORDS,
            read_only=settings.read_only,
            consent=_consent if getattr(args, "allow_guarded", False) else None,
            as_owner=getattr(args, "as_owner", False),
            progress=_say_progress,
        )
        return _call(args, calls, tool.name, arguments)


def _show_progress(done: int, total: int) -> None:
    end = "\r" if done < total else "\r\x1b[K"
    print(f"indexing {done} of {total} files", end=end, file=sys.stderr, flush=True)


# --- arguments -----------------------------------------------------------------------------------


def _arguments(args: argparse.Namespace, tool: ShellTool) -> Json:
    """Return the arguments of the call: those of the flags, then those of --args."""
    given: Json = {}
    for name, schema in _fields(tool).items():
        value = _read_given(args, name)
        if value is not None:
            given[name] = _value(name, schema, value)
    more = _read_json("--args", args.args) if args.args else {}
    if not isinstance(more, dict):
        raise InvalidArgument("--args must be a JSON object", field="args")
    complete = _COMPLETE.get(tool.name)
    if complete is not None and args.command != "call":
        complete(given, more)
    return {**given, **more}


def _read_given(args: argparse.Namespace, name: str) -> Any:
    """Return what the flag of an argument has, or the file that is named instead."""
    value, source = getattr(args, f"arg_{name}", None), getattr(args, f"file_{name}", None)
    if source is None:
        return value
    if value is not None:
        raise InvalidArgument(f"Give --{name} or --{name}-file, not both", field=name)
    return _read_input(source)


def _value(name: str, schema: Json, value: Any) -> Any:
    """Return what a flag gave as the schema has it."""
    kind = schema.get("type")
    if name == "command":
        words = value[1:] if value[:1] == ["--"] else value
        return words[0] if len(words) == 1 else shlex.join(words)
    if name == "env":
        pairs = [each.partition("=") for each in value]
        return {key: text for key, _, text in pairs}
    if isinstance(value, str) and (kind in ("object", "array") or kind is None):
        return _read_json(f"--{name}", value)
    return value


def _make_one_edit(given: Json, more: Json) -> None:
    """Make of the flags that describe one edit the list that the tool takes."""
    outer, inner = SHELL_TOOLS["edit"].fields, SHELL_TOOLS["edit"].edit_fields
    edit = {name: given.pop(name) for name in inner if name not in outer and name in given}
    if edit and "edits" in given:
        raise InvalidArgument("Give --edits, or --old and --new", field="edits")
    if edit or ("edits" not in given and not more):
        given["edits"] = [edit] if edit else []


def _read_patch(given: Json, more: Json) -> None:
    if "patch" not in more:
        given["patch"] = _read_input(given.get("patch") or "-")


def _read_content(given: Json, more: Json) -> None:
    """Take standard input as the content, unless a directory is to be made."""
    if "content" not in {**given, **more} and not given["path"].endswith("/"):
        given["content"] = _read_input("-")


def _tell_path_from_symbol(given: Json, _: Json) -> None:
    """A file or directory that is there is meant as such, and so is a name with a slash."""
    named = given.get("symbol")
    if named and "path" not in given and ("/" in named or os.path.lexists(named)):
        given["path"] = given.pop("symbol")


def _take_one_path(given: Json, _: Json) -> None:
    """One file is answered as one, which a picture can be too."""
    if len(given["paths"]) < 2:
        given |= dict(zip(("path",), given.pop("paths"), strict=False))


def _drop_empty_command(given: Json, _: Json) -> None:
    if not given["command"]:
        del given["command"]


_COMPLETE = {
    "edit": _make_one_edit,
    "apply_patch": _read_patch,
    "write": _read_content,
    "context": _tell_path_from_symbol,
    "read": _take_one_path,
    "run": _drop_empty_command,
}


def _start_here(arguments: Json, tool: str, workspace: str) -> None:
    """Make relative paths mean what they mean in the current directory."""
    prefix = os.path.relpath(os.path.realpath("."), workspace).replace(os.sep, "/")
    if prefix == "." or prefix.startswith("../"):
        return

    def place(raw: Any) -> Any:
        if not isinstance(raw, str) or os.path.isabs(raw):
            return raw
        joined = f"{prefix}/{raw}"
        return posixpath.normpath(joined) if raw.startswith("..") else joined

    here = {"find": "path", "search": "path", "rewrite": "path", "run": "cwd"}.get(tool)
    if here:
        arguments.setdefault(here, ".")
    for values in (arguments, *_objects(arguments.get("edits"))):
        for name in ("path", "cwd", "to") if tool == "move" else ("path", "cwd"):
            if values.get(name):
                values[name] = place(values[name])
    paths = arguments.get("paths")
    arguments |= {"paths": list(map(place, paths))} if isinstance(paths, list) else {}


def _objects(values: Any) -> list[Json]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _read_input(source: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    try:
        if source == "-":
            return standard_input(_MAX_INPUT).decode()
        return read_named_input(source, _MAX_INPUT).decode()
    except OSError as error:
        raise InvalidArgument(f"Cannot read {source}: {error.strerror}", field="file") from None
    except UnicodeDecodeError:
        raise InvalidArgument(f"Not UTF-8 text: {source}", field="file") from None


def _read_json(flag: str, text: str) -> Any:
    try:
        return json.loads(_read_input("-") if text == "-" else text)
    except ValueError as error:
        raise InvalidArgument(f"{flag} is not JSON: {error}", field=flag) from None


# --- the call and its answer ---------------------------------------------------------------------


def _call(args: argparse.Namespace, calls: ShellCalls, tool: str, arguments: Json) -> int:
    """Send the call, follow a command until it ends, and print what is answered."""
    if args.command == "run":
        arguments.setdefault("wait", _WAIT)
    answer = calls.call(tool, arguments, args.args or "{}")
    while SHELL_TOOLS[tool].runs and answer.fields.get("status") == "running":
        for text in (answer.fields["stdout"], answer.fields["stderr"]):
            if text and not args.json:
                out_bytes(text.encode())
        answer = calls.call("session", {"session": answer.fields["session"], "wait": _WAIT})
    return _print_answer(args, SHELL_TOOLS[tool], answer)


def _consent(refused: PermissionRequired, _: ChangeSet, /) -> bool | None:
    """The person allowed guarded files by a flag; rules are decided with `redline held`."""
    return True if isinstance(refused, GuardedWrite) else None


def _say_progress(_done: float, _total: float | None, message: str) -> None:
    if message:
        err(f"{message} ...")


def _print_answer(args: argparse.Namespace, tool: ShellTool, answer: ShellAnswer) -> int:
    """Print the text of an answer, or its fields; return the exit code."""
    text, fields = answer.text, answer.fields
    if args.json:
        out(json.dumps(fields, ensure_ascii=False))
    else:
        if tool.runs and fields.get("dry_run") and "session" in fields:
            # This process does not keep what it would do.
            text = text.replace(f"run it with apply {fields['session']}", "leave --dry-run out")
        _print(text, to_stderr=bool(answer.code), painted=tool.writes)
    if tool.runs and not answer.code:
        return int(fields.get("exit_code") or answer.failed)
    if answer.code == "NO_MATCH" and tool.name == "rewrite":
        return NOTHING_FOUND
    if not answer.failed and not any(map(fields.get, _FOUND)):
        return NOTHING_FOUND
    return _EXIT.get(answer.code, 1) if answer.failed else 0


def _print(text: str, *, to_stderr: bool, painted: bool) -> None:
    """Print an answer: as it is for a program, with colours and without hidden characters else."""
    stream = sys.stderr if to_stderr else sys.stdout
    if stream is not None and stream.isatty():
        (err if to_stderr else out)(paint_diff(text).rstrip("\n") if painted else text)
    elif to_stderr and stream is not None:
        stream.write(f"{text}\n")
        stream.flush()
    else:
        out_bytes(f"{text}\n".encode("utf-8", "surrogateescape"))
