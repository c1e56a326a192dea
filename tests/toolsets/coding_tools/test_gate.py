"""The permission gate answers as the profile's table says, row by row."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.services.commands.gate import Surroundings, find_demands, split

AROUND = Surroundings(lambda word: word in ("passwd", "/usr/bin/chsh"), lambda path: path == "link")


def first(line: str, mode: str = "safe", **env: str) -> str | None:
    found = find_demands(line, env, AROUND, mode)
    return found[0].permission if found else None


@pytest.mark.requirement("coding-exec-gate-runs")
@pytest.mark.parametrize(
    "line",
    [
        "printf " + "x" * 300,
        "env",
        "npm test",
        "python -m pytest tests",
        "python repl.py",
        "yes x | head -c 10000",
        "awk 'BEGIN {print 1}'",
        "false",
        "sleep 5",
        "echo $NAME",
        "make -j4 2>/dev/null",
        "echo warn >&2",
        "git status && git diff",
        "rm -r build",
        "rm -f a.txt",
        "git clean -n",
        "git reset --soft HEAD",
        "sed -i s/a/b/ f.txt",
        "grep -rn 'a\\|b' .",
        "echo hi > out.txt",
        "cat < in.txt",
        "find . -name '*.py'",
        "chmod 644 f",
        "cat a..b",
        "for f in a b; do echo $f; done",
        "cat <<EOF\n/etc/passwd ../x\nEOF",
        "echo https://example.org | grep example",
        "# a comment with ../ and curl",
    ],
)
def test_everyday_lines_need_no_permission(line: str) -> None:
    assert find_demands(line, {}, AROUND) == []


@pytest.mark.requirement("coding-exec-gate-privileged")
@pytest.mark.parametrize(
    "line", ["passwd", "true; passwd -S", "env A=1 passwd", "/usr/bin/chsh -l"]
)
def test_a_setuid_program_needs_privileged_executable(line: str) -> None:
    assert first(line) == "privileged_executable"


@pytest.mark.requirement("coding-exec-gate-escape")
@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{name} /etc/x"
            for name in [
                "cat",
                "cd",
                "cp",
                "head",
                "less",
                "ls",
                "mkdir",
                "more",
                "mv",
                "rm",
                "rmdir",
                "stat",
            ]
        ),
        *(f"{name} ../x" for name in ("tail", "touch", "wc", "ln", "rm", "rmdir")),
        "chmod 777 /etc/x",
        "chown me ~/x",
        "cat link",
        "cat -- /etc/x",
        "ls sub/../../x",
        "cp --target-directory=/etc a",
        "grep root /etc/passwd",
        "grep -e root /etc/passwd",
        "rg x ../other",
        "sed p /etc/passwd",
        "awk 1 ~/x",
        "find / -name x",
        "find -L .. -name x",
        "bash /tmp/x.sh",
        "sh ../x.sh",
        "python /tmp/x.py",
        "python3.12 -u ../x.py",
        "node ~/x.js",
        "ruby /x.rb",
        "perl -w /x.pl",
        "zsh /x",
        "env -C /etc ls",
        "env --chdir=.. ls",
        "echo x > /etc/x",
        "echo x >> ../x",
        "cat < ~/x",
        "make 2> /tmp/log",
        "echo x > link",
        "true && cat /etc/x",
        "(cat /etc/x)",
        "if true; then cat /etc/x; fi",
        "'cat' \"/etc/x\"",
        "timeout 5 cat /etc/x",
    ],
)
@pytest.mark.parametrize("mode", ["safe", "dangerous"])
def test_a_path_outside_the_workspace_is_a_filesystem_escape(line: str, mode: str) -> None:
    assert first(line, mode) == "filesystem_escape"


@pytest.mark.requirement("coding-exec-gate-env")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((name, "x") for name in ("GH_TOKEN", "my_secret", "AWS_CREDENTIALS", "OPENAI_API_KEY")),
        *((name, "x") for name in ("ApiKey", "DB_PASSWORD", "PASSWD", "PRIVATE_THING")),
        *((name, "x") for name in ("BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH")),
        *((name, "x") for name in ("DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP")),
        *((name, "x") for name in ("NODE_OPTIONS", "RUBYOPT", "PERL5OPT")),
        ("HARMLESS", "sk-" + "a" * 24),
        ("HARMLESS", "ghp_" + "a" * 36),
        ("HARMLESS", "AKIA" + "A" * 16),
        ("HARMLESS", "-----BEGIN RSA PRIVATE KEY-----"),
    ],
)
def test_a_secret_or_loader_variable_needs_sensitive_env(key: str, value: str) -> None:
    assert first("true", **{key: value}) == "sensitive_env"


def test_an_ordinary_variable_needs_nothing() -> None:
    assert first("true", DEBUG="1", NODE_ENV="test") is None


@pytest.mark.requirement("coding-exec-gate-inline")
@pytest.mark.parametrize(
    "line",
    [
        *("sh -c ls", "bash -lc ls", "zsh -ec ls", "python -c 1", "python3 -Ic 1", "python -"),
        *("node -e 1", "node --eval 1", "node -p 1", "node --print 1", "node --eval=1"),
        *("ruby -e 1", "perl -e 1", "perl -ne 1", "env python -c 1", "env -i A=1 bash -c ls"),
        *("python <<EOF\nprint(1)\nEOF", "bash <<< ls", "nohup sh -c ls"),
    ],
)
def test_code_in_the_line_itself_is_an_inline_script(line: str) -> None:
    assert first(line) == "inline_script"


@pytest.mark.requirement("coding-exec-gate-expansion")
@pytest.mark.parametrize("line", ["echo `ls`", "echo $(ls)", "echo ${HOME}", "echo '${x}'"])
def test_an_expansion_needs_shell_expansion(line: str) -> None:
    assert first(line) == "shell_expansion"


@pytest.mark.requirement("coding-exec-gate-destructive")
@pytest.mark.parametrize(
    "line",
    [
        *("sudo ls", "su me", "chmod -R 755 .", "chown --recursive me .", "mkfs x", "mkfs.ext4 x"),
        *("mount a b", "umount a", "find . -name x -delete", "git reset --hard"),
        *("git -C sub reset HEAD~1 --hard", "git clean -f", "git clean -dxf", "git clean -x"),
        *("rm -rf x", "rm -fr x", "rm -r -f x", "rm -R --force x", "rm --recursive -f x"),
        *("true; rm -rf x", "env rm -rf x"),
    ],
)
def test_wide_destruction_needs_destructive_command(line: str) -> None:
    assert first(line) == "destructive_command"


@pytest.mark.requirement("coding-exec-gate-network")
@pytest.mark.parametrize(
    "line",
    [
        *(f"{name} example.org" for name in ["curl", "wget", "nc", "netcat", "ssh", "scp", "ftp"]),
        *("git clone https://x/y", "npm i http://x", "python -m http.server", "echo a | curl x"),
        *("xargs curl", "/usr/bin/curl x", "python get.py requests"),
    ],
)
def test_talking_to_others_needs_network(line: str) -> None:
    assert first(line) == "network"


@pytest.mark.requirement("coding-exec-gate-order")
def test_the_permission_named_is_the_first_of_the_table() -> None:
    line = "passwd; cat /etc/x; sh -c ls; echo $(x); rm -rf y; curl z"
    found = [demand.permission for demand in find_demands(line, {"TOKEN": "x"}, AROUND)]
    assert found == [
        "privileged_executable",
        "filesystem_escape",
        "sensitive_env",
        "inline_script",
        "shell_expansion",
        "destructive_command",
        "network",
    ]


@pytest.mark.requirement("coding-exec-gate-order")
def test_dangerous_mode_stops_after_the_second_row() -> None:
    line = "sh -c ls; echo $(x); rm -rf y; curl z"
    assert find_demands(line, {"TOKEN": "x"}, AROUND, "dangerous") == []


def test_trusted_mode_leaves_network_and_reading_to_the_kernel() -> None:
    assert find_demands("cat /etc/os-release; curl z; sh -c ls", {}, AROUND, "trusted") == []
    assert first("rm -rf x", "trusted") == "destructive_command"


@settings(max_examples=300)
@given(st.text(alphabet="ab -'\"\\$`(){}<>|&;\n#~/.=*", max_size=40))
def test_no_line_breaks_the_reader(line: str) -> None:
    for command in split(line):
        assert all(isinstance(word, str) for word in command.words)
    find_demands(line, {}, AROUND)


@settings(max_examples=200)
@given(st.lists(st.text(alphabet="abc /.~$'\"", min_size=1, max_size=6), min_size=1, max_size=5))
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    import shlex

    line = "run " + " ".join(shlex.quote(word) for word in words)
    assert split(line)[0].words == ["run", *words]
