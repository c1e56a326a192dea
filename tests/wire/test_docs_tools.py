"""The docs toolset over the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import Client, connect


@pytest.fixture(scope="module", params=["stdio", "http"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("docs")
    with connect(request.param, ["--tools", "docs,history"], cwd=folder) as client:
        yield client, folder


def ok(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = client.call(tool, arguments)["result"]
    assert not result.get("isError"), result
    structured: dict[str, Any] = result["structuredContent"]
    return structured


def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = client.call(tool, arguments)["result"]
    assert result["isError"], result
    assert "structuredContent" not in result  # the schema has no place for a failure
    failure: dict[str, Any] = result["_meta"]["redline/failure"]
    return failure


@pytest.mark.requirement("docs-formats")
@pytest.mark.parametrize(
    ("name", "before", "value", "after"),
    [
        ("a.yaml", "a:\n  b: 1 # x\n", "2", "a:\n  b: 2 # x\n"),
        ("a.json", '{"a": {"b": 1.0}, "z":1}', "2e0", '{"a": {"b": 2e0}, "z":1}'),
        ("tsconfig.json", '{"a": {"b": 1,}, /* z */}', "2", '{"a": {"b": 2,}, /* z */}'),
        ("a.jsonc", '// x\n{"a": {"b": 1}} // y\n', "2", '// x\n{"a": {"b": 2}} // y\n'),
        ("a.json5", "{a: {b: +1,},}", "0xF", "{a: {b: 0xF,},}"),
        ("a.toml", "[a]\nb = 1 # x\n", "2", "[a]\nb = 2 # x\n"),
    ],
)
def test_one_value_changes_and_nothing_else(
    session: tuple[Client, Path], name: str, before: str, value: str, after: str
) -> None:
    client, folder = session
    (folder / name).write_text(before)
    old = ok(client, "doc_get", file=name, path="a.b")
    done = ok(client, "doc_set", file=name, path="a.b", value=value)
    assert (folder / name).read_text() == after
    assert ok(client, "doc_get", file=name, path="a.b")["text"] == value
    assert done["files"] == [name]
    client.call("undo_change", {"id": done["id"]})
    assert (folder / name).read_text() == before
    assert old["line"] >= 1


@pytest.mark.requirement("docs-format-argument")
def test_the_format_is_told_or_found(session: tuple[Client, Path]) -> None:
    client, folder = session
    (folder / "settings").write_text("[a]\nb = 1\n")
    assert ok(client, "doc_get", file="settings", path="a.b")["format"] == "toml"
    (folder / "data.conf").write_text("{x: 1, // c\n}")
    assert ok(client, "doc_get", file="data.conf", path="x")["format"] == "json5"
    (folder / "odd.txt").write_text("a: 1\n")
    assert ok(client, "doc_get", file="odd.txt", path="a", format="yaml")["text"] == "1"
    assert refused(client, "doc_get", file="odd.txt", path="a", format="toml")["line"] == 1


@pytest.mark.requirement("docs-value-format")
@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("v.yaml", '"yes"', '"yes"'),
        ("v.yaml", '"plain text"', "plain text"),
        ("v.yaml", '{"k": [1, null]}', "k:\n    - 1\n    - null"),
        ("v.toml", '{"k": [1, true]}', "{ k = [1, true] }"),
        ("v.json5", '"x"', '"x"'),
        ("v.json", "1.500", "1.500"),
    ],
)
def test_a_value_given_as_json_is_written_in_the_files_syntax(
    session: tuple[Client, Path], name: str, value: str, shown: str
) -> None:
    client, folder = session
    (folder / name).write_text({"yaml": "a: 0\n", "toml": "a = 0\n"}.get(name[2:], '{"a": 0}'))
    ok(client, "doc_set", file=name, path="a", value=value, value_format="json")
    assert ok(client, "doc_get", file=name, path="a")["text"] == shown


def test_toml_has_no_null(session: tuple[Client, Path]) -> None:
    client, folder = session
    (folder / "n.toml").write_text("a = 0\n")
    failure = refused(client, "doc_set", file="n.toml", path="a", value="null", value_format="json")
    assert "null" in failure["message"]


@pytest.mark.requirement("docs-several-edits")
def test_several_edits_are_one_operation_or_none(session: tuple[Client, Path]) -> None:
    client, folder = session
    file = folder / "many.yaml"
    file.write_text("a: 1\nl: [x]\nz: 1\n")
    edits = [
        {"path": "a", "value": "2"},
        {"action": "insert", "path": "l[1]", "value": "y"},
        {"action": "delete", "path": "z"},
    ]
    done = ok(client, "doc_set", file="many.yaml", edits=edits)
    assert file.read_text() == "a: 2\nl: [x, y]\n"
    client.call("undo_change", {"id": done["id"]})
    assert file.read_text() == "a: 1\nl: [x]\nz: 1\n"
    refused(client, "doc_set", file="many.yaml", edits=[*edits, {"path": "q.q", "value": "1"}])
    assert file.read_text() == "a: 1\nl: [x]\nz: 1\n"


@pytest.mark.requirement("docs-several-files")
def test_a_glob_changes_all_files_or_none(session: tuple[Client, Path]) -> None:
    client, folder = session
    (folder / "k8s" / "deep").mkdir(parents=True, exist_ok=True)
    names = ["k8s/a.yaml", "k8s/deep/b.yaml"]
    for name in names:
        (folder / name).write_text("image: v1 # tag\n")
    done = ok(client, "doc_set", file="k8s/**/*.yaml", path="image", value="v2")
    assert sorted(done["files"]) == names
    assert all((folder / name).read_text() == "image: v2 # tag\n" for name in names)
    (folder / "k8s/deep/b.yaml").write_text("image: [\n")
    failure = refused(client, "doc_set", file="k8s/**/*.yaml", path="image", value="v3")
    assert "k8s/deep/b.yaml" in failure["message"]
    assert (folder / "k8s/a.yaml").read_text() == "image: v2 # tag\n"
    client.call("undo_change", {"id": done["id"], "dry_run": True})


@pytest.mark.requirement("docs-insert")
def test_insert_before_append_and_add(session: tuple[Client, Path]) -> None:
    client, folder = session
    file = folder / "i.yaml"
    file.write_text("l:\n  # first\n  - a\nm: {x: 1}\n")
    ok(client, "doc_insert", file="i.yaml", path="l[0]", value="z")
    ok(client, "doc_insert", file="i.yaml", path="l[2]", value="k: v")
    ok(client, "doc_insert", file="i.yaml", path="m.y", value="2")
    assert file.read_text() == "l:\n  - z\n  # first\n  - a\n  - k: v\nm: {x: 1, y: 2}\n"
    refused(client, "doc_insert", file="i.yaml", path="l[9]", value="z")
    refused(client, "doc_insert", file="i.yaml", path="m.y", value="z")


@pytest.mark.requirement("docs-delete")
def test_delete_takes_the_entrys_own_comments(session: tuple[Client, Path]) -> None:
    client, folder = session
    file = folder / "d.yaml"
    file.write_text("# file\n\na: 1\n# about b\nb: 2 # too\n\nc:\n  only: 1\nl: [1]\n")
    ok(client, "doc_delete", file="d.yaml", path="b")
    ok(client, "doc_delete", file="d.yaml", path="c.only")
    ok(client, "doc_delete", file="d.yaml", path="l[0]")
    assert file.read_text() == "# file\n\na: 1\n\nc: {}\nl: []\n"
    assert "whole document" in refused(client, "doc_delete", file="d.yaml", path="")["message"]


def test_a_very_long_value_is_cut_and_says_so(session: tuple[Client, Path]) -> None:
    client, folder = session
    (folder / "long.json").write_text(json.dumps({"a": "x" * 300_000, "b": 1}))
    found = ok(client, "doc_get", file="long.json")
    assert len(found["text"]) == 200_000
    assert "cut at 200000" in found["notes"][0]
    done = ok(client, "doc_set", file="long.json", path="a", value="1", dry_run=True)
    # Of a long line that changed, only what changed is shown, and what is around it.
    assert '+{"a": 1, "b": 1}' in done["diff"]
    assert len(done["diff"]) < 101_000


@pytest.mark.requirement("docs-query")
@pytest.mark.parametrize(
    ("name", "content"),
    [("key.toml", '"𝐭" = 1\n'), ("key.yaml", '"𝐭": 1\n'), ("key.json", '{"𝐭": 1}\n')],
)
def test_a_key_may_be_written_in_escapes_and_half_a_character_is_refused(
    session: tuple[Client, Path], name: str, content: str
) -> None:
    client, folder = session
    (folder / name).write_text(content)
    assert ok(client, "doc_get", file=name, path=r'["\ud835\udc2d"]')["text"] == "1"
    refused(client, "doc_get", file=name, path=r'["\ud835"]')
    refused(client, "doc_set", file=name, path=r'["\ud835"]', value="2")
    assert (folder / name).read_text() == content


@pytest.mark.requirement("docs-query")
def test_query_answers_paths_lines_and_source(session: tuple[Client, Path]) -> None:
    client, folder = session
    services = "".join(f"  s{i}:\n    image: img:{i} # {i}\n" for i in range(30))
    (folder / "compose.yaml").write_text(f"services:\n{services}")
    found = ok(client, "doc_query", file="compose.yaml", expression="$.services.*.image", limit=5)
    assert found["matches"][1] == {
        "path": "services.s1.image",
        "line": 5,
        "kind": "scalar",
        "text": "img:1",
    }
    assert (found["total"], found["truncated"], len(found["matches"])) == (30, True, 5)
    (folder / "q.toml").write_text('[[p]]\nn = "a"\n[[p]]\nn = "b"\n')
    hit = ok(client, "doc_query", file="q.toml", expression="$.p[?@.n == 'b'].n")["matches"][0]
    assert (hit["path"], hit["line"], hit["text"]) == ("p[1].n", 4, '"b"')
    (folder / "pair.yaml").write_text("[a: {b: 1, c: 2}]\n")
    pair = ok(client, "doc_query", file="pair.yaml", expression="$[0].*.*")["matches"]
    assert [(each["path"], each["text"]) for each in pair] == [("[0].a.b", "1"), ("[0].a.c", "2")]
    by_text = ok(client, "doc_query", file="q.toml", expression="$.p[?match(@.n, '[b-z]')]")
    assert by_text["total"] == 1
    assert refused(client, "doc_query", file="q.toml", expression="$.[")["field"] == "expression"


@pytest.mark.requirement("docs-query-regex")
def test_a_catastrophic_pattern_is_stopped(session: tuple[Client, Path]) -> None:
    client, folder = session
    (folder / "r.json").write_text(json.dumps([{"t": "a" * 40 + "!"}]))
    expression = "$[?search(@.t, '^(a+)+$')]"
    result = client.call("doc_query", {"file": "r.json", "expression": expression})["result"]
    assert result["isError"] or result["structuredContent"]["total"] == 0


@pytest.mark.requirement("docs-validate-syntax")
@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("bad.json", '{\n "a": 1,\n}', {2, 3}),
        ("bad.yaml", "a: 1\nb: [\n", {2, 3}),
        ("bad.toml", "a = 1\nb = \n", {2}),
        ("bad.json5", "{a: 1,\n b c}", {2}),
        ("bad.jsonc", '{"a": /* x */ }', {1}),
    ],
)
def test_validate_tells_where_the_syntax_breaks(
    session: tuple[Client, Path], name: str, content: str, line: set[int]
) -> None:
    client, folder = session
    (folder / name).write_text(content)
    found = ok(client, "doc_validate", file=name)
    assert not found["valid"]
    assert found["problems"][0]["line"] in line


@pytest.mark.requirement("docs-validate-schema")
def test_validate_checks_a_schema_of_the_workspace(session: tuple[Client, Path]) -> None:
    client, folder = session
    schemas = folder / "schemas"
    schemas.mkdir(exist_ok=True)
    (schemas / "part.json").write_text('{"type": "integer", "maximum": 65535}')
    (schemas / "app.json").write_text(
        json.dumps(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"port": {"$ref": "part.json"}},
                "required": ["name"],
            }
        )
    )
    (folder / "app.yaml").write_text("name: x\n\nport: 99999\n")
    given = ok(client, "doc_validate", file="app.yaml", schema="schemas/app.json")
    assert given["problems"][0]["path"] == "port"
    assert given["problems"][0]["line"] == 3
    (folder / "app.yaml").write_text(
        "# yaml-language-server: $schema=schemas/app.json\nname: x\nport: 80\n"
    )
    assert ok(client, "doc_validate", file="app.yaml")["checked"][0]["schema"] == "schemas/app.json"
    (folder / "own.json").write_text('{"$schema": "./schemas/app.json", "port": 1}')
    own = ok(client, "doc_validate", file="own.json")
    assert "name" in own["problems"][0]["message"]
    (folder / "far.json").write_text('{"$schema": "https://example.com/s.json"}')
    refused(client, "doc_validate", file="far.json")
    (folder / "gone.json").write_text('{"$schema": "./schemas/gone.json"}')
    refused(client, "doc_validate", file="gone.json")
    (folder / "itself.json").write_text(
        '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "strin"}'
    )
    assert ok(client, "doc_validate", file="itself.json")["problems"][0]["path"] == "type"
    (schemas / "far.json").write_text('{"$ref": "https://example.com/s.json"}')
    refused(client, "doc_validate", file="app.yaml", schema="schemas/far.json")
    refused(client, "doc_validate", file="app.yaml", schema="/etc/passwd")
