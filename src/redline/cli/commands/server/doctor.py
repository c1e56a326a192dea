"""`redline doctor`: what is in force here, and what is weaker than it could be."""

from __future__ import annotations

import argparse
import json

from redline._version import __version__
from redline.cli.commands.history.view import add_workspace_flags, open_redline
from redline.cli.terminal import out, paint

_MARKS = {"ok": ("ok", "green"), "weak": ("weak", "yellow"), "bad": ("BAD", "red")}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_workspace_flags(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: argparse.Namespace) -> int:
    """Print every finding; 1 when something does not work."""
    with open_redline(args) as redline:
        findings = redline.examine()
    if args.json:
        rows = [{"about": f.about, "level": f.level, "text": f.text} for f in findings]
        out(json.dumps({"version": __version__, "findings": rows}, indent=2))
    else:
        out(paint(f"Redline {__version__}", "bold"))
        for finding in findings:
            mark, style = _MARKS[finding.level]
            out(f"{paint(f'{mark:>4}', style)}  {finding.about:12} {finding.text}")
    return 1 if any(finding.level == "bad" for finding in findings) else 0
