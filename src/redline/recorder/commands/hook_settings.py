"""The hooks of each client's settings: how they are written, added and removed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from redline.core.errors import CannotApply
from redline.core.records import dataclass
from redline.documents.json.document import JsonDocument
from redline.documents.json.layout import indent_unit

# What tells Redline's hooks from others: the file that they run.
MARK = "hook_program.py"
_TIMEOUT = 3

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class HookClient:
    """One client: where its hooks are kept, for which events, and what the person must know.

    `tools` is the matcher of events that concern a tool; `events` are those that do not.
    """

    name: str
    title: str
    file: str
    user_file: str
    tools: tuple[tuple[str, str], ...]
    events: tuple[str, ...]
    note: str = ""
    # Whether an event has groups of hooks with a matcher, or the hooks themselves.
    grouped: bool = True
    timeout: int = _TIMEOUT
    start: tuple[tuple[str, int], ...] = ()

    def entries(self, command: str) -> dict[str, dict[str, Any]]:
        """Return what is added for each event."""
        hook: dict[str, Any] = {"command": command, "timeout": self.timeout}
        if self.name == "gemini":
            hook = {"name": "redline", **hook}
        if not self.grouped:
            plain = dict.fromkeys(self.events, hook)
            return {**plain, **{event: {"matcher": m, **hook} for event, m in self.tools}}
        group = {"hooks": [{"type": "command", **hook}]}
        matched = {event: {"matcher": m, **group} for event, m in self.tools}
        return {**dict.fromkeys(self.events, group), **matched}


def hook_clients(workspace: str) -> dict[str, HookClient]:
    """Return every client whose hooks Redline knows, for this person and *workspace*."""
    home, here = os.path.expanduser("~"), os.path.abspath(workspace)
    claude = os.environ.get("CLAUDE_CONFIG_DIR", f"{home}/.claude")
    codex = os.environ.get("CODEX_HOME", f"{home}/.codex")
    shared = "the file names programs of this machine: leave it out of git, or use --user"
    found = (
        HookClient(
            "claude-code",
            "Claude Code",
            os.path.join(here, ".claude", "settings.local.json"),
            os.path.join(claude, "settings.json"),
            (("PreToolUse", "*"), ("PostToolUse", "*"), ("PostToolUseFailure", "*")),
            ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"),
        ),
        HookClient(
            "codex",
            "Codex",
            os.path.join(here, ".codex", "hooks.json"),
            os.path.join(codex, "hooks.json"),
            (("PreToolUse", "*"), ("PostToolUse", "*")),
            ("SessionStart", "UserPromptSubmit", "Stop"),
            note=f"Codex runs new hooks only once you trust them: type /hooks there; {shared}",
        ),
        HookClient(
            "cursor",
            "Cursor",
            os.path.join(here, ".cursor", "hooks.json"),
            os.path.join(home, ".cursor", "hooks.json"),
            (
                ("preToolUse", "Write|Delete"),
                ("postToolUse", "Write|Delete"),
                ("postToolUseFailure", "Write|Delete"),
            ),
            (
                "sessionStart",
                "beforeSubmitPrompt",
                "beforeShellExecution",
                "afterShellExecution",
                "beforeMCPExecution",
                "afterMCPExecution",
                "afterFileEdit",
                "stop",
                "sessionEnd",
            ),
            note=shared,
            grouped=False,
            start=(("version", 1),),
        ),
        HookClient(
            "gemini",
            "Gemini CLI",
            os.path.join(here, ".gemini", "settings.json"),
            os.path.join(home, ".gemini", "settings.json"),
            (("BeforeTool", "*"), ("AfterTool", "*")),
            ("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"),
            note=shared,
            timeout=_TIMEOUT * 1000,
        ),
    )
    return {client.name: client for client in found}


def install(client: HookClient, source: bytes, command: str) -> bytes:
    """Return *source* with Redline's hooks; everything else stays byte for byte."""
    entries = client.entries(command)
    if installed_events(source, command) == set(entries):
        return source
    source = remove(source)
    whole = {event: [entry] for event, entry in entries.items()}
    if source.strip() in (b"", b"{}"):
        return (json.dumps({**dict(client.start), "hooks": whole}, indent=2) + "\n").encode()
    for key, value in client.start:
        if key not in _data(source):
            source = JsonDocument(source, "jsonc").insert((key,), json.dumps(value)).after
    indent = indent_unit(source)
    if _data(source).get("hooks", {}) == {}:
        text = json.dumps(whole, indent=indent)
        return JsonDocument(source, "jsonc").set(("hooks",), text).after
    for event, entry in entries.items():
        source = _add(source, event, entry, indent)
    return source


def _add(source: bytes, event: str, entry: dict[str, Any], indent: str | None) -> bytes:
    """Return *source* with one more entry for an event."""
    hooks = _data(source)["hooks"]
    known = hooks.get(event) if isinstance(hooks, dict) else None
    document = JsonDocument(source, "jsonc")
    if not isinstance(known, list | None):
        raise CannotApply(f"Not a list: hooks.{event}", hint="fix the file by hand")
    if known:
        text = json.dumps(entry, indent=indent)
        return document.insert(("hooks", event, len(known)), text).after
    return document.set(("hooks", event), json.dumps([entry], indent=indent)).after


def remove(source: bytes) -> bytes:
    """Return *source* without Redline's hooks, and without what held nothing else."""
    if not source.strip():
        return source
    while (place := next(_own_places(source), None)) is not None:
        while len(place) > 1 and _holds_one(_data(source), place[:-1]):
            place = place[:-1]
        source = JsonDocument(source, "jsonc").delete(place).after
    return source


def installed_events(source: bytes, command: str | None = None) -> set[str]:
    """Return the events that run Redline's hook, or exactly *command*."""
    if not source.strip():
        return set()
    return {
        event
        for event, _, hook in _hooks_in(_data(source))
        if MARK in hook and command in (None, hook)
    }


def _own_places(source: bytes) -> Iterator[Place]:
    return (place for _, place, command in _hooks_in(_data(source)) if MARK in command)


def _hooks_in(data: dict[str, Any]) -> Iterator[tuple[str, Place, str]]:
    """Yield the event, the place and the command of every hook; the last ones first."""
    hooks = data.get("hooks")
    for event, entries in hooks.items() if isinstance(hooks, dict) else ():
        for index, entry in _items(entries):
            place: Place = ("hooks", event, index)
            if not isinstance(entry, dict):
                continue
            if isinstance(entry.get("command"), str):
                yield event, place, entry["command"]
            for inner, hook in _items(entry.get("hooks")):
                if isinstance(hook, dict) and isinstance(hook.get("command"), str):
                    yield event, (*place, "hooks", inner), hook["command"]


def _items(value: object) -> list[tuple[int, Any]]:
    return list(reversed(list(enumerate(value)))) if isinstance(value, list) else []


def _holds_one(data: Any, place: Place) -> bool:
    """Whether what is at *place* holds one thing only: a matcher is nothing without a hook."""
    for segment in place:
        data = data[segment]
    if isinstance(data, dict):
        return not set(data) - {"matcher", "hooks"} if "matcher" in data else len(data) == 1
    return len(data) == 1


def _data(source: bytes) -> dict[str, Any]:
    found = JsonDocument(source, "jsonc").data()
    if not isinstance(found, dict):
        raise CannotApply("The settings are not a JSON object", hint="fix the file by hand")
    return found
