"""Apply does what preview showed: all of it, a part of it, once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from redline.core.ports.history import Origin
from redline.instruct.model.values import dumps
from tests.toolsets.json_editor.desk import Desk, exact

TWO = {"name": "a", "port": 1, "tags": ["x", "y"]}
TWICE = "set name to b and set port to 2"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.requirement("json-subset")
def test_a_subset_is_a_success(desk: Desk) -> None:
    held = desk.preview(TWO, TWICE)
    reply = desk.apply(held["session_id"], confirmed_changes=["change_002"])
    assert reply["modified_document"] == {**TWO, "port": 2}
    assert [c["id"] for c in reply["applied_changes"]] == ["change_002"]
    assert (reply["status"], reply["message"]) == ("success", "Successfully applied 1 change")


@pytest.mark.requirement("json-subset")
@pytest.mark.parametrize("ids", [[], ["change_009"], ["change_001", "nonsense"]])
def test_unknown_or_no_ids_are_refused(desk: Desk, ids: list[str]) -> None:
    held = desk.preview(TWO, TWICE)
    arguments = {"session_id": held["session_id"], "confirmed_changes": ids}
    error = desk.error("json_editor_apply", arguments)
    assert error["code"] == "INVALID_INPUT"
    assert error["data"]["details"]["field"] == "confirmed_changes"
    assert any("change_001" in advice for advice in error["data"]["suggestions"])


@pytest.mark.requirement("json-apply-again")
def test_the_same_apply_again_gives_the_stored_answer_and_says_so(desk: Desk) -> None:
    held = desk.preview(TWO, TWICE)
    first = desk.apply(held["session_id"])
    second = desk.apply(held["session_id"], confirmed_changes=["change_002", "change_001"])
    assert second["modified_document"] == first["modified_document"]
    assert second["applied_changes"] == first["applied_changes"]
    assert "already applied" in second["message"]
    assert "already applied" not in first["message"]


@pytest.mark.requirement("json-status")
def test_nothing_to_do_is_no_changes_and_applies_as_such(desk: Desk) -> None:
    held = desk.preview(TWO, "set name to a")
    assert (held["status"], held["changes"]) == ("no_changes", [])
    assert "suggestions" not in held
    reply = desk.apply(held["session_id"])
    assert (reply["modified_document"], reply["status"]) == (TWO, "success")


def test_an_ambiguous_preview_cannot_be_applied(desk: Desk) -> None:
    held = desk.preview(TWO, "set it")
    assert held["status"] == "ambiguous"
    reply = desk.apply(held["session_id"])
    assert (reply["modified_document"], reply["status"]) == (TWO, "failed")
    assert reply["applied_changes"] == []


@pytest.mark.requirement("json-exact-numbers")
def test_numbers_and_key_order_are_kept_as_they_were_spelled(desk: Desk) -> None:
    text = (
        '{"z": 1.10, "big": 123456789012345678901234567890, "e": 1E5, "a": 0.1000000000000000001,'
        ' "name": "x"}'
    )
    result = desk.call(
        "json_editor_preview", f'{{"document": {text}, "instruction": "set name to y"}}'
    )
    session_id = result["structuredContent"]["session_id"]
    reply = desk.call("json_editor_apply", {"session_id": session_id})
    expected = text.replace('"x"', '"y"').replace(" ", "")
    assert f'"modified_document":{expected},' in reply["content"][0]["text"]
    found = exact(reply["structuredContent"])
    assert {k: getattr(v, "text", v) for k, v in found.items()} == {
        "z": "1.10",
        "big": "123456789012345678901234567890",
        "e": "1E5",
        "a": "0.1000000000000000001",
        "name": "y",
    }


@pytest.mark.requirement("json-array-document")
def test_an_array_is_a_document_too(desk: Desk) -> None:
    held = desk.preview([{"id": 1, "n": 5}, {"id": 2, "n": 6}], "set the n of the second item to 7")
    reply = desk.apply(held["session_id"])
    assert reply["modified_document"] == [{"id": 1, "n": 5}, {"id": 2, "n": 7}]


@pytest.mark.requirement("json-additive-fields")
def test_changes_carry_their_operation_and_types(desk: Desk) -> None:
    held = desk.preview(TWO, 'rename name to label, remove "x" from tags and set port to null')
    seen = [
        (c["op"], c["path"], c["current_type"], c["proposed_type"], c.get("value_json"))
        for c in held["changes"]
    ]
    assert seen == [
        ("rename", ["name"], "string", "string", '"a"'),
        ("remove", ["tags", "0"], "string", "absent", None),
        ("replace", ["port"], "number", "null", "null"),
    ]
    assert held["changes"][0]["new_path"] == ["label"]
    after = desk.apply(held["session_id"])["modified_document"]
    assert list(after.items()) == [("label", "a"), ("port", None), ("tags", ["y"])]


PLAIN = '{\n    "name" : "a",\n    "list":[1,2,  3],\n    "n": 1.50\n}\r\n'


@pytest.mark.requirement("json-document-path")
def test_a_file_is_changed_in_place_and_the_change_is_undoable(desk: Desk) -> None:
    file = desk.folder / "conf" / "c.json"
    file.parent.mkdir()
    file.write_bytes(PLAIN.encode())
    arguments = {
        "document_path": "conf/c.json",
        "instruction": "set name to b, remove 2 from list and append 4 to list",
    }
    held = desk.call("json_editor_preview", arguments)["structuredContent"]
    assert file.read_bytes() == PLAIN.encode()
    reply = desk.apply(held["session_id"])
    assert file.read_bytes().decode() == PLAIN.replace('"a"', '"b"').replace(
        "[1,2,  3]", "[1,3,  4]"
    )
    assert dumps(exact(reply)) == '{"name":"b","list":[1,3,4],"n":1.50}'
    assert reply["operation_id"]
    again = desk.apply(held["session_id"])
    assert "already applied" in again["message"]
    desk.redline.editor.undo(reply["operation_id"], Origin("test"))
    assert file.read_bytes() == PLAIN.encode()


def test_a_part_of_a_files_changes_can_be_confirmed(desk: Desk) -> None:
    file = desk.folder / "c.json"
    file.write_text(json.dumps(TWO, indent=2))
    arguments = {"document_path": "c.json", "instruction": TWICE}
    held = desk.call("json_editor_preview", arguments)["structuredContent"]
    desk.apply(held["session_id"], confirmed_changes=["change_001"])
    assert file.read_text() == json.dumps({**TWO, "name": "b"}, indent=2)


@pytest.mark.requirement("json-concurrent-apply")
def test_one_file_session_applied_from_many_threads_changes_the_file_once(desk: Desk) -> None:
    file = desk.folder / "c.json"
    file.write_text('{"n": 1}')
    arguments = {"document_path": "c.json", "instruction": "increment n"}
    held = desk.call("json_editor_preview", arguments)["structuredContent"]

    def once(_: int) -> dict[str, object]:
        return desk.call("json_editor_apply", {"session_id": held["session_id"]})

    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(once, range(12)))
    assert file.read_text() == '{"n": 2}'
    codes = {
        reply["structuredContent"]["error"]["code"] if reply["isError"] else "ok"  # type: ignore[index]
        for reply in replies
    }
    assert codes <= {"ok"}


COMMENTED = """{
  // where it listens
  "port": 80, /* the public one */
  "hosts": [
    "a", // first
    "b",
  ],
}
"""


@pytest.mark.parametrize("name", ["settings.jsonc", "tsconfig.json"])
def test_comments_and_trailing_commas_of_a_file_stay_as_they_are(desk: Desk, name: str) -> None:
    (desk.folder / name).write_text(COMMENTED)
    asked = {"document_path": name, "instruction": "set the port to 8080 and add c to hosts"}
    held = desk.call("json_editor_preview", asked)["structuredContent"]
    assert held["status"] == "success"
    reply = desk.apply(held["session_id"])
    assert reply["modified_document"] == {"port": 8080, "hosts": ["a", "b", "c"]}
    expected = COMMENTED.replace("80,", "8080,").replace('"b",\n', '"b",\n    "c",\n')
    assert (desk.folder / name).read_text() == expected
    assert desk.apply(held["session_id"])["modified_document"] == reply["modified_document"]


FILES = {
    "a.json5": (
        "{port: 80, /* kept */ tags: ['x'],}\n",
        "{port: 81, /* kept */ tags: ['x', \"z\"],}\n",
    ),
    "a.yaml": (
        "# top\nport: 80 # public\ntags:\n  - x\n",
        "# top\nport: 81 # public\ntags:\n  - x\n  - z\n",
    ),
    "a.toml": (
        '# top\nport = 80 # public\ntags = ["x"]\n',
        '# top\nport = 81 # public\ntags = ["x", "z"]\n',
    ),
}  # fmt: skip


@pytest.mark.requirement("json-other-formats")
@pytest.mark.parametrize("name", list(FILES))
def test_yaml_toml_and_json5_files_are_changed_with_comments_kept(desk: Desk, name: str) -> None:
    before, after = FILES[name]
    (desk.folder / name).write_text(before)
    asked = {"document_path": name, "instruction": "set the port to 81 and add z to tags"}
    held = desk.call("json_editor_preview", asked)["structuredContent"]
    assert held["status"] == "success", held
    reply = desk.apply(held["session_id"])
    assert (desk.folder / name).read_text() == after
    assert reply["modified_document"] == {"port": 81, "tags": ["x", "z"]}
    desk.redline.editor.undo(reply["operation_id"], Origin("test"))
    assert (desk.folder / name).read_text() == before


@pytest.mark.requirement("json-other-formats")
@pytest.mark.parametrize(
    ("name", "before", "instruction", "after"),
    [
        ("a.toml", "due = 2024-01-01 # d\n", "set due to 2024-05-01", "due = 2024-05-01 # d\n"),
        ("a.toml", "[server]\nport = 1\n", "rename port to number", "[server]\nnumber = 1\n"),
        ("a.yml", "a: 1 # x\nb: 2\n", "rename a to first", "first: 1 # x\nb: 2\n"),
        ("a.yml", "a: 1\nb: 2 # y\n", "remove a", "b: 2 # y\n"),
    ],
)
def test_dates_stay_dates_and_keys_are_renamed_in_place(
    desk: Desk, name: str, before: str, instruction: str, after: str
) -> None:
    (desk.folder / name).write_text(before)
    asked = {"document_path": name, "instruction": instruction}
    held = desk.call("json_editor_preview", asked)["structuredContent"]
    desk.apply(held["session_id"])
    assert (desk.folder / name).read_text() == after


PEOPLE = {"people": [{"name": "Ann", "age": 3}, {"name": "Bob", "age": 4}]}


@pytest.mark.requirement("json-candidates")
def test_a_candidate_is_applied_by_its_id(desk: Desk) -> None:
    held = desk.preview(PEOPLE, "set the age to 9")
    assert (held["status"], held["changes"]) == ("ambiguous", [])
    assert [c["id"] for c in held["candidates"]] == ["candidate_1", "candidate_2"]
    assert [c["says"] for c in held["candidates"]] == [
        "set /people/0/age to 9",
        "set /people/1/age to 9",
    ]
    exact = ["/people/0/age = 9", "/people/1/age = 9"]
    assert held["suggestions"] == [*exact, "set every age to 9"]
    reply = desk.apply(held["session_id"], confirmed_changes=["candidate_2"])
    assert reply["status"] == "success"
    assert reply["modified_document"]["people"][1] == {"name": "Bob", "age": 9}
    assert reply["modified_document"]["people"][0] == {"name": "Ann", "age": 3}
    assert reply["applied_changes"][0]["id"] == held["candidates"][1]["changes"][0]["id"]
    again = desk.apply(held["session_id"], confirmed_changes=["candidate_2"])
    assert again["modified_document"] == reply["modified_document"]
    assert "already applied" in again["message"]


@pytest.mark.requirement("json-candidates")
def test_two_candidates_or_none_are_refused_with_the_legal_ids(desk: Desk) -> None:
    held = desk.preview(PEOPLE, "set the age to 9")
    for ids in (["candidate_1", "candidate_2"], ["candidate_9"], ["change_001"]):
        arguments = {"session_id": held["session_id"], "confirmed_changes": ids}
        error = desk.error("json_editor_apply", arguments)
        assert error["code"] == "INVALID_INPUT"
        assert any("candidate_1" in advice for advice in error["data"]["suggestions"])
    assert desk.apply(held["session_id"])["status"] == "failed"


@pytest.mark.requirement("json-candidates")
def test_a_candidate_of_a_file_is_written_and_undoable(desk: Desk) -> None:
    (desk.folder / "p.json").write_text(json.dumps(PEOPLE))
    asked = {"document_path": "p.json", "instruction": "set the age to 9"}
    held = desk.call("json_editor_preview", asked)["structuredContent"]
    reply = desk.apply(held["session_id"], confirmed_changes=["candidate_1"])
    assert json.loads((desk.folder / "p.json").read_text())["people"][0]["age"] == 9
    desk.redline.editor.undo(reply["operation_id"], Origin("test"))
    assert json.loads((desk.folder / "p.json").read_text()) == PEOPLE
