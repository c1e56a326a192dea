"""Namespaces of our own for a command, and its mount tree, without any program to help."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import socket
import stat
import struct
from collections.abc import Callable
from typing import Any

from redline.adapters.sandbox import syscalls

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2"))
_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40
_O_POINT = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns", ctypes.c_uint64),
    )


def leave() -> None:
    """Leave for user, mount and process namespaces of our own; the next child is process 1."""
    user, group = os.geteuid(), os.getegid()
    spaces = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID
    try:
        syscalls.unshare(syscalls.CLONE_NEWUSER | spaces)
    except OSError:
        syscalls.unshare(spaces)  # root may where user namespaces are switched off
    else:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")


def join(holder: int, network: bool) -> None:
    """Enter a copy of the tree of the process behind the pidfd *holder*, and else namespaces of
    our own: the next child is process 1. With *network* the network stays the machine's.
    """
    try:
        syscalls.setns(holder, syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS)
    except OSError as problem:
        if problem.errno != errno.EINVAL:  # it shares our user namespace
            raise
        syscalls.setns(holder, syscalls.CLONE_NEWNS)
    spaces = (
        syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS
    )
    syscalls.unshare(spaces | syscalls.CLONE_NEWCGROUP | (0 if network else syscalls.CLONE_NEWNET))
    if not network:
        _raise_loopback()


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH22x", b"lo", _IFF_UP | _IFF_RUNNING)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


def add(steps: list[list[Any]]) -> None:
    """Take *steps* in the tree that is the root already."""
    for step in steps:
        _STEPS[step[0]]("", *step[1:])
    _seal([str(step[1]) for step in steps if step[0] == "empty"])


def rehearse() -> None:
    """Make a mount that nothing shows, and drop it; see `confine.rehearse`."""
    point = _point("", "/", None)
    os.close(_clone(point, "", syscalls.MOUNT_ATTR_RDONLY))
    os.close(point)


def arrange(steps: list[list[Any]], base: str) -> None:
    """Make the tree of *steps* (see `visible.mount_tree`) at *base* and make it the root.

    Must run as the first process of the new process namespace: /proc shows that one.
    """
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount(
        "tmpfs", base, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=755,size=1m"
    )
    sealed = [] if steps and steps[0][:2] == ["ro", "/"] else ["/"]
    for step in steps:
        _STEPS[step[0]](base, *step[1:])
        if step[0] in ("empty", "dev"):
            sealed.append(step[1])
    os.chdir(base)
    syscalls.syscall(syscalls.PIVOT_ROOT, b".", b".", what="pivot_root")
    syscalls.umount(".", syscalls.MNT_DETACH)
    os.chdir("/")
    _seal(sealed)


def _seal(paths: list[str]) -> None:
    """Keep empty mounts empty, so that a command cannot fill memory through them."""
    for path in paths:
        mount = os.open(path, _O_POINT)
        _set_attributes(mount, syscalls.MOUNT_ATTR_RDONLY, 0)
        os.close(mount)


def _attach(tree: int, base: str, path: str, is_directory: bool) -> None:
    """Mount the detached *tree* at *path* of the new root."""
    _attach_at(tree, _point(base, path, is_directory), path)


def _attach_at(tree: int, point: int, path: str) -> None:
    """Mount the detached *tree* at *point*, the descriptor of *path*; close both."""
    flags = syscalls.MOVE_MOUNT_F_EMPTY_PATH | syscalls.MOVE_MOUNT_T_EMPTY_PATH
    syscalls.syscall(
        syscalls.MOVE_MOUNT, tree, b"", point, b"", ctypes.c_uint(flags), what=f"mount {path}"
    )
    os.close(point)
    os.close(tree)


def _clone(descriptor: int, source: str, attributes: int) -> int:
    """Return a detached copy of what is mounted at *source*, and of all beneath it."""
    flags = syscalls.OPEN_TREE_CLONE | syscalls.AT_RECURSIVE | syscalls.AT_EMPTY_PATH | os.O_CLOEXEC
    tree = syscalls.syscall(
        syscalls.OPEN_TREE,
        descriptor,
        os.fsencode(source),
        ctypes.c_uint(flags),
        what=f"open {source}",
    )
    attributes |= syscalls.MOUNT_ATTR_NOSUID | syscalls.MOUNT_ATTR_NODEV
    _set_attributes(tree, attributes, syscalls.AT_RECURSIVE)
    return tree


def _show(base: str, path: str, source: str) -> None:
    _attach(_clone(-100, source, syscalls.MOUNT_ATTR_RDONLY), base, path, os.path.isdir(source))


def _share(base: str, path: str, source: str) -> None:
    _attach(_clone(-100, source, 0), base, path, os.path.isdir(source))


def _hold(base: str, path: str) -> None:
    """Make read-only what the tree shows at *path* now."""
    point = _point(base, path, None)
    is_directory = stat.S_ISDIR(os.fstat(point).st_mode)
    _attach(_clone(point, "", syscalls.MOUNT_ATTR_RDONLY), base, path, is_directory)
    os.close(point)


def _pin(base: str, path: str) -> None:
    """Keep the directory at *path* in its place: a mount point cannot be renamed or removed."""
    point = _point(base, path, None)
    _attach_at(_clone(point, "", 0), point, path)


def _hold_link(base: str, path: str) -> None:
    """Keep the link at *path* as it is: a mount point cannot be removed, renamed or replaced."""
    parent, name = os.path.split(path)
    above = _point(base, parent, None)
    point = os.open(name, _O_POINT, dir_fd=above)
    os.close(above)
    if not stat.S_ISLNK(os.fstat(point).st_mode):
        raise OSError(errno.ESTALE, "A link was replaced while a command started", path)
    _attach_at(_clone(point, "", syscalls.MOUNT_ATTR_RDONLY), point, path)


def _mount(kind: str, base: str, path: str, flags: int, options: str | None = None) -> None:
    point = _point(base, path, True)
    os.fchdir(point)  # there may be no /proc yet to name it by
    syscalls.mount(kind, ".", kind, flags, options)
    os.close(point)


def _cover(base: str, path: str, upper: str, work: str) -> None:
    options = f"lowerdir={path},upperdir={upper},workdir={work},userxattr"
    _mount("overlay", base, path, syscalls.MS_NOSUID | syscalls.MS_NODEV, options)


def _cover_or_hold(base: str, path: str, upper: str, work: str) -> None:
    try:
        _cover(base, path, upper, work)
    except OSError:
        _hold(base, path)


def _link(base: str, path: str, target: str) -> None:
    os.symlink(target, base + path)


def _empty(base: str, path: str) -> None:
    _mount("tmpfs", base, path, syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=755,size=1m")


def _uncover(base: str, path: str) -> None:
    """Take away the empty mount at *path*."""
    syscalls.umount(base + path, syscalls.MNT_DETACH | syscalls.UMOUNT_NOFOLLOW)


def _processes(base: str, path: str) -> None:
    _mount("proc", base, path, syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC)


def _devices(base: str, path: str) -> None:
    top = base + path
    _mount("tmpfs", base, path, syscalls.MS_NOSUID, "mode=755,size=1m")
    for name in _DEVICES:
        os.close(os.open(f"{top}/{name}", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
        syscalls.mount(f"/dev/{name}", f"{top}/{name}", None, syscalls.MS_BIND)
    for name, rest in _LINKS:
        os.symlink(f"/proc/self/fd{rest}", f"{top}/{name}")
    for name in ("pts", "shm"):
        os.mkdir(f"{top}/{name}")
    os.symlink("pts/ptmx", f"{top}/ptmx")


def _terminals(base: str, path: str) -> None:
    options = "newinstance,ptmxmode=0666,mode=620"
    _mount("devpts", base, path, syscalls.MS_NOSUID | syscalls.MS_NOEXEC, options)


def _shared_memory(base: str, path: str, size: int) -> None:
    options = f"mode=1777,size={size}"
    _mount("tmpfs", base, path, syscalls.MS_NOSUID | syscalls.MS_NODEV, options)


_STEPS: dict[str, Callable[..., None]] = {
    "ro": _show,
    "rw": _share,
    "ro-inside": _hold,
    "pin": _pin,
    "ro-link": _hold_link,
    "overlay": _cover,
    "overlay-or-hold": _cover_or_hold,
    "link": _link,
    "empty": _empty,
    "uncover": _uncover,
    "proc": _processes,
    "dev": _devices,
    "pts": _terminals,
    "shm": _shared_memory,
}


def _point(base: str, path: str, is_directory: bool | None) -> int:
    """Return a descriptor of *path* in the new root to mount on, made if it is not there.

    No link is followed: parts of the tree can be written by commands that run now. With
    *is_directory* None it must exist.
    """
    parts = [part for part in path.split("/") if part]
    here = os.open(base or "/", _O_POINT | os.O_DIRECTORY)
    for number, part in enumerate(parts):
        wants_directory = number < len(parts) - 1 or is_directory
        if is_directory is not None:
            _make(part, here, wants_directory is True)
        there = os.open(part, _O_POINT, dir_fd=here)
        os.close(here)
        here = there
        if stat.S_ISLNK(os.fstat(here).st_mode):
            raise OSError(errno.ELOOP, "A link is in the way of a mount", path)
    return here


def _make(name: str, parent: int, is_directory: bool) -> None:
    try:
        if is_directory:
            os.mkdir(name, 0o755, dir_fd=parent)
        else:
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
            os.close(os.open(name, flags, 0o444, dir_fd=parent))
    except OSError as problem:
        if problem.errno not in (errno.EEXIST, errno.EROFS):
            raise


def _set_attributes(mount: int, attributes: int, flags: int) -> None:
    wanted = _MountAttributes(attributes, 0, 0, 0)
    syscalls.syscall(
        syscalls.MOUNT_SETATTR,
        mount,
        b"",
        ctypes.c_uint(syscalls.AT_EMPTY_PATH | flags),
        ctypes.byref(wanted),
        ctypes.c_size_t(ctypes.sizeof(wanted)),
        what="mount_setattr",
    )


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def hold(steps: list[list[Any]], base: str) -> int:
    """Make the tree of *steps* in namespaces of our own; the pid of a process that holds it.

    The process ends with this one. OSError where the kernel does not let us.
    """
    reports, reporter = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _hold_tree(steps, base, reporter)
        except BaseException as problem:
            os.write(reporter, f"!{problem}".encode(errors="replace"))
        finally:
            os._exit(1)
    os.close(reporter)
    said = os.read(reports, 4096)
    os.close(reports)
    if not said.isdigit():
        os.waitpid(child, 0)
        raise OSError(errno.EPERM, said.decode(errors="replace") or "the tree could not be made")
    return _child_of(child)


def _hold_tree(steps: list[list[Any]], base: str, reporter: int) -> None:
    leave()
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    first = os.fork()
    if first:
        os.close(reporter)
        os.waitpid(first, 0)
        return
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    arrange(steps, base)
    os.write(reporter, b"1")
    os.close(reporter)
    while True:
        signal.pause()


def _child_of(process: int) -> int:
    with open(f"/proc/{process}/task/{process}/children") as file:
        return int(file.read().split()[0])


def is_possible(base: str) -> bool:
    """Whether this kernel lets us have a tree and namespaces of our own; only the helper asks."""
    if not syscalls.IS_LINUX:
        return False
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        steps = [["ro", "/usr", "/usr"], ["proc", "/proc"], ["dev", "/dev"]]
        holder = os.pidfd_open(hold(steps, base))
        join(holder, network=False)
        first = os.fork()
        if first == 0:
            add([["proc", "/proc"], ["pts", "/dev/pts"]])
            os._exit(0)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) != 0)
    finally:
        os._exit(1)
