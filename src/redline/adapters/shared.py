"""One server of a group: its leases, what it shares with the others, and limits of each person."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from threading import Event, Lock, Thread, local
from typing import Any

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.platform import state_dir_of
from redline.adapters.redis_connection import RedisConnection
from redline.core.errors import LeaseLost, StoreUnavailable, WriteFailed
from redline.core.ports.session_memory import Grant
from redline.core.ports.teams import Owner, SharedParts, WorkspaceEntry

# Less than a lease lasts, so that a Redis that does not answer is noticed before it ends.
_TIMEOUT = 1.0
_SIGNATURE = 32


class GroupStore:
    """Named values of one group; *name* keeps groups of one Redis apart.

    *secret* is not in Redis: what is stored carries a signature by it, so that access to Redis
    alone is not enough to give a permission or to have requests sent elsewhere.
    """

    def __init__(self, url: str, name: str, secret: bytes) -> None:
        self.redis = RedisConnection(url, "The shared store", "--shared", _TIMEOUT)
        self._name = name
        self._secret = secret

    def key(self, kind: str, *parts: str) -> str:
        """Return the key of a value; parts may be any text."""
        if not parts:
            return f"redline:{self._name}:{kind}"
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
        return f"redline:{self._name}:{kind}:{digest[:32]}"

    def sign(self, text: bytes) -> str:
        """Return a signature that only servers of the group can make."""
        whole = self._name.encode() + b"\0" + text
        return hmac.new(self._secret, whole, hashlib.sha256).hexdigest()

    def derive_key(self, purpose: str) -> bytes:
        """Return a key for one purpose, the same at every server of the group."""
        return hmac.new(self._secret, f"key {purpose}".encode(), hashlib.sha256).digest()

    def seal(self, key: str, value: Any) -> bytes:
        """Return *value* as it is stored at *key*, signed."""
        body = json.dumps(value).encode()
        return self._tag(key, body) + body

    def open(self, key: str, data: bytes) -> Any:
        """Return the value of what `seal` returned; StoreUnavailable for anything else."""
        if not hmac.compare_digest(data[:_SIGNATURE], self._tag(key, data[_SIGNATURE:])):
            raise StoreUnavailable(
                "The shared store holds a value that no server of this group wrote",
                hint="give every server the same state directory, and no one else this Redis",
            )
        return json.loads(data[_SIGNATURE:])

    def _tag(self, key: str, body: bytes) -> bytes:
        return bytes.fromhex(self.sign(key.encode() + b"\0" + body))

    def check_secret(self) -> None:
        """Refuse to join servers that have another secret; StoreUnavailable."""
        key = self.key("secret")
        mine = self.sign(b"which secret")
        with self.redis.connect() as client:
            client.set(key, mine, nx=True)
            found = client.get(key)
        if found is not None and found.decode() != mine:
            raise StoreUnavailable(
                "Servers of this group have another state directory than this one",
                hint="give every server the same --state-dir, or another database of the Redis",
            )


# A workspace whose server was killed can be taken after the first, at most.
LEASE_SECONDS = 2.5
RENEW_SECONDS = 0.7
_ATTEMPTS = 10
# How long a server is asked for a workspace: it looks whenever it renews.
_ASK_SECONDS = 5.0

_LEASE_POLL_SECONDS = 0.1


# The next number of a workspace, higher than any that its journal has seen.
_NUMBER = """
local held = redis.call('GET', KEYS[1])
if held then return held end
local number = redis.call('INCR', KEYS[2])
if number <= tonumber(ARGV[1]) then
  number = tonumber(ARGV[1]) + 1
  redis.call('SET', KEYS[2], number)
end
return number
"""
# Only the newest number may become a lease: another server may have had one since it was given.
_TAKE = """
local held = redis.call('GET', KEYS[1])
if held then return held end
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return ARGV[2]
"""
# Also returns whether another server asks for the workspace.
_RENEW = """
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {held or '', redis.call('EXISTS', KEYS[2])}
"""
_END = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


class HeldLease:
    """This server's lease of one workspace."""

    __slots__ = (
        "has_ended",
        "is_asked_for",
        "kept",
        "lock",
        "number",
        "until",
        "value",
        "workspace",
    )

    def __init__(self, workspace: str, kept: Callable[[], int]) -> None:
        self.workspace = workspace
        # Held while Redis is asked about this lease.
        self.lock = Lock()
        self.has_ended = False
        self.is_asked_for = False
        # Returns the highest number that the journal has seen.
        self.kept = kept
        self.number = 0
        self.value = b""
        # By the clock that goes on while the process is stopped.
        self.until = 0.0


class RedisLeases:
    """The leases of one server. The time that a lease has left is counted from before Redis was
    asked, so this server never believes in a lease for longer than Redis does.
    """

    def __init__(
        self, store: GroupStore, server: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self.server = server
        self._clock = clock
        self._address = ""
        self._lock = Lock()
        self._held: dict[str, HeldLease] = {}
        self._lost: Callable[[str], None] = lambda _: None
        self._wanted: Callable[[str], None] = lambda _: None
        self._stopping = Event()
        self._thread: Thread | None = None

    def start(
        self, address: str, lost: Callable[[str], None], wanted: Callable[[str], None]
    ) -> None:
        """Renew leases from now on; see `core.ports.teams.ServerGroup`."""
        self._address = address
        self._lost = lost
        self._wanted = wanted
        self._thread = Thread(target=self._keep, name="leases", daemon=True)
        self._thread.start()

    def take_lease(self, workspace: str, kept: Callable[[], int]) -> Owner | None:
        """Take a lease; None when this server has it, else the owner. StoreUnavailable."""
        if self.renew(workspace):
            return None
        lease = HeldLease(workspace, kept)
        owner = self._take(lease)
        if owner is None:
            with self._lock:
                self._held[workspace] = lease
        return owner

    def find_owner(self, workspace: str) -> Owner | None:
        """Return who has a workspace now; StoreUnavailable."""
        key = self._store.key("lease", workspace)
        with self._store.redis.connect() as client:
            found = client.get(key)
        return None if found is None else self._read(key, found)

    def holds(self, workspace: str) -> bool:
        """Whether the lease lasts; Redis is not asked."""
        lease = self._held.get(workspace)
        return lease is not None and self._clock() < lease.until

    def renew(self, workspace: str) -> bool:
        """Whether this server has a workspace, or could take it again."""
        with self._lock:
            lease = self._held.get(workspace)
        return lease is not None and self._renew(lease)

    def require(self, workspace: str) -> int:
        """Return the number of the lease; LeaseLost when this server has none."""
        lease = self._held.get(workspace)
        if lease is None:
            raise LeaseLost(workspace)
        if self._clock() >= lease.until and not self._renew(lease):
            raise LeaseLost(workspace)
        return lease.number

    def give_back(self, workspace: str) -> None:
        """End a lease; when Redis is away it ends by itself."""
        with self._lock:
            lease = self._held.pop(workspace, None)
        if lease is None:
            return
        with lease.lock:
            lease.has_ended, lease.until = True, 0.0
            try:
                self._store.redis.run(_END, (self._store.key("lease", workspace),), lease.value)
            except StoreUnavailable:
                return

    def ask_for(self, workspace: str) -> bool:
        """Have the server that has a workspace give it back, unless it is in use there."""
        wanted = self._store.key("wanted", workspace)
        with self._store.redis.connect() as client:
            client.set(wanted, b"1", px=int(_ASK_SECONDS * 1000))
            end = self._clock() + _ASK_SECONDS
            while (found := self.find_owner(workspace)) is not None and self._clock() < end:
                time.sleep(_LEASE_POLL_SECONDS)
            client.delete(wanted)
        return found is None

    def close(self) -> None:
        """End every lease."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(RENEW_SECONDS)
        for workspace in list(self._held):
            self.give_back(workspace)

    # --- Redis -------------------------------------------------------------------------------

    def _take(self, lease: HeldLease) -> Owner | None:
        key = self._store.key("lease", lease.workspace)
        keys = key, self._store.key("number", lease.workspace)
        for _ in range(_ATTEMPTS):
            least = max(lease.number, lease.kept())
            number = self._store.redis.run(_NUMBER, keys, least)
            if not isinstance(number, int):
                return self._read(key, number)
            asked = self._clock()
            value = self._store.seal(key, [self.server, self._address, number])
            found = self._store.redis.run(_TAKE, keys, number, value, int(LEASE_SECONDS * 1000))
            if found == value:
                lease.number, lease.value = number, value
                lease.until = asked + LEASE_SECONDS
                return None
            if found != 0:
                return self._read(key, found)
        raise StoreUnavailable("Too many servers ask for one workspace", hint="repeat the call")

    def _renew(self, lease: HeldLease) -> bool:
        """Whether the lease goes on; taken again where it had ended and no other server was first.

        While Redis is away it goes on until its end.
        """
        key = self._store.key("lease", lease.workspace)
        with lease.lock:
            asked = self._clock()
            try:
                if lease.has_ended:
                    return False
                milliseconds = int(LEASE_SECONDS * 1000)
                keys = key, self._store.key("wanted", lease.workspace)
                found, wanted = self._store.redis.run(_RENEW, keys, lease.value, milliseconds)
                lease.is_asked_for = bool(wanted)
                if not found:
                    return self._take(lease) is None
            except StoreUnavailable:
                return self._clock() < lease.until
            if found != lease.value:
                return False
            lease.until = asked + LEASE_SECONDS
            return True

    def _read(self, key: str, data: bytes) -> Owner:
        server, address, number = self._store.open(key, data)
        return Owner(str(server), str(address), int(number))

    # --- the thread --------------------------------------------------------------------------

    def _keep(self) -> None:
        while not self._stopping.wait(RENEW_SECONDS):
            with self._lock:
                held = list(self._held.values())
            for lease in held:
                if not self._renew(lease) and not self._stopping.is_set():
                    self._drop(lease)
                elif lease.is_asked_for:
                    self._wanted(lease.workspace)

    def _drop(self, lease: HeldLease) -> None:
        with self._lock:
            is_held = self._held.get(lease.workspace) is lease
            if is_held:
                del self._held[lease.workspace]
        lease.has_ended, lease.until = True, 0.0
        if is_held:
            self._lost(lease.workspace)


# A call whose server was killed counts for this long.
_CALL_SECONDS = 15
_RENEW_SECONDS = 4.0
_POLL_SECONDS = 0.05
# A bucket that fills again, by the clock of Redis; returns the milliseconds to wait.
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
# Calls that run, each until a time by the clock of Redis.
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
    """See `core.ports.teams.SharedRate`; *alone* counts while Redis is away."""

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
    """See `core.ports.teams.CallSlots`; slots in use are renewed by a thread."""

    def __init__(self, store: GroupStore) -> None:
        self._store = store
        self._lock = Lock()
        # The key of each slot that is held.
        self._held: dict[str, str] = {}
        self._here = local()
        self._closing = Event()
        self._thread: Thread | None = None

    def run(self, who: str, limit: int, job: Callable[[], None]) -> None:
        """Run *job* once fewer than *limit* of this person run."""
        key = self._store.key("calls", who)
        self._here.slot = key, limit, self._take(key, limit)
        try:
            job()
        finally:
            slot, self._here.slot = self._here.slot, None
            self._release(slot[0], slot[2])

    def pause(self, wait: Callable[[], object]) -> None:
        """Run *wait* within a job without counting it as one that runs."""
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
        """Stop renewing."""
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
    """See `core.ports.teams.SharedSessions`."""

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
    """See `core.ports.teams.UsedOnce`; each is remembered for as long as it is valid."""

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


class RedisGroup(RedisLeases):
    """See `core.ports.teams.ServerGroup`."""

    def __init__(self, store: GroupStore) -> None:
        super().__init__(store, os.urandom(8).hex())
        self.store = store
        self.slots = RedisCallSlots(store)
        self.sign_in_keys = RedisSignInKeys(store)

    def claim(self, entry: WorkspaceEntry) -> Owner | None:
        """Take the lease of a workspace; None when this server has it, else who has it."""
        state_dir = entry.state_dir or state_dir_of(os.path.realpath(entry.path))
        return self.take_lease(entry.name, lambda: read_number(state_dir))

    def fence(self, workspace: str) -> Fence:
        """Return what keeps this server's commits out once it has lost a workspace."""
        return Fence(workspace, lambda: self.require(workspace))

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
        super().close()
        self.store.redis.close()
