"""A rewrite replaces a place only if the pattern and its captures account for all of it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from bench.agreement.rewrites import LANGUAGES, Tally, check, make_patterns
from bench.library.corpora import of_language
from redline.code.structural import find_matches
from redline.code.syntax.languages import BY_NAME
from tests.support import LONG, REPO

SAMPLES = REPO / "tests" / "code" / "samples"
PATTERNS = 400 if LONG else 60
_IF = "if ($C) { $$$B }"
_IF_NOT = "if (!$C) { $$$B }"
_VAR = "var $X = r($Y)"
_LET = "let $X = r($Y)"


def rewrite(
    text: str, language: str, pattern: str | dict[str, Any], fix: str
) -> tuple[str, list[str]]:
    """Return the new text, and what the places hold that were left alone."""
    rule = pattern if isinstance(pattern, dict) else {"pattern": pattern}
    out, end, left = "", 0, []
    for match in find_matches(text, BY_NAME[language].grammar, {"rule": rule}, fix):
        if match.replacement is None:
            left.append(match.surplus)
            continue
        out += text[end : match.start] + match.replacement
        end = match.end
    return out + text[end:], left


@pytest.mark.requirement("agent-rewrite-loses-nothing")
@pytest.mark.parametrize(
    ("language", "pattern", "fix", "text", "surplus"),
    [
        ("python", "import $X", "import $X as z", "import os, sys", ", sys"),
        ("python", "from $M import $N", "from .$M import $N", "from m import a, b, c", ", b, c"),
        (
            "python",
            "with open($A) as $F: $$$B",
            "with gz($A) as $F:\n    $$$B",
            "with open(a) as f, open(b) as g:\n    pass",
            ", open(b) as g",
        ),
        ("python", "f($A)", "g($A)", "f(a  # why\n)", "# why"),
        ("javascript", _IF, _IF_NOT, "if (a) { b } else { c }", "else { c }"),
        ("javascript", "if ($C) { $$$ }", "if (!$C) {}", "if (a) { b } else { c }", "else { c }"),
        ("javascript", "var $X = r($Y)", "let $X = r($Y)", "var a = r(1), b = 2;", ", b = 2;"),
        ("javascript", "function $F() { $$$B }", "$F { $$$B }", "async function f() { }", "async"),
        ("javascript", "f($A, $B)", "f($B, $A)", "f(a, /* why */ b)", "/* why */"),
        ("typescript", _IF, _IF_NOT, "if (a) { b } else { c }", "else { c }"),
        ("rust", "if $C { $$$B }", "$C $$$B", "fn f() { if a { b } else { c } }", "else { c }"),
        (
            "go",
            "if $C { $$$B }",
            "$C $$$B",
            "func f() { if a { b() } else { c() } }",
            "else { c() }",
        ),
        ("java", _IF, _IF_NOT, "class A { int f() { if (a) { } else { c(); } } }", "else { c(); }"),
        ("c", _IF, _IF_NOT, "int f() { if (a) { b(); } else { c(); } }", "else { c(); }"),
        ("cpp", _IF, _IF_NOT, "int f() { if (a) { b(); } else { c(); } }", "else { c(); }"),
    ],
)
def test_a_place_that_holds_more_than_the_pattern_is_left_alone(
    language: str, pattern: str, fix: str, text: str, surplus: str
) -> None:
    assert rewrite(text, language, pattern, fix) == (text, [surplus])


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_any_pattern_of_a_rule_may_account_for_the_place() -> None:
    rule = {"any": [{"pattern": "import $X, $Y"}, {"pattern": "import $X"}]}
    assert rewrite("import os, sys", "python", rule, "import $X; import $Y") == (
        "import os; import sys",
        [],
    )


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_a_rule_without_a_pattern_names_the_whole_node() -> None:
    rule = {"kind": "import_statement", "regex": "sys"}
    assert rewrite("import os, sys\n", "python", rule, "import os") == ("import os\n", [])


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_what_is_inside_a_place_left_alone_is_rewritten_still() -> None:
    text = "if (a) { if (b) { c } } else { d }"
    new, left = rewrite(text, "javascript", "if ($C) { $$$B }", "if (!$C) { $$$B }")
    assert new == "if (a) { if (!b) { c } } else { d }"
    assert left == ["else { d }"]


@pytest.mark.requirement("agent-rewrite-loses-nothing")
@pytest.mark.parametrize(
    ("pattern", "fix", "text", "new"),
    [
        (_VAR, _LET, "var a = r(1);\nvar b=r(2)\n", "let a = r(1);\nlet b = r(2)\n"),
        (_VAR, _LET + ";", "var a = r(1);\nvar b=r(2)\n", "let a = r(1);\nlet b = r(2);\n"),
        (_VAR, _LET, "var a = r(1) // why\n;\n", "let a = r(1) // why\n;\n"),
        (_VAR, "", "var a = r(1);\n", "\n"),
        ("f($A, $B)", "f($B, $A)", "f(a, b,)", "f(b, a,)"),
        ("f($A, $B)", "f($B, $A,)", "f(a, b,)", "f(b, a,)"),
        ("f($A)", "g($A).h()", "f(a,)", "g(a,).h()"),
        ("if ($C) { return $X }", "f(() => { $X })", "if (a) { return b; }", "f(() => { b; })"),
        ("$A == $A", "same($A)", "a . b == a.b", "same(a.b)"),
    ],
)
def test_separators_and_comments_at_the_end_are_kept(
    pattern: str, fix: str, text: str, new: str
) -> None:
    assert rewrite(text, "javascript", pattern, fix) == (new, [])


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_a_trailing_comma_without_a_place_leaves_the_code_alone() -> None:
    assert rewrite("f(a,)", "javascript", "f($A)", "g($A, 1).h()") == ("f(a,)", [","])


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_a_line_comment_at_the_end_of_a_capture_swallows_nothing() -> None:
    new, left = rewrite(
        "if (a) { b // why\n}", "javascript", "if ($C) { $$$B }", "f(() => { $$$B })"
    )
    assert new == "f(() => { b // why\n })"
    assert left == []


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_lines_of_a_string_are_not_indented_anew() -> None:
    text = "def f():\n    if a:\n        b = '''x\n        y'''\n        c = (1,\n             2)\n"
    new, _ = rewrite(text, "python", "if $C: $$$B", "while $C:\n  $$$B")
    assert new == (
        "def f():\n    while a:\n      b = '''x\n        y'''\n      c = (1,\n           2)\n"
    )


def _files(language: str) -> list[Path]:
    """Files of this repository."""
    source = REPO / "src" / "redline"
    roots = {"python": [SAMPLES, source / "core"], "javascript": [SAMPLES, source]}
    found = [
        path for root in roots.get(language, [SAMPLES]) for path in of_language(root, language)
    ]
    return found[:: 1 if LONG else max(1, len(found) // 6)]


@pytest.mark.requirement("agent-rewrite-loses-nothing")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_token_is_in_the_pattern_or_in_the_new_text(language: str) -> None:
    tally, spoken = Tally(), BY_NAME[language]
    for path in _files(language):
        text = path.read_text("utf-8")
        made = make_patterns(random.Random(path.name), text, spoken)
        for _, pattern in zip(range(PATTERNS), made, strict=False):
            check(text, spoken, pattern, tally)
    assert tally.losses == []
    # Neither is empty, else this shows nothing.
    assert tally.replaced > 0
    assert tally.left > 0
