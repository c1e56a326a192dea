"""Runs command lines in the sandbox as whoever starts this; lines in, answers out, as JSON.

Needs nothing but the standard library and Redline's source, so that any user can run it.
"""

import json
import os
import socket
import sys


class Workspace:
    """One directory, and some that are only read."""

    def __init__(self, path, root, read_only=()):
        self.roots = [root(os.path.realpath(path), True)]
        self.roots += [root(os.path.realpath(each), False) for each in read_only]

    def absolute(self, path):
        return os.path.join(self.roots[0].path, *path.parts)


class NoTree:
    """What a dry run would change is of no interest here."""

    def __getattr__(self, name):
        raise OSError(name)


class NoCancel:
    """Nobody gives up."""

    def check(self):
        pass

    def on_cancel(self, action):
        pass


def main():
    order = json.load(sys.stdin)
    sys.path.insert(0, order["source"])
    from redline.adapters.egress.proxy_process import ProxyProcess
    from redline.adapters.processes.commands import SandboxedCommands
    from redline.adapters.sandbox import limits
    from redline.core.paths import WorkspacePath
    from redline.core.ports.commands import Command
    from redline.core.ports.tree import Root

    for name, value in order.get("limits", {}).items():
        setattr(limits, name, value)
    commands = SandboxedCommands(
        Workspace(order["workspace"], Root, order.get("read_only", ())),
        order["mode"],
        backend=order["backend"],
        hidden=tuple(order.get("hidden", ())),
        proxy=ProxyProcess(**order["proxy"]) if "proxy" in order else None,
    )
    if "offer" in order:
        commands._helper.offer().update(order["offer"])
    answers = {}
    listener = socket.create_server(("", 0))
    listener.setblocking(False)
    top = WorkspacePath(0, ())
    for name, asked in order["lines"].items():
        terms = {"line": asked} if isinstance(asked, str) else dict(asked)
        own = {"{server_pid}": str(os.getpid()), "{server_port}": str(listener.getsockname()[1])}
        for name_, value in own.items():
            terms["line"] = terms["line"].replace(name_, value)
        terms["permissions"] = frozenset(terms.get("permissions", ()))
        is_dry = terms.pop("dry", False)
        timeout = order.get("timeout", 60.0)
        command = Command(cwd=top, timeout=timeout, overlay=is_dry, **terms)
        if is_dry:
            job = commands.start_dry(command, NoTree(), lambda _id, _difference, _state: (None, ()))
        else:
            job = commands.start(command)
        done = commands.finish(job, NoCancel(), 1 << 20)
        answers[name] = {
            "exit": done.state.exit_code,
            "status": done.state.status,
            "out": done.stdout.decode(errors="replace"),
            "err": done.stderr.decode(errors="replace"),
            "notes": list(done.notes),
            "facts": done.sandbox.wire(),
            "warnings": list(done.sandbox.warnings),
        }
    commands.close()
    try:
        listener.accept()[0].close()
        answers["server-port"] = "was reached"
    except BlockingIOError:
        pass
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
