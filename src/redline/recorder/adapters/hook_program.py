"""Tells the recorder of a workspace what an agent's client is about to do, or has done.

Clients start this file as a program of its own for every tool they run: `python -I -S FILE
CLIENT [STATE_DIR]`, or `redline-hook CLIENT` from a plugin, with the event as JSON on standard
input. It uses the standard library only, ends within seconds whatever happens, and always with
success: a client never fails because of it.
"""

from __future__ import annotations

import json
import os
import sys
import time

# What each client calls the moments that matter here.
MOMENTS = {
    "claude-code": {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before",
        "PostToolUse": "after",
        "PostToolUseFailure": "after",
        "Stop": "idle",
        "SessionEnd": "end",
    },
    "codex": {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before",
        "PostToolUse": "after",
        "Stop": "idle",
    },
    "cursor": {
        "sessionStart": "start",
        "beforeSubmitPrompt": "prompt",
        "preToolUse": "before",
        "postToolUse": "after",
        "postToolUseFailure": "after",
        "beforeShellExecution": "before",
        "afterShellExecution": "after",
        "beforeMCPExecution": "before",
        "afterMCPExecution": "after",
        "afterFileEdit": "after",
        "stop": "idle",
        "sessionEnd": "end",
    },
    "gemini": {
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "BeforeTool": "before",
        "AfterTool": "after",
        "AfterAgent": "idle",
        "SessionEnd": "end",
    },
}
FOLDER = "hooks"
SOCKET = "recorder.sock"
MAX_INPUT = 32 << 20
MAX_TEXT = 400
MAX_FILES = 64
# Of a prompt only its first words are passed on.
MAX_WORDS = 120
# Seconds for all of it, and for one step of talking to the recorder.
MAX_TIME = 2.5
MAX_WAIT = 0.5
_TOOLS = {"ShellExecution": "Shell", "FileEdit": "Edit"}
_FILES = ("file_path", "notebook_path", "absolute_path", "target_file", "path")
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_APPLY = ("apply_patch", "applypatch")
_PATCH = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def main(arguments: list[str]) -> None:
    """Pass on the event of standard input, and print what the client needs to go on."""
    client = arguments[0] if arguments else ""
    now = time.time_ns()
    name = ""
    try:
        _limit_time()
        event = json.loads(sys.stdin.buffer.read(MAX_INPUT))
        name = _text(event.get("hook_event_name"))
        message = describe(client, event, now)
        if message:
            _send(message, _folders(event), arguments[1] if len(arguments) > 1 else "")
    except Exception:  # noqa: S110  (the client must never fail because of this)
        pass
    # Codex reads JSON when a turn stops; Cursor and Gemini always do.
    if client in ("cursor", "gemini") or (client, name) == ("codex", "Stop"):
        sys.stdout.write("{}\n")


def describe(client: str, event: dict[str, object], now: int) -> dict[str, object] | None:
    """Return what the recorder needs to know of an event, or None."""
    name = _text(event.get("hook_event_name"))
    moment = MOMENTS.get(client, {}).get(name)
    if moment is None:
        return None
    tool = _text(event.get("tool_name")) or _tool_of(name)
    if name.endswith("MCPExecution"):
        # Cursor names the server apart from its tool, by the command that starts it.
        server = "redline__" if "redline" in str(event.get("command")) else ""
        tool, given = f"mcp__{server}{tool}", dict(event, command="")
    else:
        given = _arguments(event)
    command = given.get("command")
    command = command if isinstance(command, str) else ""
    files = [file for file in map(given.get, _FILES) if isinstance(file, str) and file]
    patch, folder = _find_patch(command)
    if patch:
        files += [os.path.join(folder, file) for file in _files_of_patch(patch)]
        command = ""
    if len(files) > MAX_FILES:
        files = []
    where = next(iter(_folders(event)), "")
    return {
        "client": client,
        "moment": moment,
        "time": now,
        "session": _text(event.get("session_id") or event.get("conversation_id")),
        "prompt": _text(
            event.get("prompt_id") or event.get("turn_id") or event.get("generation_id")
        ),
        "call": _text(event.get("tool_use_id")),
        "tool": tool,
        "command": command[:MAX_TEXT],
        "files": [os.path.realpath(os.path.join(where, file)) for file in files],
        "words": _first_words(event.get("prompt")) if moment == "prompt" else "",
        "given": digest_of(event.get("tool_input")) if "redline" in tool else "",
    }


def digest_of(arguments: object) -> str:
    """Return a digest of a tool's arguments, by which a server knows its call again."""
    from hashlib import sha256

    if isinstance(arguments, str):  # as Cursor gives them
        arguments = json.loads(arguments)
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:32]


def _arguments(event: dict[str, object]) -> dict[str, object]:
    """Return what the tool is given; Cursor has it in the event itself."""
    given = event.get("tool_input")
    return {**event, **given} if isinstance(given, dict) else event


def _tool_of(event: str) -> str:
    for part, tool in _TOOLS.items():
        if event.endswith(part):
            return tool
    return ""


def _find_patch(command: str) -> tuple[str, str]:
    """Return the patch that a command is or does nothing but apply, and the folder it goes to.

    Codex applies such a command itself, and sends no event when that is done.
    """
    head, begin, rest = command.partition(_BEGIN)
    words, folder = head.split(), ""
    if words[:1] == ["cd"] and words[2:3] == ["&&"]:
        folder, words = words[1].strip("'\""), words[3:]
    is_applied = not words or words[0] in _APPLY
    behind = rest.partition(_END)[2].split()
    if not begin or not is_applied or len(behind) > 1:
        return "", ""
    return begin + rest, folder


def _files_of_patch(patch: str) -> list[str]:
    lines = patch.splitlines()
    return [line[len(p) :].strip() for line in lines for p in _PATCH if line.startswith(p)]


def _text(value: object) -> str:
    return value[:MAX_TEXT] if isinstance(value, str) else ""


def _first_words(prompt: object) -> str:
    """Return the first line of a prompt, cut at a word."""
    text = prompt.strip() if isinstance(prompt, str) else ""
    line = " ".join(text.partition("\n")[0][: 4 * MAX_WORDS].split())
    if len(line) <= MAX_WORDS:
        return line
    return (line[:MAX_WORDS].rpartition(" ")[0] or line[:MAX_WORDS]) + "\u2026"


def _folders(event: dict[str, object]) -> list[str]:
    """Return the directories that the client works in, the closest first."""
    roots = event.get("workspace_roots")
    found = [event.get("cwd"), *(roots if isinstance(roots, list) else ())]
    return [folder for folder in found if isinstance(folder, str) and os.path.isabs(folder)]


def _send(message: dict[str, object], folders: list[str], state: str) -> None:
    """Give the message to every recorder of a workspace that has one of *folders*."""
    line = json.dumps(message).encode() + b"\n"
    moment = message["moment"]
    is_answered = moment == "prompt" or (moment == "before" and bool(message["files"]))
    for place in dict.fromkeys(_places(folders, state)):
        home = os.path.join(place, FOLDER)
        if os.path.exists(os.path.join(home, SOCKET)):
            _send_to(home, line, is_answered=is_answered)


def _send_to(home: str, line: bytes, *, is_answered: bool) -> None:
    """Send the line; wait until what came before is recorded, so that what follows is behind it."""
    import _socket

    # By its bare name: the whole path may be longer than the name of a socket can be.
    os.chdir(home)
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0)
    peer.settimeout(MAX_WAIT)
    try:
        peer.connect(SOCKET)
        peer.sendall(line)
        if is_answered:
            peer.recv(1)  # the recorder closes the connection when it is done
    except OSError:
        pass
    finally:
        peer.close()


def _places(folders: list[str], state: str) -> list[str]:
    """Return where recorders may listen: of each folder, and of those above it."""
    if state:
        return [state]
    found = []
    for folder in folders or [os.getcwd()]:
        above = os.path.realpath(folder)
        while True:
            found.append(state_dir_of(above))
            if os.path.dirname(above) == above:
                break
            above = os.path.dirname(above)
    return found


def state_dir_of(workspace: str) -> str:
    """Return the state directory of a workspace; `adapters.files.platform` says the same."""
    from hashlib import sha256

    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in os.path.basename(workspace))
    digest = sha256(os.fsencode(workspace)).hexdigest()[:12]
    return os.path.join(_state_home(), f"{name[:40] or 'root'}-{digest}")


def _state_home() -> str:
    home = os.path.expanduser("~")
    chosen = os.environ.get("XDG_STATE_HOME")
    if chosen and os.path.isabs(chosen):
        return os.path.join(chosen, "redline")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "redline")
    return os.path.join(home, ".local", "state", "redline")


def _limit_time() -> None:
    """End this process, with success, when it takes too long: input that never ends, say."""
    import signal

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, MAX_TIME)


def run() -> None:
    """Be the whole program, as a file or as `redline-hook`."""
    try:
        main(sys.argv[1:])
        sys.stdout.flush()
    except BaseException:  # noqa: S110
        pass
    os._exit(0)


if __name__ == "__main__":
    run()
