"""What is read instead of a text is valid TypeScript exactly where the text is."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path

import pytest

from redline.code.syntax.definitions import parse
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import language_of
from tests.support import LONG, NODE_MODULES, need_node

COUNT = 4_000 if LONG else 400
CHECK = Path(__file__).with_name("parse_check.mjs")
MEMBERS = (
    "(a: A): B",
    "<T>(a: T): B<T>",
    "<\n    T extends A,\n    U = {}\n  >(\n    a: T\n  ): a is B",
    "a: B",
    "a?: { (b: A): B }",
    "b(): B[]",
    "[c: string]: B",
    "new <T>(a: T): B",
    "// a comment\n  <T>(a: `x\\`${T}`): A | B",
)
TOP = (
    "export type * from './a'",
    "export type * as a from 'a'",
    "{\n  using a = b()\n  f<A>`x`\n}",
    "const f = a\n  (b)",
    "function f<in A>(a: A) { return a < b }",
    "const a = <T>(a: T) => a",
)
PIECES = (*"(){}<>[];,=:|`\n", " type ", "=>")


def generate(rng: random.Random) -> str:
    """Write types and statements without semicolons, sometimes with one token too many or few."""
    bodies = []
    for _ in range(rng.randint(1, 3)):
        inside = "".join(f"  {rng.choice(MEMBERS)}\n" for _ in range(rng.randint(1, 4)))
        head = rng.choice(("interface A<out T> ", "type A = ", "let a: "))
        bodies.append(f"{head}{{\n{inside}}}")
    parts = [*bodies, *rng.choices(TOP, k=rng.randint(0, 2))]
    rng.shuffle(parts)
    text = "\n".join(parts) + "\n"
    if rng.random() < 0.7:
        start, end = rng.choice([found.span() for found in re.finditer(r"\w+|[^\w ]", text)])
        new = rng.choice(("", text[start:end] * 2, rng.choice(PIECES)))
        text = text[:start] + new + text[end:]
    return text


def judge(texts: list[str]) -> list[bool]:
    """Whether TypeScript can parse each of *texts*."""
    line = [need_node(), CHECK, NODE_MODULES / "typescript" / "lib" / "typescript.js"]
    given = "\n".join(map(json.dumps, texts))
    done = subprocess.run(line, input=given, capture_output=True, text=True, check=True)
    return [line == "true" for line in done.stdout.splitlines()]


@pytest.mark.node
@pytest.mark.requirement("code-unread-typescript")
def test_a_replacement_is_valid_where_the_text_is() -> None:
    language = language_of("a.ts")
    assert language is not None
    texts = [generate(random.Random(seed)) for seed in range(COUNT)]
    replaced = []
    errors = []
    for text in texts:
        parsed = parse(text, language)
        span = parsed.root.range()
        read = parsed.root.text()
        replaced.append(text[: span.start.index] + read + text[span.end.index :])
        errors.append(len(syntax_issues(parsed)))
        assert [len(line) for line in replaced[-1].split("\n")] == [
            len(line) for line in text.split("\n")
        ]
    valid = judge(texts)
    assert judge(replaced) == valid
    assert sum(old != new for old, new in zip(texts, replaced, strict=True)) > COUNT // 2
    # What TypeScript can parse is read without an error; the grammar itself lets little through.
    unread = [text for text, count, ok in zip(texts, errors, valid, strict=True) if ok and count]
    missed = [text for text, count, ok in zip(texts, errors, valid, strict=True) if not ok | count]
    assert len(unread) <= COUNT // 50, unread[:3]
    assert len(missed) <= COUNT // 20, missed[:3]
