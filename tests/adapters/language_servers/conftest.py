"""A workspace whose language server answers as it is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from redline.adapters.language_servers.pool import SandboxedServers, measure_servers
from redline.adapters.language_servers.table import Launch, ServerRow
from redline.adapters.processes.commands import SandboxedCommands
from redline.settings import Settings
from redline.wiring.workspace import Redline

FAKE = Path(__file__).with_name("fake_server.py")
SHOP = "class Shop:\n    def size(self):\n        return self.size\n"
USE = "from a import Shop\n\nprint(Shop().size())\n"
Modes = Callable[[], str]
Make = Callable[..., AbstractContextManager[Redline]]


def row_of(mode: Modes, script: Path) -> ServerRow:
    """A row whose server behaves as *mode* says when it is started."""

    def find(_roots: Sequence[str], _path: str) -> Launch:
        return Launch((sys.executable, "-I", str(script), mode()))

    return ServerRow("fake", frozenset({"python"}), find, "install nothing", (".py",))


@pytest.fixture
def open_shop(tmp_path: Path) -> Make:
    """Open the workspace with a server of the given modes."""

    @contextmanager
    def opened(mode: Modes, *, patience: float = 20.0, idle: float = 60.0) -> Iterator[Redline]:
        root = tmp_path / "shop"
        root.mkdir(exist_ok=True)
        (root / "a.py").write_text(SHOP)
        (root / "use.py").write_text(USE)
        script = root / "fake_server.txt"
        script.write_bytes(FAKE.read_bytes())
        settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"), record=False)
        with Redline(settings) as redline:
            beside = os.path.dirname(sys.executable)
            environ = {**os.environ, "PATH": f"{os.environ['PATH']}:{beside}"}
            commands = SandboxedCommands(redline.workspace, environ=environ, read_only=True)
            vars(redline)["language_servers"] = SandboxedServers(
                redline.workspace,
                commands,
                patience=patience,
                idle=idle,
                rows=[row_of(mode, script)],
            )
            redline.code_index.build()
            yield redline
        assert measure_servers(str(root)) == []

    return opened
