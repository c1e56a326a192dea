"""Java without what nobody asks for: the same offsets, the same declarations, less to parse."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.code.java.resolver import skeleton

_TEXT = """package a; // { a comment }
/** A class { of braces. */
@Mark(name = "{", all = {1, 2})
public class A<T> {
  int[] table = { 1, 2 };
  Runnable r = new Runnable() { public void run() { hidden(); } };
  static { load("}"); }
  @Mark(name = "x") void plain(int a) throws E { char c = '}'; /* } */ if (a == 1) { b(); } }
  void asked() { word(); }
  enum E { ONE { void m() { n(); } }, TWO; void k() { j(); } }
  record R(int x) { R { check(x); } }
  @interface An { int value() default 1; }
}
class B { B() { this(1); } }
"""


def test_bodies_and_comments_become_blanks_and_declarations_stay() -> None:
    lean, left = skeleton(_TEXT, "word")
    assert len(lean) == len(_TEXT)
    assert lean.count("\n") == _TEXT.count("\n")
    for gone in ("comment", "braces", "load", "char c", "b()", "check", "{ n()", "j()", "this"):
        assert gone not in lean
    for kept in (
        *("package a;", "public class A<T> {", "{ 1, 2 }", "hidden()", "word()", "enum E { ONE {"),
        *("void plain(int a) throws E {", "record R(int x) {", "int value() default 1;", "B() {"),
    ):
        assert lean.index(kept) == _TEXT.index(kept)
    assert left < len(_TEXT) * 0.75


def test_a_body_that_calls_another_constructor_stays_when_a_type_is_asked_for() -> None:
    assert "this(1)" in skeleton(_TEXT, "B")[0]


@settings(max_examples=200)
@given(st.text(alphabet="{}()\"'/*\\\n;=ax class", max_size=60))
def test_any_text_keeps_its_length_and_lines(text: str) -> None:
    lean, left = skeleton(text, "a")
    assert len(lean) == len(text)
    assert lean.count("\n") == text.count("\n")
    assert 0 <= left <= len(text)
