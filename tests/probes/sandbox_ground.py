"""What surrounds a probed command: a workspace, things outside, and a user who runs the server."""

from __future__ import annotations

import json
import os
import shutil
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
    source: Path
    cleanup: ExitStack = field(default_factory=ExitStack)

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
        }
        for name, place in places.items():
            text = text.replace("{" + name + "}", place)
        return text

    def run(self, lines: dict[str, Any], **order: Any) -> dict[str, Any]:
        """Run *lines* in the sandbox as the user of this ground; the driver's answers."""
        python = sys.executable if self.user is None else "/usr/bin/python3"
        whole = {
            "source": str(self.source),
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
            env={"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"},
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
        shutil.copytree(probed, base / "src", ignore=shutil.ignore_patterns("__pycache__"))
        ground = Ground(user, base, outside, base / "src", stack)
        _fill(ground)
        yield ground


def _fill(ground: Ground) -> None:
    ground.workspace.mkdir()
    ground.outside.chmod(0o777)
    shutil.copy(TRIES, ground.workspace / "tries.py")
    subprocess.run(["git", "init", "-q", str(ground.workspace)], check=True)
    if ground.user is not None:
        for path in (ground.workspace, *ground.workspace.rglob("*")):
            os.chown(path, ground.user, ground.user, follow_symlinks=False)


def nobody_can_run(source: Path) -> bool:
    """Whether the user nobody has a Python that can import Redline from *source*."""
    code = "import sys; open(sys.argv[1]).close(); sys.exit(sys.version_info < (3, 11))"
    seen = subprocess.run(
        ["/usr/bin/python3", "-c", code, str(source / "redline" / "app.py")],
        user=NOBODY, group=NOBODY, cwd="/", check=False, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return seen.returncode == 0
