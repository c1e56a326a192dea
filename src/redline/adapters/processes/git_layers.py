"""What a command does in the git directories of the workspace: kept apart, then taken over.

A command sees each git directory through a copy-on-write layer, in which it may write anything.
When its last process has ended, what git keeps there as data goes to the real directory: objects,
refs, index, HEAD, logs, and the state of a merge or rebase that stopped. Whatever can make git run
a program (configuration, hooks, attributes, alternates, `commondir`, an `exec` line of a rebase)
stays in the layer, which is dropped. So nothing of it can be planted, not even for a moment.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from redline.adapters.sandbox.overlay import Layer, is_opaque, make_layers
from redline.core.guarded import GIT_NAMES, fold_name
from redline.core.paths import show_name

_OBJECT_NAME = rb"[0-9a-f]{40}(?:[0-9a-f]{24})?"

# The name of a ref as git takes it, and none that a command line takes for an option.
_NAME = r"(?![-.])(?!.*(?:\.\.|//|/[-.]|\.lock(?:/|\Z)|@\{))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])"
_REF = re.compile(rf"refs/{_NAME}\Z")
_LOG = re.compile(rf"logs/(?:HEAD|refs/{_NAME})\Z")

_REF_TEXT = re.compile(rb"(?:ref: refs/[^\x00-\x20]+\n?|(?:" + _OBJECT_NAME + rb"\n?)*)\Z")

_PACKED = re.compile(
    rb"(?:#[^\n]*\n|" + _OBJECT_NAME + rb" refs/[^\x00-\x20\x7f]+\n|\^" + _OBJECT_NAME + rb"\n)*\Z"
)
_POINTERS = {"HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}
_POINTERS |= {"REBASE_HEAD", "AUTO_MERGE", "MERGE_AUTOSTASH", "shallow"}
_TEXTS = {"FETCH_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "COMMIT_EDITMSG"}
_TEXTS |= {"TAG_EDITMSG"}

_CONFLICT = re.compile(rf"rr-cache/{_OBJECT_NAME.decode()}/(?:pre|post|this)image(?:\.\d+)?\Z")

# A merge, rebase or cherry-pick that stopped; a person may go on with it outside the sandbox.
_STOPPED = re.compile(r"(rebase-merge|rebase-apply|sequencer)(?:/([^/]+))?\Z")
_TODO = ("git-rebase-todo", "git-rebase-todo.backup", "done", "todo")
_STEPS = frozenset(
    """
    pick p reword r edit e squash s fixup f drop d label l reset t merge m update-ref u noop break
    b revert
    """.split()
)
_OWN_STRATEGIES = (b"ort", b"recursive", b"resolve", b"octopus", b"ours", b"subtree")
_OPTIONS = re.compile(rb"[-\w=' \n]*\Z")
_AUTHOR = re.compile(rb"(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\\]|'\\'')*'\n?)*\Z")
_STRATEGY_LINE = re.compile(rb"strategy\s*=\s*(\S*)", re.IGNORECASE)
_CHECKSUM = 20
_DIRECTORIES = re.compile(r"(?:refs/.+|logs/.+|rebase-merge|rebase-apply|sequencer|rr-cache/.+)\Z")


def is_harmless(name: str, data: bytes | None) -> bool:
    """Whether a file *name* of a git directory may hold *data*, or be gone where that is None."""
    if data is None:
        return name != "HEAD" and (_is_known(name) or bool(_DIRECTORIES.match(name)))
    if name in _POINTERS or _REF.match(name):
        return bool(_REF_TEXT.match(data))
    if name == "packed-refs":
        return bool(_PACKED.match(data))
    if name == "index":
        return _is_index(data)
    stopped = _STOPPED.match(name)
    if stopped and stopped[2]:
        return _is_state(stopped[2], data)
    return _is_known(name)


def _is_known(name: str) -> bool:
    patterns = (_REF, _LOG, _CONFLICT, _STOPPED)
    is_file = name in _POINTERS or name in _TEXTS or name in ("index", "packed-refs")
    return is_file or any(pattern.match(name) for pattern in patterns)


def without_programs(name: str, data: bytes) -> bytes:
    """Return the steps of a rebase without those that run a program; other files as they are."""
    stopped = _STOPPED.match(name)
    if not stopped or stopped[2] not in _TODO:
        return data
    kept = []
    for line in data.splitlines(keepends=True):
        words = line.split(None, 1)
        is_step = not words or words[0][:1] == b"#"
        if is_step or words[0].decode(errors="replace") in _STEPS:
            kept.append(line)
    return b"".join(kept)


def _is_state(name: str, data: bytes) -> bool:
    """Return whether a part of a stopped rebase names no program."""
    if name == "strategy":
        return data.strip() in _OWN_STRATEGIES
    if name in ("strategy_opts", "apply-opt", "gpg_sign_opt"):
        return bool(_OPTIONS.match(data)) and b"unsafe" not in data
    if name == "author-script":
        return bool(_AUTHOR.match(data))
    if name == "opts":
        return all(found in _OWN_STRATEGIES for found in _STRATEGY_LINE.findall(data))
    return True


def _is_index(data: bytes) -> bool:
    """Return whether every path of an index lies in the work tree and in no git directory."""
    try:
        mark, version, count = struct.unpack_from("!4sII", data)
        if mark != b"DIRC" or version not in (2, 3, 4):
            return False
        at, path = 12, b""
        for _ in range(count):
            at, path = _next_entry(data, at, version, path)
            if not _is_work_path(path):
                return False
        return b"link" not in _list_extensions(data, at)  # entries in another file: not taken over
    except (struct.error, IndexError, ValueError):
        return False


def _list_extensions(data: bytes, at: int) -> list[bytes]:
    found = []
    while at + 8 <= len(data) - _CHECKSUM:
        mark, size = struct.unpack_from("!4sI", data, at)
        found.append(mark)
        at += 8 + size
    return found


def _next_entry(data: bytes, at: int, version: int, before: bytes) -> tuple[int, bytes]:
    """Return where the entry at *at* ends, and its path. ValueError, IndexError."""
    (flags,) = struct.unpack_from("!H", data, at + 60)
    start = at + 62 + (2 if version >= 3 and flags & 0x4000 else 0)
    if version < 4:
        end = data.index(b"\0", start)
        return at + (end - at + 8) // 8 * 8, data[start:end]
    stripped, start = _read_number(data, start)
    end = data.index(b"\0", start)
    return end + 1, before[: len(before) - stripped] + data[start:end]


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _is_work_path(path: bytes) -> bool:
    parts = path.decode(errors="surrogateescape").split("/")
    return bool(path) and not any(
        part in ("", ".", "..") or fold_name(part) in GIT_NAMES for part in parts
    )


# What a file of the git directory held before and holds now; None where it is not there.
Change = tuple[bytes | None, bytes | None]

_ENTRY = re.compile(r"^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t\n]*\t(.*)$", re.MULTILINE)
_SWITCH = re.compile(r"checkout: moving from (.+) to (.+)")
_REBASE = re.compile(
    r"(?:rebase|pull .*?rebase)\b.*?(?:\((\w+)\))?: (?:returning to refs/heads/)?(.*)"
)
_RENAMED = "Branch: renamed "
_HASH = re.compile(r"[0-9a-f]{40,64}\Z")
_BRANCH = "ref: refs/heads/"
_KINDS = {"refs/heads/": "branch", "refs/tags/": "tag"}
_SHORT = 7
_MAX_WORD, _MAX_SAID = 60, 4


def tells_a_move(name: str) -> bool:
    """Return whether a file of a git directory tells what git did."""
    named = ("HEAD", "packed-refs", "logs/HEAD", "logs/refs/stash")
    return name in named or name.startswith(("refs/heads/", "refs/tags/"))


def describe_moves(changed: Mapping[str, Change], head: bytes) -> list[str]:
    """Return what git did in a few words each; *head* is what HEAD says now.

    `packed-refs` belongs to *changed* also where it is the same: it has what refs were before.
    """
    entries = _new_entries(changed.get("logs/HEAD", (b"", b"")))
    said = _describe_entries(entries, _branch_of(head))
    before = changed.get("HEAD", (head, head))[0] or b""
    if not said and _branch_of(head) not in ("", _branch_of(before)):
        said.append(f"switched to branch {_branch_of(head)}")
    known = {each for entry in entries for each in entry[:2]}
    said += _describe_refs(changed, known, " ".join(said))
    stash = changed.get("logs/refs/stash")
    if stash is not None:
        kept, now = ((each or b"").count(b"\n") for each in stash)
        said.append("stashed" if now > kept else "took from the stash")
    more = len(said) - _MAX_SAID
    return [*said[:_MAX_SAID], f"{more} more"] if more > 0 else said


def _new_entries(log: Change) -> list[tuple[str, str, str]]:
    """Return the hash before, the hash after and the message of what was added to a log."""
    before, now = (each or b"" for each in log)
    added = now[len(before) :] if now.startswith(before) else b""
    return _ENTRY.findall(added.decode("utf-8", "replace"))


def _describe_entries(entries: list[tuple[str, str, str]], branch: str) -> list[str]:
    """Walk back from *branch*: a switch names the branch that what came before it was done on."""
    said: list[str] = []
    is_rebase = False
    for before, now, message in reversed(entries):
        was_rebase, is_rebase = is_rebase, False
        switch, rebase = _SWITCH.fullmatch(message), _REBASE.fullmatch(message)
        if switch:
            to = now if switch[2] == "HEAD" else switch[2]
            said.append(f"switched to {'branch ' if to == branch else ''}{_shorten(to)}")
            branch = "" if _HASH.match(switch[1]) else switch[1]
        elif rebase:
            is_rebase = True
            if not was_rebase or rebase[1] in ("finish", "abort"):
                said.append(_describe_rebase(rebase[1], rebase[2]))
        elif before != now and not message.startswith(_RENAMED):  # else a stash cleaned up
            on = f" on {_shorten(branch)}" if branch else ""
            said.append(f"{_shorten(message.partition(': ')[0])} {now[:_SHORT]}{on}")
    return said[::-1]


def _describe_rebase(step: str, branch: str) -> str:
    if step == "finish":
        return f"rebased {_shorten(branch)}"
    return "aborted a rebase" if step == "abort" else "began a rebase, which is not finished"


def _describe_refs(changed: Mapping[str, Change], known: set[str], said: str) -> Iterator[str]:
    """Yield the branches and tags that were made, moved or deleted, except for what was *said*."""
    for name, (before, now) in sorted(_changed_refs(changed).items()):
        prefix = next(each for each in _KINDS if name.startswith(each))
        short = _shorten(name[len(prefix) :])
        where = (now or b"").decode("ascii", "replace").strip()
        if now is None:
            yield f"deleted {_KINDS[prefix]} {short}"
        elif before is None and f"switched to branch {short}" not in said:
            yield f"made {_KINDS[prefix]} {short}"
        elif before is not None and where not in known:
            yield f"moved {_KINDS[prefix]} {short} to {where[:_SHORT]}"


def _changed_refs(changed: Mapping[str, Change]) -> dict[str, Change]:
    """Return the refs that differ; one that was packed is read from `packed-refs`."""
    packed, left = (_read_packed(each) for each in changed.get("packed-refs", (b"", b"")))
    found: dict[str, Change] = {name: (packed[name], None) for name in packed.keys() - left.keys()}
    for name, (before, now) in changed.items():
        if name.startswith(tuple(_KINDS)):
            found[name] = (before or packed.get(name), now or left.get(name))
    return {name: pair for name, pair in found.items() if pair[0] != pair[1]}


def _read_packed(data: bytes | None) -> dict[str, bytes]:
    rows = (line.split(" ", 1) for line in (data or b"").decode("utf-8", "replace").splitlines())
    return {
        row[1]: f"{row[0]}\n".encode()
        for row in rows
        if len(row) == 2 and row[1].startswith(tuple(_KINDS))
    }


def _branch_of(head: bytes) -> str:
    text = head.decode("utf-8", "replace").strip()
    return text[len(_BRANCH) :] if text.startswith(_BRANCH) else ""


def _shorten(name: str) -> str:
    return show_name(name[:_SHORT] if _HASH.match(name) else name[:_MAX_WORD])


_MAX_FILE, _MAX_DATA = 64 << 20, 256 << 20  # of what is no object: one file, and all of them
_MAX_DEPTH = 60
_MAX_CHANGES = 20_000
_MAX_NAMED = 3
_LARGE_PACK = 16 << 20
_LOCKED = 2.0
_OBJECT = re.compile(r"objects/(?:[0-9a-f]{2}/[0-9a-f]{38,62}|pack/pack-[0-9a-f]{40,64}\.[a-z]+)\Z")
# The values that overlayfs takes for its own syntax.
_UNUSABLE = re.compile(r"[:,\\\n]")
_SECTION = re.compile(
    r"^[ \t]*\[[ \t]*(filter|diff|merge)(?:[ \t]+\"((?:[^\"\\\n]|\\.)+)\"|\.([^\]\s]+))[ \t]*\]",
    re.MULTILINE | re.IGNORECASE,
)


class GitLayers:
    """The layers over the git directories for one command."""

    def __init__(self, base: str, directories: Sequence[str]) -> None:
        self._homes = {path: list(_list_homes(path)) for path in directories}
        self.layers = make_layers(base, list(enumerate(directories)))
        self._began = max((os.stat(each.work).st_ctime_ns for each in self.layers), default=0)
        self._drivers = {layer.lower: _find_drivers(layer.lower) for layer in self.layers}
        self._unset = [layer.lower for layer in self.layers if self._set_attributes(layer)]
        self._notes: list[str] = []
        self._moves: list[str] = []
        self._taken = 0

    def shown_read_only(self) -> list[str]:
        """Return what of them stays read-only: what git obeys, so that a command learns it at once.

        Large packs too: git touches them, and each touch would copy them whole.
        """
        held = [
            os.path.join(layer.lower, home + name)
            for layer in self.layers
            for home in ("", *self._homes[layer.lower])
            for name in _OBEYED
        ]
        packs = [
            entry.path
            for layer in self.layers
            for entry in _scan(os.path.join(layer.lower, "objects", "pack"))
            if entry.is_file(follow_symlinks=False) and entry.stat().st_size > _LARGE_PACK
        ]
        there = [path for path in held if os.path.exists(path) and not os.path.islink(path)]
        unset = [os.path.join(lower, _ATTRIBUTES) for lower in self._unset]
        return list(dict.fromkeys([*there, *unset, *packs]))

    def settings(self, identity: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the configuration with which git runs no hook, fsmonitor or filter, and no gc.

        The *identity* of the person is for repositories that have none of their own.
        """
        pairs = [("core.hooksPath", "/dev/null"), ("core.fsmonitor", "false")]
        pairs += [("gc.auto", "0"), ("maintenance.auto", "false")]
        for drivers in self._drivers.values():
            for kind, name in drivers:
                if kind == "filter":
                    pairs += [(f"filter.{name}.{what}", "") for what in _FILTERS]
        is_named = any(_USER.search(_read_configuration(layer.lower)) for layer in self.layers)
        return pairs if is_named else [*pairs, *identity]

    def take_over(self) -> list[str]:
        """Take over what the command left of git's data; return notes on the rest."""
        for layer in self.layers:
            try:
                self._take_over(layer)
            except (OSError, ValueError) as problem:
                self._notes.append(f"What was done in .git was not kept: {problem}")
        return self._notes

    def describe_moves(self) -> str:
        """Return in a line what git did of what was taken over; empty if it only kept data."""
        return f"git: {'; '.join(self._moves)}" if self._moves else ""

    def _set_attributes(self, layer: Layer) -> bool:
        """Have the command's git use no diff or merge driver of the configuration.

        Return whether that took a file of attributes in the layer.
        """
        kinds = {kind for kind, _ in self._drivers[layer.lower]} & {"diff", "merge"}
        if not kinds:
            return False
        own = os.path.join(layer.lower, _ATTRIBUTES)
        text = _read(own) or b"" if os.path.lexists(own) else b""
        os.mkdir(os.path.join(layer.upper, "info"), 0o755)
        unset = " ".join(f"!{kind}" for kind in sorted(kinds))
        with open(os.path.join(layer.upper, _ATTRIBUTES), "wb") as file:
            file.write(text + f"\n* {unset}\n".encode())
        return True

    def _take_over(self, layer: Layer) -> None:
        found = list(_walk(layer.upper, ""))
        if len(found) > _MAX_CHANGES:
            self._notes.append(f"More than {_MAX_CHANGES} changes in .git were not kept")
            return
        steps: list[tuple[str, bytes | None]] = []
        objects: list[str] = []
        left: list[str] = []
        for name, what in found:
            inner = name[len(self._home_of(layer.lower, name)) :]
            if what == "gone" and inner in _ESSENTIAL:
                self._say([name], "was removed; nothing that was done in .git was kept")
                return
            if name == _ATTRIBUTES and layer.lower in self._unset:
                continue  # it is ours, and was read-only
            if _OBJECT.match(inner):
                objects += [name] if what == "file" else []  # what is there already stays
            elif not _is_passed_by(inner, what):
                self._judge(layer, name, inner, what, steps, left)
        self._say(left, "was not kept: it can make git run programs, or is no data of git")
        overtaken = [name for name, _ in steps if self._is_overtaken(layer.lower, name)]
        if overtaken:
            self._say(overtaken, "was changed by another program; nothing in .git was kept")
            return
        self._make(layer, objects, steps)

    def _judge(
        self,
        layer: Layer,
        name: str,
        inner: str,
        what: str,
        steps: list[tuple[str, bytes | None]],
        left: list[str],
    ) -> None:
        """Add *name* to the *steps* that are to be made, or to what is *left* in the layer."""
        data = _read(os.path.join(layer.upper, name)) if what == "file" else None
        there = os.path.join(layer.lower, name)
        if what == "gone" and not os.path.lexists(there):
            return
        if data is not None and data == _read(there):
            return
        if data is not None:
            harmless = without_programs(inner, data)
            if harmless != data and inner.endswith("/git-rebase-todo"):
                self._say([name], "was kept without the steps that run a program")
            data = harmless
        is_read = data is not None or what == "gone"
        self._taken += len(data or b"")
        if is_read and self._taken <= _MAX_DATA and is_harmless(inner, data):
            steps.append((name, data))
        else:
            left.append(name)

    def _make(
        self, layer: Layer, objects: list[str], steps: list[tuple[str, bytes | None]]
    ) -> None:
        """Make the changes: objects first, then the refs to them in the order that git uses."""
        lock = os.path.join(layer.lower, "index.lock")
        holds = any(name == "index" for name, _ in steps)
        if holds and not _lock(lock):
            self._say(["index.lock"], "is there: another git runs; nothing in .git was kept")
            return
        failed = []
        before = {name: _read(os.path.join(layer.lower, name)) for name, _ in steps}
        try:
            for name in sorted(objects, key=_is_index_of_pack):
                _add_object(os.path.join(layer.upper, name), os.path.join(layer.lower, name))
            for name, data in sorted(steps, key=lambda step: _rank(step[0])):
                try:
                    _place(layer.lower, name, data)
                except OSError:
                    failed.append(name)
        finally:
            if holds:
                _remove(lock)
        self._say(failed, "could not be written")
        made = [(name, (before[name], data)) for name, data in steps if name not in failed]
        for home in ("", *self._homes[layer.lower]):
            own = [each for each in made if self._home_of(layer.lower, each[0]) == home]
            self._tell(layer, home, {name[len(home) :]: change for name, change in own})

    def _tell(self, layer: Layer, home: str, made: dict[str, Change]) -> None:
        changed = {name: change for name, change in made.items() if tells_a_move(name)}
        if changed:
            at = os.path.join(layer.lower, home)
            packed = _read(os.path.join(at, "packed-refs"))
            changed.setdefault("packed-refs", (packed, packed))
            self._moves += describe_moves(changed, _read(os.path.join(at, "HEAD")) or b"")

    def _home_of(self, lower: str, name: str) -> str:
        homes = [home for home in self._homes[lower] if name.startswith(home)]
        return max(homes, key=len, default="")

    def _is_overtaken(self, lower: str, name: str) -> bool:
        """Return whether another program changed the file after the command began."""
        try:
            return os.lstat(os.path.join(lower, name)).st_ctime_ns > self._began
        except OSError:
            return False

    def _say(self, names: Sequence[str], what: str) -> None:
        if names:
            shown = ", ".join(show_name(f".git/{name}") for name in names[:_MAX_NAMED])
            more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
            self._notes.append(f"{shown}{more} {what}")


_USER = re.compile(r"^[ \t]*\[[ \t]*user[ \t]*\]", re.MULTILINE | re.IGNORECASE)
_ATTRIBUTES = "info/attributes"
_OBEYED = (
    "config",
    "config.worktree",
    "hooks",
    _ATTRIBUTES,
    "commondir",
    "gitdir",
    "objects/info/alternates",
    "objects/info/http-alternates",
)
_ESSENTIAL = ("HEAD", "objects", "refs", "config")
_MADE_AGAIN = re.compile(
    r"(?:info/refs|objects/info/(?:packs|commit-graphs?(?:/.*)?)|gc\.(?:pid|log))\Z"
)
_FILTERS = ("clean", "smudge", "process")


def _is_index_of_pack(name: str) -> bool:
    """Return whether git finds a pack by this file, which so comes last."""
    return name.endswith(".idx")


def _rank(name: str) -> tuple[int, str]:
    """Sort refs before HEAD, and the index last."""
    base = name.rpartition("/")[2]
    return (2 if base == "index" else 1 if base == "HEAD" else 0, name)


def as_settings(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return configuration of git as the variables that every git reads."""
    found = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def read_identity(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the name and address that the person's own configuration has for commits."""
    found = []
    for key in ("user.name", "user.email"):
        try:
            done = subprocess.run(
                ["git", "config", "--global", "--get", key],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=5,
                check=False,
                cwd="/",
                env=dict(environ),
            )
        except (OSError, subprocess.TimeoutExpired):
            return []
        if done.returncode == 0:
            found.append((key, done.stdout.decode(errors="replace").rstrip("\n")))
    return found


def can_cover(directory: str) -> bool:
    """Return whether *directory* is a whole git directory that a layer can cover."""
    if _UNUSABLE.search(directory) or os.path.islink(directory):
        return False
    if not os.path.isfile(os.path.join(directory, "HEAD")):
        return False
    return all(
        os.path.isdir(path) and not os.path.islink(path)
        for path in (os.path.join(directory, name) for name in ("objects", "refs"))
    )


def _list_homes(directory: str) -> Iterator[str]:
    """Yield where the data of submodules and linked worktrees begins, as prefixes of names."""
    for entry in _scan(os.path.join(directory, "worktrees")):
        yield f"worktrees/{entry.name}/"
    waiting = ["modules"]
    while waiting:
        name = waiting.pop()
        for entry in _scan(os.path.join(directory, name)):
            inner = f"{name}/{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                continue
            if os.path.isfile(os.path.join(directory, inner, "HEAD")):
                yield f"{inner}/"
                yield from (f"{inner}/{more}" for more in _list_homes(f"{directory}/{inner}"))
            else:
                waiting.append(inner)


def _find_drivers(directory: str) -> list[tuple[str, str]]:
    found = []
    for kind, quoted, plain in _SECTION.findall(_read_configuration(directory)):
        found.append((kind.lower(), re.sub(r"\\(.)", r"\1", quoted) or plain))
    return found


def _read_configuration(directory: str) -> str:
    parts = (_read(os.path.join(directory, name)) for name in ("config", "config.worktree"))
    return b"\n".join(part or b"" for part in parts).decode(errors="replace")


def _scan(directory: str) -> Sequence[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return ()


def _walk(upper: str, at: str) -> Iterator[tuple[str, str]]:
    """Yield each name in the layer below *at* with `file`, `gone`, `cleared` or `other`."""
    for entry in _scan(os.path.join(upper, at)):
        name = f"{at}{entry.name}"
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode) and name.count("/") < _MAX_DEPTH:
            if is_opaque(entry.path):
                yield name, "gone"  # what was there before; what is there now follows
            yield from _walk(upper, name + "/")
        elif stat.S_ISREG(status.st_mode):
            yield name, "file"
        else:
            is_whiteout = stat.S_ISCHR(status.st_mode) and status.st_rdev == 0
            yield name, "gone" if is_whiteout else "other"


def _is_passed_by(inner: str, what: str) -> bool:
    """Return whether it is nothing worth a word: a lock, a temporary file, what git makes again.

    Objects that were removed stay, so there is nothing to say.
    """
    name = inner.rpartition("/")[2]
    is_temporary = inner.endswith(".lock") or name.startswith(("tmp_obj_", "tmp_pack_", ".tmp-"))
    is_kept = what == "gone" and inner.startswith("objects/")
    return is_temporary or is_kept or bool(_MADE_AGAIN.match(inner))


def _read(path: str) -> bytes | None:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            is_fine = stat.S_ISREG(status.st_mode) and status.st_size <= _MAX_FILE
            return file.read(_MAX_FILE + 1) if is_fine else None
    except OSError:
        return None


def _lock(path: str) -> bool:
    """Take git's own lock, for which another git may have to be waited for."""
    ends = time.monotonic() + _LOCKED
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        except FileExistsError:
            if time.monotonic() > ends:
                return False
            time.sleep(0.02)
        except OSError:
            return False
        else:
            return True


def _add_object(source: str, target: str) -> None:
    """Copy an object that is not there yet; what is there is never replaced."""
    if os.path.lexists(target):
        return
    _write(target, lambda file: _copy(source, file), 0o444)


def _copy(source: str, target: int) -> None:
    descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        size, done = status.st_size, 0
        if size > status.st_blocks * 512 + _LARGE_PACK:
            raise OSError("an object with holes")
        while done < size:
            sent = os.sendfile(target, descriptor, done, size - done)
            if not sent:
                return
            done += sent
    finally:
        os.close(descriptor)


def _place(lower: str, name: str, data: bytes | None) -> None:
    """Leave *data* at *name* in the real directory, or nothing."""
    target = os.path.join(lower, name)
    if data is None:
        _remove(target)
        return
    if os.path.isdir(target) and not os.path.islink(target):
        _remove(target)  # a ref whose name was a directory of refs
    _write(target, lambda file: _write_all(file, data), 0o644)


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _write(target: str, fill: Callable[[int], None], mode: int) -> None:
    """Write a file beside its place and put it there. OSError, also where a link is in the way."""
    parent = os.path.dirname(target)
    os.makedirs(parent, 0o755, exist_ok=True)
    if os.path.realpath(parent) != os.path.normpath(parent):
        raise OSError(f"a link is in the way: {parent}")
    partial = f"{target}.redline-{os.getpid()}.lock"
    descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode)
    try:
        try:
            fill(descriptor)
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        os.rename(partial, target)
    except BaseException:
        os.unlink(partial)
        raise


def _remove(path: str) -> None:
    """Remove a file, or a directory of git's data with all that it holds; no link is followed."""
    try:
        if stat.S_ISDIR(os.lstat(path).st_mode):
            for entry in _scan(path):
                _remove(entry.path)
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        return
