"""What get, set and delete say of files and paths that are not what they take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell

DOCUMENTS = {
    "a.yaml": "server:\n  port: 80\n  hosts: [a, b]\n",
    "a.json": '{"server": {"port": 80, "hosts": ["a", "b"]}}\n',
    "a.toml": '[server]\nport = 80\nhosts = ["a", "b"]\n',
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    for name, text in DOCUMENTS.items():
        (made.folder / name).write_text(text)
    return made


@pytest.mark.requirement("docs-only-utf8")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_that_is_not_utf_8_is_said_to_be_what_it_is(shell: Shell, name: str) -> None:
    file, text = shell.folder / name, DOCUMENTS[name]
    for raw, said in (
        (text.encode("utf-16"), "documents must be UTF-8, this is text in utf-16-le"),
        (text.encode("utf-16-be"), "documents must be UTF-8, this is text in utf-16-be"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "documents must be UTF-8, this is a binary file"),
        (text.encode() + b"\0", "documents must be UTF-8, this is a binary file"),
        (text.encode() + b"# \xfc\n", "documents must be UTF-8, this byte is not"),
    ):
        file.write_bytes(raw)
        for command in (("get", name, "a"), ("set", name, "a", "1")):
            code, _, error = shell(*command)
            assert (code, said in error) == (1, True), (command, error)
        assert file.read_bytes() == raw


@pytest.mark.requirement("docs-pointers-as-paths")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_json_pointer_is_answered_with_the_path(shell: Shell, name: str) -> None:
    for command in ("get", "delete"):
        code, _, error = shell(command, name, "/server/port")
        assert (code, "hint: a path is written server.port" in error) == (3, True), error
        assert "a path is written server.hosts[1]" in shell(command, name, "/server/hosts/1")[2]
        assert "a path is written" not in shell(command, name, "/other/port")[2]
    _, _, said = shell("set", name, "/server/port", "81", "--dry-run")
    assert "note: /server/port is a new key; as a path, this JSON Pointer is server.port" in said
    assert shell("set", name, "/server/port", "81")[0] == 0
    assert shell("set", name, "/server/port", "82")[2] == "", "the key is there now"
    assert shell("set", name, "/other", "1")[2] == ""
