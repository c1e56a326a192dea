"""The warm helper: a small process without threads that forks one supervisor per job.

A request is four bytes of length, sent together with the descriptors (control socket, then
stdin, stdout, stderr or the terminal), and that many bytes of JSON. The first thing it says is
what the kernel offers. At end of file it waits for its jobs, removes the private directory, ends.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import struct

from redline.adapters.processes.supervisor import supervise
from redline.adapters.sandbox import landlock, mounts, seccomp


def serve(descriptor: int, private: str) -> None:
    """Fork for every request until the server has gone."""
    requests = socket.socket(fileno=descriptor)
    offer = {
        "abi": landlock.abi(),
        "seccomp": seccomp.is_supported(),
        "namespaces": mounts.is_possible(),
    }
    requests.sendall(json.dumps(offer).encode() + b"\n")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are reaped by nobody
    while _serve_one(requests):
        pass
    try:
        os.waitpid(-1, 0)  # returns when the last supervisor has ended
    except ChildProcessError:
        pass
    shutil.rmtree(private, ignore_errors=True)


def _serve_one(requests: socket.socket) -> bool:
    header, descriptors, _flags, _address = socket.recv_fds(requests, 4, 8)
    if len(header) < 4:
        return False
    (length,) = struct.unpack("=I", header)
    body = bytearray()
    while len(body) < length:
        part = requests.recv(length - len(body))
        if not part:
            return False
        body += part
    if os.fork() == 0:
        requests.close()
        job = json.loads(bytes(body))
        supervise(job, socket.socket(fileno=descriptors[0]), descriptors[1:])
    for descriptor in descriptors:
        os.close(descriptor)
    return True
