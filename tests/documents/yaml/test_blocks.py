"""Plain values written as blocks: every parser reads the value, and people like the look of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from redline.core.errors import CannotApply
from redline.documents.yaml.edit.document import YamlDocument

_TEXTS = st.text(max_size=8) | st.sampled_from(
    [
        "on",
        "No",
        "~",
        "null",
        "8080",
        "1.5",
        "a: b",
        "- x",
        "# c",
        " x ",
        "a\nb\n",
        "",
        "é",
        "|",
        "&a",
    ]
)
_SCALARS = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | _TEXTS
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)
_FILES = {
    "block": b"a: 1\nb:\n    c:\n    - 2\n    d: 3\ne: 4\n",
    "crlf": b"a: 1\r\nb:\r\n  c: 5\r\n",
    "flow": b"{a: 1, b: {c: [2, 3]}}\n",
}


@pytest.mark.requirement("docs-yaml-blocks")
@pytest.mark.parametrize("name", _FILES)
@given(value=_VALUES)
def test_a_value_is_read_back_by_every_parser(name: str, value: Any) -> None:
    document = YamlDocument(_FILES[name])
    for path in (("b", "c"), ("new",), ("a",)):
        try:
            after = document.set(path, document.render(value)).after
        except CannotApply:
            assert any(ord(char) >= 0xD800 for char in repr(value)), "only what YAML cannot hold"
            continue
        expected = yaml.safe_load(_FILES[name])
        at = expected[path[0]] if len(path) > 1 else expected
        at[path[-1]] = value
        assert YamlDocument(after).data() == expected
        assert yaml.safe_load(after) == expected


@pytest.mark.requirement("docs-yaml-blocks")
def test_collections_are_blocks_indented_as_the_file_is() -> None:
    value = {"name": "web", "ports": [{"port": 80, "tags": ["a", "b"]}, 81], "env": {}}
    document = YamlDocument(b"list:\n    - key: 1\n      more: 2\n")
    assert document.insert(("list", 1), document.render(value)).after == (
        b"list:\n    - key: 1\n      more: 2\n"
        b"    - name: web\n      ports:\n          - port: 80\n            tags:\n"
        b"                - a\n                - b\n          - 81\n      env: {}\n"
    )


@pytest.mark.requirement("docs-yaml-blocks")
def test_inside_a_flow_collection_they_stay_on_its_line() -> None:
    document = YamlDocument(b"a: [1]  # few\n")
    after = document.insert(("a", 1), document.render({"k": {"z": [1, {}]}})).after
    assert after == b"a: [1, {k: {z: [1, {}]}}]  # few\n"


def test_a_value_that_nests_too_deeply_is_refused() -> None:
    value: Any = 1
    for _ in range(700):
        value = [value]
    document = YamlDocument(b"a: 1\n")
    with pytest.raises(CannotApply, match="nested"):
        document.set(("a",), document.render(value))


_BLOCKS = {
    "last": b"a: 1\nb: |\n  one\n  two\n",
    "last without a line end": b"a: 1\nb: |\n  one\n  two",
    "deep": b"top:\n    b: |-\n        one\n        two\n    c: 3\n",
    "in a list": b"list:\n- a\n- |\n  one\n- c\n",
    "folded": b"b: >\n  one\n  two\nc: 3\n",
    "commented": b"b: |  # why\n  one\n\n# about c\nc: 3\n",
    "crlf": b"b: |\r\n  one\r\n  two\r\nc: 3\r\n",
    "kept": b"b: |+\n  one\n\n\nc: 3\n",
    "in a document of several": b"---\nb: |\n  one\n...\n---\nc: 3\n",
}
_PATHS: dict[str, tuple[str | int, ...]] = {"deep": ("top", "b"), "in a list": ("list", 1)}
_LINES = st.lists(
    st.text("ab:#-|>'\"\\ \t&*!%@`{}[],?é\u2028\x85\r", max_size=6)
    | st.sampled_from(["---", "..."]),
    min_size=1,
    max_size=5,
)


def _set(name: str, value: str) -> tuple[bytes, Any, Any]:
    """The file after the text was set, what it holds by Redline's reader, and by another."""
    document, path = YamlDocument(_BLOCKS[name]), _PATHS.get(name, ("b",))
    after = document.set(path, document.render(value, path)).after
    own, other = YamlDocument(after).data(), next(iter(yaml.safe_load_all(after)))
    for segment in path:
        own, other = own[segment], other[segment]
    return after, own, other


@pytest.mark.requirement("docs-yaml-blocks")
@pytest.mark.parametrize("name", _BLOCKS)
@given(lines=_LINES, end=st.sampled_from(["", "\n", "\n\n"]))
def test_text_for_a_block_is_read_back_by_every_parser(
    name: str, lines: list[str], end: str
) -> None:
    value = "\n".join(lines) + end
    _, own, other = _set(name, value)
    assert own == value
    assert other == value


@pytest.mark.requirement("docs-yaml-blocks")
@pytest.mark.parametrize("name", _BLOCKS)
@pytest.mark.parametrize(("value", "head"), [("x\n\n  y: z\n", b"|"), ("x\ny # z", b"|-")])
def test_text_of_several_lines_stays_a_block(name: str, value: str, head: bytes) -> None:
    after, own, other = _set(name, value)
    assert own == other == value
    assert re.search(rb" %b(?:  # why)?\r?\n" % re.escape(head), after)
    assert b'"' not in after


@pytest.mark.requirement("docs-yaml-blocks")
@pytest.mark.parametrize(
    ("source", "path", "after"),
    [
        ("a: x\n", ("a",), "a: |\n  1\n  2\n"),
        ("a: x\n", ("b",), "a: x\nb: |\n  1\n  2\n"),
        ("a:\n  b: 'x'  # why\n", ("a", "b"), "a:\n  b: |  # why\n    1\n    2\n"),
        ("a: [x]\n", ("a", 0), 'a: ["1\\n2\\n"]\n'),
        ('a: "x\\ny"\n', ("a",), 'a: "1\\n2\\n"\n'),
    ],
)
def test_text_of_several_lines_is_a_block_where_one_can_be(
    source: str, path: tuple[Any, ...], after: str
) -> None:
    document = YamlDocument(source.encode())
    done = document.set(path, document.render("1\n2\n", path))
    assert done.after.decode() == after


@pytest.mark.requirement("docs-yaml-blocks")
def test_texts_of_several_lines_inside_a_value_are_blocks() -> None:
    document = YamlDocument(b"jobs: {}\nlast: 1\n")
    value = {"run": "a\n\nb\n", "steps": [{"run": "c\nd"}, "e\nf\n"]}
    after = document.set(("more",), document.render(value, ("more",))).after.decode()
    assert yaml.safe_load(after)["more"] == value
    assert "  run: |\n    a\n\n    b\n" in after
    flow = document.set(("jobs", "x"), document.render(value, ("jobs", "x"))).after.decode()
    assert yaml.safe_load(flow)["jobs"]["x"] == value


@pytest.mark.requirement("docs-yaml-blocks")
@pytest.mark.parametrize("text", ["|\n  a:\tb\n  c: \td\n", '"a:\tb: \tc"', "'*a:\t*b'"])
def test_a_tab_after_a_colon_is_read_as_it_is(text: str) -> None:
    source = f"b: {text}\n"
    assert YamlDocument(source.encode()).data() == yaml.safe_load(source)


@pytest.mark.requirement("docs-yaml-blocks")
def test_lines_that_yaml_joins_are_mentioned() -> None:
    document = YamlDocument(b"a: x\nb: [1]\n")
    for edit in (document.set(("a",), "one\ntwo\n"), document.insert(("c",), "one\n\ntwo")):
        assert ["joined by spaces" in note for note in edit.notes] == [True]
    for value in ("one\n", "|\n  one\n  two\n", '"one\n  two"', "- one\n- two\n"):
        assert document.set(("a",), value).notes == ()
