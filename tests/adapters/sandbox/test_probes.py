"""What safe mode forbids is stopped by the kernel: as root and as an ordinary user, both guards."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.sandbox.visible_paths import SandboxView, own_mounts
from tests.adapters.processes.ground import BACKENDS, require
from tests.support import CACHE, REPO, need

HERE = Path(__file__).parent
NOBODY = 65534
SOURCE = REPO / "src"
# name: (what to try, on what); places are made by `Outside`.
ON_FILES = (
    *("write", "append", "remove", "truncate", "rename", "make", "chmod", "fchmod", "times"),
    *("xattr", "link", "through_link"),
)


@dataclass
class Outside:
    """Things outside the workspace a command must not reach."""

    folder: Path
    tcp: socket.socket = field(default_factory=socket.socket)
    udp: socket.socket = field(
        default_factory=lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    )
    unix: socket.socket = field(default_factory=lambda: socket.socket(socket.AF_UNIX))
    abstract: socket.socket = field(default_factory=lambda: socket.socket(socket.AF_UNIX))
    sleeper: subprocess.Popen[bytes] | None = None

    def open(self, as_user: int | None) -> None:
        """Make everything, all of it open to everybody."""
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o777)
        for name in ON_FILES:
            target = self.folder / name
            target.write_text("untouched")
            target.chmod(0o666)
            if as_user is not None:
                os.chown(target, as_user, as_user)
        self.tcp.bind(("127.0.0.1", 0))
        self.tcp.listen()
        self.tcp.setblocking(False)
        self.udp.bind(("127.0.0.1", 0))
        self.udp.setblocking(False)
        self.unix.bind(str(self.folder / "socket"))
        (self.folder / "socket").chmod(0o777)
        self.unix.listen()
        self.unix.setblocking(False)
        self.abstract.bind(f"\0{self.folder.name}")
        self.abstract.listen()
        self.abstract.setblocking(False)
        self.sleeper = subprocess.Popen(["sleep", "600"], user=as_user, group=as_user)

    def close(self) -> None:
        """Take it all away."""
        for each in (self.tcp, self.udp, self.unix, self.abstract):
            each.close()
        assert self.sleeper is not None
        self.sleeper.kill()
        self.sleeper.wait()

    def attempts(self) -> dict[str, str]:
        """Every probe as arguments of attempt.py."""
        assert self.sleeper is not None
        tries = {name: str(self.folder / name) for name in ON_FILES}
        tries |= {
            "tcp": str(self.tcp.getsockname()[1]),
            "udp": str(self.udp.getsockname()[1]),
            "unix": str(self.folder / "socket"),
            "abstract": self.folder.name,
            "ptrace": str(self.sleeper.pid),
            "memory": str(self.sleeper.pid),
            "kill": str(self.sleeper.pid),
            "kill_everybody": "-",
            "mount": ".",
            "unshare": "-",
            "chroot": "-",
        }
        return tries

    def damage(self) -> list[str]:
        """What a command did reach, seen from here."""
        found = []
        for name in ON_FILES:
            target = self.folder / name
            if not target.exists() or target.read_text() != "untouched":
                found.append(f"content of {name}")
            elif stat.S_IMODE(target.stat().st_mode) != 0o666 or target.stat().st_mtime < 10:
                found.append(f"mode or time of {name}")
        found += [p.name for p in self.folder.iterdir() if p.name not in (*ON_FILES, "socket")]
        for name, listener in (("tcp", self.tcp), ("unix", self.unix), ("abstract", self.abstract)):
            try:
                listener.accept()[0].close()
                found.append(name)
            except BlockingIOError:
                pass
        try:
            self.udp.recv(10)
            found.append("udp")
        except BlockingIOError:
            pass
        assert self.sleeper is not None
        if self.sleeper.poll() is not None:
            found.append("the process outside")
        return found


@dataclass
class Cell:
    """A workspace, who runs in it, and which guard holds."""

    workspace: Path
    user: int | None
    backend: str
    outside: Outside
    source: Path

    def run(self, lines: dict[str, str], **order: Any) -> dict[str, Any]:
        """The answers to command lines run as the user of this cell."""
        python = sys.executable if self.user is None else "/usr/bin/python3"
        order = {
            "source": str(self.source),
            "workspace": str(self.workspace),
            "mode": "safe",
            "backend": self.backend,
            "lines": lines,
            **order,
        }
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
        if self.user is None:
            env["HOME"] = os.environ["HOME"]
        done = subprocess.run(
            [python, "-I", str(HERE / "driver.py")],
            input=json.dumps(order).encode(),
            capture_output=True,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
            cwd="/",
            env=env,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        answers: dict[str, Any] = json.loads(done.stdout)
        return answers

    def attempt(self, tries: dict[str, str], **order: Any) -> dict[str, str]:
        """What each probe printed."""
        lines = {name: f"/usr/bin/python3 attempt.py {name} {on}" for name, on in tries.items()}
        answers = self.run(lines, **order)
        return {name: answer["out"] + answer["err"] for name, answer in answers.items()}


USERS = {"root": None, "nobody": NOBODY} if os.geteuid() == 0 else {"me": None}


_ASK_PYTHON = "import sys; open(sys.argv[1]).close(); sys.exit(sys.version_info < (3, 11))"


def _can_run_as_nobody(source: Path) -> bool:
    seen = subprocess.run(
        ["/usr/bin/python3", "-c", _ASK_PYTHON, str(source / "redline" / "settings.py")],
        user=NOBODY, group=NOBODY, cwd="/", check=False, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return seen.returncode == 0


@pytest.fixture(scope="session")
def grounds() -> Iterator[Path]:
    """Where outsides lie; they go at the end, since commands of other tests may be starting."""
    # Not in /tmp, which bubblewrap replaces: there everything is safe by absence. Every user must
    # be able to get there, so not in a checkout that only its owner can enter.
    open_places = [p for p in (Path("/srv"), Path("/opt")) if os.access(p, os.W_OK)]
    base = open_places[0] if open_places else CACHE
    base.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="redline-probes-", dir=base))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def readable_source() -> Iterator[Path]:
    """The source where any user can read it, wherever the checkout lies."""
    base = Path(tempfile.mkdtemp(prefix="redline-source-"))
    base.chmod(0o755)
    shutil.copytree(SOURCE, base / "src", ignore=shutil.ignore_patterns("__pycache__"))
    yield base / "src"
    shutil.rmtree(base)


@pytest.fixture(params=[f"{user}-{backend}" for user in USERS for backend in BACKENDS])
def cell(
    request: pytest.FixtureRequest, tmp_path: Path, grounds: Path, readable_source: Path
) -> Iterator[Cell]:
    name, backend = request.param.split("-")
    require(backend)
    user = USERS[name]
    if user is not None:
        need(_can_run_as_nobody(readable_source), "a system Python >= 3.11 for the user nobody")
    # Not below pytest's own directory, which other runs close to other users.
    base = Path(tempfile.mkdtemp(prefix="redline-probes-"))
    base.chmod(0o755)
    workspace = base / "ws"
    workspace.mkdir()
    shutil.copy(HERE / "attempt.py", workspace)
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    outside = Outside(grounds / f"{os.getpid()}-{tmp_path.name}")
    outside.open(user)
    if user is not None:
        for path in (workspace, *workspace.rglob("*")):
            os.chown(path, user, user)
    yield Cell(workspace, user, backend, outside, readable_source)
    outside.close()
    shutil.rmtree(base)


@pytest.mark.requirement("coding-exec-sandbox")
def test_nothing_outside_is_reached(cell: Cell) -> None:
    said = cell.attempt(cell.outside.attempts())
    said.pop("kill_everybody")  # it may hit its own shell; `damage` looks for others
    said.pop("udp")  # it may leave, but only into a network of its own; `damage` looks
    assert {name: text for name, text in said.items() if not text.startswith("held")} == {}
    assert cell.outside.damage() == []


def test_the_probes_do_harm_without_a_sandbox(cell: Cell) -> None:
    tries = {
        name: on
        for name, on in cell.outside.attempts().items()
        if name not in ("kill_everybody", "mount", "unshare", "chroot", "ptrace", "xattr")
    }
    said = cell.attempt(tries, mode="dangerous")
    broken = [name for name, text in said.items() if text.startswith("held")]
    assert broken == [], said
    assert len(cell.outside.damage()) > len(ON_FILES)


@pytest.mark.requirement("coding-exec-sandbox")
def test_the_kernel_s_own_files_cannot_be_written(cell: Cell) -> None:
    ours, theirs = os.openpty()
    try:
        places = {
            "pattern": "/proc/sys/kernel/hostname",
            "trigger": "/proc/sysrq-trigger",
            "group": "/sys/fs/cgroup/cgroup.procs",
            "pids": "/sys/fs/cgroup/pids/tasks",
            "terminal": os.ttyname(theirs),
            "oom": "/proc/1/oom_score_adj",
        }
        lines = {
            name: f"/usr/bin/python3 attempt.py append {place}" for name, place in places.items()
        }
        said = {name: got["out"] for name, got in cell.run(lines).items()}
    finally:
        os.close(ours)
        os.close(theirs)
    reached = {name: text for name, text in said.items() if not text.startswith("held")}
    assert reached == {}


@pytest.mark.requirement("coding-exec-sandbox-git")
def test_a_git_directory_that_is_a_link_does_not_break_commands(cell: Cell) -> None:
    shutil.rmtree(cell.workspace / ".git")
    (cell.workspace / ".git").symlink_to("/etc")
    got = cell.run({"x": "echo fine; ls -ld .git"})["x"]
    assert got["out"].startswith("fine\n"), got
    (cell.workspace / ".git").unlink()
    (cell.workspace / ".git").symlink_to("nowhere")
    assert cell.run({"x": "echo fine"})["x"]["out"] == "fine\n"


@pytest.mark.requirement("coding-exec-sandbox-git")
def test_git_data_is_read_only(cell: Cell) -> None:
    said = cell.attempt(
        {"append": ".git/config", "rename": ".git", "remove": ".git/HEAD", "chmod": ".git/config"}
    )
    assert {name: text for name, text in said.items() if not text.startswith("held")} == {}
    config = (cell.workspace / ".git" / "config").read_text()
    assert "probe" not in config


@pytest.mark.requirement("coding-exec-sandbox-limits")
def test_a_fork_bomb_stops_at_the_limit(cell: Cell) -> None:
    answer = cell.run({"fork_bomb": "/usr/bin/python3 attempt.py fork_bomb -"})["fork_bomb"]
    said = answer["out"] + answer["err"]
    assert "held: EAGAIN" in said, answer
    # Where tasks are counted per user, the limit is 512 more than the whole machine runs just now.
    forks = int(said.split("forks: ")[1].split()[0])
    assert 10 < forks < 5000, "the bomb went off by itself"


@pytest.mark.requirement("coding-exec-sandbox-limits")
def test_memory_and_file_size_have_limits(cell: Cell) -> None:
    said = cell.attempt({"memory_bomb": "-", "file_bomb": "-"})
    assert said == {"memory_bomb": "held: ENOMEM\n", "file_bomb": "held: EFBIG\n"}


@pytest.mark.requirement("coding-exec-sandbox-limits")
def test_many_processes_together_have_a_memory_limit(cell: Cell) -> None:
    (cell.workspace / "hog.py").write_text(
        "import os, time\nmain = os.getpid()\nfor _ in range(3): os.fork()\n"
        "b = b'x' * (1 if os.getpid() == main else 70 << 20)\ntime.sleep(600)\n"
    )
    limits = {"MEMORY": 300 << 20}
    got = cell.run({"hogs": "/usr/bin/python3 hog.py"}, limits=limits, timeout=200.0)["hogs"]
    assert got["status"] != "timeout"
    assert "memory limit" in got["notes"][0]


@pytest.mark.requirement("coding-exec-sandbox")
def test_secrets_of_the_person_are_hidden(cell: Cell) -> None:
    home = Path(os.path.expanduser("~"))
    tries = {"list": f"ls -A {home}/.ssh {home}/.config", "shadow": "cat /etc/shadow"}
    for name, got in cell.run(tries).items():
        assert got["out"] == "", name


@pytest.mark.requirement("coding-exec-sandbox-states")
def test_the_answer_states_what_was_in_force(cell: Cell) -> None:
    got = cell.run({"x": "true"})["x"]
    assert got["facts"]["fs"].startswith(cell.backend)
    assert got["facts"]["net"] == "none"
    assert "512" in got["facts"]["pids"]
    assert "4 GiB" in got["facts"]["memory"]
    assert got["warnings"] == []


@pytest.mark.requirement("coding-exec-sandbox")
def test_an_older_landlock_still_holds_signals(cell: Cell) -> None:
    if cell.backend != "landlock":
        pytest.skip("about Landlock only")
    attempts = cell.outside.attempts()
    said = cell.attempt(
        {"kill": attempts["kill"], "kill_everybody": "-"}, offer={"abi": 5, "namespaces": False}
    )
    assert said["kill"].startswith("held")
    assert cell.outside.damage() == []
    own = cell.run(
        {"own": "sleep 60 & kill $! && wait; echo ended"}, offer={"abi": 5, "namespaces": False}
    )
    assert own["own"]["out"] == "ended\n"


def test_what_leads_to_redline_in_a_root_stays_in_its_place() -> None:
    """A renamed directory would take the read-only program along, and leave room for another."""
    view = SandboxView("/w", "/p", writable=("/w", "/w/in"), program=("/w/in/tools/own/redline",))
    steps = own_mounts(view, {})
    assert steps == [
        ["pin", "/w/in/tools"],
        ["pin", "/w/in/tools/own"],
        ["ro-inside", "/w/in/tools/own/redline"],
    ]
