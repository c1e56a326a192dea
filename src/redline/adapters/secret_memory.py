"""What is remembered about the secrets of a workspace: salted hashes, never a value."""

from __future__ import annotations

import json
import os
import time
from threading import Lock
from typing import Any

from redline.adapters.private_file import load_secret
from redline.secrets.desk import PersonsWord
from redline.secrets.find import FoundSecret

_NAME, _SALT = "secrets.jsonl", "secrets-salt"
_MAX_BYTES = 8 << 20


class SecretLedger:
    """See `secrets.desk.SecretMemory`: lines of JSON in the state directory, for its owner only."""

    def __init__(self, state_dir: str) -> None:
        self._path = os.path.join(state_dir, _NAME)
        self._state_dir = state_dir
        self._lock = Lock()
        self._mark: tuple[int, int] = (-1, 0)
        self._salt = b""
        self._lines: list[dict[str, Any]] = []
        self._hashes = PersonsWord()

    @property
    def salt(self) -> bytes:
        """What hashes are made with; it never leaves the state directory."""
        if not self._salt:
            try:
                self._salt = load_secret(self._state_dir, _SALT)
            except (OSError, ValueError):  # none can be kept: masks hold for this process
                self._salt = os.urandom(32)
        return self._salt

    def list_hashes(self) -> PersonsWord:
        """Return what a person said about values, as it is now."""
        self._load()
        return self._hashes

    def note_mask(self, mask: str, digest: str, found: FoundSecret, path: str) -> None:
        """Remember which mask was shown, so that a person can name it."""
        if self._mark[1] < _MAX_BYTES:
            facts = {"mask": mask, "kind": found.kind, "name": found.name, "path": path}
            self.write("shown", digest, **{key: value for key, value in facts.items() if value})

    def write(self, what: str, digest: str, **facts: Any) -> None:
        """Add one line: "shown", "added" or "allowed", or "forgotten" to take a line back."""
        line = {"what": what, "hash": digest, "time": int(time.time()), **facts}
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        try:
            os.makedirs(self._state_dir, mode=0o700, exist_ok=True)
            descriptor = os.open(self._path, flags, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(json.dumps(line).encode() + b"\n")
        except OSError:
            if what != "shown":
                raise

    def lines(self) -> list[dict[str, Any]]:
        """Return every line, the oldest first."""
        self._load()
        return list(self._lines)

    def _load(self) -> None:
        try:
            found = os.stat(self._path)
        except OSError:
            return
        mark = (found.st_mtime_ns, found.st_size)
        if mark == self._mark:
            return
        with self._lock:
            try:
                with open(self._path, "rb") as file:
                    lines = [_read_line(line) for line in file.read().splitlines()]
            except OSError:
                return
            self._lines = [line for line in lines if line is not None]
            hashes: dict[str, set[str]] = {}
            for line in self._lines:
                if line["what"] == "forgotten":
                    for kept in hashes.values():
                        kept.discard(line["hash"])
                elif line["what"] != "shown":
                    hashes.setdefault(line["what"], set()).add(line["hash"])
            said = (frozenset(hashes.get(what, ())) for what in ("allowed", "added"))
            self._hashes = PersonsWord(*said)
            self._mark = mark


def _read_line(line: bytes) -> dict[str, Any] | None:
    """Return what a line says; None for one that was cut or damaged."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(read, dict) and all(
        isinstance(read.get(name), str) for name in ("what", "hash")
    )
    return read if is_whole else None
