"""What is tried, with what: real files mutated by the marks of their own grammar."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Protocol

from redline.core.errors import RedlineError
from tests.documents.corpus import files
from tests.documents.mutations import TOKENS, exercise, mutate
from tests.documents.writers import random_data, write

SAMPLES = Path(__file__).parents[1] / "code" / "samples"
DATA = Path(os.environ.get("REDLINE_SHARED_DATA", "/nonexistent"))
YAML_MARKS = [
    *TOKENS, b"!a ", b"!a\n", b"&a\n", b"!<a b>", b"!", b"&", b"? ", b"...\n", b"\n\t", b"- !a ",
    b"\xef\xbb\xbf", b"%TAG ! x\n", b'"\n"', b"*a : ", b"!!map\n", b"[!a ", b"}", b"|+\n", b">1\n",
]  # fmt: skip


class Target(Protocol):
    """Makes inputs, the same for the same generator, and tries them."""

    def make(self, rng: random.Random) -> bytes:
        """One input."""

    def attempt(self, data: bytes, rng: random.Random) -> None:
        """Do with it what the server does; RedlineError is a fine answer."""


def _suite(pattern: str) -> list[bytes]:
    found = [path.read_bytes() for path in sorted(DATA.glob(pattern)) if path.is_file()]
    return [source for source in found if len(source) < 4000]


class _Edited:
    """A document that is opened, read and edited."""

    def __init__(self, form: str, suite: str) -> None:
        self._form = form
        self._suite = _suite(suite)

    def make(self, rng: random.Random) -> bytes:
        base = write(self._form, random_data(rng, 2), rng)
        if self._suite and rng.random() < 0.5:
            base = rng.choice(self._suite)
        return mutate(base, rng)

    def attempt(self, data: bytes, rng: random.Random) -> None:
        exercise(data, self._form, rng)


class _Parsed:
    """YAML straight to the parser behind its guards, and its values read."""

    @cached_property
    def _bases(self) -> list[bytes]:
        corpus = [source[:600] for _, source in files(2)]
        return [*corpus, *_suite("yaml-test-suite/src/*.yaml"), b"", b"a: 1\n", b"- [a, {b: c}]\n"]

    def make(self, rng: random.Random) -> bytes:
        base = rng.choice(self._bases)
        start = rng.randrange(len(base) + 1)
        data = bytearray(base[start : start + rng.choice([0, 20, 60, 200])])
        for _ in range(rng.choice([1, 2, 4, 8, 16])):
            at = rng.randrange(len(data) + 1)
            data[at : at + rng.choice([0, 0, 1, 3])] = rng.choice(YAML_MARKS)
        return bytes(data)

    def attempt(self, data: bytes, rng: random.Random) -> None:
        from redline.documents.yaml.edit.document import YamlDocument

        document = YamlDocument(data)
        document.data()
        repr(document.get(()))


class CodeFiles:
    """Sources in every language: outlines, words, uses, and what an edit breaks."""

    def __init__(self) -> None:
        self._samples = [
            (path.name, path.read_bytes())
            for path in sorted(SAMPLES.iterdir())
            if path.suffix != ".outline"
        ]

    def make(self, rng: random.Random) -> bytes:
        name, source = rng.choice(self._samples)
        start = rng.randrange(len(source))
        for _ in range(rng.choice([1, 3, 9])):
            source = mutate(source, rng)
        return name.encode() + b"\n" + source[start : start + 3000]

    def attempt(self, data: bytes, rng: random.Random) -> None:
        from redline.code.syntax.definitions import parse, symbols_of
        from redline.code.syntax.errors import introduced_issues
        from redline.code.syntax.languages import language_of
        from redline.code.syntax.uses import uses_of, words_of

        name, _, source = data.partition(b"\n")
        language = language_of(name.decode("utf-8", "replace"))
        if language is None:
            return
        text = source.decode("utf-8", "surrogateescape")
        tree = parse(text, language)
        symbols_of(tree)
        words = list(words_of(tree))
        uses_of(tree, rng.choice(words) if words else "a")
        introduced_issues(text, text.replace("(", "", 1), language)


class _Picture:
    """Pictures that are made smaller."""

    @cached_property
    def _bases(self) -> list[bytes]:
        from PIL import Image

        bases = []
        for name in ("PNG RGBA", "PNG P", "PNG I;16", "GIF P", "JPEG RGB", "JPEG CMYK", "WEBP RGB"):
            kind, _, mode = name.partition(" ")
            out = io.BytesIO()
            Image.new(mode, (40, 30)).save(out, kind)
            bases.append(out.getvalue())
        return bases

    def make(self, rng: random.Random) -> bytes:
        data = bytearray(rng.choice(self._bases))
        for _ in range(rng.choice([1, 2, 5, 20])):
            at = rng.randrange(len(data))
            what = rng.randrange(3)
            if what == 0:
                data[at] = rng.randrange(256)
            elif what == 1:
                data[at : at + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\0\1"])
            else:
                del data[at : at + rng.choice([1, 4, 30])]
            data = data or bytearray(b"\0")
        return bytes(data)

    def attempt(self, data: bytes, rng: random.Random) -> None:
        from redline.adapters.images import recognise, shrink

        image = recognise(data)
        if image is not None and 0 < image.width * image.height < 1 << 20:
            scale = min(1.0, 16 / image.width, 16 / image.height)
            shrink(None, image.data, image.mime, image.width, image.height, scale, 4000)


class _Repository:
    """A repository one of whose own files is damaged: the path, a line end, then its bytes."""

    def __init__(self) -> None:
        self._made = tempfile.TemporaryDirectory(prefix="crash")
        self._base = Path(self._made.name) / "base"
        self._work = Path(self._made.name) / "work"
        self._base.mkdir()
        (self._base / "a.txt").write_text("one\ntwo\n")
        (self._base / "b").mkdir()
        (self._base / "b" / "c.txt").write_text("x\n" * 50)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(self._base)]
        for command in (
            ["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"],
            ["gc", "-q"], ["branch", "other"],
        ):  # fmt: skip
            subprocess.run([*git, *command], check=True, capture_output=True)
        (self._base / "a.txt").write_text("one\nthree\n")
        (self._base / "new").write_text("n\n")
        subprocess.run([*git, "add", "new"], check=True, capture_output=True)
        found = [path for path in sorted((self._base / ".git").rglob("*")) if path.is_file()]
        skip = ("hooks", "description", "info", "logs")
        self._files = [
            path.relative_to(self._base)
            for path in found
            if not any(part in skip for part in path.relative_to(self._base / ".git").parts[:1])
        ]

    def make(self, rng: random.Random) -> bytes:
        name = rng.choice(self._files)
        data = (self._base / name).read_bytes() or b"x"
        for _ in range(rng.choice([1, 1, 3])):
            data = mutate(data, rng)
        return os.fsencode(name) + b"\n" + data

    def attempt(self, data: bytes, rng: random.Random) -> None:
        from redline.core.paths import Access
        from redline.settings import Settings
        from redline.wiring.workspace import Redline

        name, _, content = data.partition(b"\n")
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(self._base, self._work)
        place = self._work / os.fsdecode(name)
        if place.parent.is_dir() and not place.is_dir():
            place.unlink(missing_ok=True)
            place.write_bytes(content)
        with Redline(
            Settings(workspace=str(self._work), state_dir=str(self._work / "s"))
        ) as redline:
            at = redline.workspace.resolve(".", Access.READ)
            for staged in (False, True):
                try:
                    redline.git.diff(at, staged=staged, context=3)
                except RedlineError:
                    pass
            redline.git.status(at, untracked=True)


class _Planted:
    """Proof that a campaign notices: a mark in the input makes it go wrong."""

    def __init__(self, mark: bytes) -> None:
        self._mark = mark

    def make(self, rng: random.Random) -> bytes:
        noise = bytes(rng.choice(b"abc \n") for _ in range(8))
        return noise + self._mark + noise if rng.random() < 0.1 else noise

    def attempt(self, data: bytes, rng: random.Random) -> None:
        if b"!" in data:
            os.abort()
        if b"?" in data:
            raise ZeroDivisionError
        if b"@" in data:
            re.match(r"(a+)+$", "a" * 40 + "b")


TARGETS: dict[str, Callable[[], Target]] = {
    "yaml": lambda: _Edited("yaml", "yaml-test-suite/src/*.yaml"),
    "yaml-parser": _Parsed,
    "json": lambda: _Edited("json", "JSONTestSuite/test_parsing/*"),
    "jsonc": lambda: _Edited("jsonc", "JSONTestSuite/test_parsing/*"),
    "json5": lambda: _Edited("json5", "json5-tests/**/*.json5"),
    "toml": lambda: _Edited("toml", "toml-test/**/*.toml"),
    "code": CodeFiles,
    "picture": _Picture,
    "repository": _Repository,
    "planted-crash": lambda: _Planted(b"!"),
    "planted-error": lambda: _Planted(b"?"),
    "planted-loop": lambda: _Planted(b"@"),
}
