"""JSON, JSONC and JSON5: only the value's bytes change."""

from __future__ import annotations

import pytest

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.documents.base.path import parse_path as p
from redline.documents.json.document import JsonDocument

JSONC = b"""// settings
{
  "a": [1, 2, 3], // list
  /* head of b */
  "b": {"c": 1.0}, // tail of b
  "z": "last" // end
}
"""


def put(source: bytes, path: str, value: str, form: str = "json") -> bytes:
    return JsonDocument(source, form).set(p(path), value).after


def test_get_returns_the_source_slice_with_its_place() -> None:
    found = JsonDocument(JSONC, "jsonc").get(p("b.c"))
    assert (found.text, found.line, found.column, found.kind) == ("1.0", 5, 14, "scalar")


def test_comments_everywhere_a_comment_may_stand_are_kept() -> None:
    source = b'/*0*/{/*1*/"a"/*2*/:/*3*/1/*4*/,/*5*/"b"/*6*/:/*7*/[/*8*/1/*9*/,/*10*/]/*11*/}/*12*/'
    assert put(source, "a", "9", "jsonc") == source.replace(b"/*3*/1/*4*/", b"/*3*/9/*4*/")
    assert put(source, "b[0]", "9", "jsonc") == source.replace(b"/*8*/1/*9*/", b"/*8*/9/*9*/")
    assert put(source, "b", "9", "jsonc") == source.replace(b"[/*8*/1/*9*/,/*10*/]", b"9")


def test_numbers_keep_the_spelling_they_were_given() -> None:
    big = "123456789012345678901234567890.1234567890e-5"
    assert put(b'{"a": 1, "b": 1E400}', "a", big) == b'{"a": %b, "b": 1E400}' % big.encode()


def test_a_new_key_takes_the_shape_of_its_siblings() -> None:
    assert put(b'{"a":1}', "b", "2") == b'{"a":1,"b":2}'
    assert put(b'{"a": 1}', "b", "2") == b'{"a": 1, "b": 2}'
    assert put(b"{}", "b", "2") == b'{"b": 2}'
    assert put(b'{\r\n\t"a": 1\r\n}', "b", "2") == b'{\r\n\t"a": 1,\r\n\t"b": 2\r\n}'
    assert put(b"{a: 1,}", "b", "2", "json5") == b"{a: 1, b: 2,}"


def test_a_comment_behind_the_last_member_stays_with_it() -> None:
    done = put(JSONC, "n", "true", "jsonc")
    assert b'"z": "last", // end\n  "n": true\n}\n' in done


def test_parents_are_built_only_on_request() -> None:
    document = JsonDocument(b'{"a": 1}')
    with pytest.raises(CannotApply):
        document.set(p("x.y[0]"), "1")
    assert document.set(p("x.y[0]"), "1", create_parents=True).after == (
        b'{"a": 1, "x": {"y": [1]}}'
    )


def test_delete_takes_the_comma_and_the_members_own_comments() -> None:
    document = JsonDocument(JSONC, "jsonc")
    assert document.delete(p("b")).after == JSONC.replace(
        b'  /* head of b */\n  "b": {"c": 1.0}, // tail of b\n', b""
    )
    assert document.delete(p("z")).after.endswith(b'"b": {"c": 1.0} // tail of b\n}\n')
    assert b'"b": {}' in document.delete(p("b.c")).after
    with pytest.raises(CannotApply):
        document.delete(())


def test_insert_names_a_free_key_or_an_index_up_to_the_length() -> None:
    document = JsonDocument(b'{"a": [1, 2]}')
    assert document.insert(p("a[0]"), "0").after == b'{"a": [0, 1, 2]}'
    assert document.insert(p("a[2]"), "3").after == b'{"a": [1, 2, 3]}'
    assert document.insert(p("b"), "3").after == b'{"a": [1, 2], "b": 3}'
    for path in ("a[3]", "a", "a.x", "q.w"):
        with pytest.raises(CannotApply):
            document.insert(p(path), "1")


def test_duplicate_keys_are_read_as_the_last_and_never_set() -> None:
    document = JsonDocument(b'{"a": 1, "b": 0, "a": 2}')
    found = document.get(p("a"))
    assert found.text == "2"
    assert "2 times" in found.notes[0]
    with pytest.raises(CannotApply):
        document.set(p("a"), "3")
    assert document.set(p("b"), "3").after == b'{"a": 1, "b": 3, "a": 2}'


def test_a_duplicate_spelled_with_escapes_is_found_too() -> None:
    with pytest.raises(CannotApply):
        put(b'{"a": 1, "\\u0061": 2}', "a", "3")


def test_lone_surrogates_elsewhere_stay_as_they_are() -> None:
    assert put(b'{"a": "\\ud800", "b": 1}', "b", "2") == b'{"a": "\\ud800", "b": 2}'


def test_nesting_beyond_the_limit_is_a_structured_error() -> None:
    for deep in (b"[" * 100_000, b"[" * 300 + b"]" * 300, b'{"a":' * 5000):
        with pytest.raises(DocumentSyntax):
            JsonDocument(deep)
    with pytest.raises(CannotApply):
        put(b'{"a": 1}', "a", "[" * 250 + "]" * 250)


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(DocumentSyntax) as failure:
        JsonDocument(b'{\n  "a": 1,\n}')
    assert (failure.value.line, failure.value.column) in {(2, 9), (3, 1)}


@pytest.mark.parametrize("bad", ["{", "1, 2", "nope", '"x', "1 // c\n, 2", ""])
def test_a_value_that_is_not_one_value_is_refused(bad: str) -> None:
    with pytest.raises(CannotApply):
        put(b'{"a": 1}', "a", bad)


@pytest.mark.parametrize("path", ["nope", "a.b", "a[0]", "l[5]", "l.x", "l[-4]"])
def test_what_is_not_there_is_not_found(path: str) -> None:
    with pytest.raises(NodeNotFound):
        JsonDocument(b'{"a": 1, "l": [1, 2, 3]}').get(p(path))


def test_a_dotted_key_is_named_in_its_quoted_form() -> None:
    with pytest.raises(NodeNotFound) as failure:
        JsonDocument(b'{"m": {"a.b": 1}}').get(p("m.a.b"))
    assert 'm["a.b"]' in str(failure.value.hint)


@pytest.mark.parametrize("comma", [b"[,]", b"[1,,]", b"{,}", b'{"a":,}'])
def test_only_a_real_trailing_comma_is_forgiven(comma: bytes) -> None:
    with pytest.raises(DocumentSyntax):
        JsonDocument(comma, "jsonc")
    assert JsonDocument(b"[1, /* x */ ]", "jsonc").data() == [1]


def test_a_name_used_elsewhere_too_is_still_found_where_it_belongs() -> None:
    source = (
        b'{"rows": [{"name": "na\\"me"}, {"n": "name"}], "name": "\\u006eame", "z": {"name": 1}}'
    )
    assert put(source, "name", "2") == source.replace(b'"\\u006eame"', b"2")
    assert put(source, "rows[0].name", "2") == source.replace(b'"na\\"me"', b"2")
    assert put(source, "z.name", "2") == source.replace(b'{"name": 1}', b'{"name": 2}')
    assert put(b'{"a": {"b": 1}, "b": "\\/"}', "b", "2") == b'{"a": {"b": 1}, "b": 2}'
