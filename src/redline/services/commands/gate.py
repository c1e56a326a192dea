"""Decide whether a command line may run: the one gate of every tool that runs commands.

The text of a line says which permissions it needs, in the order of the table. This explains early
and names the permission to ask for. It is never the guard: what it misses, the kernel stops.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from redline.core.errors import InvalidArgument, PathDenied, PermissionRequired, RedlineError
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.session_memory import Grant
from redline.core.records import dataclass, field
from redline.services.runtime import Runtime

_PREFIXES = frozenset(
    ["command", "exec", "nohup", "nice", "setsid", "stdbuf", "timeout", "time", "xargs", "builtin"]
)


def program_name(word: str) -> str:
    """Return the program without its directory."""
    return word.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A simple command without `env`, `timeout` and the like, and every name it went through."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    simple: Simple
    directories: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The program that finally runs, empty when there is none."""
        return program_name(self.words[0]) if self.words else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What that program is given."""
        return self.words[1:]


def unwrap(simple: Simple) -> Unwrapped:
    """*simple* as the program it finally starts."""
    words = list(simple.words)
    names: list[str] = []
    directories: list[str] = []
    while words:
        names.append(words[0])
        if program_name(words[0]) == "env":
            words, seen = _behind_env(words[1:])
            directories += seen
        elif program_name(words[0]) in _PREFIXES:
            words = _behind_prefix(words)
        else:
            break
    return Unwrapped(tuple(names), tuple(words), simple, tuple(directories))


def _behind_env(words: list[str]) -> tuple[list[str], list[str]]:
    directories: list[str] = []
    while words and (words[0].startswith("-") or "=" in words[0]):
        option, words = words[0], words[1:]
        takes_value = option in ("-C", "--chdir", "-u", "--unset", "-S", "--split-string")
        value = words[0] if takes_value and words else ""
        if option.startswith("--chdir="):
            directories.append(option.partition("=")[2])
        elif option.startswith("-C") and len(option) > 2:
            directories.append(option[2:])
        elif option in ("-C", "--chdir"):
            directories.append(value)
        if takes_value:
            words = words[1:]
    return words, directories


def _behind_prefix(words: list[str]) -> list[str]:
    kind, words = program_name(words[0]), words[1:]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in ("-n", "-s", "-k", "-I", "-L", "-P") else words[1:]
    return words[1:] if kind == "timeout" else words


@dataclass(frozen=True, slots=True)
class Demand:
    """A permission the line needs, and because of what."""

    permission: str
    because: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the text alone cannot answer.

    With `absolute_paths` only `leads_out` decides whether a path is outside; else absolute paths
    and `..` are outside wherever they lead.
    """

    is_privileged: Callable[[str], bool]
    leads_out: Callable[[str], bool]
    absolute_paths: bool = False


_FILE_COMMANDS = frozenset(
    """
    cat cd chmod chown cp head less ln ls mkdir more mv rm rmdir stat tail touch wc
    """.split()
)
_PATTERN_COMMANDS = frozenset(("grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "mawk"))
_WITH_VALUE = ("-e", "-m", "-A", "-B", "-C", "-g", "-t")
_INTERPRETERS = re.compile(r"(bash|dash|sh|zsh|python[\d.]*|node|ruby|perl)$")
_SHELLS = ("sh", "bash", "dash", "zsh")
DESTRUCTIVE = "destructive_command"
_OVERWRITING = ("checkout", "switch", "restore", "reset", "stash", "rebase", "clean")
_NETWORK = frozenset(["curl", "wget", "nc", "netcat", "ssh", "scp", "ftp"])
# An address of this machine, as programs take it.
_LOCAL = re.compile(
    r"(?:https?://|ws://)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?)(?![\w.-])",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://", re.IGNORECASE)
_LIBRARIES = re.compile(
    r"(?<![\w/-])(requests|urllib[23]?|httpx|aiohttp|http\.client|http\.server|socket|socketserver)"
    r"(?![\w/-])"
)
_HARMLESS_TALK = frozenset(
    ["echo", "printf", "grep", "egrep", "fgrep", "rg", "cat", "head", "tail", "wc"]
)
_SECRET_NAME = re.compile(
    r"token|secret|credential|api[_-]?key|password|passwd|private", re.IGNORECASE
)
_LOADER_NAMES = frozenset(
    """
    BASH_ENV ENV LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES PYTHONPATH PYTHONSTARTUP
    NODE_OPTIONS RUBYOPT PERL5OPT
    """.split()
)
_KEY_SHAPE = re.compile(
    r"sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}"
    r"|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_DEVICES = re.compile(r"/dev/(null|zero|full|random|urandom|tty|std(in|out|err)|fd/\d+)$")
_CHECKED = {
    "safe": (),
    "trusted": ("privileged_executable", "sensitive_env", "destructive_command"),
    "dangerous": ("privileged_executable", "filesystem_escape"),
}


def find_demands(
    line: str, env: Mapping[str, str], around: Surroundings, mode: str = "safe"
) -> list[Demand]:
    """Return every permission *line* needs in that mode, first the one to ask for first."""
    commands = [unwrap(command) for command in split(line)]
    checks: tuple[tuple[str, Callable[[], str | None]], ...] = (
        ("privileged_executable", lambda: _find_privileged(commands, around)),
        ("filesystem_escape", lambda: _escape(commands, around)),
        ("sensitive_env", lambda: _sensitive(env)),
        ("inline_script", lambda: _inline(commands)),
        ("shell_expansion", lambda: _expansion(line)),
        (DESTRUCTIVE, lambda: _destructive(commands)),
        ("network", lambda: _network(line, commands)),
    )
    wanted = _CHECKED[mode]
    found = ((name, check()) for name, check in checks if not wanted or name in wanted)
    return [Demand(name, because) for name, because in found if because is not None]


def find_outside_talk(line: str) -> Demand | None:
    """Return the network demand of a program that talks to another machine; None if none does."""
    for command in map(unwrap, split(line)):
        is_local = any(_LOCAL.match(word) for word in command.arguments)
        if command.name in _NETWORK and command.arguments and not is_local:
            return Demand("network", f"{command.name} uses the network")
    return None


def find_overwriting_git(line: str) -> str:
    """Return the git command of *line* that can replace files of the work tree, or ""."""
    for command in map(unwrap, split(line)):
        words = command.arguments
        verb = next((n for n, word in enumerate(words) if word in _OVERWRITING), None)
        if command.name != "git" or verb is None:
            continue
        is_harmless = words[verb] == "stash" and words[verb + 1 : verb + 2] in (
            ("list",),
            ("show",),
        )
        if not is_harmless:
            return f"git {words[verb]}"
    return ""


def _find_privileged(commands: list[Unwrapped], around: Surroundings) -> str | None:
    for command in commands:
        for word in command.names:
            if around.is_privileged(word):
                return f"{word} runs with the rights of its owner (setuid)"
    return None


def _escape(commands: list[Unwrapped], around: Surroundings) -> str | None:
    for command in commands:
        targets = [target for op, target in command.simple.redirections if _names_file(op, target)]
        for path in (*targets, *command.directories, *_paths(command)):
            if _is_outside(path, around):
                return f"{path} lies outside the workspace"
    return None


def _names_file(operator: str, target: str) -> bool:
    bare = operator.lstrip("0123456789")
    return not bare.startswith("<<") and not (bare in (">&", "<&") and target.strip("-").isdigit())


def _is_outside(path: str, around: Surroundings) -> bool:
    if _DEVICES.match(path):
        return False
    if path.startswith("~"):
        return True
    if not around.absolute_paths and (path.startswith("/") or ".." in path.split("/")):
        return True
    return around.leads_out(path)


def _paths(command: Unwrapped) -> Iterator[str]:
    name, arguments = command.name, command.arguments
    if name in _FILE_COMMANDS:
        yield from _operands(arguments)
        yield from (a.partition("=")[2] for a in arguments if a.startswith("--") and "=/" in a)
    elif name in _PATTERN_COMMANDS:
        yield from _after_pattern(arguments)
    elif name == "find":
        for argument in arguments:
            if argument.startswith("-") and argument not in ("-H", "-L", "-P"):
                break
            if argument in ("(", "!"):
                break
            yield argument
    elif _INTERPRETERS.match(name):
        yield from _script(arguments)


def _operands(arguments: tuple[str, ...]) -> Iterator[str]:
    only_operands = False
    for argument in arguments:
        if argument == "--" and not only_operands:
            only_operands = True
        elif only_operands or not argument.startswith("-") or argument == "-":
            yield argument


def _after_pattern(arguments: tuple[str, ...]) -> Iterator[str]:
    pattern_given = any(
        a in ("-e", "-f") or a.startswith(("--regexp", "--file")) for a in arguments
    )
    rest, waiting = [], False
    for argument in arguments:
        if waiting:
            waiting = False
        elif argument in _WITH_VALUE:
            waiting = True
        elif argument == "-" or not argument.startswith("-"):
            rest.append(argument)
    yield from rest if pattern_given else rest[1:]


def _script(arguments: tuple[str, ...]) -> Iterator[str]:
    for argument in arguments:
        if argument in ("-m", "-c", "-e", "-p", "--eval", "--print", "-"):
            return
        if not argument.startswith("-"):
            yield argument
            return


def _sensitive(env: Mapping[str, str]) -> str | None:
    for key, value in env.items():
        if key in _LOADER_NAMES:
            return f"the variable {key} changes what programs load"
        if _SECRET_NAME.search(key) or _KEY_SHAPE.search(value):
            return f"the variable {key} looks like a secret"
    return None


def _inline(commands: list[Unwrapped]) -> str | None:
    for command in commands:
        name = command.name
        if not _INTERPRETERS.match(name):
            continue
        if command.simple.reads_inline:
            return f"{name} reads a script from the line itself"
        for argument in command.arguments:
            if _is_inline_option(name, argument):
                return f"{name} {argument} runs code from the line itself"
            if not argument.startswith("-"):
                break
    return None


def _is_inline_option(name: str, argument: str) -> bool:
    cluster = argument[1:] if re.match(r"-[A-Za-z]", argument) else ""
    if name in _SHELLS:
        return "c" in cluster
    if name.startswith("python"):
        return argument == "-" or cluster.endswith("c") or cluster.startswith("c")
    if name == "node":
        return argument.split("=")[0] in ("-e", "--eval", "-p", "--print", "-pe")
    return "e" in cluster and not argument.startswith(("-I", "-r", "-m", "-M"))


def _expansion(line: str) -> str | None:
    for mark in ("`", "$(", "${"):
        if mark in line:
            return f"the line holds {mark}"
    return None


def _destructive(commands: list[Unwrapped]) -> str | None:
    for command in commands:
        names = {program_name(word) for word in command.names}
        for name in ("sudo", "su", "mount", "umount"):
            if name in names:
                return f"{name} changes more than the workspace"
        if any(name.startswith("mkfs") for name in names):
            return "mkfs overwrites a file system"
        reason = _destructive_arguments(command)
        if reason:
            return reason
    return None


def _destructive_arguments(command: Unwrapped) -> str | None:
    name, arguments = command.name, command.arguments
    flags = "".join(a[1:] for a in arguments if re.match(r"-[A-Za-z]+$", a))
    if name in ("chmod", "chown") and ("R" in flags or "--recursive" in arguments):
        return f"{name} works on a whole tree"
    if name == "rm":
        recursive = "r" in flags or "R" in flags or "--recursive" in arguments
        if recursive and ("f" in flags or "--force" in arguments):
            return "rm removes whole trees without asking"
    if name == "find" and "-delete" in arguments:
        return "find removes what it finds"
    if name == "git" and "reset" in arguments and "--hard" in arguments:
        return "git reset --hard throws changes away"
    if (
        name == "git"
        and "clean" in arguments
        and ({"f", "x"} & set(flags) or "--force" in arguments)
    ):
        return "git clean removes files"
    return None


def _network(line: str, commands: list[Unwrapped]) -> str | None:
    if all(command.name in _HARMLESS_TALK for command in commands):
        return None
    if _URL.search(line):
        return "the line names a network address"
    for command in commands:
        for word in (*command.names, *command.words):
            if program_name(word) in _NETWORK:
                return f"{program_name(word)} uses the network"
    if any(command.name.startswith("python") for command in commands):
        library = _LIBRARIES.search(line)
        if library:
            return f"the line names the network library {library[0]}"
    return None


_OPERATOR = re.compile(r"\d*(?:<<<|<<-|<<|<>|>>|>\||&>>|&>|<&|>&|<|>)|&&|\|\||;;|\|&|[;&|()\n]")
_RESERVED = frozenset(
    """
    if then elif else fi for while until do done case esac in ! { } time
    """.split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


@dataclass(slots=True)
class Simple:
    """One simple command: its words, its redirections as (operator, target)."""

    words: list[str] = field(default_factory=list)
    redirections: list[tuple[str, str]] = field(default_factory=list)

    @property
    def reads_inline(self) -> bool:
        """Whether its input is written in the line itself."""
        return any(op.lstrip("0123456789").startswith("<<") for op, _ in self.redirections)


def split(line: str) -> list[Simple]:
    """Return the simple commands of *line*, bodies of here-documents left out."""
    commands = [Simple()]
    pending = ""
    bodies: list[str] = []
    position = 0
    while position < len(line):
        character = line[position]
        if character in " \t":
            position += 1
            continue
        if character == "#" and (position == 0 or line[position - 1] in " \t\n;&|("):
            position = _end_of_line(line, position)
            continue
        operator = _OPERATOR.match(line, position)
        if operator:
            position = operator.end()
            pending = _on_operator(operator[0], commands, pending)
            if operator[0] == "\n" and bodies:
                position = _skip_bodies(line, position, bodies)
            continue
        word, position = _word(line, position)
        if pending:
            commands[-1].redirections.append((pending, word))
            if pending.lstrip("0123456789") in ("<<", "<<-"):
                bodies.append(word)
            pending = ""
        else:
            commands[-1].words.append(word)
    return [made for made in map(_without_prefixes, commands) if made.words or made.redirections]


def _on_operator(operator: str, commands: list[Simple], pending: str) -> str:
    if "<" in operator or ">" in operator:
        return operator
    commands.append(Simple())
    return pending


def _end_of_line(line: str, position: int) -> int:
    found = line.find("\n", position)
    return len(line) if found < 0 else found


def _skip_bodies(line: str, position: int, bodies: list[str]) -> int:
    while bodies:
        mark = bodies.pop(0)
        while position < len(line):
            end = _end_of_line(line, position)
            text = line[position:end]
            position = min(len(line), end + 1)
            if text.lstrip("\t") == mark:
                break
    return position


def _word(line: str, position: int) -> tuple[str, int]:
    """Return one word with its quotes taken off, and where it ends."""
    text = ""
    while position < len(line):
        character = line[position]
        if character in " \t\n" or (character in "<>&|;()"):
            break
        if character == "\\":
            text += line[position + 1 : position + 2].replace("\n", "")
            position += 2
        elif character == "'":
            end = line.find("'", position + 1)
            end = len(line) if end < 0 else end
            text += line[position + 1 : end]
            position = end + 1
        elif character == '"':
            part, position = _double_quoted(line, position + 1)
            text += part
        else:
            text += character
            position += 1
    return text, position


def _double_quoted(line: str, position: int) -> tuple[str, int]:
    text = ""
    while position < len(line) and line[position] != '"':
        if line[position] == "\\" and line[position + 1 : position + 2] in ("$", "`", '"', "\\"):
            position += 1
        text += line[position : position + 1]
        position += 1
    return text, position + 1


def _without_prefixes(command: Simple) -> Simple:
    """Without reserved words and assignments in front."""
    words = command.words
    while words and (words[0] in _RESERVED or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    return Simple(words, command.redirections)


MAX_LINE = 131_000  # what the kernel takes as one argument
_NEVER_GRANTED = "filesystem_escape"
_SHELL_LANGUAGE = ("inline_script", "shell_expansion")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line as a tool got it; `argument` is the name of the argument.

    With `any_shell` the kernel decides: the line runs whatever its words are, since a sandbox holds
    the command. Only a program that talks to another machine is worth a question to the person,
    who can give it the network. Where no sandbox is, and without `any_shell`, the words decide.
    `others` says what other agents are at work on: git does not take that away unasked.
    """

    text: str
    cwd: WorkspacePath
    argument: str
    env: Mapping[str, str] = field(default_factory=dict)
    any_shell: bool = False
    others: Callable[[], str] = lambda: ""


class Permits(Protocol):
    """How a tool obtains permissions."""

    def consume(self, permission: str) -> Grant | None:
        """Take a grant that a person gave before for this very call."""

    @property
    def can_ask(self) -> bool:
        """Whether a person can be asked within the call."""

    def ask(self, permissions: Sequence[str]) -> None:
        """Ask a person for *permissions* for this call; PermissionDenied."""

    def is_allowed_on_page(self, permissions: Sequence[str]) -> bool:
        """Return whether a person allowed this call on the review page; PermissionDenied."""

    def hint(self, permission: str) -> str:
        """Return how the caller can get *permission*."""


def pass_gate(runtime: Runtime, line: CommandLine, permits: Permits) -> frozenset[str]:
    """Return the permissions a person gave for this line; PermissionRequired if one is missing."""
    _check_text(line)
    used: list[Grant] = []
    missing: list[Demand] = []
    by_name = bool(runtime.options.get("allow_domains"))
    found = [*_demands_of(runtime, line), *_protect_others(line)]
    for demand in (*found, *_unseen_network(found)):
        grant = permits.consume(demand.permission) if _is_askable(demand) else None
        if grant is not None:
            used.append(grant)
        elif demand in found and not (by_name and demand.permission == "network"):
            missing.append(demand)
    granted = frozenset(grant.permission for grant in used)
    if line.any_shell and _names(missing) == ["network"] and not permits.can_ask:
        # Without the network it runs and says why it failed; the page has the question meanwhile.
        return granted.union(["network"] if permits.is_allowed_on_page(["network"]) else [])
    if not missing:
        return granted
    if all(map(_is_askable, missing)) and _ask(permits, wanted := _names(missing)):
        return granted.union(wanted)
    for grant in used:
        runtime.grants.add(grant)  # not used after all
    raise _refusal(missing[0], permits)


def _names(demands: Sequence[Demand]) -> list[str]:
    return [demand.permission for demand in demands]


def _ask(permits: Permits, wanted: Sequence[str]) -> bool:
    """Return whether a person allows what is *wanted*, asked where that is possible."""
    if permits.can_ask:
        permits.ask(wanted)
        return True
    return permits.is_allowed_on_page(wanted)


def check_env(given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for a command; InvalidArgument for one it cannot have."""
    for key, value in given.items():
        if not _NAME.match(key) or "\0" in value:
            raise InvalidArgument(f"Not a variable a command can have: {key!r}", field="env")
    return dict(given)


def _check_text(line: CommandLine) -> None:
    if "\0" in line.text:
        raise InvalidArgument("A command line cannot contain a NUL byte", field=line.argument)
    if len(line.text.encode("utf-8", "surrogateescape")) > MAX_LINE:
        raise InvalidArgument(
            f"A command line has at most {MAX_LINE} bytes",
            field=line.argument,
            hint="write the script to a file and run that",
        )


def _demands_of(runtime: Runtime, line: CommandLine) -> list[Demand]:
    mode = str(runtime.options.get("sandbox", "safe"))
    around = Surroundings(
        runtime.commands.is_privileged,
        lambda path: _leads_out(runtime, line.cwd, path),
        absolute_paths=line.any_shell,
    )
    found = find_demands(line.text, line.env, around, mode)
    if not line.any_shell:
        return found
    if mode == "dangerous":
        return [demand for demand in found if demand.permission not in _SHELL_LANGUAGE]
    needed = [demand for demand in found if demand.permission == "sensitive_env"]
    talk = find_outside_talk(line.text) if mode == "safe" else None
    return [*needed, talk] if talk is not None else needed


def _protect_others(line: CommandLine) -> list[Demand]:
    """Return what git needs to replace files that another agent is at work on."""
    command = find_overwriting_git(line.text)
    others = line.others() if command else ""
    because = f"{command} can take away unfinished work: {others}"
    return [Demand(DESTRUCTIVE, because)] if others else []


def _unseen_network(found: list[Demand]) -> list[Demand]:
    """A network permission counts also where the text does not show the need, as in pip install."""
    is_seen = any(demand.permission == "network" for demand in found)
    return [] if is_seen else [Demand("network", "a person allowed it")]


def _is_askable(demand: Demand) -> bool:
    return demand.permission != _NEVER_GRANTED


def _refusal(demand: Demand, permits: Permits) -> PermissionRequired:
    if _is_askable(demand):
        hint = permits.hint(demand.permission)
    else:
        hint = "stay inside the workspace with relative paths; this cannot be granted"
    return PermissionRequired(
        f"Command blocked, permission required: {demand.permission} ({demand.because})",
        permission=demand.permission,
        hint=hint,
    )


def _leads_out(runtime: Runtime, cwd: WorkspacePath, raw: str) -> bool:
    """Return whether a path of the line, seen from *cwd*, lies outside of every root."""
    if not raw or "\0" in raw:
        return False
    text = raw
    if not os.path.isabs(raw) and (cwd.parts or cwd.root):
        folder = cwd.relative if cwd.root == 0 else runtime.workspace.absolute(cwd)
        text = f"{folder}/{raw}"
    try:
        runtime.workspace.resolve(text, Access.READ)
    except PathDenied:
        return True
    except RedlineError:
        return False
    return False
