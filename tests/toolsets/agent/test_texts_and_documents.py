"""Files with several documents, comments, other line ends and encodings, as an agent meets them."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk

STREAM = (
    "kind: Service\nspec:\n  ports: [80]\n---\nkind: Deployment\nspec:\n  replicas: 2\n"
    "  image: a\n---\nkind: Job\nspec:\n  image: b\n"
)


@pytest.mark.requirement("agent-several-documents")
def test_a_query_finds_values_in_every_document(desk: Desk) -> None:
    desk.write({"k.yaml": STREAM})
    found = desk.text("get", path="*.yaml", key="$..image").splitlines()
    assert found == [
        "k.yaml:8: spec.image = a  (document 1)",
        "k.yaml:12: spec.image = b  (document 2)",
    ]
    assert desk.text("get", path="k.yaml", key="$..image", document=0) == "(no match)"
    assert "document 2" not in desk.text("get", path="k.yaml", key="$..image", document=1)


@pytest.mark.requirement("agent-several-documents")
def test_a_value_of_another_document_is_refused_with_its_number(desk: Desk) -> None:
    desk.write({"k.yaml": STREAM})
    assert 'pass {"document": 1}, which has it' in desk.failure(
        "get", path="k.yaml", key="spec.replicas"
    )
    assert "keys here: ports" in desk.failure("get", path="k.yaml", key="spec.nothing")
    for edit in (
        {"key": "spec.replicas", "value": 3},
        {"key": "spec.replicas", "action": "delete"},
    ):
        said = desk.failure("set", path="k.yaml", edits=[edit])
        assert "Not in document 0 of the file but in document 1: spec.replicas" in said
        assert 'pass {"document": 1}' in said
    assert (desk.root / "k.yaml").read_text() == STREAM


@pytest.mark.requirement("agent-several-documents")
def test_a_document_that_is_named_or_the_first_one_is_changed(desk: Desk) -> None:
    desk.write({"k.yaml": STREAM})
    desk.text("set", path="k.yaml", edits=[{"key": "kind", "value": "Other"}])
    desk.text("set", path="k.yaml", edits=[{"key": "spec.type", "value": "NodePort"}])
    desk.text("set", path="k.yaml", document=1, edits=[{"key": "spec.replicas", "value": 3}])
    desk.text("set", path="k.yaml", document=0, edits=[{"key": "spec.replicas", "value": 1}])
    assert (desk.root / "k.yaml").read_text() == STREAM.replace("Service", "Other").replace(
        "[80]\n", "[80]\n  type: NodePort\n  replicas: 1\n"
    ).replace("replicas: 2", "replicas: 3")


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("text", ['{\n  // why\n  "a": 1\n}\n', '{"a": [1,]}', '{"a": 1,}'])
def test_json_with_comments_is_refused_with_the_format_to_name(desk: Desk, text: str) -> None:
    desk.write({"package.json": text})
    assert "name its format, jsonc" in desk.failure("get", path="package.json", key="a")
    desk.text("get", path="package.json", key="a", format="jsonc")


@pytest.mark.requirement("agent-errors-name-the-next-call")
@pytest.mark.parametrize("text", ['{"a": }', '{"a" 1}', "{,}", '{"a": 1', "nothing"])
def test_json_that_is_wrong_in_another_way_is_not(desk: Desk, text: str) -> None:
    desk.write({"package.json": text})
    assert "jsonc" not in desk.failure("get", path="package.json", key="a")


@pytest.mark.requirement("agent-errors-name-the-next-call")
def test_a_text_in_an_encoding_that_is_not_certain_asks_for_it(desk: Desk) -> None:
    (desk.root / "old.txt").write_bytes("Łódź\nżółć\n".encode("iso8859-2"))
    edit = {"old": "żółć", "new": "x"}
    said = desk.failure("edit", path="old.txt", edits=[edit])
    assert "some bytes are not UTF-8\nhint: pass encoding" in said
    desk.text("edit", path="old.txt", edits=[edit], encoding="iso8859-2")
    assert (desk.root / "old.txt").read_bytes() == "Łódź\nx\n".encode("iso8859-2")


@pytest.mark.requirement("encodings-latin")
@pytest.mark.parametrize("encoding", ["cp1252", "iso8859-2"])
def test_a_text_of_latin_letters_is_read_found_and_edited(desk: Desk, encoding: str) -> None:
    (desk.root / "old.txt").write_bytes("Straße\ngrün\n".encode(encoding))
    assert "grün" in desk.text("read", path="old.txt")
    assert "old.txt" in desk.text("search", query="grün")
    desk.text("edit", path="old.txt", edits=[{"old": "grün", "new": "gelb"}])
    assert (desk.root / "old.txt").read_bytes() == "Straße\ngelb\n".encode(encoding)


@pytest.mark.requirement("agent-results")
def test_an_edit_of_a_file_with_cr_lf_shows_no_line_ends(desk: Desk) -> None:
    (desk.root / "w.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    shown = desk.text("edit", path="w.py", edits=[{"old": "b = 2", "new": "b = 3"}])
    assert shown.startswith("w.py:2:b = [-2-]{+3+}\nchange ")
    assert (desk.root / "w.py").read_bytes() == b"a = 1\r\nb = 3\r\n"


@pytest.mark.requirement("agent-results")
def test_a_newline_at_the_end_can_be_added_and_is_shown(desk: Desk) -> None:
    (desk.root / "n.txt").write_bytes(b"first\nthe last line")
    edit = {"old": "the last line", "new": "the last line\n"}
    shown = desk.text("edit", path="n.txt", edits=[edit])
    assert "-the last line\n\\ No newline at end of file\n+the last line\n" in shown
    assert (desk.root / "n.txt").read_bytes() == b"first\nthe last line\n"
    assert "ALREADY_APPLIED" in desk.failure("edit", path="n.txt", edits=[edit])
