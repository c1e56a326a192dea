"""The processes of a run: a Redis that keeps its data, some servers, and haproxy before them."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench.programs.http import free_port

_HAPROXY = """\
global
    maxconn 4000

defaults
    mode http
    timeout connect 2s
    timeout client  120s
    timeout server  120s
    timeout check   2s
    option redispatch
    retries 2
    retry-on conn-failure

frontend group
    bind 127.0.0.1:{port}
    http-response set-header X-Answered-By %s
    default_backend group

backend group
    balance roundrobin
    option httpchk
    http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host 127.0.0.1:{port}
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


def missing_programs() -> list[str]:
    """The programs that a run needs and this machine lacks."""
    return [name for name in ("redis-server", "haproxy") if find_program(name) is None]


def find_program(name: str) -> str | None:
    """The path of a program, also of one for administrators."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def wait_for(port: int, path: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    """Wait until *process* answers 200."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"a process ended: {process.args!r}")
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            link.request("GET", path)
            if link.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        finally:
            link.close()
        time.sleep(0.05)
    raise RuntimeError(f"nothing answers on port {port}")


class Redis:
    """A Redis that has every write on disk before it answers: what it said, it keeps."""

    def __init__(self, home: Path) -> None:
        self._home = home
        home.mkdir()
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes]
        self.start()

    def start(self) -> None:
        """Start it on what it has on disk."""
        flags = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                 "--appendonly", "yes", "--appendfsync", "always",
                 "--dir", str(self._home)]  # fmt: skip
        self.process = subprocess.Popen(
            [str(find_program("redis-server")), *flags], stdout=subprocess.DEVNULL
        )
        end = time.monotonic() + 30
        while not self._answers():
            if time.monotonic() > end:
                raise RuntimeError("Redis did not start")
            time.sleep(0.02)

    def _answers(self) -> bool:
        import redis

        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def stop(self) -> None:
        """End it without a farewell."""
        self.process.kill()
        self.process.wait()


class Server:
    """One server of the group, which can be killed and started again on its port."""

    def __init__(self, number: int, flags: list[str], log: Path) -> None:
        self.name = f"s{number}"
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._flags = flags
        self._log = log
        self.starts = 0
        self.is_stopped = False
        self.process: subprocess.Popen[bytes]

    def start(self, allowed: str) -> None:
        """Start it; it may take a moment until it answers."""
        argv = [sys.executable, "-m", "redline", "serve", "--http", f"127.0.0.1:{self.port}",
                "--allowed-hosts", allowed, "--tools", "all", *self._flags]  # fmt: skip
        self.starts += 1
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=log)

    def kill(self) -> None:
        """SIGKILL."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def suspend(self) -> None:
        """SIGSTOP."""
        self.is_stopped = True
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT."""
        os.kill(self.process.pid, signal.SIGCONT)
        self.is_stopped = False

    def stop(self) -> None:
        """End it as an operator does."""
        if self.is_stopped:
            self.resume()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Group:
    """Redis, servers and haproxy; *flags* come after those that every server gets."""

    def __init__(self, home: Path, workspaces: Path, servers: int, flags: list[str]) -> None:
        self.redis = Redis(home / "redis")
        self.port = free_port()
        self.allowed = f"127.0.0.1:{self.port}"
        own = ["--workspaces", str(workspaces), "--state-dir", str(home / "state"),
               "--no-record", "--rate-limit", "0", "--max-calls", "64", "--max-open", "200",
               "--max-sessions", "1000", *flags]  # fmt: skip
        own = [each.replace("REDIS", self.redis.url) for each in own]
        self.servers = [Server(n, own, home / f"server-{n}.log") for n in range(servers)]
        for server in self.servers:
            server.start(self.allowed)
        for server in self.servers:
            wait_for(server.port, "/readyz", server.process)
        lines = [f"    server {each.name} 127.0.0.1:{each.port}" for each in self.servers]
        config = home / "haproxy.cfg"
        config.write_text(_HAPROXY.format(port=self.port, servers="\n".join(lines)))
        self.haproxy = subprocess.Popen(
            [str(find_program("haproxy")), "-db", "-f", str(config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(self.port, "/readyz", self.haproxy)

    def close(self) -> None:
        """End everything that was started."""
        self.haproxy.terminate()
        self.haproxy.wait()
        for server in self.servers:
            server.stop()
        self.redis.process.terminate()
        self.redis.process.wait()
