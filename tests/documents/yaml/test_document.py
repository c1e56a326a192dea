"""YAML edits whose shape matters: entries added, taken out, moved into and out of blocks."""

from __future__ import annotations

import json

import pytest
import yaml

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.documents.base.path import parse_path as p
from redline.documents.editing import DocEdit, Options, apply_edits
from redline.documents.yaml import strict
from redline.documents.yaml.edit.document import YamlDocument


def put(source: str, path: str, value: str) -> str:
    return YamlDocument(source.encode()).set(p(path), value).after.decode()


def insert(source: str, path: str, value: str) -> str:
    return YamlDocument(source.encode()).insert(p(path), value).after.decode()


def delete(source: str, path: str) -> str:
    return YamlDocument(source.encode()).delete(p(path)).after.decode()


@pytest.mark.parametrize(
    ("source", "path", "value", "after"),
    [
        ("a:\n- 1\n", "a[1]", "2", "a:\n- 1\n- 2\n"),
        ("a:\n  - 1 # one\n\nb: 1\n", "a[1]", "2", "a:\n  - 1 # one\n  - 2\n\nb: 1\n"),
        ("a: [1]\n", "a[1]", "x: 1", "a: [1, {x: 1}]\n"),
        ("a: [\n  1,\n  2,\n ]\n", "a[2]", "3", "a: [\n  1,\n  2,\n  3,\n ]\n"),
        ("a: []\n", "a[0]", "1", "a: [1]\n"),
        ("- a\n- b\n", "[1]", "k: v\nl: w", "- a\n- k: v\n  l: w\n- b\n"),
        ("- - a\n  - b\n", "[0][0]", "z", "- - z\n  - a\n  - b\n"),
        ("- x: 1\n", "[0].y", "[2]", "- x: 1\n  y: [2]\n"),
        ("a: |+\n  text\n\n\n", "b", "1", "a: |+\n  text\n\n\nb: 1\n"),
        ("a: 1", "b", "2", "a: 1\nb: 2"),
        ("a: 1\n---\nb: 2\n", "c", "3", "a: 1\nc: 3\n---\nb: 2\n"),
    ],
)
def test_what_is_inserted_takes_the_shape_of_its_siblings(
    source: str, path: str, value: str, after: str
) -> None:
    assert insert(source, path, value) == after


@pytest.mark.parametrize(
    ("source", "path", "after"),
    [
        ("a: 1\nb: 2\n", "b", "a: 1\n"),
        ("a: 1\nb: 2", "b", "a: 1"),
        ("a: 1\n# b's\n# own\nb: 2 # too\n\n# c's\nc: 3\n", "b", "a: 1\n\n# c's\nc: 3\n"),
        ("a:\n  x: 1\n  y: 2\n", "a.x", "a:\n  y: 2\n"),
        ("- a: 1\n  b: 2\n", "[0].a", "- b: 2\n"),
        ("- - a\n  - b\n- c\n", "[0][0]", "- - b\n- c\n"),
        ("a: {x: 1, y: 2}\n", "a.x", "a: {y: 2}\n"),
        ("a: {x: 1, y: 2}\n", "a.y", "a: {x: 1}\n"),
        ("a: [1]\n", "a[0]", "a: []\n"),
        ("a: !t [1]\n", "a[0]", "a: !t []\n"),
        ("a: !t # c\n  b: 1\n", "a.b", "a: !t {} # c\n"),
        ("a:\n  # kept\n  only: 1\nz: 1\n", "a.only", "a: {}\n  # kept\nz: 1\n"),
        ("a:\n- 1\n", "a[0]", "a: []\n"),
        ("? k\n: v\nz: 1\n", "k", "z: 1\n"),
        ("a: |\n  x\n\n  y\nb: 1\n", "a", "b: 1\n"),
        ("a: 1\r\nb: 2\r\n", "a", "b: 2\r\n"),
        ("# all\na: 1\nb: 2\n", "a", "# all\nb: 2\n"),
        ("# all\r\na: 1 # own\r\nb: 2\r\n", "a", "# all\r\nb: 2\r\n"),
        ("x:\n  # all\n  - 1\n  - 2\n", "x[0]", "x:\n  # all\n  - 2\n"),
        ("# a's\na: 1\n# b's\nb: 2\n", "a", "# b's\nb: 2\n"),
        ("# a's\na: 1\n\nb: 2\n", "a", "\nb: 2\n"),
        ("# a's\na:\n  x: 1\nb: 2\n", "a", "b: 2\n"),
        ("a: |+\n  x\n\n\nb: 1\n", "a", "b: 1\n"),
    ],
)
def test_delete_takes_the_entry_and_its_own_comments(source: str, path: str, after: str) -> None:
    assert delete(source, path) == after


@pytest.mark.parametrize(
    ("source", "path", "value", "after"),
    [
        ("a:\n  b:\n    c: 1\n", "a.b", "- 1\n- 2", "a:\n  b:\n    - 1\n    - 2\n"),
        ("a:\n- x\n- y\n", "a", "k: v", "a:\n  k: v\n"),
        ("a: |-  # why\n  old\nb: 1\n", "a", "new", "a: new  # why\nb: 1\n"),
        ("a: |-  # why\n  old\nb: 1\n", "a", ">\n  n\n", "a: >  # why\n  n\nb: 1\n"),
        ("a:\n    b: 1\n    c: 2\n", "a.b", "x: 1", "a:\n    b:\n        x: 1\n    c: 2\n"),
        ("- 1 # c\n- 2\n", "[0]", "k: v\nl: w", "- # c\n  k: v\n  l: w\n- 2\n"),
        ("a: 'one\n  two' # c\n", "a", "3", "a: 3 # c\n"),
        ("a:\n  plain\n  more\nb: 1\n", "a", "[x]", "a:\n  [x]\nb: 1\n"),
        ("--- old\n", "", "a: 1", "---\na: 1\n"),
        ("---\n# c\nold: 1\n", "", "[1]", "---\n# c\n[1]\n"),
        ("a: [{b: 1}, 2]\n", "a[0].b", "|\n  x\n  y\n", 'a: [{b: "x\\ny\\n"}, 2]\n'),
        ("a: {b, c: 1}\n", "a.b", "2", "a: {b: 2, c: 1}\n"),
        ("? a\n? b\n", "a", "1", "? a\n: 1\n? b\n"),
        ("a: &x\n  k: 1\nb: *x\n", "a", "k: 2", "a: &x\n  k: 2\nb: *x\n"),
        ("a: !!map\n  k: 1\n", "a", "5", "a: 5\n"),
        ("a: 1\nb: 2\n", "a", "|+\n  x\n\n\n", "a: |+\n  x\n\n\nb: 2\n"),
        ("k: # c\n- a\n- b # d\nz: 1\n", "k", "|\n  x\n", "k: | # c\n  x\nz: 1\n"),
        ("k:\n  old # c\nz: 1\n", "k", "|\n  x\n", "k: | # c\n  x\nz: 1\n"),
        ("k: [a] # c\nz: 1\n", "k", ">-\n  x\n", "k: >- # c\n  x\nz: 1\n"),
        ("k: |+\n  x\n\n\nb: 1\n", "k", "1", "k: 1\nb: 1\n"),
        ("k: |+\n  x\n\n\nb: 1\n", "k", "|+\n  y\n\n", "k: |+\n  y\n\nb: 1\n"),
        ("'it''s': 1\n\"q\\\"\": 2\n", '["it\'s"]', "3", "'it''s': 3\n\"q\\\"\": 2\n"),
    ],
)
def test_values_change_their_form_where_they_stand(
    source: str, path: str, value: str, after: str
) -> None:
    assert put(source, path, value) == after


@pytest.mark.parametrize(
    ("source", "path", "value"),
    [
        ("a: {b: &x 1}\nc: *x\n", "a", "2"),
        ("a: &x 1\nb: *x\nc: *x\n", "b", "&x 2"),
        ("a: 1\n", "a", "*gone"),
        ("a: 1\n", "a", "--- 2"),
        ("a: 1\n", "a", "%TAG ! x"),
    ],
)
def test_what_would_break_or_mean_something_else_is_refused(
    source: str, path: str, value: str
) -> None:
    with pytest.raises((CannotApply, NodeNotFound)):
        put(source, path, value)


def test_deleting_an_anchor_in_use_is_refused() -> None:
    with pytest.raises(CannotApply, match="alias"):
        delete("a: &x 1\nb: *x\n", "a")


def test_a_missing_key_is_answered_with_the_keys_there_are() -> None:
    with pytest.raises(NodeNotFound) as failure:
        YamlDocument(b"server:\n  host: a\n  port: 1\n").get(p("server.prot"))
    assert "port" in str(failure.value.hint)


def test_text_that_looks_like_structure_is_left_alone() -> None:
    source = "run: |\n  key: value\n  - item\n  # no comment\nkey: 1\nfold: >\n  key: 3\n"
    assert put(source, "key", "2") == source.replace("key: 1", "key: 2")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a: |+\n  x\n\n\nb: 1\n", "|+\n  x\n\n\n"),
        ("a: >+\n  x\n\n# c\n", ">+\n  x\n\n"),
        ("a: |+\r\n  x\r\n\r\n", "|+\r\n  x\r\n\r\n"),
        ("a: |\n  x\n\n\nb: 1\n", "|\n  x"),
    ],
)
def test_a_value_that_keeps_its_blank_lines_is_read_with_them(source: str, text: str) -> None:
    document = YamlDocument(source.encode())
    assert document.get(("a",)).text == text
    assert put(source, "a", text) == source


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "value", ["@daily", "`x`", "}", "]", "&", "!!", "%x", "a\x01b", "\x7f", "a\tb", "&a.b 1", "|x"]
)
def test_a_value_that_not_every_parser_reads_is_refused_with_its_quoted_form(value: str) -> None:
    with pytest.raises(CannotApply) as refusal:
        put("schedule: x\n", "schedule", value)
    hint = str(refusal.value.hint)
    quoted = hint.removeprefix("to write it as text, quote it: ")
    assert yaml.safe_load(put("schedule: x\n", "schedule", quoted)) == {"schedule": value}


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "value",
    [
        *("!!int x", "!!int 1.5", "!!int [1]", "!!int", "!!str [1]", "!!bool yes", "!!float x"),
        *("!!seq {a: 1}", "!!map [1]", "!<tag:yaml.org,2002:int> x", "[!!int x]"),
        *("{[1]: 2}", "? - x", "? {a: 1}\n: 2", "<<: 1", "<<:", "a:\n  <<: x"),
    ],
)
def test_a_value_that_others_parse_but_cannot_build_is_refused(value: str) -> None:
    with pytest.raises(CannotApply):
        put("k: x\n", "k", value)


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "value", ["!!int 5", "!!int '5'", "!!float .5", "!!str", "!!bool true", "!!seq [1]", "!t [1]"]
)
def test_a_tag_that_goes_with_its_value_is_written(value: str) -> None:
    assert put("k: x\n", "k", value) == f"k: {value}\n"


@pytest.mark.requirement("yaml-tag")
@pytest.mark.parametrize("value", ["42", "[1, two]", "!b 42", "|\n  one\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_tag_means_what_the_directives_of_its_document_say(value: str, end: str) -> None:
    head = "%TAG ! tag:example.com,2000:\n# tags\n---\n"
    source = f"%TAG ! tag:other.com,2000:\n---\nk: !a x\n...\n{head}k: !a x\n"
    document = YamlDocument(source.replace("\n", end).encode(), 1)
    tagged = value if value.startswith("!") else f"!a {value}"
    wanted = source.removesuffix("!a x\n") + tagged.removesuffix("\n") + "\n"
    assert document.set(("k",), value).after.decode() == wanted.replace("\n", end)


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize("source", ["k: x", "a: 1\r\nk: x", "[k: x]"])
def test_a_block_that_ends_a_file_without_line_break_brings_its_own(source: str) -> None:
    path = (0, "k") if source[0] == "[" else ("k",)
    after = YamlDocument(source.encode()).set(path, "|\n  t\n").after.decode()
    found = yaml.safe_load(after)
    assert (found[0] if path[0] == 0 else found)["k"] == "t\n"
    stripped = YamlDocument(source.encode()).set(path, "|-\n  t\n").after.decode()
    assert not stripped.endswith("\n")


@pytest.mark.requirement("docs-yaml-others-read")
def test_kept_line_breaks_alone_are_counted_in_a_flow_collection() -> None:
    with pytest.raises(CannotApply):  # the strict parser reads one line break, others none
        put("k: [x]\n", "k[0]", "|+\n")
    for breaks in (1, 2):
        value = "|+\n" + "\n" * breaks
        assert yaml.safe_load(put("k: [x]\n", "k[0]", value)) == {"k": ["\n" * breaks]}


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "source",
    [
        "[a: {b: 1, c: 2}]",
        "x: [z, 'a': {b, c}, d: {e: 1, f: {g: 1, h: 2}}]\ny: 1\n",
        "- [a: &x {b: 1, c: [1, d: {e: 1, f: 2}]}, *x]\n",
        "\ufeffx: [a: !!map {b: 1,\n  c: 2}]\ny: |\n  [a: {b: 1, c: 2}]\n",
        "x: [{a: 1, b: }, {c, d}]\n",
    ],
)
def test_a_single_pair_in_a_flow_sequence_is_read_as_others_read_it(source: str) -> None:
    (found,) = strict.parse(source.replace("*x", "x").replace("!!map ", "").encode())
    assert found == yaml.safe_load(source.replace("*x", "x"))


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "value",
    ["@daily", "`x`", "}", "]", "&", "!!", "%x", "a\x01b", "\x7f", "a\tb", "yes", "1", "é\u2028"],
)
def test_text_given_as_json_is_quoted_where_it_must_be(value: str) -> None:
    edit = DocEdit("set", ("schedule",), json.dumps(value), as_json=True)
    done = apply_edits("a.yaml", b"schedule: x\n", [edit], Options())
    assert yaml.safe_load(done.after) == {"schedule": value}


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "source",
    [
        "s: @daily\n",
        "s: `x`\n",
        "s: }\n",
        "s: &\n",
        "s: !!\n",
        "s: a\x01b\n",
        "s: *gone\n",
        "s: \0\n",
    ],
)
def test_a_file_that_no_parser_reads_is_refused(source: str) -> None:
    with pytest.raises(DocumentSyntax):
        YamlDocument(source.encode())


@pytest.mark.requirement("docs-yaml-others-read")
@pytest.mark.parametrize(
    "source",
    [
        "if: x != y && !z\nk: 1\n",
        "a: [\n  1,\n  2\n]\nb: {\n  c: 1\n}\nk: 1\n",
        "a:\n  - b:\n      c: 1\n# at column 0\nk: 1\n",
        "".join(f"a{n}: &a{n} {n}\n" for n in range(300)) + "k: 1\n",
        "a: [&x 1, &y 2, &z 3, *x, *y, *z]\nk: 1\n",
        "a:\tb\nk: 1\n",
        "3.10: x\n1.0: y\ntrue: z\nk: 1\n",
    ],
)
def test_what_the_world_writes_is_edited(source: str) -> None:
    assert put(source, "k", "2") == source[: -len("1\n")] + "2\n"
