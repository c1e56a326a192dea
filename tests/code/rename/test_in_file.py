"""Renames touch every reference in the file and nothing in strings or comments."""

from __future__ import annotations

import pytest

from redline.code.rename.in_file import apply_replacements, plan_rename
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import BY_NAME
from redline.core.errors import InvalidArgument


def _renamed(language: str, text: str, old: str, new: str) -> str:
    return apply_replacements(text, plan_rename(parse(text, BY_NAME[language]), old, new))


def test_strings_and_comments_stay_and_interpolations_change() -> None:
    before = (
        "def total(xs):  # total of xs\n"
        '    "total"\n'
        "    return sum(xs)\n"
        "print(f'total {total([1])}', total)\n"
    )
    after = (
        "def count(xs):  # total of xs\n"
        '    "total"\n'
        "    return sum(xs)\n"
        "print(f'total {count([1])}', count)\n"
    )
    assert _renamed("python", before, "total", "count") == after


def test_a_function_is_renamed_without_the_members_and_labels_of_the_same_name() -> None:
    before = "def name(): pass\nself.name = call(name=name())\n"
    after = "def title(): pass\nself.name = call(name=title())\n"
    assert _renamed("python", before, "name", "title") == after


def test_a_method_is_renamed_at_its_definition_and_every_access() -> None:
    before = "class A:\n    def run(self): self.run()\n\nrun = 1\nA().run()\n"
    after = "class A:\n    def go(self): self.go()\n\nrun = 1\nA().go()\n"
    assert _renamed("python", before, "A.run", "go") == after


def test_a_member_that_several_types_have_is_renamed_by_its_qualified_name_only() -> None:
    text = "class A:\n    def run(self): pass\nclass B:\n    def run(self): self.run()\n"
    after = "class A:\n    def go(self): pass\nclass B:\n    def run(self): self.run()\n"
    assert _renamed("python", text, "A.run", "go") == after
    with pytest.raises(InvalidArgument, match="several things"):
        _renamed("python", text, "run", "go")


def test_a_shorthand_property_keeps_its_key() -> None:
    before = "const size = 1;\nconst box = { size, b: `${size}` };\nbox.size;\n"
    after = "const width = 1;\nconst box = { size: width, b: `${width}` };\nbox.size;\n"
    assert _renamed("typescript", before, "size", "width") == after


def test_a_rust_field_shorthand_keeps_its_field() -> None:
    before = "fn f(a: i32) -> S { let b = a; S { a } }\n"
    after = "fn f(c: i32) -> S { let b = c; S { a: c } }\n"
    assert _renamed("rust", before, "a", "c") == after


def test_a_java_field_is_renamed_with_and_without_this() -> None:
    before = "class A { int n; int f() { return n + this.n; } }\nclass B { int m(int n) { } }\n"
    after = "class A { int z; int f() { return z + this.z; } }\nclass B { int m(int n) { } }\n"
    assert _renamed("java", before, "n", "z") == after


def test_a_return_annotation_is_a_reference() -> None:
    before = "class A: pass\ndef f() -> A: return A()\ndef g() ->A | None: ...\n"
    after = "class B: pass\ndef f() -> B: return B()\ndef g() ->B | None: ...\n"
    assert _renamed("python", before, "A", "B") == after


def test_rust_paths_to_this_module_are_references_and_members_of_types_are_not() -> None:
    before = "fn new() {}\nfn f() -> S { self::new(); S::new(); new() }\n"
    after = "fn make() {}\nfn f() -> S { self::make(); S::new(); make() }\n"
    assert _renamed("rust", before, "new", "make") == after


def test_an_arrow_reaches_a_member_in_c() -> None:
    before = "int size;\nint f(struct s *p) { return p->size + p -> size + size; }\n"
    after = "int width;\nint f(struct s *p) { return p->size + p -> size + width; }\n"
    assert _renamed("c", before, "size", "width") == after


def test_offsets_count_characters_not_bytes() -> None:
    assert _renamed("python", "é = 'ünï'\nabc = é\n", "é", "x") == "x = 'ünï'\nabc = x\n"


def test_a_taken_name_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="already used on line 2"):
        _renamed("python", "a = 1\nb = a\n", "a", "b")


def test_a_name_only_in_a_string_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="does not use the name"):
        _renamed("python", "x = 'foo'  # foo\n", "foo", "bar")


def test_text_that_is_no_name_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="Not a name"):
        _renamed("python", "a = 1\n", "a", "b c")


@pytest.mark.parametrize(
    ("language", "text"), [("python", "a = 1\n"), ("javascript", "let a = 1;\n")]
)
def test_a_keyword_is_refused_as_a_new_name(language: str, text: str) -> None:
    with pytest.raises(InvalidArgument, match=f"a keyword of {language}: for"):
        _renamed(language, text, "a", "for")


def test_a_member_of_a_script_takes_a_keyword_as_its_name() -> None:
    text = "class A {\n  b() {}\n  c() { this.b(); }\n}\n"
    assert _renamed("javascript", text, "A.b", "delete") == text.replace("b()", "delete()")
