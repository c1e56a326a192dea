"""The yaml toolset over the wire: each decision as before, call and after."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.wire.client import Client, connect


@pytest.fixture(scope="module", params=["stdio", "http"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("yaml")
    with connect(request.param, ["--tools", "yaml,history"], cwd=folder) as client:
        yield Served(client, folder)


@dataclass
class Served:
    client: Client
    folder: Path

    def file(self, content: str | bytes) -> Path:
        path = self.folder / "config.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def set(self, path: Path, where: str, value: str, **more: Any) -> dict[str, Any]:
        return self.client.call(
            "noyalib_set", {"file": str(path), "path": where, "value": value, **more}
        )

    def get(self, path: Path, where: str, **more: Any) -> dict[str, Any]:
        return self.client.call("noyalib_get", {"file": str(path), "path": where, **more})


def text(reply: dict[str, Any]) -> str:
    assert "result" in reply, reply
    return str(reply["result"]["content"][0]["text"])


def code(reply: dict[str, Any]) -> int:
    assert "error" in reply, reply
    return int(reply["error"]["code"])


SETS = [
    pytest.param(
        "a: 1 # one\nb: 2\n",
        "a",
        "9",
        "a: 9 # one\nb: 2\n",
        marks=pytest.mark.requirement("yaml-comment"),
    ),
    pytest.param(
        "# top\n\na:   1\nz: &x [1]\n\nb: *x # use\n",
        "a",
        "2",
        "# top\n\na:   2\nz: &x [1]\n\nb: *x # use\n",
        marks=pytest.mark.requirement("yaml-lossless"),
    ),
    pytest.param(
        "s:\n    a: 1\n\n# next\nt: 1\n",
        "s.b",
        "2",
        "s:\n    a: 1\n    b: 2\n\n# next\nt: 1\n",
        marks=pytest.mark.requirement("yaml-create-leaf"),
    ),
    pytest.param(
        "s: {a: 1}\n",
        "s.b",
        "2",
        "s: {a: 1, b: 2}\n",
        marks=pytest.mark.requirement("yaml-create-leaf"),
    ),
    pytest.param(
        "s: {}\n", "s.b", "2", "s: {b: 2}\n", marks=pytest.mark.requirement("yaml-create-leaf")
    ),
    pytest.param(
        "8080: a\n", "8080", "b", "8080: b\n", marks=pytest.mark.requirement("yaml-numeric-key")
    ),
    pytest.param(
        "a: 1\n",
        "a",
        "1_0.50e3",
        "a: 1_0.50e3\n",
        marks=pytest.mark.requirement("yaml-number-spelling"),
    ),
    pytest.param(
        "a: !!int 5 # x\n",
        "a",
        "hi",
        "a: hi # x\n",
        marks=pytest.mark.requirement("yaml-tag-dropped"),
    ),
    pytest.param(
        "a: &x 1\nb: *x\n", "b", "2", "a: &x 1\nb: 2\n", marks=pytest.mark.requirement("yaml-alias")
    ),
    pytest.param(
        "base: &b {x: 1}\nd:\n  <<: *b\n  y: 2\n",
        "d.x",
        "3",
        "base: &b {x: 1}\nd:\n  <<: *b\n  y: 2\n  x: 3\n",
        marks=pytest.mark.requirement("yaml-merge"),
    ),
    pytest.param(
        "k: # why\n  # gap\n  a: 1\n  b: 2\nz: 1\n",
        "k",
        "5",
        "k: 5 # why\n  # gap\nz: 1\n",
        marks=pytest.mark.requirement("yaml-block-to-inline"),
    ),
    pytest.param(
        "k:\n- 1\n- 2\nz: 1\n",
        "k",
        "[3]",
        "k: [3]\nz: 1\n",
        marks=pytest.mark.requirement("yaml-block-to-inline"),
    ),
    pytest.param(
        "o:\n  a: 5 # c\n  z: 1\n",
        "o.a",
        "x: 1\ny:\n  - 2",
        "o:\n  a: # c\n    x: 1\n    y:\n      - 2\n  z: 1\n",
        marks=pytest.mark.requirement("yaml-inline-to-block"),
    ),
    pytest.param(
        "a: 5 # c\nz: 1\n",
        "a",
        "|\n   one\n   two",
        "a: | # c\n  one\n  two\nz: 1\n",
        marks=pytest.mark.requirement("yaml-inline-to-block"),
    ),
    pytest.param(
        "a: [1, 2]\n",
        "a[0]",
        "x, y",
        "a: ['x, y', 2]\n",
        marks=pytest.mark.requirement("yaml-flow-quoting"),
    ),
    pytest.param(
        "a: {k: 1}\n",
        "a.k",
        "x}",
        "a: {k: 'x}'}\n",
        marks=pytest.mark.requirement("yaml-flow-quoting"),
    ),
    pytest.param(
        b"\xef\xbb\xbfa: 1\r\nb:\t2\r\nc: 3",
        "c",
        "x: 1\ny: 2",
        b"\xef\xbb\xbfa: 1\r\nb:\t2\r\nc:\r\n  x: 1\r\n  y: 2",
        marks=pytest.mark.requirement("yaml-bytes-kept"),
    ),
    pytest.param(
        "a:\nb: 1\n", "a", "5", "a: 5\nb: 1\n", marks=pytest.mark.requirement("yaml-empty-value")
    ),
    pytest.param(
        "a: # c\n", "a", "5", "a: 5 # c\n", marks=pytest.mark.requirement("yaml-empty-value")
    ),
    pytest.param("", "a", "5", "a: 5\n", marks=pytest.mark.requirement("yaml-empty-file")),
    pytest.param(
        "# only\n", "a", "5", "# only\na: 5\n", marks=pytest.mark.requirement("yaml-empty-file")
    ),
    pytest.param(
        "l:\n- {n: 1}\n- n: 2\n",
        "l[-1].n",
        "3",
        "l:\n- {n: 1}\n- n: 3\n",
        marks=pytest.mark.requirement("yaml-path-syntax"),
    ),
    pytest.param(
        '"x.y": 1\n',
        '["x.y"]',
        "2",
        '"x.y": 2\n',
        marks=pytest.mark.requirement("yaml-path-syntax"),
    ),
]


@pytest.mark.parametrize(("before", "path", "value", "after"), SETS)
def test_set_changes_these_bytes_and_no_others(
    served: Served, before: str | bytes, path: str, value: str, after: str | bytes
) -> None:
    file = served.file(before)
    reply = served.set(file, path, value)
    assert text(reply).startswith(f"set {path} = {value} in {file}")
    assert file.read_bytes() == (after if isinstance(after, bytes) else after.encode())


REFUSALS = [
    pytest.param(
        "a: 1\n", "x.y", "1", -32003, marks=pytest.mark.requirement("yaml-missing-parent")
    ),
    pytest.param("a: 1\n", "a.b", "1", -32003, marks=pytest.mark.requirement("yaml-wrong-shape")),
    pytest.param("a: 1\n", "a[0]", "1", -32003, marks=pytest.mark.requirement("yaml-wrong-shape")),
    pytest.param(
        "a: [1]\n", "a[1]", "1", -32003, marks=pytest.mark.requirement("yaml-set-never-appends")
    ),
    pytest.param(
        "a: [1]\n", "a[-2]", "1", -32003, marks=pytest.mark.requirement("yaml-wrong-shape")
    ),
    pytest.param(
        "a: &x {b: 1}\nc: *x\n",
        "c.b",
        "1",
        -32003,
        marks=pytest.mark.requirement("yaml-through-alias"),
    ),
    pytest.param(
        "a: 1\na: 2\n", "a", "3", -32003, marks=pytest.mark.requirement("yaml-duplicates")
    ),
    pytest.param(
        "a: 1\n", "a", "1\nc: 2", -32003, marks=pytest.mark.requirement("yaml-no-sibling")
    ),
    pytest.param("a: 1\n", "a", "[", -32003, marks=pytest.mark.requirement("yaml-no-sibling")),
    pytest.param(
        "a: 1\n", "a", "*nope", -32003, marks=pytest.mark.requirement("yaml-cannot-apply")
    ),
    pytest.param(
        "a: {b: &x 1}\nc: *x\n",
        "a",
        "1",
        -32003,
        marks=pytest.mark.requirement("yaml-cannot-apply"),
    ),
    pytest.param(
        "a: 1\nb: [\n", "a", "2", -32001, marks=pytest.mark.requirement("yaml-parse-error")
    ),
    pytest.param("a: 'x\n", "a", "2", -32001, marks=pytest.mark.requirement("yaml-parse-error")),
    pytest.param(
        "a: 1\n", "a", "@daily", -32003, marks=pytest.mark.requirement("docs-yaml-others-read")
    ),
    pytest.param(
        "a: 1\n", "a", "x\x01", -32003, marks=pytest.mark.requirement("docs-yaml-others-read")
    ),
    pytest.param(
        "a: @b\n", "c", "1", -32001, marks=pytest.mark.requirement("docs-yaml-others-read")
    ),
    pytest.param("a: 1\n", "a..b", "2", -32003, marks=pytest.mark.requirement("yaml-path-syntax")),
    pytest.param("a: 1\n", "a[", "2", -32003, marks=pytest.mark.requirement("yaml-path-syntax")),
]


@pytest.mark.parametrize(("before", "path", "value", "expected"), REFUSALS)
def test_what_cannot_be_set_is_refused_and_changes_nothing(
    served: Served, before: str, path: str, value: str, expected: int
) -> None:
    file = served.file(before)
    assert code(served.set(file, path, value)) == expected
    assert file.read_text() == before


GETS = [
    pytest.param(
        "s:\n  host: api.example.com # x\n",
        "s.host",
        "api.example.com",
        marks=pytest.mark.requirement("yaml-get-slice"),
    ),
    pytest.param(
        "a: {b:  [1,2 ]}\n", "a", "{b:  [1,2 ]}", marks=pytest.mark.requirement("yaml-get-slice")
    ),
    pytest.param("a: 'q''s'\n", "a", "'q''s'", marks=pytest.mark.requirement("yaml-get-slice")),
    pytest.param(
        "a:\n  x: 1 # c\n  y: 2\nb: 1\n",
        "a",
        "x: 1 # c\n  y: 2",
        marks=pytest.mark.requirement("yaml-get-slice"),
    ),
    pytest.param(
        "a: |\n  x\n  y\nb: 1\n",
        "a",
        "|\n  x\n  y",
        marks=pytest.mark.requirement("yaml-block-scalar-get"),
    ),
    pytest.param("a:\nb: 1\n", "a", "", marks=pytest.mark.requirement("yaml-empty-value")),
    pytest.param("a: &x 7\nb: *x\n", "b", "*x", marks=pytest.mark.requirement("yaml-alias")),
    pytest.param("a: !!str 5\n", "a", "!!str 5", marks=pytest.mark.requirement("yaml-tag")),
    pytest.param("a: &x !t 5 # c\n", "a", "!t 5", marks=pytest.mark.requirement("yaml-tag")),
    pytest.param(
        "a: !t\n  b: 1\nc: 2\n", "a", "!t\n  b: 1", marks=pytest.mark.requirement("yaml-tag")
    ),
    pytest.param("[!t {a: 1}, 2]\n", "[0]", "!t {a: 1}", marks=pytest.mark.requirement("yaml-tag")),
    pytest.param("a: !!str\n", "a", "!!str", marks=pytest.mark.requirement("yaml-tag")),
    pytest.param("a: 1\na: 2\n", "a", "2", marks=pytest.mark.requirement("yaml-duplicates")),
    pytest.param(
        "- [1, {k: v}]\n", "[0][1].k", "v", marks=pytest.mark.requirement("yaml-path-syntax")
    ),
]


@pytest.mark.parametrize(("content", "path", "expected"), GETS)
def test_get_answers_the_source_text(
    served: Served, content: str, path: str, expected: str
) -> None:
    assert text(served.get(served.file(content), path)) == expected


MISSES = [
    pytest.param("a: 1\n", "b", -32002, marks=pytest.mark.requirement("yaml-not-found")),
    pytest.param("a: 1\n", "a.b", -32002, marks=pytest.mark.requirement("yaml-wrong-shape")),
    pytest.param("a: 1\n", "a[0]", -32002, marks=pytest.mark.requirement("yaml-wrong-shape")),
    pytest.param("a: [1]\n", "a[3]", -32002, marks=pytest.mark.requirement("yaml-wrong-shape")),
    pytest.param(
        "a: &x {b: 1}\nc: *x\n", "c.b", -32002, marks=pytest.mark.requirement("yaml-through-alias")
    ),
    pytest.param(
        "a: {x: 1}\nb:\n  <<: {y: 1}\n", "b.y", -32002, marks=pytest.mark.requirement("yaml-merge")
    ),
    pytest.param("a: [\n", "a", -32001, marks=pytest.mark.requirement("yaml-parse-error")),
    pytest.param("a: 1\n", ".a", -32002, marks=pytest.mark.requirement("yaml-path-syntax")),
]


@pytest.mark.parametrize(("content", "path", "expected"), MISSES)
def test_what_is_not_there_has_its_code(
    served: Served, content: str, path: str, expected: int
) -> None:
    assert code(served.get(served.file(content), path)) == expected


@pytest.mark.requirement("docs-yaml-others-read")
def test_a_value_that_cannot_be_plain_is_answered_with_its_quoted_form(served: Served) -> None:
    file = served.file("schedule: x # c\n")
    reply = served.set(file, "schedule", "@daily")
    assert 'quote it: "@daily"' in str(reply["error"])
    assert "result" in served.set(file, "schedule", '"@daily"')
    assert file.read_text() == 'schedule: "@daily" # c\n'


@pytest.mark.requirement("yaml-tools")
def test_the_two_tools_are_listed_with_their_schemas(served: Served) -> None:
    tools = {tool["name"]: tool["inputSchema"] for tool in served.client.list_tools()}
    assert {"noyalib_get", "noyalib_set"} <= set(tools)
    assert tools["noyalib_get"]["required"] == ["file", "path"]
    assert tools["noyalib_set"]["required"] == ["file", "path", "value"]
    for name in ("noyalib_get", "noyalib_set"):
        for field in tools[name]["required"]:
            assert tools[name]["properties"][field]["type"] == "string"


@pytest.mark.requirement("yaml-set-text")
def test_set_answers_with_its_sentence(served: Served) -> None:
    file = served.file("server:\n  port: 80\n")
    assert text(served.set(file, "server.port", "9090")) == (
        f"set server.port = 9090 in {file} (lossless: comments and formatting preserved)"
    )


@pytest.mark.requirement("yaml-io-error")
def test_a_file_that_cannot_be_read_is_an_io_error(served: Served) -> None:
    for file in (served.folder / "absent.yaml", served.folder, Path("/etc/hostname")):
        assert code(served.get(file, "a")) == -32000
        assert code(served.set(file, "a", "1")) == -32000
    assert code(served.client.call("noyalib_get", {"file": "", "path": "a"})) == -32000


@pytest.mark.requirement("yaml-set-never-appends")
def test_an_index_past_the_end_names_no_tool_that_is_not_there(served: Served) -> None:
    file = served.folder / "past.yaml"
    file.write_text("a: [1]\n")
    message = served.set(file, "a[1]", "2")["error"]["message"]
    assert "out of range" in message
    assert "insert" not in message
    assert "set the whole sequence" in message


@pytest.mark.requirement("yaml-arguments")
@pytest.mark.parametrize("arguments", [{}, {"file": "x"}, {"file": "x", "path": 5}, {"path": "a"}])
def test_missing_and_non_string_arguments_are_invalid_params(
    served: Served, arguments: dict[str, Any]
) -> None:
    assert code(served.client.call("noyalib_get", arguments)) == -32602
    assert code(served.client.call("noyalib_set", {**arguments, "value": "1"})) == -32602


@pytest.mark.requirement("yaml-missing-parent")
def test_create_parents_builds_the_chain(served: Served) -> None:
    file = served.file("a: 1\n")
    text(served.set(file, "x.y[0].z", "1", create_parents=True))
    assert file.read_text() == "a: 1\nx:\n  y:\n    - z: 1\n"


@pytest.mark.requirement("yaml-anchor-kept")
def test_an_anchor_stays_and_its_aliases_are_named(served: Served) -> None:
    file = served.file("a: &x 1\nb: *x\nc: [*x]\n")
    reply = served.set(file, "a", "2")
    assert "*x" in reply["result"]["content"][1]["text"]
    assert "2, 3" in reply["result"]["content"][1]["text"]
    assert file.read_text() == "a: &x 2\nb: *x\nc: [*x]\n"


@pytest.mark.requirement("yaml-tag")
@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("a: !!str 5 # c\n", "6", "a: !!str 6 # c\n"),
        ("a: !!str 5\n", "!!int 6", "a: !!int 6\n"),
        ("a: &x !t 5\nb: *x\n", "6", "a: &x !t 6\nb: *x\n"),
        ("a: !t\n  b: 1\n", "c: 2\nd: 3", "a: !t\n  c: 2\n  d: 3\n"),
        ("a: !t |\n  x\n", "|\n  y\n  z\n", "a: !t |\n  y\n  z\n"),
        ("q: &x 1\na: !t 5\n", "*x", "q: &x 1\na: *x\n"),
    ],
)
def test_a_tag_stays_unless_the_value_has_its_own(
    served: Served, before: str, value: str, after: str
) -> None:
    path = served.file(before)
    answer = served.set(path, "a", value)
    assert path.read_text() == after
    says_so = "stays" in str(answer["result"]["content"][1:])
    assert says_so is not value.startswith(("!", "*"))


@pytest.mark.requirement("yaml-tag-dropped")
def test_a_tag_that_does_not_go_with_the_value_goes_and_that_is_said(served: Served) -> None:
    path = served.file("a: !!int 5\n")
    answer = served.set(path, "a", "many")
    assert path.read_text() == "a: many\n"
    assert "the tag !!int is gone" in str(answer["result"]["content"][1:])


@pytest.mark.requirement("yaml-comment-in-value")
@pytest.mark.parametrize(
    ("value", "written"),
    [("x # y", "x"), ("# y\nx", "x"), ("[1] # y", "[1]"), ("'x # y'", "'x # y'")],
)
def test_an_answer_names_what_was_written_of_a_value(
    served: Served, value: str, written: str
) -> None:
    path = served.file("a: 1\n")
    answer = served.set(path, "a", value)
    assert text(answer).startswith(f"set a = {written} in ")
    assert path.read_text() == f"a: {written}\n"
    assert ("comment: # y" in str(answer["result"]["content"][1:])) is (value != written)


@pytest.mark.requirement("yaml-loadable")
@pytest.mark.parametrize(
    "value",
    ["=", "<<", "2024-02-30", "2024-01-01 25:00:00", "0x_", "[=]", "{k: <<}", "2024-02-30: 1"],
)
def test_nothing_is_written_that_pyyaml_cannot_load(served: Served, value: str) -> None:
    with pytest.raises((yaml.YAMLError, ValueError)):
        yaml.safe_load(f"op:\n  {value}\n")
    path = served.file("op: 1\n")
    reply = served.set(path, "op", value)
    assert code(reply) == -32003
    assert "quote it" in reply["error"]["message"]
    assert path.read_text() == "op: 1\n"
    if not value.startswith(("[", "{")) and not value.endswith(": 1"):
        served.set(path, "op", f'"{value}"')
        assert yaml.safe_load(path.read_text()) == {"op": value}


@pytest.mark.requirement("yaml-loadable")
def test_keys_that_pyyaml_cannot_load_are_quoted_and_merges_take_mappings(served: Served) -> None:
    path = served.file("a: &x {k: 1}\n")
    for key in ("=", "2024-02-30"):
        served.set(path, key, "2")
        assert yaml.safe_load(path.read_text())[key] == 2
    assert code(served.set(path, "<<", "5")) == -32003
    served.set(path, "<<", "*x")
    assert yaml.safe_load(path.read_text())["k"] == 1
    assert code(served.set(path, "<<", "5")) == -32003


@pytest.mark.requirement("yaml-alias", "yaml-duplicates")
def test_what_is_special_about_a_value_is_flagged(served: Served) -> None:
    aliased = served.get(served.file("a: &x 7\nb: *x\n"), "b")
    assert "it stands for: 7" in str(aliased["result"]["_meta"])
    doubled = served.get(served.file("a: 1\na: 2\n"), "a")
    assert "2 times" in str(doubled["result"]["_meta"])


@pytest.mark.requirement("yaml-merge")
def test_a_merged_key_is_not_found_with_a_hint(served: Served) -> None:
    reply = served.get(served.file("b:\n  <<: {y: 1}\n"), "b.y")
    assert "<<" in reply["error"]["message"]


@pytest.mark.requirement("yaml-documents")
def test_doc_index_chooses_the_document(served: Served) -> None:
    file = served.file("a: 1\n---\na: 2\n---\na: 3\n")
    assert text(served.get(file, "a", doc_index=1)) == "2"
    text(served.set(file, "a", "9", doc_index=2))
    assert file.read_text() == "a: 1\n---\na: 2\n---\na: 9\n"
    assert code(served.get(file, "a", doc_index=3)) == -32602


@pytest.mark.requirement("yaml-dry-run")
def test_a_dry_run_shows_the_diff_and_changes_nothing(served: Served) -> None:
    file = served.file("a: 1\nb: 2\n")
    assert "-a: 1\n+a: 5\n" in text(served.set(file, "a", "5", dry_run=True))
    assert file.read_text() == "a: 1\nb: 2\n"


@pytest.mark.requirement("yaml-undo")
def test_a_set_is_undone_to_the_byte(served: Served) -> None:
    before = "# c\r\na:   1 # x\r\nb: [1,\r\n 2]"
    file = served.file(before)
    text(served.set(file, "b[1]", "x: 1"))
    assert file.read_bytes() != before.encode()
    served.client.call("undo_change", {})
    assert file.read_bytes() == before.encode()


@pytest.mark.requirement("yaml-depth")
@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 100_000,
        "a: " + "[" * 300 + "]" * 300 + "\n",
        "- " * 5000 + "x\n",
        "a: &a [x, x]\n"
        + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
        ),
    ],
    ids=["open", "flow", "dashes", "aliases"],
)
def test_deep_and_swelling_documents_do_no_harm(served: Served, bomb: str) -> None:
    file = served.file(bomb)
    reply = served.set(file, "q", "1")
    assert "error" in reply or "isError" in reply["result"]
    assert text(served.get(served.file("a: 1\n"), "a")) == "1"


def _bump(folder: str, number: int) -> list[str]:
    with connect("stdio", ["--tools", "yaml"], cwd=folder) as client:
        replies = []
        for step in range(5):
            arguments = {"file": "shared.yaml", "path": f"k{number}_{step}", "value": "done"}
            replies.append("result" in client.call("noyalib_set", arguments))
        return [f"k{number}_{step}" for step in range(5) if replies[step]]


@pytest.mark.requirement("yaml-serialised")
def test_parallel_sets_from_several_processes_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "shared.yaml"
    file.write_text("# shared\nstart: 1\n")
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        kept = pool.starmap(_bump, [(str(tmp_path), n) for n in range(4)])
    content = file.read_text()
    assert sum(len(keys) for keys in kept) == 20
    assert all(f"{key}: done\n" in content for keys in kept for key in keys)


def test_the_native_parser_does_not_speak_on_stderr_but_the_server_still_does(
    transport: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1\nb: 2\n")
    env = {"REDLINE_TRACE": "1"}
    with connect(transport, ["--tools", "yaml"], cwd=tmp_path, env=env) as client:
        reply = client.call("noyalib_get", {"file": str(broken), "path": "a"})
        assert reply["error"]["code"] == -32001
        client.close()
        assert "noyalib_get" in client.stderr
        assert "detected here" not in client.stderr
        assert "ERROR" not in client.stderr


ASKED = [(None, "2024-11-05"), ("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25")]


@pytest.mark.requirement("yaml-revision")
@pytest.mark.parametrize(("asked", "agreed"), ASKED)
def test_the_revision_of_the_specification_is_the_default(
    transport: str, asked: str | None, agreed: str, tmp_path: Path
) -> None:
    with connect(transport, ["--tools", "yaml"], cwd=tmp_path, handshake=False) as client:
        params = {"capabilities": {}, **({"protocolVersion": asked} if asked else {})}
        answer = client.request("initialize", params)["result"]
    assert answer["protocolVersion"] == agreed
    assert answer["capabilities"] == {"tools": {}}


@pytest.mark.requirement("yaml-one-at-a-time")
def test_requests_that_are_sent_together_are_answered_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("a: 0\n")
    sent: list[bytes] = []
    for n in range(1, 11):
        place = {"file": str(file), "path": "a"}
        put = {"name": "noyalib_set", "arguments": {**place, "value": str(n)}}
        for method, params in (
            ("tools/call", put),
            ("tools/call", {"name": "noyalib_get", "arguments": place}),
            ("ping", {}),
            ("no/such", {}),
        ):
            message = {"jsonrpc": "2.0", "id": len(sent), "method": method, "params": params}
            sent.append(json.dumps(message).encode())
    command = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "yaml"]
    command += ["--workspace", str(tmp_path), "--state-dir", str(tmp_path.parent / "state")]
    done = subprocess.run(
        command, input=b"\n".join(sent) + b"\n", capture_output=True, check=True, timeout=60
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == list(range(len(sent)))
    assert [text(answer) for answer in answers[1::4]] == [str(n) for n in range(1, 11)]
    assert {code(answer) for answer in answers[3::4]} == {-32601}
