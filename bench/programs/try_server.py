"""Try any MCP server that edits files: `python -m bench.programs.try_server -- COMMAND`."""

from __future__ import annotations

import argparse
import json
import sys

from bench.trials.running import try_server
from redline.core.errors import RedlineError

_DETAILS = """\
Starts COMMAND, an MCP server that speaks over stdio, in an empty directory, finds its tool that
replaces old text by new text, and measures two things: how long calls take, and what becomes of
edits with the noise that models add (other line ends, lost indentation, quotes that are nearly
right, text that is there twice). {dir} in COMMAND becomes the directory:

  python -m bench.programs.try_server -- npx -y @modelcontextprotocol/server-filesystem {dir}
  python -m bench.programs.try_server -- redline serve --stdio --tools files --allow-write {dir}

Each edit has one right outcome, must be refused, or may be either. exact: the file is what it has
to be, byte for byte. refused: the file is unchanged. wrong: anything else. The same seed and the
same version of Redline send the same edits.
"""


def _read_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python -m bench.programs.try_server",
        description=_DETAILS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1, help="which edits are sent (default 1)")
    parser.add_argument("--edits", type=int, default=500, help="edits with noise (default 500)")
    parser.add_argument("--calls", type=int, default=100, help="calls that are timed (default 100)")
    parser.add_argument("--tool", default="", help="the edit tool, if the first one is not meant")
    parser.add_argument(
        "--timeout", type=float, default=30.0, help="seconds to wait for an answer (default 30)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument("server", nargs="+", metavar="COMMAND", help="the server and its arguments")
    return parser.parse_args()


def main() -> int:
    """Print the tables; return 1 if the server cannot be tried."""
    args = _read_flags()
    try:
        found = try_server(
            args.server,
            number=args.seed,
            count=max(args.edits, 0),
            calls=max(args.calls, 1),
            tool=args.tool,
            seconds=args.timeout,
            progress=_report if sys.stderr.isatty() and not args.json else lambda _: None,
        )
    except RedlineError as failure:
        print(f"redline: {failure.text}", file=sys.stderr)
        return 1
    print(json.dumps(found.facts(), indent=2) if args.json else found.text())
    return 0


def _report(stage: str) -> None:
    print(f"\r{stage}    ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
