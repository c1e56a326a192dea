"""Real clients at work in a folder, led by a scripted model; what their hooks are sent is kept.

Each has a home directory of its own, a dummy key, and the scripted model as its provider and as
its proxy, so that nothing leaves the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.recorder.adapters.hook_program import MOMENTS
from tests.clients.scripted_model import DONE, ScriptedModel, Step
from tests.support import NODE, NODE_MODULES

Json = dict[str, Any]
TIMEOUT = 120
_PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-one\n+two\n*** End Patch\n"


@dataclass(frozen=True)
class Desktop:
    """One person's home, the folder a client works in, and what its hooks were sent."""

    base: Path

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def folder(self) -> Path:
        return self.base / "ws"

    @property
    def sent(self) -> Path:
        return self.base / "sent"

    @property
    def state(self) -> Path:
        return self.base / "state"

    def prepare(self) -> None:
        for each in (self.home, self.folder, self.sent):
            each.mkdir(parents=True, exist_ok=True)
        for name in ("a", "b", "d", "own"):
            (self.folder / f"{name}.txt").write_text("one\n")

    def settings(self, name: str, content: Json) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))

    def hooks(self, client: str) -> Json:
        """Hooks that keep what they are sent, one file for each."""
        keep = f'cat > "{self.sent}/$(date +%s%N).json"; echo "{{}}"'
        hook = {"type": "command", "command": keep}
        return {event: [{"hooks": [hook]}] for event in MOMENTS[client]}

    def payloads(self) -> list[Json]:
        """What the hooks were sent, in order."""
        return [json.loads(path.read_bytes()) for path in sorted(self.sent.iterdir())]

    @property
    def server(self) -> list[str]:
        """The command that serves the folder."""
        flags = ["--stdio", "--tools", "files", "--no-record", "--workspace", str(self.folder)]
        return [sys.executable, "-m", "redline", "serve", *flags, "--state-dir", str(self.state)]

    def edit(self, name: str) -> Json:
        """What Redline's own tool is given for an edit."""
        path = str(self.folder / name)
        return {"path": path, "edits": [{"oldText": "one", "newText": "two"}]}


class AgentDesktop(Desktop):
    """A desktop whose server has the toolset agent."""

    @property
    def server(self) -> list[str]:
        flags = ["--stdio", "--tools", "agent", "--no-record", "--workspace", str(self.folder)]
        return [sys.executable, "-m", "redline", "serve", *flags, "--state-dir", str(self.state)]


def _run(desktop: Desktop, argv: Sequence[str], url: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [str(NODE_MODULES / ".bin" / argv[0]), *argv[1:]],
        cwd=desktop.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
        check=False,
        env={
            "PATH": f"{NODE.parent}:{os.environ['PATH']}",
            "HOME": str(desktop.home),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HTTP_PROXY": url,
            "HTTPS_PROXY": url,
            "NO_PROXY": "127.0.0.1",
            "NODE_USE_ENV_PROXY": "1",
            **env,
        },
    )
    assert done.returncode == 0, done.stdout
    assert DONE in done.stdout, done.stdout
    return done.stdout


# -- Claude Code ------------------------------------------------------------------------------


def _claude_steps(desktop: Desktop) -> dict[str, Step]:
    file = {"file_path": str(desktop.folder / "b.txt")}
    new = {"file_path": str(desktop.folder / "n.txt"), "content": "new\n"}
    shell = {"command": "sed -i s/one/two/ a.txt", "description": "Change a word"}
    return {
        "read": Step("Read", file),
        "edit": Step("Edit", {**file, "old_string": "one", "new_string": "two"}),
        "shell": Step("Bash", shell),
        "failing": Step("Bash", {"command": "exit 1", "description": "Fail"}),
        "write": Step("Write", new),
        "own": Step("mcp__redline__edit_file", desktop.edit("own.txt")),
    }


def _run_claude(desktop: Desktop, url: str) -> str:
    desktop.settings(".claude/settings.json", {"hooks": desktop.hooks("claude-code")})
    command, *arguments = desktop.server
    server = {"command": command, "args": arguments}
    config = json.dumps({"mcpServers": {"redline": server}})
    argv = ["claude", "-p", "go", "--permission-mode", "acceptEdits", "--mcp-config", config]
    argv += ["--strict-mcp-config", "--allowedTools", "Bash,Read,Edit,Write,mcp__redline"]
    env = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ENABLE_TOOL_SEARCH": "false",
    }
    return _run(desktop, argv, url, env)


# -- Codex ------------------------------------------------------------------------------------


def _codex_steps(desktop: Desktop) -> dict[str, Step]:
    patch = f"apply_patch <<'EOF'\n{_PATCH.format('d.txt')}EOF\n"
    return {
        "shell": Step("exec_command", {"cmd": "sed -i s/one/two/ a.txt"}),
        "edit": Step("apply_patch", {}, text=_PATCH.format("b.txt")),
        "failing": Step("exec_command", {"cmd": "exit 1"}),
        "patch": Step("exec_command", {"cmd": patch}),
        "own": Step("mcp__redline__edit_file", desktop.edit("own.txt")),
    }


def _run_codex(desktop: Desktop, url: str) -> str:
    desktop.settings(".codex/hooks.json", {"hooks": desktop.hooks("codex")})
    command, *arguments = desktop.server
    (desktop.home / ".codex" / "config.toml").write_text(
        f"""
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
apps = false
plugins = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{desktop.folder}"]
trust_level = "trusted"
[mcp_servers.redline]
command = {json.dumps(command)}
args = {json.dumps(arguments)}
"""
    )
    argv = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"]
    return _run(desktop, argv, url, {"CODEX_HOME": str(desktop.home / ".codex")})


# -- Gemini CLI -------------------------------------------------------------------------------


def _gemini_steps(desktop: Desktop) -> dict[str, Step]:
    file = {"file_path": str(desktop.folder / "b.txt")}
    new = {"file_path": str(desktop.folder / "n.txt"), "content": "new\n"}
    change = {"old_string": "one", "new_string": "two", "instruction": "Change a word"}
    return {
        "read": Step("read_file", file),
        "edit": Step("replace", {**file, **change}),
        "shell": Step("run_shell_command", {"command": "sed -i s/one/two/ a.txt"}),
        "failing": Step("run_shell_command", {"command": "exit 1"}),
        "write": Step("write_file", new),
        "own": Step("mcp_redline_edit_file", desktop.edit("own.txt")),
    }


def _run_gemini(desktop: Desktop, url: str) -> str:
    command, *arguments = desktop.server
    server = {"command": command, "args": arguments, "trust": True}
    desktop.settings(
        ".gemini/settings.json",
        {
            "hooks": desktop.hooks("gemini"),
            "mcpServers": {"redline": server},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "tools": {"useRipgrep": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        },
    )
    desktop.settings(".gemini/trustedFolders.json", {str(desktop.folder): "TRUST_FOLDER"})
    argv = ["gemini", "-p", "go", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]
    env = {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url}
    return _run(desktop, argv, url, {**env, "GEMINI_CLI_NO_RELAUNCH": "true"})


# -- all of them ------------------------------------------------------------------------------


@dataclass(frozen=True)
class RealClient:
    """A client as it is installed: its steps by name, and how it is run."""

    package: str
    steps: Callable[[Desktop], dict[str, Step]]
    run: Callable[[Desktop, str], str]

    @property
    def version(self) -> str:
        package = NODE_MODULES / self.package / "package.json"
        return str(json.loads(package.read_text())["version"])


REAL_CLIENTS = {
    "claude-code": RealClient("@anthropic-ai/claude-code", _claude_steps, _run_claude),
    "codex": RealClient("@openai/codex", _codex_steps, _run_codex),
    "gemini": RealClient("@google/gemini-cli", _gemini_steps, _run_gemini),
}


def work(
    client: str, desktop: Desktop, between: Callable[[str], None] = lambda _: None
) -> ScriptedModel:
    """Have a client do its steps; *between* gets the name of each before it, then "end"."""
    real = REAL_CLIENTS[client]
    steps = [
        Step(step.tool, step.arguments, lambda name=name: between(name), step.text)  # type: ignore[misc]
        for name, step in real.steps(desktop).items()
    ]
    with ScriptedModel(steps, end=lambda: between("end")) as model:
        real.run(desktop, model.url)
    return model
