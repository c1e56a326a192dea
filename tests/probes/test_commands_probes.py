"""Runs the probes of commands.toml: a command that has ended, and what is in the workspace then."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.core.paths import WorkspacePath
from redline.core.ports.history import HistoryQuery, Origin
from tests.adapters.processes.ground import BACKENDS, require
from tests.policy.hostile_commands import Stage, find_contradictions, save, wait_for_ready
from tests.probes.frame import Probe, each, probes

PROBES = probes("commands")


@pytest.fixture(params=BACKENDS)
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    require(request.param)
    made = Stage(tmp_path, request.param)
    made.lay_out()
    yield made
    made.redline.close()


@pytest.mark.requirement("policy-commands")
@pytest.mark.requirement("policy-commands-saves")
@pytest.mark.requirement("policy-commands-guarded")
@each(PROBES)
def test_probe(probe: Probe, stage: Stage) -> None:
    if probe.get("git"):
        subprocess.run(["git", "init", "-q", str(stage.root)], check=True)
        subprocess.run(["git", "-C", str(stage.root), "add", "-A"], check=True)
    stage.policy.write_text(probe["policy"])
    jobs = []
    for line in probe.get("together", ()):
        jobs.append(stage.start(line, None))
        wait_for_ready(jobs[-1])
    for name in probe.get("saves", ()):
        save(stage.root / name, b"person\n", is_replaced=probe.get("replaced", False))
    answers = []
    for job in jobs:
        job.send(b"go\n")
        answers.append(stage.finish(job))
    for line in probe.get("lines", ()):
        jobs.append(stage.start(line, b""))
        answers.append(stage.finish(jobs[-1]))
    said = "\n".join(note for notes in answers for note in notes)
    for name in probe.get("saves", ()):
        assert (stage.root / name).read_bytes() == b"person\n", said
        assert not any(path.relative == name for path in _recorded(stage)), said
    for name, text in probe.get("kept", {}).items():
        assert (stage.root / name).read_text() == text, said
    for name in probe.get("absent", ()):
        assert not (stage.root / name).exists(), said
    for words in probe.get("says", ()):
        assert words in said
    for words in probe.get("says_not", ()):
        assert words not in said
    assert [find_contradictions(notes) for notes in answers] == [[]] * len(answers)
    if "recorded" in probe.more:
        assert sorted(path.relative for path in _recorded(stage)) == probe["recorded"]
    if "undone" in probe.more:
        stage.redline.editor.undo(jobs[0].change, Origin("undo_change"))
        for name, text in probe["undone"].items():
            assert (stage.root / name).read_text() == text


def _recorded(stage: Stage) -> list[WorkspacePath]:
    found = stage.redline.history.list(HistoryQuery())
    return [path for operation in found for path in operation.change_set.paths]
