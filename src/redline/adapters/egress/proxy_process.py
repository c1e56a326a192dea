"""The server's side of the proxy: started with the first command that needs it."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Mapping, Sequence
from threading import Lock

from redline.adapters.sandbox.program import Program, capture
from redline.core.access.domains import parse_domains
from redline.core.errors import SandboxUnavailable

_CLOSING = 5.0
_MAX_PACKET = 4 << 10
_MODULES = tuple(
    """
    redline.adapters.egress.connection redline.adapters.egress.dialing
    redline.adapters.egress.proxy redline.adapters.sandbox.landlock
    redline.adapters.sandbox.syscalls redline.core.access.domains redline.core.records
    """.split()
)


def capture_proxy() -> Program:
    """Read the code of the proxy process; call this when the server starts."""
    return capture("redline.adapters.egress.proxy:serve", _MODULES)


class ProxyProcess:
    """A proxy to *domains* for the commands of one server.

    *answers* (by name, the addresses of each successive lookup) and *permitted* (`ADDRESS:PORT`
    that may be dialled although they are not public) replace the resolver and widen the rule in
    tests; no setting leads here.
    """

    def __init__(
        self,
        domains: Sequence[str],
        program: Program | None = None,
        *,
        answers: Mapping[str, Sequence[Sequence[str]]] | None = None,
        permitted: Sequence[str] = (),
    ) -> None:
        self.domains = tuple(str(domain) for domain in parse_domains(domains))
        self._program = program or capture_proxy()
        self._trial = None if answers is None else {"answers": answers, "permitted": permitted}
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._refused: dict[str, list[str]] = {}

    def open_channel(self, job: str) -> int:
        """Return a descriptor on which a command's namespace sends its listening socket.

        The caller closes it; when its last duplicate is closed, the command has ended.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with self._lock, theirs:
            try:
                control = self._running()
                self._drain()
                socket.send_fds(control, [json.dumps({"job": job}).encode()], [theirs.fileno()])
            except OSError as problem:
                ours.close()
                raise SandboxUnavailable(f"The proxy did not start: {problem}") from None
            self._refused[job] = []
        return ours.detach()

    def take_refusals(self, job: str) -> Sequence[str]:
        """Return what was refused to the command; it is forgotten then."""
        with self._lock:
            self._drain()
            return self._refused.pop(job, ())

    def close(self) -> None:
        """End the proxy."""
        with self._lock:
            self._drop()

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return self._process.pid if self._process else None

    def _running(self) -> socket.socket:
        if self._process is not None and self._process.poll() is not None:
            self._drop()
        if self._control is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._process = self._program.start(
                    [str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            ours.send(json.dumps({"domains": self.domains, "trial": self._trial}).encode())
            self._control = ours
        return self._control

    def _drain(self) -> None:
        while self._control is not None:
            try:
                data = self._control.recv(_MAX_PACKET, socket.MSG_DONTWAIT)
            except OSError:
                return
            if not data:
                return
            said = json.loads(data)
            if said["job"] in self._refused:
                self._refused[said["job"]].append(said["refused"])

    def _drop(self) -> None:
        if self._control is not None:
            self._control.close()
        self._control = None
        if self._process is not None:
            try:
                self._process.wait(_CLOSING)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


_OWN = "localhost,127.0.0.1,::1"  # the command's own servers


def variables(port: int) -> dict[str, str]:
    """Return what a command whose proxy listens at *port* gets in its environment."""
    proxy = f"http://127.0.0.1:{port}"
    found = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), proxy)
    found["no_proxy"] = _OWN
    found |= {name.upper(): value for name, value in found.items()}
    found |= dict.fromkeys(("npm_config_proxy", "npm_config_https_proxy", "PIP_PROXY"), proxy)
    found |= dict.fromkeys(("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"), proxy)
    return found | {"npm_config_noproxy": _OWN, "NODE_USE_ENV_PROXY": "1"}
