"""The background program that brings a workspace's code index up to date.

Started as `python -P -m redline.wiring.index_worker ROOTS STATE_DIR`.
"""

from __future__ import annotations

import json
import sys

from redline.adapters.code_index.build import be_nice
from redline.settings import Settings
from redline.wiring.workspace import Redline


def build_index(roots: str, state_dir: str) -> None:
    """Bring a workspace's code index up to date."""
    be_nice()
    (workspace, _), *others = json.loads(roots)
    settings = Settings(
        workspace=workspace,
        directories=tuple((path, writable) for path, writable in others),
        state_dir=state_dir,
        read_only=True,
        allow_any_root=True,
    )
    redline = Redline(settings)
    redline.code_index.build()
    redline.close()


if __name__ == "__main__":
    build_index(*sys.argv[1:])
