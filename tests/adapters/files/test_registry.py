"""Which servers are noted beside a history, and what becomes of the notes of those killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from redline.adapters.files.registry import announce_server, list_servers

_SERVER = """
import sys
from redline.adapters.files.registry import announce_server
withdraw = announce_server(sys.argv[1], "http://127.0.0.1:1/mcp")
print("serving", flush=True)
sys.stdin.read()
"""


@contextmanager
def _server(state: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start another process that notes itself; it is killed in the end."""
    command = [sys.executable, "-c", _SERVER, str(state)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"serving\n"
        yield process
        process.kill()


def _notes(state: Path) -> list[Path]:
    return sorted(state.glob("server-*"))


@pytest.mark.requirement("server-notes")
def test_the_note_of_a_killed_server_is_removed_when_the_next_one_starts(tmp_path: Path) -> None:
    (tmp_path / "server-last-call").touch()
    with _server(tmp_path) as running:
        withdraw = announce_server(str(tmp_path), "stdio")
        assert running.pid in {server.pid for server in list_servers(str(tmp_path))}
        withdraw()
    assert len(_notes(tmp_path)) == 2
    withdraw = announce_server(str(tmp_path), "stdio")
    assert [server.address for server in list_servers(str(tmp_path))] == ["stdio"]
    assert len(_notes(tmp_path)) == 2
    withdraw()
    assert [note.name for note in _notes(tmp_path)] == ["server-last-call"]


@pytest.mark.requirement("server-notes")
def test_the_note_of_a_server_whose_process_cannot_be_seen_stays(tmp_path: Path) -> None:
    with _server(tmp_path) as running:
        note = _notes(tmp_path)[0]
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        # As in another container: its number means nothing here.
        note.write_text(note.read_text().replace(str(running.pid), str(ended.pid)))
        announce_server(str(tmp_path), "stdio")()
        assert note.exists()
    announce_server(str(tmp_path), "stdio")()
    assert not note.exists()
