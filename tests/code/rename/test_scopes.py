"""Renames go by scope: what shadows a name keeps it, and what is uncertain is refused."""

from __future__ import annotations

import pytest

from redline.code.rename.in_file import apply_replacements, plan_rename
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import BY_NAME
from redline.core.errors import InvalidArgument


def _renamed(language: str, text: str, old: str, new: str = "fresh", line: int = 0) -> str:
    lines = range(line, line + 1) if line else None
    changes = plan_rename(parse(text, BY_NAME[language]), old, new, lines=lines)
    return apply_replacements(text, changes)


def _refused(language: str, text: str, old: str, line: int = 0) -> str:
    with pytest.raises(InvalidArgument) as caught:
        _renamed(language, text, old, line=line)
    return f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def x(): pass\ndef f(x): return x\nx()\n",
            "def fresh(): pass\ndef f(x): return x\nfresh()\n",
        ),
        ("x = 1\n[x for x in x]\n", "fresh = 1\n[x for x in fresh]\n"),
        (
            "x = 1\nclass A:\n    x = 2\n    def f(self): return x\n",
            "fresh = 1\nclass A:\n    x = 2\n    def f(self): return fresh\n",
        ),
        (
            "x = 1\ndef f():\n    global x\n    x = 2\n",
            "fresh = 1\ndef f():\n    global fresh\n    fresh = 2\n",
        ),
        ("x = 1\nf = lambda x=x: x\n", "fresh = 1\nf = lambda x=fresh: x\n"),
        ("from m import x\nx.x(x=x)\n", "from m import fresh\nfresh.x(x=fresh)\n"),
        (
            "import m as x\nprint(f'{x.y} x {x!r}')\n",
            "import m as fresh\nprint(f'{fresh.y} x {fresh!r}')\n",
        ),
        ("x = 1\nmatch y:\n    case A(x=1): x\n", "fresh = 1\nmatch y:\n    case A(x=1): fresh\n"),
        (
            "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n",
            "def f():\n    fresh = 1\n    def g():\n        nonlocal fresh\n        fresh = 2\n",
        ),
    ],
)
def test_python_names_are_renamed_by_scope(before: str, after: str) -> None:
    assert _renamed("python", before, "x") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("let x = 1; { let x = 2; x; } x;", "let fresh = 1; { let x = 2; x; } fresh;"),
        (
            "var x = 1; function f() { var x; x; } x;",
            "var fresh = 1; function f() { var x; x; } fresh;",
        ),
        (
            "const x = 1; const f = (x) => x, g = () => x;",
            "const fresh = 1; const f = (x) => x, g = () => fresh;",
        ),
        (
            "const x = 1; const { x: y, z = x } = { x };",
            "const fresh = 1; const { x: y, z = fresh } = { x: fresh };",
        ),
        (
            "import { x } from 'm'; try {} catch (x) { x; } x;",
            "import { fresh } from 'm'; try {} catch (x) { x; } fresh;",
        ),
        (
            "function x() {} for (const x of y) x; x.x; x: for (;;) break x;",
            "function fresh() {} for (const x of y) x; fresh.x; x: for (;;) break x;",
        ),
        ("const x = function x() { x; }; x;", "const fresh = function x() { x; }; fresh;"),
    ],
)
def test_javascript_names_are_renamed_by_scope(before: str, after: str) -> None:
    assert _renamed("javascript", before, "x") == after


def test_types_and_values_of_one_name_are_kept_apart_in_typescript() -> None:
    before = "type x = 1;\nfunction f() { const x = 2; let y: x = x; }\n"
    after = "type fresh = 1;\nfunction f() { const x = 2; let y: fresh = x; }\n"
    assert _renamed("typescript", before, "x") == after


def test_a_type_parameter_is_not_the_value_of_its_name() -> None:
    before = "function f<x>(a: x) { const x = 1; return x; }\n"
    after = "function f<fresh>(a: fresh) { const x = 1; return x; }\n"
    with pytest.raises(InvalidArgument, match="several things"):
        _renamed("typescript", before, "x")
    before = before.replace("{ const", "{\nconst")
    assert _renamed("typescript", before, "x", line=1) == after.replace("{ const", "{\nconst")


def test_a_line_says_which_of_several_is_meant() -> None:
    text = "def f(x):\n    return x\ndef g(x):\n    return x\n"
    assert "f.x (line 1); g.x (line 3)" in _refused("python", text, "x")
    after = "def f(x):\n    return x\ndef g(fresh):\n    return fresh\n"
    assert _renamed("python", text, "x", line=4) == after
    assert _renamed("python", text, "g.x") == after
    assert "on line 9" in _refused("python", text, "x", line=9)


def test_a_parameter_is_renamed_with_the_labels_of_calls_that_are_surely_its_own() -> None:
    before = "def f(size): return size\nf(size=1)\nopen(size=2)\n"
    after = "def f(fresh): return fresh\nf(fresh=1)\nopen(size=2)\n"
    assert _renamed("python", before, "size") == after
    assert "line 2" in _refused("python", "def f(size): return size\ng()(size=1)\n", "size")


def test_members_of_unknown_values_are_refused_with_their_lines() -> None:
    text = "class A:\n    def run(self): return self.run()\ndef f(other):\n    other.run()\n"
    message = _refused("python", text, "A.run")
    assert "line 4" in message
    assert "everywhere" in message
    changes = plan_rename(parse(text, BY_NAME["python"]), "run", "go", everywhere=True)
    assert "other.go()" in apply_replacements(text, changes)


def test_members_of_what_is_plainly_something_else_are_left() -> None:
    before = "import os\nclass A:\n    def join(self): return ''.join(os.join(self.join()))\n"
    after = "import os\nclass A:\n    def go(self): return ''.join(os.join(self.go()))\n"
    assert _renamed("python", before, "A.join", "go") == after


def test_a_member_that_its_family_overrides_is_refused() -> None:
    text = "class A:\n    def f(self): pass\nclass B(A):\n    def f(self): self.f()\n"
    assert "Several types" in _refused("python", text, "A.f")


def test_a_generic_base_is_a_base() -> None:
    text = (
        "class A(Generic[T]):\n    def f(self): pass\nclass B(A[int]):\n    def g(self): self.f()\n"
    )
    assert "self.fresh()" in _renamed("python", text, "A.f")


def test_a_class_that_reads_a_name_it_also_binds_is_refused() -> None:
    assert "line 3" in _refused("python", "x = 1\nclass A:\n    x = x\n", "x")


def test_a_name_that_is_imported_or_else_defined_is_refused() -> None:
    text = "try:\n    from m import x\nexcept ImportError:\n    def x(): pass\n"
    assert "line 2, 4" in _refused("python", text, "x")


def test_a_constant_and_a_type_of_one_name_are_two_things() -> None:
    text = "export const x = 1;\nexport type x = typeof x;\nlet a: x = x;\n"
    assert "x (line 1); x (line 2)" in _refused("typescript", text, "x")
    after = "export const fresh = 1;\nexport type x = typeof fresh;\nlet a: x = fresh;\n"
    assert _renamed("typescript", text, "x", line=1) == after


def test_fields_that_a_constructor_takes_by_label_are_refused() -> None:
    text = "@dataclass\nclass A:\n    size: int\na = A(size=1)\n"
    assert "line 4" in _refused("python", text, "A.size")


def test_private_members_of_a_script_class_are_renamed_through_this() -> None:
    before = "class A { #x = 1; f() { return () => this.#x; } }\n"
    after = "class A { #fresh = 1; f() { return () => this.#fresh; } }\n"
    assert _renamed("javascript", before, "#x", "#fresh") == after


def test_a_static_member_is_not_that_of_what_the_class_makes() -> None:
    text = "class A { static make() { const a = new A(); a.make(); } }\n"
    assert "line 1" in _refused("javascript", text, "A.make")


def test_a_file_that_does_not_parse_is_refused() -> None:
    assert "does not parse at line 1" in _refused("python", "def x(:\n    x\n", "x")


@pytest.mark.parametrize(
    ("language", "text", "line", "after"),
    [
        (
            "go",
            "package p\nfunc f(x int) int { return x }\nfunc g(x int) {}\n",
            2,
            "package p\nfunc f(fresh int) int { return fresh }\nfunc g(x int) {}\n",
        ),
        (
            "rust",
            "fn f(x: i32) -> i32 { x }\nfn g() { let x = 1; x; }\n",
            2,
            "fn f(x: i32) -> i32 { x }\nfn g() { let fresh = 1; fresh; }\n",
        ),
        (
            "c",
            "int f(int x) { return x; }\nint g(int x) { return x; }\n",
            1,
            "int f(int fresh) { return fresh; }\nint g(int x) { return x; }\n",
        ),
        (
            "java",
            "class A { int f(int x) { return x; }\nint g(int x) { return x; } }\n",
            1,
            "class A { int f(int fresh) { return fresh; }\nint g(int x) { return x; } }\n",
        ),
    ],
)
def test_a_name_several_functions_bind_needs_a_line(
    language: str, text: str, line: int, after: str
) -> None:
    assert "several scopes" in _refused(language, text, "x")
    assert _renamed(language, text, "x", line=line) == after


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("go", "package p\nvar x = 1\nfunc f(x int) int { return x }\n"),
        ("c", "int x;\nint f(int x) { return x; }\n"),
        ("rust", "static x: i32 = 1;\nfn f() { let x = x; }\n"),
        ("java", "class A { int x; int f(int x) { return x + this.x; } }\n"),
    ],
)
def test_a_global_that_a_function_shadows_is_refused(language: str, text: str) -> None:
    assert "x" in _refused(language, text, "x")


def test_a_go_field_of_an_unknown_value_is_refused() -> None:
    text = "package p\ntype A struct { size int }\nfunc f(b B) int { return b.size }\n"
    assert "line 3" in _refused("go", text, "size")
