"""Play the caller over refused calls of every tool: what a refusal prints is sent back as it is.

Each call has one mistake of the kind that models make, and one outcome that is meant. Names are
drawn with a seed. What the caller reads of a refusal is its text alone: arguments as JSON, a call
with the name of its tool, or the path that is meant.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.noise.replay import (
    APPLIED,
    PRINTED_WRONG,
    REFUSED_AGAIN,
    SILENT,
    WORKS,
    WRONG,
)
from bench.noise.seat import Seat

Json = dict[str, Any]
_ARGUMENTS = re.compile(r"(?:edits\[(\d+)\]: |\b(find|read|search|changes|run) )?(\{\")")
_MEANT = re.compile(r"did you mean (.+)\?")
_MISSING = re.compile(r"No such file or directory: (.+)")
_WORDS = (
    *("basket", "order", "ledger", "invoice", "parcel"),
    *("courier", "stock", "ticket", "voucher", "branch"),
)


class RefusedCall(NamedTuple):
    """A call with a mistake, the call that is meant, and what was done before.

    `before` are calls of the same client; `outside` are files that another program writes then.
    """

    kind: str
    tool: str
    wrong: Json
    meant: Json
    files: Mapping[str, str]
    before: tuple[tuple[str, Json], ...] = ()
    outside: Mapping[str, str] = {}
    # The tool of the call that is meant, where that is another.
    meant_tool: str = ""


def count_refused(count: int, seed: int) -> Counter[tuple[str, str]]:
    """Return how often each kind of refused call came to each outcome."""
    rng = random.Random(seed)
    found: Counter[tuple[str, str]] = Counter()
    for number in range(count):
        case = MISTAKES[number % len(MISTAKES)](rng)
        found[f"{case.tool}: {case.kind}", play(case)] += 1
    return found


def play(case: RefusedCall) -> str:
    """Send a call, and once more as its refusal prints it; compare with the call that is meant."""
    right = _outcome(case, [(case.meant_tool or case.tool, case.meant)])
    with tempfile.TemporaryDirectory() as folder:
        seat = _open(Path(folder), case)
        try:
            first, failed = seat.call(case.tool, case.wrong)
            got = _facts(seat, first, failed)
            if got == right:
                return APPLIED
            if not failed and not first.startswith("(no match)"):
                return WRONG
            again = read_refusal(case.tool, case.wrong, first)
            if again is None:
                return SILENT
            text, failed = seat.call(*again)
            if failed:
                return REFUSED_AGAIN
            return WORKS if _facts(seat, text, failed) == right else PRINTED_WRONG
        finally:
            seat.close()


def read_refusal(tool: str, arguments: Json, said: str) -> tuple[str, Json] | None:
    """Return the call that a refusal prints; None if it prints none."""
    meant, missing = _MEANT.search(said), _MISSING.search(said)
    if meant and missing:
        text = json.dumps(arguments, ensure_ascii=False)
        return tool, json.loads(text.replace(missing[1], meant[1]))
    hint = said.partition("\nhint: ")[2] or (said if said.startswith("(no match)") else "")
    repaired: Json = json.loads(json.dumps(arguments))
    found, end = False, 0
    for at in _ARGUMENTS.finditer(hint):
        if at.start() < end:  # an object inside the one before
            continue
        try:
            given, end = json.JSONDecoder().raw_decode(hint, at.start(3))
        except ValueError:
            continue
        if at[2]:
            return at[2], given
        is_edit = at[1] is not None or "old" in given
        target = repaired["edits"][int(at[1] or 0)] if is_edit else repaired
        target.update(given)
        found = True
    return (tool, repaired) if found else None


def _outcome(case: RefusedCall, calls: list[tuple[str, Json]]) -> tuple[object, ...]:
    with tempfile.TemporaryDirectory() as folder:
        seat = _open(Path(folder), case)
        try:
            answers = [seat.call(*call) for call in calls]
            assert not answers[-1][1], (case, answers[-1])
            return _facts(seat, *answers[-1])
        finally:
            seat.close()


def _open(folder: Path, case: RefusedCall) -> Seat:
    seat = Seat(folder)
    seat.write(case.files)
    for tool, arguments in case.before:
        text, failed = seat.call(tool, arguments)
        assert not failed, text
    seat.write(case.outside)
    return seat


def _facts(seat: Seat, text: str, failed: bool) -> tuple[object, ...]:
    """Return what a call came to: the files, and what it says without ids, times and paths."""
    lines = (line for line in text.splitlines() if "unknown arguments" not in line)
    said = re.sub(
        r"change \w{8}|@\w{8}|[0-9-]{10}T[0-9:]{8}Z|\b[a-z0-9]{8}\b", "", "\n".join(lines)
    )
    return seat.read(), failed, said.replace(str(seat.root), "")


# The mistakes


class _Names:
    """Names of one case, none of them like another."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.one, self.two, self.three, *_ = rng.sample(_WORDS, 3)
        self.folder = rng.choice(["src", "lib/core", "app/shop", "pkg"])
        self.path = f"{self.folder}/{self.one}.py"
        self.config = f"{self.folder}/{self.two}.yaml"
        self.code = (
            f"class {self.one.title()}:\n    def {self.two}(self, rows):\n"
            f"        return sum(rows) + {rng.randint(1, 99)}\n\n\n"
            f"def {self.three}_total(value):\n    return value * {rng.randint(2, 9)}\n"
        )
        self.files = {
            self.path: self.code,
            self.config: f"{self.three}:\n  port: {rng.randint(80, 9000)}\n  host: a.example\n",
            "README.md": "# Shop\n",
        }

    @property
    def misspelled(self) -> str:
        """The path with a letter left out, without its folder, or in another case."""
        at = self.rng.randrange(1, len(self.one) - 1)
        less = self.one[:at] + self.one[at + 1 :]
        other = f"{self.one[0].upper()}{self.one[1:]}"
        return self.rng.choice(
            [f"{self.folder}/{less}.py", f"{self.one}.py", f"other/{self.one}.py",
             f"{self.folder}/{other}.py"]
        )  # fmt: skip


def _path_mistake(
    tool: str, more: Callable[[_Names], Json]
) -> Callable[[random.Random], RefusedCall]:
    def make(rng: random.Random) -> RefusedCall:
        names = _Names(rng)
        rest = more(names)
        wrong, meant = {"path": names.misspelled, **rest}, {"path": names.path, **rest}
        return RefusedCall("misspelled path", tool, wrong, meant, names.files)

    return make


def _yaml_path_mistake(
    tool: str, more: Callable[[_Names], Json]
) -> Callable[[random.Random], RefusedCall]:
    def make(rng: random.Random) -> RefusedCall:
        names = _Names(rng)
        rest = more(names)
        wrong = {"path": f"{names.two}.yaml", **rest}
        return RefusedCall(
            "misspelled path", tool, wrong, {"path": names.config, **rest}, names.files
        )

    return make


def _edit_of(_: _Names) -> Json:
    return {"edits": [{"old": "sum(rows)", "new": "len(rows)"}]}


def read_symbol(rng: random.Random) -> RefusedCall:
    """A symbol with a letter left out."""
    n = _Names(rng)
    wrong = {"path": n.path, "symbol": f"{n.three[:-1]}_total"}
    meant = {"path": n.path, "symbol": f"{n.three}_total"}
    return RefusedCall("misspelled symbol", "read", wrong, meant, n.files)


def read_beyond(rng: random.Random) -> RefusedCall:
    """Lines behind the end."""
    n = _Names(rng)
    total = n.code.count("\n")
    wrong = {"path": n.path, "lines": f"{rng.randint(50, 99)}-"}
    return RefusedCall(
        "lines beyond the end", "read", wrong, {"path": n.path, "lines": f"1-{total}"}, n.files
    )


def search_regex(rng: random.Random) -> RefusedCall:
    """A regex without the argument that says so."""
    n = _Names(rng)
    query = rng.choice([r"def \w+_total", rf"return .*{'rows'}", rf"class\s+{n.one.title()}"])
    return RefusedCall(
        "regex as text", "search", {"query": query}, {"query": query, "regex": True}, n.files
    )


def glob_elsewhere(tool: str, more: Json) -> Callable[[random.Random], RefusedCall]:
    """Return what makes a call whose glob begins outside of its path."""

    def make(rng: random.Random) -> RefusedCall:
        n = _Names(rng)
        wrong = {**more, "path": n.folder, "globs": ["../**/*.md"]}
        meant = {**more, "path": ".", "globs": ["**/*.md"]}
        if len(n.folder.split("/")) > 1:
            wrong["globs"] = ["../../**/*.md"]
        return RefusedCall("glob elsewhere", tool, wrong, meant, n.files)

    return make


def edit_stale(rng: random.Random) -> RefusedCall:
    """A version from before somebody changed another line."""
    from redline.services.versions import version_of

    n = _Names(rng)
    changed = n.code.replace("return value", "return 1 + value")
    item = {"old": "sum(rows)", "new": "max(rows)"}
    wrong = {"path": n.path, "edits": [{**item, "version": version_of(n.code.encode())}]}
    return RefusedCall(
        "stale version", "edit", wrong, {"path": n.path, "edits": [item]}, n.files,
        (("read", {"path": n.path}),), {n.path: changed},
    )  # fmt: skip


def patch_stale(rng: random.Random) -> RefusedCall:
    """A patch with a version from before somebody changed another line."""
    from redline.services.versions import version_of

    n = _Names(rng)
    changed = n.code.replace("return value", "return 1 + value")
    before, after = "        return sum(rows)", "        return max(rows)"
    line = next(each for each in n.code.split("\n") if each.startswith(before))
    patch = (
        f"*** Begin Patch\n*** Update File: {n.path}\n@@\n-{line}\n"
        f"+{line.replace(before, after)}\n*** End Patch"
    )
    wrong = {"patch": patch, "versions": {n.path: version_of(n.code.encode())}}
    return RefusedCall(
        "stale version", "apply_patch", wrong, {"patch": patch}, n.files,
        (("read", {"path": n.path}),), {n.path: changed},
    )  # fmt: skip


def patch_path(rng: random.Random) -> RefusedCall:
    """A patch of a misspelled path."""
    n = _Names(rng)
    line = n.code.split("\n")[2]

    def patch(path: str) -> Json:
        new = line.replace("sum", "min")
        return {
            "patch": f"*** Begin Patch\n*** Update File: {path}\n@@\n-{line}\n+{new}\n*** End Patch"
        }

    return RefusedCall(
        "misspelled path", "apply_patch", patch(n.misspelled), patch(n.path), n.files
    )


def move_onto(rng: random.Random) -> RefusedCall:
    """A move onto a directory."""
    n = _Names(rng)
    meant = {"path": "README.md", "to": f"{n.folder}/README.md"}
    return RefusedCall("onto a directory", "move", {**meant, "to": n.folder}, meant, n.files)


def rename_symbol(rng: random.Random) -> RefusedCall:
    """A symbol with a letter too many."""
    n = _Names(rng)
    meant = {"symbol": f"{n.three}_total", "to": "grand_total"}
    return RefusedCall(
        "misspelled symbol", "rename", {**meant, "symbol": f"{n.three}s_total"}, meant, n.files
    )


def rename_path(rng: random.Random) -> RefusedCall:
    """A name that two files define, in a misspelled path."""
    n = _Names(rng)
    files = {**n.files, f"{n.folder}/more.py": f"def {n.three}_total():\n    return 0\n"}
    meant = {"symbol": f"{n.three}_total", "to": "grand_total", "path": n.path}
    return RefusedCall("misspelled path", "rename", {**meant, "path": n.misspelled}, meant, files)


def get_key(rng: random.Random) -> RefusedCall:
    """A key with a letter left out."""
    n = _Names(rng)
    meant = {"path": n.config, "key": f"{n.three}.port"}
    wrong = {**meant, "key": rng.choice([f"{n.three}.prt", f"{n.three[:-1]}.port"])}
    return RefusedCall("misspelled key", "get", wrong, meant, n.files)


def set_key(rng: random.Random) -> RefusedCall:
    """A value of which the parent has a letter left out."""
    n = _Names(rng)

    def call(key: str) -> Json:
        return {"path": n.config, "edits": [{"key": key, "action": "delete"}]}

    return RefusedCall(
        "misspelled key", "set", call(f"{n.three}.hst"), call(f"{n.three}.host"), n.files
    )


def get_document(rng: random.Random) -> RefusedCall:
    """A key that only the second document has."""
    n = _Names(rng)
    files = {**n.files, "two.yaml": f"a: 1\n---\n{n.one}: {rng.randint(1, 9)}\n"}
    meant = {"path": "two.yaml", "key": n.one, "document": 1}
    return RefusedCall("another document", "get", {"path": "two.yaml", "key": n.one}, meant, files)


def read_directory(rng: random.Random) -> RefusedCall:
    """A directory in the place of a file: what it holds is meant."""
    n = _Names(rng)
    call = {"path": n.folder}
    return RefusedCall("a directory", "read", call, call, n.files, meant_tool="find")


def outline_of_directory(rng: random.Random) -> RefusedCall:
    """An outline of a directory."""
    n = _Names(rng)
    meant = {"path": n.folder, "kind": "structure"}
    return RefusedCall("a directory", "context", {**meant, "kind": "outline"}, meant, n.files)


def find_folder(rng: random.Random) -> RefusedCall:
    """A directory with a letter too many."""
    n = _Names(rng)
    wrong = {"path": f"{n.folder}s"}
    return RefusedCall("misspelled path", "find", wrong, {"path": n.folder}, n.files)


def rewrite_language(rng: random.Random) -> RefusedCall:
    """A language with two letters exchanged."""
    n = _Names(rng)
    meant = {"pattern": "sum($A)", "rewrite": "max($A)", "language": "python"}
    return RefusedCall(
        "misspelled language", "rewrite", {**meant, "language": "pyhton"}, meant, n.files
    )


def get_item(rng: random.Random) -> RefusedCall:
    """An item of a list addressed as a key."""
    n = _Names(rng)
    files = {**n.files, "list.yaml": f"{n.one}:\n  - a\n  - {n.two}\n"}
    meant = {"path": "list.yaml", "key": f"{n.one}[1]"}
    return RefusedCall("item as key", "get", {**meant, "key": f"{n.one}.1"}, meant, files)


def undo_to(rng: random.Random) -> RefusedCall:
    """A checkpoint with a letter left out."""
    n = _Names(rng)
    before = (
        ("undo", {"checkpoint": f"before {n.one}"}),
        ("write", {"path": "new.txt", "content": "x\n"}),
    )
    wrong, meant = {"to": f"before {n.one[:-1]}"}, {"to": f"before {n.one}"}
    return RefusedCall("misspelled checkpoint", "undo", wrong, meant, n.files, before)


def edit_of_several(rng: random.Random) -> RefusedCall:
    """Edits of two files of which one path is misspelled."""
    n = _Names(rng)

    def call(path: str) -> Json:
        first = {"path": "README.md", "old": "Shop", "new": n.one}
        return {"edits": [first, {"path": path, "old": "sum(rows)", "new": "min(rows)"}]}

    return RefusedCall("one of two paths", "edit", call(n.misspelled), call(n.path), n.files)


def run_folder(rng: random.Random) -> RefusedCall:
    """A command in a misspelled directory."""
    n = _Names(rng)
    meant = {"command": "echo made > made.txt", "cwd": n.folder}
    return RefusedCall(
        "misspelled directory", "run", {**meant, "cwd": n.folder + "s"}, meant, n.files
    )


def rewrite_path(rng: random.Random) -> RefusedCall:
    """A rewrite in a misspelled file."""
    n = _Names(rng)
    meant = {"pattern": "sum($A)", "rewrite": "max($A)", "language": "python", "path": n.path}
    return RefusedCall(
        "misspelled path", "rewrite", {**meant, "path": n.misspelled}, meant, n.files
    )


def move_path(rng: random.Random) -> RefusedCall:
    """A move of a misspelled path."""
    n = _Names(rng)
    meant = {"path": n.path, "to": f"{n.folder}/fresh.py"}
    return RefusedCall("misspelled path", "move", {**meant, "path": n.misspelled}, meant, n.files)


MISTAKES: tuple[Callable[[random.Random], RefusedCall], ...] = (
    _path_mistake("read", lambda _: {}),
    _path_mistake("edit", _edit_of),
    _path_mistake("delete", lambda _: {}),
    _path_mistake("search", lambda _: {"query": "return"}),
    _path_mistake("context", lambda _: {"kind": "outline"}),
    _yaml_path_mistake("get", lambda n: {"key": f"{n.three}.port"}),
    _yaml_path_mistake("set", lambda n: {"edits": [{"key": f"{n.three}.port", "value": 1}]}),
    read_symbol,
    read_beyond,
    search_regex,
    glob_elsewhere("find", {}),
    glob_elsewhere("search", {"query": "Shop"}),
    edit_stale,
    patch_stale,
    patch_path,
    move_onto,
    move_path,
    rename_symbol,
    rename_path,
    get_key,
    set_key,
    get_document,
    read_directory,
    outline_of_directory,
    find_folder,
    rewrite_language,
    get_item,
    undo_to,
    edit_of_several,
    run_folder,
    rewrite_path,
)
