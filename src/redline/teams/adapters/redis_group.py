"""One server of a group: its leases, the state it shares through Redis, and limits per person."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from threading import Event, Lock, Thread, local
from typing import Any

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.platform import state_dir_of
from redline.core.errors import LeaseLost, StoreUnavailable, WriteFailed
from redline.core.ports.session_memory import Grant
from redline.core.ports.shared import SharedParts
from redline.core.records import asdict
from redline.teams.adapters.group_store import GroupStore
from redline.teams.adapters.leases import RedisLeases
from redline.teams.ports import Owner, WorkspaceEntry

# A call slot expires after this, so that one of a killed server is freed.
_CALL_SECONDS = 15
_RENEW_SECONDS = 4.0
_POLL_SECONDS = 0.05
# A token bucket by the clock of Redis; returns the milliseconds to wait.
_TAKE_ONE = """
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local held = redis.call('HMGET', KEYS[1], 'level', 'since')
local level = math.min(burst, (held[1] or burst) + (now - (held[2] or now)) * rate)
local wait = 0
if level >= 1 then level = level - 1 else wait = math.ceil((1 - level) / rate * 1000) end
redis.call('HSET', KEYS[1], 'level', level, 'since', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 1000) + 1000)
return wait
"""
# Takes a slot for a running call, which expires by the clock of Redis; returns 0 if all are taken.
_TAKE_SLOT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""
_RENEW_SLOT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
"""


class RedisRate:
    """See `core.ports.shared.SharedRate`; *alone* limits this server while Redis is unreachable."""

    def __init__(
        self, store: GroupStore, kind: str, per_second: float, alone: Callable[..., float]
    ) -> None:
        self._store = store
        self._kind = kind
        self._rate = per_second
        self._alone = alone

    def wait_for(self, who: str, own: float | None = None) -> float:
        """Return 0 and count a request of *who*, or the seconds until the next one is allowed."""
        rate = self._rate if own is None else own
        if rate <= 0:
            return 0.0
        key = self._store.key(self._kind, who)
        try:
            found = self._store.redis.run(_TAKE_ONE, (key,), rate, max(1.0, 2 * rate))
        except StoreUnavailable:
            return self._alone(who, own)
        return int(found) / 1000


class RedisCallSlots:
    """See `core.ports.shared.CallSlots`; slots in use are renewed by a thread."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store
        self._lock = Lock()
        # The key of each slot that is held.
        self._held: dict[str, str] = {}
        self._here = local()
        self._closing = Event()
        self._thread: Thread | None = None

    def run(self, who: str, limit: int, job: Callable[[], None]) -> None:
        """Run *job* once fewer than *limit* calls of *who* are running."""
        key = self._store.key("calls", who)
        self._here.slot = key, limit, self._take(key, limit)
        try:
            job()
        finally:
            slot, self._here.slot = self._here.slot, None
            self._release(slot[0], slot[2])

    def pause(self, wait: Callable[[], object]) -> None:
        """Run *wait* within a job, whose slot is free meanwhile."""
        slot = getattr(self._here, "slot", None)
        if slot is None:
            wait()
            return
        key, limit, name = slot
        self._release(key, name)
        try:
            wait()
        finally:
            self._here.slot = key, limit, self._take(key, limit)

    def close(self) -> None:
        """Stop renewing the slots in use."""
        self._closing.set()

    def _take(self, key: str, limit: int) -> str:
        name = os.urandom(8).hex()
        while True:
            try:
                if self._store.redis.run(_TAKE_SLOT, (key,), name, limit, _CALL_SECONDS):
                    break
            except StoreUnavailable:
                return ""  # each server has its own limit too
            time.sleep(_POLL_SECONDS)
        with self._lock:
            self._held[name] = key
            if self._thread is None:
                self._thread = Thread(target=self._renew, name="call-slots", daemon=True)
                self._thread.start()
        return name

    def _release(self, key: str, name: str) -> None:
        with self._lock:
            if self._held.pop(name, None) is None:
                return
        try:
            with self._store.redis.connect() as client:
                client.zrem(key, name)
        except StoreUnavailable:
            return

    def _renew(self) -> None:
        while not self._closing.wait(_RENEW_SECONDS):
            with self._lock:
                held = list(self._held.items())
            try:
                for name, key in held:
                    if name in self._held:
                        self._store.redis.run(_RENEW_SLOT, (key,), name, _CALL_SECONDS)
            except StoreUnavailable:
                continue


NAME = "lease-number"
_NEXT = "lease-number.next"
_MAX_DIGITS = 40


class Fence:
    """Refuses commits by a server whose lease is older than one the history has seen.

    The journal calls `check` under its lock, so that nothing is committed between the check and
    the first read by a server with a newer lease. *number* returns the number of this server's
    lease; it raises LeaseLost when there is none.
    """

    def __init__(self, workspace: str, number: Callable[[], int]) -> None:
        self._workspace = workspace
        self._number = number

    def check(self, disk: Disk, directory: Dir) -> None:
        """Store this lease's number durably; LeaseLost if the stored one is newer, OSError."""
        number = self._number()
        kept = _read(disk, directory)
        if kept > number:
            raise LeaseLost(self._workspace)
        if kept < number:
            _write(disk, directory, number)


def read_number(state_dir: str) -> int:
    """Return the highest lease number stored beside a history; 0 before the first."""
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
    """See `core.ports.session_memory.Grants`: one hash for each call that is allowed."""

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
    """See `core.ports.shared.SharedSessions`."""

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
    """See `core.ports.shared.UsedOnce`; each is remembered for as long as it is valid."""

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
    """See `teams.ports.ServerGroup`."""

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
        """Return whether this server has a workspace for sure."""
        return self._leases.holds(workspace)

    def renew(self, workspace: str) -> bool:
        """Return whether this server has a workspace, or could take it again."""
        return self._leases.renew(workspace)

    def give_back(self, workspace: str) -> None:
        """End the lease of a workspace."""
        self._leases.give_back(workspace)

    def ask_for(self, workspace: str) -> bool:
        """Have the server that has a workspace give it back, unless it is in use there."""
        return self._leases.ask_for(workspace)

    def fence(self, workspace: str) -> Fence:
        """Return a fence that refuses this server's commits once it has lost a workspace."""
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
