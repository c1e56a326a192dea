"""From a request to the running command: be held to what the request says, then execute it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import termios
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from redline.adapters.sandbox import confine, syscalls

MAX_PACKET = 64 << 10
_MAX_DESCRIPTORS = 8
_CHANNEL = 3
# Read once after the last fork: a forked process pays for its first use of every page.
_SAMPLE = (
    b'{"proxy": false, "network": "", "argv": ["sh"], "limits": {"core": 0},'
    b' "confine": {"steps": [[]]}}'
)


class CommandRequest(NamedTuple):
    """A job, and what its descriptors are for."""

    job: dict[str, Any]
    streams: list[int]
    proxy: int  # the channel on which the proxy gets the command's listening socket, or -1
    network: int  # the network to join, or the channel on which to give ours to the server, or -1


def receive(channel: socket.socket) -> tuple[bytes, list[int]]:
    """Wait for a packet that `read_request` takes; empty when there will be none."""
    body, descriptors, _flags, _address = socket.recv_fds(channel, MAX_PACKET, _MAX_DESCRIPTORS)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return body, list(descriptors)


def read_request(body: bytes, descriptors: list[int]) -> CommandRequest:
    """Return the job of a packet; a long job is in a file that comes last."""
    job: dict[str, Any] = json.loads(body)
    streams = list(descriptors)
    if "elsewhere" in job:
        file = streams.pop()
        job = json.loads(os.pread(file, os.fstat(file).st_size, 0))
    network = streams.pop() if job["network"] else -1
    proxy = streams.pop() if job["proxy"] else -1
    return CommandRequest(job, streams, proxy, network)


def rehearse() -> None:
    """Read and write a made-up request, so that the pages it needs are there."""
    json.dumps(read_request(_SAMPLE, []).job)


def start_inside(channel: socket.socket) -> int:
    """Wait, as the first process of namespaces, for a job, and start it; the process id.

    This process is held to what the job says, too: it only has to wait from then on. 0 if there
    is no job; what goes wrong is said on *channel*, which is closed when the command runs.
    """
    rehearse()
    confine.rehearse()
    body, descriptors = receive(channel)
    if not body:
        return 0
    command = 0
    with channel:
        try:
            request = read_request(body, descriptors)
            if request.job["network"] == "join":
                _join(request.network)
            elif request.job["network"] == "give":
                confine.hand_out_network(request.network)
            if request.proxy >= 0:
                port = int(request.job["confine"]["proxy_port"])
                confine.hand_out_listener(port, request.proxy)
            _be_held(request.job, channel.fileno())
            syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)  # no process inside can look into this one
            command = _start(request, channel)
        except BaseException as problem:
            channel.send(str(problem).encode(errors="replace"))
    for descriptor in descriptors:
        os.close(descriptor)
    return command


def _join(network: int) -> None:
    """Enter the network of this client's commands.

    One that was made before the tree of all commands was made again cannot be entered: the
    command keeps its own, which is as empty.
    """
    with suppress(PermissionError):
        syscalls.setns(network, syscalls.CLONE_NEWNET)


def _start(request: CommandRequest, channel: socket.socket) -> int:
    argv, env = request.job["argv"], request.job["env"]
    if not request.job["tty"]:
        streams = [
            (os.POSIX_SPAWN_DUP2, given, target) for target, given in enumerate(request.streams)
        ]
        return os.posix_spawn(argv[0], argv, env, file_actions=streams, setpgroup=0)
    command = os.fork()
    if command == 0:
        become(request, channel, is_held=True)
    return command


def become(request: CommandRequest, channel: socket.socket, *, is_held: bool = False) -> NoReturn:
    """Become the command, or say on *channel* why not."""
    job = request.job
    try:
        if job["tty"]:
            os.setsid()
            fcntl.ioctl(request.streams[0], termios.TIOCSCTTY, 0)
        else:
            os.setpgid(0, 0)  # a session of its own costs a scheduling group on desktop kernels
        own = os.dup(channel.fileno())
        for target, descriptor in enumerate(request.streams * 3 if job["tty"] else request.streams):
            os.dup2(descriptor, target)
        os.dup2(own, _CHANNEL, inheritable=False)
        os.closerange(_CHANNEL + 1, 1024)
        if not is_held:
            _be_held(job, _CHANNEL)
        os.execve(job["argv"][0], job["argv"], job["env"])  # noqa: S606
    except BaseException as problem:
        text = str(problem).encode(errors="replace")
        try:
            channel.send(text)
        except OSError:
            os.write(_CHANNEL, text)
    os._exit(127)


def _be_held(job: dict[str, Any], channel: int) -> None:
    """Take on all limits of *job*, for this process and those that it starts."""
    os.umask(0o022)
    confine.apply_limits(job["limits"])
    plan = job["confine"]
    if plan["kind"] == "guarded":
        confine.submit(plan, channel)
    else:
        os.chdir(plan["cwd"])
