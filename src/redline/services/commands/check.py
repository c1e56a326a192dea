"""Decide whether a command line may run: the one gate of every tool that runs commands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from redline.core.errors import InvalidArgument, PathDenied, PermissionRequired, RedlineError
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.session_memory import Grant
from redline.core.records import dataclass, field
from redline.services.commands.gate import (
    DESTRUCTIVE,
    Demand,
    Surroundings,
    find_demands,
    find_outside_talk,
    find_overwriting_git,
)
from redline.services.runtime import Runtime

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
    """How a tool comes by permissions."""

    def consume(self, permission: str) -> Grant | None:
        """Take a grant that a person gave before for this very call."""

    @property
    def can_ask(self) -> bool:
        """Whether a person can be asked within the call."""

    def ask(self, permissions: Sequence[str]) -> None:
        """Ask a person for *permissions* for this call; PermissionDenied."""

    def is_allowed_on_page(self, permissions: Sequence[str]) -> bool:
        """Whether a person allowed this call on the review page; PermissionDenied."""

    def hint(self, permission: str) -> str:
        """How the caller can get *permission*."""


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
    """Whether a person allows what is *wanted*, asked where that is possible."""
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
        raise InvalidArgument("A command line may not hold NUL", field=line.argument)
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
    """Whether a path of the line, seen from *cwd*, lies outside of every root."""
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
