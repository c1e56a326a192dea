"""`redline policy` and `redline held` as a person runs them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from redline.core.ports.review import PermissionQuestion
from redline.review.adapters.stores import SqliteQuestions
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
    assert b"\nfor        set image" in shown
    assert held["summary"].startswith("set image")
    assert b"images (line 2) for a.yaml image: it is live" in shown
    given = ("held", "approve", held["id"], "--by", "Ada", "--content", "a.yaml")
    code, _, asked = shell.at_terminal(*given, stdin=b"image: c\n")
    assert (code, file.read_text()) == (0, "image: c\n")
    assert "images (line 2) for a.yaml image: it is live" in asked
    assert "Approve it as Ada?" in asked
    assert "for        set image" in asked
    assert shell("held", "approve", held["id"])[0] == 1
    shell("set", "a.yaml", "image", "d")
    (held,) = json.loads(shell("held", "--json")[1])
    given = ("held", "refuse", held["id"], "--reason", "no", "--by", "Ada")
    assert shell.at_terminal(*given)[0] == 0
    code, _, said = shell("set", "a.yaml", "image", "d")
    assert (code, "Ada refused" in said) == (1, True)
    assert b"nothing waits" in shell("held")[1]
    listed = json.loads(shell("held", "list", "--all", "--json")[1])
    assert [each["state"] for each in listed] == ["approved", "refused"]
    grants = [each for each in json.loads(shell("log", "--json")[1]) if each["kind"] == "grant"]
    assert [each["principal"] for each in grants] == ["Ada", "Ada"]
    assert shell("held", "show", "zzzzzzzzz")[0] == 3
    assert shell("held", "approve")[0] == 2


@pytest.mark.requirement("policy-command-line-person")
def test_only_a_person_at_a_terminal_decides(shell: Shell) -> None:
    file = shell.folder / "a.yaml"
    shell("set", "a.yaml", "image", "b")
    (held,) = json.loads(shell("held", "--json")[1])
    for action in ("approve", "refuse"):
        code, _, said = shell("held", action, held["id"], "--by", "Ada", stdin=b"yes\n")
        assert (code, "there is none here" in said) == (1, True)
    for typed in ("y\n", "\x04"):
        given = ("held", "approve", held["id"])
        code, answer, _ = shell.at_terminal(*given, types=typed, stdin=b"yes\n")
        assert (code, b"still waits" in answer) == (1, True), typed
    (still,) = json.loads(shell("held", "--json")[1])
    assert (still["state"], file.read_text()) == ("waiting", "image: a\nn: 1\n")
    assert shell.at_terminal("held", "approve", held["id"])[0] == 0
    assert file.read_text() == "image: b\nn: 1\n"


def ask(shell: Shell, ident: str, message: str) -> SqliteQuestions:
    questions = SqliteQuestions(shell.env["REDLINE_STATE_DIR"])
    now = time.time()
    questions.ask(PermissionQuestion(ident, now, now + 600, "run", "agent 1", "ana", "s1", message))
    return questions


@pytest.mark.requirement("policy-command-line-questions")
def test_questions_of_commands_are_listed_shown_and_answered(shell: Shell) -> None:
    shell("set", "a.yaml", "image", "b")
    ask(shell, "aa11", "Allow the network?\ncurl \u202eexample.com\nsecond line").close()
    questions = ask(shell, "bb22", "Allow sudo?\nsudo true")
    listed = json.loads(shell("held", "--json")[1])
    assert [(each["kind"], each["state"]) for each in listed] == [
        ("change", "waiting"), ("command", "waiting"), ("command", "waiting"),
    ]  # fmt: skip
    shown = shell("held")[1].decode()
    assert "curl \\u202eexample.com" in shown
    assert "second line" not in shown
    shown = shell("held", "show", "aa")[1].decode()
    for part in ("aa11", "waiting", "agent 1 ana, tool run", "Allow the network?", "second line"):
        assert part in shown
    message = json.loads(shell("held", "show", "aa", "--json")[1])["message"]
    assert message.endswith("second line")
    assert shell("held", "approve", "aa11", stdin=b"yes\n")[0] == 1, "no terminal"
    code, _, asked = shell.at_terminal("held", "approve", "aa", "--by", "Ada")
    assert code == 0
    assert "curl \\u202eexample.com" in asked
    assert "second line" in asked
    given = ("held", "refuse", "bb22", "--by", "Ada", "--reason", "use the mirror")
    code, said, _ = shell.at_terminal(*given, "--json")
    assert (code, json.loads(said)) == (0, {"id": "bb22", "state": "refused"})
    told = {each.id: each.decision for each in questions.take_decisions("s1")}
    assert {key: (d.state.value, d.by, d.reason) for key, d in told.items() if d} == {
        "aa11": ("approved", "Ada", ""), "bb22": ("refused", "Ada", "use the mirror"),
    }  # fmt: skip
    questions.close()
    assert shell.at_terminal("held", "refuse", "aa11")[0] == 1, "the first answer counts"
    grants = [each for each in json.loads(shell("log", "--json")[1]) if each["kind"] == "grant"]
    assert [each["summary"].split()[0] for each in grants] == ["denied", "allowed"]


@pytest.mark.requirement("policy-command-line-questions")
def test_what_does_not_belong_to_a_decision_is_refused(shell: Shell) -> None:
    shell("set", "a.yaml", "image", "b")
    ask(shell, "aa11", "Allow sudo?\nsudo true").close()
    (held,) = [each for each in json.loads(shell("held", "--json")[1]) if each["kind"] == "change"]
    for given, why in (
        (("approve", held["id"], "--reason", "x"), "reason"),
        (("refuse", held["id"], "--content", "a.yaml"), "contents"),
        (("approve", "aa11", "--content", "a.yaml"), "no contents"),
    ):
        code, _, said = shell("held", *given)
        assert (code, why in said) == (2, True), (given, said)
