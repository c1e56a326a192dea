"""Other people's YAML parsers, which judge what Redline reads and writes: PyYAML and npm `yaml`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.support import NODE_MODULES, need, need_node

NPM_YAML = NODE_MODULES / "yaml" / "dist" / "index.js"


class NotRead(Exception):
    """A judge does not read a text."""


class Npm:
    """npm `yaml` in a process that answers one request after the other."""

    def __init__(self, node: str) -> None:
        self._process = subprocess.Popen(
            [node, str(Path(__file__).with_name("judge.mjs")), str(NPM_YAML)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def value(self, text: str, path: Sequence[str | int] = (), document: int = 0) -> Any:
        """What it reads at *path*; NotRead."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({"text": text, "document": document, "path": list(path)}) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        if "error" in answer:
            raise NotRead(answer["error"])
        return answer["value"]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def npm_yaml() -> Iterator[Npm]:
    """npm `yaml` in a process of its own; skips the test (or fails it on CI) where it is absent."""
    node = need_node()
    need(NPM_YAML.is_file(), "the npm package yaml (make node)")
    judge = Npm(str(node))
    try:
        yield judge
    finally:
        judge.close()


def py_value(text: str, path: Sequence[str | int] = (), document: int = 0) -> Any:
    """What PyYAML reads at *path*, tags resolved, aliases as their targets; NotRead."""
    try:
        nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NotRead(str(error)) from None
    node = nodes[document] if document < len(nodes) else None
    for step in path:
        node = _step(node, step)
        if node is None:
            return ("absent", step)
    return _plain(node, 0)


def py_reads(text: str) -> bool:
    """Whether PyYAML's fast parser (libyaml) reads a stream."""
    try:
        for _ in yaml.compose_all(text, Loader=yaml.CSafeLoader):
            pass
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return True


def _step(node: Any, step: str | int) -> Any:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step] if -len(node.value) <= step < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        found = [value for key, value in node.value if getattr(key, "value", None) == step]
        return found[-1] if found else None
    return None


def _plain(node: Any, depth: int) -> Any:
    if node is None or depth > 60:
        return None
    if isinstance(node, yaml.MappingNode):
        pairs = [(_plain(key, depth + 1), _plain(value, depth + 1)) for key, value in node.value]
        return (node.tag, pairs)
    if isinstance(node, yaml.SequenceNode):
        return (node.tag, [_plain(item, depth + 1) for item in node.value])
    return (node.tag, None if node.tag.endswith(":null") else node.value)
