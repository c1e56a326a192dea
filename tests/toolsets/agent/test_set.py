"""set: filters, renamed keys, placed keys and blocks of text; get: names with dashes."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk

FLAGS = """\
flags:
  - name: a   # first
    owner: x
    on: false
  - name: b
    owner: y
    on: false
  - name: c
    owner: x
    on: false
"""


@pytest.mark.requirement("agent-set-selects")
def test_a_filter_sets_every_place_it_selects_and_no_other(desk: Desk) -> None:
    desk.write({"f.yaml": FLAGS})
    key = 'flags[?@.owner=="x"].on'
    said = desk.text("set", path="f.yaml", edits=[{"key": key, "value": True}])
    assert "2 places" in said
    expected = FLAGS.replace("owner: x\n    on: false", "owner: x\n    on: true")
    assert (desk.root / "f.yaml").read_text() == expected
    desk.text("undo")
    assert (desk.root / "f.yaml").read_text() == FLAGS


@pytest.mark.requirement("agent-set-selects")
@pytest.mark.parametrize("name", ["f.json", "f.toml"])
def test_selected_list_items_are_deleted_together(desk: Desk, name: str) -> None:
    text = '{"a": [{"n": 1}, {"n": 2}, {"n": 1}]}\n'
    if name == "f.toml":
        text = "[[a]]\nn = 1\n\n[[a]]\nn = 2\n\n[[a]]\nn = 1\n"
    desk.write({name: text})
    desk.text("set", path=name, edits=[{"key": "$.a[?@.n == 1]", "action": "delete"}])
    assert "1" not in (desk.root / name).read_text()
    assert "2" in (desk.root / name).read_text()


@pytest.mark.requirement("agent-set-selects")
def test_a_selection_reaches_every_document_and_matches_expressions(desk: Desk) -> None:
    desk.write({"k.yaml": "kind: A\nimage: web:1\n---\nkind: B\nimage: db:1\n---\nimage: web:2\n"})
    edits = [{"key": "$[?search(@, '^web:')]", "value": "web:3"}]
    said = desk.text("set", path="k.yaml", edits=edits)
    assert "2 places" in said
    text = (desk.root / "k.yaml").read_text()
    assert text == "kind: A\nimage: web:3\n---\nkind: B\nimage: db:1\n---\nimage: web:3\n"


@pytest.mark.requirement("agent-set-selects")
def test_a_selection_of_nothing_changes_nothing_and_says_so(desk: Desk) -> None:
    edits = [{"key": "server.port", "value": 1}, {"key": "$..nope", "value": 1}]
    said = desk.failure("set", path="conf.yaml", edits=edits)
    assert "Nothing is selected by: $..nope" in said
    assert "port: 80" in (desk.root / "conf.yaml").read_text()


@pytest.mark.requirement("agent-set-renames-keys")
@pytest.mark.parametrize(
    ("name", "text", "key", "after"),
    [
        ("r.yaml", "a:\n  b: 1  # why\n  d: 2\n", "a.b", "a:\n  c: 1  # why\n  d: 2\n"),
        ("r.yaml", "a:\n  'b': 1\n", "a.b", "a:\n  'c': 1\n"),
        ("r.json", '{"a": {"b": 1, "d": 2}}\n', "a.b", '{"a": {"c": 1, "d": 2}}\n'),
        ("r.json5", "{a: {b: 1, d: 2}}\n", "a.b", "{a: {c: 1, d: 2}}\n"),
        (
            "r.toml",
            "x = 1\n[a.b]\ny = 1\n[a.b.z]\nq = 1\n[a]\nw = 1\n",
            "a.b",
            "x = 1\n[a.c]\ny = 1\n[a.c.z]\nq = 1\n[a]\nw = 1\n",
        ),
        ("r.toml", "a.b.x = 1\na.b.y = 2\n", "a.b", "a.c.x = 1\na.c.y = 2\n"),
    ],
)
def test_a_key_is_renamed_where_it_is(
    desk: Desk, name: str, text: str, key: str, after: str
) -> None:
    desk.write({name: text})
    desk.text("set", path=name, edits=[{"key": key, "rename": "c"}])
    assert (desk.root / name).read_text() == after


@pytest.mark.requirement("agent-set-renames-keys")
def test_a_name_that_is_taken_is_refused(desk: Desk) -> None:
    said = desk.failure("set", path="conf.yaml", edits=[{"key": "server", "rename": "hosts"}])
    assert "Key already exists: hosts" in said
    said = desk.failure("set", path="conf.yaml", edits=[{"key": "hosts[0]", "rename": "x"}])
    assert "Only a key can be renamed" in said


@pytest.mark.requirement("agent-set-places-keys")
@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("p.yaml", "a: 1  # one\n\n# two\nb: 2\n", "a: 1  # one\nn: 5\n\n# two\nb: 2\n"),
        ("p.yaml", "a: |\n  x\nb: 2\n", "a: |\n  x\nn: 5\nb: 2\n"),
        ("p.json", '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "a": 1,\n  "n": 5,\n  "b": 2\n}\n'),
        ("p.json", '{"a": 1, "b": 2}', '{"a": 1, "n": 5, "b": 2}'),
        (
            "p.jsonc",
            '{\n  "a": 1, // one\n  "b": 2\n}\n',
            '{\n  "a": 1, // one\n  "n": 5,\n  "b": 2\n}\n',
        ),
        ("p.toml", "a = 1 # one\nb = 2\n", "a = 1 # one\nn = 5\nb = 2\n"),
    ],
)
def test_a_new_key_is_placed_after_another(desk: Desk, name: str, text: str, after: str) -> None:
    desk.write({name: text})
    desk.text("set", path=name, edits=[{"key": "n", "value": 5, "after": "a"}])
    assert (desk.root / name).read_text() == after
    said = desk.failure("set", path=name, edits=[{"key": "m", "value": 5, "after": "nope"}])
    assert "No key 'nope'" in said


@pytest.mark.requirement("agent-set-blocks")
def test_text_of_several_lines_is_written_as_a_block(desk: Desk) -> None:
    desk.write({"ci.yaml": "steps:\n  - name: test\n"})
    value = "make\nmake test\n"
    desk.text("set", path="ci.yaml", edits=[{"key": "steps[0].run", "value": value}])
    wanted = "steps:\n  - name: test\n    run: |\n      make\n      make test\n"
    assert (desk.root / "ci.yaml").read_text() == wanted


@pytest.mark.requirement("agent-get-dashes")
def test_a_name_with_a_dash_needs_no_brackets_in_a_jsonpath(desk: Desk) -> None:
    desk.write({"ci.yaml": "jobs:\n  a-b:\n    runs-on: linux\n  c:\n    runs-on: mac\n"})
    assert "linux" in desk.text("get", path="ci.yaml", key="$..runs-on")
    assert "2" not in desk.text("get", path="ci.yaml", key="$.jobs.a-b.runs-on")
    one = desk.text("get", path="ci.yaml", key="$.jobs[?@.runs-on == 'mac']")
    assert "jobs.c" in one
    assert "a-b" not in one
