"""`redline policy` and `redline held` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import Shell

POLICY = """
[[rule]]
name = "images"
paths = ["*.yaml"]
fields = ["image"]
action = "ask"
reason = "it is live"

[[rule]]
paths = ["gen/**"]
action = "deny"
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    (tmp_path / "config" / "redline").mkdir(parents=True)
    (tmp_path / "config" / "redline" / "policy.toml").write_text(POLICY)
    made.env["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    (made.folder / "a.yaml").write_text("image: a\nn: 1\n")
    return made


@pytest.mark.requirement("policy-command-line")
def test_check_and_explain(shell: Shell, tmp_path: Path) -> None:
    code, said, _ = shell("policy", "check")
    assert (code, b"2 rules, then allow" in said) == (0, True)
    code, said, _ = shell("policy", "explain", "gen/x")
    assert (code, b"gen/x: deny, by rule 2" in said) == (1, True)
    code, said, _ = shell("policy", "explain", "a.yaml", "--field", "image", "--json")
    assert code == 1
    assert json.loads(said)[-1]["line"] == 2
    code, said, _ = shell("policy", "explain", "a.yaml")
    assert (code, b"unless a rule above that may decide does" in said) == (0, True)
    code, _, said_wrong = shell("policy", "explain")
    assert (code, "Which file?" in said_wrong) == (2, True)
    (tmp_path / "bad.toml").write_text("defautl = 'ask'")
    code, _, said_wrong = shell("policy", "check", "--policy", str(tmp_path / "bad.toml"))
    assert (code, "bad.toml:1: unknown key defautl" in said_wrong) == (2, True)
    shell.env["XDG_CONFIG_HOME"] = str(tmp_path / "empty")
    assert shell("policy", "check")[0] == 3


@pytest.mark.requirement("policy-command-line")
def test_a_change_is_held_shown_approved_and_refused(shell: Shell) -> None:
    file = shell.folder / "a.yaml"
    code, _, said = shell("set", "a.yaml", "image", "b")
    assert (code, "images (line 2), it is live" in said) == (1, True)
    (held,) = json.loads(shell("held", "--json")[1])
    assert (held["state"], held["rules"][0]["field"]) == ("waiting", "image")
    shown = shell("held", "show", held["id"][:5])[1]
    assert b"+image: b" in shown
    assert b"images (line 2) for a.yaml image: it is live" in shown
    code, _, _ = shell(
        "held", "approve", held["id"], "--by", "Ada", "--content", "a.yaml", stdin=b"image: c\n"
    )
    assert (code, file.read_text()) == (0, "image: c\n")
    assert shell("held", "approve", held["id"])[0] == 1
    shell("set", "a.yaml", "image", "d")
    (held,) = json.loads(shell("held", "--json")[1])
    assert shell("held", "refuse", held["id"], "--reason", "no", "--by", "Ada")[0] == 0
    code, _, said = shell("set", "a.yaml", "image", "d")
    assert (code, "Ada refused" in said) == (1, True)
    assert b"nothing waits" in shell("held")[1]
    listed = json.loads(shell("held", "list", "--all", "--json")[1])
    assert [each["state"] for each in listed] == ["approved", "refused"]
    grants = [each for each in json.loads(shell("log", "--json")[1]) if each["kind"] == "grant"]
    assert [each["principal"] for each in grants] == ["Ada", "Ada"]
    assert shell("held", "show", "zz")[0] == 3
    assert shell("held", "approve")[0] == 2
