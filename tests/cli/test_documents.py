"""redline get, set, insert, delete and query as a shell sees them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.requirement("docs-cli")
def test_values_are_read_and_changed_and_the_change_is_undone(shell: Shell) -> None:
    file = shell.folder / "c.yaml"
    file.write_text("a:\n  b: 1 # x\n  l: [p]\n")
    assert shell("get", "c.yaml", "a.b") == (0, b"1\n", "")
    code, out, _ = shell("set", "c.yaml", "a.b", "2")
    assert code == 0
    assert b"-  b: 1 # x\n+  b: 2 # x\n" in out
    assert shell("insert", "c.yaml", "a.l[1]", "q", "--quiet") == (0, b"", "")
    assert shell("delete", "c.yaml", "a.l[0]", "-q")[0] == 0
    assert file.read_text() == "a:\n  b: 2 # x\n  l: [q]\n"
    for _ in range(3):
        assert shell("undo")[0] == 0
    assert file.read_text() == "a:\n  b: 1 # x\n  l: [p]\n"


@pytest.mark.requirement("docs-cli")
def test_a_dry_run_shows_the_diff_and_writes_nothing(shell: Shell) -> None:
    file = shell.folder / "c.toml"
    file.write_text("a = 1\n")
    code, out, _ = shell("set", "c.toml", "x.y", "[1]", "--create-parents", "--dry-run")
    assert code == 0
    assert b"+x.y = [1]" in out
    assert file.read_text() == "a = 1\n"


@pytest.mark.requirement("docs-cli")
def test_a_dash_reads_and_writes_the_standard_streams(shell: Shell) -> None:
    assert shell("set", "-", "a", "5", stdin=b'{"a": 1, "b": 2}') == (0, b'{"a": 5, "b": 2}', "")
    assert shell("get", "-", "a", "--json", stdin=b"a = 'x'\n") == (0, b'"x"\n', "")
    assert shell("delete", "-", "b", stdin=b"a: 1\r\nb: 2\r\n") == (0, b"a: 1\r\n", "")
    assert shell("query", "-", "$..n", "--paths", stdin=b"- n: 1\n- n: 2\n")[1] == b"[0].n\n[1].n\n"


@pytest.mark.requirement("docs-cli")
def test_exit_codes_tell_what_happened(shell: Shell) -> None:
    (shell.folder / "c.yaml").write_text("a: 1\n")
    (shell.folder / "bad.yaml").write_text("a: [\n")
    expected = {
        ("get", "c.yaml", "a"): 0,
        ("get", "c.yaml", "nope"): 3,
        ("delete", "c.yaml", "nope"): 3,
        ("query", "c.yaml", "$.nope"): 3,
        ("get", "c.yaml", "a..b"): 2,
        ("query", "c.yaml", "$.["): 2,
        ("get", "c.yaml", "a", "--doc-index", "4"): 2,
        ("get", "bad.yaml", "a"): 1,
        ("set", "bad.yaml", "a", "1"): 1,
        ("set", "c.yaml", "a", "["): 1,
        ("set", "c.yaml", "x.y", "1"): 1,
        ("get", "absent.yaml", "a"): 1,
    }
    for arguments, code in expected.items():
        actual, _, said = shell(*arguments)
        assert actual == code, (arguments, said)
        assert "Traceback" not in said
        assert "ERROR" not in said, "the native parser's own words reach the terminal"
        assert bool(said) == (code != 0 and arguments[:3] != ("query", "c.yaml", "$.nope"))
    assert (shell.folder / "c.yaml").read_text() == "a: 1\n"


@pytest.mark.requirement("docs-cli")
def test_a_file_outside_the_workspace_can_be_named(shell: Shell, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "x.json").write_text('{"a": 1}')
    assert shell("set", str(other / "x.json"), "a", "2", "-q")[0] == 0
    assert (other / "x.json").read_text() == '{"a": 2}'


@pytest.mark.requirement("docs-cli")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.yaml", "a: 1\nm:\n  k: 1\n"),
        ("c.json", '{"a": 1, "m": {"k": 1}}\n'),
        ("c.jsonc", '{"a": 1, "m": {"k": 1}} // c\n'),
        ("c.json5", "{a: 1, m: {k: 1}}\n"),
        ("c.toml", "a = 1\n[m]\nk = 1\n"),
    ],
)
def test_errors_name_the_file_the_keys_and_the_flags_of_the_shell(
    shell: Shell, name: str, text: str
) -> None:
    file = shell.folder / name
    file.write_text(text)
    code, _, said = shell("set", name, "m.n.o", "5")
    assert code == 1
    assert "keys here: k; --create-parents builds the missing levels" in said
    assert shell("get", name, "a", "--doc-index", "7")[2].startswith("redline: --doc-index is out")
    file.write_text(text + "]")
    for command in ("get", "delete"):
        code, _, said = shell(command, name, "a")
        assert code == 1
        assert said.startswith(f"redline: {name}: Invalid ")
    assert shell("get", "-", "a", "--format", name[2:], stdin=file.read_bytes())[2].startswith(
        "redline: standard input: Invalid "
    )


@pytest.mark.requirement("docs-cli")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize(
    "arguments",
    [("get", "c.toml"), ("query", "c.toml", "$.a"), ("set", "c.toml", "a", "2", "--dry-run")],
)
def test_output_that_cannot_be_written_is_said_in_one_line(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    (shell.folder / "c.toml").write_text("a = 1\n")
    with Path("/dev/full").open("wb") as full:
        code, said = shell.into(full, *arguments)
    assert code == 1
    assert said == "redline: Standard output cannot be written: No space left on device\n"


@pytest.mark.requirement("docs-set-text")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("x # y", "A part of the value would be dropped as a comment: # y"),
        ("# y", "A part of the value would be dropped as a comment: # y"),
        ("a: b", "The value would become a mapping: a: b"),
        ("it's # y", "A part of the value would be dropped as a comment: # y"),
    ],
)
def test_a_value_that_would_be_misread_is_refused_with_the_call_that_works(
    shell: Shell, value: str, said: str
) -> None:
    file = shell.folder / "c.yaml"
    file.write_text("server:\n  name: old\n")
    code, _, told = shell("set", "c.yaml", "server.name", value)
    assert (code, file.read_text()) == (1, "server:\n  name: old\n")
    assert said in told
    call = re.search(r"for text: redline (set .*?)(?:; for a mapping|$)", told, re.MULTILINE)
    assert call is not None
    assert shell(*shlex.split(call[1]))[0] == 0
    assert shell("get", "c.yaml", "server.name", "--raw")[1] == f"{value}\n".encode()


@pytest.mark.requirement("docs-set-text")
def test_a_mapping_is_set_in_braces(shell: Shell) -> None:
    file = shell.folder / "c.yaml"
    file.write_text("a: 1\n")
    _, _, told = shell("set", "c.yaml", "a", "b: 2")
    assert "for a mapping: '{b: 2}'" in told
    assert shell("set", "c.yaml", "a", "{b: 2}")[0] == 0
    assert file.read_text() == "a: {b: 2}\n"


@pytest.mark.requirement("docs-set-text")
@pytest.mark.parametrize(
    ("name", "before", "text", "after"),
    [
        ("c.yaml", "a: old\n", "no", 'a: "no"\n'),
        ("c.yaml", "a: old\n", "12", 'a: "12"\n'),
        ("c.yaml", "a: shop:1.0\n", "shop:2.0", "a: shop:2.0\n"),
        ("c.yaml", "a: 1.2.3\n", "1.2.4", "a: 1.2.4\n"),
        ("c.yaml", "a: old\n", "2001-01-01", 'a: "2001-01-01"\n'),
        ("c.yaml", "a: old\n", "a: b", 'a: "a: b"\n'),
        ("c.yaml", "a: 'old'\n", "it's", "a: 'it''s'\n"),
        ("c.yaml", 'a: "old"\n', "new", 'a: "new"\n'),
        ("c.yaml", "a: Größe\n", "Maß", "a: Maß\n"),
        ("c.yaml", "a: old\n", "", 'a: ""\n'),
        ("c.yaml", "a: old\n", "-x", 'a: "-x"\n'),
        ("c.json", '{"a": 1}\n', 'say "x"', '{"a": "say \\"x\\""}\n'),
        ("c.toml", 'a = "x"\n', "a # b", 'a = "a # b"\n'),
    ],
)
def test_text_is_written_as_it_is(
    shell: Shell, name: str, before: str, text: str, after: str
) -> None:
    (shell.folder / name).write_text(before)
    assert shell("set", name, "a", f"--string={text}")[0] == 0
    assert (shell.folder / name).read_text() == after
    assert shell("get", name, "a", "--raw")[1] == f"{text}\n".encode()


@pytest.mark.requirement("docs-set-text")
@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ('a: "yes"\n', "no", 'a: "no"\n'),
        ("a: 'yes'\n", "no", "a: 'no'\n"),
        ('a: "80"\n', "8080", 'a: "8080"\n'),
        ('a: "x"\n', "", 'a: ""\n'),
        ('a: "x"\n', "[1]", "a: [1]\n"),
        ("a: 80\n", "8080", "a: 8080\n"),
        ("a: 80\n", "'x'", "a: 'x'\n"),
    ],
)
def test_quotes_stay_where_the_old_value_had_them(
    shell: Shell, before: str, value: str, after: str
) -> None:
    (shell.folder / "c.yaml").write_text(before)
    assert shell("set", "c.yaml", "a", value)[0] == 0
    assert (shell.folder / "c.yaml").read_text() == after


@pytest.mark.requirement("docs-one-path")
@pytest.mark.parametrize(
    "path", ["server.port", ".server.port", "$.server.port", '$["server"].port']
)
def test_every_command_reads_one_kind_of_path(shell: Shell, path: str) -> None:
    file = shell.folder / "c.yaml"
    file.write_text("server:\n  port: 80\n  l: [a]\n")
    assert shell("get", "c.yaml", path)[1] == b"80\n"
    assert shell("query", "c.yaml", path)[1] == b"2: server.port = 80\n"
    assert shell("set", "c.yaml", path, "81")[0] == 0
    assert shell("insert", "c.yaml", path.replace("port", "l") + "[+]", "b")[0] == 0
    assert shell("delete", "c.yaml", path)[0] == 0
    assert file.read_text() == "server:\n  l: [a, b]\n"


@pytest.mark.requirement("docs-one-path")
def test_a_path_that_selects_several_is_sent_to_query(shell: Shell) -> None:
    (shell.folder / "c.yaml").write_text("list:\n  - x: 1\n  - x: 2\n$: top\n$ref: r\n")
    for path in ("list[*].x", "$..x", "$.list[?@.x == 1]"):
        code, _, told = shell("get", "c.yaml", path)
        assert code == 2
        assert "redline query lists what it selects" in told
    assert shell("query", "c.yaml", "list[*].x", "--paths")[1] == b"list[0].x\nlist[1].x\n"
    assert shell("get", "c.yaml", '["$"]')[1] == b"top\n"
    assert shell("get", "c.yaml", "$ref")[1] == b"r\n"
    assert shell("query", "c.yaml", "$['$']", "--paths")[1] == b'["$"]\n'


@pytest.mark.requirement("docs-one-path")
def test_an_insert_at_a_list_is_told_how_to_append(shell: Shell) -> None:
    (shell.folder / "c.yaml").write_text("list:\n  - x: 1\n")
    _, _, told = shell("insert", "c.yaml", "list", "{x: 3}")
    assert "insert at list[+]" in told
    assert shell("insert", "c.yaml", "list[+]", "{x: 3}")[0] == 0


@pytest.mark.requirement("docs-set-text")
@pytest.mark.parametrize("values", [[], ["v", "--string", "t"]])
def test_a_value_is_given_once(shell: Shell, values: list[str]) -> None:
    (shell.folder / "c.yaml").write_text("a: 1\n")
    code, _, told = shell("set", "c.yaml", "a", *values)
    assert code == 2
    assert "Give VALUE, or --string TEXT instead" in told
