"""How an optional part is added to this installation."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

DISTRIBUTION = "redline-mcp"


def install_extra(extra: str) -> str:
    """Return the command that installs Redline again as it was, with *extra*."""
    target = shlex.quote(f"{_source()}[{extra}]")
    prefix = sys.prefix.replace("\\", "/")
    if "/pipx/venvs/" in prefix:
        return f"pipx install --force {target}"
    if "/uv/tools/" in prefix:
        return f"uv tool install --force {target}"
    return f"{shlex.quote(sys.executable)} -m pip install {target}"


def lacks_extra(extra: str, *modules: str) -> str | None:
    """Return the command that installs *extra*; None where all its *modules* are installed."""
    return None if all(map(find_spec, modules)) else install_extra(extra)


def _source() -> str:
    """Return the directory that Redline was installed from, or its name in an index."""
    try:
        origin = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        origin = None
    url = urlsplit(str(json.loads(origin).get("url", "")) if origin else "")
    return unquote(url.path) if url.scheme == "file" else DISTRIBUTION
