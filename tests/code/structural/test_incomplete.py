"""A pattern that is only a part of some code is told apart from one that matches nothing."""

from __future__ import annotations

import pytest

from redline.code.structural import find_incomplete, find_matches
from redline.code.syntax.languages import BY_NAME

INCOMPLETE = {
    "python": ["def $F($$$A):", "foo(", "if $A:", "x = ", "except $E:", "**$K", "if $A:\n    foo("],
    "javascript": ["function $F(", "if ($A) {", "} else {", "case $A:"],
    "typescript": ["interface $I"],
    "rust": ["match $A {"],
    "ruby": ["def $F"],
}
# Code that each pattern matches, though some of them do not parse alone.
COMPLETE = {
    "python": [
        ("$A.get($B)", "a.get(b)"),
        ("@$D", "@a\ndef f(): pass"),
        ("def $F($$$A): $$$B", "def f(a, b):\n    pass\n"),
        ("class $C", "class A:\n    pass\n"),
    ],
    "javascript": [("($A) => $B", "(a) => b")],
    "go": [("$A := $B", "package a\nfunc f() { a := 5 }"), ("if $A { $$$B }", "if a { b() }")],
    "rust": [("let $A = $B", "fn f() { let a = b; }"), ("$A.unwrap()", "fn f() { a.unwrap(); }")],
    "java": [("int $A = $B", "class A { void f() { int a = 5; } }")],
    "c": [("int $A", "int f() { int a; }")],
    "css": [(".a { $$$B }", ".a { color: red }")],
    "json": [('{"a": $V}', '{"a": 5}')],
}


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize(
    ("language", "pattern"), [(name, each) for name, all_ in INCOMPLETE.items() for each in all_]
)
def test_an_incomplete_pattern_has_an_issue_in_its_own_words(language: str, pattern: str) -> None:
    issue = find_incomplete(pattern, BY_NAME[language])
    assert issue is not None
    assert issue.excerpt in {line.strip() for line in pattern.split("\n")}


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize(
    ("language", "pattern", "code"),
    [(name, *each) for name, all_ in COMPLETE.items() for each in all_],
)
def test_a_pattern_that_matches_code_has_none(language: str, pattern: str, code: str) -> None:
    grammar = BY_NAME[language]
    assert find_matches(code, grammar.grammar, {"rule": {"pattern": pattern}}, None)
    assert find_incomplete(pattern, grammar) is None
