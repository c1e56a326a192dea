"""Which places of a machine a command may see: systems, toolchains, and what stays hidden."""

from __future__ import annotations

import os
import stat
import sys
from functools import cache

# Read and run in safe mode where only Landlock guards; bubblewrap shows the whole system instead.
SYSTEM = (
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/nix", "/snap"),
    *("/proc", "/sys", "/var/lib/dpkg", "/home/linuxbrew"),
)
_ETC = (
    "alternatives bash.bashrc bash_completion.d ca-certificates ca-certificates.conf "
    "crypto-policies debian_version environment fonts gai.conf gitconfig group host.conf "
    "hostname hosts inputrc java-17-openjdk java-21-openjdk ld.so.cache ld.so.conf ld.so.conf.d "
    "locale.alias locale.conf localtime lsb-release machine-id magic mailcap manpath.config "
    "mime.types networks nodejs npmrc nsswitch.conf os-release passwd perl pki profile profile.d "
    "protocols python3 python3.11 python3.12 python3.13 resolv.conf rpc services ssl terminfo "
    "timezone vim xattr.conf zsh"
)
ETC = tuple(f"/etc/{name}" for name in _ETC.split())
DEVICES = (
    # Not /dev/pts: the terminals of other people are there.
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"),
)
KERNEL_FILES = (
    *("sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "acpi", "mtrr", "driver", "asound"),
    *("dynamic_debug", "pressure"),
)
SECRETS = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers")
_HOMES = ("/root", "/home")
_TOOLCHAINS = (
    *(".rustup", ".cargo/bin", ".pyenv", ".nvm", ".asdf", ".volta", ".sdkman", "go", ".bun/bin"),
    *(".deno/bin", ".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx"),
    *(".local/share/mise", ".local/share/pnpm", ".nix-profile"),
)
_SHARED_HOLDERS = (".local", ".cargo", "")


@cache
def homes() -> list[str]:
    """Directories where people keep what a command has no business with."""
    own = os.path.realpath(os.path.expanduser("~"))
    found = [home for home in _HOMES if os.path.isdir(home)]
    if own != "/" and os.path.isdir(own) and not any(_beneath(own, home) for home in found):
        found.append(own)
    return found


@cache
def toolchains(search_path: str) -> list[str]:
    """Existing compilers and interpreters below a home, by PATH and by custom."""
    home = os.path.realpath(os.path.expanduser("~"))
    wanted = [os.path.join(home, name) for name in _TOOLCHAINS]
    hidden = homes()
    entries = (*search_path.split(os.pathsep), os.path.join(sys.base_prefix, "bin"))
    wanted += [
        _holder(entry, home)
        for entry in entries
        if os.path.isabs(entry) and any(_beneath(entry, place) for place in hidden)
    ]
    kept: list[str] = []
    for path in wanted:
        if os.path.isdir(path) and not any(_beneath(path, other) for other in kept):
            kept.append(path)
    return kept


def _holder(entry: str, home: str) -> str:
    """The installation an executable directory belongs to, unless more lives there."""
    holder, name = os.path.split(entry.rstrip("/"))
    if name not in ("bin", "shims", "sbin"):
        return entry
    shared = [os.path.join(home, part).rstrip("/") for part in _SHARED_HOLDERS]
    return entry if holder in shared or holder in _HOMES else holder


def listening_sockets() -> list[str]:
    """Socket files somebody listens on: a read-only mount does not keep anybody from connecting."""
    found: set[str] = set()
    try:
        with open("/proc/net/unix", "rb") as file:
            lines = file.read().splitlines()[1:]
    except OSError:
        return []
    for line in lines:
        path = os.fsdecode(line.split(None, 7)[7]) if line.count(b" /") else ""
        if path.startswith("/"):
            try:
                if stat.S_ISSOCK(os.stat(path).st_mode):
                    found.add(os.path.realpath(path))
            except (OSError, ValueError):
                continue
    return sorted(found)


def _beneath(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


@cache
def installations_on_path(search_path: str) -> list[str]:
    """The installations that the directories of PATH belong to, system ones left out."""
    home = os.path.realpath(os.path.expanduser("~"))
    found: dict[str, None] = {}
    for entry in search_path.split(os.pathsep):
        if os.path.isabs(entry) and os.path.isdir(entry):
            holder = _holder(entry, home)
            found[entry if holder == "/" else holder] = None
    return [path for path in found if not any(_beneath(path, system) for system in SYSTEM)]
