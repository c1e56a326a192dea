"""`redline watch`: record what other programs change in the workspace."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence

from redline.cli.commands.history import view
from redline.cli.terminal import fail, out, paint
from redline.core.ports.history import Operation
from redline.server.ending import Terminated, end_on_signal

EXAMPLES = """examples:
  redline watch --once      record what changed since it was last recorded, and end

Files that git ignores, and files over 4 MB, are not recorded. Redline's own tools write their
changes down themselves. A server records too unless it was started with --no-record; one process
at a time does it.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    view.add_workspace_flags(parser)
    parser.add_argument("--once", action="store_true", help="record what changed so far, and end")


def run(args: argparse.Namespace) -> int:
    """Record until interrupted."""
    redline = view.open_redline(args, is_brief=False)
    label = view.label_for(redline)

    def report(operations: Sequence[Operation]) -> None:
        for operation in operations:
            out(view.headline(operation, label))

    def note(text: str) -> None:
        out(paint(f"note: {text}", "dim"))

    with redline, end_on_signal():
        session = None if redline.recording is None else redline.recording.open(report, note)
        if session is None:
            fail("another process records this workspace already")
            return 1
        if args.once:
            session.close()
        else:
            out(paint("recording; press Ctrl-C to stop", "dim"))
        with contextlib.suppress(Terminated):
            session.run()
        if session.failure:
            fail(session.failure)
            return 1
    return 0
