"""Run inside the sandbox: tries one forbidden thing and prints what happened.

Prints `held: <errno name>` when the system refused, `done` when it did not.
"""

import contextlib
import ctypes
import errno
import os
import signal
import socket
import sys
import time


def write(path):
    with open(path, "w") as file:
        file.write("written by the probe")


def append(path):
    with open(path, "a") as file:
        file.write("written by the probe")


def remove(path):
    os.unlink(path)


def truncate(path):
    os.truncate(path, 0)


def rename(path):
    os.rename(path, path + ".moved")


def make(path):
    os.mkdir(path + ".made")


def chmod(path):
    os.chmod(path, 0o777)


def fchmod(path):
    os.fchmod(os.open(path, os.O_RDONLY), 0o777)


def times(path):
    os.utime(path, (1, 1))


def xattr(path):
    os.setxattr(path, "user.probe", b"1")


def link(path):
    os.link(path, "stolen")
    append("stolen")


def through_link(path):
    with contextlib.suppress(FileExistsError):
        os.symlink(path, "way")
    append("way")


def read(path):
    with open(path) as file:
        if not file.read():
            raise PermissionError(errno.EACCES, "empty")


def tcp(port):
    with socket.create_connection(("127.0.0.1", int(port)), timeout=5) as there:
        there.sendall(b"x")


def udp(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"x", ("127.0.0.1", int(port)))


def unix(path):
    with socket.socket(socket.AF_UNIX) as out:
        out.connect(path)


def abstract(name):
    with socket.socket(socket.AF_UNIX) as out:
        out.connect("\0" + name)


def _libc(name, *arguments):
    result = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)


def ptrace(pid):
    _libc("ptrace", 16, int(pid), None, None)


def memory(pid):
    with open(f"/proc/{pid}/mem", "rb") as file:
        file.read(0)
    with open(f"/proc/{pid}/environ") as file:
        file.read()


def kill(pid):
    os.kill(int(pid), signal.SIGTERM)


def kill_everybody(_):
    os.kill(-1, signal.SIGTERM)
    raise ProcessLookupError(errno.ESRCH, "nobody outside is reached")


def mount(path):
    _libc("mount", b"none", path.encode(), b"tmpfs", 0, None)


def unshare(_):
    _libc("unshare", 0x10000000)


def chroot(_):
    os.chroot(".")


def fork_bomb(_):
    children = []
    try:
        while len(children) < 5000:
            child = os.fork()
            if child == 0:
                time.sleep(300)
            children.append(child)
    finally:
        print(f"forks: {len(children)}", flush=True)
        for child in children:
            os.kill(child, signal.SIGKILL)


def memory_bomb(_):
    try:
        block = bytearray(6 << 30)
    except MemoryError:
        raise OSError(errno.ENOMEM, "memory") from None
    print(len(block))


def file_bomb(_):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("big", "wb") as file:
        file.truncate(5 << 30)


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](sys.argv[2])
    except OSError as refusal:
        print("held:", errno.errorcode.get(refusal.errno or 0, str(refusal)))
    else:
        print("done")
