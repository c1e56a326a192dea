"""Renames planned by an outline of a file, beside those that a parse of the whole file plans."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from redline.code.rename.in_file import Replacement, plan_rename
from redline.code.rename.in_large_file import outlined_rename
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import BY_NAME
from redline.core.errors import InvalidArgument
from tests.code.syntax.outlines.plain import PLAIN_EDGES, PLAIN_PIECES
from tests.support import LONG

NAMES = ("Shop", "Item", "run", "total", "walk", "size", "self", "here")
PYTHON = (
    "class {0}:\n    {1} = 1\n\n    def {2}(self, {1}=2):\n        self.{1} = {1}\n",
    "class {0}({1}):\n    def {2}(self):\n        return self.{3}\n",
    "def {0}({1}, {2}=None):\n    {1}.{3}()\n    return {2}\n",
    "def {0}():\n    global {1}\n    {1} = {2}()\n",
    "def {0}():\n    def {1}():\n        nonlocal {2}\n        {2} = 1\n    {2} = 2\n",
    "{0} = {1}()\n",
    "{0} = {1}({2}={3})\n",
    "@{0}\ndef {1}() -> {2}:\n    return {3}()\n",
    "if {0}:\n    {1} = {2}\n",
    "for {0} in {1}:\n    print({0}.{2})\n",
    "from {0} import {1}\n",
    "{0}.{1}({2}=1)\n",
)
SCRIPT = (
    "class {0} {{\n  {1} = 1;\n  {2}({3}) {{\n    this.{1} = {3};\n  }}\n}}\n",
    "class {0} extends {1} {{\n  {2}() {{\n    return this.{3};\n  }}\n}}\n",
    "function {0}({1}, {2}) {{\n  var {3} = {1};\n  return {2}.{3};\n}}\n",
    "if ({0}) {{\n  var {1} = new {2}();\n}}\n",
    "const {0} = new {1}();\n",
    "const {0} = 1,\n  {1} = new {2}();\n",
    "const {0} = ({1}) => {{\n  {1}.{2}();\n  {3} = 2;\n}};\n",
    "export function {0}() {{\n  return {{ {1}, {2}: {3} }};\n}}\n",
    "{0}.{1} = {2};\n",
    'import {{ {0} as {1} }} from "{2}";\n',
)
PIECES = {"python": PYTHON, "javascript": SCRIPT, "typescript": SCRIPT}


def _attempt(plan: Callable[[], Any]) -> object:
    try:
        return plan()
    except InvalidArgument as error:
        return str(error), error.details


@pytest.mark.requirement("code-large-files")
@pytest.mark.parametrize("language", PIECES)
def test_a_rename_by_an_outline_is_the_one_by_the_whole_file(language: str) -> None:
    grammar, applied, shorter = BY_NAME[language], 0, 0
    comment = "#" if language == "python" else "//"
    for number in range(600 if LONG else 60):
        seed = random.Random(number)
        used = (*NAMES, *(f"name{n}" for n in range(30)))
        text = ""
        for _ in range(25):
            names = [seed.choice(used if seed.random() < 0.5 else NAMES) for _ in range(4)]
            text += seed.choice(PIECES[language]).format(*names)
            # A definition is kept if the name is shortly before it.
            text += seed.choice(("\n", "", f"\n{comment} {'far ' * 300}\n"))
        old, new = seed.choice(NAMES), seed.choice((*NAMES, "renamed", "renamed"))
        spot = seed.randrange(text.count("\n")) + 1
        options = {"lines": seed.choice((None, None, range(spot, spot + 3)))}
        found = _attempt(
            lambda: outlined_rename(text, grammar, old, new, max_share=1.0, **options)  # noqa: B023
        )
        if found is None:
            continue
        whole = _attempt(lambda: plan_rename(parse(text, grammar), old, new, **options))  # noqa: B023
        assert found == whole, (number, old, new, text)
        applied += isinstance(whole, list)
        shorter += 1
    assert shorter > 10
    assert applied


@pytest.mark.parametrize("language", sorted(set(PLAIN_PIECES) - {"nix", "hcl"}))
def test_a_function_is_renamed_without_parsing_the_others(language: str) -> None:
    head, tail = PLAIN_EDGES.get(language, ("", ""))
    pieces = "".join(PLAIN_PIECES[language].format(number) for number in range(300))
    text = head + pieces + tail
    found = outlined_rename(text, BY_NAME[language], "f200", "renamed", max_share=0.5)
    offsets = [at for at in range(len(text)) if text.startswith("f200", at)]
    assert found == [Replacement(at, at + 4, "renamed") for at in offsets]


PYTHON_USE = "class Shop:\n    def total(self):\n        return 1\n\n\nprint(x.total())\n"
SCRIPT_USE = "class Shop {\n  total() {\n    return 1;\n  }\n}\n\nprint(x.total());\n"


@pytest.mark.parametrize(
    ("language", "about_x", "renamed"),
    [
        ("python", "x = Shop()\n", 2),
        ("python", "x = Other()\n", 0),
        ("python", "x = Shop()\n\ndef change():\n    global x\n    x = Other()\n\n\ny = 1\n", 0),
        ("python", "x = y()\n\n\n\nclass y(Shop):\n    pass\n", 2),
        ("javascript", "const x = new Shop();\n", 2),
        ("javascript", "if (a) {\n  var x = new Shop();\n}\n", 2),
        ("javascript", "const y = {\n  a: 1\n}\n  , x = new Shop();\n", 2),
        ("javascript", "const y = 1,\n  x = new Shop();\n", 2),
        ("javascript", "function f() {\n  var x = new Other();\n}\n\nvar x = new Shop();\n", 2),
    ],
)
def test_what_decides_about_a_name_is_kept_however_far_it_is(
    language: str, about_x: str, renamed: int
) -> None:
    """Zero renamed places mean a refusal: the member may be of another class."""
    is_python = language == "python"
    far = f"\n{'#' if is_python else '//'} {'far ' * 400}\n\n"
    text = about_x.replace("\n\n\n\n", far) + far + (PYTHON_USE if is_python else SCRIPT_USE)
    grammar = BY_NAME[language]
    whole = _attempt(lambda: plan_rename(parse(text, grammar), "total", "renamed"))
    found = _attempt(lambda: outlined_rename(text, grammar, "total", "renamed", max_share=1.0))
    assert (len(whole) if isinstance(whole, list) else 0) == renamed
    assert found == whole
