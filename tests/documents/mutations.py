"""Random damage to documents, and one edit of what comes out: verified or refused."""

from __future__ import annotations

import random
from typing import Any

from redline.core.errors import RedlineError
from redline.documents.formats import open_document
from tests.documents.writers import paths_of

# Written as words of one line each, so that the lists stay readable.
TOKENS = [
    token.encode().decode("unicode_escape").encode("latin-1")
    for token in [
        r"\n",
        r"\r\n",
        r"\t",
        r":",
        r"-",
        r"?",
        r"#",
        r"[",
        r"]",
        r"{",
        r"}",
        r",",
        r"\"",
        r"'",
        r"|",
        r">",
        r"&a",
        r"*a",
        r"!!str",
        r"---\n",
        r"...\n",
        r"%YAML",
        r"<<:",
        r"\\",
        r"//",
        r"/*",
        r"*/",
        r"=",
        r"[[a]]\n",
        r"\xef\xbb\xbf",
        r"\0",
        r"\xff",
        r"\xe2\x80\xa8",
        r"'''",
        r"\"\"\"",
        r"1e999",
        r"0x",
        r"~",
        r"\\u0000",
        r"\\ud800",
        r"|2-\n",
        r"\r",
        r"\x20",
        r":\x20",
        r"-\x20",
        r"?\x20",
        r"\x20#",
        r"\x20\x20",
        r"*\x20",
        r"&\x20",
    ]
]
ODD = [
    word.encode().decode("unicode_escape")
    for word in [
        r"a:\x20b",
        r"-\x20c",
        r"[1,{k:\x20v}]",
        r"|\n\x20t\n",
        r"*a",
        r"&a\x201",
        r"x\ny:\x202",
        r"#\x20c",
        r"'",
        r"}",
        r"]",
        r",",
        r"\n",
        r"\t",
        r"-\x20-\x20-",
        r"?\x20x",
        r"{",
        r"'''\n'''",
        r"2024-01-01",
        r"\ud800",
        r"\xe9",
        r"---\x201",
    ]
]
ODD.append("")
COMMON = ["1", '"x"', "[1, 2]", "-0.5e3", '"\\u00e9 \\" # ["', "true"]


def mutate(source: bytes, rng: random.Random) -> bytes:
    """*source* with a few pieces lost, doubled, moved or replaced."""
    data = bytearray(source)
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 0, 1, 1, 3, 12]))
        kind = rng.randrange(4)
        if kind == 0:
            data[start:end] = rng.choice(TOKENS)
        elif kind == 1:
            del data[start:end]
        elif kind == 2:
            data[start:start] = data[start : min(len(data), start + 20)]
        elif data:
            data[start % len(data)] = rng.randrange(256)
    return bytes(data)


def exercise(source: bytes, form: str, rng: random.Random) -> str:
    """One edit of a document that may be anything; how it ended."""
    try:
        document = open_document(source, form)
        data = document.data()
    except RedlineError:
        return "refused document"
    places = list(paths_of(data))[:200]
    path: tuple[Any, ...] = rng.choice(places)
    if rng.random() < 0.2:
        path = (*path, rng.choice(["new", 0, -1, 5]))
    action = rng.choice(["get", "set", "set", "set", "insert", "delete"])
    try:
        if action == "get":
            found = document.get(path)
            assert source[found.start : found.end] == found.data
            return "got"
        if action == "delete":
            edit = document.delete(path)
        elif action == "insert":
            edit = document.insert(path, _any_value(rng))
        else:
            edit = document.set(path, _any_value(rng), create_parents=rng.random() < 0.3)
    except RedlineError:
        return "refused edit"
    after = open_document(edit.after, form).data()
    if action == "set" and path in places:
        for other in places:
            if other[: len(path)] != path and path[: len(other)] != other:
                assert repr(_at(after, other)) == repr(_at(data, other)), (source, path, edit.after)
    return "edited"


def _any_value(rng: random.Random) -> str:
    return rng.choice(COMMON if rng.random() < 0.6 else ODD)


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        data = data[step]
    return data
