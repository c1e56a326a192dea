"""Generated policies against every way to change a file: the real server beside a reference judge.

Each way is carried out twice: with no rules, to see what it would change, and, after the files were
put back, with the policy. `REDLINE_LONG=1` makes 100,000 calls.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.core.ports.history import Origin
from redline.policy.reading import read_policy
from tests.policy.reference import Asked, Picture, changed_paths, verdict, verdict_of_path
from tests.support import need_program
from tests.wire.client import ROOT, Client, connect

Json = dict[str, Any]
LONG = os.environ.get("REDLINE_LONG") == "1"
CALLS = int(os.environ.get("REDLINE_POLICY_CALLS", "100000")) if LONG else 150
# The number of the first case, so that a long run can be made in parts.
FIRST = int(os.environ.get("REDLINE_POLICY_FROM", "0"))
POLICIES = 200
CLIENT = "policy-test"
FILES = {
    "a.txt": "one\ntwo\nthree\nfour\n",
    "gen/b.txt": "one\ntwo\n",
    "conf/c.json": '{"image": "a", "spec": {"replicas": 1, "limits": {"cpu": 1}}, "list": [1]}\n',
    "conf/d.yaml": "image: a\nspec:\n  replicas: 1\n  limits:\n    cpu: 1\nlist:\n  - 1\n  - 2\n",
    "deep/er/e.txt": "x\n",
}
TEXTS = [name for name in FILES if name.endswith(".txt")]
DOCUMENTS = [name for name in FILES if not name.endswith(".txt")]
VALUES = ("image", "spec.replicas", "spec.limits.cpu", "list[0]")
GLOBS = [
    "*.txt",
    "gen/**",
    "conf/",
    "**/*.json",
    "*.yaml",
    "deep/**",
    "a.*",
    "**",
    "new/**",
    "?.txt",
]
FIELDS = ["image", "spec.replicas", "spec.limits", "spec.*", "**.cpu", "list[*]", "**"]
TOOLS = ["write_file", "apply_patch", "doc_set", "undo_change", "redo_change", "exec_command"]


def make_policy(rng: random.Random) -> Json:
    def rule() -> Json:
        made: Json = {"action": rng.choice(["allow", "ask", "deny"])}
        if rng.random() < 0.85:
            made["paths"] = rng.sample(GLOBS, rng.randint(1, 3))
        if rng.random() < 0.35:
            made["fields"] = rng.sample(FIELDS, rng.randint(1, 2))
        if rng.random() < 0.2:
            made["tools"] = rng.sample(TOOLS, rng.randint(1, 3))
        if rng.random() < 0.15:
            made["clients"] = [rng.choice([CLIENT, "another"])]
        if rng.random() < 0.2:
            made["more_than"] = {rng.choice(["lines", "files", "bytes"]): rng.randint(0, 6)}
        return made

    policy: Json = {"rule": [rule() for _ in range(rng.randint(1, 6))]}
    if rng.random() < 0.5:
        policy["default"] = rng.choice(["allow", "ask", "deny"])
    return policy


def to_toml(policy: Json) -> str:
    lines = [f"default = {json.dumps(policy['default'])}"] if "default" in policy else []
    for rule in policy["rule"]:
        lines.append("[[rule]]")
        for key, value in rule.items():
            if key == "more_than":
                inner = ", ".join(f"{name} = {limit}" for name, limit in value.items())
                lines.append(f"more_than = {{ {inner} }}")
            else:
                lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


class World:
    """A server, its workspace and its policy file."""

    def __init__(self, client: Client, base: Path) -> None:
        self.client = client
        self.root = base / "workspace"
        self.policy = base / "policy.toml"
        self.state = Path(client._state)
        self.calls = 0

    def call(self, tool: str, **arguments: Any) -> str:
        self.calls += 1
        return json.dumps(self.client.call(tool, arguments))

    def reset(self) -> None:
        for entry in self.root.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def picture(self) -> Picture:
        found: Picture = {}
        for where, directories, files in os.walk(self.root):
            for name in directories:
                found[str(Path(where, name).relative_to(self.root))] = None
            for name in files:
                path = Path(where, name)
                found[str(path.relative_to(self.root))] = path.read_bytes()
        return found


Way = Callable[[World, random.Random], str]


def _write(world: World, rng: random.Random) -> str:
    name = rng.choice([*FILES, "new/f.txt", "h.txt"])
    text = rng.choice(["one\n", "{", FILES.get(name, "x\n") + "\n", '{"image": "b"}', ""])
    return world.call("write_file", path=name, content=text)


def _edit(world: World, rng: random.Random) -> str:
    name = rng.choice(TEXTS[:2])
    return world.call("edit_file", path=name, edits=[{"oldText": "two", "newText": "2\n3"}])


def _edit_files(world: World, _: random.Random) -> str:
    edits = [{"oldText": "two", "newText": "2"}]
    return world.call("edit_files", paths=["a.txt", "gen/b.txt"], edits=edits)


def _move(world: World, rng: random.Random) -> str:
    source = rng.choice([*FILES, "gen", "deep"])
    return world.call("move_file", source=source, destination=rng.choice(["m.txt", "conf/m.json"]))


def _patch(world: World, rng: random.Random) -> str:
    name = rng.choice(TEXTS[:2])
    lines = rng.choice(
        [
            [f"*** Update File: {name}", "@@", "-two", "+2"],
            [f"*** Update File: {name}", "*** Move to: gen/moved.txt", "@@", "-two", "+2"],
            [f"*** Delete File: {name}"],
            ["*** Add File: gen/new.txt", "+x", "*** Update File: a.txt", "@@", "-two", "+2"],
        ]
    )
    return world.call("apply_patch", patch="\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


def _code(world: World, rng: random.Random) -> str:
    given = {"edit_instruction": "replace", "start_line": 1, "end_line": 1, "code_block": "0"}
    name = rng.choice(TEXTS)
    world.client.call("read_file", {"path": name})  # edits by line want to be up to date
    return world.call("ai_code_editing.edit_file", target_file=name, **given)


def _json_editor(world: World, rng: random.Random) -> str:
    wanted = rng.choice(['/image = "b"', "/spec/replicas = 7", "/list/0 = 7"])
    asked = {"document_path": "conf/c.json", "instruction": wanted}
    shown = world.client.call("json_editor_preview", asked)["result"]["structuredContent"]
    assert "session_id" in shown, shown
    return world.call("json_editor_apply", session_id=shown["session_id"])


def _doc(tool: str, **given: Any) -> Way:
    def way(world: World, rng: random.Random) -> str:
        name, path = rng.choice(DOCUMENTS), rng.choice(VALUES)
        more = {key: (path if value == "PATH" else value) for key, value in given.items()}
        return world.call(tool, file=name, **more)

    return way


def _history(tool: str) -> Way:
    return lambda world, _: world.call(tool)


WAYS: dict[str, Way] = {
    "write_file": _write,
    "edit_file": _edit,
    "edit_files": _edit_files,
    "delete_file": lambda w, r: w.call("delete_file", path=r.choice([*FILES])),
    "move_file": _move,
    "create_directory": lambda w, r: w.call("create_directory", path=r.choice(["new/d", "gen/d"])),
    "apply_patch": _patch,
    "ai_code_editing.edit_file": _code,
    "doc_set": _doc("doc_set", path="PATH", value="7"),
    "doc_insert": _doc("doc_insert", path="added", value="7"),
    "doc_delete": _doc("doc_delete", path="PATH"),
    "noyalib_set": lambda w, r: w.call(
        "noyalib_set", file="conf/d.yaml", path=r.choice(VALUES[:3]), value="7"
    ),
    "json_editor_apply": _json_editor,
    "undo_change": _history("undo_change"),
    "redo_change": _history("redo_change"),
}
# A move is no addition and no removal of lines: the reference does not see that, so policies with
# sizes are not compared there.
MOVES = ("move_file", "apply_patch")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    base = tmp_path_factory.mktemp("policies")
    (base / "workspace").mkdir()
    (base / "policy.toml").write_text("")
    args = ["--errors", "result", "--workspace", str(base / "workspace")]
    args += ["--tool-names", "original", "--policy", str(base / "policy.toml")]
    info = {"name": CLIENT, "version": "1"}
    with connect("stdio", args, cwd=base / "workspace", info=info) as client:
        yield World(client, base)


def prepare(world: World, way: str, rng: random.Random) -> None:
    """Bring the files, and for undo and redo the history, to where the way begins."""
    world.policy.write_text("")
    world.reset()
    if way in ("undo_change", "redo_change"):
        name = rng.choice([*FILES])
        world.call("write_file", path=name, content=FILES[name].replace("1", "8") + "\n")
        if way == "redo_change":
            world.call("undo_change")


def check(world: World, way: str, policy: Json, seed: int) -> None:
    prepare(world, way, random.Random(seed))
    before = world.picture()
    rng = random.Random(seed)
    WAYS[way](world, rng)
    intended = world.picture()
    prepare(world, way, random.Random(seed))
    assert world.picture() == before
    world.policy.write_text(to_toml(policy))
    rng = random.Random(seed)
    reply = WAYS[way](world, rng)
    after = world.picture()
    if way in MOVES and any("more_than" in rule for rule in policy["rule"]):
        expected = None
    else:
        asked = Asked(way.rpartition(".")[2], CLIENT)
        expected = verdict(policy, before, intended, asked)
    about = f"{way} seed {seed}\n{to_toml(policy)}\n{changed_paths(before, intended)}\n{reply}"
    assert after in (before, intended), about
    if expected is not None and changed_paths(before, intended):
        assert (after == intended) == (expected == "allow"), f"expected {expected}: {about}"
        if expected == "deny":
            assert "A rule denies" in reply, about
        if expected == "ask":
            assert "held as" in reply, about


@pytest.mark.requirement("policy-every-way")
def test_no_way_changes_what_a_rule_denies_or_holds(world: World) -> None:
    """Every way, and generated policies in turn, until the calls are used up."""
    number = FIRST
    while world.calls < CALLS:
        way = list(WAYS)[number % len(WAYS)]
        seed = number if LONG else number * 7
        policy = make_policy(random.Random((number // len(WAYS)) % POLICIES))
        check(world, way, policy, seed)
        number += 1
        if number % len(WAYS) == 0:
            (world.state / "held.db").unlink(missing_ok=True)


# They change no file.
OTHERS = {"json_editor_preview", "create_checkpoint", "review_comments"}


@pytest.mark.requirement("policy-every-way")
def test_every_writing_tool_is_among_the_ways(world: World) -> None:
    listed = {
        tool["name"]
        for tool in world.client.list_tools()
        if not tool.get("annotations", {}).get("readOnlyHint")
    }
    commands = {"exec_command", "write_stdin", "kill_session", "execute_command"}
    tried = listed - commands - OTHERS
    assert tried == set(WAYS), "add a call of the new tool to WAYS, or its name to OTHERS"


def check_sealed(
    world: World, policy: Json, before: Picture, intended: Picture, reply: str
) -> None:
    """A part of the command failed: what it was not allowed is as it was, the rest either way."""
    asked, after = Asked("exec_command", CLIENT), world.picture()
    about = f"{to_toml(policy)}\n{reply}"
    for path in {*before, *intended, *after}:
        kind = verdict_of_path(policy, path, before, intended, asked)
        known = (before.get(path),) if kind != "allow" else (before.get(path), intended.get(path))
        assert after.get(path) in known, f"{path}\n{about}"
        assert (path in after) == (path in before) or kind == "allow", f"{path}\n{about}"
    (named,) = set(re.findall(r"read-only by the policy: ([^\"]*?), (?:homes|whole)", reply))
    for path in {*before, *intended}:
        if any(path.startswith(f"{name}/") for name in named.split(", ")):
            assert verdict_of_path(policy, path, before, intended, asked) == "deny", about


@pytest.mark.requirement("policy-commands-sealed")
def test_only_what_is_denied_whole_is_sealed() -> None:
    """The judge denies every change beneath a sealed directory, whatever it is."""
    texts: list[bytes | None] = [None, b"x\n", b'{"image": "a"}\n', b'{"image": "b"}\n', b"{"]
    sealed = 0
    for seed in range(400):
        policy = make_policy(random.Random(seed))
        read = read_policy(to_toml(policy).encode(), "policy.toml")
        for name in read.find_sealed(Origin("exec_command", f"{CLIENT} 1")):
            sealed += 1
            for inner in ("a.txt", "c.json", "deep/er/d.yaml", "new/x"):
                path = f"{name}/{inner}"
                for old, new in itertools.permutations(texts, 2):
                    pictures = [{path: text} if text is not None else {} for text in (old, new)]
                    asked = Asked("exec_command", CLIENT)
                    found = verdict_of_path(policy, path, pictures[0], pictures[1], asked)
                    assert found == "deny", (path, old, new, to_toml(policy))
    assert sealed > 40


@pytest.mark.requirement("policy-commands-sealed")
def test_what_is_denied_whole_is_read_only_while_a_command_runs(world: World) -> None:
    need_program("bwrap")
    world.policy.write_text("")
    world.reset()
    (world.root / ".gitignore").write_text("gen/\n")
    large = world.root / "gen" / "large.bin"
    large.write_bytes(b"x" * (5 << 20))
    (world.root / "linked").symlink_to("gen")
    rules = "[[rule]]\npaths = ['gen/**', 'linked/**', 'absent/']\naction = 'deny'\n"
    world.policy.write_text(rules)
    lines = (
        "echo y > gen/b.txt; rm gen/large.bin; mv gen other; echo z > linked/new.txt",
        "chmod 777 gen/b.txt; mkdir gen/d; ln gen/b.txt hard; echo h >> hard",
        "echo fine > a.txt; mkdir absent; echo no > absent/x",
    )
    before = world.picture()
    reply = world.call("exec_command", cmd="; ".join(lines), timeout_ms=60_000)
    assert "read-only by the policy: gen," in reply
    assert "Read-only file system" in reply
    assert "Not made, because rule 1 (line 1) denies it: absent" in reply
    after = world.picture()
    assert after.pop("a.txt") == b"fine\n"
    before.pop("a.txt")
    after.pop("hard", None)
    assert after == before
    # Rules that may decide otherwise, or for others, seal nothing.
    for more in ("paths = ['GEN/b*']\naction = 'allow'", "paths = ['*.txt']\naction = 'ask'"):
        world.policy.write_text(f"[[rule]]\n{more}\n{rules}")
        assert "by the policy" not in world.call("exec_command", cmd="true", timeout_ms=60_000)
    world.policy.write_text(rules + "tools = ['write_file']\n")
    assert "by the policy" not in world.call("exec_command", cmd="true", timeout_ms=60_000)


@pytest.mark.requirement("policy-commands")
def test_what_a_command_may_not_change_is_not_made(world: World) -> None:
    lines = (
        "echo 5 > a.txt; echo 6 > gen/b.txt",
        "rm conf/c.json; echo y > deep/er/e.txt",
        "sed -i s/image:.*/image:\\ z/ conf/d.yaml; echo > h.txt",
        "mv a.txt gen/z.txt; rm deep/er/e.txt",
    )
    count = 60 if LONG else 6
    for number in range(count):
        world.policy.write_text("")
        world.reset()
        before = world.picture()
        line = lines[number % len(lines)]
        subprocess.run(["/bin/sh", "-c", line], cwd=world.root, check=True)
        intended = world.picture()
        world.reset()
        policy = make_policy(random.Random(1000 + number))
        world.policy.write_text(to_toml(policy))
        reply = world.call("exec_command", cmd=line, timeout_ms=60_000)
        asked = Asked("exec_command", CLIENT)
        if "read-only by the policy" in reply:
            check_sealed(world, policy, before, intended, reply)
            continue
        wanted = dict(before)
        changed = changed_paths(before, intended)
        kind_of = {p: verdict_of_path(policy, p, before, intended, asked) for p in changed}
        kinds = set(kind_of.values())
        unwanted = [intended.get(path) for path, kind in kind_of.items() if kind != "allow"]
        for path, kind in kind_of.items():
            is_moved_back = path not in intended and before[path] in unwanted
            if kind == "allow" and not is_moved_back:
                wanted.pop(path, None)
                if path in intended:
                    wanted[path] = intended[path]
        about = f"{line}\n{to_toml(policy)}\n{reply}"
        assert world.picture() == wanted, about
        assert ("denies it" in reply) == ("deny" in kinds), about
        assert ("held for a person" in reply) == ("ask" in kinds), about


@pytest.mark.requirement("policy-commands")
@pytest.mark.parametrize("action", ["deny", "ask"])
def test_a_file_that_a_command_moved_to_where_it_may_not_be_stays(
    world: World, action: str
) -> None:
    world.policy.write_text("")
    world.reset()
    (world.root / "plan.txt").write_text("image: z\n")
    before = world.picture()
    world.policy.write_text(f"[[rule]]\nfields = ['image']\naction = '{action}'\n")
    for line in ("mv plan.txt new.yaml", "mv plan.txt conf/d.yaml", "mv plan.txt conf/c.json"):
        world.call("exec_command", cmd=line, timeout_ms=60_000)
        assert world.picture() == before, line


@pytest.mark.requirement("policy-every-way")
def test_the_command_line_obeys_unless_it_is_the_owner(world: World) -> None:
    world.reset()
    world.policy.write_text("[[rule]]\nfields = ['image']\naction = 'deny'\n")

    def redline(*args: str) -> tuple[int, str]:
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "REDLINE_STATE_DIR": str(world.state)}
        env["REDLINE_POLICY"] = str(world.policy)
        done = subprocess.run(
            [sys.executable, "-m", "redline", *args],
            cwd=world.root, env=env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        return done.returncode, done.stderr

    code, said = redline("set", "conf/d.yaml", "image", "b")
    assert code == 1
    assert "A rule denies" in said
    assert redline("set", "conf/d.yaml", "spec.replicas", "4")[0] == 0
    assert redline("set", "conf/d.yaml", "image", "b", "--as-owner")[0] == 0
