"""A package registry on loopback: one Python wheel and one npm package, with or without TLS."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import ssl
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

NAME = "registry.test"


def wheel() -> bytes:
    """A wheel with one module, `tiny`."""
    made = io.BytesIO()
    facts = "tiny-1.0.dist-info"
    files = {
        "tiny.py": "word = 'tiny is here'\n",
        f"{facts}/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        f"{facts}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{facts}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{facts}/RECORD"))
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


@cache
def npm_tarball() -> bytes:
    """An npm package with one module, `tiny`."""
    made = io.BytesIO()
    package = json.dumps({"name": "tiny", "version": "1.0.0", "main": "index.js"})
    files = {"package.json": package, "index.js": "module.exports = 'tiny is here'\n"}
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return made.getvalue()


class Registry(ThreadingHTTPServer):
    """Remembers what it was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, str]] = []
        self.scheme = "http"

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def target(self) -> str:
        """What commands call it."""
        return f"{NAME}:{self.server_port}"

    @property
    def url(self) -> str:
        """Its address for commands."""
        return f"{self.scheme}://{self.target}"

    def pages(self) -> dict[str, bytes]:
        """What is served, by path."""
        tarball = npm_tarball()
        digest = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
        dist = {"tarball": f"{self.url}/tiny.tgz", "integrity": f"sha512-{digest}"}
        version = {"name": "tiny", "version": "1.0.0", "main": "index.js", "dist": dist}
        known = {"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        link = f'<a href="{self.url}/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>'
        return {
            "/simple/tiny/": link.encode(),
            "/tiny-1.0-py3-none-any.whl": wheel(),
            "/tiny": json.dumps(known).encode(),
            "/tiny.tgz": tarball,
            "/": b"the registry",
        }


class _Handler(BaseHTTPRequestHandler):
    server: Registry
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.headers.get("Host", ""), self.path))
        self._send(self.server.pages().get(self.path))

    def do_POST(self) -> None:
        self._send(self.rfile.read(int(self.headers["Content-Length"])))

    def _send(self, body: bytes | None) -> None:
        self.send_response(404 if body is None else 200)
        kind = "application/json" if (body or b"").startswith(b"{") else "text/html"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(certificate: Path | None = None) -> Iterator[Registry]:
    """A registry that serves until the end of the block."""
    with Registry() as made:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            made.socket = context.wrap_socket(made.socket, server_side=True)
            made.scheme = "https"
        thread = Thread(target=made.serve_forever)
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def make_certificate(folder: Path) -> Path:
    """A certificate of the registry, signed by itself, together with its key."""
    made = folder / "registry.pem"
    line = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    options = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    options += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*line.split(), *options], check=True, capture_output=True)
    made.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return made
