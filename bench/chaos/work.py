"""What a client does: edits, undo, previews, questions, one after the other, at random."""

from __future__ import annotations

import random
import re
import threading
import time

from bench.chaos.clients import EraClient
from bench.chaos.ledger import Attempt, Ledger
from bench.chaos.wire import Json, Lost, Refused

SHARED = "shared.txt"
EMPTY = "BEGIN\nEND\n"
_PAUSE = 0.05


class Worker(threading.Thread):
    """One client at work until *stop* is set."""

    def __init__(
        self,
        number: int,
        client: EraClient,
        workspaces: list[str],
        ledger: Ledger,
        stop: threading.Event,
        seed: int,
    ) -> None:
        super().__init__(name=f"client-{number}", daemon=True)
        self._number = number
        self._client = client
        self._workspaces = workspaces
        self._ledger = ledger
        self._ending = stop
        self._chance = random.Random(f"{seed}-{number}")
        self._tokens = 0
        self.own_file = f"client-{number}.txt"

    def run(self) -> None:
        """Work."""
        jobs = [self._edit_shared] * 4 + [self._edit_and_undo] * 3 + [self._preview] * 2
        jobs += [self._ask, self._look]
        while not self._ending.is_set():
            workspace = self._chance.choice(self._workspaces)
            try:
                self._chance.choice(jobs)(workspace)
                self._ledger.count("jobs done")
            except Lost as lost:
                self._ledger.count("answers lost")
                self._ledger.count(f"lost: {_shorten(str(lost))}")
                time.sleep(_PAUSE)
            except Refused as refused:
                self._ledger.count("calls refused")
                self._ledger.count(f"refused: {_shorten(refused.text)}")
                time.sleep(_PAUSE)
            except Exception as failure:
                self._ledger.blame(f"{self.name}: {failure!r}")
                time.sleep(_PAUSE)

    def _edit_shared(self, workspace: str) -> None:
        attempt = self._ledger.send(self._token(), workspace, SHARED)
        edit = {"oldText": "END\n", "newText": f"{attempt.token}\nEND\n"}
        self._change(attempt, "edit_file", {"path": SHARED, "edits": [edit]})
        self._ledger.count("edits acknowledged")

    def _edit_and_undo(self, workspace: str) -> None:
        attempt = self._patch(workspace)
        if self._chance.random() < 0.5:
            return
        attempt.must_be_there = False  # from here on it may be undone, whatever the answer
        try:
            done = self._client.call(workspace, "undo_change", {"id": attempt.change})
        except Refused:
            attempt.must_be_there = True
            raise
        attempt.refuse(f"undone: {done.get('structuredContent') or done}")
        self._ledger.count("changes undone")

    def _patch(self, workspace: str) -> Attempt:
        """Add a line to this client's own file; the answer names the change."""
        attempt = self._ledger.send(self._token(), workspace, self.own_file)
        lines = f"*** Update File: {self.own_file}\n@@\n-END\n+{attempt.token}\n+END"
        arguments = {"patch": f"*** Begin Patch\n{lines}\n*** End Patch"}
        result = self._change(attempt, "apply_patch", arguments)
        attempt.change = result["structuredContent"]["id"]
        self._ledger.count("edits acknowledged")
        return attempt

    def _change(self, attempt: Attempt, tool: str, arguments: Json) -> Json:
        try:
            result = self._client.call(attempt.workspace, tool, arguments)
        except Refused as refused:
            attempt.refuse(f"refused: {refused}")
            raise
        attempt.must_be_there = True
        return result

    def _preview(self, workspace: str) -> None:
        value = self._chance.randrange(10**6)
        arguments = {
            "document": {"name": "a", "count": -1},
            "instruction": f"set count to {value}",
        }
        shown = self._client.call(workspace, "json_editor_preview", arguments)
        session = shown["structuredContent"]["session_id"]
        done = self._apply(workspace, session)
        found = done["structuredContent"]["modified_document"]
        if found != {"name": "a", "count": value}:
            self._ledger.blame(f"{workspace}: another preview was applied: {found}")
        self._ledger.count("previews applied")

    def _apply(self, workspace: str, session: str) -> Json:
        """Apply a preview, also one that must wait until Redis is back."""
        while True:
            try:
                return self._client.call(workspace, "json_editor_apply", {"session_id": session})
            except Refused as refused:
                if "REDIS_CONNECTION_ERROR" in refused.text and not self._ending.is_set():
                    self._ledger.count("applied again when Redis was back")
                    time.sleep(_PAUSE)
                    continue
                if "SESSION_NOT_FOUND" in refused.text:
                    self._ledger.blame(f"{workspace}: a preview is lost: {refused}")
                raise

    def _ask(self, workspace: str) -> None:
        """Make a file that needs a person's consent; the person says yes."""
        token = self._token()
        file = f"q-{token}/.envrc"
        attempt = self._ledger.send(token, workspace, file)
        patch = f"*** Begin Patch\n*** Add File: {file}\n+{token}\n*** End Patch"
        self._change(attempt, "apply_patch", {"patch": patch})
        self._ledger.count("consents carried out")

    def _look(self, workspace: str) -> None:
        self._client.call(workspace, "list_changes", {"limit": 5})

    def _token(self) -> str:
        self._tokens += 1
        return f"c{self._number}-{self._tokens}"


def _shorten(text: str) -> str:
    """The part of a failure that tells its kind."""
    found = re.search(r'"message": ?"([^"\\]*)', text)
    return re.sub(r"[0-9a-f]{16,}|team-\d+|client-\d+", "...", found[1] if found else text)[:90]
