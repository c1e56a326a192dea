"""Runs the probes of stores.toml: a parked workspace from a hostile bucket, files that decide."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from redline.teams.adapters.parked.manifest import ParkedState
from redline.teams.adapters.parked.signing import ParkKeys
from tests.probes.frame import Probe, each, probes
from tests.support import need, need_program
from tests.wire.client import ROOT, connect

try:
    import obstore
except ImportError:
    obstore = None  # type: ignore[assignment]

PROBES = probes("stores")
_MEMORY = 1 << 30


class Bucket:
    """A workspace that was parked by a server, in a store that others can write to."""

    def __init__(self, folder: Path) -> None:
        need(obstore is not None, "obstore")
        self.folder, self.outside = folder, folder / "outside"
        self.outside.mkdir()
        (folder / "ws" / "site").mkdir(parents=True)
        (folder / "ws" / "site" / "a.txt").write_text("a\n")
        self.where = [f"file://{folder}/store"]
        self.settings = ["--workspaces", str(folder / "ws"), "--state-dir", str(folder / "state")]
        assert self.run("park").returncode == 0
        self.state: dict[str, str] = json.loads((folder / "store" / "current.json").read_text())
        packed = (folder / "store" / self.state["manifest"]).read_bytes()
        self.manifest: dict[str, Any] = json.loads(zlib.decompress(packed, 31))

    def run(self, action: str) -> subprocess.CompletedProcess[str]:
        variables = {k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")}
        return subprocess.run(
            [sys.executable, "-m", "redline", "workspace", action, "site", *self.where,
             *self.settings],
            env={**variables, "PYTHONPATH": str(ROOT / "src")},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY)),
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip

    def put(self, body: bytes, *, is_signed: bool) -> None:
        """Replace the manifest, and name the new one."""
        packer = zlib.compressobj(9, wbits=31)
        data = packer.compress(body) + packer.flush()
        name = f"manifests/{hashlib.sha256(data).hexdigest()}"
        (self.folder / "store" / name).write_bytes(data)
        state = self.state | {"manifest": name}
        if is_signed:
            keys = ParkKeys(str(self.folder / "state" / ".server"))
            state = ParkedState(**state).sign(keys)._asdict()
        (self.folder / "store" / "current.json").write_text(json.dumps(state))


def _hostile(bucket: Bucket, probe: Probe) -> bytes:
    """The manifest that a probe asks for."""
    if probe.get("raw") == "deep":
        return b"[" * 100_000
    if probe.get("raw") == "many":
        return (
            b'{"root": "", "chunks": {}, "history": [], "files": [' + b"[]," * 70_000_000 + b"1]}"
        )
    if probe.get("raw"):
        return bytes(probe["raw"], "utf-8")
    manifest = bucket.manifest
    manifest["root"] = probe.get("from", manifest["root"])
    some = next(iter(manifest["chunks"]))
    for part in ("files", "history"):
        for path, kind, mode, target in probe.get(part, []):
            place, target = (t.replace("{outside}", str(bucket.outside)) for t in (path, target))
            chunks = [some] if kind == "file" else []
            manifest[part].append([place, kind, mode, 1, target, chunks])
    if probe.get("repeated"):
        manifest["chunks"][some][2] = 4 << 20
        manifest["files"].append(["big", "file", 0o644, 1, "", [some] * probe["repeated"]])
    body = json.dumps(manifest).encode()
    return body[:-1] + b" " * probe.get("pad", 0) + b"}"


@pytest.mark.requirement("moving-hostile-store")
@each(PROBES, "wake")
def test_a_hostile_store_reaches_nothing(probe: Probe, tmp_path: Path) -> None:
    bucket = Bucket(tmp_path)
    if probe.get("state"):
        (tmp_path / "store" / "current.json").write_text(probe["state"])
    else:
        bucket.put(_hostile(bucket, probe), is_signed=probe["by"] == "server")
    woke = bucket.run("wake")
    assert "Traceback" not in woke.stderr, woke.stderr
    assert list(bucket.outside.iterdir()) == []
    assert not list((tmp_path / "state").rglob("review-secret"))
    if probe.get("wakes"):
        assert woke.returncode == 0, woke.stderr
        mode = stat.S_IMODE((tmp_path / "ws" / "site" / "tool").stat().st_mode)
        assert mode == 0o755
    else:
        assert woke.returncode in (1, 2), woke.stdout
        assert woke.stderr.startswith("redline:"), woke.stderr
        assert os.listdir(tmp_path / "ws") == [".redline"], "nothing is left"


def _start(arguments: list[str], cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start a server that ends at once if it serves at all: its input is at its end."""
    others = {k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")}
    homes = {"XDG_CONFIG_HOME": str(cwd / "config"), "XDG_STATE_HOME": str(cwd / "state")}
    return subprocess.run(
        [sys.executable, "-m", "redline", "serve", "--no-record", *arguments],
        env={**others, **homes, "PYTHONPATH": str(ROOT / "src"), **variables},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def _exposed(probe: Probe, work: Path, apart: Path) -> Path:
    """Make the file of *probe*, and the path by which an agent could exchange it."""
    name, how = probe["name"], probe.get("how")
    inner, outer = work / name, apart / name
    if how in (None, "link", "hard link"):
        inner.write_text(probe["content"])
        if how is None:
            return inner
        (outer.symlink_to if how == "link" else outer.hardlink_to)(inner)
        return outer
    outer.write_text(probe["content"])
    if how == "way back":
        (work / "d").mkdir()
        return Path(f"{work}/d/../../../apart/{name}")
    (work / "way").symlink_to(apart)
    if how == "way":
        return work / "way" / name
    (apart / "first").symlink_to(work / "way" / name)
    return apart / "first"


@pytest.mark.requirement("server-own-files")
@each(PROBES, "exposed")
def test_what_decides_about_agents_lies_out_of_their_reach(probe: Probe, tmp_path: Path) -> None:
    work, apart = tmp_path / "ws" / "site", tmp_path / "apart"
    work.mkdir(parents=True)
    apart.mkdir()
    given = _exposed(probe, work, apart)
    one, http = ["--workspace", str(work)], ["--http", "127.0.0.1:0"]
    tries = [[*one, *(http if probe["flag"] == "--users" else [])]]
    if probe["flag"] != "--policy":  # one of many reads its policy when it is opened
        tries.append(["--workspaces", str(tmp_path / "ws"), *http])
    for where in tries:
        done = _start([*where, probe["flag"], str(given)], tmp_path)
        assert done.returncode != 0, done.stderr
        assert "an agent could change" in done.stderr.lower(), done.stderr
    # The same file alone and apart is no reason to refuse.
    for file in (given, work / probe["name"], apart / probe["name"]):
        file.unlink(missing_ok=True)
    (apart / probe["name"]).write_text(probe["content"])
    if len(tries[0]) == len(one):
        done = _start([*one, "--stdio", probe["flag"], str(apart / probe["name"])], tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.requirement("server-own-files")
@each(PROBES, "directory")
def test_no_link_of_the_workspace_leads_to_what_redline_keeps(probe: Probe, tmp_path: Path) -> None:
    work, apart = tmp_path / "ws", tmp_path / "apart"
    work.mkdir()
    (apart / "inner").mkdir(parents=True)
    (work / "way").symlink_to(apart)
    for place, is_refused in ((work / "way" / "inner", True), (apart / "inner", False)):
        flags = [probe["flag"], str(place)] if probe.get("flag") else []
        variables = {probe["variable"]: str(place)} if probe.get("variable") else {}
        done = _start(["--workspace", str(work), "--stdio", *flags], tmp_path, **variables)
        assert (done.returncode != 0) == is_refused, done.stderr
        assert not is_refused or "workspace" in done.stderr, done.stderr


@each(PROBES, "dry")
def test_kept_dry_runs_take_no_memory(probe: Probe, tmp_path: Path) -> None:
    need_program("bwrap")
    (tmp_path / "make.py").write_text(
        "import os\nfor n in range(12): open(f'f{n}', 'wb').write(os.urandom(4_000_000))\n"
    )
    line = "python3 make.py"
    with connect("stdio", ["--tools", "coding", "--no-record"], cwd=tmp_path) as client:
        client.call("exec_command", {"cmd": "true", "dry_run": True})
        before = _resident(client.process.pid)
        for _ in range(probe["runs"]):
            done = client.call("exec_command", {"cmd": line, "dry_run": True})["result"]
            assert not done["isError"], done
        grown = _resident(client.process.pid) - before
        session = done["structuredContent"]["session_id"]
        applied = client.call("exec_command", {"cmd": line, "apply": session})["result"]
        assert not applied["isError"], applied
    assert grown < 256 << 20
    assert (tmp_path / "f11").stat().st_size == 4_000_000


def _resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")
