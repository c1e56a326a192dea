"""Rules, commands that work against them, and a person who saves meanwhile: rounds by number.

Run as a program it plays rounds and prints what went wrong as JSON. It needs nothing but Redline
and what Redline needs, so that any user can run it:

    python hostile_commands.py BACKEND FIRST COUNT

Each round starts from the same files. Whatever the rules, everything that a command writes holds
the word `evil` or `fine`, and everything that the person saves holds the word `person`.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.ports.commands import Job

FILES = {
    "a.txt": "one\n",
    "src/a.py": "a = 1\n",
    "src/x.pb.go": "good\n",
    "deep/er/y.pb.go": "good\n",
    "gen/z.txt": "good\n",
    "conf/app.yaml": "name: app\nimage: good\n",
    "docs/old.txt": "old\n",
    "docs/d.md": "text\n",
}
GUARDED = (".envrc", ".claude/settings.json", ".mcp.json", ".vscode/tasks.json", "sitecustomize.py")
Judge = Callable[[str], bool]


def _rules(*rules: str, default: str = "allow") -> str:
    return f'default = "{default}"\n' + "".join(f"[[rule]]\n{rule}\n" for rule in rules)


def _is_guarded(path: str) -> bool:
    names = path.split("/")
    return ".git" in names or any(f"/{path}/".find(f"/{each}/") >= 0 for each in GUARDED)


# The policy, and which places no command may change under it.
POLICIES: dict[str, tuple[str, Judge]] = {
    "deny a glob": (
        _rules("paths = ['*.pb.go']\naction = 'deny'"),
        lambda path: path.endswith(".pb.go"),
    ),
    "deny a directory, ask for a glob": (
        _rules("paths = ['gen/**']\naction = 'deny'", "paths = ['*.pb.go']\naction = 'ask'"),
        lambda path: path.endswith(".pb.go") or path.startswith("gen/"),
    ),
    "deny deeply": (
        _rules("paths = ['deep/er/**', 'new/**']\naction = 'deny'"),
        lambda path: path.startswith(("deep/er/", "new/")),
    ),
    "deny a value": (
        _rules("fields = ['image']\naction = 'deny'"),
        lambda path: path.endswith((".yaml", ".json")),  # a directory of that name has no values
    ),
    "deny by default": (
        _rules("paths = ['docs/**', '*.txt']\naction = 'allow'", default="deny"),
        lambda path: not (f"{path}/".startswith("docs/") or path.endswith(".txt")),
    ),
    "ask by default": (
        _rules("paths = ['docs/**', '*.txt']\naction = 'allow'", default="ask"),
        lambda path: not (f"{path}/".startswith("docs/") or path.endswith(".txt")),
    ),
}

# T is the place that is attacked, D its directory, # a number of its own, EVIL a line of evil text.
ATTACKS = {
    "plain": "EVIL > T",
    "padded": "(EVIL; head -c 5000000 /dev/zero) > T",
    "padded comment": "(EVIL; head -c 5000000 /dev/zero | tr '\\0' '#') > T",
    "sparse": "EVIL > T; truncate -s 3G T",
    "pipe": "rm -rf T; mkfifo T",
    "pipe, then file": "rm -rf T; mkfifo T; rm -f T; EVIL > T",
    "socket": "rm -rf T; python3 -c 'import socket; socket.socket(1).bind(\"T\")'",
    "many": "mkdir -p docs/m#; i=0; while [ $i -lt MANY ]; do i=$((i+1)); echo fine > docs/m#/$i;"
    " done; EVIL > T",
    "bulk": "mkdir -p docs/b#; for i in BULK; do head -c 4000000 /dev/zero > docs/b#/$i; done;"
    " EVIL > T",
    "ignore the directory": "echo 'D/' > .gitignore; EVIL > T",
    "ignore everything": "echo '*' > .gitignore; EVIL > T",
    "ignore, then unignore": "echo '*' > .gitignore; EVIL > T; rm -f .gitignore",
    "closed file": "EVIL > T; chmod 000 T",
    "closed directory": "EVIL > T; chmod 000 D",
    "walkable directory": "EVIL > T; chmod 111 D",
    "read-only directory": "EVIL > T; chmod 555 D",
    "closed root": "EVIL > T; chmod 000 .",
    "parent as link": "mv D docs/was#; ln -s docs/was# D; EVIL > T",
    "parent as file": "mv D docs/was#; EVIL > D",
    "parent replaced": "mv D docs/was#; mkdir -p D; (EVIL; head -c 5000000 /dev/zero) > T",
    "parent removed": "rm -rf D; EVIL > D",
    "parent made again": "rm -rf D; mkdir -p D; EVIL > T",
    "hard link": "ln T docs/h#; EVIL > docs/h#",
    "link": "ln -s ../T docs/l#; EVIL > docs/l#",
    "link above": "mkdir -p docs/u#/er; EVIL > docs/u#/er/evil.pb.go; EVIL > docs/u#/er/n;"
    " ln -s docs/u# new; ln -s docs/u# deep; ln -s ../docs/u#/er gen/e; ln -s docs/u# lk#",
    "chain": "i=0; while [ $i -lt 40 ]; do i=$((i+1)); mv docs/d.md docs/k$i; done; cp T docs/d.md;"
    " EVIL > T",
    "target as link": "rm -rf T; EVIL > docs/t#; ln -s /proc/self/cwd/docs/t# T",
    "target as directory": "rm -rf T; mkdir T; EVIL > T/evil",
    "renamed over": "EVIL > docs/e#; mv -f docs/e# T",
    "swapped": "mv T docs/s#; EVIL > T",
    "own names": "EVIL > D/.redline-evil; mv T D/.redline-was; EVIL > T",
    "own names at the top": "EVIL > .redline-evil; mkdir .redline-d; EVIL > .redline-d/x",
    "old time": "touch -r T docs/time#; EVIL > T; touch -r docs/time# T",
    "kept open": "(exec 3>>T; EVIL >&3; sleep 0.1; EVIL >&3) & EVIL > T; wait",
    "removed": "rm -rf T",
    "directory removed": "rm -rf D",
    "new beside": "EVIL > D/new.pb.go; EVIL > D/new.yaml; mkdir -p gen; EVIL > gen/n",
    "new directory": "mkdir -p new/gen; (EVIL; head -c 5000000 /dev/zero) > new/gen/x",
    "guarded": "mkdir -p .claude .vscode; for f in GUARDED; do EVIL > $f; done",
    "nested repository": "mkdir -p docs/r#/.git; EVIL > docs/r#/.git/config",
    "ignored directory": "mkdir -p node_modules/p; EVIL > node_modules/p/x.pb.go;"
    " EVIL > node_modules/p/x.yaml",
    "deep": "(cd docs; i=0; while [ $i -lt 140 ]; do i=$((i+1)); mkdir d; cd d; done;"
    " EVIL > evil.pb.go)",
}
HARMLESS = (
    "echo fine > docs/ok#.txt",
    "mkdir -p node_modules/p; echo fine > node_modules/p/f#",
    "echo fine >> a.txt",
    "mv docs/old.txt docs/older.txt",
    "sed -i s/text/fine/ docs/d.md",
    "rm -f docs/d.md",
)


@dataclass
class Round:
    """What happens in one round, all decided before it starts."""

    policy: str
    lines: list[tuple[str, str]]  # before and after the person saves, for each command
    later: str
    saves: list[tuple[str, bool]]  # the file, and whether it is replaced
    about: list[str] = field(default_factory=list)


def plan(number: int) -> Round:
    """The round of that number."""
    rng = random.Random(number)
    policy = rng.choice(list(POLICIES))
    targets = [*FILES, "src/new.pb.go", "gen/new.txt", "conf/new.yaml"]
    protected = [name for name in targets if POLICIES[policy][1](name)] or targets
    about = [policy]

    def attack() -> str:
        target = rng.choice(protected if rng.random() < 0.8 else targets)
        rare = rng.random() < 0.02
        names = ["many", "bulk"] if rare else [name for name in ATTACKS if name != "bulk"]
        name = names[number % len(names)] if rng.random() < 0.5 else rng.choice(names)
        about.append(f"{name} at {target}")
        text = ATTACKS[name].replace("MANY", "5100" if rare else "60")
        text = text.replace("EVIL", "echo 'image: evil'").replace("GUARDED", " ".join(GUARDED))
        text = text.replace("BULK", " ".join(map(str, range(18))))
        directory = os.path.dirname(target) or "src"
        text = re.sub(r"\bT\b", target, re.sub(r"\bD\b", directory, text))
        return text.replace("#", str(rng.randrange(10**6)))

    def harmless() -> str:
        return rng.choice(HARMLESS).replace("#", str(rng.randrange(10**6)))

    def line() -> str:
        parts = [attack() if rng.random() < 0.75 else harmless() for _ in range(rng.randint(1, 2))]
        return "; ".join(parts) if rng.random() < 0.9 else ":"

    lines = [(line(), line()) for _ in range(2 if rng.random() < 0.3 else 1)]
    later = attack() if rng.random() < 0.3 else ""
    saves = []
    if rng.random() < 0.6:
        saves = [(rng.choice([*FILES, "mine.txt"]), rng.random() < 0.5) for _ in range(2)]
    return Round(policy, lines, later, saves, about)


class Stage:
    """A workspace with a policy, and what one round did to it."""

    def __init__(self, base: Path, backend: str) -> None:
        from redline.settings import Settings
        from redline.wiring.workspace import Redline

        self.root = base / "ws"
        self.root.mkdir()
        self.policy = base / "policy.toml"
        self.policy.write_text("")
        state = str(base / "state")
        settings = Settings(workspace=str(self.root), state_dir=state, policy=str(self.policy))
        self.redline = Redline(settings)
        self.redline._processes._backend = backend

    def lay_out(self) -> None:
        for where, directories, _ in os.walk(self.root):
            for name in directories:
                path = Path(where, name)
                if not path.is_symlink():
                    path.chmod(0o755)
        self.root.chmod(0o755)
        for entry in self.root.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def start(self, line: str, stdin: bytes | None) -> Job:
        """Start a command; None as input keeps it open."""
        from redline.core.paths import WorkspacePath
        from redline.core.ports.commands import Command
        from redline.core.ports.history import Origin

        command = Command(line, WorkspacePath(0, ()), timeout=20.0, stdin=stdin, owner="me")
        return self.redline.commands.start(command, Origin("exec_command", "agent", session="s"))

    def finish(self, job: Job) -> list[str]:
        """Wait for the end of a command; what its answer says."""
        while not job.state().has_ended:
            job.wait(60.0)
        self.redline.commands.release(job.id, "me")
        return list(job.notes)

    def play(self, number: int) -> list[str]:
        """Play one round; what went wrong."""
        chosen = plan(number)
        rules, is_protected = POLICIES[chosen.policy]
        self.policy.write_text("")
        self.lay_out()
        self.policy.write_text(rules)
        jobs = []
        for before, after in chosen.lines:
            job = self.start(f"{before}; echo ready; read x; {after}", None)
            wait_for_ready(job)
            jobs.append(job)
        saved = self._save(chosen, number)
        for job in jobs:
            if not job.state().has_ended:
                job.send(b"go\n")
        answers = [self.finish(job) for job in jobs]
        if chosen.later:
            answers.append(self.finish(self.start(chosen.later, b"")))
        values_only = chosen.policy == "deny a value"
        wrong = self._find_wrong(is_protected, saved, values_only, bool(chosen.later))
        for notes in answers:
            wrong += find_contradictions(notes)
            wrong += [f"failed: {note}" for note in notes if "failed:" in note]
        return [f"{each} | {chosen} | {answers}" for each in wrong]

    def _save(self, chosen: Round, number: int) -> dict[str, bytes]:
        saved: dict[str, bytes] = {}
        for name, is_replaced in chosen.saves:
            path = self.root / name
            content = f"person {number}\nimage: good\n".encode()
            saved[name] = content
            with suppress(OSError):  # it counts as lost: no command may keep anybody from saving
                save(path, content, is_replaced=is_replaced)
        return saved

    def _find_wrong(
        self,
        is_protected: Judge,
        saved: dict[str, bytes],
        values_only: bool,
        was_attacked_later: bool,
    ) -> list[str]:
        wrong = []
        found = picture(self.root)
        for path, content in found.items():
            name = os.path.basename(path)
            if name.startswith(".redline-"):
                wrong.append(f"own name: {path}")
            if not (is_protected(path) or _is_guarded(path)) or path in saved:
                continue
            known = FILES[path].encode() if path in FILES else None
            is_old = any(each.startswith(f"{path}/") for each in FILES)
            is_free = values_only and path not in FILES and not _is_guarded(path)
            if content == "directory" and (is_old or is_free):
                continue
            if content != known:
                wrong.append(f"denied content: {path} {str(content)[:40]}")
        wrong += [
            f"denied name: {path}"
            for link in (path for path, content in found.items() if content == "link")
            for path in names_behind(self.root, link)
            if is_protected(path) and "/" in path and path not in found
        ]
        wrong += [f"missing: {path}" for path in FILES if is_protected(path) and path not in found]
        for path, content in saved.items():
            # A command that starts after the save may change what no rule protects.
            if found.get(path) != content and (is_protected(path) or not was_attacked_later):
                wrong.append(f"save lost: {path} {str(found.get(path))[:40]}")
        return wrong


def wait_for_ready(job: Job) -> None:
    """Wait until a command has said `ready`, or has ended."""
    while b"ready" not in job.take().stdout.head and not job.state().has_ended:
        job.wait(60.0, for_output=True)


def save(path: Path, content: bytes, *, is_replaced: bool) -> None:
    """Save a file as one kind of editor or the other does."""
    if not is_replaced:
        path.write_bytes(content)
        return
    beside = path.with_name(f"{path.name}~")
    beside.write_bytes(content)
    beside.rename(path)


def picture(root: Path) -> dict[str, bytes | str]:
    """Everything in the workspace: the content of files, the kind of all else."""
    found: dict[str, bytes | str] = {}
    for where, directories, files in os.walk(root):
        for name in (*directories, *files):
            path = Path(where, name)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:
                found[str(path.relative_to(root))] = "closed"
            elif stat.S_ISREG(mode):
                with open(path, "rb") as file:
                    found[str(path.relative_to(root))] = file.read(1 << 16)
            elif stat.S_ISDIR(mode):
                found[str(path.relative_to(root))] = "directory"
            else:
                found[str(path.relative_to(root))] = "link" if stat.S_ISLNK(mode) else "special"
    return found


def names_behind(root: Path, link: str) -> list[str]:
    """What names a link gives to the files of the directory that it leads to."""
    target = (root / link).resolve()
    if not target.is_relative_to(root):
        return []
    files = (path for path in target.rglob("*") if path.is_file() and not path.is_symlink())
    return [f"{link}/{path.relative_to(target)}" for path in files]


def find_contradictions(notes: list[str]) -> list[str]:
    """Names of which one answer says two things."""
    said: Counter[str] = Counter()
    for note in notes:
        names = re.sub(r" and \d+ more$", "", note.rpartition(": ")[2])
        said.update(set(re.sub(r" \([a-z ]+\)", "", names).split(", ")))
    return [f"contradiction: {name}" for name, count in said.items() if count > 1]


def main() -> None:
    backend, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    wrong: list[str] = []
    used: Counter[str] = Counter()
    base = Path(tempfile.mkdtemp(prefix="redline-hostile-"))
    os.environ["HOME"] = str(base)  # where the state of all workspaces lies
    stage = Stage(base, backend)
    try:
        for number in range(first, first + count):
            used.update(each.partition(" at ")[0] for each in plan(number).about)
            wrong += [f"{number}: {each}" for each in stage.play(number)]
    finally:
        stage.redline.close()
        shutil.rmtree(base, ignore_errors=True)
    print(json.dumps({"wrong": wrong, "attacks": used, "user": os.geteuid()}))


if __name__ == "__main__":
    main()
