"""`redline doctor`: check what protects this workspace, and what is weaker than it could be."""

from __future__ import annotations

import argparse
import json

from redline._version import __version__
from redline.cli.commands.history.view import add_workspace_flags
from redline.cli.flags import report_usage_error, settings_from
from redline.cli.terminal import out, paint
from redline.settings import SettingsError
from redline.wiring.workspace import Redline

_MARKS = {"ok": ("ok", "green"), "weak": ("weak", "yellow"), "bad": ("BAD", "red")}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    add_workspace_flags(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def run(args: argparse.Namespace) -> int:
    """Print what a server would have; return 1 when something does not work."""
    try:
        settings = settings_from(args)
    except SettingsError as failure:
        return report_usage_error(failure)
    with Redline(settings) as redline:
        findings = redline.examine()
    if args.json:
        rows = [{"about": f.about, "level": f.level, "text": f.text} for f in findings]
        out(json.dumps({"version": __version__, "findings": rows}, indent=2))
    else:
        out(paint(f"Redline {__version__}", "bold"))
        width = max(len(finding.about) for finding in findings)
        for finding in findings:
            mark, style = _MARKS[finding.level]
            out(f"{paint(f'{mark:>4}', style)}  {finding.about:{width}} {finding.text}")
    return 1 if any(finding.level == "bad" for finding in findings) else 0
