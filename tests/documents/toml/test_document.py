"""TOML edits: tables, arrays of tables, dotted keys, inline tables, dates, long strings."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.documents.base.path import parse_path as p
from redline.documents.toml.document import TomlDocument

SOURCE = '''# top
title = "x" # t
a.b.c = 1

# about the server
[server]
host = 'h'  # host
ports = [ 80, 443 ]
multi = [
  1, # one
  2,
]
inline = { x = 1, y.z = 2 }

[[prod]]
name = "a"
[prod.sub]
q = 1

[[prod]]
name = "b"

[x.y]
d = 1979-05-27 07:32:00
s = """
multi "quoted"
line"""
'''


def document() -> TomlDocument:
    return TomlDocument(SOURCE.encode())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("title", '"x"'),
        ("a.b.c", "1"),
        ("server.ports[-1]", "443"),
        ("server.inline.y.z", "2"),
        ("prod[1].name", '"b"'),
        ("prod[0].sub.q", "1"),
        ("x.y.d", "1979-05-27 07:32:00"),
        ("x.y.s", '"""\nmulti "quoted"\nline"""'),
    ],
)
def test_values_are_read_and_set_wherever_they_stand(path: str, text: str) -> None:
    assert document().get(p(path)).text == text
    after = document().set(p(path), "[true]").after.decode()
    assert after == SOURCE.replace(text, "[true]", 1) or SOURCE.count(text) > 1


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("newtop", "a.b.c = 1\n", "a.b.c = 1\nnewtop = 9\n"),
        ("a.b.d", "a.b.c = 1\n", "a.b.c = 1\na.b.d = 9\n"),
        ("server.n", "y.z = 2 }\n", "y.z = 2 }\nn = 9\n"),
        ("server.inline.k", "y.z = 2 }", "y.z = 2, k = 9 }"),
        ("prod[0].n", 'name = "a"\n', 'name = "a"\nn = 9\n'),
        ("prod[0].sub.n", "q = 1\n", "q = 1\nn = 9\n"),
        ("x.n", "[x.y]\n", "[x]\nn = 9\n\n[x.y]\n"),
    ],
)
def test_a_new_key_lands_in_its_own_table(path: str, old: str, new: str) -> None:
    assert document().set(p(path), "9").after.decode() == SOURCE.replace(old, new, 1)


def test_items_and_tables_are_inserted() -> None:
    ports = document().insert(p("server.ports[0]"), "1").after.decode()
    assert ports == SOURCE.replace("[ 80, 443 ]", "[ 1, 80, 443 ]")
    multi = document().insert(p("server.multi[2]"), "3").after.decode()
    assert multi == SOURCE.replace("  2,\n]", "  2,\n  3,\n]")
    table = document().insert(p("prod[2]"), '{ name = "c" }').after.decode()
    assert '[[prod]]\nname = "b"\n\n[[prod]]\nname = "c"\n\n[x.y]' in table


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ("server.host", "host = 'h'  # host\n"),
        ("server.multi[0]", "  1, # one\n"),
        ("server.ports[0]", "80, "),
        ("server.inline.x", "x = 1, "),
        ("prod[0]", '[[prod]]\nname = "a"\n[prod.sub]\nq = 1\n\n'),
        ("a", "a.b.c = 1\n"),
    ],
)
def test_delete_takes_what_belongs_to_the_entry(path: str, gone: str) -> None:
    assert document().delete(p(path)).after.decode() == SOURCE.replace(gone, "", 1)


@pytest.mark.parametrize(
    ("source", "path", "after"),
    [
        ("# all\na = 1\nb = 2\n", "a", "# all\nb = 2\n"),
        ("[t]\n# all\na = 1 # own\nb = 2\n", "t.a", "[t]\n# all\nb = 2\n"),
        ("# all\r\na = 1\r\nb = 2\r\n", "a", "# all\r\nb = 2\r\n"),
        ("# a's\na = 1\n# b's\nb = 2\n", "a", "# b's\nb = 2\n"),
        ("# a's\na = 1\n\nb = 2\n", "a", "\nb = 2\n"),
        ("# a's\na = 1\n[t]\n", "a", "[t]\n"),
        ("# a's\na = [\n  1,\n]\nb = 2\n", "a", "b = 2\n"),
        ("# a's\na = 1", "a", ""),
    ],
)
def test_a_comment_that_heads_several_entries_stays(source: str, path: str, after: str) -> None:
    assert TomlDocument(source.encode()).delete(p(path)).after.decode() == after


def test_a_comment_of_the_item_before_survives() -> None:
    after = document().delete(p("server.multi[1]")).after.decode()
    assert "  1, # one\n]" in after


@pytest.mark.parametrize("value", ["foo", "1\nb = 2", "[", "1 # c\n2", ""])
def test_a_value_that_is_not_one_value_is_refused(value: str) -> None:
    with pytest.raises(CannotApply):
        document().set(p("title"), value)


def test_a_table_with_lines_of_its_own_is_not_replaced() -> None:
    with pytest.raises(CannotApply, match="table"):
        document().set(p("server"), "1")


def test_what_is_not_there_is_not_found() -> None:
    for path in ("nope", "server.nope", "server.ports[9]", "title.x", "prod.name"):
        with pytest.raises(NodeNotFound):
            document().get(p(path))


def test_a_syntax_error_has_its_place() -> None:
    with pytest.raises(DocumentSyntax) as failure:
        TomlDocument(b"a = 1\nb = = 2\n")
    assert failure.value.line == 2


MANY_LINES = st.text(st.sampled_from("ab \n\n\t\\\"'\r\x00\x7fé#"), max_size=12)


@pytest.mark.requirement("docs-toml-lines")
@given(
    MANY_LINES,
    st.sampled_from(
        ['"""\nold\n"""', '"""old"""', "'''\nold\n'''", "'''old'''", '"old"', "'old'", "''"]
    ),
)
def test_text_of_several_lines_is_read_back_as_it_was_given(value: str, like: str) -> None:
    held = TomlDocument(f"a = 1\ns = {like}  # kept\nb = 2\n".encode())
    after = held.set(p("s"), held.render(value, p("s"))).after
    assert tomllib.loads(after.decode()) == {"a": 1, "s": value, "b": 2}
    assert after.endswith(b"  # kept\nb = 2\n")
    if like[:3] in ('"""', "'''") and set(value) <= set("ab \n") and "\n" in value.lstrip("\n"):
        assert after.startswith(f"a = 1\ns = {like[:3]}".encode())
    if like in ("'old'", "''") and set(value) <= set('ab \t\\"é#'):
        assert f"\ns = '{value}'  # kept" in after.decode()
