"""What a project has a language server run: it can write nothing and reach nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.core.errors import CannotApply
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.commands import Command
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import NODE, NODE_MODULES, need, need_program

# Tries to write beside itself, at home and in the workspace's folder above, and to connect.
PLUGIN = """\
const fs = require("fs"), net = require("net"), os = require("os");
for (const place of [__dirname, process.cwd(), os.homedir(), "/tmp/..", process.cwd() + "/.."])
  try { fs.writeFileSync(place + "/redline-evil", "x"); } catch {}
try { net.connect(PORT, "127.0.0.1").on("error", () => {}); } catch {}
module.exports = () => ({
  create: (info) => ({
    ...info.languageService,
    getRenameInfo: () => ({ canRename: false, localizedErrorMessage: "the plugin was here" }),
  }),
});
"""
BUILD = """\
use std::{fs, net::TcpStream};
fn main() {
    let _ = fs::write("../redline-evil", "x");
    for place in ["redline-evil", "src/redline-evil"] {
        assert!(fs::write(place, "x").is_err());
    }
    assert!(TcpStream::connect(("127.0.0.1", PORT)).is_err());
}
"""
PYTHON = """\
#!/usr/bin/env python3
import os, socket
for place in (".", "..", os.path.expanduser("~"), os.path.dirname(__file__)):
    try:
        open(os.path.join(place, "redline-evil"), "w").close()
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", PORT), 1)
except OSError:
    pass
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A port that nobody may reach."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        opened.setblocking(False)
        yield opened
        with pytest.raises(BlockingIOError):
            opened.accept()


def _with_port(text: str, listener: socket.socket) -> str:
    return text.replace("PORT", str(listener.getsockname()[1]))


def _open(root: Path, tmp_path: Path) -> Redline:
    return Redline(Settings(workspace=str(root), state_dir=str(tmp_path / "state"), record=False))


def _no_file_was_made(tmp_path: Path) -> None:
    places = [*tmp_path.rglob("redline-evil"), Path("~/redline-evil").expanduser()]
    assert not [place for place in (*places, Path("/redline-evil")) if place.exists()]


@pytest.mark.node
@pytest.mark.requirement("agent-rename-server-sandbox")
def test_a_plugin_of_a_tsconfig_writes_and_reaches_nothing(
    tmp_path: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    need((NODE_MODULES / "typescript").is_dir() and NODE.exists(), "TypeScript (make node)")
    monkeypatch.setenv("PATH", f"{NODE.parent}:{os.environ['PATH']}")
    root = tmp_path / "project"
    skipped = shutil.ignore_patterns("??", "??-??", "*.map")
    shutil.copytree(
        NODE_MODULES / "typescript", root / "node_modules" / "typescript", ignore=skipped
    )
    evil = root / "node_modules" / "evil"
    evil.mkdir()
    (evil / "index.js").write_text(_with_port(PLUGIN, listener))
    (evil / "package.json").write_text('{"name": "evil", "main": "index.js"}')
    plugins = {"compilerOptions": {"plugins": [{"name": "evil"}]}}
    (root / "tsconfig.json").write_text(json.dumps(plugins))
    (root / "a.ts").write_text("export interface Shop {\n  size: number;\n}\n")
    with _open(root, tmp_path) as redline:
        redline.code_index.build()
        redline.language_servers.patience = 300.0  # whether it is held counts, not how soon
        place = redline.workspace.resolve("a.ts", Access.READ)
        request = RenameRequest("size", "extent", place, 2)
        with pytest.raises(CannotApply, match="the plugin was here"):
            plan_symbol_rename(redline, request, Access.READ, UNCANCELLABLE)
    _no_file_was_made(tmp_path)


@pytest.mark.requirement("agent-rename-server-sandbox")
def test_a_build_script_of_rust_writes_and_reaches_nothing(
    tmp_path: Path, listener: socket.socket
) -> None:
    """rust-analyzer runs `cargo check`, and that runs build scripts: here as the server would."""
    need_program("cargo")
    root = tmp_path / "crate"
    (root / "src").mkdir(parents=True)
    (root / "Cargo.toml").write_text('[package]\nname = "shop"\nversion = "0.1.0"\n')
    (root / "src" / "lib.rs").write_text("pub fn open() {}\n")
    (root / "build.rs").write_text(_with_port(BUILD, listener))
    subprocess.run(["cargo", "generate-lockfile", "--offline"], cwd=root, check=True)
    with _open(root, tmp_path) as redline:
        commands = redline.language_servers._commands
        line = "CARGO_TARGET_DIR=$TMPDIR/target CARGO_HOME=$HOME cargo check --offline"
        job = commands.start(Command(line, WorkspacePath(0, ()), timeout=120.0))
        job.wait(120.0)
        assert job.state().exit_code == 0, job.take().stderr.head.decode()
    _no_file_was_made(tmp_path)


@pytest.mark.requirement("agent-rename-server-sandbox")
def test_a_server_that_a_project_brings_writes_and_reaches_nothing(
    tmp_path: Path, listener: socket.socket
) -> None:
    root = tmp_path / "project"
    (root / ".venv" / "bin").mkdir(parents=True)
    server = root / ".venv" / "bin" / "ty"
    server.write_text(_with_port(PYTHON, listener))
    server.chmod(0o755)
    (root / "a.py").write_text("class Shop:\n    def size(self):\n        return 1\n")
    with _open(root, tmp_path) as redline:
        redline.code_index.build()
        place = redline.workspace.resolve("a.py", Access.READ)
        request = RenameRequest("size", "extent", place, 2)
        with pytest.raises(CannotApply, match="ty stopped"):
            plan_symbol_rename(redline, request, Access.READ, UNCANCELLABLE)
    _no_file_was_made(tmp_path)
