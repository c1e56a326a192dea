"""Half-typed Java is read without complaint."""

from __future__ import annotations

import re

from redline.code.java.resolver import JavaResolver
from redline.code.syntax.definitions import parse, symbols_of
from redline.code.syntax.languages import language_of
from tests.code.java.samples import Sample, path_of

_WHOLE = """package a;
import static a.B.*;
import java.util.List;
@Mark(name = 1)
class A<T extends List<name>> extends B implements C {
  int name = 1, other[];
  A(int name) { super(name); this.name = name; }
  <U> U name(List<? super name> p, int... name) throws name {
    for (var name : p) { name.name(); }
    foo(x -> x.name(), A::name, name::new).name(1, name);
    if (p instanceof name it && it.name) { new A<>(1) { void name() {} }.name(); }
    switch (name) { case name: break; default: outer.new name(); }
    try (name r = name) { } catch (name | B e) { return (name) name[0]; }
    name: while (true) break name;
    return A.this.name ? a.b.name.name() : A.super.name();
  }
  enum name { name(1) { }, other; }
  record R(int name) { R { name(); } }
}
"""


_OTHER = "package a; class B { int name; Object name(int n) { } class name { name(int n) { } } }"


def _found(text: str) -> int:
    """How many lines of a file may refer to one of the names of another."""
    sample = Sample({"a/A.java": text, "a/B.java": _OTHER})
    referring = JavaResolver("name", sample.reading())
    spots = [found.start() for found in re.finditer("name", _OTHER)]
    targets = [referring.target(path_of("a/B.java"), spot) for spot in spots]
    found = referring.in_file(path_of("a/A.java"), [t for t in targets if t is not None])
    assert None not in targets
    assert found is not None
    return len(found)


def test_a_file_that_is_cut_short_or_has_a_hole_never_raises() -> None:
    counts = [_found(_WHOLE[:at]) for at in range(0, len(_WHOLE), 5)]
    counts += [_found(_WHOLE[:at] + _WHOLE[at + 9 :]) for at in range(0, len(_WHOLE), 5)]
    assert max(counts) > 3


def test_every_definition_of_a_file_is_a_target() -> None:
    language = language_of("A.java")
    assert language is not None
    sample = Sample({"a/A.java": _WHOLE})
    for symbol in symbols_of(parse(_WHOLE, language)):
        referring = JavaResolver(symbol.name, sample.reading())
        assert referring.target(path_of("a/A.java"), symbol.offset) is not None
