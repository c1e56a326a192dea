"""Renames in a style sheet: classes, ids and custom properties, each by itself."""

from __future__ import annotations

import pytest

from redline.code.rename.in_file import apply_replacements, plan_rename
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import BY_NAME
from redline.core.errors import InvalidArgument

CSS = BY_NAME["css"]
SHEET = """\
/* .btn and --main */
.btn { color: var(--main, red); }
.btn:hover, a.btn > #btn, .btn-primary:not(.btn) { margin: calc(1px + var(--main)); }
#top, .card { --main: red; content: ".btn"; }
.hover { animation: spin 1s; }
@keyframes spin { from { color: red } }
nav { margin: 0 }
"""

pytestmark = pytest.mark.requirement("code-rename-css")


def rename(old: str, new: str, *, lines: range | None = None, everywhere: bool = False) -> str:
    found = plan_rename(parse(SHEET, CSS), old, new, lines=lines, everywhere=everywhere)
    return apply_replacements(SHEET, found)


def lines_changed(after: str) -> list[int]:
    pairs = zip(SHEET.split("\n"), after.split("\n"), strict=True)
    return [number for number, (old, new) in enumerate(pairs, 1) if old != new]


def test_a_class_is_renamed_in_every_selector_and_nothing_else() -> None:
    after = rename(".btn", ".button-main")
    expected = SHEET.replace(".btn", ".button-main").replace(".button-main-primary", ".btn-primary")
    for kept in ("/* .btn and", '".btn"'):
        expected = expected.replace(kept.replace(".btn", ".button-main"), kept)
    assert after == expected
    assert rename(".btn", "button-main") == after


def test_an_id_is_not_the_class_of_that_name() -> None:
    assert rename("#btn", "#go") == SHEET.replace("#btn", "#go")
    assert rename("#top", "head") == SHEET.replace("#top", "#head")


def test_a_custom_property_is_renamed_where_it_is_set_and_used() -> None:
    after = rename("--main", "--accent-1")
    assert lines_changed(after) == [2, 3, 4]
    assert after.count("--accent-1") == 3


def test_a_bare_name_is_the_class_or_id_that_alone_has_it() -> None:
    assert rename("card", "panel") == SHEET.replace(".card", ".panel")
    assert rename("top", "head") == SHEET.replace("#top", "#head")
    assert rename("hover", "over") == SHEET.replace(".hover {", ".over {"), "not :hover"
    with pytest.raises(InvalidArgument, match="A class and an id have the name: btn") as caught:
        rename("btn", "go")
    assert caught.value.hint == "say .btn or #btn"
    assert lines_changed(rename("btn", "go", lines=range(2, 3))) == [2, 3]
    assert lines_changed(rename("btn", "go", everywhere=True)) == [2, 3]
    assert "#go" in rename("btn", "go", everywhere=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("spin", "turn", "No class, id or custom property of the file has the name: spin"),
        ("margin", "padding", "No class, id or custom property"),
        ("nav", "div", "No class, id or custom property"),
        (".absent", ".x", "No class, id or custom property"),
        (".btn", "#go", "A rename does not make a class an id: #go"),
        ("--main", ".main", "A rename does not make a custom property a class: .main"),
        (".btn", "--btn", "A rename does not make a class a custom property: --btn"),
        (".card", ".btn", "already used on line 2: btn"),
        ("a.btn", ".x", "Not a name: a.btn"),
        (".btn", ".1x", "Not a name: .1x"),
    ],
)
def test_what_is_uncertain_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        rename(old, new)
    assert message in caught.value.message


def test_the_name_of_an_id_is_free_for_a_class() -> None:
    assert rename(".card", ".top") == SHEET.replace(".card", ".top")
