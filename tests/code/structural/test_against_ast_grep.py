"""Structural rewriting gives the bytes that ast-grep's own command line gives."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redline.code.structural import StructuralMatch, find_matches
from tests.support import LONG, need

PAIRS = 1000 if LONG else 60
_PER_RUN = 20

_ENDINGS = {"python": ".py", "javascript": ".js", "typescript": ".ts", "go": ".go", "rust": ".rs"}

# Statements with holes: {e} an expression, {b} a block of statements one level deeper.
_STATEMENTS = {
    "python": [
        "{n} = {e}",
        "{n}({e}, {e})",
        "if {e}:\n{b}",
        "for {n} in {e}:\n{b}",
        "def {n}(a, b={e}):\n{b}",
        "class {N}:\n    def run(self):\n        return {e}",
        "return_value = [\n    {e},\n    {e},\n]",
        "print({e})  # naïve café",
        "with open({e}) as handle:\n{b}",
    ],
    "javascript": [
        "const {n} = {e};",
        "{n}({e}, {e});",
        "if ({e}) {{\n{b}\n}}",
        "function {n}(a, b) {{\n{b}\n}}",
        "{n}.forEach((item) => {{\n{b}\n}});",
        "const {n} = {{ a: {e}, b: {e} }};",
        "// größe\nawait {n}({e});",
    ],
    "go": [
        "{n} := {e}",
        "{n}({e}, {e})",
        "if {n} == {e} {{\n{b}\n}}",
        "for {n} := range items {{\n{b}\n}}",
    ],
    "rust": [
        "let {n} = {e};",
        "{n}({e}, {e});",
        "if {n} == {e} {{\n{b}\n}}",
        "for {n} in items.iter() {{\n{b}\n}}",
        "let {n} = vec![{e}, {e}];",
    ],
}
_STATEMENTS["typescript"] = [*_STATEMENTS["javascript"], "const {n}: number = {e};"]
_EXPRESSIONS = [
    "{n}",
    "1",
    '"text"',
    "{n}({e})",
    "{n}({e}, {e})",
    "{n}(\n        {e},\n        {e},\n    )",
    "{n}.{n}",
    "{n}.{n}({e})",
    "{e} + {e}",
    "({e})",
]
_NAMES = ["foo", "bar", "total", "log", "fetch", "größe"]
_PATTERNS = [
    "foo($A)",
    "foo($$$ARGS)",
    "$F($A, $B)",
    "$F($$$ARGS)",
    "$A + $B",
    "$A.log($$$ARGS)",
    "$OBJ.$FIELD",
    "bar($A, $$$REST)",
]
_STATEMENT_PATTERNS = {
    "python": ["if $C:\n    $$$BODY", "$A = $B", "def $F($$$P):\n    $$$BODY"],
    "javascript": ["if ($C) { $$$BODY }", "const $A = $B", "function $F($$$P) { $$$BODY }"],
    "typescript": ["if ($C) { $$$BODY }", "const $A = $B", "function $F($$$P) { $$$BODY }"],
    "go": ["if $C { $$$BODY }", "$A := $B"],
    "rust": ["if $C { $$$BODY }", "let $A = $B;"],
}
# {v} is a metavariable of the pattern.
_FIXES = [
    "replaced",
    "",
    "baz({v})",
    "baz({v}, {v})",
    "baz(\n  {v},\n    {v}\n)",
    "wrap({v}, $ , {v})",
    "{v}",
    "if changed:\n    {v}\n    {v}",
    "{\n    {v};\n        {v};\n}",
    "größe\n      {v}",
]
_VARIABLE = re.compile(r"\$\$\$[A-Z]+|\$[A-Z]+")
_KINDS = {
    "python": ["call", "identifier", "integer"],
    "javascript": ["call_expression", "identifier", "number"],
    "typescript": ["call_expression", "identifier", "number"],
    "go": ["call_expression", "identifier", "int_literal"],
    "rust": ["call_expression", "identifier", "integer_literal"],
}


def _fill(chance: random.Random, text: str, depth: int, language: str) -> str:
    out = ""
    rest = text
    while True:
        head, brace, rest = rest.partition("{")
        out += head.replace("}}", "}")
        if not brace:
            return out
        if rest.startswith("{"):
            out, rest = out + "{", rest[1:]
        elif rest.startswith("e}"):
            out, rest = out + _expression(chance, depth + 1, language), rest[2:]
        elif rest.startswith("b}"):
            out, rest = out + _block(chance, depth + 1, language), rest[2:]
        elif rest.startswith("n}"):
            out, rest = out + chance.choice(_NAMES), rest[2:]
        else:
            out, rest = out + "Name", rest[2:]


def _expression(chance: random.Random, depth: int, language: str) -> str:
    shapes = _EXPRESSIONS if depth < 4 else _EXPRESSIONS[:3]
    return _fill(chance, chance.choice(shapes), depth, language)


def _block(chance: random.Random, depth: int, language: str) -> str:
    statements = _STATEMENTS[language] if depth < 3 else _STATEMENTS[language][:2]
    unit = chance.choice(["    ", "  ", "\t"]) if language != "python" else "    "
    lines: list[str] = []
    for _ in range(chance.randint(1, 3)):
        made = _fill(chance, chance.choice(statements), depth, language)
        lines += [unit + line if line else line for line in made.split("\n")]
    return "\n".join(lines)


def make_file(chance: random.Random, language: str) -> str:
    """Some statements of a language, nested, with names that are not ASCII."""
    parts = [
        _fill(chance, chance.choice(_STATEMENTS[language]), 0, language)
        for _ in range(chance.randint(2, 8))
    ]
    body = "\n\n".join(parts)
    if language in ("go", "rust"):
        body = "\n".join("    " + line for line in body.split("\n"))
        head = "package main\n\nfunc main() {" if language == "go" else "fn main() {"
        body = f"{head}\n{body}\n}}"
    return body + chance.choice(["\n", "", "\n\n"])


def make_rule(chance: random.Random, language: str) -> dict[str, Any]:
    """A pattern with constraints and relations, as ast-grep's rules have them."""
    patterns = [*_PATTERNS, *_STATEMENT_PATTERNS[language]]
    rule: dict[str, Any] = {"pattern": chance.choice(patterns)}
    found: dict[str, Any] = {"rule": rule}
    if chance.random() < 0.3:
        relation = chance.choice(["inside", "has"])
        inner: dict[str, Any] = {"pattern": chance.choice(_PATTERNS)}
        if chance.random() < 0.5:
            inner = {"kind": chance.choice(_KINDS[language])}
        rule[relation] = {**inner, "stopBy": "end"}
    if chance.random() < 0.2:
        rule["not"] = {"pattern": chance.choice(_PATTERNS)}
    for name in ("A", "F"):
        if f"${name}" in _VARIABLE.findall(rule["pattern"]) and chance.random() < 0.4:
            limit: dict[str, Any] = {"regex": chance.choice(["^f", "o", "^[a-z]+$", "[0-9]"])}
            if chance.random() < 0.3:
                limit = {"kind": chance.choice(_KINDS[language])}
            found["constraints"] = {name: limit}
    return found


def make_fix(chance: random.Random, pattern: str) -> str:
    """A replacement that uses metavariables of *pattern*."""
    shape = chance.choice(_FIXES)
    names = _VARIABLE.findall(pattern)
    while "{v}" in shape:
        shape = shape.replace("{v}", chance.choice(names), 1)
    return shape


def assert_alike(text: str, ours: list[StructuralMatch], theirs: list[Any]) -> int:
    """Compare the places of *text*; return how many are replaced by the same bytes.

    Where Redline keeps a comma or a semicolon, only that is between the two.
    """
    places = {_offsets(text, each): each["replacement"] for each in theirs}
    same = 0
    for match in ours:
        start, end = next(
            span for span in places if span[0] == match.start and span[1] >= match.end
        )
        if match.surplus:
            continue
        new = str(match.replacement) + text[match.end : end]
        if new == places[start, end]:
            same += 1
        else:
            assert re.search(r"[,;]\s*[)\]}]|;$", text[start:end])
            assert re.sub(r"[,;\s]", "", new) == re.sub(r"[,;\s]", "", places[start, end])
    return same


def _offsets(text: str, match: Any) -> tuple[int, int]:
    data, span = text.encode(), match["range"]["byteOffset"]
    return len(data[: span["start"]].decode()), len(data[: span["end"]].decode())


def _command_line() -> str:
    beside = Path(sys.executable).parent / "ast-grep"
    found = str(beside) if beside.exists() else shutil.which("ast-grep")
    need(found is not None, "the program ast-grep (pip install ast-grep-cli)")
    return str(found)


@pytest.mark.requirement("agent-rewrite-equals-ast-grep")
@pytest.mark.parametrize("seed", range(PAIRS // _PER_RUN))
def test_a_rewrite_gives_the_bytes_of_the_command_line(seed: int, tmp_path: Path) -> None:
    program = _command_line()
    chance = random.Random(seed)
    same = 0
    for number in range(_PER_RUN):
        language = chance.choice(list(_ENDINGS))
        text, rule = make_file(chance, language), make_rule(chance, language)
        fix = make_fix(chance, rule["rule"]["pattern"])
        file = tmp_path / f"case{number}{_ENDINGS[language]}"
        file.write_text(text, "utf-8", newline="")
        inline = json.dumps({"id": "case", "language": language, **rule, "fix": fix})
        done = subprocess.run(
            [program, "scan", "--inline-rules", inline, "--json=compact", str(file)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Cannot parse rule" not in done.stderr, done.stderr
        theirs = json.loads(done.stdout)
        ours = find_matches(text, language, rule, fix)
        assert bool(ours) == bool(theirs), (inline, text)
        same += assert_alike(text, ours, theirs)
    assert same
