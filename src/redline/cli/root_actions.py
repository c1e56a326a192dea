"""How repeated flags become the roots of a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


class AddDirectory(argparse.Action):
    """Collects roots of both kinds in the order given: the first one is the workspace."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        found = list(getattr(namespace, "directories", None) or [])
        found.append((str(values), option_string == "--allow-write"))
        namespace.directories = found


class SetWorkspace(argparse.Action):
    """The first --workspace is the workspace, the others are further writable roots."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        if namespace.workspace is None:
            namespace.workspace = str(values)
        else:
            found = list(getattr(namespace, "directories", None) or [])
            namespace.directories = [*found, (str(values), True)]
