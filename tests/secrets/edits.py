"""Edits near and across masked values by every tool: python -m tests.secrets.edits [COUNT].

Beside the workspace, a model holds what each file must be: it knows the true texts, reads which
mask is which value by laying a masked answer over the true text, and shares no code with Redline.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.secrets.kinds import KINDS, plant, write_into
from tests.secrets.seat import MASK, Seat

_FILES = {
    "app.py": "import os\n\n\nclass Settings:\n    name = 'shop'\n\n    def load(self):\n"
    "        return os.environ['X']\n",
    "app.env": "PORT=8080\nNODE_ENV=production\n",
    "conf.yaml": "name: shop\nport: 8080\nlist_of_parts:\n  - one\n  - two\n",
    "notes.txt": "first line\nsecond line\nthird line\n",
}
_JSON = {"name": "shop", "port": 8080, "nested": {"a": [1, 2, {"b": "text"}], "c": None}}
# Without quotes or line breaks, so that a value has one form in every language.
_PLAIN_KINDS = [kind for kind in KINDS if not kind.endswith("-key") or kind == "api-key"]


class Tally(NamedTuple):
    """How many edits were made, refused as they must be, and went wrong, by tool."""

    made: Counter[str]
    refused: Counter[str]
    wrong: list[str]


class Bench:
    """One workspace, and what its files must be."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.seat = Seat(folder)
        self.rng = rng
        self.truth: dict[str, str] = {}
        self.tally = Tally(Counter(), Counter(), [])
        self.count = 0
        for name, text in _FILES.items():
            kinds = KINDS if name in ("app.py", "notes.txt") else _PLAIN_KINDS
            secrets = [plant(kind, rng) for kind in rng.sample(list(kinds), 6)]
            if name == "conf.yaml":
                text += "".join(f's{at}: "{each.text}"\n' for at, each in enumerate(secrets))
            else:
                text = write_into(name, text, secrets, rng)
            self._start(name, text)
        given = {f"{s.name}": s.text for s in [plant(k, rng) for k in _PLAIN_KINDS[:6]]}
        self._start("conf.json", json.dumps({**_JSON, **given}, indent=2) + "\n")

    def _start(self, name: str, text: str) -> None:
        self.truth[name] = text
        self.seat.write(name, text)

    def look(self, name: str) -> tuple[str, dict[str, str]]:
        """Return a file as a model sees it, and the value of each mask."""
        top = str(self.seat.folder)
        outcome = self.seat.outcome("read_file", {"path": f"{top}/{name}"}, "files")
        shown = outcome["content"][0]["text"]
        pieces = MASK.split(shown)
        pattern = "(.+?)".join(re.escape(piece) for piece in pieces)
        match = re.fullmatch(pattern, self.truth[name])
        assert match is not None, f"{name} was not shown as it is but for masks"
        return shown, dict(zip(MASK.findall(shown), match.groups(), strict=True))

    def turn(self) -> None:
        """Make one edit by one tool, and compare every file with what it must be."""
        self.count += 1
        tool = self.rng.choice(list(_TOOLS))
        if _TOOLS[tool](self):
            self.tally.made[tool] += 1
        else:
            self.tally.refused[tool] += 1
        for name, text in self.truth.items():
            held = self.seat.read(name)
            if held != text or (MASK.search(held) is not None):
                self.tally.wrong.append(f"{self.count} {tool} {name}")
                self.seat.write(name, text)

    def region(self, shown: str) -> tuple[int, int]:
        """Return lines of a masked text, most often some that hold a mask."""
        lines = shown.splitlines(keepends=True)
        masked = [at for at, line in enumerate(lines) if MASK.search(line)]
        at = self.rng.choice(masked) if masked and self.rng.random() < 0.8 else 0
        first = max(0, at - self.rng.randint(0, 2))
        last = min(len(lines), at + self.rng.randint(1, 3))
        begin = sum(map(len, lines[:first]))
        return begin, begin + sum(map(len, lines[first:last]))

    def restore(self, text: str, values: dict[str, str]) -> str:
        """Return a masked text as it must be on disk."""
        return MASK.sub(lambda match: values[match.group()], text)

    def change(self, part: str) -> str:
        """Return lines of a masked text otherwise: more of them, moved, or a word longer."""
        lines = part.splitlines(keepends=True)
        kind, mark = self.rng.randrange(3), f"# n{self.count}"
        if kind == 0:
            return f"{mark}\n{part}"
        if kind == 1 and len(lines) > 1 and all(line.endswith("\n") for line in lines):
            return "".join([*lines[1:], lines[0]]) + f"{mark}\n"
        body = part.rstrip("\n")
        return f"{body}  {mark}{part[len(body) :]}"

    def passed(self, answer: Any) -> bool:
        """Whether a call was answered with success."""
        return isinstance(answer, dict) and not answer.get("isError")


def _edit(bench: Bench, name: str, send: Callable[[str, str], Any]) -> bool:
    """Replace one region; the model makes the same replacement in the true text."""
    shown, values = bench.look(name)
    begin, end = bench.region(shown)
    old = shown[begin:end]
    if shown.count(old) != 1 or not old.strip():
        return False
    new = bench.change(old)
    true_old = bench.restore(old, values)
    if bench.truth[name].count(true_old) != 1:
        return False
    if not bench.passed(send(old, new)):
        return False
    bench.truth[name] = bench.truth[name].replace(true_old, bench.restore(new, values))
    return True


def _text_file(bench: Bench) -> str:
    return bench.rng.choice(["app.py", "app.env", "notes.txt"])


def _agent_edit(bench: Bench) -> bool:
    name = _text_file(bench)

    def send(old: str, new: str) -> Any:
        edit = {"old": old, "new": new}
        return bench.seat.outcome("edit", {"path": name, "edits": [edit]})

    return _edit(bench, name, send)


def _files_edit(bench: Bench) -> bool:
    name = _text_file(bench)

    def send(old: str, new: str) -> Any:
        edit = {"oldText": old, "newText": new}
        arguments = {"path": f"{bench.seat.folder}/{name}", "edits": [edit]}
        return bench.seat.outcome("edit_file", arguments, "files")

    return _edit(bench, name, send)


def _regex_edit(bench: Bench) -> bool:
    """Find a masked value by a regular expression that holds its mask, and put it back."""
    name = _text_file(bench)
    _, values = bench.look(name)
    once = [mask for mask, value in values.items() if bench.truth[name].count(value) == 1]
    if not once:
        return False
    mask = bench.rng.choice(once)
    edit = {"old": f"({mask})(.*)$", "new": f"{mask}$2 #r{bench.count}", "regex": True}
    if not bench.passed(bench.seat.outcome("edit", {"path": name, "edits": [edit]})):
        return False
    value, text = values[mask], bench.truth[name]
    end = text.find("\n", text.index(value))
    end = len(text) if end < 0 else end
    bench.truth[name] = f"{text[:end]} #r{bench.count}{text[end:]}"
    return True


def _patch(bench: Bench, toolset: str, tool: str) -> bool:
    name = _text_file(bench)

    def send(old: str, new: str) -> Any:
        body = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
        text = "\n".join(["*** Begin Patch", f"*** Update File: {name}", "@@", *body,
                          "*** End Patch", ""])  # fmt: skip
        return bench.seat.outcome(tool, {"patch": text}, toolset)

    return _edit(bench, name, send)


def _write(bench: Bench, toolset: str, tool: str) -> bool:
    """Write a whole file from its masked text, sometimes with values of other files."""
    name = _text_file(bench)
    shown, values = bench.look(name)
    if bench.rng.random() < 0.3:
        _, others = bench.look(_text_file(bench))
        values = {**values, **others}
        shown += f"# copied {bench.rng.choice(list(others))}\n" if others else ""
    shown = shown[-6000:] if len(shown) > 6000 and not MASK.search(shown[:-6000]) else shown
    path = name if toolset == "agent" else f"{bench.seat.folder}/{name}"
    begin, end = bench.region(shown)
    content = shown[:begin] + bench.change(shown[begin:end]) + shown[end:]
    if not bench.passed(bench.seat.outcome(tool, {"path": path, "content": content}, toolset)):
        return False
    bench.truth[name] = bench.restore(content, values)
    return True


def _set(bench: Bench, toolset: str, tool: str, name: str) -> bool:
    """Give a key of a document the value of a mask of this or another file."""
    _, values = bench.look(bench.rng.choice([name, "app.env"]))
    if not values:
        return False
    mask = bench.rng.choice(list(values))
    key = f"k{bench.rng.randrange(20)}"
    arguments: dict[str, Any] = {
        "set": {"path": name, "edits": [{"key": key, "value": mask}]},
        "doc_set": {"file": name, "path": key, "value": mask},
        "noyalib_set": {"file": name, "path": key, "value": mask},
    }[tool]
    if tool != "set":
        arguments["value"] = json.dumps(mask, ensure_ascii=False)
    if not bench.passed(bench.seat.outcome(tool, arguments, toolset)):
        return False
    held = bench.seat.read(name)
    value = values[mask]
    kept = MASK.search(held) is None and all(
        line in held.splitlines() or line.strip().startswith((key, f'"{key}'))
        or f"{line}," in held.splitlines()
        for line in bench.truth[name].splitlines()
    )  # fmt: skip
    if kept and value in held:
        bench.truth[name] = held
    return True


def _files_edit_many(bench: Bench) -> bool:
    name = _text_file(bench)

    def send(old: str, new: str) -> Any:
        edit = {"oldText": old, "newText": new}
        arguments = {"paths": [f"{bench.seat.folder}/{name}"], "edits": [edit]}
        return bench.seat.outcome("edit_files", arguments, "files")

    return _edit(bench, name, send)


def _json_by_instruction(bench: Bench) -> bool:
    """Set a key of a document by instruction, to the value of a mask of another file."""
    _, values = bench.look("app.env")
    if not values:
        return False
    mask, key = bench.rng.choice(list(values)), f"k{bench.rng.randrange(20)}"
    given = {"document_path": "conf.json", "instruction": f'{key} = "{mask}"'}
    shown = bench.seat.outcome("json_editor_preview", given, "json")
    session = shown.get("structuredContent", {}).get("session_id", "")
    outcome = bench.seat.outcome("json_editor_apply", {"session_id": session}, "json")
    if not bench.passed(outcome):
        return False
    data = json.loads(bench.truth["conf.json"]) | {key: values[mask]}
    held = bench.seat.read("conf.json")
    if json.loads(held) == data:
        bench.truth["conf.json"] = held
    return True


def _code_block(bench: Bench) -> bool:
    """Put lines in place of others by their numbers."""
    name = "app.py"
    shown, values = bench.look(name)
    begin, end = bench.region(shown)
    block = bench.change(shown[begin:end])
    first = shown.count("\n", 0, begin) + 1
    last = first + len(shown[begin:end].splitlines()) - 1
    arguments = {
        "target_file": name, "edit_instruction": "replace these lines", "edit_type": "replace",
        "start_line": first, "end_line": last, "code_block": block,
    }  # fmt: skip
    if last < first or not bench.passed(
        bench.seat.outcome("ai_code_editing.edit_file", arguments, "code")
    ):
        return False
    bench.truth[name] = bench.restore(shown[:begin] + block + shown[end:], values)
    return True


def _rename(bench: Bench) -> bool:
    """Rename a class in a file that has secrets."""
    found = re.search(r"class (\w+):", bench.truth["app.py"])
    if found is None:
        return False
    arguments = {"symbol": found[1], "to": f"Settings{bench.count}", "path": "app.py"}
    if not bench.passed(bench.seat.outcome("rename", arguments)):
        return False
    text = re.sub(rf"\b{found[1]}\b", f"Settings{bench.count}", bench.truth["app.py"])
    bench.truth["app.py"] = text
    return True


def _rewrite(bench: Bench) -> bool:
    """Give a name the value of a mask by its syntax."""
    _, values = bench.look("app.env")
    if not values:
        return False
    mask = bench.rng.choice(list(values))
    arguments = {"pattern": "name = $A", "rewrite": f'name = "{mask}"', "path": "app.py"}
    if not bench.passed(bench.seat.outcome("rewrite", arguments)):
        return False
    bench.truth["app.py"] = re.sub(
        r"""(?m)^(\s*name = )('shop'|"[^"]*")""",
        lambda match: f'{match[1]}"{values[mask]}"',
        bench.truth["app.py"],
    )
    return True


def _ruined(bench: Bench) -> bool:
    """Send a mask that was cut, changed or comes from elsewhere; it must be refused."""
    name = _text_file(bench)
    shown, values = bench.look(name)
    if not values:
        return False
    mask = bench.rng.choice(list(values))
    digits = mask[-9:-1]
    other = f"{(int(digits, 16) + 1) % 16**8:08x}"
    bad = bench.rng.choice([
        mask[:-1], mask[:-4], mask[:-1] + "0»", mask.replace(digits, other),
        mask.replace("secret", "Secret"), mask[1:], f"«secret:GITHUB_TOKEN:{other}»",
        mask.replace(":", " :", 1), mask.strip("«»"),
    ])  # fmt: skip
    content = shown.replace(mask, bad)
    if bench.passed(bench.seat.outcome("write", {"path": name, "content": content})):
        bench.tally.wrong.append(f"{bench.count} took {bad}")
        bench.truth[name] = bench.seat.read(name)
    return False


_TOOLS: dict[str, Callable[[Bench], bool]] = {
    "edit": _agent_edit,
    "edit_file": _files_edit,
    "edit regex": _regex_edit,
    "apply_patch": lambda bench: _patch(bench, "agent", "apply_patch"),
    "coding apply_patch": lambda bench: _patch(bench, "coding", "apply_patch"),
    "write": lambda bench: _write(bench, "agent", "write"),
    "write_file": lambda bench: _write(bench, "files", "write_file"),
    "set": lambda bench: _set(bench, "agent", "set", bench.rng.choice(["conf.yaml", "conf.json"])),
    "doc_set": lambda bench: _set(bench, "docs", "doc_set", "conf.json"),
    "noyalib_set": lambda bench: _set(bench, "yaml", "noyalib_set", "conf.yaml"),
    "edit_files": _files_edit_many,
    "json_editor": _json_by_instruction,
    "code_block": _code_block,
    "rename": _rename,
    "rewrite": _rewrite,
    "ruined": _ruined,
}


def measure(count: int, folder: Path, seed: int = 40, each: int = 100) -> Tally:
    """Make *count* edits, *each* in a new workspace."""
    rng = random.Random(seed)
    total = Tally(Counter(), Counter(), [])
    for number in range(max(1, count // each)):
        bench = Bench(folder / str(number), rng)
        try:
            for _ in range(each):
                bench.turn()
        finally:
            bench.seat.close()
        total.made.update(bench.tally.made)
        total.refused.update(bench.tally.refused)
        total.wrong.extend(bench.tally.wrong)
    return total


def main(count: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(count, Path(folder))
    for tool in _TOOLS:
        print(f"{tool:20} {tally.made[tool]:6} made {tally.refused[tool]:6} refused")
    print(f"{tally.made.total()} made, {len(tally.wrong)} wrong", *tally.wrong[:20], sep="\n  ")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
