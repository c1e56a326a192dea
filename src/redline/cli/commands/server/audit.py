"""`redline audit verify FILE`: check that no line of an audit log was changed or removed."""

from __future__ import annotations

import argparse

from redline.cli.terminal import fail, out

EXAMPLES = """examples:
  redline audit verify /var/log/redline/audit.jsonl
  redline audit verify audit.jsonl --last 9c1f...   and that the log still has this line

A log can be cut off at its end without breaking the chain: keep the digest that `verify` prints
somewhere else, and give it with --last the next time.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    parser.add_argument("action", choices=("verify",), help="what to do")
    parser.add_argument("file", help="a file written with --audit-log")
    parser.add_argument("--last", metavar="DIGEST", help="a digest that must be in the log")


def run(args: argparse.Namespace) -> int:
    """Check the chain of digests."""
    from redline.wiring.command_line import verify_audit_log

    try:
        found = verify_audit_log(args.file, args.last)
    except OSError as failure:
        fail(f"Cannot read the audit log: {args.file}: {failure.strerror}")
        return 1
    if found.broken_at is not None:
        fail(
            f"The log is broken at line {found.broken_at}: {found.reason}",
            "what comes before it is as it was written",
        )
        return 1
    out(f"{found.lines} lines, all as they were written")
    out(f"last digest: {found.last}")
    return 0
