"""Turn a request into the running command: confine this process as it says, then execute it."""

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
# Parsed before a request arrives: a forked process pays for its first use of every memory page.
_SAMPLE = (
    b'{"proxy": false, "network": "", "argv": ["sh"], "limits": {"core": 0},'
    b' "confine": {"steps": [[]]}}'
)


class CommandRequest(NamedTuple):
    """A job, and the descriptors that came with it, by purpose."""

    job: dict[str, Any]
    streams: list[int]
    proxy: int  # the channel on which the proxy gets the command's listening socket, or -1
    network: int  # the network to join, or the channel on which to give ours to the server, or -1


def receive(channel: socket.socket) -> tuple[bytes, list[int]]:
    """Wait for a packet for `read_request`; return an empty body when the sender has gone."""
    body, descriptors, _flags, _address = socket.recv_fds(channel, MAX_PACKET, _MAX_DESCRIPTORS)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return body, list(descriptors)


def read_request(body: bytes, descriptors: list[int]) -> CommandRequest:
    """Parse a packet; a job that is too long for one is read from the last descriptor."""
    job: dict[str, Any] = json.loads(body)
    streams = list(descriptors)
    if "elsewhere" in job:
        file = streams.pop()
        job = json.loads(os.pread(file, os.fstat(file).st_size, 0))
    network = streams.pop() if job["network"] else -1
    proxy = streams.pop() if job["proxy"] else -1
    return CommandRequest(job, streams, proxy, network)


def rehearse() -> None:
    """Parse and serialize a sample request, so that the memory pages this needs are loaded."""
    json.dumps(read_request(_SAMPLE, []).job)


def start_inside(channel: socket.socket) -> int:
    """Wait for a job, start it, and return its process id; 0 if no job comes.

    The caller is the first process of the job's namespaces. It is confined as the job is, since
    afterwards it only waits. An error is sent on *channel*; closing *channel* without one means
    that the command runs.
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
            _confine_self(request.job, channel.fileno())
            syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)  # no process inside can look into this one
            command = _start(request, channel)
        except BaseException as problem:
            channel.send(str(problem).encode(errors="replace"))
    for descriptor in descriptors:
        os.close(descriptor)
    return command


def _join(network: int) -> None:
    """Enter the network namespace that this client's commands share.

    A namespace that is older than the present mount tree cannot be entered. The command then
    keeps its own, which is just as empty.
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
    """Replace this process by the command; on failure send the reason on *channel* and exit."""
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
        syscalls.close_from(_CHANNEL + 1)
        if not is_held:
            _confine_self(job, _CHANNEL)
        os.execve(job["argv"][0], job["argv"], job["env"])  # noqa: S606
    except BaseException as problem:
        text = str(problem).encode(errors="replace")
        try:
            channel.send(text)
        except OSError:
            os.write(_CHANNEL, text)
    os._exit(127)


def _confine_self(job: dict[str, Any], channel: int) -> None:
    """Apply every limit of *job* to this process and to those it starts."""
    os.umask(0o022)
    confine.apply_limits(job["limits"])
    plan = job["confine"]
    if plan["kind"] == "guarded":
        confine.submit(plan, channel)
    else:
        os.chdir(plan["cwd"])
