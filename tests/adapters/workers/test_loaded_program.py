"""Workers run Redline's modules as they were when the server started, or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from redline.adapters.workers.loaded_program import stamping_time

REPO = Path(__file__).parents[3]
_SERVER = """
import os, shutil, sys
sys.path[:0] = [{source!r}, {repo!r}]
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.adapters.process_templates.template import Template
from redline.adapters.workers.isolated_calls import start_template
from redline.core.errors import ProgramChanged
package = {source!r} + "/redline"
workers = IsolatedCalls(template={template})
if {early!r}:
    workers.call("tests.adapters.workers.hostile:echo", ["warm"])
{change}
try:
    workers.call("redline.core.splice:no_such_function", [])
except ProgramChanged:
    print("refused")
except RuntimeError as error:
    print("imported", error)
finally:
    workers.close()
"""
_APPEND = """
with open(package + "/core/splice.py", "a") as file:
    file.write("\\nopen({mark!r}, 'w').close()\\n")
os.utime(package + "/core/splice.py", (1, 1))
"""
_SWAP = """
os.rename(package + "/core", package + "/core-before")
os.rename({source!r} + "/prepared", package + "/core")
"""
_CACHE = """
shutil.rmtree(package + "/core/__pycache__", ignore_errors=True)
os.rename({source!r} + "/cache", package + "/core/__pycache__")
"""
_LINK = """
os.link(package + "/core/splice.py", {source!r} + "/link")
"""
_NOTHING = "pass"


def _run(source: Path, change: str, *, early: bool, template: str = "None") -> str:
    mark = str(source / "mark")
    filled = change.format(source=str(source), mark=mark)
    code = _SERVER.format(
        source=str(source), repo=str(REPO), early=early, change=filled, template=template
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert not os.path.exists(mark), "the changed module ran"
    return done.stdout.decode().strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the package, and a `core` prepared before the server starts."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPO / "src" / "redline", tmp_path / "redline", ignore=ignore)
    shutil.copytree(tmp_path / "redline" / "core", tmp_path / "prepared")
    with open(tmp_path / "prepared" / "splice.py", "a") as file:
        file.write(f"\nopen({str(tmp_path / 'mark')!r}, 'w').close()\n")
    return tmp_path


@pytest.mark.requirement("sandbox-program")
@pytest.mark.parametrize("early", [False, True], ids=["new worker", "running worker"])
@pytest.mark.parametrize("change", [_APPEND, _SWAP], ids=["file changed", "directory replaced"])
def test_a_module_changed_after_the_start_is_refused_by_workers(
    source: Path, change: str, early: bool
) -> None:
    assert _run(source, change, early=early) == "refused"


@pytest.mark.requirement("sandbox-program")
@pytest.mark.parametrize("change", [_APPEND, _SWAP], ids=["file changed", "directory replaced"])
def test_a_module_changed_after_the_start_is_refused_by_templates(
    source: Path, change: str
) -> None:
    assert _run(source, change, early=False, template="Template(start_template)") == "refused"


@pytest.mark.requirement("sandbox-program")
def test_a_file_changed_right_after_the_start_is_not_older_than_it(tmp_path: Path) -> None:
    files = [tmp_path / str(number) for number in range(50)]
    for file in files:
        file.touch()
    for file in files:
        started = stamping_time()
        with open(file, "a") as opened:
            opened.write("changed")
        assert file.stat().st_ctime_ns >= started


@pytest.mark.requirement("sandbox-program")
def test_modules_that_did_not_change_are_imported(source: Path) -> None:
    said = _run(source, _NOTHING, early=False)
    assert said.startswith("imported AttributeError")


@pytest.mark.requirement("sandbox-program")
def test_compiled_code_put_in_place_after_the_start_is_not_used(source: Path) -> None:
    module = source / "redline" / "core" / "splice.py"
    planted = source / "cache" / f"splice.{sys.implementation.cache_tag}.pyc"
    planted.parent.mkdir()
    py_compile.compile(str(source / "prepared" / "splice.py"), str(planted))
    stamps = (int(module.stat().st_mtime), module.stat().st_size)
    head = b"".join(stamp.to_bytes(4, "little") for stamp in stamps)
    code = planted.read_bytes()
    planted.write_bytes(code[:8] + head + code[16:])
    assert _run(source, _CACHE, early=False).startswith("imported AttributeError")


@pytest.mark.requirement("sandbox-program")
def test_an_installed_module_that_an_installer_links_elsewhere_is_imported(source: Path) -> None:
    assert _run(source, _LINK, early=False) == "refused"  # nothing says what was installed
    (source / "link").unlink()
    data = (source / "redline" / "core" / "splice.py").read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    records = source / "redline-1.0.dist-info"
    records.mkdir()
    (records / "RECORD").write_text(f"redline/core/splice.py,sha256={digest},{len(data)}\n")
    assert _run(source, _LINK, early=False).startswith("imported AttributeError")
    (source / "link").unlink()
    assert _run(source, _APPEND, early=False) == "refused"
