"""What is said to be the most that brackets nest in a YAML text is never less than they do."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest
import yaml

from redline.core.errors import DocumentSyntax
from redline.documents import yaml_brackets
from redline.documents.formats import open_document
from redline.documents.yaml_brackets import bracket_bounds
from tests.documents.corpus import files

ROUNDS = 200_000 if os.environ.get("REDLINE_LONG") == "1" else 6_000
SCALARS = ["1", "it's", "a 's", 'b "c', "'x]'", '"]"', "'it''s ]'", '"\\"] "', "'], '", "x:y"]
SCALARS += ["'['", '"{"', "&a 'x]'", "&it's ']'", "!t ']'", "'a'", '"b"', '"it\'s"', "- 'x"]
SCALARS += ["!Ref a", '!Sub "b"', "!t [x, 1]", "!a.b ']'", "!t {a: ']'}"]
SCALARS += ["':'", "a#]", '"\\"]"', '"\\\\", "]"', "''", "'''x]'", "!it's 'x]'"]
SEPARATORS = [", ", ",", " , ", ",\n ", ", # it's ]\n ", ' # "]\n , ', " # [\n, "]
BEFORE = ["k: it's ]\n", "# '\n", "j: 'x]'\n", 'l: a "b ]\n', "m: |\n  it's ] [ '\n"]
BEFORE += ["n: [it's]\n"]
SOUP = ["[", "]", "{", "}", "'", '"', "it's", "a", ", ", ": ", " ", "\n ", " # x\n", "&b ", "!t "]
SOUP += [":", "'x]'", '"]"']
HIDING = ['["]",', "['x]',", '["\\"]",', '["a],",', '{"}": ', "[it's, 'x]',", "[&it's ']',"]


def flow(rng: random.Random, depth: int) -> str:
    """A flow collection nested *depth* deep, with brackets hidden wherever they can be."""
    entries = [rng.choice(SCALARS) for _ in range(rng.randrange(3))]
    if depth > 1:
        key = rng.choice(["", "", "", "k: ", "'k]' : ", '"k": ', '"]":', "it's: "])
        entries.insert(rng.randrange(len(entries) + 1), key + flow(rng, depth - 1))
    text = ""
    for entry in entries:
        text += (rng.choice(SEPARATORS) if text else rng.choice(["", " ", "\n "])) + entry
    text += rng.choice(["", "", " ", ",", " # ']\n "])
    return f"[{text}]" if rng.random() < 0.6 else f"{{{text}}}"


def json_like(rng: random.Random, depth: int) -> str:
    """A text that looks like JSON, nested *depth* deep; now and then it is something else."""
    scalars = [
        "1",
        "null",
        '"a"',
        '"["',
        '"}"',
        '"\\"]"',
        '"\\\\"',
        '"it\'s # &a !t"',
        '"a,b:c"',
        '""',
    ]
    odd = [
        "a b",
        'a "b',
        'a:"]"',
        '"a" "]"',
        "it's ]",
        "# ]\n",
        "\\",
        '\\"',
        "*a",
        "x-y",
        "a: ",
        "? a",
    ]
    entries = [rng.choice(scalars) for _ in range(rng.randrange(3))]
    if rng.random() < 0.04:
        entries.append(rng.choice(odd))
    if depth > 1:
        entries.insert(rng.randrange(len(entries) + 1), json_like(rng, depth - 1))
    if rng.random() < 0.6:
        return "[" + rng.choice([",", ", ", ",\n  "]).join(entries) + "]"
    keys = ['"k":', '"]": ', '"\\"" : ', '"k":\n ']
    return "{" + ",".join(rng.choice(keys) + entry for entry in entries) + "}"


def nested(text: str) -> int:
    """How deep brackets nest, by PyYAML; -1 when it refuses the text."""
    opened: list[bool] = []
    most = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CBaseLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                # A pair that is a list entry is a mapping without brackets.
                begins, ends = event.start_mark.index, event.end_mark.index
                opened.append(begins < ends and text[ends - 1] in "[{")
                most = max(most, sum(opened))
            elif isinstance(event, yaml.CollectionEndEvent):
                opened.pop()
    except yaml.YAMLError:
        return -1
    return most


def test_no_bound_is_below_the_depth_of_flow_collections() -> None:
    rng = random.Random("flow")
    seen: Counter[int] = Counter()
    for _ in range(ROUNDS):
        before = "".join(rng.choices(BEFORE, k=rng.randrange(3)))
        text = f"{before}z: {flow(rng, rng.randrange(1, 25))}\n"
        depth = nested(text)
        assert all(bound >= depth for bound in bracket_bounds(text.encode())), (text, depth)
        seen[depth] += 1
    assert sum(seen[depth] for depth in range(16, 99)) > ROUNDS // 50, seen


def test_no_bound_is_below_the_depth_of_anything_that_parses() -> None:
    rng = random.Random("soup")
    seen: Counter[int] = Counter()
    for _ in range(ROUNDS):
        text = "".join(rng.choices(SOUP, k=rng.randrange(4, 14)))
        text = "z: [" * 16 + text + "]" * 16
        depth = nested(text)
        assert all(bound >= depth for bound in bracket_bounds(text.encode())), (text, depth)
        seen[depth] += 1
    assert sum(seen[depth] for depth in range(16, 99)) > ROUNDS // 100, seen


def test_the_depth_of_json_is_found_exactly_and_that_of_its_likes_is_no_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random("json")
    exact = 0
    ends = ["", "", "\n", " # ]", "\n[", ": [[]]", "\n--- [[[]]]\n", '\n"]": [[', "\n...\n[[[]]]"]
    for _ in range(ROUNDS // 2):
        monkeypatch.setattr(yaml_brackets, "_WINDOW", rng.choice([1, 2, 3, 7, 50, 1 << 16]))
        text = json_like(rng, rng.randrange(1, 25)) + rng.choice(ends)
        before = rng.choice(["", "", " \n", "\ufeff"])
        depth, found = nested(text), yaml_brackets._json_depth((before + text).encode())
        assert depth < 0 or found is None or found == depth, (text, found, depth)
        exact += depth > 15 and found is not None
    assert exact > ROUNDS // 50


@pytest.mark.parametrize("part", HIDING)
def test_hidden_brackets_do_not_hide_the_depth(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """rapidyaml is replaced by something that fails the test when it is called."""
    import ryml

    def parser(*_: object) -> None:
        pytest.fail("the parser was called")

    monkeypatch.setattr(ryml, "parse_in_arena", parser)
    closer = "}" if part[0] == "{" else "]"
    text = f"z: {part * 250}1{closer * 250}\n".encode()
    with pytest.raises(DocumentSyntax, match="nested deeper"):
        open_document(text, "yaml")


def test_the_bounds_of_real_files_are_near() -> None:
    """Otherwise every set would have to go over the lines one by one."""
    found = [min(bracket_bounds(source)) for _, source in files(20)]
    assert len(found) > 100
    assert sum(bound <= 15 for bound in found) > 0.98 * len(found)
