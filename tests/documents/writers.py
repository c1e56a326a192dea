"""Random data written as random, valid text of each format, comments and all."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from redline.documents.base.path import Path
from redline.documents.toml.document import render as render_toml
from redline.documents.yaml import values
from redline.documents.yaml.edit.fragment import render_key

KEYS = ["a", "b", "key", "x.y", "with space", "on", "8080", "é", 'q"t', "#c", "true", "k-e_y"]
KEYS += ["z:z"]
TEXTS = ["", "plain", "two words", "it's", 'say "hi"', "# no", "a: b", "- x", "[", "multi\nline"]
TEXTS += ["true", "12", "1e3", " lead", "trail ", "\ttab", "&a", "*b", "!t", "%", "@at", "x, y"]
TEXTS += ["~", "é漢"]
NEW = [1, 2.5, "text", "two words", "it's # odd: [", "", True, [1, "x"], {"k": "v"}, [], {}]


def random_data(rng: random.Random, depth: int = 3) -> Any:
    """A mapping of nested plain values."""
    return {key: _value(rng, depth) for key in rng.sample(KEYS, rng.randrange(1, 6))}


def paths_of(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every path of plain values, the root first."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths_of(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths_of(inner, (*path, index))


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(8 if depth else 5)
    if kind < 2:
        return rng.choice(TEXTS)
    if kind == 2:
        return rng.choice([0, -1, 42, 10**25, 1.5, -0.25])
    if kind == 3:
        return rng.choice([True, False])
    if kind == 4:
        return rng.choice(["plain", 7])
    if kind == 5:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    keys = rng.sample(KEYS, rng.randrange(4))
    return {key: _value(rng, depth - 1) for key in keys}


class Writer(NamedTuple):
    """How random documents of a format are made, and what the laws may expect of it.

    A format that holds less than JSON does (only text, only two levels) has `data` and `values` of
    its own. `may_refuse`: some edits of a valid document cannot be written in it. `entry` is a
    document in which the key `a` has the value %s.
    """

    text: Callable[[Any, random.Random], str]
    data: Callable[[random.Random, int], Any] = random_data
    values: Sequence[Any] = NEW
    may_refuse: bool = False
    entry: str = '{"a": %s}'

    @property
    def nests(self) -> bool:
        """Whether a mapping may hold a mapping."""
        return any(isinstance(value, dict) for value in self.values)


def writer_of(form: str) -> Writer:
    """The writer of *form*."""
    writer = WRITERS.get(form)
    assert writer, f"no writer of random documents: add one to WRITERS in {__file__}: {form}"
    return writer


def write(form: str, data: Any, rng: random.Random) -> bytes:
    """*data* as text of *form*; line ends, BOM and final newline vary too."""
    text = writer_of(form).text(data, rng)
    if rng.random() < 0.2:
        text = text.rstrip("\n")
    if rng.random() < 0.2 and not (form == "toml" and "'''" in text):
        text = text.replace("\n", "\r\n")
    bom = b"\xef\xbb\xbf" if rng.random() < 0.1 else b""
    return bom + text.encode()


def _json(data: Any, rng: random.Random) -> str:
    separators = rng.choice([(",", ":"), (", ", ": "), (" , ", " : ")])
    indent = rng.choice([None, 2, 4, "\t"])
    return (
        json.dumps(data, indent=indent, separators=separators, ensure_ascii=rng.random() < 0.3)
        + "\n"
    )


def _jsonc(data: Any, rng: random.Random) -> str:
    return f"// head\n{_jsonc_value(data, rng, '', _spell)} /* tail */\n"


def _json5(data: Any, rng: random.Random) -> str:
    if rng.random() < 0.2:
        return _jsonc(data, rng)
    return f"// it's\n{_jsonc_value(data, rng, '', _spell5)} /* it's */\n"


Spell = Callable[[Any, random.Random, bool], str]


def _spell(value: Any, _: random.Random, is_key: bool) -> str:
    return json.dumps(value, ensure_ascii=is_key)


def _spell5(value: Any, rng: random.Random, is_key: bool) -> str:
    """A key or a scalar in one of the ways JSON5 has for it."""
    if is_key and rng.random() < 0.7 and value.isalpha():
        return str(value) if rng.random() < 0.9 else f"\\u{ord(value[0]):04x}{value[1:]}"
    if isinstance(value, str) and rng.random() < 0.6:
        inner = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"')
        inner = inner.replace("'", rng.choice(["\\'", "\\x27"]))
        return f"'{rng.choice(['', chr(92) + chr(10)])}{inner}'"
    if type(value) is int and rng.random() < 0.5:
        return rng.choice([f"{value:#x}", f"{value:+d}"])
    if isinstance(value, float) and rng.random() < 0.5:
        return {1.5: "+1.5", -0.25: "-.25"}.get(value, str(value))
    return json.dumps(value, ensure_ascii=False)


def _jsonc_value(value: Any, rng: random.Random, indent: str, spell: Spell) -> str:
    inner = indent + "  "
    if isinstance(value, dict | list) and value:
        entries = (
            [
                f"{spell(k, rng, True)}{_gap(rng)}: {_jsonc_value(v, rng, inner, spell)}"
                for k, v in value.items()
            ]
            if isinstance(value, dict)
            else [_jsonc_value(v, rng, inner, spell) for v in value]
        )
        if rng.random() < 0.4:
            joined = f",{_gap(rng)} ".join(entries) + rng.choice(["", ",", ", "])
        else:
            lines = [f"\n{inner}{_head(rng, inner)}{entry}" for entry in entries]
            joined = "".join(
                line + ("," if n + 1 < len(lines) or rng.random() < 0.3 else "") + _tail(rng)
                for n, line in enumerate(lines)
            )
            joined += f"\n{indent}"
        return f"{{{joined}}}" if isinstance(value, dict) else f"[{joined}]"
    return spell(value, rng, False)


def _gap(rng: random.Random) -> str:
    return rng.choice(["", "", "", " ", " /* g */ "])


def _head(rng: random.Random, indent: str) -> str:
    return rng.choice(["", "", f'// above, "it"\n{indent}', f"/* h */\n{indent}"])


def _tail(rng: random.Random) -> str:
    return rng.choice(["", "", " // tail [", " /* t, */"])


def _toml(data: Any, rng: random.Random) -> str:
    lines = ["# head"]
    tables = []
    for key, value in data.items():
        listed = isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
        if listed or (isinstance(value, dict) and rng.random() < 0.6):
            tables.append((key, value))
            continue
        comment = rng.choice(["", "  # c"])
        lines.append(f"{render_toml_key(key)} = {render_toml(value)}{comment}")
    for key, value in tables:
        for item in value if isinstance(value, list) else [value]:
            mark = ("[[", "]]") if isinstance(value, list) else ("[", "]")
            lines += rng.choice([[], [""], ["", "# about"]])
            lines.append(f"{mark[0]}{render_toml_key(key)}{mark[1]}")
            lines += [f"{render_toml_key(k)} = {render_toml(v)}" for k, v in item.items()]
    return "\n".join(lines) + "\n"


def render_toml_key(key: str) -> str:
    """A key as TOML spells it."""
    from redline.documents.toml.engine.scan import render_key as toml_key

    return toml_key(key)


def _yaml(data: Any, rng: random.Random) -> str:
    start = rng.choice(["", "", "# head\n", "---\n"])
    return start + "\n".join(_yaml_lines(data, rng, rng.choice([2, 2, 4]))) + "\n"


def _yaml_lines(value: Any, rng: random.Random, step: int) -> list[str]:
    """A non-empty collection as block lines at column 0."""
    lines: list[str] = []
    pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
    for key, item in pairs:
        if rng.random() < 0.15:
            lines.append("# about")
        if rng.random() < 0.1:
            lines.append("")
        prefix = "-" if key is None else f"{render_key(key)}:"
        lines += _yaml_entry(prefix, item, rng, step)
    return lines


def _yaml_entry(prefix: str, item: Any, rng: random.Random, step: int) -> list[str]:
    comment = rng.choice(["", "", "  # c", " # it's [x"])
    if isinstance(item, dict | list) and item and rng.random() < 0.7:
        inner = _yaml_lines(item, rng, step)
        pad = 2 if prefix == "-" else step
        if prefix == "-" and not inner[0].startswith("#") and inner[0]:
            return [f"- {inner[0]}", *(" " * 2 + line if line else line for line in inner[1:])]
        if isinstance(item, list) and prefix != "-" and rng.random() < 0.4:
            pad = 0
        return [prefix + comment, *(" " * pad + line if line else line for line in inner)]
    if isinstance(item, str) and "\n" in item and rng.random() < 0.7:
        body = [" " * step + line for line in item.split("\n")]
        return [f"{prefix} |-{comment}", *body]
    text = values.render(item)
    if isinstance(item, str) and "'" not in item and "\n" not in item and rng.random() < 0.2:
        text = f"'{item}'"
    return [f"{prefix} {text}{comment}"]


WRITERS = {
    "json": Writer(_json),
    "jsonc": Writer(_jsonc),
    "json5": Writer(_json5),
    "toml": Writer(_toml, may_refuse=True, entry="a = %s\n"),
    "yaml": Writer(_yaml, entry="a: %s\n"),
}
