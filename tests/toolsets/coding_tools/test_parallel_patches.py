"""Patches of one file that are applied at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.settings import Settings
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.tools import TOOLS
from redline.toolsets.tool import Client, load_function
from redline.wiring.workspace import Redline
from tests.toolsets.coding_tools.conftest import patch

APPLY_PATCH = next(tool for tool in TOOLS if tool.name == "apply_patch")
COUNT = 8


@pytest.mark.requirement("coding-patch-parallel")
def test_parallel_patches_of_one_file_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "ws" / "a.txt"
    file.parent.mkdir()
    file.write_text("".join(f"line {number}\n" for number in range(COUNT)))
    together = Barrier(COUNT)

    def apply(app: Redline, number: int) -> Result:
        lines = ("*** Update File: a.txt", "@@", f"-line {number}", f"+done {number}")
        arguments = {"patch": patch(*lines)}
        call = Call(APPLY_PATCH, arguments, app, Client(), UNCANCELLABLE, lambda *_: None)
        together.wait()
        return load_function(APPLY_PATCH.handler)(call)

    settings = Settings(workspace=str(file.parent), state_dir=str(tmp_path / "state"))
    with Redline(settings) as app, ThreadPoolExecutor(COUNT) as pool:
        assert app.editor is not None  # built once, before the threads
        results = list(pool.map(lambda number: apply(app, number), range(COUNT)))
    assert not any(result.is_error for result in results)
    assert file.read_text() == "".join(f"done {number}\n" for number in range(COUNT))
