"""Which permissions a command line needs, judged by its text, in the order of the table.

It explains early and names the permission to ask for. It is never the guard: what it misses,
the kernel stops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from redline.core.records import dataclass
from redline.services.commands.shell_words import Simple, split

_PREFIXES = frozenset(
    ["command", "exec", "nohup", "nice", "setsid", "stdbuf", "timeout", "time", "xargs", "builtin"]
)


def program_name(word: str) -> str:
    """The program without its directory."""
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
    """Every permission *line* needs in that mode, first the one to ask for first."""
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
