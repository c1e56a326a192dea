"""Text in other encodings over the wire: read, found, edited, refused, undone by every toolset."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.plan.file_ops import plan_write
from redline.review.page.diffs.standalone import write_page
from redline.services.history.lines import blame
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.encodings.samples import SAMPLES, Sample
from tests.wire.client import Client, connect

Json = dict[str, Any]
pytestmark = pytest.mark.requirement("encodings-every-tool")
EACH = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])
LIMITED = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.strange], ids=[s.name for s in SAMPLES if s.strange]
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encodings")
    for sample in SAMPLES:
        (folder / f"{sample.name}.txt").write_bytes(sample.raw)
    return folder


@pytest.fixture(scope="module", params=["stdio", "http"])
def client(request: pytest.FixtureRequest, workspace: Path) -> Iterator[Client]:
    """Every toolset on."""
    with connect(request.param, ["--tools", "all"], cwd=workspace) as client:
        yield client


def texts(reply: Json) -> list[str]:
    return [block["text"] for block in reply["result"]["content"]]


def fields(reply: Json) -> Json:
    found: Json = reply["result"]["structuredContent"]
    return found


def line_of(sample: Sample) -> int:
    """The line of the sample's word, from 1."""
    return sample.text[: sample.text.index(sample.word)].count("\n") + 1


def patch_of(sample: Sample, old: str, new: str) -> str:
    name = f"{sample.name}.txt"
    lines = ["*** Begin Patch", f"*** Update File: {name}", "@@", f"-{old}", f"+{new}"]
    return "\n".join([*lines, "*** End Patch"])


@EACH
def test_files_reads_it_as_text_and_names_the_encoding(
    client: Client, workspace: Path, sample: Sample
) -> None:
    path, line = str(workspace / f"{sample.name}.txt"), line_of(sample)
    notice = f"[encoding: {sample.encoding}]"
    assert texts(client.call("read_file", {"path": path})) == [sample.text, notice]
    part = client.call("read_file", {"path": path, "start_line": line, "end_line": line})
    assert texts(part) == [sample.text.split("\n")[line - 1] + "\n", notice]
    several = texts(client.call("read_multiple_files", {"paths": [path]}))
    assert several == [f"{path}:\n{notice}\n{sample.text}"]


@EACH
def test_coding_reads_it_as_text_and_names_the_encoding(client: Client, sample: Sample) -> None:
    found = fields(client.call("read_file", {"path": f"{sample.name}.txt"}))
    assert found["content"] == sample.text
    assert found["encoding"] == sample.encoding
    assert found["version"]["size"] == len(sample.raw)


@EACH
def test_both_searches_find_its_words_at_their_lines(
    client: Client, workspace: Path, sample: Sample
) -> None:
    line = line_of(sample)
    text = sample.text.split("\n")[line - 1]
    holding = [f"{each.name}.txt" for each in SAMPLES if sample.word in each.text]
    found = fields(client.call("search_text", {"query": sample.word}))
    assert [each["path"] for each in found["matches"]] == sorted(holding)
    assert found["total_matches"] == len(holding)
    mine = next(each for each in found["matches"] if each["path"] == f"{sample.name}.txt")
    assert (mine["line"], mine["preview"]) == (line, text)
    assert mine["column"] == text.index(sample.word) + 1
    for regex in (re.escape(sample.word), sample.word[:-1] + r"\S", f"(?={sample.word})."):
        grepped = client.call("grep_files", {"regex": regex, "directory": str(workspace)})
        lines = {each["path"]: (each["line"], each["text"]) for each in fields(grepped)["matches"]}
        assert sorted(lines) == sorted(str(workspace / name) for name in holding), regex
        assert lines[str(workspace / f"{sample.name}.txt")] == (line, text)


def test_ascii_words_are_found_once_in_every_file(client: Client, workspace: Path) -> None:
    names = sorted(f"{sample.name}.txt" for sample in SAMPLES)
    found = fields(client.call("search_text", {"query": "LIMIT =", "context_lines": 1}))
    assert [each["path"] for each in found["matches"]] == names
    assert all(
        each["after"] == ["url = 'http://localhost/' # see below"] for each in found["matches"]
    )
    few = fields(client.call("search_text", {"query": "limit =", "max_results": 3}))
    assert [each["path"] for each in few["matches"]] == names[:3]
    assert few["total_matches"] == len(names)
    where = {"directory": str(workspace), "regex": "^limit", "contextLines": 1}
    grepped = fields(client.call("grep_files", where))
    matching = [each for each in grepped["matches"] if each["isMatch"]]
    assert [Path(each["path"]).name for each in matching] == names


@EACH
def test_every_edit_tool_keeps_all_other_bytes_and_undo_restores_them(
    client: Client, workspace: Path, sample: Sample
) -> None:
    target = workspace / f"{sample.name}.txt"
    line = sample.text.split("\n")[line_of(sample) - 1]
    changed = line.replace(sample.word, sample.added)
    wanted = sample.mark + sample.text.replace(line, changed).encode(sample.encoding)
    edits = [{"oldText": sample.word, "newText": sample.added}]
    by_line = {
        "target_file": target.name,
        "edit_instruction": "replace the line",
        "edit_type": "replace",
        "start_line": line_of(sample),
        "end_line": line_of(sample),
        "code_block": changed,
    }
    calls: list[tuple[str, Json]] = [
        ("edit_file", {"path": str(target), "edits": edits}),
        ("edit_files", {"paths": [str(target)], "edits": edits}),
        ("apply_patch", {"patch": patch_of(sample, line, changed)}),
        ("ai_code_editing.edit_file", by_line),
    ]
    for tool, arguments in calls:
        reply = client.call(tool, arguments)
        assert target.read_bytes() == wanted, (tool, reply)
        shown = json.dumps(client.call("show_change", {}), ensure_ascii=False)
        assert sample.added in shown, tool
        assert sample.word in shown, tool
        undone = client.call("undo_change", {})
        assert target.read_bytes() == sample.raw, (tool, undone)


@EACH
def test_a_dry_run_shows_the_change_as_text(
    client: Client, workspace: Path, sample: Sample
) -> None:
    target = workspace / f"{sample.name}.txt"
    edits = [{"oldText": sample.word, "newText": sample.added}]
    diff = texts(client.call("edit_file", {"path": str(target), "edits": edits, "dryRun": True}))[0]
    assert f"+{sample.added}" in diff
    assert f"-{sample.word}" in diff
    line = sample.text.split("\n")[line_of(sample) - 1]
    arguments = {"patch": patch_of(sample, line, sample.added), "dry_run": True}
    assert f"+{sample.added}" in fields(client.call("apply_patch", arguments))["diff"]
    assert target.read_bytes() == sample.raw


@LIMITED
def test_a_letter_that_the_encoding_lacks_is_refused_by_name_and_nothing_is_written(
    client: Client, workspace: Path, sample: Sample
) -> None:
    target = workspace / f"{sample.name}.txt"
    line = sample.text.split("\n")[line_of(sample) - 1]
    edits = [{"oldText": sample.word, "newText": f"a {sample.strange}"}]
    named = f"line {line_of(sample)}: {sample.strange} (U+{ord(sample.strange):04X})"
    replaced = {
        "target_file": target.name,
        "edit_instruction": "replace the line",
        "edit_type": "replace",
        "start_line": line_of(sample),
        "code_block": sample.strange,
    }
    calls: list[tuple[str, Json]] = [
        ("edit_file", {"path": str(target), "edits": edits}),
        ("edit_files", {"paths": [str(target)], "edits": edits}),
        ("apply_patch", {"patch": patch_of(sample, line, sample.strange)}),
        ("ai_code_editing.edit_file", replaced),
    ]
    client.call("read_file", {"path": target.name})  # or the undo is a change not yet seen
    for tool, arguments in calls:
        answer = json.dumps(client.call(tool, arguments), ensure_ascii=False)
        assert named in answer, (tool, answer)
        assert target.read_bytes() == sample.raw


def test_encoding_overrides_what_would_be_detected(client: Client, workspace: Path) -> None:
    target = workspace / "short.txt"
    target.write_bytes("день".encode("cp1251"))
    read = client.call("read_file", {"path": str(target), "encoding": "windows-1251"})
    assert texts(read) == ["день", "[encoding: cp1251]"]
    several = client.call("read_multiple_files", {"paths": [str(target)], "encoding": "cp1251"})
    assert texts(several)[0].endswith("\nдень")
    read = client.call("read_file", {"path": target.name, "encoding": "cp1251"})
    assert fields(read)["content"] == "день"
    edits = [{"oldText": "день", "newText": "ночь"}]
    client.call("edit_file", {"path": str(target), "edits": edits, "encoding": "cp1251"})
    assert target.read_bytes() == "ночь".encode("cp1251")
    patch = "*** Begin Patch\n*** Update File: short.txt\n@@\n-ночь\n+вечер\n*** End Patch"
    client.call("apply_patch", {"patch": patch, "encoding": "cp1251"})
    assert target.read_bytes() == "вечер".encode("cp1251")
    target.unlink()


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("klingon", "Unknown encoding: klingon"),
        ("rot13", "Unknown encoding: rot13"),
        ("iso2022_jp", "Unknown encoding: iso2022_jp"),
        ("utf-8", "Not utf-8, byte"),
        ("shift_jis", "Not shift_jis, byte"),
    ],
)
def test_an_encoding_that_cannot_be_is_refused(
    client: Client, workspace: Path, encoding: str, said: str
) -> None:
    target = workspace / "euc-kr.txt"
    before = target.read_bytes()
    edits = [{"oldText": "limit", "newText": "most"}]
    for tool, arguments in [
        ("read_file", {"path": str(target)}),
        ("read_file", {"path": target.name}),
        ("edit_file", {"path": str(target), "edits": edits}),
    ]:
        answer = client.call(tool, {**arguments, "encoding": encoding})
        assert said in json.dumps(answer), (tool, answer)
    assert target.read_bytes() == before


@pytest.mark.requirement("encodings-order")
def test_editorconfig_names_the_encoding_of_short_and_of_new_letters(
    client: Client, workspace: Path
) -> None:
    folder = workspace / "configured"
    folder.mkdir(exist_ok=True)
    (folder / ".editorconfig").write_text("root = true\n[*.ini]\ncharset = latin1\n")
    short, plain = folder / "short.ini", folder / "plain.ini"
    short.write_bytes(b"name=\xe9\n")
    plain.write_bytes(b"name=\n")
    read = texts(client.call("read_file", {"path": str(short)}))
    assert read == ["name=é\n", "[encoding: iso8859-1]"]
    assert fields(client.call("search_text", {"query": "=É"}))["total_matches"] == 1
    edits = [{"oldText": "name=", "newText": "name=ü"}]
    client.call("edit_file", {"path": str(plain), "edits": edits})
    assert plain.read_bytes() == b"name=\xfc\n"
    wanted = {"path": str(short), "content": "", "dry_run": True}
    assert "\n-name=é" in texts(client.call("write_file", wanted))[0]
    client.call("edit_file", {"path": str(short), "edits": edits})
    made = fields(client.call("list_changes", {}))["changes"][0]["id"]
    diff = fields(client.call("show_change", {"id": made}))["diff"]
    assert "\n-name=é\n+name=üé\n" in diff


@pytest.mark.requirement("encodings-binary")
def test_binary_files_stay_binary_and_are_not_searched(client: Client, workspace: Path) -> None:
    target = workspace / "data.bin"
    target.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8 + b"limit = 30")
    whole = client.call("read_file", {"path": str(target)})["result"]["content"][0]
    assert whole["type"] == "resource"
    coding = client.call("read_file", {"path": target.name})
    assert fields(coding)["error"]["code"] == "BINARY_FILE"
    edits = [{"oldText": "limit", "newText": "most"}]
    answer = client.call("edit_file", {"path": str(target), "edits": edits})
    assert "Binary file" in json.dumps(answer)
    found = fields(client.call("search_text", {"query": "limit = 30"}))
    assert target.name not in [each["path"] for each in found["matches"]]
    target.unlink()


def test_code_context_reads_other_encodings_and_names_them(client: Client, workspace: Path) -> None:
    source = "# -*- coding: cp1251 -*-\ndef greet():\n    return 'Привет, мир'\n"
    (workspace / "greeting.py").write_bytes(source.encode("cp1251"))
    asked = {"file": "greeting.py", "symbol": "greet", "kind": "definition"}
    found = fields(client.call("ai_code_editing.get_code_context", asked))
    assert "Привет, мир" in found["snippets"][0]["text"]
    assert "greeting.py is in cp1251." in found["message"]
    (workspace / "greeting.py").unlink()


@pytest.mark.requirement("encodings-order")
def test_pages_and_blame_show_what_editorconfig_names(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / ".editorconfig").write_text("root = true\n[*.ini]\ncharset = latin1\n")
    for name in ("known.ini", "other.txt"):
        (root / name).write_bytes(b"\xe9\n")
    with Redline(Settings(workspace=str(root), state_dir=str(tmp_path / "state"))) as redline:
        shown, lines = [], []
        for name in ("known.ini", "other.txt"):
            path = redline.workspace.resolve(name, Access.WRITE)
            planned = plan_write(redline.tree, path, name, b"\xe9\xe8\n")
            operation = redline.editor.commit(planned, Origin("write"))
            shown.append(write_page(redline, redline.history.get(operation.id)))
            (line,) = blame(redline, path)
            lines.append((line.text, line.operation and line.operation.id == operation.id))
    assert lines == [("éè\n".encode(), True), (b"\xe9\xe8\n", True)]
    assert "éè" in re.sub("<[^>]*>", "", shown[0])
    assert "\\xe9\\xe8" in re.sub("<[^>]*>", "", shown[1])


@pytest.mark.requirement("encodings-search-says-so")
@pytest.mark.parametrize(
    ("tools", "tool", "query"),
    [
        ("coding", "search_text", {"query": "Łódź"}),
        ("files", "grep_files", {"globs": ["*"], "regex": "Łódź"}),
        # What only the engine of JavaScript understands.
        ("files", "grep_files", {"globs": ["*"], "regex": "(?=Łó)Łódź"}),
    ],
)
def test_every_toolset_names_the_files_that_a_search_could_not_decode(
    tmp_path: Path, tools: str, tool: str, query: Json
) -> None:
    (tmp_path / "one.txt").write_bytes("Łódź".encode("iso-8859-2"))
    (tmp_path / "plain.txt").write_text("Łódź\n")
    with connect("stdio", ["--tools", tools], cwd=tmp_path) as client:
        said = json.dumps(client.call(tool, query), ensure_ascii=False)
        assert "plain.txt" in said
        assert re.search(r"not decoded, the encoding is not certain: \S*one\.txt;", said)
        plain = {
            name: "plain" if name in ("query", "regex") else given for name, given in query.items()
        }
        assert "not decoded" not in json.dumps(client.call(tool, plain))


@pytest.mark.requirement("encodings-search-says-so")
def test_a_search_names_the_files_that_it_could_not_decode(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes("Łódź".encode("iso-8859-2"))
    (tmp_path / "plain.txt").write_text("plain\n")
    with connect("stdio", ["--tools", "agent"], cwd=tmp_path) as client:
        (said,) = texts(client.call("search", {"query": "Łódź"}))
        assert said.startswith("(no match)\n[not decoded")
        assert "one.txt" in said
        # Its ASCII is searched like that of any file.
        assert texts(client.call("search", {"query": "plain"})) == ["plain.txt:1:plain"]
