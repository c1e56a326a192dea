"""What counts as a definition, and by which name, where the syntax tree alone does not say."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.code.syntax.c_preprocessor import resolve_conditionals
from redline.code.syntax.definitions import parse, qualified_matches, symbols_of
from redline.code.syntax.languages import BY_NAME


def _found(language: str, text: str) -> list[tuple[str, str, int]]:
    symbols = symbols_of(parse(text, BY_NAME[language]))
    return [(symbol.kind, symbol.name, symbol.line) for symbol in symbols]


def test_what_a_module_requires_is_an_alias_and_what_it_takes_apart_is_named() -> None:
    text = (
        "const fs = require('fs');\n"
        "const { join, sep: slash = '/' } = require('path').posix;\n"
        "const { a, ...rest } = options, [b, [c]] = list;\n"
    )
    assert _found("javascript", text) == [
        ("alias", "fs", 1),
        ("alias", "join", 2),
        ("alias", "slash", 2),
        ("constant", "a", 3),
        ("constant", "rest", 3),
        ("constant", "b", 3),
        ("constant", "c", 3),
    ]


def test_a_value_that_is_made_to_be_exported_is_a_definition() -> None:
    text = (
        "exports.limit = 10;\n"
        "module.exports.names = ['a'];\n"
        "const shop = 1;\n"
        "exports.shop = shop;\n"
        "function f() { exports.late = 2; }\n"
    )
    assert _found("javascript", text) == [
        ("variable", "limit", 1),
        ("variable", "names", 2),
        ("constant", "shop", 3),
        ("function", "f", 5),
    ]


def test_an_exported_class_or_function_goes_by_its_own_name() -> None:
    assert _found("javascript", "module.exports = class Shop { open() {} };\n") == [
        ("class", "Shop", 1),
        ("method", "open", 1),
    ]
    assert _found("javascript", "module.exports = function open() {};\n") == [
        ("function", "open", 1)
    ]
    assert _found("javascript", "module.exports = function () {};\n") == []


def test_var_in_a_block_is_the_modules_and_const_is_not() -> None:
    text = (
        "try { var fs = require('fs') } catch (e) { let hidden = e }\n"
        "if (fs) { var ready = 1; const once = 2 }\n"
        "for (var i = 0; i < 3; i++) { var last = i }\n"
        "function f() { if (fs) { var inner = 1 } }\n"
    )
    assert [name for _, name, _ in _found("javascript", text)] == ["fs", "ready", "last", "f"]


def test_types_of_jsdoc_are_definitions_and_imported_ones_are_aliases() -> None:
    text = (
        '/** @typedef {import("./shop").Item} Item */\n'
        "/**\n"
        " * @typedef {{ a: { b: string } }} Options\n"
        " * @callback Done\n"
        " */\n"
        "// @typedef {object} NotDocumented\n"
    )
    assert _found("javascript", text) == [
        ("alias", "Item", 1),
        ("type", "Options", 3),
        ("type", "Done", 4),
    ]


def test_methods_of_nameless_java_classes_are_no_definitions() -> None:
    text = (
        "class A {\n"
        "  Runnable r = new Runnable() { int n; public void run() {} };\n"
        "  void f() { new Thread(null); }\n"
        "}\n"
    )
    assert [name for _, name, _ in _found("java", text)] == ["A", "r", "f"]


def test_fields_of_a_class_inside_a_function_are_definitions_and_locals_are_not() -> None:
    text = "def f():\n    local = 1\n    class A:\n        field = 2\n"
    assert [name for _, name, _ in _found("python", text)] == ["f", "A", "field"]


def test_a_discarded_go_value_has_no_name() -> None:
    assert _found("go", "package p\nvar _ I = (*T)(nil)\nvar a, _ = f()\n") == [
        ("variable", "a", 3)
    ]


def test_c_declarations_are_found_behind_macros() -> None:
    text = (
        "LIB_API int (lib_equal)(int a);\n"
        "LIB_API void (*Lib_Call)(int a) LIB_ATTR;\n"
        "typedef BOOL (WINAPI *callback_t)(int);\n"
        "struct request {\n"
        "  COMMON_FIELDS\n"
        "  int size;\n"
        "  PRIVATE_FIELDS\n"
        "};\n"
        "enum option {\n"
        "  OPT(FIRST, TYPE_LONG, 1),\n"
        "  OPT(SECOND, TYPE_LONG, 2),\n"
        "  LAST\n"
        "};\n"
    )
    assert [name for _, name, _ in _found("c", text)] == [
        *("lib_equal", "Lib_Call", "callback_t", "request", "size"),
        *("option", "FIRST", "SECOND", "LAST"),
    ]


def test_blocks_that_conditions_cut_in_half_do_not_turn_locals_into_globals() -> None:
    text = (
        "int f(int a) {\n"
        "#ifdef FAST\n"
        "  if (a) {\n"
        "#else\n"
        "  if (!a) {\n"
        "#endif\n"
        "    int local;\n"
        "  }\n"
        "  int other;\n"
        "}\n"
        "int global;\n"
    )
    assert [name for _, name, _ in _found("c", text)] == ["f", "global"]


def test_fields_of_both_branches_of_a_condition_are_kept() -> None:
    text = "struct s {\n#if A\n  int a;\n#else\n  long b;\n#endif\n};\n"
    assert [name for _, name, _ in _found("c", text)] == ["s", "a", "b"]


_PIECES = st.sampled_from(
    [
        *("#if A\n", "#else\n", "#endif\n", "{\n", "}\n", "API_MACRO int f(void)", " ATTR_X;\n"),
        *('"{"', "/* { */", "  FIELDS_OF\n", "OPT(A, B),\n", "é\n", "\r\n", "typedef B (CALL *x)"),
    ]
)


@settings(max_examples=200)
@given(st.lists(_PIECES, max_size=30))
def test_blanking_keeps_every_offset_and_every_line(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain = resolve_conditionals(text)
    assert len(plain) == len(text)
    kept = [(old, new) for old, new in zip(text, plain, strict=True) if old != new]
    assert all(new == " " and old != "\n" for old, new in kept)


def test_the_definitions_a_name_may_mean_are_found_without_the_others() -> None:
    text = (
        "class A:\n    def f(self):\n        def g(): ...\n\n\nclass B:\n    f = 1\n\n\n"
        "def f(): ...\n\n\ndef ff(): ...\n"
    )
    parsed = parse(text, BY_NAME["python"])
    everything = symbols_of(parsed)
    for wanted in ("f", "A.f", "B.f", "ff", "A", "g", "nope", "A::f"):
        expected = [s for s in everything if qualified_matches(s, wanted)]
        assert symbols_of(parsed, wanted) == expected, wanted
    assert symbols_of(parsed, "f")
