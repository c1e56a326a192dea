"""What surrounds a probed command: a workspace, things outside, and a user who runs the server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import CACHE, REPO

NOBODY = 65534
DRIVER = REPO / "tests" / "adapters" / "sandbox" / "driver.py"
TRIES = Path(__file__).parent / "sandbox_tries.py"
# What the driver is asked to pretend about the kernel.
GUARDS: dict[str, dict[str, Any]] = {
    "bubblewrap": {"backend": "bubblewrap"},
    "landlock": {"backend": "landlock"},
    "landlock-bare": {"backend": "landlock", "offer": {"namespaces": False}},
}
USERS = {"root": None, "nobody": NOBODY} if os.geteuid() == 0 else {"me": None}


@dataclass
class Ground:
    """One workspace and its surroundings, made for one user."""

    user: int | None
    base: Path
    outside: Path
    service: socket.socket = field(default_factory=lambda: socket.socket(socket.AF_UNIX))
    datagrams: socket.socket = field(
        default_factory=lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    )
    other: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    @property
    def workspace(self) -> Path:
        """The directory commands run in."""
        return self.base / "ws"

    def fill(self, text: str) -> str:
        """Put the places of this ground into *text*."""
        places = {
            "outside": str(self.outside),
            "python": "/usr/bin/python3",
            "workspace": str(self.workspace),
            "home": os.path.expanduser("~"),
            "other_port": str(self.other.getsockname()[1]),
        }
        for name, place in places.items():
            text = text.replace("{" + name + "}", place)
        return text

    def touched(self) -> set[str]:
        """What commands reached or left, seen from outside."""
        found: set[str] = set()
        for name, listener in (("service", self.service), ("datagrams", self.datagrams)):
            try:
                listener.accept() if name == "service" else listener.recv(10)
                found.add(name)
            except BlockingIOError:
                pass
        with open("/proc/sysvipc/shm") as file:
            if any(line.split()[0] == str(0x52454431) for line in file.readlines()[1:]):
                found.add("segments")
        if any(path.lstat().st_mode & 0o6000 for path in self.workspace.glob("made-by-*")):
            found.add("set-id")
        return found

    def run(self, lines: dict[str, Any], **order: Any) -> dict[str, Any]:
        """Run *lines* in the sandbox as the user of this ground; the driver's answers."""
        python = sys.executable if self.user is None else "/usr/bin/python3"
        whole = {
            "source": str(self.workspace / "src"),
            "workspace": str(self.workspace),
            "mode": "safe",
            "lines": lines,
            **order,
        }
        home = os.environ["HOME"] if self.user is None else "/nonexistent"
        done = subprocess.run(
            [python, "-I", str(DRIVER)],
            input=json.dumps(whole).encode(),
            capture_output=True,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
            cwd="/",
            env={"PATH": f"{self.outside}/tool/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8"},
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        answers: dict[str, Any] = json.loads(done.stdout)
        return answers


@contextmanager
def made_ground(user: int | None) -> Iterator[Ground]:
    """A ground that every user can reach: not in a checkout that only its owner can enter."""
    open_places = [p for p in (Path("/srv"), Path("/opt")) if os.access(p, os.W_OK)]
    outer = open_places[0] if open_places else CACHE
    outer.mkdir(parents=True, exist_ok=True)
    base = Path(tempfile.mkdtemp(prefix="redline-probes-"))
    outside = Path(tempfile.mkdtemp(prefix="redline-probes-", dir=outer))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, outside)
        stack.callback(shutil.rmtree, base)
        for path in (base, outside):
            path.chmod(0o755)
        probed = os.environ.get("REDLINE_PROBE_SOURCE", REPO / "src")  # another state of the code
        ground = Ground(user, base, outside)
        stack.callback(
            lambda: [s.close() for s in (ground.service, ground.datagrams, ground.other)]
        )
        for path in (base / "src", ground.workspace / "src"):
            shutil.copytree(probed, path, ignore=shutil.ignore_patterns("__pycache__"))
        _fill(ground)
        yield ground


def _fill(ground: Ground) -> None:
    top = ground.workspace
    ground.outside.chmod(0o777)
    shutil.copy(TRIES, top / "tries.py")
    (top / "fixed").mkdir()
    (top / "fixed" / "file").touch()
    (top / "state" / "redline").mkdir(parents=True)
    (top / "state" / "redline" / "journal").write_text("hunter2")
    (ground.outside / "secret").write_text("hunter2")
    tool = ground.outside / "tool"
    for name in ("bin", "lib"):
        (tool / name).mkdir(parents=True)
    (tool / "bin" / "hello").write_text("#!/bin/sh\necho hello from the tool\n")
    (tool / "bin" / "hello").chmod(0o755)
    (tool / "lib" / "part").write_text("part of the tool\n")
    (tool / "credentials").write_text("hunter2")
    for name in (".", "nested/deep", "linked"):
        subprocess.run(["git", "init", "-q", str(top / name)], check=True)
    (top / "linked" / ".git").rename(top / "linked-store")
    (top / "linked" / ".git").symlink_to("../linked-store")
    (top / "dangling").mkdir()
    (top / "dangling" / ".git").symlink_to("../no-store")
    separate = ["git", "init", "-q", "--separate-git-dir", str(top / "store"), str(top / "pointed")]
    subprocess.run(separate, check=True)
    _listen(ground)
    if ground.user is not None:
        for path in (top, *top.rglob("*")):
            os.chown(path, ground.user, ground.user, follow_symlinks=False)


def _listen(ground: Ground) -> None:
    """Services in the workspace, bound by relative names, one of them renamed."""
    before = os.getcwd()
    os.chdir(ground.workspace)
    try:
        ground.service.bind("early.sock")
        ground.datagrams.bind("service.dgram")
    finally:
        os.chdir(before)
    (ground.workspace / "early.sock").rename(ground.workspace / "service.sock")
    for name in ("service.sock", "service.dgram"):
        (ground.workspace / name).chmod(0o777)
    ground.service.listen()
    for each in (ground.service, ground.datagrams):
        each.setblocking(False)


def nobody_can_run(ground: Ground) -> bool:
    """Whether the user nobody has a Python that can import Redline."""
    code = "import sys; open(sys.argv[1]).close(); sys.exit(sys.version_info < (3, 11))"
    seen = subprocess.run(
        ["/usr/bin/python3", "-c", code, str(ground.base / "src" / "redline" / "__init__.py")],
        user=NOBODY, group=NOBODY, cwd="/", check=False, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return seen.returncode == 0
