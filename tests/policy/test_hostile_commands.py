"""No command changes what a rule protects, whatever it tries, and no save of a person is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.processes.ground import BACKENDS, require
from tests.policy.hostile_commands import ATTACKS, find_contradictions
from tests.support import LONG, REPO, need

NOBODY = 65534
PROGRAM = Path(__file__).parent / "hostile_commands.py"
USERS = {"root": None, "nobody": NOBODY} if os.geteuid() == 0 else {"me": None}
ROUNDS = 500 if LONG else 12


def play(backend: str, user: int | None, first: int, count: int) -> dict[str, Any]:
    """Play rounds as *user* in a process of its own."""
    python = sys.executable if user is None else "/usr/bin/python3"
    modules = [str(REPO / "src"), sysconfig.get_path("purelib")]
    done = subprocess.run(
        [python, str(PROGRAM), backend, str(first), str(count)],
        capture_output=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        cwd="/",
        env={
            "PATH": os.environ["PATH"] if user is None else "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join(modules),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def nobody_can_run() -> bool:
    """Whether the user nobody has a Python of the version that Redline was installed for."""
    code = "import sys; open(sys.argv[1]).close(); print(*sys.version_info[:2])"
    seen = subprocess.run(
        ["/usr/bin/python3", "-c", code, str(PROGRAM)],
        user=NOBODY,
        group=NOBODY,
        cwd="/",
        check=False,
        capture_output=True,
    )
    return seen.stdout.split() == [str(part).encode() for part in sys.version_info[:2]]


@pytest.mark.requirement("policy-commands")
@pytest.mark.requirement("policy-commands-saves")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("user", USERS)
def test_no_command_changes_what_a_rule_protects_and_no_save_is_lost(
    backend: str, user: str
) -> None:
    require(backend)
    if USERS[user] is not None:
        need(nobody_can_run(), "a /usr/bin/python3 of the version that runs the tests")
    first = 10_000 * (BACKENDS.index(backend) * 2 + list(USERS).index(user))
    answer = play(backend, USERS[user], first, ROUNDS)
    assert answer["wrong"] == []
    if LONG:
        assert set(answer["attacks"]) >= set(ATTACKS)


def test_a_name_of_which_an_answer_says_two_things_is_found() -> None:
    notes = [
        "Not made, because a rule denies it: a, b and 2 more",
        "Undo does not cover: b (large)",
    ]
    assert find_contradictions(notes) == ["contradiction: b"]
    assert find_contradictions(notes[:1]) == []
