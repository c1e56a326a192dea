"""Every folder here is a call: files before it, what is asked, what is answered, files after.

`call.json` names a tool and its arguments, `${ROOT}` standing for the folder. `reply.json` has the
`text` of the first block (and how `more` blocks begin), or a `code` and what the message `says`.
`after` is compared byte for byte, links included: what is not asked for must not change.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect

HERE = Path(__file__).parent
SCENARIOS = sorted(path.parent for path in HERE.glob("*/call.json"))


@pytest.fixture(scope="module", params=["stdio", "http"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Client, Path]]:
    root = tmp_path_factory.mktemp("scenarios").resolve()
    args = ["--tools", "files", "--allow-write", str(root)]
    client = connect(request.param, args, cwd=root)
    yield client, root
    client.close()


def contents(folder: Path) -> dict[str, Any]:
    """Every place below *folder*: bytes, the target of a link, or None for a directory."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def placed(value: Any, root: Path) -> Any:
    """*value* with the folder's path put in."""
    return json.loads(json.dumps(value).replace("${ROOT}", str(root)))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name)
def test_scenario(served: tuple[Client, Path], scenario: Path) -> None:
    client, base = served
    root = base / scenario.name
    shutil.copytree(scenario / "before", root, symlinks=True)
    call = placed(json.loads((scenario / "call.json").read_text("utf-8")), root)
    expected = placed(json.loads((scenario / "reply.json").read_text("utf-8")), root)
    reply = client.call(call["tool"], call["arguments"])
    if "code" in expected:
        assert "error" in reply, reply
        assert reply["error"]["code"] == expected["code"]
        for words in expected["says"]:
            assert words in reply["error"]["message"]
    else:
        assert "result" in reply, reply
        first, *others = (block["text"] for block in reply["result"]["content"])
        assert first == expected["text"]
        more = expected.get("more", [])
        assert len(others) == len(more)
        assert all(text.startswith(start) for text, start in zip(others, more, strict=True))
    assert contents(root) == contents(scenario / "after")
