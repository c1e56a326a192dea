"""Terminal output: colour on a terminal, plain text in a pipe.

Everything the command line prints goes through `out`, `err` or `fail`, which escape control and
invisible characters: names, contents and messages from elsewhere never reach a terminal raw.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, TextIO
from unicodedata import combining, east_asian_width

from redline.core.diff import visible_diff
from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.core.wording import visible
from redline.wiring.command_line import ask_at_terminal

if TYPE_CHECKING:
    from redline.wiring.workspace import Redline

# The exit code of a command that finds nothing, or has nothing to do.
NOTHING_FOUND = 3
# The fact and the hint where every relative path leads nowhere.
NO_DIRECTORY = ("The current directory no longer exists", "change to another directory")
_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
# What `paint` writes for an escape character; no other text can contain it.
_ESCAPE = f"\x1b{os.urandom(8).hex()}"
_MAYBE_SECRET = late_regex(
    r"(?i)passw|secret|token|key|_pass|_pwd|credential|://|(?=\S{0,40}\d)[\w+/.-]{20}"
)
# What masks secrets in output: at most one, set when a workspace is opened.
_maskers: list[Callable[[str], str]] = []
_PAINTED = late_regex(rf"({_ESCAPE}\[[0-9;]*m)")


def has_colour(stream: TextIO | None = None) -> bool:
    """Return whether *stream* (standard output by default) should get colour; NO_COLOR wins."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """Return *text* in these styles, for `out`; unchanged when there is no colour."""
    if not styles or not has_colour(stream):
        return text
    codes = ";".join(_CODES[style] for style in styles)
    return f"{_ESCAPE}[{codes}m{text}{_ESCAPE}[0m"


def escape_for_terminal(text: str) -> str:
    """Return *text* with the colours of `paint` and every other hidden character escaped."""
    return "\x1b".join(visible(part)[0] for part in text.split(_ESCAPE))


def terminal_width() -> int:
    """Return the columns of the terminal on standard output; 0 if it is not a terminal."""
    if not is_terminal():
        return 0
    return os.get_terminal_size(sys.stdout.fileno()).columns


def is_terminal() -> bool:
    """Return whether a person reads standard output, not a file or a program."""
    return sys.stdout is not None and sys.stdout.isatty()


def fit(line: str, columns: int) -> str:
    """Return a painted line, cut with an ellipsis where it is wider than *columns*."""
    parts = _PAINTED.split(line)
    if sum(_width(part) for part in parts[::2]) <= columns:
        return line
    kept: list[str] = []
    room, is_cut = columns - 1, False
    for number, part in enumerate(parts):
        if number % 2:  # a colour, which is to end too
            kept.append(part)
            continue
        size = next((n for n in range(len(part)) if _width(part[: n + 1]) > room), len(part))
        kept.append(part[:size])
        room -= _width(part[:size])
        if size < len(part) and not is_cut:
            kept.append("\u2026")
            room, is_cut = 0, True
    return "".join(kept)


def _width(text: str) -> int:
    """Return how many columns *text* takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def one_line(text: str) -> str:
    """Return *text* with line breaks escaped too, so that a name cannot imitate a line."""
    return visible(text)[0].replace("\n", "\\u000a")


def program() -> str:
    """Return how to call this program from the current directory."""
    given = sys.argv[0]
    if os.path.basename(given).partition(".")[0] != "redline" or not os.path.isfile(given):
        return "redline"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        named = os.path.join(folder or ".", os.path.basename(given))
        if os.path.isfile(named):
            if os.path.samefile(named, given):
                return "redline"
            break  # another program of that name
    near = os.path.relpath(given)
    if near.startswith(".."):
        return os.path.abspath(given)
    return near if os.sep in near else os.path.join(".", near)


def paint_diff(diff: str) -> str:
    """Return a unified diff with hidden characters made visible and its lines coloured."""
    shown, _ = visible_diff(diff)
    return "".join(paint_diff_line(line) for line in shown.splitlines(keepends=True))


def paint_diff_line(line: str) -> str:
    """Return one line of a diff in its colour."""
    body = line.rstrip("\n")
    end = line[len(body) :]
    if body.startswith(("--- ", "+++ ", "rename ", "new ", "removed ", "mode of ")):
        return paint(body, "bold") + end
    for mark, style in (("@@", "cyan"), ("+", "green"), ("-", "red"), ("\\", "dim")):
        if body.startswith(mark):
            return paint(body, style) + end
    return line


def hide_secrets(redline: Redline, *, are_shown: bool = False) -> Redline:
    """Mask the secrets of a workspace in all output, unless REDLINE_SHOW_SECRETS is 1."""
    _maskers[:] = [] if are_shown else [redline.mask_for_person]
    return redline


def _mask(text: str) -> str:
    # Most output has nothing that could be one, and need not load what finds them.
    if not _maskers or not _MAYBE_SECRET.search(text):
        return text
    return _maskers[0](text)


def out(text: str = "") -> None:
    """Print a line; end the program quietly if the reader has closed the pipe."""
    try:
        print(escape_for_terminal(_mask(text)))
    except OSError as error:
        end_without_output(error)


def err(text: str) -> None:
    """Print a line on standard error, if there is one."""
    if sys.stderr is not None:
        print(escape_for_terminal(_mask(text)), file=sys.stderr, flush=True)


def out_bytes(data: bytes) -> None:
    """Write *data* to standard output: into a pipe with secrets masked, escaped on a terminal.

    The program ends quietly if the reader has closed the pipe.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        out(data.decode("utf-8", "surrogateescape").removesuffix("\n"))
        return
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed")
        if _maskers:
            text = data.decode("utf-8", "surrogateescape")
            data = _mask(text).encode("utf-8", "surrogateescape")
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        end_without_output(error)


def end_without_output(error: OSError) -> NoReturn:
    """End the program after a failed write; quietly if the reader closed the pipe."""
    gone = isinstance(error, BrokenPipeError)
    if not gone:
        fail(f"Standard output cannot be written: {error.strerror}")
        sys.stderr.flush()
    os._exit(0 if gone else 1)  # a normal exit would flush once more and fail


def standard_input(limit: int) -> bytes:
    """Read standard input, up to *limit* bytes."""
    if sys.stdin is None:
        raise InvalidArgument("Standard input is closed", field="file")
    return sys.stdin.buffer.read(limit)


def fail(message: str, hint: str | None = None) -> None:
    """Print an error and its hint on standard error."""
    err(f"{paint('redline:', 'red', 'bold', stream=sys.stderr)} {message}")
    if hint:
        err(f"  {paint('hint:', 'yellow', stream=sys.stderr)} {hint}")


def is_directory_gone() -> bool:
    """Return whether the directory that the command runs in was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def ask_number(question: str, highest: int) -> int | None:
    """Return the number the person at the terminal chooses, or None."""
    try:
        said = input(f"{question} [1-{highest}, or nothing] ").strip()
    except EOFError:
        return None
    return int(said) if said.isdigit() else None


def ask(question: str) -> bool:
    """Ask a yes or no question; no without a terminal."""
    if not sys.stdin.isatty():
        return False
    try:
        return input(f"{escape_for_terminal(question)} [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def ask_person(question: str) -> bool | None:
    """Ask the person at this process's terminal for a `yes`; None where there is no terminal."""
    said = ask_at_terminal(escape_for_terminal(f"{question} [yes/No] "))
    return None if said is None else said.strip().lower() == "yes"
