"""Streams read in pieces: the same answers as from the whole, on trees of a piece at a time."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from typing import Any

import pytest

from redline.core.errors import DocumentSyntax, RedlineError
from redline.documents import yaml_native, yaml_tree
from redline.documents.query import paths_of
from redline.documents.yaml_doc import YamlDocument
from redline.documents.yaml_region import STREAM
from redline.documents.yaml_runs import Runs
from tests.documents.corpus import files, variants
from tests.documents.suites import yaml_cases
from tests.documents.test_fuzz import COMMON, ODD, mutate
from tests.documents.writers import random_data, write

LONG = os.environ.get("REDLINE_LONG") == "1"
ROUNDS = 40_000 if LONG else 600
WHOLE = 1 << 30
KEYS = ["k{n}: ", "k{n}: ", "k{n}: ", "? k{n}\n: ", "? ", "&b{n} k{n}: ", "!!str k{n}: ", "*a : "]
KEYS += ["'k {n}': ", '"k\\x41{n}": ', "? [a, {n}]\n: ", ": ", "k{n}:\t"]
LINES = [
    "a: 1\n",
    "b:\n",
    "  c: d\n",
    "- x\n",
    "  - y: z\n",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "# c\n",
]
LINES += [
    "? k\n",
    ": v\n",
    "&a k: 1\n",
    "*a : 2\n",
    "!t k: 1\n",
    "&a\n",
    "  text\n",
    "'q: \n",
    "x: |\n",
]
LINES += [
    "\ufeffb: 1\n",
    "c: [1,\n",
    "  2]\n",
    "--- a\n",
    "\n",
    "!e!x k: !e!y 1\n",
    "%TAG !e! t:\n",
]
BLOCK_TEXT = [
    "|\n  one\n\n",
    "|+\n  one\n\n\n",
    "k: v\nl: w",
    "- 1\n- 2",
    "&a 1",
    "!!str 2",
    "*a",
    "",
]


def outcome(source: bytes, step: int, action: str, path: tuple[Any, ...], value: str) -> Any:
    """What an action gives, or that it is refused."""
    try:
        document = YamlDocument(source, step=step)
        if action == "get":
            return document.get(path)
        if action == "delete":
            return document.delete(path).after
        if action == "insert":
            return document.insert(path, value).after
        return document.set(path, value).after
    except RedlineError as error:
        return type(error).__name__


def pieces_used(source: bytes, step: int) -> int:
    """How many runs the source is read in, apart from the rest."""
    try:
        return len(YamlDocument(source, step=step)._opinion._regions)
    except RedlineError:
        return 0


def words(rng: random.Random, indent: str) -> str:
    """Text of several lines, in any style of scalar."""
    style = rng.choice(["", "", '"', "'", "|", ">", "|+", ">-", "|2"])
    between = "\n" + indent + "  "
    some = [
        "word",
        "longer words",
        "it is",
        "12345678",
        "\u00e9t\u00e9",
        "a\tb",
        "\u4e2d\u6587\u5b57",
        "",
    ]
    if style == '"':
        some += ["\\u00e9", "\\x41B", "\\\\", "\\U0001F600", "\\n"]
    lines = [" ".join(rng.choices(some, k=rng.randrange(1, 5))) for _ in range(rng.randrange(1, 8))]
    if style[:1] in ("|", ">"):
        extra = ["# no comment", "- k:\tv", " more: [", "\tx", ""]
        lines += rng.sample(extra, rng.randrange(3))
        return style + between + between.join(lines)
    return style + between.join(lines) + style


def odd_stream(rng: random.Random) -> bytes:
    """Documents with directives, end markers, marks inside, large scalars and all kinds of keys."""
    pieces: list[str] = [""]
    for number in range(rng.randrange(1, 5)):
        has_end = not number or "..." in pieces[-1]
        tag = has_end and rng.random() < 0.3
        pieces.append("%TAG !e! tag:e,1:\n" if tag else "")
        pieces.append(rng.choice(["---\n", "---\n", "--- # c\n", "--- !!map\n"]))
        indent = rng.choice(["", "", " ", "   "])
        keys = rng.choice([KEYS, KEYS[:3], rng.sample(KEYS, 3), ["- "]])
        for entry in range(rng.randrange(1, 9)):
            key = rng.choice(keys).format(n=entry)
            mark = rng.choice(["", "", "", "&a ", "!!str ", "!e!x " if tag else ""])
            values = ["1", "a\ufeffb", "*a" if not mark else "2", "", "[1, 2]", words(rng, indent)]
            pieces.append(
                f"{indent}{key}{mark}{rng.choice(values)}\n".replace("\n:", f"\n{indent}:")
            )
        pieces.append(rng.choice(["", "...\n", "...\n# c\n", f"# {number}\n"]))
    return "".join(pieces).encode()


def is_suspect(source: bytes) -> bool:
    """Whether the parser's guard refuses the whole, which it does a little too often."""
    try:
        YamlDocument(source, step=WHOLE)
    except DocumentSyntax as refusal:
        return re.search("tags? or (an )?anchor", str(refusal)) is not None
    return False


def is_hex(step: str | int) -> bool:
    """Whether a step is the name under which the parser sees a collection."""
    try:
        return isinstance(step, str) and any(byte in bytes.fromhex(step) for byte in b"[{-:")
    except ValueError:
        return False


def any_document(rng: random.Random, corpus: list[bytes]) -> bytes:
    """A random, real or broken stream."""
    kind = rng.randrange(6)
    if kind == 5:
        source = "".join(rng.choice(LINES) for _ in range(rng.randrange(3, 25))).encode()
    elif kind == 4:
        source = odd_stream(rng)
    elif kind == 0:
        source = write("yaml", random_data(rng, 3), rng)
    elif kind == 1:
        source = write("json", random_data(rng, 3), rng)
    elif kind == 2:
        source = rng.choice(corpus)
    else:
        count = rng.randrange(2, 6)
        source = b"".join(b"---\n" + write("yaml", random_data(rng, 2), rng) for _ in range(count))
    source = rng.choice([form for _, form in variants(source)])
    return mutate(source, rng) if rng.random() < 0.25 else source


@pytest.mark.requirement("004-lossless")
def test_pieces_and_the_whole_give_the_same_answer_to_every_call() -> None:
    rng = random.Random("pieces")
    corpus = [source[: rng.randrange(200, 2000)] for _, source in files(4)]
    corpus += [case.source for case in yaml_cases()]
    ends: Counter[str] = Counter()
    for _ in range(ROUNDS):
        source = any_document(rng, corpus)
        step = rng.choice([1, 3, 10, 30, 100])
        try:
            found = paths_of(YamlDocument(source, step=WHOLE).data())
            # A key that is a collection has no name of its own, only its bytes in hex.
            places = [path for path in found if not any(is_hex(step) for step in path)][:300]
        except RedlineError:
            places = [()]
        path: tuple[Any, ...] = rng.choice(places)
        if rng.random() < 0.2:
            path = (*path, rng.choice(["new", 0, -1, 5]))
        action = rng.choice(["get", "set", "set", "set", "insert", "delete"])
        value = rng.choice(rng.choice([COMMON, ODD, BLOCK_TEXT]))
        mine = outcome(source, step, action, path, value)
        whole = outcome(source, WHOLE, action, path, value)
        if whole == "DocumentSyntax" and is_suspect(source):
            continue
        if whole == "CannotApply" and isinstance(mine, bytes) and is_suspect(mine):
            continue
        assert mine == whole, (source, step, path, value)
        ends["cut" if pieces_used(source, step) else "whole"] += 1
        ends["done" if not isinstance(mine, str) else "refused"] += 1
    assert ends["cut"] > ROUNDS // 5, ends
    assert ends["done"] > ROUNDS // 4, ends
    assert ends["refused"] > ROUNDS // 20, ends


def facts(tree: Any, tops: list[int]) -> Counter[Any]:
    """Everything said by the subtrees, without where it stands."""
    return Counter(fact[1:] for top in tops for fact in yaml_tree.flatten(tree, top))


def test_the_pieces_and_the_rest_say_exactly_what_the_whole_says() -> None:
    rng = random.Random("facts")
    corpus = [source for _, source in files(2)] + [case.source for case in yaml_cases()]
    compared = 0
    for _ in range(ROUNDS):
        source = any_document(rng, corpus)
        step = rng.choice([1, 10, 60])
        try:
            opinion = YamlDocument(source, step=step)._opinion
            whole = yaml_native.parse(source)
        except RedlineError:
            continue
        found: Counter[Any] = Counter()
        # Texts are not cut here: their facts would be parts of facts.
        regions = [region for region in opinion._regions if not region.is_text]
        runs = Runs(source, regions)
        for region in regions:
            for run in region.runs:
                tree, node = runs.read(region, run)
                is_stream = region.start == STREAM
                entries = list(yaml_tree.children(tree, node))
                within = yaml_tree.documents(tree) if is_stream else entries
                assert len(within) > 2 or region.kind == "gap"
                found += facts(tree, within[1:-1])
        rest = runs.rest()
        found += facts(rest, yaml_tree.documents(rest))
        assert found == facts(whole, yaml_tree.documents(whole)), (source, step)
        compared += sum(len(region.runs) for region in regions)
    assert compared > ROUNDS // 3


def test_whole_and_pieces_agree_on_which_documents_are_valid() -> None:
    refused = 0
    for case in yaml_cases():
        for step in (1, 5, 25):
            assert _opens(case.source, step) == _opens(case.source, WHOLE), (case.name, step)
            refused += not _opens(case.source, step)
    assert refused > 200


def _opens(source: bytes, step: int) -> bool:
    try:
        YamlDocument(source, step=step)
    except RedlineError:
        return False
    return True
