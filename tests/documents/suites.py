"""The cases of yaml-test-suite and the trees that describe them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from redline.documents.yaml import strict
from redline.documents.yaml.edit.document import YamlDocument
from tests.support import need_data

_VISIBLE = {"␣": " ", "↵": "", "←": "\r", "⇔": "\ufeff", "∎\n": "", "∎": ""}
_TAB = re.compile("—*»")


@dataclass(frozen=True)
class Case:
    """One case of the YAML suite; `tree` is None for cases that must fail."""

    name: str
    source: bytes
    tree: str | None


def yaml_cases() -> Iterator[Case]:
    """Every case of yaml-test-suite, in order."""
    for file in sorted((need_data("yaml-test-suite") / "src").glob("*.yaml")):
        entries = YamlDocument(file.read_bytes()).data()
        known: dict[str, Any] = {}
        for number, entry in enumerate(entries):
            known = {**known, **entry}
            if "fail" not in entry:
                known.pop("fail", None)
            text = _TAB.sub("\t", str(known["yaml"]))
            for shown, real in _VISIBLE.items():
                text = text.replace(shown, real)
            tree = None if known.get("fail") else str(known["tree"])
            yield Case(f"{file.stem}-{number:02}", text.encode(), tree)


def documents_of(tree: str) -> list[Any]:
    """The documents of an event tree as nested tuples: map, seq, val (text, plain) or alias."""
    lines = [line.lstrip() for line in tree.split("\n") if line.strip()]
    found: list[Any] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("+DOC"):
            node, at = _node(lines, at + 1)
            found.append(node)
        at += 1
    return found


def _node(lines: list[str], at: int) -> tuple[Any, int]:
    event = lines[at]
    if event.startswith("=ALI"):
        return ("alias", event[5:].removeprefix("*")), at + 1
    if event.startswith("=VAL"):
        rest = re.sub(r"^=VAL(?: &\S+)?(?: <[^>]*>)? ?", "", event)
        style, text = rest[:1], _unescaped(rest[1:])
        return ("val", text, style == ":"), at + 1
    kind = "map" if event.startswith("+MAP") else "seq"
    items: list[Any] = []
    at += 1
    while not lines[at].startswith(("-MAP", "-SEQ")):
        item, at = _node(lines, at)
        items.append(item)
    if kind == "map":
        items = list(zip(items[::2], items[1::2], strict=True))
    return (kind, items), at + 1


def _unescaped(text: str) -> str:
    table = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "b": "\b"}
    return re.sub(r"\\(.)", lambda m: table.get(m[1], m[1]), text.replace("␣", " "))


def same(actual: Any, wanted: Any) -> bool:
    """Whether a value of the strict parser is what an event tree describes."""
    name = strict.alias_name(actual)
    if wanted[0] == "alias" and wanted[1].endswith(":"):
        return True  # `*a:` is a key in most files, so such an alias is read as its target
    if wanted[0] == "alias" or name is not None:
        return bool(wanted[0] == "alias" and wanted[1] == name)
    actual = strict.without_tag(actual)
    if wanted[0] == "seq":
        items = actual if isinstance(actual, list) else []
        return len(items) == len(wanted[1]) and all(map(same, items, wanted[1]))
    if wanted[0] == "map":
        pairs = list(actual.items()) if isinstance(actual, dict) else []
        return len(pairs) == len(wanted[1]) and all(
            same(key, k) and same(value, v)
            for (key, value), (k, v) in zip(pairs, wanted[1], strict=True)
        )
    if isinstance(actual, str):
        return bool(strict.original_text(actual) == wanted[1])
    return repr(actual) == repr(strict.parse_key(wanted[1].encode()))


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every addressable path of a shape."""
    yield path
    if node[0] == "seq":
        for index, item in enumerate(node[1]):
            yield from places(item, (*path, index))
    elif node[0] == "map":
        names = [key[1] for key, _ in node[1] if key[0] == "val"]
        for key, value in node[1]:
            if key[0] == "val" and names.count(key[1]) == 1:
                yield from places(value, (*path, key[1]))


def replaced(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    """*node* with the place at *path* holding *value*."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if node[0] == "seq":
        return (
            "seq",
            [replaced(v, rest, value) if i == first else v for i, v in enumerate(node[1])],
        )
    return (
        "map",
        [
            (k, replaced(v, rest, value) if k[0] == "val" and k[1] == first else v)
            for k, v in node[1]
        ],
    )
