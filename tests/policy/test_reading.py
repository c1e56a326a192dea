"""Policy files: what is read, and errors that name the line and the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.core.ports.review import Action
from redline.policy.model import Policy
from redline.policy.reading import PolicyError, read_policy

WHOLE = """
default = "ask"
expires = "30m"

[[rule]]
name = "no generated code by hand"
paths = ["gen/**", "*.pb.go"]
tools = ["write_file"]
clients = "claude-*"
principals = ["ada"]
action = "deny"
reason = "run make gen"

[[rule]]
paths = ["deploy/*.yaml"]
fields = ["spec.replicas", "containers[*].image", '**."a.b"'.x]
more_than = { lines = 3, files = 2, bytes = 10 }
action = "allow"
"""


def read(text: str) -> Policy:
    return read_policy(text.encode(), "p.toml")


@pytest.mark.requirement("policy-format")
def test_a_whole_policy_is_read() -> None:
    text = WHOLE.replace("""'**."a.b"'.x""", "'**.x'")
    policy = read(text)
    assert (policy.default, policy.expires) == (Action.ASK, 1800)
    first, second = policy.rules
    assert (first.line, second.line) == (5, 14)
    assert first.clients == ("claude-*",)
    assert [pattern.steps for pattern in second.fields] == [
        ("spec", "replicas"),
        ("containers", "*", "image"),
        ("**", "x"),
    ]
    assert second.name == "rule 2"


@pytest.mark.requirement("policy-errors")
@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("x = = 1", "not valid TOML: .*line 1", None),
        ("defualt = 'deny'", "p.toml:1: unknown key defualt", "did you mean default"),
        ("\n[[rule]]\nactoin = 'deny'", "p.toml:3: unknown key actoin", "did you mean action"),
        ("[[rule]]\npaths = ['a']", "p.toml:1: the rule has no action", None),
        ("[[rule]]\naction = 'denny'", "p.toml:2: action is one of .*'denny'", "deny"),
        ("[[rule]]\naction = 'deny'\npaths = []", "p.toml:3: paths is a list", None),
        ("[[rule]]\naction = 'deny'\npaths = ['a[']", "p.toml:3: paths has a glob with an", None),
        ("[[rule]]\naction = 'deny'\npaths = ['../a']", "p.toml:3: paths has a glob with .", None),
        ("[[rule]]\naction = 'deny'\nmore_than = { lins = 1 }", "p.toml:3: unknown key", "lines"),
        ("[[rule]]\naction = 'deny'\nmore_than = { lines = -1 }", "p.toml:3: lines is a", None),
        ("[[rule]]\naction = 'deny'\nfields = ['a..b']", "p.toml:3: fields: Path is", None),
        ("[[rule]]\naction = 'deny'\nschema = 'no.json'", "p.toml:3: there is no such", None),
        ("rule = 3", "p.toml:1: write each rule as", None),
        ("expires = '5 days'", "p.toml:1: expires is a time", None),
        ("default = true", "p.toml:1: default is one of", None),
    ],
)
def test_an_error_names_the_line_and_what_is_wrong(
    text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(PolicyError, match=message) as caught:
        read(text)
    if hint is not None:
        assert hint in (caught.value.hint or "")


@pytest.mark.requirement("policy-format")
def test_lines_are_right_where_a_text_looks_like_a_rule() -> None:
    policy = read("default = 'deny'\n[[rule]]\naction = 'ask'\nreason = 'x'\n# [[rule]]\n")
    assert policy.rules[0].line == 2
    inline = read("rule = [\n  { action = 'ask' },\n  { action = 'deny' },\n]\n")
    assert [rule.line for rule in inline.rules] == [2, 3]


@pytest.mark.requirement("policy-example")
def test_the_example_policy_is_valid() -> None:
    example = Path(__file__).parents[2] / "docs" / "examples" / "policy.toml"
    policy = read_policy(example.read_bytes(), str(example))
    assert len(policy.rules) >= 6
    assert {rule.action for rule in policy.rules} == set(Action)
