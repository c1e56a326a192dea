"""A file that the system does not let this process write is not replaced by an edit."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities of Linux")

REPOSITORY = Path(__file__).parents[2]
_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2
ENGINE = """
import sys
from dataclasses import replace
from pathlib import Path

from redline.core.errors import NotWritable
from redline.services.commit import foresee
from redline.core.changes import ChangeSet
from tests.engine.bench import ORIGIN, Bench

bench = Bench(Path(sys.argv[1]))
with bench.app:
    file = bench.root / "d" / "a.txt"
    bench.commit(bench.mkdir("d"), bench.write("d/a.txt", "old"), bench.write("free", "old"))
    bench.commit(bench.write("d/a.txt", "new"))
    file.chmod(0o444)
    edit = bench.write("d/a.txt", "edited")
    try:
        bench.commit(edit, bench.write("free", "edited"))
    except NotWritable as refused:
        print("refused", refused.message.endswith(f"nothing was changed: {file}"))
    print(foresee(bench.app.approval, ChangeSet((edit,)), ORIGIN)[0][:33])
    print(file.read_text(), (bench.root / "free").read_text())
    bench.editor.commit(ChangeSet((edit,)), replace(ORIGIN, as_owner=True))
    print(file.read_text())
    bench.undo()
    print(file.read_text(), oct(file.stat().st_mode & 0o777))
    bench.commit(bench.delete("d/a.txt"))
    print(file.exists())
"""


def drop_capabilities() -> None:
    """Let the program that is started read and write by the permissions of files alone."""
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def environment(tmp_path: Path) -> dict[str, str]:
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "none")}
    return {**os.environ, **state}


@pytest.mark.requirement("engine-read-only-file")
def test_new_content_is_refused_and_everything_else_goes_on(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", ENGINE, str(tmp_path / "ws")],
        cwd=REPOSITORY,
        env=environment(tmp_path),
        preexec_fn=drop_capabilities,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == [
        "refused True",
        "made for real: permission denied,",
        "new old",
        "edited",
        "new 0o444",
        "False",
    ], done.stderr


@pytest.mark.requirement("engine-read-only-file")
def test_each_toolset_answers_with_its_own_code(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    file = root / "a.yaml"
    file.write_text("a: 1\n")
    file.chmod(0o444)
    edit = {"oldText": "1", "newText": "2"}
    patch = "*** Begin Patch\n*** Update File: a.yaml\n@@\n-a: 1\n+a: 2\n*** End Patch"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("edit_file", {"path": str(file), "edits": [edit]}),
        ("write_file", {"path": str(file), "content": "a: 2\n"}),
        ("noyalib_set", {"file": str(file), "path": "a", "value": "2"}),
        ("ai_edit_code", {"target_file": "a.yaml", "edit_instruction": "x", "code_block": "b: 2"}),
        ("apply_patch", {"patch": patch}),
        ("edit_file", {"path": str(file), "edits": [edit], "dryRun": True}),
    ]
    messages = [
        {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": name, "arguments": a},
        }
        for n, (name, a) in enumerate(calls)
    ]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "redline",
            "serve",
            "--stdio",
            "--tools",
            "all",
            "--workspace",
            str(root),
        ],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=environment(tmp_path),
        preexec_fn=drop_capabilities,
        capture_output=True,
        text=True,
        timeout=60,
    )
    answers = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert [answers[n]["error"]["code"] for n in range(3)] == [-32603, -32603, -32000]
    assert answers[3]["result"]["structuredContent"]["code"] == "PERMISSION_DENIED"
    assert answers[4]["result"]["structuredContent"]["error"]["code"] == "PERMISSION_DENIED"
    preview = [block["text"] for block in answers[5]["result"]["content"]]
    assert "-a: 1\n+a: 2\n" in preview[0]
    assert preview[1].startswith("note: made for real: permission denied, the file is read-only")
    assert file.read_text() == "a: 1\n"
