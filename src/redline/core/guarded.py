"""Files that a person's own tools execute by themselves: an agent writes them only with consent.

The default list is here and nowhere else; `docs/safety.md` gives the reason for each entry. A
pattern is a run of names that may be at any depth (`.vscode/tasks.json`), or is anchored at the
person's home (`~/.bashrc`). It covers everything beneath what it matches. Each name is a glob.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from redline.core.late_regex import late_regex
from redline.core.paths import WorkspacePath

# The entry of `guarded_paths` that means Redline's own program files.
PROGRAM = "@redline"

DEFAULT_PATTERNS: tuple[str, ...] = tuple(
    " ".join(
        (
            # git hooks that live in the working tree; what core.hooksPath names is found separately
            ".husky .githooks .git-hooks",
            # shells and debuggers that read a file of the current directory
            ".envrc .gdbinit .lldbinit .exrc .nvimrc .nvim.lua",
            # editors: tasks on opening a folder, paths of programs to run
            ".vscode/tasks.json .vscode/settings.json *.code-workspace .idea",
            ".zed/tasks.json .zed/settings.json .devcontainer .devcontainer.json",
            # agents: hooks and servers that start without another question
            ".mcp.json .*/mcp.json .claude/settings*.json .claude/hooks .cursor/hooks.json",
            ".codex/config.toml .codex/hooks.json .gemini/settings.json",
            ".cursor/cli.json .cursor/permissions.json",
            # interpreters and package managers: loaded at every start
            "sitecustomize.py usercustomize.py site-packages/*.pth dist-packages/*.pth",
            ".yarnrc.yml .yarn/releases .yarn/plugins",
            # the person's home, where that is within an allowed directory
            "~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.profile",
            "~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin ~/.zlogout ~/.ssh",
            "~/.gitconfig ~/.config/git ~/.config/fish ~/.config/autostart",
            "~/.config/systemd ~/.config/redline ~/Library/LaunchAgents",
        )
    ).split()
)

# What git takes for its directory, folded.
GIT_NAMES = frozenset({".git", "git~1"})
# Characters that HFS+ leaves out when it compares names.
_IGNORED = late_regex("[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


class Permission(StrEnum):
    """What a person allows; also the name by which a refusal asks for it."""

    GIT = "git_writes"
    GUARDED = "guarded_writes"
    PROGRAM = "program_writes"


class GuardedPath(NamedTuple):
    """A path of a change set that needs a person's consent, and why."""

    path: WorkspacePath
    permission: Permission
    reason: str
    pattern: str = ""


@lru_cache(4096)
def fold_name(name: str) -> str:
    """*name* as the most forgiving file system compares it: what NTFS, HFS+ and FAT ignore goes."""
    if not name.isascii():
        name = _IGNORED.sub("", name)
    return name.partition(":")[0].rstrip(" .").casefold()


class PathRules:
    """Which paths are guarded: the defaults without those removed by `!pattern`, and more."""

    def __init__(self, changes: Iterable[str] = (), home: Sequence[str] = ()) -> None:
        given = [change.strip() for change in changes]
        removed = {change[1:] for change in given if change.startswith("!")}
        added = [change for change in given if change and not change.startswith("!")]
        self.guards_program = PROGRAM not in removed
        self._home = tuple(map(fold_name, home))
        rules = [_Rule(text) for text in (*DEFAULT_PATTERNS, *added) if text not in removed]
        self._at_home = [rule for rule in rules if rule.at_home]
        self._by_first: dict[str, list[_Rule]] = {}
        self._by_wildcard: list[_Rule] = []
        for rule in rules:
            first = rule.tests[0] if rule.tests and not rule.at_home else None
            if isinstance(first, str):
                self._by_first.setdefault(first, []).append(rule)
            elif first is not None:
                self._by_wildcard.append(rule)
        firsts = [rule.tests[0] for rule in self._by_wildcard]
        globs = [first.pattern for first in firsts if not isinstance(first, str)]
        self._wildcards = re.compile("|".join(globs) or r"(?!)")
        last = {rule.tests[-1] for rule in rules if rule.tests}
        self._last_names = {test for test in last if isinstance(test, str)}
        self._last_globs = [test for test in last if not isinstance(test, str)]

    def match(self, folded: tuple[str, ...], *, is_link: bool = False) -> str | None:
        """Return the pattern that covers the absolute path of these folded names, if any.

        A link is covered as soon as it could put other files where a pattern looks for them.
        """
        for start, rule in self._candidates(folded):
            wanted, found = rule.tests, folded[start : start + len(rule.tests)]
            is_whole = len(found) == len(wanted)
            if (is_whole or (is_link and found)) and all(map(_test, wanted, found)):
                return rule.text
        return None

    def may_end_with(self, name: str) -> bool:
        """Whether the last name of some pattern fits *name*: without that nothing ends there."""
        folded = fold_name(name)
        return folded in self._last_names or any(glob.match(folded) for glob in self._last_globs)

    def literal_paths(self) -> list[tuple[str, ...]]:
        """Return the names of every pattern that is not anchored at home and holds no wildcard."""
        rules = (rule for rules in self._by_first.values() for rule in rules)
        return [names for rule in rules if (names := rule.literal) is not None]

    def _candidates(self, folded: tuple[str, ...]) -> Iterator[tuple[int, _Rule]]:
        for start, name in enumerate(folded):
            for rule in self._by_first.get(name, ()):
                yield start, rule
            if self._wildcards.match(name):
                for rule in self._by_wildcard:
                    yield start, rule
        if self._home and folded[: len(self._home)] == self._home:
            for rule in self._at_home:
                yield len(self._home), rule


class _Rule:
    """One pattern, compiled: a test for each of its names."""

    __slots__ = ("at_home", "tests", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at_home = text.startswith("~/")
        bare = text.removeprefix("~/").removeprefix("**/").removesuffix("/**")
        self.tests = [_compile(name) for name in bare.split("/") if name]

    @property
    def literal(self) -> tuple[str, ...] | None:
        """The names, if none of them is a wildcard."""
        names = tuple(test for test in self.tests if isinstance(test, str))
        return names if len(names) == len(self.tests) else None


def _compile(name: str) -> str | re.Pattern[str]:
    folded = fold_name(name)
    return re.compile(translate(folded)) if set(folded) & set("*?[") else folded


def _test(wanted: str | re.Pattern[str], name: str) -> bool:
    return name == wanted if isinstance(wanted, str) else wanted.match(name) is not None
