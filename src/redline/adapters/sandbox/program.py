"""How a child process of Redline is started: its modules as they were when the server started.

A child gets a fixed interpreter without site packages, a fixed environment, and the code of its
modules from memory. It imports nothing of Redline from disk, so a file that changes while the
server runs takes effect only when the server starts again.

Capture early (`capture` reads about a dozen small files, under a millisecond), start late:

    program = capture("redline.package.module:function", ["redline.package.module"])
    ...
    process = program.start(["argument"], pass_fds=[3])
"""

# Without `from __future__ import annotations`: annotations of named tuples that are text would be
# compiled whenever a server starts.
import marshal
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import subprocess

# The whole environment of every process that runs before a command is confined: nothing a caller
# names may act there. The command's own variables are set by the last exec.
FIXED_ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
PACKAGE_DIRECTORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_PYC_HEADER = 16
# All that the process which starts commands imports of Redline.
_HELPER_MODULES = tuple(
    """
    redline.adapters.sandbox.program redline.adapters.processes.spawner
    redline.adapters.processes.supervisor redline.adapters.processes.command_space
    redline.adapters.processes.command_start redline.adapters.process_templates.forking
    redline.adapters.sandbox.process_tree redline.adapters.sandbox.confine
    redline.adapters.sandbox.landlock redline.adapters.sandbox.syscalls
    redline.adapters.sandbox.mounts redline.adapters.sandbox.notify
    redline.adapters.sandbox.seccomp
    """.split()
)

# Runs first in the child; its arguments are the descriptor of the captured modules, what to call
# (which also names the process to people), and what to call it with.
_BOOT = """
import marshal, sys
from _frozen_importlib import ModuleSpec
with open(int(sys.argv[1]), "rb") as _file:
    _modules, _search = marshal.load(_file)
class _Captured:
    def find_spec(self, name, path=None, target=None):
        if name in _modules:
            return ModuleSpec(name, self, origin="captured", is_package=_modules[name][0])
        if name.partition(".")[0] == "redline":
            raise ModuleNotFoundError(f"not captured when the server started: {name}", name=name)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        _package, code, source, module.__file__ = _modules[module.__name__]
        whole = marshal.loads(code) if code else compile(source, module.__file__, "exec")
        exec(whole, module.__dict__)
sys.meta_path.insert(0, _Captured())
sys.path += _search
_module, _, _function = sys.argv[2].partition(":")
__import__(_module)
getattr(sys.modules[_module], _function)(*sys.argv[3:])
"""


class Program(NamedTuple):
    """The code of one kind of child process."""

    entry: str
    image: bytes

    def start(
        self, arguments: Sequence[str] = (), *, pass_fds: Iterable[int] = (), **options: Any
    ) -> "subprocess.Popen[bytes]":
        """Start a process that calls the captured entry with *arguments*.

        *options* go to `subprocess.Popen`: streams, session. Environment, working directory and
        interpreter cannot be chosen.
        """
        import subprocess

        with _memory_file() as file:
            file.write(self.image)
            file.flush()
            file.seek(0)
            boot = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, str(file.fileno())]
            return subprocess.Popen(
                [*boot, self.entry, *arguments],
                pass_fds=[*pass_fds, file.fileno()],
                cwd="/",
                env=FIXED_ENVIRONMENT,
                **options,
            )


def _memory_file() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("redline", os.MFD_CLOEXEC), "w+b")
    import tempfile

    return tempfile.TemporaryFile()


def capture(entry: str, modules: Sequence[str], search_path: Sequence[str] = ()) -> Program:
    """Read *modules* of Redline now, for children that call *entry* (`module:function`) later.

    Parent packages are included. Modules that are not of Redline come from the standard library
    and from *search_path*.
    """
    wanted = {"redline._version": None}  # its package imports it
    for module in modules:
        parts = module.split(".")
        wanted.update((".".join(parts[:end]), None) for end in range(1, len(parts) + 1))
    image = {name: _read(name) for name in wanted}
    return Program(entry, marshal.dumps((image, list(search_path))))


def capture_helper() -> Program:
    """Read the code of the process that starts commands; call this when the server starts."""
    return capture("redline.adapters.processes.spawner:serve", _HELPER_MODULES)


def _read(name: str) -> tuple[bool, bytes | None, bytes, str]:
    """Return whether the module is a package, its compiled code or else its source, and its path.

    Compiling is left to the child: the server must not pay for it when it starts.
    """
    base = os.path.join(os.path.dirname(PACKAGE_DIRECTORY), *name.split("."))
    is_package = os.path.isdir(base)
    path = os.path.join(base, "__init__.py") if is_package else base + ".py"
    code = _compile(path)
    if code is not None:
        return is_package, code, b"", path
    with open(path, "rb") as file:
        return is_package, None, file.read(), path


def _compile(path: str) -> bytes | None:
    """The code that the interpreter has cached for *path*, if it belongs to this very source."""
    import importlib.util

    try:
        with open(importlib.util.cache_from_source(path), "rb") as file:
            content = file.read()
        there = os.stat(path)
    except (OSError, NotImplementedError):
        return None
    stamps = (int(there.st_mtime) & 0xFFFFFFFF, there.st_size & 0xFFFFFFFF)
    header = (
        importlib.util.MAGIC_NUMBER
        + b"\0\0\0\0"
        + b"".join(stamp.to_bytes(4, "little") for stamp in stamps)
    )
    return content[_PYC_HEADER:] if content[:_PYC_HEADER] == header else None
