"""Definitions found by an outline of a file, beside those that a parse of the whole file finds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from redline.code.syntax.bodies import bodies_of
from redline.code.syntax.changed_part import MIN_LINES
from redline.code.syntax.definitions import find_occurrences, parse, symbols_of
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import BY_NAME, LANGUAGES
from redline.code.syntax.outlines.cutting import outline_of
from redline.code.syntax.outlines.lexers import LEXERS
from redline.code.syntax.outlines.named import named_bodies, outlined_bodies
from tests.code.syntax.outlines.plain import PLAIN_EDGES, PLAIN_PIECES
from tests.support import LONG

Write = Callable[[random.Random, str], str]
NAMES = ("run", "open", "close", "Shop", "Item", "total", "parse", "walk")
# Statements that look like the edges of a definition, in strings and comments of each language.
PYTHON_LINES = (
    "x = '}'",
    'y = "def run(): {("',
    "z = '''\ndef run():\n    return 1\n'''",
    'w = """ it\'s (open """',
    "if x:\n    y = [\n        1,\n    ]",
    "# def close(): '''",
    "for i in range(3):\n    total = i",
    "def inner():\n    return '{'",
    "v = f'{x!r:>{y}}'",
    "u = (\n    1,\n)",
    "t = 'a\\\n  def b():'",
)
SCRIPT_LINES = (
    'x = "}";',
    "y = '{ function run() {';",
    "z = `\nfunction run() {\n  return ${x ? `{` : 1};\n}\n`;",
    "if (x) {\n  y = { a: 1 };\n}",
    "/* function close() { */",
    "/*\nclass Shop {\n  open() {\n  }\n}\n*/",
    "// } it's",
    'w = /["{]/.test(x);',
    "for (const a of x) {\n  total(a);\n}",
    "v = {\n  open() {\n    return 1;\n  },\n  close: 2,\n};",
    "u = [\n  1,\n];",
)
C_LIKE_LINES = (
    'x = "}";',
    "y = '{';",
    "if (x) {\n    y = 1;\n}",
    "/* void close() { */",
    "/*\nvoid run() {\n}\n*/",
    "// } it's",
    "while (x) {\n    total(x);\n}",
    'z = "void run() {";',
)
GO_LINES = (
    'x = "}"',
    "y = '{'",
    "if x {\n\ty = 1\n}",
    "/* func close() { */",
    "// } it's",
    "z = `\nfunc run() {\n\treturn\n}\n`",
    "w := func() {\n\ttotal()\n}",
    "u := T{\n\ta: 1,\n}",
)


def _shift(text: str, margin: str) -> str:
    return "".join(margin + line if line.strip() else line for line in text.splitlines(True))


def _lines(seed: random.Random, choices: tuple[str, ...], margin: str) -> str:
    chosen = [seed.choice(choices) for _ in range(seed.randint(1, 8))]
    return "".join(
        ("\n" if seed.random() < 0.2 else "") + _place(seed, line, margin) + "\n" for line in chosen
    )


def _place(seed: random.Random, line: str, margin: str) -> str:
    """Indent a statement; what is in its strings, comments and brackets may begin anywhere."""
    is_block = line.endswith((" = i", " 1,\n    ]", "'{'"))
    return _shift(line, margin) if is_block or seed.random() < 0.8 else margin + line


def _name(seed: random.Random) -> str:
    return seed.choice(NAMES) if seed.random() < 0.1 else f"name{seed.randrange(10**6)}"


def write_python(seed: random.Random, margin: str = "") -> str:
    """Return one definition of Python."""
    name, inner = _name(seed), margin + "    "
    above = seed.choice(("", f"{margin}@wraps\n", f"{margin}@wraps(\n{inner}1,\n{margin})\n\n"))
    if not margin and seed.random() < 0.3:
        members = [write_python(seed, inner) for _ in range(seed.randint(1, 5))]
        # A comment at the margin does not end the class.
        return f"{above}class {name}:\n" + seed.choice(("\n", "# note\n")).join(members) + "\n"
    head = seed.choice((f"({'a'}):", f"(\n{inner}a,\n{margin}):", "(a={'x': ')'}):  # note"))
    doc = seed.choice(
        ("", f'{inner}"""Say {{what."""\n', f"{inner}'''\nnot indented:\n    x\n'''\n")
    )
    body = _lines(seed, PYTHON_LINES, inner)
    return f"{above}{margin}def {name}{head}\n{doc}{body}{inner}pass\n\n"


def write_script(seed: random.Random, margin: str = "") -> str:
    """Return one definition of JavaScript."""
    name, inner = _name(seed), margin + "  "
    above = seed.choice(
        ("", f"{margin}// about {name}\n", f"{margin}/**\n{margin} * {{it\n{margin} */\n")
    )
    body = _lines(seed, SCRIPT_LINES, inner)
    if margin:
        return f"{above}{margin}{name}(a) {{\n{body}{margin}}}\n\n"
    if seed.random() < 0.3:
        members = [write_script(seed, inner) for _ in range(seed.randint(1, 5))]
        return f"{above}class {name} {{\n" + "".join(members) + "}\n\n"
    head = seed.choice(("(a)", "(\n  a = {\n    b: 1,\n  },\n)", "(a = '{')"))
    form = seed.choice(
        (
            "function {0}{1} {{\n{2}}}",
            "export function {0}{1} {{\n{2}}}",
            "const {0} = {1} => {{\n{2}}};",
        )
    )
    return above + form.format(name, head, body) + "\n\n"


def write_java(seed: random.Random, margin: str = "") -> str:
    """Return one definition of Java."""
    name, inner = _name(seed), margin + "    "
    above = seed.choice(
        (
            "",
            f"{margin}@Override\n",
            f"{margin}@A({{\n{inner}1\n{margin}}})\n\n",
            f"{margin}/** {{ */\n",
        )
    )
    if not margin:
        members = [write_java(seed, inner) for _ in range(seed.randint(1, 8))]
        return f"{above}class {name} {{\n" + "".join(members) + "}\n\n"
    body = _lines(seed, C_LIKE_LINES, inner)
    head = seed.choice(("(int a)", f"(\n{inner}int a\n{margin})"))
    return f"{above}{margin}void {name}{head} {{\n{body}{margin}}}\n\n"


def write_go(seed: random.Random, margin: str = "") -> str:
    """Return one definition of Go."""
    name, inner = _name(seed), "\t"
    above = seed.choice(("", f"// {name} is {{\n"))
    form = seed.choice(
        (
            "func {0}(a int) {{\n{1}}}",
            "func (s *Shop) {0}(a int) {{\n{1}}}",
            "var {0} = func(\n\ta int,\n) {{\n{1}}}",
        )
    )
    if seed.random() < 0.2:
        return f"{above}type {name} struct {{\n\topen int\n\tb{seed.randrange(99)} int\n}}\n\n"
    return above + form.format(name, _lines(seed, GO_LINES, inner)) + "\n\n"


def write_rust(seed: random.Random, margin: str = "") -> str:
    """Return one definition of Rust."""
    name, inner = _name(seed), margin + "    "
    above = seed.choice(("", f"{margin}#[inline]\n", f"{margin}#[inline]\n\n", f"{margin}/// {{\n"))
    if not margin and seed.random() < 0.3:
        members = [write_rust(seed, inner) for _ in range(seed.randint(1, 5))]
        return f"{above}impl<'a> {name}<'a> {{\n" + "".join(members) + "}\n\n"
    body = _lines(seed, (*C_LIKE_LINES, 'let r = r#"\nfn run() {\n    "{\n}\n"#;'), inner)
    return f"{above}{margin}fn {name}<'a>(a: &'a str) {{\n{body}{margin}}}\n\n"


WRITERS: dict[str, tuple[Write, str]] = {
    "python": (write_python, ""),
    "javascript": (write_script, ""),
    "java": (write_java, ""),
    "go": (write_go, "package main\n\n"),
    "rust": (write_rust, ""),
}


def write_file(seed: random.Random, language: str, definitions: int) -> str:
    writer, head = WRITERS[language]
    text = head + "".join(writer(seed, "") for _ in range(definitions))
    return text.replace("\n", "\r\n") if seed.random() < 0.1 else text


@pytest.mark.requirement("code-large-files")
@pytest.mark.parametrize("language", WRITERS)
def test_an_outline_finds_what_the_whole_file_has(language: str) -> None:
    grammar, outlined = BY_NAME[language], 0
    for number in range(200 if LONG else 4):
        seed = random.Random(number)
        text = write_file(seed, language, 100)
        whole = parse(text, grammar)
        assert not syntax_issues(whole), (language, number)
        for name in (*NAMES, *(seed.choice(symbols_of(whole)).qualified for _ in range(8))):
            found = outlined_bodies(text, grammar, name, max_share=1.0)
            if found is not None:
                outlined += 1
                assert list(found) == symbols_of(whole, name), (language, number, name)
                assert found == bodies_of(whole, name), (language, number, name)
    assert outlined > 30


@pytest.mark.requirement("code-large-files")
@pytest.mark.parametrize("language", WRITERS)
def test_a_body_in_a_large_file_is_where_the_whole_file_has_it(language: str) -> None:
    grammar, seed = BY_NAME[language], random.Random(7)
    text = ""
    while text.count("\n") < MIN_LINES:
        text += write_file(random.Random(seed.random()), language, 500).replace("\r\n", "\n")
    whole = parse(text, grammar)
    for symbol in seed.sample(symbols_of(whole), 3):
        found = named_bodies(text, grammar, symbol.qualified)
        assert found == bodies_of(whole, symbol.qualified)
        body = found[symbol]
        assert body is None or symbol.offset < body.start < body.end <= symbol.span[1]


@pytest.mark.requirement("code-large-files")
@pytest.mark.parametrize("language", sorted(PLAIN_PIECES))
def test_what_is_far_from_a_name_is_left_out(language: str) -> None:
    piece, (head, tail) = PLAIN_PIECES[language], PLAIN_EDGES.get(language, ("", ""))
    text = head + "".join(piece.format(number) for number in range(1000)) + tail
    grammar = BY_NAME[language]
    outline = outline_of(text, grammar, find_occurrences(text, "f700"))
    assert piece.format(700) in outline.text
    assert outline.text.count("\n") == text.count("\n")
    assert len(outline.text) < 0.65 * len(text)
    found = outlined_bodies(text, grammar, "f700")
    assert found
    assert found == bodies_of(parse(text, grammar), "f700")


def test_every_language_with_definitions_but_data_has_a_lexer() -> None:
    data = {"json", "yaml"}
    assert {lang.name for lang in LANGUAGES if lang.rules} - data == set(LEXERS)


def test_a_file_with_syntax_errors_is_parsed_as_a_whole() -> None:
    good = "".join(f"def f{n}(a):\n    b = a + {n}\n    return b\n\n" for n in range(200))
    assert outlined_bodies(good, BY_NAME["python"], "f100") is not None
    assert outlined_bodies(good + "def (:\n", BY_NAME["python"], "f100") is None


def test_a_name_that_does_not_occur_is_not_looked_for() -> None:
    assert outlined_bodies("def (:\n", BY_NAME["python"], "absent") == {}


def test_the_last_method_of_a_class_ends_where_the_class_ends() -> None:
    method = "    def f{0}(self):\n        b = {0}\n        return b\n\n"
    text = "class Shop:\n" + "".join(method.format(number) for number in range(200))
    found = outlined_bodies(text, BY_NAME["python"], "Shop")
    assert found == bodies_of(parse(text, BY_NAME["python"]), "Shop")


@pytest.mark.parametrize("margin", ["", "    "])
def test_a_python_body_that_goes_on_behind_a_comment_at_the_margin_is_kept(margin: str) -> None:
    outer = "class Shop:\n" if margin else ""
    piece = "{1}def f{0}(self):\n{1}    return {0}\n"
    pieces = "".join(piece.format(number, margin) for number in range(200))
    goes_on = f"{margin}# note\n{margin}    def named(self):\n{margin}        return 1\n\n"
    text = outer + pieces + goes_on + piece.format(999, margin)
    whole = symbols_of(parse(text, BY_NAME["python"]), "named")
    assert [symbol.qualified for symbol in whole] == [f"{'Shop.' if margin else ''}f199.named"]
    assert list(outlined_bodies(text, BY_NAME["python"], "named") or ()) == whole


def test_a_class_that_goes_on_behind_an_unindented_comment_stays_a_class() -> None:
    piece = "class C{0}:\n    def f{0}(self):\n        return {0}\n\n"
    goes_on = "# note\n    def named(self):\n        return 1\n\n"
    text = "".join(piece.format(number) for number in range(200)) + goes_on
    found = outlined_bodies(text, BY_NAME["python"], "named")
    assert found is not None
    assert [symbol.qualified for symbol in found] == ["C199.named"]


@pytest.mark.parametrize(("body", "is_kept"), [("x\n      end", True), ("if x\n      end", False)])
def test_a_body_with_an_end_too_many_is_kept(body: str, is_kept: bool) -> None:
    head = f"class A\n  class B\n    def f\n      {body}\n    end\n"
    text = head + "    # far\n" * 200 + "    def named\n      1\n    end\n  end\nend\n"
    outline = outline_of(text, BY_NAME["ruby"], find_occurrences(text, "named"))
    assert (body in outline.text) == is_kept
