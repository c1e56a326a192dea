"""The manifests other ecosystems want, made from one version and one description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from redline._version import __version__

REPO = Path(__file__).resolve().parent.parent
DESCRIPTION = "Exact, previewed, all-or-nothing, undoable file edits for AI agents."
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
                "identifier": "redline",
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
        "description": DESCRIPTION,
        "author": {"name": "The Redline maintainers"},
        "license": "Apache-2.0",
        "keywords": ["mcp", "editing", "undo"],
        "mcpServers": {
            "redline": {
                "command": "uvx",
                "args": ["redline", "serve", "--stdio", "--workspace", "${CLAUDE_PROJECT_DIR}"],
            }
        },
    }


def package_pages() -> dict[Path, str]:
    """Every manifest with the text it should have."""
    found = {
        REPO / "packaging" / "mcpb" / "manifest.json": mcpb_manifest(),
        REPO / "server.json": registry_entry(),
        REPO / "packaging" / "claude-plugin" / ".claude-plugin" / "plugin.json": plugin_manifest(),
    }
    return {path: json.dumps(body, indent=2) + "\n" for path, body in found.items()}
