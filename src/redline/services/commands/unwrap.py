"""The program that a simple command finally starts, without `env`, `nohup` and the like."""

from __future__ import annotations

from dataclasses import dataclass

from redline.services.commands.shell_words import Simple

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
