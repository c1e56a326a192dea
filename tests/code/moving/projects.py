"""Random projects whose files import one another in every form, and moves of their files."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

FOLDERS = ("", "pkg", "pkg/inner", "pkg/inner/deep", "pkg/other", "util")


@dataclass(slots=True)
class SampleProject:
    """Files by path, and the path and new path of one of them."""

    files: dict[str, str]
    old: str = ""
    new: str = ""
    packages: set[str] = field(default_factory=set)

    def write(self, root: Path) -> None:
        """Create the files."""
        for name, text in self.files.items():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _relative(source: str, target: str) -> str:
    """The relative module name of *target* in the file *source*."""
    home, there = PurePosixPath(source).parent.parts, PurePosixPath(target).with_suffix("").parts
    same = 0
    while same < min(len(home), len(there) - 1) and home[same] == there[same]:
        same += 1
    return "." * (len(home) - same + 1) + ".".join(there[same:])


def python_project(rng: random.Random) -> SampleProject:
    """A project in which each module has a VALUE made of those it imports."""
    files: dict[str, str] = {}
    modules: list[str] = []
    packages = {folder for folder in FOLDERS if folder and rng.random() < 0.8}
    for number in range(rng.randint(4, 8)):
        folder = rng.choice(FOLDERS)
        path = f"{folder}/mod{number}.py".lstrip("/")
        lines: list[str] = []
        values = [str(number + 1)]
        for other in rng.sample(modules, min(len(modules), rng.randint(0, 3))):
            statement, value = _python_import(rng, path, other)
            if rng.random() < 0.15:
                name = statement.replace("\n", "")
                lines.append(f"if True: {name}")
            else:
                lines.append(statement)
            values.append(value)
        if rng.random() < 0.3:
            lines.insert(0, '"""Text."""')
        files[path] = "\n".join([*lines, "", f"VALUE = {' + '.join(values)}", ""])
        modules.append(path)
    for folder in packages:
        lines = []
        for path in modules:
            # Of those that import nothing: else a move could close a circle of imports.
            is_leaf = "import" not in files[path]
            if str(PurePosixPath(path).parent) == folder and is_leaf and rng.random() < 0.5:
                stem = PurePosixPath(path).stem
                lines.append(
                    rng.choice(
                        [f"from . import {stem}", f"from .{stem} import VALUE as {stem}_value"]
                    )
                )
        files[f"{folder}/__init__.py"] = "\n".join([*lines, ""])
    project = SampleProject(files, packages=packages)
    project.old = rng.choice(modules)
    stem = rng.choice([PurePosixPath(project.old).stem, "fresh"])
    project.new = f"{rng.choice(FOLDERS)}/{stem}.py".lstrip("/")
    return project


def _python_import(rng: random.Random, path: str, other: str) -> tuple[str, str]:
    """A statement that imports *other*, and the expression of its value."""
    dotted = _dotted(other)
    package, _, stem = dotted.rpartition(".")
    own = PurePosixPath(path).parent.parts
    there = PurePosixPath(other).parts
    forms = [
        (f"from {dotted} import VALUE as v_{stem}", f"v_{stem}"),
        (f"import {dotted} as m_{stem}", f"m_{stem}.VALUE"),
        (f"import {dotted}", f"{dotted}.VALUE"),
        (f"from {dotted} import (\n    VALUE as w_{stem},  # it\n)", f"w_{stem}"),
    ]
    if package:
        forms += [
            (f"from {package} import {stem}", f"{stem}.VALUE"),
            (f"from {package} import {stem} as a_{stem}", f"a_{stem}.VALUE"),
            (f"from {package} import (\n    {stem} as b_{stem},\n)", f"b_{stem}.VALUE"),
        ]
    if own and there[0] == own[0]:
        relative = _relative(path, other)
        base = relative[: len(relative) - len(stem)]
        forms += [
            (f"from {relative} import VALUE as r_{stem}", f"r_{stem}"),
            (
                f"from {base.rstrip('.') if base.strip('.') else base} import {stem} as s_{stem}",
                f"s_{stem}.VALUE",
            ),
        ]
    return rng.choice(forms)


# The service gives all imports of a file one style, so a project has only one.
ENDINGS = {True: (".ts", ".ts", ".tsx", ".js", ".mts"), False: (".ts", ".ts", ".tsx", ".js")}
SCRIPT_FOLDERS = ("src", "src/a", "src/a/b", "src/c", "lib")


def script_project(rng: random.Random) -> SampleProject:
    """A project of ES modules with imports, exports and dynamic imports."""
    files: dict[str, str] = {}
    paths: list[str] = []
    with_endings = rng.random() < 0.5
    for number in range(rng.randint(4, 8)):
        folder = rng.choice(SCRIPT_FOLDERS)
        stem = "index" if rng.random() < 0.15 else f"m{number}"
        path = f"{folder}/{stem}{rng.choice(ENDINGS[with_endings])}"
        if any(each.rpartition(".")[0] == path.rpartition(".")[0] for each in paths):
            continue
        lines = []
        for other in rng.sample(paths, min(len(paths), rng.randint(0, 3))):
            spec = _spec(path, other, with_endings=with_endings)
            name = f"v{number}_{len(lines)}"
            lines.append(
                rng.choice(
                    [
                        f'import {{ value as {name} }} from "{spec}";',
                        f"import * as {name} from '{spec}';",
                        f'export {{ value as {name} }} from "{spec}";',
                        f'export const {name} = import("{spec}");',
                        f'import "{spec}";',
                        f'export * as {name} from "{spec}"; // {spec}',
                    ]
                )
            )
        files[path] = "\n".join([*lines, f"export const value = {number};", ""])
        paths.append(path)
    project = SampleProject(files)
    project.old = rng.choice(paths)
    name = PurePosixPath(project.old)
    stem = rng.choice([name.name.split(".")[0], "fresh", "index"])
    taken = {each.rpartition(".")[0] for each in paths}
    while True:
        target = f"{rng.choice(SCRIPT_FOLDERS)}/{stem}"
        if target not in taken or target == project.old.rpartition(".")[0]:
            break
        stem = "fresh"
    project.new = f"{target}{name.suffix}"
    return project


ALIASES = {"@/*": ["src/*"], "~lib/*": ["./missing/*", "./lib/*"], "inner/*.js": ["src/a/*"]}
CONFIG = """{
  // The paths of the project, as editors write them.
  "extends": "./base", /* with the rest */
  "compilerOptions": {"paths": %s,},
}
"""


def aliased_project(rng: random.Random) -> SampleProject:
    """A project of TypeScript whose imports are relative, by alias or from its `baseUrl`."""
    files = {
        "tsconfig.json": CONFIG % json.dumps(ALIASES),
        "base.json": json.dumps({"compilerOptions": {"baseUrl": "."}}),
        "src/c/tsconfig.json": json.dumps({"extends": "../../tsconfig.json"}),
    }
    paths: list[str] = []
    for number in range(rng.randint(4, 8)):
        stem = "index" if rng.random() < 0.15 else f"m{number}"
        path = f"{rng.choice(SCRIPT_FOLDERS)}/{stem}.ts"
        if path in paths:
            continue
        lines = [
            f'import {{ value as v{nth} }} from "{_aliased(rng, path, other)}";'
            for nth, other in enumerate(rng.sample(paths, min(len(paths), rng.randint(1, 3))))
        ]
        files[path] = "\n".join([*lines, 'import "react";', "export const value = 1;", ""])
        paths.append(path)
    project = SampleProject(files)
    project.old = rng.choice(paths)
    free = [f"{folder}/fresh.ts" for folder in SCRIPT_FOLDERS]
    project.new = rng.choice([each for each in free if each not in paths])
    return project


def _aliased(rng: random.Random, path: str, other: str) -> str:
    plain = other.removesuffix(".ts").removesuffix("/index")
    forms = [_spec(path, other, with_endings=False), plain]
    if plain.startswith("src/"):
        forms.append("@/" + plain.removeprefix("src/"))
    if plain.startswith("lib/"):
        forms.append("~lib/" + plain.removeprefix("lib/"))
    if plain.startswith("src/a/"):
        forms.append(f"inner/{plain.removeprefix('src/a/')}.js")
    return rng.choice(forms)


def _spec(path: str, other: str, *, with_endings: bool) -> str:
    home = PurePosixPath(path).parent.parts
    there = PurePosixPath(other)
    parts = there.parts
    same = 0
    while same < min(len(home), len(parts) - 1) and home[same] == parts[same]:
        same += 1
    words = [*([".."] * (len(home) - same) or ["."]), *parts[same:]]
    if with_endings:
        ending = ".mjs" if there.suffix == ".mts" else ".js"
        return "/".join([*words[:-1], there.stem + ending])
    return "/".join(words[:-1] if there.stem == "index" else [*words[:-1], there.stem])
