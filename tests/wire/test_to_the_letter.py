"""What the specifications say to the letter, over both transports and in both eras."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PIL import Image as Pillow

from tests.wire.client import MODERN, Client, connect

Json = dict[str, Any]
EDITS = [{"oldText": "old", "newText": "new"}]


class Desk(NamedTuple):
    """A server of every toolset, its workspace, and a folder beside it."""

    client: Client
    root: Path
    outside: Path

    def call(self, tool: str, **arguments: Any) -> Json:
        """The result of a call that must succeed."""
        reply = self.client.call(tool, arguments)
        assert not reply.get("result", {"isError": True}).get("isError"), reply
        result: Json = reply["result"]
        return result

    def fails(self, tool: str, **arguments: Any) -> tuple[Any, str]:
        """Code and message of a call that must fail, in the form of either era."""
        reply = self.client.call(tool, arguments)
        if "error" in reply:
            return reply["error"]["code"], reply["error"]["message"]
        assert reply["result"].get("isError"), reply
        result = reply["result"]
        said = result.get("structuredContent") or result["_meta"]["redline/failure"]
        error = said.get("error")
        error = error if isinstance(error, dict) else said
        return error.get("code", error.get("error_code")), json.dumps(said)


@pytest.fixture(scope="module", params=["2025-11-25", MODERN])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["stdio", "http"])
def desk(
    request: pytest.FixtureRequest, era: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("letter").resolve()
    root, outside = base / "ws", base / "outside"
    root.mkdir()
    outside.mkdir()
    args = ["--tools", "files,coding,json,code", "--workspace", str(root)]
    with connect(request.param, args, cwd=root, protocol=era) as client:
        yield Desk(client, root, outside)


@pytest.mark.requirement("files-edit-many-outside")
@pytest.mark.requirement("files-grep-skipped-links")
@pytest.mark.requirement("files-dots-behind-missing")
@pytest.mark.requirement("files-name-too-long")
@pytest.mark.requirement("files-delete-special")
def test_paths_of_the_file_tools(desk: Desk) -> None:
    here = desk.root / "paths"
    here.mkdir()
    (here / "a.txt").write_text("old\n")
    (desk.outside / "b.txt").write_text("old\n")
    (here / "b.txt").symlink_to(desk.outside / "b.txt")
    assert desk.fails("edit_files", paths=[f"{here}/*.txt"], edits=EDITS)[0] == -32001
    assert (here / "a.txt").read_text() == "old\n"
    grep = desk.call("grep_files", regex="old", directory=str(here))
    assert grep["structuredContent"]["skipped"] == 1
    assert "1 path(s) skipped" in grep["content"][0]["text"]
    assert desk.fails("read_file", path=f"{here}/absent/../a.txt")[0] == -32001
    code, _ = desk.fails("write_file", path=f"{here}/new/{'x' * 300}", content="x")
    assert code == desk.fails("create_directory", path=f"{here}/new/{'x' * 300}")[0]
    assert not (here / "new").exists()
    (here / "special").mkdir()
    os.mkfifo(here / "special" / "pipe")
    deleted = desk.call("delete_file", path=str(here / "special"))
    assert "pipe" in deleted["content"][1]["text"]
    assert not (here / "special").exists()


@pytest.mark.requirement("server-huge-numbers")
@pytest.mark.parametrize("huge", [2**53, 2**63 - 1, 2**64 - 1, 10**30])
def test_numbers_beyond_any_count_are_as_good_as_large_ones(desk: Desk, huge: int) -> None:
    here = desk.root / f"numbers{huge}"
    here.mkdir()
    (here / "a.py").write_text("one\ntwo\n")
    read = desk.call("read_file", path=f"{here.name}/a.py", start_line=huge)["structuredContent"]
    assert (read["content"], read["total_lines"]) == ("", 2)
    read = desk.call("read_file", path=f"{here.name}/a.py", end_line=huge)["structuredContent"]
    assert read["content"] == "one\ntwo\n"
    tree = desk.call("directory_tree", path=str(here), depth=huge)["structuredContent"]
    assert [child["name"] for child in tree["children"]] == ["a.py"]
    found = desk.call("glob_search", directory=str(here), globs=["*"], max=huge)
    assert found["structuredContent"]["count"] == 1
    desk.call("grep_files", regex="one", directory=str(here), maxResults=huge, contextLines=huge)
    desk.call("execute_command", command="true", timeout=huge)
    code, _ = desk.fails(
        "ai_code_editing.edit_file",
        target_file=f"{here.name}/a.py",
        edit_instruction="x",
        start_line=huge,
        code_block="x",
    )
    assert code == "INVALID_INPUT"


@pytest.mark.requirement("files-edit-files-schema")
@pytest.mark.requirement("coding-annotations")
def test_what_is_listed(desk: Desk) -> None:
    listed = {tool["name"]: tool for tool in desk.client.list_tools()}
    item = listed["edit_files"]["inputSchema"]["properties"]["edits"]["items"]
    assert item["required"] == ["oldText"]
    assert set(item["properties"]) == {"oldText", "newText", "limit", "isRegex", "caseInsensitive"}
    for name in ("apply_patch", "search_text", "exec_command", "git_status"):
        assert listed[name]["annotations"]["title"] == listed[name]["title"]


@pytest.mark.requirement("files-grep-long-lines")
@pytest.mark.requirement("coding-search-preview")
def test_a_long_line_is_shown_where_it_matches(desk: Desk) -> None:
    here = desk.root / "long"
    here.mkdir()
    text = "é" * 20_000 + "NEEDLE" + "z" * 20_000
    (here / "one.js").write_text(f"short\n{text}\n")
    for regex in ("NEEDLE", "N(?=EEDLE)"):  # one for each engine
        found = desk.call("grep_files", regex=regex, directory=str(here), contextLines=1)
        context, match = found["structuredContent"]["matches"]
        assert (context["text"], match["line"]) == ("short", 2)
        _, before, shown, after, _ = re.split(r"\[(\d+) characters cut\]", match["text"])
        assert "NEEDLE" in shown
        assert int(before) + len(shown) + int(after) == len(text)
        assert match["text"] in found["content"][0]["text"]
    around = desk.call("grep_files", regex="short", directory=str(here), contextLines=1)
    assert around["structuredContent"]["matches"][1]["text"].endswith("characters cut]")
    for query, regex in (("needle", False), ("NE+DLE", True)):
        found = desk.call(
            "search_text", query=query, regex=regex, path="long", max_preview_bytes=80
        )
        [match] = found["structuredContent"]["matches"]
        assert "NEEDLE" in match["preview"]
        assert match["column"] == 20_001
        assert len(match["preview"].encode()) <= 80
        assert match["preview_truncated"] is True


@pytest.mark.requirement("files-read-long-line")
def test_a_file_of_one_huge_line_is_not_sent_round_in_a_circle(desk: Desk) -> None:
    path = desk.root / "huge.json"
    path.write_text("[" + "1234567é," * 1_200_000)
    for more in ({}, {"start_line": 1, "end_line": 1}):
        text, notice = desk.call("read_file", path=str(path), **more)["content"]
        assert text["text"].startswith("[1234567é,")
        assert "start_line" not in notice["text"]
        assert "fewer lines" not in notice["text"]
        assert "grep_files" in notice["text"]
    path.unlink()


@pytest.mark.requirement("files-read-many-items")
def test_an_unknown_argument_adds_no_item_to_a_list_of_files(desk: Desk) -> None:
    (desk.root / "m.txt").write_text("x\n")
    paths = [str(desk.root / "m.txt"), str(desk.root / "absent")]
    answer = desk.call("read_multiple_files", paths=paths, verbose=True)
    assert len(answer["content"]) == 2
    assert "verbose" in answer["_meta"]["redline/notes"][0]


@pytest.mark.requirement("files-linked-directories")
def test_both_listings_agree_on_links(desk: Desk) -> None:
    here = desk.root / "listed"
    (here / "sub").mkdir(parents=True)
    (here / "sub" / "deep").mkdir()
    (here / "plain.txt").write_text("x\n")
    (here / "b-link").symlink_to("sub")
    (here / "to-file").symlink_to("plain.txt")
    (here / "dangling").symlink_to("nowhere")
    (here / "sub" / "up").symlink_to("deep")
    (here / "out").symlink_to(desk.outside)
    listed = desk.call("list_directory", path=str(here))["structuredContent"]["entries"]
    tree = desk.call("directory_tree", path=str(here))["structuredContent"]
    children = tree["children"]
    assert [(c["name"], c["type"]) for c in children] == [(e["name"], e["type"]) for e in listed]
    types = {child["name"]: child for child in children}
    assert types["b-link"] == {"name": "b-link", "type": "directory", "children": []}
    assert types["to-file"]["type"] == types["out"]["type"] == types["dangling"]["type"] == "file"
    assert [child["type"] for child in types["sub"]["children"]] == ["directory", "directory"]


@pytest.mark.requirement("server-null-arguments")
def test_null_in_an_edit_means_absent(desk: Desk) -> None:
    path = desk.root / "null.txt"
    path.write_text("a b\n")
    edit = {"oldText": "a", "newText": "c", "limit": None, "isRegex": None, "caseInsensitive": None}
    desk.call("edit_file", path=str(path), edits=[edit], dryRun=None)
    assert path.read_text() == "c b\n"
    code, message = desk.fails("edit_file", path=str(path), edits=[{"oldText": None}])
    assert code == -32602
    assert "oldText" in message


@pytest.mark.requirement("files-edit-repeated")
def test_a_literal_call_sent_twice_is_made_once_and_other_calls_each_time(desk: Desk) -> None:
    path = desk.root / "twice.txt"
    for edit, results in (
        ({"oldText": "one", "newText": "one more"}, ["one more", "one more"]),
        ({"oldText": "^a", "newText": "ba", "isRegex": True}, ["baaa", "baaa"]),
        ({"oldText": "a", "newText": "b", "isRegex": True}, ["baa", "bba"]),
        ({"oldText": "a", "newText": "aa", "limit": 0}, ["aa", "aaaa"]),
    ):
        path.write_text({"one": "one", "^a": "aaa", "a": "aaa"}[edit["oldText"]])
        if edit.get("limit") == 0:
            path.write_text("a")
        for expected in results:
            desk.client.call("edit_file", {"path": str(path), "edits": [edit]})
            assert path.read_text() == expected


@pytest.mark.requirement("files-edit-already-said")
@pytest.mark.requirement("files-edit-short-inside-line")
def test_an_edit_that_is_in_place_and_a_short_one(desk: Desk) -> None:
    path = desk.root / "short.py"
    path.write_text("total = price\nprice = 1\n")
    there = [{"oldText": "gone = price\n", "newText": "total = price\n"}]
    _, message = desk.fails("edit_file", path=str(path), edits=there)
    assert "oldText not found: " in message
    assert "The new text is already in place" in message
    # The new text is in the file by chance; the old one is there and unique.
    desk.call("edit_file", path=str(path), edits=[{"oldText": "total", "newText": "price"}])
    assert path.read_text() == "price = price\nprice = 1\n"


@pytest.mark.requirement("files-search-text")
@pytest.mark.requirement("files-structured-info")
@pytest.mark.requirement("files-structured-names")
@pytest.mark.requirement("files-structured-roots")
@pytest.mark.requirement("files-structured-grep")
def test_structured_results_of_the_file_tools(desk: Desk) -> None:
    here = desk.root / "results"
    here.mkdir()
    (here / "one.md").write_text("a\nb\nc\n")
    info = desk.call("get_file_info", path=str(here / "one.md"))["structuredContent"]
    assert info["type"] == "file"
    assert {"created", "modified", "size", "permissions"} <= info.keys()
    for tool, given in (
        ("search_files", {"directory": str(here), "nameContains": "one"}),
        ("glob_search", {"directory": str(here), "globs": ["**/*.md"]}),
    ):
        found = desk.call(tool, **given)
        assert found["structuredContent"]["count"] == 1
        assert str(here / "one.md") in found["content"][0]["text"]
    grep = desk.call("grep_files", regex="b", directory=str(here), contextLines=1)
    lines = grep["structuredContent"]["matches"]
    assert [line["isMatch"] for line in lines] == [False, True, False]
    roots = desk.call("list_allowed_directories")["structuredContent"]["directories"]
    assert all("writable" in root for root in roots)


@pytest.mark.requirement("coding-path-drive")
@pytest.mark.requirement("coding-patch-onto-link")
@pytest.mark.requirement("coding-image-refused")
def test_paths_of_the_coding_tools(desk: Desk) -> None:
    for path in ("C:\\x", "C:/x"):
        for tool in ("list_dir", "read_file"):
            assert desk.fails(tool, path=path)[0] == "ABSOLUTE_PATH_DENIED"
    code, message = desk.fails("list_dir", path="../x")
    assert code == "PATH_OUTSIDE_WORKSPACE"
    assert "Path escapes the configured workspace." in message
    (desk.outside / "far").write_text("x\n")
    (desk.root / "near").symlink_to(desk.outside / "far")
    (desk.root / "own.txt").write_text("x\n")
    for change in ("Add File: near\n+y", "Update File: own.txt\n*** Move to: near\n@@\n-x\n+y"):
        patch = f"*** Begin Patch\n*** {change}\n*** End Patch\n"
        assert desk.fails("apply_patch", patch=patch)[0] == "SYMLINK_ESCAPE"
    assert (desk.outside / "far").read_text() == "x\n"
    (desk.root / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert desk.fails("view_image", path="a.svg")[0] == "BINARY_FILE"


@pytest.mark.requirement("coding-image-turned")
def test_a_resized_picture_keeps_which_way_is_up(desk: Desk) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    for name in ("turned.jpg", "turned.png", "turned.webp"):
        Pillow.effect_noise((100, 200), 90).convert("RGB").save(desk.root / name, exif=exif)
        shown = desk.call("view_image", path=name, max_width=50, max_height=50)
        assert shown["structuredContent"]["resized"] is True
        data = b64decode(shown["structuredContent"]["base64"])
        with Pillow.open(BytesIO(data)) as picture:
            assert (picture.size, picture.getexif()[0x0112]) == ((25, 50), 6)


@pytest.mark.requirement("coding-image-refused")
@pytest.mark.parametrize("kind", ["bmp", "tiff", "ico"])
def test_kinds_of_pictures_that_models_do_not_take_are_refused(desk: Desk, kind: str) -> None:
    Pillow.effect_noise((16, 16), 90).convert("RGB").save(desk.root / f"a.{kind}")
    code, message = desk.fails("view_image", path=f"a.{kind}")
    assert code == "BINARY_FILE"
    assert "PNG, JPEG, GIF or WebP" in message


@pytest.mark.requirement("coding-git-diff-conflicts")
def test_the_diff_of_a_conflict_is_gits(desk: Desk) -> None:
    here = desk.root

    def git(*arguments: str) -> str:
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(["git", *names, *arguments], cwd=here, capture_output=True, text=True)
        return done.stdout

    git("init", "-q", "-b", "main")
    for branch, text in (("main", "1\n"), ("side", "2\n"), ("main", "3\n")):
        if branch == "side":
            git("checkout", "-q", "-b", "side")
        elif text != "1\n":
            git("checkout", "-q", "main")
        (here / "clash.txt").write_text(text)
        git("add", "clash.txt")
        git("commit", "-qm", text)
    git("merge", "side")
    shown = desk.call("git_diff", path="clash.txt")["structuredContent"]["diff"]
    assert shown == git("diff", "--", "clash.txt")
    assert "++<<<<<<<" in shown
    staged = desk.call("git_diff", path="clash.txt", staged=True, unstaged=False)
    assert staged["structuredContent"]["diff"] == "* Unmerged path clash.txt\n"
    shutil.rmtree(here / ".git")


def _request_id(reply: Json) -> str:
    """The request id of a failure, in the form of either era."""
    found = re.search(r'"request_id": ?"(req_[^"]+)"', json.dumps(reply))
    assert found, reply
    return found[1]


@pytest.mark.requirement("json-request-id")
@pytest.mark.requirement("json-part-by-part")
@pytest.mark.requirement("json-apply-again-file")
def test_a_session_of_the_json_editor(desk: Desk) -> None:
    path = desk.root / "data.json"
    path.write_text('{"port": 1, "host": "a"}\n')
    order = {"document_path": "data.json", "instruction": "set port to 2 and set host to b"}
    unknown = {"session_id": "sess_0", "confirmed_changes": ["c"]}
    ids = {_request_id(desk.client.call("json_editor_apply", unknown)) for _ in range(3)}
    assert len(ids) == 3
    shown = desk.call("json_editor_preview", **order)["structuredContent"]
    session = shown["session_id"]
    for change in shown["changes"]:
        chosen = {"session_id": session, "confirmed_changes": [change["id"]]}
        desk.call("json_editor_apply", **chosen)
    assert json.loads(path.read_text()) == {"port": 2, "host": "b"}
    path.write_text('{"port": 7, "host": "z"}\n')
    ids = [change["id"] for change in shown["changes"]]
    code, _ = desk.fails("json_editor_apply", session_id=session, confirmed_changes=ids)
    assert code == "DOCUMENT_CHANGED"
    assert json.loads(path.read_text()) == {"port": 7, "host": "z"}


@pytest.mark.requirement("files-command-alike")
def test_both_tools_that_run_commands_say_alike_what_is_in_force(desk: Desk) -> None:
    own = desk.call("exec_command", cmd="echo hi", yield_time_ms=20000)["structuredContent"]
    other = desk.call("execute_command", command="echo hi")["structuredContent"]
    assert own["sandbox"] == other["sandbox"]


@pytest.mark.requirement("code-unknown-place")
@pytest.mark.requirement("code-explicit-insert")
@pytest.mark.requirement("code-instruction-places")
def test_an_insert_goes_where_it_says_or_nowhere(desk: Desk) -> None:
    path = desk.root / "main.py"
    path.write_text("def main():\n    return 1\n")
    edit = {"target_file": "main.py", "code_block": "log()"}
    tool = "ai_code_editing.edit_file"
    code, message = desk.fails(tool, edit_instruction="two lines below main", **edit)
    assert code == "INVALID_INPUT"
    assert "forms that are understood" in message
    words = "Fix the bug by adding a guard function"
    assert desk.fails(tool, edit_instruction=words, **edit)[0] == "INVALID_INPUT"
    shown = desk.call(tool, edit_instruction=words, edit_type="insert", dry_run=True, **edit)
    assert shown["structuredContent"]["diff"].endswith("     return 1\n+log()\n")
    desk.call(tool, edit_instruction="at the start of function main", **edit)
    assert path.read_text() == "def main():\n    log()\n    return 1\n"
