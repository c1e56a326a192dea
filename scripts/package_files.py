"""The manifests other ecosystems want, made from one version and one description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from redline._version import __version__
from redline.recorder.commands.hook_settings import hook_clients

REPO = Path(__file__).resolve().parent.parent
DESCRIPTION = "Exact, previewed, all-or-nothing, undoable file edits for AI agents."
PLUGIN_DESCRIPTION = "One history of every change to the workspace, exact edits, undo and review."
NAME = "io.github.redline-mcp/redline"


def mcpb_manifest() -> dict[str, Any]:
    """A Claude Desktop bundle that runs Redline with uv."""
    return {
        "manifest_version": "0.4",
        "name": "redline",
        "display_name": "Redline",
        "version": __version__,
        "description": DESCRIPTION,
        "icon": "icon.png",
        "author": {"name": "The Redline maintainers"},
        "license": "Apache-2.0",
        "keywords": ["editing", "undo", "files", "yaml", "json"],
        "server": {
            "type": "uv",
            "entry_point": "src/redline/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": [
                    "run",
                    "--directory",
                    "${__dirname}",
                    "redline",
                    "serve",
                    "--stdio",
                    "--workspace",
                    "${user_config.workspace}",
                ],
            },
        },
        "tools_generated": True,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
        "user_config": {
            "workspace": {
                "type": "directory",
                "title": "Workspace",
                "description": "The folder Redline may read and change.",
                "required": True,
            }
        },
    }


def registry_entry() -> dict[str, Any]:
    """server.json of the MCP registry."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": NAME,
        "title": "Redline",
        "description": DESCRIPTION,
        "version": __version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "redline-mcp",
                "version": __version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [
                    {"type": "positional", "value": "serve"},
                    {"type": "named", "name": "--stdio"},
                    {
                        "type": "named",
                        "name": "--workspace",
                        "description": "The folder Redline may read and change",
                        "format": "filepath",
                        "isRequired": True,
                    },
                ],
            }
        ],
    }


def plugin_manifest() -> dict[str, Any]:
    """A Claude Code plugin that starts Redline in the project folder."""
    return {
        "name": "redline",
        "version": __version__,
        "description": PLUGIN_DESCRIPTION,
        "author": {"name": "The Redline maintainers"},
        "license": "Apache-2.0",
        "keywords": ["mcp", "editing", "history", "undo", "review"],
        "mcpServers": {
            "redline": {
                "command": "redline",
                "args": ["serve", "--stdio", "--workspace", "${CLAUDE_PROJECT_DIR}"],
                "alwaysLoad": True,
            }
        },
    }


def plugin_hooks() -> dict[str, Any]:
    """The hooks of the plugin: those that `redline hooks install` adds to settings."""
    entries = hook_clients(".")["claude-code"].entries(
        "redline-hook claude-code 2>/dev/null || true"
    )
    return {
        "description": "Name the tool and session behind each change that Redline records.",
        "hooks": {event: [entry] for event, entry in entries.items()},
    }


def marketplace() -> dict[str, Any]:
    """What lets Claude Code install the plugin from a clone."""
    return {
        "name": "redline",
        "owner": {"name": "The Redline maintainers"},
        "metadata": {"description": "Redline's plugin for Claude Code"},
        "plugins": [
            {
                "name": "redline",
                "source": "./packaging/claude-plugin",
                "description": PLUGIN_DESCRIPTION,
                "license": "Apache-2.0",
            }
        ],
    }


def package_pages() -> dict[Path, str]:
    """Every manifest with the text it should have."""
    plugin = REPO / "packaging" / "claude-plugin"
    found = {
        REPO / "packaging" / "mcpb" / "manifest.json": mcpb_manifest(),
        REPO / "server.json": registry_entry(),
        REPO / ".claude-plugin" / "marketplace.json": marketplace(),
        plugin / ".claude-plugin" / "plugin.json": plugin_manifest(),
        plugin / "hooks" / "hooks.json": plugin_hooks(),
    }
    return {path: json.dumps(body, indent=2) + "\n" for path, body in found.items()}
