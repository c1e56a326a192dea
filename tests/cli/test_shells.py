"""The completions in the real shells, as a person at a terminal gets them."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_history_tools import Project, Run, _edited, project, run
from tests.support import need_program

__all__ = ["project", "run"]

LIMIT = 120.0
# What a person types before the tab key, and what is there then. ID is that of a change.
TYPED = {
    "redline sta": "redline status ",
    "redline undo ID3": "redline undo ID ",
    "redline undo --hu": "redline undo --hunks ",
    "redline rewind bef": r"redline rewind before\ it ",
    r"redline rewind before\ i": r"redline rewind before\ it ",
    r"redline get src/c.yaml items\[1": r"redline get src/c.yaml items\[1\] ",
    "redline blame src/ap": "redline blame src/app.py ",
}


def _environment() -> dict[str, str]:
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    return {**os.environ, "PATH": path, "TERM": "dumb"}


@pytest.fixture
def change(project: Project, run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """Stand in a workspace with something to complete; the id of a change."""
    monkeypatch.chdir(project.root)
    (project.root / "src/c.yaml").write_text("items:\n  - x\n  - y\n")
    run("checkpoint", "before it")
    return project.write("src/app.py", _edited(3)).id


def _with_id(text: str, change: str) -> str:
    return text.replace("ID3", change[:3]).replace("ID", change)


class Terminal:
    """An interactive shell; `complete` is what its line holds after the tab key.

    The shell's start file makes `ready` when it waits for a line, and on ^O writes its line to
    `line`.
    """

    def __init__(self, argv: list[str], environment: dict[str, str], folder: Path) -> None:
        self.ready, self.line = folder / "ready", folder / "line"
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.execve(argv[0], argv, environment)
        self._poll = select.poll()
        self._poll.register(self._terminal, select.POLLIN)

    def complete(self, typed: str) -> str:
        """Type and press tab."""
        self._wait_for(self.ready)
        os.write(self._terminal, typed.encode() + b"\t\x0f")
        self._wait_for(self.line)
        found = self.line.read_text()
        self.line.unlink()
        os.write(self._terminal, b"\x15")  # an empty line again
        return found

    def _wait_for(self, path: Path) -> None:
        end, shown = time.monotonic() + LIMIT, b""
        while not path.exists():
            assert time.monotonic() < end, f"{path.name} did not come: {shown[-2000:]!r}"
            if self._poll.poll(50):
                shown += os.read(self._terminal, 4096)

    def close(self) -> None:
        """End the shell."""
        os.kill(self._pid, 9)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


ZSHRC = """
autoload -Uz compinit; compinit -u -D
source {folder}/script
keep_line() {{ print -rn -- "$BUFFER" > {folder}/new; mv {folder}/new {folder}/line }}
zle -N keep_line; bindkey '^O' keep_line; bindkey '^I' complete-word; bindkey '^U' kill-whole-line
zle-line-init() {{ : > {folder}/ready }}; zle -N zle-line-init
"""
BASHRC = """
source {folder}/script
keep_line() {{ printf %s "$READLINE_LINE" > {folder}/new; mv {folder}/new {folder}/line; }}
bind -x '"\\C-o": keep_line'; bind '"\\C-i": complete'; bind '"\\C-u": kill-whole-line'
PROMPT_COMMAND=': > {folder}/ready'
"""


@pytest.mark.requirement("history-completions")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_tab_key_completes_what_a_person_types(
    shell: str, change: str, run: Run, tmp_path: Path
) -> None:
    program, start = need_program(shell), {"bash": BASHRC, "zsh": ZSHRC}[shell]
    (tmp_path / "script").write_text(run("completions", shell))
    (tmp_path / ".zshrc").write_text(start.format(folder=tmp_path))
    flags = ["--rcfile", f"{tmp_path}/.zshrc", "-i"] if shell == "bash" else ["-i"]
    environment = {**_environment(), "ZDOTDIR": str(tmp_path)}
    terminal = Terminal([program, *flags], environment, tmp_path)
    try:
        found = {typed: terminal.complete(_with_id(typed, change)) for typed in TYPED}
    finally:
        terminal.close()
    assert found == {typed: _with_id(wanted, change) for typed, wanted in TYPED.items()}


@pytest.mark.requirement("history-completions")
def test_fish_offers_what_fits(change: str, run: Run, tmp_path: Path) -> None:
    fish = need_program("fish")
    (tmp_path / "script").write_text(run("completions", "fish"))

    def offered(typed: str) -> list[str]:
        """What fish itself says it would offer after the tab key."""
        asked = f'source {tmp_path}/script; complete -C "{typed}"'
        done = subprocess.run(
            [fish, "--no-config", "-c", asked],
            capture_output=True,
            text=True,
            env={**_environment(), "HOME": str(tmp_path)},
            check=True,
            timeout=LIMIT,
        )
        return [line.partition("\t")[0] for line in done.stdout.splitlines() if line]

    assert offered("redline sta") == ["status"]
    assert offered(f"redline undo {change[:3]}") == [change]
    assert offered("redline undo --hu") == ["--hunks"]
    assert offered("redline rewind bef") == ["before it"]
    assert offered("redline get src/c.yaml items[1") == ["items[1]"]
    assert offered("redline blame src/ap") == ["src/app.py"]
