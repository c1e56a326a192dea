"""Store held changes in a database in the state directory, out of reach of tools and commands."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from redline.adapters.files.platform import lock, unlock
from redline.adapters.files.private_database import open_private_database, write_transaction
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal import records
from redline.core.changes import Change, ChangeSet, FileState, Rename, State
from redline.core.errors import HeldDecided, LimitReached, UnknownHeld, WriteFailed
from redline.core.ports.history import Origin
from redline.core.ports.review import HELD_FILE, Action, Decision, HeldChange, HeldState, Ruling
from redline.core.records import asdict, replace

if TYPE_CHECKING:  # every edit checks for held changes; few find any and need a database
    import sqlite3

_SCHEMA = """
CREATE TABLE IF NOT EXISTS held (
  id TEXT PRIMARY KEY, session TEXT NOT NULL, time REAL NOT NULL, expires REAL NOT NULL,
  facts TEXT NOT NULL, body BLOB NOT NULL, decision TEXT, is_delivered INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents (
  id TEXT NOT NULL, digest TEXT NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (id, digest)
) WITHOUT ROWID;
"""
_LOCK = "held.lock"
_BUSY_SECONDS = 10.0
# A decided or expired change is kept this long, so that its agent can learn what became of it.
_KEPT_SECONDS = 7 * 86400.0
MAX_BYTES = 32 << 20
MAX_WAITING = 200
# One session may have 1/4 of MAX_WAITING, and one client with all its sessions 1/2.
SESSION_SHARE, CLIENT_SHARE = 4, 2


class HeldStore:
    """See `core.ports.review.HeldChanges`."""

    def __init__(self, workspace: DiskWorkspace, state_dir: str) -> None:
        self._workspace = workspace
        self._directory = state_dir
        self._path = os.path.join(state_dir, HELD_FILE)
        self._lock = Lock()
        self._seen: tuple[int, int] | None = None

    def hold(self, change: HeldChange) -> HeldChange:
        """Store *change*; if a change with its id waits or was refused, return that one instead.

        Raises LimitReached when it is too large, or too many changes wait.
        """
        contents = change.change_set.contents()
        size = sum(map(len, contents.values()))
        if size > MAX_BYTES:
            raise LimitReached(
                f"The change is too large to be held: {size} bytes, at most {MAX_BYTES}",
                hint="make smaller changes",
            )
        with self._transaction() as db:
            now = time.time()
            row = db.execute(f"{_SELECT} WHERE id = ?", (change.id,)).fetchone()
            if row is not None:
                known = self._read(row)
                if known.state(now) in (HeldState.WAITING, HeldState.REFUSED):
                    return known
            self._drop_old(db, now)
            self._check_room(db, change.origin, now)
            self._insert(db, change, contents)
        return change

    def _check_room(self, db: sqlite3.Connection, origin: Origin, now: float) -> None:
        """Raise LimitReached when the session, the client or the workspace has too many waiting."""
        rows = db.execute(f"{_SELECT} WHERE decision IS NULL AND expires > ?", (now,)).fetchall()
        waiting = [self._read(row).origin for row in rows]
        theirs = [
            o for o in waiting if (o.client, o.principal) == (origin.client, origin.principal)
        ]
        own = [each for each in waiting if each.session == origin.session]
        for found, share, whose in (
            (waiting, 1, ""),
            (own, SESSION_SHARE, "of this session "),
            (theirs, CLIENT_SHARE, "of this client "),
        ):
            if len(found) >= MAX_WAITING // share:
                raise LimitReached(
                    f"Too many changes {whose}wait for a person: {len(found)}",
                    hint="wait until some of them are decided",
                )

    def list(self) -> Sequence[HeldChange]:
        """Return every stored change, newest first, without contents."""
        if not os.path.exists(self._path):
            return []
        with self._transaction() as db:
            rows = db.execute(f"{_SELECT} ORDER BY time DESC").fetchall()
        return [self._read(row) for row in rows]

    def get(self, held_id: str) -> HeldChange:
        """Return the one held change whose id starts with *held_id*, with contents."""
        found = [held for held in self.list() if held_id and held.id.startswith(held_id)]
        if len(found) != 1:
            several = f": it could be {', '.join(held.id for held in found)}" if found else ""
            raise UnknownHeld(
                f"No held change has this id: {held_id}{several}",
                hint="redline held lists the changes that wait",
            )
        (held,) = found
        with self._transaction() as db:
            rows = db.execute("SELECT digest, packed FROM contents WHERE id = ?", (held.id,))
            contents = {digest: zlib.decompress(packed) for digest, packed in rows}
        return replace(held, change_set=_fill(held.change_set, contents))

    @contextmanager
    def deciding(self, held_id: str) -> Iterator[HeldChange]:
        """Hold the lock under which one process decides a change; HeldDecided if it is decided."""
        self.get(held_id)  # raise UnknownHeld before the lock file is created
        fd = os.open(
            os.path.join(self._directory, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            lock(fd, exclusive=True, wait=True)
            held = self.get(held_id)
            state = held.state(time.time())
            if state is not HeldState.WAITING:
                raise HeldDecided(_describe_end(held, state), details={"state": state.value})
            try:
                yield held
            finally:
                unlock(fd)
        finally:
            os.close(fd)

    def decide(self, held_id: str, decision: Decision) -> HeldChange:
        """Store *decision* and return the change with it."""
        with self._transaction() as db:
            db.execute(
                "UPDATE held SET decision = ?, is_delivered = 0 WHERE id = ?",
                (json.dumps(asdict(decision)), held_id),
            )
            row = db.execute(f"{_SELECT} WHERE id = ?", (held_id,)).fetchone()
        return self._read(row)

    def take_decisions(self, session: str) -> Sequence[HeldChange]:
        """Return decided changes of *session* that no earlier call has returned."""
        if not os.access(self._path, os.F_OK):
            return []
        try:
            found = os.stat(self._path)
        except OSError:
            return []
        mark = (found.st_mtime_ns, found.st_size)
        if mark == self._seen:
            return []
        with self._transaction() as db:
            rows = db.execute(
                f"{_SELECT} WHERE session = ? AND decision IS NOT NULL AND is_delivered = 0"
                " ORDER BY time",
                (session,),
            ).fetchall()
            ids = [(row[0],) for row in rows]
            db.executemany("UPDATE held SET is_delivered = 1 WHERE id = ?", ids)
            others = db.execute(
                "SELECT 1 FROM held WHERE decision IS NOT NULL AND is_delivered = 0 LIMIT 1"
            ).fetchone()
        # No session has an undelivered decision: query again only when the file changes.
        self._seen = mark if not rows and others is None else None
        return [self._read(row) for row in rows]

    # -- rows ---------------------------------------------------------------------------------

    def _insert(
        self, db: sqlite3.Connection, change: HeldChange, contents: dict[str, bytes]
    ) -> None:
        facts = json.dumps(
            {
                "rulings": [asdict(ruling) for ruling in change.rulings],
                "kind": change.kind,
                "reverts": change.reverts,
            }
        )
        body = records.encode_body(change.change_set, change.origin, (), self._workspace.root_path)
        db.execute("DELETE FROM contents WHERE id = ?", (change.id,))
        db.execute(
            "INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?, ?, NULL, 0)",
            (change.id, change.origin.session, change.time, change.expires, facts, body),
        )
        db.executemany(
            "INSERT INTO contents VALUES (?, ?, ?)",
            [(change.id, digest, zlib.compress(data, 1)) for digest, data in contents.items()],
        )

    def _read(self, row: tuple[Any, ...]) -> HeldChange:
        held_id, moment, expires, facts_text, body, decision_text = row
        facts = json.loads(facts_text)
        change_set, origin, _ = records.decode_body(body, self._workspace.root_number)
        rulings = tuple(
            Ruling(**{**each, "action": Action(each["action"])}) for each in facts["rulings"]
        )
        decision = None
        if decision_text is not None:
            found = json.loads(decision_text)
            decision = Decision(**{**found, "state": HeldState(found["state"])})
        return HeldChange(
            held_id, moment, expires, origin, change_set, rulings,
            facts["kind"], facts["reverts"], decision,
        )  # fmt: skip

    def _drop_old(self, db: sqlite3.Connection, now: float) -> None:
        db.execute("DELETE FROM held WHERE expires < ?", (now - _KEPT_SECONDS,))
        db.execute("DELETE FROM contents WHERE id NOT IN (SELECT id FROM held)")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        with self._lock:
            try:
                with closing(self._open()) as db, write_transaction(db):
                    yield db
            except (OSError, sqlite3.Error) as error:
                raise WriteFailed(f"The held changes cannot be stored: {error}") from error

    def _open(self) -> sqlite3.Connection:
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        db = open_private_database(self._path, _SCHEMA, _BUSY_SECONDS)
        db.execute("PRAGMA synchronous=FULL")
        return db


_SELECT = "SELECT id, time, expires, facts, body, decision FROM held"


def _describe_end(held: HeldChange, state: HeldState) -> str:
    if held.decision is None:
        return f"The held change has expired: {held.id}"
    return f"The held change was {state.value} by {held.decision.by} already: {held.id}"


def _fill(change_set: ChangeSet, contents: dict[str, bytes]) -> ChangeSet:
    def fill(state: State) -> State:
        if isinstance(state, FileState) and state.digest in contents:
            return replace(state, content=contents[state.digest])
        return state

    steps: list[Change | Rename] = [
        replace(step, before=fill(step.before), after=fill(step.after))
        if isinstance(step, Change)
        else step
        for step in change_set.steps
    ]
    return ChangeSet(tuple(steps))
