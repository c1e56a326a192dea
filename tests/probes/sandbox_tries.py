"""Run inside the sandbox: tries one forbidden thing, prints `held: ERRNO` or `done`."""

import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
import stat
import sys
import termios
import time

PR_LIMITED = (1000, 1000)


def append(path):
    with open(path, "a") as file:
        file.write("# written by the probe\n")


def read(path):
    with open(path) as file:
        print(file.read())


def make(path):
    os.mkdir(path)


def limit(pid):
    resource.prlimit(int(pid), resource.RLIMIT_NOFILE, PR_LIMITED)


def priority(pid):
    os.setpriority(os.PRIO_PROCESS, int(pid), 19)


def affinity(pid):
    os.sched_setaffinity(int(pid), {0})


def scheduler(pid):
    os.sched_setscheduler(int(pid), os.SCHED_BATCH, os.sched_param(0))


def io_priority(pid):
    _call({"x86_64": 251, "aarch64": 30}, 1, int(pid), (3 << 13))


def terminate(pid):
    os.kill(int(pid), signal.SIGKILL)


def stream(path):
    with socket.socket(socket.AF_UNIX) as out:
        out.connect(path)


def datagram(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(b"x", path)


def paired_datagram(path):
    with socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0] as out:
        out.sendto(b"x", path)


def own_stream(path):
    with socket.socket(socket.AF_UNIX) as here, socket.socket(socket.AF_UNIX) as there:
        here.bind(path)
        here.listen()
        there.connect(path)


def family(number, kind, protocol):
    socket.socket(int(number), int(kind), int(protocol)).close()


def tcp(host, port):
    with socket.create_connection((host, int(port)), timeout=5) as there:
        there.sendall(b"x")


def set_id(path, how):
    mode = stat.S_ISUID | stat.S_ISGID | 0o755
    if how == "open":
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, mode))
    elif how == "mknod":
        os.mknod(path, mode | stat.S_IFREG)
    else:
        with open(path, "w") as file:
            if how == "chmod":
                os.chmod(path, mode)
            elif how == "fchmod":
                os.fchmod(file.fileno(), mode)
            elif how == "relative":
                os.chmod(path, mode, dir_fd=os.open(".", os.O_RDONLY))
    if os.stat(path).st_mode & 0o6000 == 0:
        raise OSError(errno.EPERM, "bits are gone")


def memory_file(size):
    descriptor = os.memfd_create("hidden")
    for _ in range(int(size) >> 24):
        os.write(descriptor, b"x" * (1 << 24))


def memory_busy(count, size, seconds):
    """Hold memory in several processes while calls that the supervisor answers never pause."""
    until = time.monotonic() + float(seconds)
    for _ in range(int(count)):
        if os.fork() == 0:
            block = b"x" * int(size)
            time.sleep(600)
            os._exit(len(block) == 0)
    while time.monotonic() < until:
        if os.waitpid(-1, os.WNOHANG)[0]:
            raise OSError(errno.ENOMEM, "a process was ended")
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as any_socket:
            any_socket.connect("nobody-listens")
        with contextlib.suppress(OSError):
            os.chmod("tries.py", 0o644)


def shared_segment(key):
    _call({"x86_64": 29, "aarch64": 194}, int(key, 16), 4096, 0o1666)


def keyring():
    session, find = -3, 0
    _call({"x86_64": 250, "aarch64": 219}, find, session, 0)


def bpf():
    _call({"x86_64": 321, "aarch64": 280}, 0, 0, 0)


def io_uring():
    _call({"x86_64": 425, "aarch64": 425}, 1, ctypes.create_string_buffer(120))


def type_into_terminal():
    fcntl.ioctl(0, termios.TIOCSTI, b"x")


def _call(numbers, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(numbers[os.uname().machine], *arguments) < 0:
        raise OSError(ctypes.get_errno(), "system call")


def look(*paths):
    """Print which of *paths* can be opened."""
    for path in paths:
        try:
            if os.path.isdir(path):
                os.listdir(path)
            else:
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        except OSError:
            continue
        print("sees", path)


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](*sys.argv[2:])
    except OSError as refusal:
        print("held:", errno.errorcode.get(refusal.errno or 0, str(refusal)))
    else:
        print("done")
