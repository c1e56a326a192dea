"""Packages are installed through the proxy, from inside the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.egress.ground import commands_with, proxy_to
from tests.adapters.egress.registry import Registry, make_certificate, serving
from tests.adapters.processes.ground import require, run
from tests.support import need_program


def _run(registry: Registry, workspace: Path, backend: str, line: str) -> str:
    with commands_with(proxy_to(registry), workspace, backend) as commands:
        done = run(commands, line, timeout=120.0)
    assert done.state.exit_code == 0, (done.stdout + done.stderr).decode()
    assert done.notes == ()
    return done.stdout.decode()


@pytest.mark.requirement("egress-install")
def test_pip_installs_a_wheel(registry: Registry, tmp_path: Path, backend: str) -> None:
    need_program("python")
    options = f"--index-url {registry.url}/simple --trusted-host {registry.target}"
    line = (
        f"python -m pip install --disable-pip-version-check {options} --target lib tiny"
        " && python -c 'import sys; sys.path.insert(0, \"lib\"); import tiny; print(tiny.word)'"
    )
    assert _run(registry, tmp_path, backend, line).endswith("tiny is here\n")
    assert (registry.target, "/tiny-1.0-py3-none-any.whl") in registry.asked


@pytest.mark.requirement("egress-install")
def test_npm_installs_a_package(registry: Registry, tmp_path: Path, backend: str) -> None:
    need_program("npm")
    line = (
        f"npm install --no-audit --no-fund --registry {registry.url} tiny"
        " && node -p 'require(\"tiny\")'"
    )
    assert _run(registry, tmp_path, backend, line).endswith("tiny is here\n")
    assert (registry.target, "/tiny.tgz") in registry.asked


@pytest.mark.requirement("egress-install")
def test_pip_and_npm_install_through_tls(tmp_path: Path) -> None:
    require("landlock")
    for program in ("openssl", "npm", "python"):
        need_program(program)
    workspace = tmp_path / "ws"
    workspace.mkdir()
    certificate = make_certificate(tmp_path)
    (workspace / "ca.pem").write_bytes((tmp_path / "cert.pem").read_bytes())
    with serving(certificate) as registry:
        line = (
            "python -m pip install --disable-pip-version-check --cert ca.pem"
            f" --index-url {registry.url}/simple --target lib tiny"
            f" && npm install --no-audit --no-fund --registry {registry.url} --cafile ca.pem tiny"
        )
        _run(registry, workspace, "auto", line)
        asked = {path for _host, path in registry.asked}
    assert {"/tiny-1.0-py3-none-any.whl", "/tiny.tgz"} <= asked
