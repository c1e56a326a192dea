"""Codex's app-server, spoken to line by line: it connects to Redline as it does for a person."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

from tests.support import NODE, NODE_MODULES

Json = dict[str, Any]
TIMEOUT = 60


class Codex:
    """One app-server with its own home directory."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [str(NODE_MODULES / ".bin" / "codex"), "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                "PATH": f"{NODE.parent}:{os.environ['PATH']}",
                "HOME": str(home),
                "CODEX_HOME": str(home / ".codex"),
                "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            },
        )
        self._answers: queue.Queue[Json] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._last = 0
        info = {"name": "tests", "title": "tests", "version": "1"}
        self.request("initialize", {"clientInfo": info})
        self._send({"method": "initialized"})

    def __enter__(self) -> Codex:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(10)
        assert self._process.stdout
        self._process.stdout.close()

    def request(self, method: str, params: Json) -> Json:
        """One request and its result."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            answer = self._answers.get(timeout=TIMEOUT)
            if answer.get("id") == self._last:
                assert "result" in answer, answer
                result: Json = answer["result"]
                return result

    def _send(self, message: Json) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            if "method" not in message:
                self._answers.put(message)
