"""No open that can block: what is opened in a workspace is opened in one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "redline"
# Flags without which opening a FIFO waits for its other end.
SAFE = ("O_SAFE_OPEN", "_SAFE_FLAGS", "O_PATH", "O_DIRECTORY", "_OPEN_DIR", "_O_WALK", "O_NONBLOCK")
# Every other open, and why nothing a repository brings can be there.
PLAIN = {
    "settings.py": "the operator's own configuration files, which may well be a pipe",
    "adapters/audit_file.py": "the file the operator named",
    "adapters/files/locks.py": "files of the state directory",
    "adapters/files/registry.py": "files of the state directory",
    "recorder/adapters/locks.py": "files of the state directory",
    "recorder/adapters/watching.py": "limits of the kernel, in /proc",
    "adapters/ripgrep/texts_in_memory.py": "a file in memory",
    "adapters/workers/failed_content.py": "a file of the state directory",
    "adapters/workers/loaded_program.py": "a file of the installed package",
    "adapters/workers/isolated_calls.py": "descriptors we hold",
    "policy/adapters/held_store.py": "files of the state directory",
    "policy/adapters/policy_file.py": "the operator's own files, refused in a workspace",
    "adapters/files/private_database.py": "files of the state directory, or named by the operator",
    "adapters/git_worker.py": "a descriptor that was opened without waiting",
    "adapters/language_servers/pool.py": "files of /proc",
    "adapters/language_servers/table.py": "a descriptor that was opened without waiting",
    "adapters/private_file.py": "a new file of the operator's, or a file of the state directory",
    "teams/commands/token.py": "the users file that the operator named",
    "teams/people/users_file.py": "the users file that the operator named",
    "teams/adapters/folder.py": "notes in a folder of the operator's, beside the workspaces",
    "teams/adapters/last_call.py": "a file of the state directory",
    "teams/adapters/listed.py": "the list that the operator named",
    "teams/adapters/parked/move_lock.py": "a note in the operator's folder, beside the workspaces",
    "teams/adapters/parked/moving.py": "a file of the state directory",
    "teams/adapters/parked/snapshot.py": "opened without waiting and checked; or a new file",
    "adapters/scratch.py": "a temporary directory of our own",
    "adapters/std_streams.py": "descriptors we hold, and the null device",
    "adapters/workers/child.py": "descriptors we hold",
    "adapters/ripgrep/process.py": "temporary files of our own, the null device, and /proc",
    "adapters/files/disk.py": "flags come from the caller, which adds O_SAFE_OPEN",
    "adapters/files/disk_linux.py": "flags come from the caller, which adds O_SAFE_OPEN",
    "adapters/files/disk_portable.py": "Windows, which has no FIFOs in its file systems",
    "adapters/images.py": "bytes in memory",
    "review/adapters/browser.py": "a file of the state directory",
    "adapters/terminal.py": "the terminal",
    "adapters/command_runs.py": "a file of /proc",
    "adapters/secret_memory.py": "a file of the state directory",
    "teams/adapters/redis_group.py": "a file of the state directory",
    "review/page/layout.py": "files of the installed package",
}
# Whole folders: files of /proc, control groups and views made for a command, after it ended.
PLAIN_FOLDERS = ("adapters/sandbox/", "adapters/processes/")
READS = ("read_text", "read_bytes", "write_text", "write_bytes")


def opens(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Calls that open a file by its name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        by_path = called.startswith("Path(") and called.rpartition(".")[2] in (*READS, "open")
        if by_path or called in ("open", "os.open", "io.open", "os.fdopen"):
            yield node, called


@pytest.mark.requirement("server-no-blocking-open")
def test_every_open_is_safe_or_has_a_reason() -> None:
    doubtful = []
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        if name in PLAIN or name.startswith(PLAIN_FOLDERS):
            continue
        for call, called in opens(ast.parse(file.read_text("utf-8"))):
            text = ast.unparse(call)
            if called != "os.open" or not any(flag in text for flag in SAFE):
                doubtful.append(f"{name}:{call.lineno}: {text[:80]}")
    assert doubtful == [], "open with O_NONBLOCK and require a regular file, or say why not here"


def test_the_modules_that_may_open_plainly_exist() -> None:
    """A name that is gone from the source is gone from the list too."""
    assert [name for name in PLAIN if not (SOURCE / name).exists()] == []
