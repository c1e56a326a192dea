"""Opens the person's browser without showing the key to other processes."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable
from html import escape
from urllib.request import pathname2url


def show_in_browser(url: str, state_dir: str) -> Callable[[], None]:
    """Open *url* by way of a private file: a browser's arguments can be read by anyone.

    The function returned removes the file.
    """
    path = os.path.join(state_dir, f"review-{os.getpid()}.html")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(
            f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(url)}">'
            f'<a href="{escape(url)}">Review</a>\n'
        )
    webbrowser.open(f"file://{pathname2url(path)}")

    def remove() -> None:
        try:
            os.unlink(path)
        except OSError:
            pass

    return remove
