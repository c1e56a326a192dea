"""Every promise in the first table of docs/safety.md is shown by probes or tests that exist."""

from __future__ import annotations

import ast

import pytest

from tests.probes.frame import AREAS, entries
from tests.support import REPO

_SANDBOX = "tests/adapters/sandbox/test_probes.py::"
_EXEC = "tests/toolsets/coding_tools/test_exec.py::"
_SURVIVORS = "tests/adapters/processes/test_survivors.py::"
# The start of a promise: the probes by id, and the tests by file and name, that show it.
SHOWN_BY: dict[str, tuple[str, ...]] = {
    "file tools never leave": (
        *("path-parent", "path-link", "path-linked-directory", "path-behind-missing"),
        *("path-proc", "race-directory-link"),
    ),
    "an edit is whole or not there": (
        *("two-state-homes", "journal-cut", "journal-flipped", "journal-zeros"),
        "tests/faults/test_kill.py::",
        "tests/faults/test_power.py::",
    ),
    "what your own tools execute": (
        *("git-config", "git-moved-into-place", "editor-task", "hooks-path", "direnv"),
        "tests/probes/test_every_writer.py::test_no_tool_writes_a_guarded_path",
    ),
    "while a policy is in force, a command changes nothing": (
        *("rule-padded", "rule-pipe", "rule-ignored", "rule-overlapping", "rule-parent-link"),
        *("rule-person-in-place-deny", "rule-person-by-rename-ask", "guarded-by-a-command"),
        "tests/policy/test_hostile_commands.py::",
    ),
    "Redline's own state is neither": ("home-as-root",),
    "a command writes only in": (f"{_SANDBOX}test_nothing_outside_is_reached",),
    "a command has no network": (f"{_SANDBOX}test_nothing_outside_is_reached",),
    "with `--allow-domain`": (
        *("egress-loopback", "egress-public", "egress-lookup", "egress-other-name"),
        *("egress-private-name", "egress-rebound", "egress-descriptors"),
    ),
    "a command cannot touch `.git`": (
        f"{_SANDBOX}test_git_data_is_read_only",
        f"{_SANDBOX}test_nothing_outside_is_reached",
        f"{_SANDBOX}test_secrets_of_the_person_are_hidden",
        *("git-nested", "git-linked", "git-link-replaced", "git-pointed", "git-separate"),
        *("process-limit", "process-priority", "homes"),
    ),
    "a command cannot change Redline itself": (
        *(
            "own-program",
            "own-state",
            "own-state-parent",
            "worker-module-changed",
            "worker-package-replaced",
        ),
    ),
    "a command makes no setuid file": (
        *("set-id-by-chmod", "set-id-by-open", "set-id-by-mknod", "shared-segment"),
    ),
    "a command reaches no service": (
        *("socket-by-relative-name", "socket-by-link", "socket-datagram"),
        *("own-server-loopback", "own-server-any", "own-server-mapped"),
    ),
    "nothing a command starts outlives it": (
        f"{_SURVIVORS}test_no_daemon_outlives_a_command_that_ends_by_itself",
        f"{_SURVIVORS}test_no_daemon_outlives_a_kill",
        f"{_SURVIVORS}test_nothing_outlives_a_supervisor_that_was_killed",
        f"{_SURVIVORS}test_nothing_outlives_a_server_that_was_killed",
    ),
    "a command's appetite is bounded": (
        f"{_SANDBOX}test_a_fork_bomb_stops_at_the_limit",
        f"{_SANDBOX}test_memory_and_file_size_have_limits",
        f"{_SANDBOX}test_many_processes_together_have_a_memory_limit",
        *("memory-file", "memory-busy-watcher"),
    ),
    "a command's variables act": ("loader-variables", "loader-variables-dry"),
    "a file that crashes or freezes a parser": (
        *("yaml-sequences", "ruby-heredoc", "kotlin-templates", "swift-comments"),
        "tests/probes/test_parser_probes.py::test_git_and_pictures_are_read_elsewhere",
    ),
    "secrets in the server's environment": (f"{_EXEC}test_the_environment_is_an_allow_list",),
    "nothing in a workspace makes a call hang": (
        *("fifo-gitignore-search", "fifo-gitignore-context", "fifo-read", "fifo-forty-searches"),
    ),
    "a cancelled call stops computing": (
        *("cancelled-edits", "cancelled-hunks", "cancelled-doc-edits"),
    ),
    "no pattern takes exponential time": ("glob-backtracking", "gitignore-backtracking"),
    "names and contents never reach your terminal": (
        *("terminal-name", "terminal-content", "terminal-forged-line"),
    ),
    "a browser's cookie alone": (
        *("cookie-at-another-port", "both-halves-at-another-page", "cookie-behind-tls"),
    ),
    "what the review page did not show": (
        *("approve-unseen-lines", "approve-unseen-binary", "approve-unseen-long-line"),
        "approve-another-change",
    ),
    "whatever an object store holds": (
        *("wake-parent", "wake-absolute", "wake-through-link", "wake-set-user-id"),
        *("wake-own-secret", "wake-bomb", "wake-content-unsigned", "wake-other-types"),
    ),
    "no agent can change a file that decides": (
        *("users-in-workspace", "users-hard-link", "audit-log-in-workspace"),
        *("config-in-workspace", "policy-in-workspace", "policy-hard-link"),
        *("policy-way", "policy-two-links", "state-dir-way", "config-home-way"),
    ),
    "nobody shuts out the rest": (
        *("streams-of-one-person", "bodies-that-never-come", "held-by-one-session"),
    ),
    "an early, readable refusal": (
        f"{_EXEC}test_a_refused_line_names_the_permission_and_runs_nothing",
    ),
}


def _promises() -> list[str]:
    text = (REPO / "docs" / "safety.md").read_text("utf-8")
    table = text.partition("| promise | enforced by |\n")[2].partition("\n\n")[0]
    return [line.split("|")[1].strip() for line in table.splitlines()[1:]]


def test_every_promise_is_shown() -> None:
    unshown = [each for each in _promises() if not any(each.startswith(s) for s in SHOWN_BY)]
    assert unshown == []
    assert len(_promises()) == len(SHOWN_BY)


@pytest.mark.parametrize("promise", SHOWN_BY)
def test_what_shows_a_promise_exists(promise: str) -> None:
    known = {entry["id"] for area in AREAS for entry in entries(area)}
    for shown_by in SHOWN_BY[promise]:
        file, found, name = shown_by.partition("::")
        if not found:
            assert shown_by in known
            continue
        nodes = ast.walk(ast.parse((REPO / file).read_text("utf-8")))
        names = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        assert name in names or not name, shown_by
