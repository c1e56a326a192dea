"""The syntax guard: what an edit breaks is seen, what was broken before is not held against it."""

from __future__ import annotations

import pytest

from redline.code.syntax.errors import introduced_issues
from redline.code.syntax.languages import BY_NAME


@pytest.mark.parametrize(
    ("language", "old", "new", "line"),
    [
        ("python", "x = 1\n", "x = 1\ndef f(:\n    pass\n", 2),
        ("python", "x = 1\n", "x = 1\nif x:\n", 2),
        ("python", "def f():\n    return 1\n", "def f():\nreturn 1\n", 1),
        ("python", "def f():\n    a = 1\n", "def f():\n    a = 1\n      b = 2\n", 3),
        ("javascript", "f();\n", "f();\nfoo({;\n", 2),
        ("typescript", "let a = 1;\n", "let a: = 1;\n", 1),
        ("go", "package a\n", "package a\nfunc f( {\n}\n", 2),
        ("rust", "fn f() {}\n", "fn f() {}\nfn g() {\n", 2),
        ("java", "class A {}\n", "class A { int f( { } }\n", 1),
        ("c", "int f(void) { return 1; }\n", "int f(void) { return 1 }\n", 1),
        ("json", '{"a": 1}\n', '{"a": 1,,}\n', 1),
    ],
)
def test_a_new_error_is_reported_with_its_line(
    language: str, old: str, new: str, line: int
) -> None:
    issues = introduced_issues(old, new, BY_NAME[language])
    assert issues
    assert issues[0].line == line


def test_an_old_error_that_only_moved_is_not_reported() -> None:
    old = "foo({;\n"
    assert introduced_issues(old, "ok();\n" + old, BY_NAME["javascript"]) == []


def test_a_second_copy_of_an_old_error_is_reported() -> None:
    old = "int f(void) { return 1 }\n"
    assert len(introduced_issues(old, old + old, BY_NAME["c"])) == 1


def test_sound_code_has_nothing_to_report() -> None:
    new = "async def f(x: int = 1, /, *a, **k) -> None:\n    match x:\n        case 1: pass\n"
    assert introduced_issues("", new, BY_NAME["python"]) == []
