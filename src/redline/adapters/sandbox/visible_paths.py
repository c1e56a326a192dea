"""What a command may see: one list of paths for both guards, and the mount tree made of it."""

from __future__ import annotations

import glob
import os
import sys
import time
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from redline.adapters.sandbox.program import PACKAGE_DIRECTORY
from redline.core.records import dataclass

_SYSTEM = tuple(
    """
    /bin /sbin /lib /lib32 /lib64 /libx32 /usr /opt /nix /snap /var/lib/dpkg /var/lib/alternatives
    /var/lib/ca-certificates /var/cache/fontconfig /home/linuxbrew/.linuxbrew /sys/block /sys/bus
    /sys/class /sys/dev /sys/devices /sys/fs/cgroup /sys/kernel/mm
    """.split()
)
# No directory with keys or tokens: not ssh, ssl/private, pki/*/private, npmrc, environment.
_ETC = (
    "alternatives bash.bashrc bash_completion.d ca-certificates ca-certificates.conf "
    "crypto-policies debian_version fonts gai.conf gitconfig group host.conf "
    "hostname hosts inputrc java* ld.so.cache ld.so.conf ld.so.conf.d "
    "locale.alias locale.conf localtime lsb-release machine-id magic mailcap manpath.config "
    "maven mime.types mtab networks nodejs nsswitch.conf os-release passwd perl "
    "pki/ca-trust pki/java pki/tls/cert.pem pki/tls/certs pki/tls/openssl.cnf "
    "profile profile.d protocols python* redhat-release resolv.conf rpc services shells "
    "ssl/cert.pem ssl/certs ssl/openssl.cnf static terminfo timezone vim xattr.conf zsh"
)
# What belongs to an installation; whatever else lies beside it (credentials, caches) does not.
_PARTS = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "share", "include")
_GO_PARTS = ("src", "pkg", "VERSION", "go.env")
_JAVA_PARTS = ("conf", "jmods", "release", "legal")
# Below the home of the server's user: installations, and single paths of version managers.
_PREFIXES = tuple(
    """
    .rustup/toolchains/* .pyenv/versions/* .nvm/versions/node/* .asdf/installs/*/*
    .sdkman/candidates/*/* .volta/tools/image/*/* .local/share/mise/installs/*/*
    .local/share/uv/python/* .local/share/uv/tools/* .local/share/pipx/venvs/* .local/pipx/venvs/*
    .fnm/node-versions/*/installation .rbenv/versions/* sdk/go*
    """.split()
)
_PLAIN = tuple(
    """
    .cargo/bin go/bin .bun/bin .deno/bin .local/bin .local/lib .rustup/settings.toml
    .rustup/update-hashes .nix-profile .nvm/nvm.sh .nvm/alias .volta/bin .pyenv/bin .pyenv/libexec
    .pyenv/shims .pyenv/version .pyenv/pyenv.d .pyenv/completions .pyenv/plugins .asdf/bin
    .asdf/lib .asdf/libexec .asdf/shims .asdf/plugins .asdf/asdf.sh .local/share/mise/shims
    .local/share/pnpm .rbenv/bin .rbenv/libexec .rbenv/shims .rbenv/version
    """.split()
)
_SHARED_HOLDERS = (".local", ".cargo", "")
_EXECUTABLES = ("bin", "sbin", "shims", "Scripts")
_HOMES = ("/root", "/home")
# Every command has its own in place of these.
_REPLACED = ("/tmp", "/var/tmp")  # noqa: S108
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
# In /proc: root may write these even without any capability.
KERNEL_FILES = tuple(
    """
    sys sysrq-trigger irq bus fs scsi acpi mtrr driver asound dynamic_debug pressure
    """.split()
)
SHARED_MEMORY = 1 << 30
# Where the proxy of the first command listens in the network of a client's commands.
PROXY_PORT = 3128


class Network(StrEnum):
    """The network a command gets.

    NONE is a namespace with nothing but loopback, which the commands of one client share (no
    sockets where there are no namespaces); NAMED is the same with a proxy to allowed names
    listening there; OPEN is the machine's, without the sockets of this server.
    """

    NONE = "none"
    NAMED = "named"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class SandboxView:
    """What a command is to see, as absolute canonical paths.

    *writable* and *readable* are roots and may be nested in each other: the deepest one decides.
    *protected* (git's own data), *git* (large files of it), *program* (Redline's own files) and
    *sealed* (what the policy denies whole) are read-only wherever they lie, *hidden* is not seen.
    *wide* shows the whole
    system. *domains* are the names that a NAMED network reaches.
    """

    cwd: str
    private: str
    writable: tuple[str, ...]
    readable: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    git: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    search_path: str = ""
    network: Network = Network.NONE
    domains: tuple[str, ...] = ()
    wide: bool = False

    @property
    def home(self) -> str:
        """The command's own home."""
        return os.path.join(self.private, "home")

    @property
    def layers(self) -> str:
        """Where dry runs keep what they write; empty to every command."""
        return os.path.join(self.private, "dry")

    @property
    def scratch(self) -> str:
        """The command's own temporary directory."""
        return os.path.join(self.private, "tmp")


def is_beneath(path: str, root: str) -> bool:
    """Return whether *path* is *root* or lies in it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


@cache
def readable(search_path: str) -> tuple[str, ...]:
    """Return the existing paths outside the workspace that every command may read in safe mode."""
    home = os.path.realpath(os.path.expanduser("~"))
    etc = [path for name in _ETC.split() for path in sorted(glob.glob(f"/etc/{name}"))]
    found = [*_SYSTEM, *etc]
    own = home if home != "/" else "/nonexistent"
    found += [path for name in _PLAIN for path in glob.glob(os.path.join(own, name))]
    for pattern in _PREFIXES:
        for prefix in sorted(glob.glob(os.path.join(own, pattern))):
            found += _installation(prefix)
    for entry in (*search_path.split(os.pathsep), os.path.join(sys.base_prefix, "bin")):
        if os.path.isabs(entry) and os.path.isdir(entry):
            found += _around(os.path.normpath(entry), home)
    kept: list[str] = []
    for path in found:
        if os.path.exists(path) and not any(is_beneath(path, other) for other in kept):
            kept.append(path)
    return tuple(kept)


def _around(entry: str, home: str) -> list[str]:
    """Return a directory of executables, and what of its installation they need."""
    holder, name = os.path.split(entry)
    shared = [os.path.join(home, part).rstrip("/") for part in _SHARED_HOLDERS]
    if name not in _EXECUTABLES or holder in ("/", *shared, *_HOMES):
        return [entry] if entry not in ("/", home, *_HOMES) else []
    return [entry, *_installation(holder)]


def _installation(prefix: str) -> list[str]:
    names = list(_PARTS)
    if os.path.exists(os.path.join(prefix, "src", "runtime")):
        names += _GO_PARTS
    if os.path.exists(os.path.join(prefix, "release")):
        names += _JAVA_PARTS
    found = [os.path.join(prefix, name) for name in names]
    settings = os.path.join(prefix, "pyvenv.cfg")
    return [*found, settings, *_base_of(settings)] if os.path.exists(settings) else found


def _base_of(settings: str) -> list[str]:
    """Return the installation a Python virtual environment was made from."""
    try:
        with open(settings, encoding="utf-8", errors="replace") as file:
            lines = file.read(4096).splitlines()
    except OSError:
        return []
    for line in lines:
        key, _, value = line.partition("=")
        place = value.strip()
        if key.strip() == "home" and os.path.basename(place) == "bin" and os.path.isabs(place):
            base = os.path.dirname(place)
            return [os.path.join(base, name) for name in _PARTS] if base != "/" else []
    return []


def roots_by_depth(view: SandboxView) -> list[tuple[str, bool]]:
    """Return every root with whether it is writable, outer ones first."""
    modes = dict.fromkeys(view.readable, False) | dict.fromkeys(view.writable, True)
    return sorted(modes.items(), key=lambda root: root[0].count("/") if root[0] != "/" else 0)


def hidden_directories(view: SandboxView, *, in_writable: bool) -> list[str]:
    """Return what to cover, in writable roots or elsewhere; never a directory that holds a root."""
    held = (*view.writable, *view.readable, view.private)
    found: list[str] = []
    for path in sorted(view.hidden, key=len):
        wanted = os.path.isdir(path) and not any(is_beneath(root, path) for root in held)
        inside = _is_in_writable(view, path)
        if wanted and inside == in_writable and not any(is_beneath(path, o) for o in found):
            found.append(path)
    return found


def mount_tree(view: SandboxView) -> list[list[Any]]:
    """Return the file system of all commands as steps: [what, path, more...], outer paths first."""
    steps = _whole_system() if view.wide else _listed_system(view)
    steps += [["proc", "/proc"], ["dev", "/dev"]]
    steps += [["rw", place, view.scratch] for place in _REPLACED if os.path.isdir(place)]
    steps += _pin_mounts(view)
    steps += [["ro", path, path] for path in _covered_toolchains(view)]
    for path, is_writable in roots_by_depth(view):
        if not _is_in_writable(view, path):  # such a root is part of the outer one already
            steps.append(["rw" if is_writable else "ro", path, path])
    steps += [["rw", path, path] for path in (view.home, view.layers)]
    return steps + [["empty", path] for path in hidden_directories(view, in_writable=False)]


def mounts_of_every_command(layers: str) -> list[list[Any]]:
    """Return what each command has to itself in a copy of that tree, as steps; the same for all.

    *layers* is hidden: the copy-on-write views of other commands are there.
    """
    steps: list[list[Any]] = [["proc", "/proc"], ["pts", "/dev/pts"], ["empty", layers]]
    steps.append(["shm", "/dev/shm", SHARED_MEMORY])  # noqa: S108 - a private one
    if os.geteuid() == 0:
        kernel = (f"/proc/{name}" for name in KERNEL_FILES)
        steps += [["ro-inside", path] for path in kernel if os.path.exists(path)]
    return steps


def own_mounts(view: SandboxView, overlays: dict[str, tuple[str, str]]) -> list[list[Any]]:
    """Return what only this command has in its copy of the tree, as steps.

    *overlays* gives the upper and work directory for each root and git directory that is
    copy-on-write; a git directory is read-only where the kernel cannot cover it.
    """
    roots = [path for path, _ in roots_by_depth(view)]
    steps: list[list[Any]] = [
        ["overlay", path, *overlays[path]] for path in roots if path in overlays
    ]
    steps += [["overlay-or-hold", p, *layers] for p, layers in overlays.items() if p not in roots]
    if steps:
        steps = [["uncover", view.layers], *steps, ["empty", view.layers]]
    for path, is_writable in roots_by_depth(view):
        if not is_writable and _is_in_writable(view, path):
            steps.append(["ro-inside", path])
    hidden = hidden_directories(view, in_writable=True)
    steps += [["pin", path] for path in _leading_to((*view.program, *hidden), view)]
    for path in (*view.protected, *view.git, *view.program, *view.sealed):
        steps.append(["ro-link" if os.path.islink(path) else "ro-inside", path])
    return steps + [["empty", path] for path in hidden]


def _leading_to(paths: Sequence[str], view: SandboxView) -> list[str]:
    """Return the directories of writable roots that lead to *paths*, outer ones first.

    A command that renames one of them can put something else in the place of what it leads to.
    """
    found: set[str] = set()
    for path in paths:
        above = os.path.dirname(path)
        while _is_in_writable(view, above):
            found.add(above)
            above = os.path.dirname(above)
    return sorted(found - set(view.writable) - set(view.readable), key=len)


def _is_in_writable(view: SandboxView, path: str) -> bool:
    return any(is_beneath(path, root) and path != root for root in view.writable)


def _pin_mounts(view: SandboxView) -> list[list[Any]]:
    """Mount the directories that lead to a root or a toolchain through the private tmp, each on
    itself.

    A mount point cannot be renamed or replaced, so no command can put a link in the way of
    the mounts of a later one.
    """
    steps: dict[str, list[Any]] = {}
    shown = (*view.writable, *view.readable, *_covered_toolchains(view), view.home, view.layers)
    for root in shown:
        for top in _REPLACED:
            if is_beneath(root, top) and root != top:
                parts = root[len(top) + 1 :].split("/")
                for end in range(1, len(parts)):
                    inner = "/".join(parts[:end])
                    steps[f"{top}/{inner}"] = ["rw", f"{top}/{inner}", f"{view.scratch}/{inner}"]
    return list(steps.values())


def _covered_toolchains(view: SandboxView) -> list[str]:
    """The readable paths that the private tmp covers, such as an environment made in /tmp."""
    return [
        path
        for path in readable(view.search_path)
        if any(is_beneath(path, top) and path != top for top in _REPLACED)
    ]


def pinned_directories(view: SandboxView) -> list[str]:
    """Return what must exist in the private tmp before the first command; see `_pin_mounts`."""
    return [str(step[2]) for step in _pin_mounts(view)]


def _listed_system(view: SandboxView) -> list[list[Any]]:
    steps: list[list[Any]] = []
    for path in readable(view.search_path):
        if os.path.islink(path) and path.count("/") == 1:
            steps.append(["link", path, os.readlink(path)])  # /bin where it is part of /usr
        else:
            steps.append(["ro", path, path])
    return steps + _resolver()


def _whole_system() -> list[list[Any]]:
    steps: list[list[Any]] = [["ro", "/", "/"]]
    if os.path.isdir("/run"):
        steps.append(["empty", "/run"])  # what services keep there is not a command's business
    return steps + _resolver()


def _resolver() -> list[list[Any]]:
    path = "/run/systemd/resolve"
    return [["ro", path, path]] if os.path.isdir(path) else []


MAX_DIRECTORIES = 50_000
_TICK = 1_000_000_000
_POINTER = b"gitdir:"


@cache
def program_files(writable: tuple[str, ...]) -> tuple[str, ...]:
    """Redline's own package, interpreter and libraries, as far as they lie in *writable* roots.

    The server runs them unconfined, now or at its next start.
    """
    wanted = [PACKAGE_DIRECTORY, sys.prefix, sys.base_prefix, os.path.dirname(sys.executable)]
    wanted += [path for path in sys.path if path and os.path.exists(path)]
    found: list[str] = []
    for path in sorted({os.path.realpath(each) for each in wanted}, key=len):
        inside = any(is_beneath(path, root) and path != root for root in writable)
        if inside and not any(is_beneath(path, other) for other in found):
            found.append(path)
    return tuple(found)


class GitDirectories:
    """Finds what git keeps in the roots: at any depth, also behind links and `gitdir:` files.

    Directories that have not changed since the last look are not read again.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, list[str], bool]] = {}

    def directories(self, roots: tuple[str, ...]) -> list[str]:
        """Return every such file or directory in *roots*, outer ones first, none inside another."""
        found: set[str] = set()
        seen: dict[str, tuple[int, list[str], bool]] = {}
        waiting = list(roots)
        while waiting and len(seen) < MAX_DIRECTORIES:
            here = waiting.pop()
            look = self._look(here)
            if look is None:
                continue
            seen[here] = look
            waiting += [os.path.join(here, name) for name in look[1]]
            if look[2]:
                found.update(_targets(os.path.join(here, ".git")))
        self._seen = seen
        inside = {path for path in found if any(is_beneath(path, root) for root in roots)}
        kept: list[str] = []
        for path in sorted(inside - set(roots), key=lambda each: (each.count("/"), each)):
            if not any(is_beneath(path, other) for other in kept):
                kept.append(path)
        return kept

    def _look(self, path: str) -> tuple[int, list[str], bool] | None:
        """Return when the directory last changed, its directories, and whether it has a `.git`."""
        try:
            changed = os.stat(path, follow_symlinks=False).st_mtime_ns
            known = self._seen.get(path)
            if known and known[0] == changed:
                return known
            with os.scandir(path) as entries:
                names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            return None
        inner = [name for name, is_directory in names if is_directory and name != ".git"]
        if time.time_ns() - changed < _TICK:
            changed = -1  # a change right after this look might leave the same time
        return changed, inner, any(name == ".git" for name, _ in names)


def _targets(path: str) -> list[str]:
    """Return what a `.git` entry is and names: itself, the directory, the common directory.

    All are canonical but the entry, which may be a link.
    """
    real = os.path.realpath(path)
    found = [path] if os.path.islink(path) else []
    if not os.path.exists(real):
        return found
    found.append(real)
    if os.path.isfile(real):
        named = _named_in(real, _POINTER)
        found += [named] if named else []
    common = _named_in(os.path.join(found[-1], "commondir"), b"")
    return [*found, common] if common else found


def _named_in(path: str, start: bytes) -> str | None:
    """Return the existing directory that the small file at *path* names after *start*."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            text = file.read(4096)
    except OSError:
        return None
    if not text.startswith(start):
        return None
    name = os.fsdecode(text[len(start) :].strip().split(b"\n")[0])
    target = os.path.realpath(os.path.join(os.path.dirname(path), name))
    return target if name and "\0" not in name and os.path.isdir(target) else None
