"""Each probe of guarded.toml through a real server, by turns in one era and the other."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support import LONG
from tests.wire.client import ROOT, connect

PROBES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "guarded.toml").read_text("utf-8")
)["probe"]
ERAS = ("2025-11-25", "2026-07-28")
# Over HTTP, or in the other era, nothing is decided differently: one probe of each kind shows that.
EVERYWHERE = ("git-config", "git-moved-into-place", "ordinary-neighbours")
RUNS = [
    pytest.param(probe, transport, era, id=f"{probe['id']}-{transport}-{era}")
    for number, probe in enumerate(PROBES)
    for transport in ("stdio", "http")
    for era in ERAS
    if probe["id"] in EVERYWHERE or (transport == "stdio" and (LONG or era == ERAS[number % 2]))
]


def _lay_out(base: Path, probe: dict[str, Any]) -> None:
    for name, content in probe.get("files", {}).items():
        file = base / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")
    for name, target in probe.get("links", {}).items():
        os.symlink(target, base / name)


def contents(base: Path) -> dict[str, bytes]:
    """Every file beneath *base*, links and directories included."""
    found: dict[str, bytes] = {}
    for path in sorted(base.rglob("*")):
        name = str(path.relative_to(base))
        if path.is_symlink():
            found[name] = b"-> " + os.fsencode(path.readlink())
        else:
            found[name] = b"/" if path.is_dir() else path.read_bytes()
    return found


@pytest.mark.requirement("engine-guarded-writes")
@pytest.mark.parametrize(("probe", "transport", "era"), RUNS)
def test_probe(probe: dict[str, Any], transport: str, era: str, tmp_path: Path) -> None:
    base, environment = tmp_path, {}
    if probe.get("workspace") == "program":
        import shutil

        # A copy of the package, from which this server runs.
        shutil.copytree(ROOT / "src" / "redline", tmp_path / "redline")
        environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(ROOT)])
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    _lay_out(base, probe)
    before = contents(base)
    args = ["--tools", "files", "--errors", "result"]
    with connect(transport, args, cwd=base, protocol=era, env=environment) as client:
        reply = client.call(probe["tool"], probe["arguments"])
    result = reply["result"]
    if probe["must"] == "written.":
        assert not result["isError"], result
        assert contents(base) != before
        return
    assert result["isError"], result
    text = result["content"][0]["text"]
    assert text.startswith("Permission required"), text
    assert "hint: a person must allow this" in text
    assert result["structuredContent"]["error"]["code"] == -32001
    assert contents(base) == before
