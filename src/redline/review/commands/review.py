"""`redline review`: the review page, on loopback."""

from __future__ import annotations

import argparse

from redline.cli.commands.history.view import add_workspace_flags, open_redline
from redline.cli.flags import port_number
from redline.cli.terminal import fail, out, paint
from redline.review.wiring import LazyReview, show_in_browser

EXAMPLES = """examples:
  redline review                 open the page in the browser
  redline review --no-open       only print its address

The address holds a key that is valid once. The browser that opened it stays signed in for a week;
`redline serve` shows the same page at its own address.
"""
_LOOPBACK = "127.0.0.1"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    add_workspace_flags(parser)
    parser.add_argument(
        "--port",
        type=port_number,
        default=0,
        metavar="N",
        help="the port to listen on; default: any",
    )
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted."""
    from redline.server.http.serve import serve_pages

    redline = open_redline(args, is_brief=False)
    settings = redline.settings._replace(host=_LOOPBACK, port=args.port)
    # Announced beside the history: commands of its servers cannot connect to this process.
    redline.served_at = f"review page on {_LOOPBACK}"
    with redline:
        redline.tree  # noqa: B018  opens the roots and settles the journal
        pages = LazyReview(redline)

        def announce(host: str, port: int) -> None:
            url = f"http://{host}:{port}/#key={pages.key}"
            out(f"review {url}")
            out(paint("the key is valid once; press Ctrl-C to stop", "dim"))
            if not args.no_open:
                redline.at_close(show_in_browser(url, redline.state_dir))

        try:
            return serve_pages(pages, settings, announce)
        except OSError as failure:
            fail(
                f"Cannot listen on {_LOOPBACK}:{args.port}: {failure.strerror}",
                "choose another with --port, or leave it out for any",
            )
            return 1
