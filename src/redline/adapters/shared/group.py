"""One server of a group: its leases, and what it shares with the others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from redline.adapters.files.disk import Disk
from redline.adapters.files.disk_read import Dir
from redline.adapters.files.platform import state_dir_of
from redline.adapters.shared.leases import RedisLeases
from redline.adapters.shared.limits import RedisCallSlots, RedisRate
from redline.adapters.shared.store import GroupStore
from redline.core.errors import LeaseLost, WriteFailed
from redline.core.ports.grants import Grant
from redline.core.ports.many.group import Owner
from redline.core.ports.many.shared import SharedParts
from redline.core.ports.many.workspaces import WorkspaceEntry

NAME = "lease-number"
_NEXT = "lease-number.next"
_MAX_DIGITS = 40


class Fence:
    """Checked beneath the lock of the journal, so that nothing is committed between a check and
    a newer server's first look at the history.

    *number* returns that of this server's lease; LeaseLost when it has none.
    """

    def __init__(self, workspace: str, number: Callable[[], int]) -> None:
        self._workspace = workspace
        self._number = number

    def check(self, disk: Disk, directory: Dir) -> None:
        """Refuse when a newer lease was here, else note this one durably; LeaseLost, OSError."""
        number = self._number()
        kept = _read(disk, directory)
        if kept > number:
            raise LeaseLost(self._workspace)
        if kept < number:
            _write(disk, directory, number)


def read_number(state_dir: str) -> int:
    """Return the highest number that a history has seen, 0 before the first."""
    try:
        with open(os.path.join(state_dir, NAME), "rb") as stream:
            return _parse(stream.read(_MAX_DIGITS))
    except FileNotFoundError:
        return 0


def _read(disk: Disk, directory: Dir) -> int:
    try:
        disk.stat(directory, NAME)
    except FileNotFoundError:
        return 0
    fd = disk.open_own(directory, NAME)
    try:
        return _parse(disk.pread(fd, _MAX_DIGITS, 0))
    finally:
        disk.close_fd(fd)


def _parse(text: bytes) -> int:
    if not text.strip().isdigit():
        raise WriteFailed(
            f"Not the number of a lease, in the file {NAME} of the state directory: {text!r}",
            hint="stop every server, remove that file, and start them again",
        )
    return int(text)


def _write(disk: Disk, directory: Dir, number: int) -> None:
    try:
        disk.unlink(directory, _NEXT)
    except FileNotFoundError:
        pass
    fd = disk.create(directory, _NEXT)
    try:
        disk.append(fd, b"%d\n" % number)
        disk.sync_data(fd)
    finally:
        disk.close_fd(fd)
    disk.rename(directory, _NEXT, directory, NAME)
    disk.sync_dir(directory)


_MAX_OF_ONE_CALL = 100
_ADD = """
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
"""


class RedisGrants:
    """See `core.ports.grants.Grants`: one hash for each call that is allowed."""

    def __init__(
        self, store: GroupStore, workspace: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._workspace = workspace
        self._clock = clock

    def add(self, grant: Grant) -> None:
        """Put *grant* in force."""
        left = int((grant.expires_at - self._clock()) * 1000)
        if left <= 0:
            return
        key = self._key(grant.owner, grant.tool, grant.permission, grant.digest)
        value = self._store.seal(key, asdict(grant))
        self._store.redis.run(_ADD, (key,), grant.id, value, left, _MAX_OF_ONE_CALL)

    def consume(self, owner: str, tool: str, permission: str, digest: str) -> Grant | None:
        """The grant that covers this call, used up if it was for one call; None without one."""
        key = self._key(owner, tool, permission, digest)
        with self._store.redis.connect() as client:
            for name, value in client.hgetall(key).items():
                grant = Grant(**self._store.open(key, value))
                if grant.expires_at <= self._clock():
                    client.hdel(key, name)
                elif grant.scope != "once" or client.hdel(key, name):
                    return grant  # of two calls at once, one removes it
        return None

    def _key(self, owner: str, tool: str, permission: str, digest: str) -> str:
        return self._store.key("grant", self._workspace, owner, tool, permission, digest)


class RedisSessions:
    """See `core.ports.many.shared.SharedSessions`."""

    def __init__(self, store: GroupStore, workspace: str, idle_seconds: float) -> None:
        self._store = store
        self._workspace = workspace
        self._milliseconds = max(1, int(idle_seconds * 1000))

    def save(self, name: str, record: Mapping[str, Any]) -> None:
        """Keep a session until it was idle for long."""
        key = self._key(name)
        with self._store.redis.connect() as client:
            client.set(key, self._store.seal(key, dict(record)), px=self._milliseconds)

    def load(self, name: str) -> Mapping[str, Any] | None:
        """Return what was saved, and keep it as long again."""
        key = self._key(name)
        with self._store.redis.connect() as client:
            found = client.getex(key, px=self._milliseconds)
        if found is None:
            return None
        record: Mapping[str, Any] = self._store.open(key, found)
        return record

    def remove(self, name: str) -> None:
        """End a session."""
        with self._store.redis.connect() as client:
            client.delete(self._key(name))

    def _key(self, name: str) -> str:
        return self._store.key("session", self._workspace, name)


# As long as the visit that a key begins.
_SECONDS = 7 * 86400


class RedisSignInKeys:
    """Only a digest of each key is in Redis, signed by a server of the group."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store

    def offer(self, key: str) -> None:
        """Let *key* sign in; StoreUnavailable."""
        name = self._store.key("sign-in", key)
        with self._store.redis.connect() as client:
            client.set(name, self._store.seal(name, "key"), ex=_SECONDS)

    def take(self, key: str) -> bool:
        """Use a key up; whether it was one. StoreUnavailable."""
        name = self._store.key("sign-in", key)
        with self._store.redis.connect() as client:
            found = client.getdel(name)
        return found is not None and self._store.open(name, found) == "key"


class RedisUsedOnce:
    """See `core.ports.many.shared.UsedOnce`; each is remembered for as long as it is valid."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store

    def take(self, principal: str, nonce: str, expires: float, now: float) -> bool:
        """Mark one as used; False when it was used before or has expired."""
        milliseconds = int((expires - now) * 1000)
        if milliseconds <= 0:
            return False
        key = self._store.key("used", principal, nonce)
        with self._store.redis.connect() as client:
            return bool(client.set(key, b"1", nx=True, px=milliseconds))


class RedisGroup:
    """See `core.ports.many.group.ServerGroup`."""

    def __init__(self, store: GroupStore) -> None:
        self.store = store
        self.server = os.urandom(8).hex()
        self._leases = RedisLeases(store, self.server)
        self.slots = RedisCallSlots(store)
        self.sign_in_keys = RedisSignInKeys(store)

    def start(
        self, address: str, lost: Callable[[str], None], wanted: Callable[[str], None]
    ) -> None:
        """Begin to keep leases."""
        self._leases.start(address, lost, wanted)

    def claim(self, entry: WorkspaceEntry) -> Owner | None:
        """Take the lease of a workspace; None when this server has it, else who has it."""
        state_dir = entry.state_dir or state_dir_of(os.path.realpath(entry.path))
        return self._leases.claim(entry.name, lambda: read_number(state_dir))

    def find_owner(self, workspace: str) -> Owner | None:
        """Who has a workspace now."""
        return self._leases.find_owner(workspace)

    def holds(self, workspace: str) -> bool:
        """Whether this server has a workspace for sure."""
        return self._leases.holds(workspace)

    def renew(self, workspace: str) -> bool:
        """Whether this server has a workspace, or could take it again."""
        return self._leases.renew(workspace)

    def give_back(self, workspace: str) -> None:
        """End the lease of a workspace."""
        self._leases.give_back(workspace)

    def ask_for(self, workspace: str) -> bool:
        """Have the server that has a workspace give it back, unless it is in use there."""
        return self._leases.ask_for(workspace)

    def fence(self, workspace: str) -> Fence:
        """Return what keeps this server's commits out once it has lost a workspace."""
        return Fence(workspace, lambda: self._leases.require(workspace))

    def share(self, workspace: str, session_idle: float) -> SharedParts:
        """Return what the servers share about one workspace."""
        return SharedParts(
            RedisGrants(self.store, workspace),
            RedisSessions(self.store, workspace, session_idle),
            self.store.derive_key(f"session {workspace}").hex()[:32],
            RedisUsedOnce(self.store),
            self.store.derive_key("question"),
            lambda text: self.store.sign(f"preview {workspace}\0".encode() + text),
        )

    def share_rate(self, kind: str, per_second: float, alone: Callable[..., float]) -> RedisRate:
        """Return a limit of requests over all servers."""
        return RedisRate(self.store, kind, per_second, alone)

    def sign(self, text: bytes) -> str:
        """Return what proves that a server of the group wrote *text*."""
        return self.store.sign(b"request\0" + text)

    def check_store(self) -> None:
        """Raise StoreUnavailable when Redis cannot be reached."""
        self.store.redis.ping()

    def close(self) -> None:
        """End every lease, and the connections."""
        self.slots.close()
        self._leases.close()
        self.store.redis.close()
