"""What we hand to other ecosystems passes their own validators and carries one version."""

from __future__ import annotations

import json
import subprocess

import pytest

from redline._version import __version__
from tests.support import NODE_MODULES, REPO, need_node


@pytest.mark.node
def test_the_desktop_bundle_manifest_is_valid() -> None:
    node = need_node()
    program = NODE_MODULES / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
    manifest = REPO / "packaging" / "mcpb" / "manifest.json"
    done = subprocess.run(
        [str(node), str(program), "validate", str(manifest)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_registry_entry_fits_its_limits() -> None:
    entry = json.loads((REPO / "server.json").read_text())
    assert len(entry["description"]) <= 100
    assert entry["version"] == __version__
    assert f"<!-- mcp-name: {entry['name']} -->" in (REPO / "README.md").read_text()
