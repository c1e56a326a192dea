"""Hears what the hooks of agents' clients say, at a private socket of the state directory."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from threading import Thread
from typing import Any

from redline.recorder.adapters import hook_program
from redline.recorder.ports import HookEvent, Moment

MAX_LINE = 256 << 10
_BACKLOG = 64
# How often it looks whether it is closed. A line is waited for as long as a hook may live: on a
# loaded machine one stops between connecting and sending.
_MAX_WAIT = 0.25
_MAX_LATE_NS = 10_000_000_000
_MAX_PATH = 4096
# How long a call waits to learn its session.
_MAX_ASKED = 0.25
# The clients' own ids of a call and of a session, in its _meta.
_CALL_IDS = ("claudecode/toolUseId",)
_SESSION_IDS = ("threadId",)
_TEXTS = ("session", "tool", "call", "prompt", "words", "given")


class HookListener:
    """Passes on every well-formed line that a hook sends, one connection at a time."""

    def __init__(self, state_dir: str, heard: Callable[[HookEvent], None]) -> None:
        self._heard = heard
        self._home = home = os.path.join(state_dir, hook_program.FOLDER)
        self._path = os.path.join(home, hook_program.SOCKET)
        self._socket: socket.socket | None = None
        self._closed = False
        self.limits = ""
        # What gets prompts and edits of files; it returns when what came before is recorded.
        self.settled: Callable[[HookEvent], None] = lambda _: None
        # What returns the session that made a call.
        self.asked: Callable[[HookEvent], str] = lambda _: ""
        try:
            self._socket = _listen(home)
        except (OSError, AttributeError) as error:
            self.limits = f"hooks of agents are not heard: {error}"
            return
        self._thread = Thread(target=self._run, name="hooks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening and remove the socket."""
        self._closed = True
        if self._socket is None:
            return
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(2 * _MAX_WAIT)
        self._socket.close()
        with contextlib.suppress(OSError):
            os.unlink(self._path)

    def catch_up(self) -> None:
        """Wait until what hooks have sent so far is passed on: connections are taken in turn."""
        if self._socket is None or self._closed:
            return
        own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with own, contextlib.suppress(OSError), _address(self._home) as address:
            own.settimeout(hook_program.MAX_TIME)
            own.connect(address)
            own.sendall(b"\n")
            own.recv(1)  # closed by the listener when it is our turn

    def _run(self) -> None:
        assert self._socket is not None
        while not self._closed:
            try:
                peer, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:
                time.sleep(_MAX_WAIT)  # closed, or no descriptor is free
                continue
            event = read_event(_read_line(peer), time.time_ns())
            if event is not None and event.moment is Moment.CALL:
                with peer, contextlib.suppress(OSError):
                    peer.sendall(self.asked(event).encode())
                continue
            if event is not None:
                self._heard(event)
            if event is not None and _is_settled(event):
                # In a thread of its own: recording waits for what hooks have said so far.
                Thread(target=self._settle, args=(event, peer), daemon=True).start()
            else:
                peer.close()

    def _settle(self, event: HookEvent, peer: socket.socket) -> None:
        """Pass on an event; closing the connection lets the client go on."""
        with peer:
            self.settled(event)


def _is_settled(event: HookEvent) -> bool:
    is_edit = bool(event.files) and event.moment in (Moment.BEFORE, Moment.AFTER)
    return is_edit or event.moment is Moment.PROMPT


def ask_session(state_dir: str, client: str, params: Mapping[str, Any]) -> str:
    """Return the session whose hook announced this tools/call; "" if none or several did."""
    home = os.path.join(state_dir, hook_program.FOLDER)
    first = re.split(r"[\s\-_/]", client.lower(), maxsplit=1)[0]
    family = next((name for name in hook_program.MOMENTS if name.partition("-")[0] == first), "")
    if not family:
        return ""
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    call = next((meta[name] for name in _CALL_IDS if name in meta), "")
    said: dict[str, object] = {
        "client": family,
        "moment": Moment.CALL,
        "time": time.time_ns(),
        "files": [],
        "tool": params.get("name"),
        "call": call,
        "session": next((meta[name] for name in _SESSION_IDS if name in meta), ""),
        "given": "" if call else hook_program.digest_of(params.get("arguments")),
    }
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with own, contextlib.suppress(OSError), _address(home) as address:
        own.settimeout(_MAX_ASKED)
        own.connect(address)
        own.sendall(json.dumps(said).encode() + b"\n")
        return own.recv(hook_program.MAX_TEXT * 4).decode("utf-8", "replace")
    return ""


@contextlib.contextmanager
def _address(home: str) -> Iterator[str]:
    """Give the socket's address; the whole path may be longer than one can be."""
    if not sys.platform.startswith("linux"):
        yield f"{home}/{hook_program.SOCKET}"
        return
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{hook_program.SOCKET}"
    finally:
        os.close(folder)


def _listen(home: str) -> socket.socket:
    """Listen in *home*, for this user only; a socket that a dead process left is replaced."""
    os.makedirs(home, mode=0o700, exist_ok=True)
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(folder, 0o700)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(hook_program.SOCKET, dir_fd=folder)
        with _address(home) as address:
            listening.bind(address)
        os.chmod(hook_program.SOCKET, 0o600, dir_fd=folder)
        listening.listen(_BACKLOG)
        listening.settimeout(_MAX_WAIT)
    except OSError:
        listening.close()
        raise
    finally:
        os.close(folder)
    return listening


def _read_line(peer: socket.socket) -> bytes:
    """Return the one line of a connection; an empty one when it is late or too long."""
    found = b""
    ends = time.monotonic() + hook_program.MAX_TIME
    while b"\n" not in found:
        left = ends - time.monotonic()
        if left <= 0:
            return b""
        peer.settimeout(left)
        try:
            more = peer.recv(64 << 10)
        except OSError:
            return b""
        found += more
        if not more or len(found) > MAX_LINE:
            return b""
    return found.partition(b"\n")[0]


def read_event(line: bytes, now_ns: int) -> HookEvent | None:
    """Return what a line says; None when it is not one that a hook sends."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("client") not in list(hook_program.MOMENTS):
        return None
    moment, sent, files = said.get("moment"), said.get("time"), said.get("files")
    if moment not in list(Moment) or type(sent) is not int or not _are_paths(files):
        return None
    texts = {name: _text(said.get(name)) for name in _TEXTS}
    return HookEvent(
        said["client"],
        Moment(moment),
        min(max(sent, now_ns - _MAX_LATE_NS), now_ns),
        **texts,
        command=_text(said.get("command")),
        files=frozenset(files or ()),
    )


def _are_paths(files: Any) -> bool:
    if not isinstance(files, list) or len(files) > hook_program.MAX_FILES:
        return False
    return all(isinstance(file, str) and len(file) <= _MAX_PATH for file in files)


def _text(value: object) -> str:
    return value[: hook_program.MAX_TEXT] if isinstance(value, str) else ""
