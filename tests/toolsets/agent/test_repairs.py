"""Calls as models send them when they have not read the schema: each answer alone repairs them."""

from __future__ import annotations

import re

import pytest

from tests.toolsets.agent.conftest import Desk


@pytest.mark.requirement("agent-versions")
def test_a_version_is_taken_as_read_prints_it(desk: Desk) -> None:
    shown = re.search(r"@[0-9a-f]{8}", desk.text("read", path="a.txt"))
    assert shown is not None
    edit = {"old": "two", "new": "2", "version": shown[0]}
    assert "+2" in desk.text("edit", path="a.txt", edits=[edit], dry_run=True)
    desk.text("write", path="a.txt", content="new\n", version=shown[0], dry_run=True)
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch"
    desk.text("apply_patch", patch=patch, versions={"a.txt": shown[0]})
    said = desk.failure("edit", path="a.txt", edits=[{**edit, "old": "one"}])
    assert said.startswith("STALE: ")


@pytest.mark.requirement("agent-dry-run")
def test_a_dry_run_of_a_deletion_calls_a_text_no_binary_file(desk: Desk) -> None:
    shown = desk.text("delete", path="src", dry_run=True)
    assert "removed file src/app.py" in shown
    assert "Binary" not in shown
    assert (desk.root / "src/app.py").exists()


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("tool", ["get", "set"])
def test_a_file_of_code_is_named_as_such_and_not_as_broken_yaml(desk: Desk, tool: str) -> None:
    more = {
        "get": {"key": "a"},
        "set": {"edits": [{"key": "a", "value": 1}]},
        "instruct": {"instruction": "set a to 1"},
    }
    said = desk.failure(tool, path="src/app.py", **more[tool])
    assert "Not a YAML, JSON or TOML file but python: src/app.py" in said
    assert "give its format" in said


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("tool", ["find", "search", "rewrite"])
@pytest.mark.parametrize("mark", ["", "!"])
def test_a_glob_that_begins_elsewhere_is_refused_with_the_call_that_works(
    desk: Desk, tool: str, mark: str
) -> None:
    more = {"find": {}, "search": {"query": "total"}, "rewrite": {"pattern": "total($A)"}}
    if tool == "rewrite":
        more[tool]["language"] = "python"
    said = desk.failure(tool, globs=[f"{mark}{desk.root}/src/*.py"], **more[tool])
    assert f'hint: pass {{"path": "{desk.root}/src", "globs": ["{mark}*.py"]}}' in said
    assert "A glob must be relative to path" in desk.failure(
        tool, globs=["../x/*.py"], **more[tool]
    )
    assert "src/" in desk.text(tool, path=f"{desk.root}/src", globs=["*.py"], **more[tool])


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("more", [{}, {"rewrite": "pass"}])
def test_a_part_of_some_code_is_not_answered_as_a_pattern_without_matches(
    desk: Desk, more: dict[str, str]
) -> None:
    said = desk.failure("rewrite", pattern="def $F($$$A):", language="python", **more)
    assert said.startswith("BAD_PATTERN: Nothing matches, as the pattern alone is not code of")
    assert "python: line 1: missing 'block': def $F($$$A):" in said
    assert "hint: write the whole of it, with $$$BODY" in said
    whole = desk.text("rewrite", pattern="def $F($$$A) -> $R: $$$BODY", language="python")
    assert "src/app.py" in whole
    assert desk.text("rewrite", pattern="nowhere($A)", language="python") == "(no match)"


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_pattern_in_the_place_of_a_path_is_answered_with_where_it_goes(desk: Desk) -> None:
    assert "find with globs" in desk.failure("read", path="src/*.py")
    assert "find with globs" in desk.failure("search", query="total", path="src/*.py")
    said = desk.failure("get", path="conf.*", key="port")
    assert "give key as a JSONPath, such as $..port" in said


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_of_several_edits_the_one_that_fails_is_numbered(desk: Desk) -> None:
    edits = [{"old": "one", "new": "1"}, {"old": "missing", "new": "2"}]
    assert "NO_MATCH: edits[1]: " in desk.failure("edit", path="a.txt", edits=edits)
    both = [{"path": "a.txt", **edits[0]}, {"path": "conf.json", **edits[1]}]
    assert "NO_MATCH: conf.json: edits[1]: " in desk.failure("edit", edits=both)
    assert "edits[" not in desk.failure("edit", path="a.txt", edits=edits[1:])


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_an_edit_is_numbered_by_its_place_in_a_call_of_several_files(desk: Desk) -> None:
    (desk.root / "x.py").write_text("a = 1\n")
    (desk.root / "y.py").write_text("p = list(p)\nwhile p:\n    p.pop()\n")
    first = {"path": "x.py", "old": "a = 1", "new": "a = 2"}
    made = {"path": "y.py", "old": "while p:", "new": "p = list(p)\nwhile p:"}
    more = {"path": "y.py", "old": "p.pop()", "new": "p.pop(0)"}
    said = desk.text("edit", edits=[first, made, more], dry_run=True)
    assert "edits[1] is already in place at line 1 and was skipped" in said
    touched = {"path": "y.py", "old": "p = list(p)", "new": "check(p)"}
    said = desk.failure("edit", edits=[first, made, touched])
    assert said.startswith("NO_MATCH: y.py: edits[1]: The edit of `while p:` looks as if")


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_text_in_many_places_is_refused_with_each_line_once_and_both_ways_on(desk: Desk) -> None:
    desk.write({"many.txt": "x x\nx y\n", "long.txt": "x" * 5000})
    said = desk.failure("edit", path="many.txt", edits=[{"old": "x", "new": "y"}])
    assert "3 occurrences, at lines 1, 2\n" in said
    assert said.endswith("or pass all: true to change every one")
    said = desk.failure("edit", path="long.txt", edits=[{"old": "x", "new": "y"}])
    assert "1000 or more occurrences, at line 1\n" in said


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_path_may_name_lines_or_a_symbol_as_an_entry_of_paths_does(desk: Desk) -> None:
    assert desk.text("read", path="a.txt:2").endswith("\ntwo\n")
    assert "def total" in desk.text("read", path="src/app.py#total")
    assert "No such file or directory: a.txt:2" in desk.failure("read", path="a.txt:2", lines="1")
    desk.write({"b.txt:2": "odd\n"})
    assert "odd" in desk.text("read", path="b.txt:2")
    assert "paths is empty" in desk.failure("read", paths=[])


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_constraint_of_a_wrong_form_is_answered_with_the_right_one(desk: Desk) -> None:
    said = desk.failure("rewrite", pattern="f($A)", language="python", where={"A": "^x"})
    assert said.startswith('INVALID_ARGUMENT: A constraint is a rule, not "^x": A')
    assert 'hint: for example {"A": {"regex": "^x"}}' in said


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_an_empty_command_is_refused(desk: Desk) -> None:
    assert "command is empty" in desk.failure("run", command=" ")


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_what_breaks_python_is_pointed_at_by_its_own_line(desk: Desk) -> None:
    before = (desk.root / "src/app.py").read_text()
    edit = {"old": "^def", "new": "DEF", "regex": True}
    said = desk.text("edit", path="src/app.py", edits=[edit], dry_run=True)
    assert "no longer does: line 4: syntax error: DEF total(rows" in said
    assert (desk.root / "src/app.py").read_text() == before


LOCALS = {
    "greet.py": "def greet(who, other):\n    text = who + other\n    return text\n\n\n"
    "def part(text):\n    return text\n",
    "rest.py": "def other():\n    pass\n",
    "more.yaml": "who: 1\ncount: 2\n",
    "use.py": "from rest import other\n\nother()\n",
    "f.go": "package f\n\nfunc f(count int) int {\n\treturn count + 1\n}\n",
    "f.rs": "fn f(count: i32) -> i32 {\n    count + 1\n}\n",
    "F.java": "class F {\n    int f(int count) {\n        return count + 1;\n    }\n}\n",
    "f.c": "int f(int count) {\n    return count + 1;\n}\n",
    "f.ts": "export class F {\n  f(count: number) {\n    return count + 1;\n  }\n}\n",
}


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("path", ["f.go", "f.rs", "F.java", "f.c", "f.ts"])
def test_a_parameter_is_found_by_its_file_and_no_keyword_becomes_its_name(
    desk: Desk, path: str
) -> None:
    desk.write(LOCALS)
    asked = {"symbol": "count", "path": path}
    assert "note: 2 places" in desk.text("rename", **asked, to="number_of", dry_run=True)
    for line in ({}, {"line": LOCALS[path][: LOCALS[path].index("count")].count("\n") + 1}):
        said = desk.failure("rename", **asked, **line, to="for", dry_run=True)
        assert said.startswith("INVALID_ARGUMENT: It is a keyword of ")
        assert said.endswith(": for\nhint: choose another name, such as for_")


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_member_of_a_script_may_be_called_as_a_keyword(desk: Desk) -> None:
    desk.write(LOCALS)
    shown = desk.text("rename", symbol="F.f", path="f.ts", to="delete", dry_run=True)
    assert "{+delete+}(count" in shown


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_local_of_which_a_file_has_several_is_asked_for_by_line(desk: Desk) -> None:
    desk.write(LOCALS)
    said = desk.failure("rename", symbol="text", to="body", path="greet.py")
    assert "Several in this file may be called text: on lines 2, 3, 6, 7" in said
    assert "hint: give line, where the one that is meant is defined or used" in said
    shown = desk.text("rename", symbol="text", to="body", path="greet.py", line=6, dry_run=True)
    assert "part([-text-]{+body+}" in shown
    assert "note: 2 places" in shown


@pytest.mark.requirement("agent-rename-bound")
def test_a_name_in_the_given_file_is_not_taken_for_a_definition_elsewhere(desk: Desk) -> None:
    desk.write(LOCALS)
    shown = desk.text("rename", symbol="who", to="name", path="greet.py", dry_run=True)
    assert "note: 2 places" in shown
    shown = desk.text("rename", symbol="other", to="more", path="greet.py", dry_run=True)
    assert "greet.py" in shown
    assert "rest.py" not in shown
    shown = desk.text("rename", symbol="other", to="more", path="use.py", dry_run=True)
    assert "rest.py" in shown
    assert "greet.py" not in shown
    said = desk.failure("rename", symbol="other", to="more", path="f.ts")
    assert "f.ts does not use the name: other" in said
    assert "hint: it is defined at rest.py:1" in said


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("name", ["class", "a$b", "5x", "a-b"])
def test_what_no_symbol_can_be_called_is_refused_by_itself(desk: Desk, name: str) -> None:
    desk.write(LOCALS)
    said = desk.failure("rename", symbol="greet", to=name)
    assert said.startswith("INVALID_ARGUMENT: ")
    assert "parse" not in said
    assert f": {name}\nhint: " in said


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_list_that_is_missing_is_asked_for_with_what_its_items_have(desk: Desk) -> None:
    said = desk.failure("edit", path="a.txt")
    assert "hint: give edits (array of {" in said
    assert "old, new" in said


@pytest.mark.requirement("agent-results")
def test_the_history_says_which_values_and_which_file(desk: Desk) -> None:
    desk.text("set", path="conf.yaml", edits=[{"key": "server.port", "value": 81}])
    edits = [{"key": key, "value": 1} for key in ("a", "b", "c", "d")]
    desk.text("set", path="conf.json", edits=edits)
    desk.text("edit", path="a.txt", edits=[{"old": "one", "new": "1"}])
    listed = desk.call("changes")["structuredContent"]["changes"]
    assert [each["summary"] for each in listed[:3]] == [
        "edit a.txt",
        "set a, b, c and 1 more in conf.json",
        "set server.port in conf.yaml",
    ]


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_file_that_is_called_like_a_tool_keeps_its_name_in_errors(desk: Desk) -> None:
    (desk.root / "edit_file").write_bytes(b"\0\xff")
    said = desk.failure("edit", path="edit_file", edits=[{"old": "a", "new": "b"}])
    assert "edit_file" in said
    assert "hint: edit changes text; write replaces whole files" in said
    both = desk.text("read", paths=["doc_index", "a.txt"])
    assert "NOT_FOUND: No such file or directory: doc_index" in both


@pytest.mark.requirement("agent-trained-words")
def test_an_edit_without_a_place_for_it_is_refused(desk: Desk) -> None:
    before = (desk.root / "a.txt").read_text()
    assert "must not be empty" in desk.failure("edit", path="a.txt", old="", new="x")
    assert "matches nothing" in desk.failure("edit", path="a.txt", insert_line=9, insert_text="x")
    assert "replaces a file" in desk.failure("write", path="a.txt", content="x", overwrite=False)
    desk.failure("edit", path="new.txt", old="", new="x", version="00000000")
    assert not (desk.root / "new.txt").exists()
    assert (desk.root / "a.txt").read_text() == before
