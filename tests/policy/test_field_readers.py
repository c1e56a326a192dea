"""Field rules beside other readers of YAML: what any of them sees changed is changed."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from redline.core.errors import RedlineError
from redline.policy.field_changes import compare
from tests.support import LONG, NODE_MODULES, need_node

DOCUMENTS = 10_000 if LONG else 400
FIRST = int(os.environ.get("REDLINE_FIRST_SEED", "0"))
Path = tuple[str, ...]
Leaves = dict[Path, str]
# Texts that some version or reader of YAML takes for something else than a text.
TEXTS = tuple(
    """
    yes no on off y n Yes NO On OFF true false True TRUE null ~ Null 1 01 0777 0o17 0x1F 0b11 1_000
    22:22 1:30:5 190:20:30.15 1e3 1.5e3 1.0e+3 .5 5. +.5 -0 +7 1_0.5 .inf .NaN -.INF 2001-01-01
    2001-12-14t21:59:43.10-05:00 = word a-b 1.2.3 10.0.0.1 12e03 0. 08 0_1 +0b1 0o_7
    """.split()
)
KEYS = ("image", "privileged", "spec", "port", "a", "on", "no", "1", "1_0", "01")
TAGS = (*(f"!!{name} " for name in ("str", "int", "bool", "float", "null", "binary")), "! ", "!x ",
        "!<tag:yaml.org,2002:bool> ")  # fmt: skip
ODD_CHARACTERS = ("\x85x", "\u2028x", "\xa0", "\u200b", "\ufeff")
MUTATIONS = (*" \t#:'\"!&*|>-?{}[],%@`\\~=<onyNO01_.e+\r", *"\x85\u2028\xa0\ufeff")
# A line each, or several, where `_` stands for the indentation.
ODD_LINES = (
    *("_# c", "_\t", "", "---", "...", "_- a", "_? on", "_? [a]\n_: b", "%YAML 1.1", "_? on\n_: x"),
    *(
        "_!!str on: b",
        "_&a on: b",
        "_*s : b",
        "_[a, b]: c",
        "_a: |\n_  on",
        "_a:\n_- on\n_- b: off",
    ),
    *("_a: b\n_  c", "_a: 'b\n_\n_  c'", "_on : b", '_"a":b', "_<<: *base", '_"<<": {a: b}'),
    *(
        "_!!merge <<: {a: b}",
        "_? <<\n_: {a: on}",
        "_= : 1",
        "_<< : {a: 3}",
        "_a: <<",
        "_{<<: {a: 1}}",
    ),
    *("_base: &base {a: on}", "_image: 1", "_privileged: on", "_spec: {a: 1}", "--- "),
)
_NODE = """
const YAML = require('yaml');
const entry = ([k, v]) => [typeof k, String(k), plain(v)];
const plain = (v) => v instanceof Map ? {map: [...v].map(entry)}
  : Array.isArray(v) ? {list: v.map(plain)}
  : {leaf: `${typeof v} ${v instanceof Date ? v.toISOString() : String(v)}`};
const read = (text, options) => {
  const how = {mapAsMap: true, logLevel: 'silent', ...options};
  try { return plain(YAML.parse(text, how)); } catch { return null; }
};
const all = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const modes = [{version: '1.2'}, {version: '1.1'}, {version: '1.2', merge: true}];
console.log(JSON.stringify(all.map((text) => modes.map((mode) => read(text, mode)))));
"""


class Writer:
    """Writes a document, and the same with a small change that may or may not mean something."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def pair(self) -> tuple[str, str]:
        lines = list(self._block(0, 3))
        if self.chance.random() < 0.4:
            lines = ["base: &base", *(f"  {line}" for line in self._block(0, 1)), *lines]
        changed = list(lines)
        for _ in range(self.chance.choice((1, 1, 2))):
            at = self.chance.randrange(len(changed))
            changed[at] = self._change(changed[at], has_base=lines[0] == "base: &base")
        return "\n".join(lines) + "\n", "\n".join(changed) + "\n"

    def _block(self, indent: int, depth: int) -> Iterator[str]:
        lead = "  " * indent
        for key in self.chance.sample(KEYS, self.chance.randint(1, 3)):
            name = self._styled(key)
            kind = self.chance.random()
            if depth > 1 and kind < 0.3:
                yield f"{lead}{name}:"
                yield from self._block(indent + 1, depth - 1)
            elif kind < 0.5:
                yield f"{lead}{name}: [{', '.join(self._scalar() for _ in range(2))}]"
            elif kind < 0.6:
                inner = self._styled(self.chance.choice(KEYS))
                yield f"{lead}{name}: {{{inner}: {self._scalar()}}}"
            else:
                yield f"{lead}{name}: {self._scalar()}"

    def _scalar(self) -> str:
        return self._styled(self.chance.choice(TEXTS))

    def _styled(self, text: str) -> str:
        return self.chance.choice((text, text, f'"{text}"', f"'{text}'"))

    def _change(self, line: str, *, has_base: bool) -> str:
        lead = line[: len(line) - len(line.lstrip())]
        way = self.chance.random()
        name, colon, value = line.strip().partition(": ")
        if way < 0.35 and colon:  # the quotes come or go
            bare = value.strip("\"'")
            return f"{lead}{name}: {self._styled(bare)}" if value[0] not in "[{" else line
        if way < 0.45 and colon:
            return f"{lead}{self._styled(name.strip(chr(34) + chr(39)))}: {value}"
        if way < 0.7 and colon:
            return f"{lead}{name}: {self._scalar()}"
        sources = [f"{{{self.chance.choice(KEYS)}: {self._scalar()}}}" for _ in range(2)]
        if has_base:
            sources.append("*base")
        merged = self.chance.choice((sources[-1], f"[{', '.join(sources)}]", f"[{sources[0]}]"))
        return f"{line}\n{lead}<<: {merged}" if not line.endswith((":", "&base")) else line


class WideWriter(Writer):
    """The same, with all that YAML has: tags, anchors, markers, blocks, odd spaces, odd keys."""

    def _scalar(self) -> str:
        text, way = self.chance.choice(TEXTS), self.chance.random()
        if way < 0.15:
            return self.chance.choice(("*s", f"&s {text}", "", f"{text} # c", f'"{text}\\\n   x"'))
        if way < 0.2:
            return text + self.chance.choice(ODD_CHARACTERS)
        return self._tagged(self._styled(text))

    def _tagged(self, text: str) -> str:
        return self.chance.choice(TAGS) + text if self.chance.random() < 0.15 else text

    def _block(self, indent: int, depth: int) -> Iterator[str]:
        for line in super()._block(indent, depth):
            yield line
            if self.chance.random() < 0.03:
                yield self.chance.choice(ODD_LINES).replace("_", "  " * indent)

    def _change(self, line: str, *, has_base: bool) -> str:
        lead, way = line[: len(line) - len(line.lstrip())], self.chance.random()
        name, colon, value = line.strip().partition(": ")
        if way < 0.15 and line.strip():
            at = self.chance.randrange(len(line))
            return (
                line[:at] + self.chance.choice(MUTATIONS) + line[at + self.chance.choice((0, 1)) :]
            )
        if way < 0.25:
            return f"{line}\n" + self.chance.choice(ODD_LINES).replace("_", lead)
        if way < 0.35 and colon:
            return f"{lead}{self._tagged(name)}: {self._tagged(value)}"
        if way < 0.4 and colon:
            return f"{lead}{name}: {self.chance.choice(('|', '>-'))}\n{lead}  {value}"
        return super()._change(line, has_base=has_base)


def leaves_of(value: Any, steps: Path = ()) -> Iterator[tuple[Path, str]]:
    """The leaves of what a Python reader gives; a key that is no text is named by its type too."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves_of(inner, (*steps, _name(key)))
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from leaves_of(inner, (*steps, str(at)))
    else:
        yield steps, f"{type(value).__name__} {value!r}"


def _name(key: Any) -> str:
    return key if isinstance(key, str) else f"({type(key).__name__}) {key}"


def leaves_of_node(value: Any, steps: Path = ()) -> Iterator[tuple[Path, str]]:
    """The same of what npm's reader gives."""
    if value.get("map"):
        for kind, key, inner in value["map"]:
            yield from leaves_of_node(
                inner, (*steps, key if kind == "string" else f"({kind}) {key}")
            )
    elif value.get("list"):
        for at, inner in enumerate(value["list"]):
            yield from leaves_of_node(inner, (*steps, str(at)))
    else:
        yield steps, json.dumps(value)


def read_with(load: Callable[[str], Any], text: str) -> Leaves | None:
    """What a reader sees; None where it refuses the document."""
    try:
        return dict(leaves_of(load(text)))
    except (
        yaml.YAMLError,
        YAMLError,
        ValueError,
        TypeError,
        AttributeError,
        LookupError,
        RecursionError,
    ):
        return None


def read_ruamel(version: tuple[int, int]) -> Callable[[str], Any]:
    def load(text: str) -> Any:
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        return reader.load(StringIO(text))

    return load


def unseen(old: Leaves, new: Leaves, touched: list[tuple[str | int, ...]]) -> list[Path]:
    """What a reader sees changed, and what no touched field is or lies in."""
    names = {tuple(map(str, steps)) for steps in touched}
    found = []
    for path in old.keys() | new.keys():
        if old.get(path) == new.get(path):
            continue
        # Where a reader has a key that is no text, a field beside it is what a rule names.
        odd = next((at for at, step in enumerate(path) if step.startswith("(")), len(path))
        known = path[:odd]
        if not any(steps[: len(known)] == known for steps in names):
            found.append(path)
    return found


@pytest.mark.requirement("policy-fields-readers")
@pytest.mark.filterwarnings("ignore::ruamel.yaml.error.YAMLWarning")
@pytest.mark.parametrize("writer", [Writer, WideWriter])
def test_what_any_reader_sees_changed_is_changed(writer: type[Writer]) -> None:
    node = need_node()
    pairs = [writer(seed).pair() for seed in range(FIRST, FIRST + DOCUMENTS)]
    texts = sorted({text for pair in pairs for text in pair})
    ran = subprocess.run(
        [str(node), "-e", _NODE],
        input=json.dumps(texts),
        env={"NODE_PATH": str(NODE_MODULES)},
        capture_output=True,
        text=True,
        check=True,
    )
    by_node = dict(zip(texts, json.loads(ran.stdout), strict=True))
    readers: dict[str, Callable[[str], Leaves | None]] = {
        "PyYAML": lambda text: read_with(yaml.safe_load, text),
        "ruamel 1.2": lambda text: read_with(read_ruamel((1, 2)), text),
        "ruamel 1.1": lambda text: read_with(read_ruamel((1, 1)), text),
    }
    for at, mode in enumerate(("npm 1.2", "npm 1.1", "npm merge")):
        readers[mode] = lambda text, at=at: (  # type: ignore[misc]
            None if by_node[text][at] is None else dict(leaves_of_node(by_node[text][at]))
        )
    judged = dict.fromkeys(readers, 0)
    for old, new in pairs:
        try:
            touched = compare(lambda *_: None, "x.yaml", old.encode(), new.encode())
        except RedlineError:
            continue  # a document that is not read is judged as if all of it were touched
        if touched is None:
            continue
        for name, read in readers.items():
            before, after = read(old), read(new)
            if before is not None and after is not None:
                judged[name] += before != after
                assert not unseen(before, after, touched), (name, old, new, touched)
    assert all(count > DOCUMENTS / 10 for count in judged.values()), judged
