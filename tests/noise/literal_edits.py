"""Unique literal edits of real files, judged by `str.replace`.

    python -m tests.noise.literal_edits --edits 2000 --seed 1

Every edit quotes a text that its file has exactly once, cut behind an indentation, anywhere, or as
whole lines. The tool must leave what `str.replace` makes of the file, or refuse by one of three
rules, which are judged here by other means than its own: (a) the file parsed (Python's `ast`,
PyYAML), would not any more, and does after the call that the refusal prints; (b) the quotation
begins behind an indentation, and a line of it comes back at another one than the file has it; (c)
the quotation begins there, with a word, and a further line of the new text is at column 0, where
the quotation has none. Rule (c) is met often here, as the new lines come from all over the file.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import sys
import sysconfig
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.support import REPO
from tests.wire.client import Client, connect

LITERAL, ALTERED, BY_PARSER, BY_LINE, BY_COLUMN, BY_NO_RULE = (
    "literal",
    "altered",
    "refused by rule a",
    "refused by rule b",
    "refused by rule c",
    "refused by no rule",
)
SUFFIXES = (".py", ".js", ".mjs", ".ts", ".go", ".yaml", ".yml", ".md", ".toml", ".json", ".c")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_MAX_BYTES = 60_000
FIXED = Path(__file__).with_name("literal_sources.json")


class Edit(NamedTuple):
    """A file, and an edit of a text that it has once."""

    name: str
    text: str
    start: int
    old: str
    new: str

    @property
    def expected(self) -> str:
        """The file afterwards, to the letter."""
        return self.text.replace(self.old, self.new)


def sources(rng: random.Random, per_suffix: int = 40) -> list[tuple[str, str]]:
    """Names and texts of this repository's files and of installed ones, every language alike."""
    places = [REPO / name for name in ("src", "docs", "tests", "bench", ".cache/node-tools")]
    places += [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib")]
    found: dict[str, list[Path]] = {}
    for path in sorted(p for place in places if place.is_dir() for p in place.rglob("*.*")):
        if path.suffix in SUFFIXES:
            found.setdefault(path.suffix, []).append(path)
    kept: list[tuple[str, str]] = []
    for paths in found.values():
        rng.shuffle(paths)
        texts = ((path.name, _read(path)) for path in paths[: per_suffix * 4])
        kept += [(name, text) for name, text in texts if text is not None][:per_suffix]
    return kept


def _read(path: Path) -> str | None:
    try:
        raw = path.read_bytes() if path.is_file() else b""
        text = raw.decode()
    except (OSError, UnicodeDecodeError):
        return None
    fits = 200 < len(raw) < _MAX_BYTES and "\r" not in text and "\0" not in text
    return text if fits else None


def fixed_sources() -> list[tuple[str, str]]:
    """Names and texts of files as they once were: a sample that is the same everywhere."""
    stored: dict[str, str] = json.loads(FIXED.read_text(encoding="utf-8"))
    return list(stored.items())


def edits(rng: random.Random, files: list[tuple[str, str]]) -> Iterator[Edit]:
    """Edits without end; the same seed and files give the same ones."""
    while True:
        name, text = rng.choice(files)
        start, stop = rng.choice(CUTS)(rng, text)
        old = text[start:stop]
        if not old.strip() or f"{text}\n".find(old) != f"{text}\n".rfind(old):
            continue
        new = rng.choice(CHANGES)(rng, text, start, old)
        # An edit whose result is there already is another matter: it may have been sent twice.
        if new != old and not (new.strip() and new in text + "\n"):
            yield Edit(name, text, start, old, new)


# What is quoted


def _lines(rng: random.Random, text: str) -> tuple[int, int]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    first = rng.randrange(len(starts))
    last = min(first + rng.choice((1, 1, 2, 3, 5, 8)), len(starts) - 1)
    return starts[first], starts[last]


def cut_behind_indentation(rng: random.Random, text: str) -> tuple[int, int]:
    """Lines without the first one's indentation, with or without the last line end."""
    start, stop = _lines(rng, text)
    start += len(text[start:stop]) - len(text[start:stop].lstrip(" \t"))
    return start, stop - rng.randrange(2)


def cut_lines(rng: random.Random, text: str) -> tuple[int, int]:
    """Whole lines, with or without the last line end."""
    start, stop = _lines(rng, text)
    return start, stop - rng.randrange(2)


def cut_anywhere(rng: random.Random, text: str) -> tuple[int, int]:
    """Any characters."""
    start = rng.randrange(len(text))
    return start, start + rng.choice((5, 15, 40, 120, 400))


CUTS: tuple[Callable[[random.Random, str], tuple[int, int]], ...] = (
    cut_behind_indentation,
    cut_behind_indentation,
    cut_lines,
    cut_anywhere,
)


# What it becomes


def _margin(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 :].split("\n", 1)[0]
    return line[: len(line) - len(line.lstrip(" \t"))]


def change_word(rng: random.Random, text: str, start: int, old: str) -> str:
    """One word is another."""
    words = list(_WORD.finditer(old))
    if not words:
        return old + "x"
    word = rng.choice(words)
    return old[: word.start()] + word[0] + rng.choice(("_new", "2", "s")) + old[word.end() :]


def add_behind(rng: random.Random, text: str, start: int, old: str) -> str:
    """Further lines at the file's indentation."""
    line = _margin(text, start) + change_word(rng, text, start, old.strip().split("\n")[0].strip())
    return old + line + "\n" if old.endswith("\n") else f"{old}\n{line}"


def add_before(rng: random.Random, text: str, start: int, old: str) -> str:
    """A line before; the quoted one follows at the file's indentation."""
    fresh = change_word(rng, text, start, old.strip().split("\n")[0].strip())
    return f"{fresh}\n{_margin(text, start)}{old.lstrip(' ')}"


def add_foreign(rng: random.Random, text: str, start: int, old: str) -> str:
    """Lines from elsewhere in the file, as they are indented there."""
    first, last = _lines(rng, text)
    lines = change_word(rng, text, first, text[first:last])
    return old + lines if old.endswith("\n") else f"{old}\n{lines.rstrip()}"


def replace_by_foreign(rng: random.Random, text: str, start: int, old: str) -> str:
    """Wholly other text of the file."""
    first, last = _lines(rng, text)
    return change_word(rng, text, first, text[first:last])


def wrap(rng: random.Random, text: str, start: int, old: str) -> str:
    """The lines in a block, everything at the indentation that it shall have."""
    margin = _margin(text, start)
    deeper = "\n".join("    " + line if line.strip() else line for line in old.split("\n"))
    first = deeper.split("\n", 1)[0].strip()
    rest = deeper.split("\n", 1)[1:]
    return "\n".join([rng.choice(("if ready:", "if (ready) {")), f"{margin}    {first}", *rest])


def drop_line(rng: random.Random, text: str, start: int, old: str) -> str:
    """One line less, not the first."""
    lines = old.split("\n")
    if len(lines) > 2:
        del lines[rng.randrange(1, len(lines) - 1)]
    return "\n".join(lines) if len(lines) > 2 else old[: len(old) // 2]


def drop(rng: random.Random, text: str, start: int, old: str) -> str:
    """Nothing."""
    return ""


CHANGES: tuple[Callable[[random.Random, str, int, str], str], ...] = (
    change_word,
    change_word,
    add_behind,
    add_before,
    add_foreign,
    replace_by_foreign,
    wrap,
    drop_line,
    drop,
)


# Playing and judging


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an edit."""

    verdict: str
    edit: Edit
    message: str


def play(client: Client, folder: Path, number: int, edit: Edit) -> Outcome:
    """Send the edit to the server and judge what it does."""
    path = folder / f"{number}-{edit.name}"
    path.write_bytes(edit.text.encode())
    reply = _send(client, path, edit.old, edit.new)
    after = path.read_bytes().decode()
    message = json.dumps(reply.get("error", {}).get("message", ""))
    if "error" not in reply:
        return Outcome(LITERAL if after == edit.expected else ALTERED, edit, message)
    if after != edit.text:
        return Outcome(ALTERED, edit, message)
    call = reply["error"].get("data", {})
    if not {"old", "new"} <= call.keys():
        rule = _rule(edit, edit.text)
        return Outcome(rule if rule in (BY_LINE, BY_COLUMN) else BY_NO_RULE, edit, message)
    works = "result" in _send(client, path, call["old"], call["new"])
    repaired = path.read_bytes().decode()
    if not works or repaired != edit.text.replace(call["old"], call["new"]):
        return Outcome(BY_NO_RULE, edit, message)
    return Outcome(_rule(edit, repaired), edit, message)


def _send(client: Client, path: Path, old: str, new: str) -> dict[str, Any]:
    return client.call(
        "edit_file", {"path": str(path), "edits": [{"oldText": old, "newText": new}]}
    )


def _rule(edit: Edit, repaired: str) -> str:
    margin = edit.text[edit.text.rfind("\n", 0, edit.start) + 1 : edit.start]
    if edit.old[:1].isspace():
        margin = ""
    have = _indentations(margin + edit.old)
    wanted = _indentations(margin + edit.new)
    moved = any(wanted[line] - have[line] for line in have if line in wanted)
    if margin and not margin.strip() and moved:
        return BY_LINE
    at_0 = [any(line[:1].strip() for line in part.split("\n")[1:]) for part in edit[-2:]]
    if margin and not margin.strip() and at_0 == [False, True]:
        return BY_COLUMN
    broken = parses(edit.name, edit.text) and not parses(edit.name, edit.expected)
    return BY_PARSER if broken and parses(edit.name, repaired) else BY_NO_RULE


def _indentations(text: str) -> dict[str, set[str]]:
    """The indentations at which each line that says something occurs."""
    found: dict[str, set[str]] = {}
    for line in filter(str.strip, text.split("\n")):
        found.setdefault(line.strip(), set()).add(line[: len(line) - len(line.lstrip(" \t"))])
    return found


def parses(name: str, text: str) -> bool:
    """Whether Python or PyYAML reads *text*; other languages do not care for indentation."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name.endswith(".py"):
                ast.parse(text)
            elif name.endswith((".yaml", ".yml")):
                list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except (SyntaxError, ValueError, yaml.YAMLError):
        return False
    return True


def run(count: int, seed: int, *, fixed: bool = False) -> list[Outcome]:
    """Play *count* edits over a server on stdio, of files on this machine or of the fixed ones."""
    rng = random.Random(seed)
    drawn = edits(rng, fixed_sources() if fixed else sources(rng))
    with tempfile.TemporaryDirectory(prefix="literal-") as name:
        folder = Path(name).resolve()
        client = connect("stdio", ["--tools", "files", "--allow-write", str(folder)], cwd=folder)
        try:
            return [play(client, folder, number, next(drawn)) for number in range(count)]
        finally:
            client.close()


def main(arguments: list[str]) -> int:
    """Print how many edits came to what; exit 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="edits to print of each bad verdict")
    options = parser.parse_args(arguments)
    outcomes = run(options.edits, options.seed)
    counts = Counter(outcome.verdict for outcome in outcomes)
    for verdict, number in counts.most_common():
        print(f"{verdict:20} {number:6} {number / len(outcomes):.2%}")
        for outcome in [o for o in outcomes if o.verdict == verdict][: options.show]:
            if verdict != LITERAL:
                print(f"    {outcome.edit.name}: {outcome.edit.old!r} -> {outcome.edit.new!r}")
                print(f"    {outcome.message}")
    return 0 if meets_bars(counts) else 1


def meets_bars(counts: Counter[str]) -> bool:
    """Nothing altered, nothing refused without a rule, and at most 2 % refused by rules a and b."""
    refused = counts[BY_PARSER] + counts[BY_LINE]
    return not counts[ALTERED] and not counts[BY_NO_RULE] and refused <= counts.total() * 0.02


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
