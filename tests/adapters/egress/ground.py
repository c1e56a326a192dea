"""Commands with a proxy to a registry on loopback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from redline.adapters.egress.proxy_process import ProxyProcess
from redline.adapters.processes.commands import SandboxedCommands
from tests.adapters.egress.registry import NAME, Registry
from tests.adapters.processes.ground import PlainWorkspace


def proxy_to(
    registry: Registry,
    *domains: str,
    answers: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> ProxyProcess:
    """A proxy whose resolver knows the registry, on a port that may be dialled."""
    known = {NAME: [["127.0.0.1"]], **(answers or {})}
    return ProxyProcess([registry.target, *domains], answers=known, permitted=[registry.address])


@contextmanager
def commands_with(
    proxy: ProxyProcess, workspace: Path, backend: str
) -> Iterator[SandboxedCommands]:
    """Commands in the directory that have the proxy."""
    made = SandboxedCommands(
        PlainWorkspace(str(workspace)), backend=backend, grace=0.1, proxy=proxy
    )  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()
