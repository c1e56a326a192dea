"""The services that renames of symbols are compared with: one for each language.

Each is given the project's own files in a folder of their own and the place of a definition, and
answers with what it replaces. A service that is not installed is said out loud.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.library.language_server import LanguageServer
from redline.code.syntax.definitions import Symbol

FRESH = "enamed_by_bench"
ENDINGS = {"python": (".py",), "typescript": (".ts", ".tsx"), "go": (".go",), "rust": (".rs",)}
_RUST_OPTIONS: dict[str, Any] = {
    "cachePriming": {"enable": False},
    "cargo": {"buildScripts": {"enable": False}, "features": "all"},
    "checkOnSave": False,
    "procMacro": {"enable": False},
    "files": {"watcher": "server"},
}
_STATUS = {"experimental": {"serverStatusNotification": True}}


class Place(NamedTuple):
    """A definition: its file, its line from 1, the offset of its name, and the name."""

    path: Path
    line: int
    offset: int
    symbol: Symbol

    @property
    def name(self) -> str:
        """Its plain name."""
        return self.symbol.name.rpartition(".")[2]

    @property
    def fresh(self) -> str:
        """Its new name; with a capital if it has one: Go exports such names."""
        return f"{'R' if self.name[0].isupper() else 'r'}{FRESH}"

    @property
    def owner(self) -> str:
        """The name of the class around it."""
        return self.symbol.qualified.rpartition(".")[0].rpartition(".")[2]


class Replaced(NamedTuple):
    """Text that a service replaces, with what it puts around the new name."""

    path: Path
    start: int
    end: int
    prefix: str = ""
    suffix: str = ""


# What a service may answer: one way to rename, or several.
Judge = Callable[[Place], list[list[Replaced]]]


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_bytes().decode("utf-8", "replace")


@contextmanager
def pyright(package: Path, root: Path, files: list[Path]) -> Iterator[Judge]:
    """Pyright with every file open, and without packages: one may be a copy of the project."""
    _need(package / "langserver.index.js")
    (root / "pyrightconfig.json").write_text("{}")
    with tempfile.TemporaryDirectory() as empty:
        venv.create(empty, with_pip=False)
        paths = ["env", f"PATH={empty}/bin:{os.environ['PATH']}", f"VIRTUAL_ENV={empty}"]
        argv = [*paths, "node", str(package / "langserver.index.js"), "--stdio"]
        with LanguageServer(argv, root) as server:
            yield _by_server(server, root, files, "python")


@contextmanager
def gopls(program: Path, root: Path, files: list[Path]) -> Iterator[Judge]:
    """Gopls over a project in a GOPATH, with the packages that lie in GOPATH otherwise."""
    _need(program)
    with LanguageServer(["env", *go_environment(root), str(program)], root) as server:
        yield _by_server(server, root, files, "go")


def go_environment(root: Path) -> list[str]:
    """What go is started with: nothing comes from the network."""
    home = str(root)[: str(root).rindex("/src/")]
    others = os.environ.get("GOPATH", "/usr/share/gocode")
    given = {"GOPATH": f"{home}:{others}", "GO111MODULE": "off", "GOTOOLCHAIN": "local"}
    return [f"{key}={value}" for key, value in {**given, "GOFLAGS": ""}.items()]


@contextmanager
def rust_analyzer(program: Path, root: Path, files: list[Path]) -> Iterator[Judge]:
    """Rust-analyzer with the crates of the folder CARGO_REGISTRY, all features on."""
    _need(program)
    options = dict(_RUST_OPTIONS)
    if os.environ.get("RUST_SRC"):
        options["cargo"] = {**options["cargo"], "sysrootSrc": os.environ["RUST_SRC"]}
    server = LanguageServer([str(program)], root, options=options, capabilities=_STATUS)
    with server:
        server.wait(_is_quiescent)
        yield _by_server(server, root, files, "rust")


def _is_quiescent(message: dict[str, Any]) -> bool:
    is_status = message.get("method") == "experimental/serverStatus"
    return is_status and bool(message["params"].get("quiescent"))


def _by_server(server: LanguageServer, root: Path, files: list[Path], language: str) -> Judge:
    for path in files:
        server.open(str(path.relative_to(root)), read(path), language)

    def rename(place: Place) -> list[list[Replaced]]:
        before = read(place.path)[: place.offset]
        line, column = before.count("\n"), place.offset - (before.rfind("\n") + 1)
        given = {
            "textDocument": {"uri": place.path.as_uri()},
            "position": {"line": line, "character": column},
            "newName": place.fresh,
        }
        answer = server.request("textDocument/rename", given) or {}
        changes = {uri: list(edits) for uri, edits in answer.get("changes", {}).items()}
        for change in answer.get("documentChanges", []):
            if "textDocument" in change:
                changes.setdefault(change["textDocument"]["uri"], []).extend(change["edits"])
        found = [
            _replaced(Path(uri.removeprefix("file://")), edit, place.fresh)
            for uri, edits in changes.items()
            for edit in edits
        ]
        return [found] if found else []

    return rename


def _replaced(path: Path, edit: dict[str, Any], fresh: str) -> Replaced:
    lines = read(path).split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    span = edit["range"]
    ends = [starts[span[key]["line"]] + span[key]["character"] for key in ("start", "end")]
    prefix, _, suffix = edit["newText"].partition(fresh)
    return Replaced(path, *ends, prefix, suffix)


@contextmanager
def typescript(package: Path, _root: Path, files: list[Path]) -> Iterator[Judge]:
    """The TypeScript service over all files."""
    _need(package / "lib" / "typescript.js")
    script = Path(__file__).with_name("symbol_renames.mjs")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("\n".join(map(str, files)))
        listed.flush()
        argv = ["node", str(script), str(package / "lib" / "typescript.js"), listed.name]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin
        assert process.stdout
        reader, writer = process.stdout, process.stdin

        def rename(place: Place) -> list[list[Replaced]]:
            writer.write(json.dumps({"path": str(place.path), "start": place.offset}) + "\n")
            writer.flush()
            answers = json.loads(reader.readline())
            return [
                [Replaced(Path(path), *rest) for path, *rest in each] for each in answers if each
            ]

        try:
            yield rename
        finally:
            writer.close()
            process.wait()


def _need(program: Path) -> None:
    if not program.exists():
        raise SystemExit(f"The judge is not installed, nothing was compared: {program}")


JUDGES = {
    "python": pyright,
    "typescript": typescript,
    "go": gopls,
    "rust": rust_analyzer,
}
_KEPT = {
    "python": ("pyproject.toml", "setup.cfg", "mypy.ini"),
    "typescript": ("package.json", "tsconfig*.json"),
    "go": ("go.mod",),
    "rust": ("Cargo.toml",),
}
# Folders of others' code wherever they are, and of what was built if they are the outermost.
_OTHERS = {"node_modules", "vendor"}
_BUILT = {"dist", "build", "lib", "esm", "cjs"}


@contextmanager
def staged(language: str, project: Path) -> Iterator[tuple[Path, list[Path]]]:
    """A copy of a project's own sources, without what was built, and the files of the language."""
    with tempfile.TemporaryDirectory() as folder:
        inside = project.name
        if language == "go":
            inside = "src/" + str(project).rpartition("/src/")[2]
        root = Path(folder).resolve() / inside
        files = []
        for path in sorted(project.rglob("*")):
            name = path.relative_to(project)
            is_source = path.name.endswith(ENDINGS[language]) and not path.name.endswith(".d.ts")
            is_kept = any(path.match(pattern) for pattern in _KEPT[language])
            is_built = name.parts[0] in _BUILT and len(name.parts) > 1
            if (is_built or _OTHERS & set(name.parts)) and language != "rust":
                continue
            if path.is_file() and (is_kept or is_source):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, root / name)
                files += [root / name] if is_source and read(path).isascii() else []
        if language == "rust":
            _use_registry(root)
        yield root, files


def _use_registry(root: Path) -> None:
    """Have cargo take crates from a folder, not from the network, and need no others.

    Without those that its tests need, and options that are not in the folder: cargo reads nothing
    of a package that it cannot resolve.
    """
    registry = Path(os.environ.get("CARGO_REGISTRY", "/usr/share/cargo/registry"))
    (root / ".cargo").mkdir(exist_ok=True)
    (root / ".cargo" / "config.toml").write_text(
        '[source.crates-io]\nreplace-with = "folder"\n'
        f'[source.folder]\ndirectory = "{registry}"\n[net]\noffline = true\n'
    )
    manifest = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))
    there = {path.name.rpartition("-")[0] for path in registry.iterdir()}
    dropped: set[str] = set()
    for part in (manifest, *manifest.get("target", {}).values()):
        part.pop("dev-dependencies", None)
        needed = part.get("dependencies", {})
        for name in list(needed):
            about = needed[name] if isinstance(needed[name], dict) else {}
            if about.get("optional") and about.get("package", name) not in there:
                dropped.add(name)
                del needed[name]
    features = manifest.get("features", {})
    for name, wanted in features.items():
        is_there = (
            re.split(r"[?/]", each.removeprefix("dep:"))[0] not in dropped for each in wanted
        )
        features[name] = [each for each, keep in zip(wanted, is_there, strict=True) if keep]
    lines = [f"{json.dumps(key)} = {_as_toml(value)}\n" for key, value in manifest.items()]
    (root / "Cargo.toml").write_text("".join(lines), "utf-8")


def _as_toml(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(key)} = {_as_toml(each)}" for key, each in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
