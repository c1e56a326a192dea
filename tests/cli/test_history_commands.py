"""log, show, undo and redo at a terminal and in a pipe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.cli.main import main
from redline.core.ports.history import Origin
from tests.toolsets.history.conftest import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty workspace."""
    made = Place(tmp_path)
    with made.redline:
        yield made


def test_log_is_plain_when_piped(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    change = place.write("a.txt", "one\n")
    assert main(["log", *place.flags]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(change.id)
    assert "create a.txt" in shown
    assert "\x1b" not in shown


@pytest.mark.requirement("agent-run-git-line")
def test_log_has_what_git_did_and_undo_passes_over_it(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.write("a.txt", "one\n")
    said = "git: commit abc1234 on main"
    made = place.redline.editor.note_git(Origin("run", "agent 1", summary=said, session="s1"))
    assert main(["log", *place.flags]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(said)
    assert main(["log", "--json", *place.flags]) == 0
    assert [row["git"] for row in json.loads(capsys.readouterr().out)] == [said, ""]
    assert main(["undo", made.id, *place.flags]) == 3
    assert main(["undo", *place.flags]) == 0
    assert not (place.root / "a.txt").exists()


def test_colour_can_be_forced_and_no_color_wins(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.txt", "one\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["show", *place.flags])
    assert "\x1b[32m+one\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["show", *place.flags])
    assert "\x1b" not in capsys.readouterr().out


def test_undo_and_redo_change_the_file_and_show_the_diff(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.write("a.txt", "one\n")
    place.write("a.txt", "two\n")
    assert main(["undo", "--dry-run", *place.flags]) == 0
    assert (place.root / "a.txt").read_text() == "two\n"
    assert main(["undo", *place.flags]) == 0
    assert (place.root / "a.txt").read_text() == "one\n"
    assert "-two\n+one\n" in capsys.readouterr().out
    assert main(["redo", *place.flags]) == 0
    assert (place.root / "a.txt").read_text() == "two\n"


def test_exit_codes_tell_nothing_to_do_from_refused(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["undo", *place.flags]) == 3
    change = place.write("a.txt", "one\n")
    (place.root / "a.txt").write_text("mine\n")
    assert main(["undo", change.id, *place.flags]) == 1
    told = capsys.readouterr().err
    assert "hint:" in told
    assert "+mine" in told
    assert main(["show", "nonesuch", *place.flags]) == 3


def test_log_pages(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    ids = [place.write("a.txt", f"{n}\n").id for n in range(3)]
    main(["log", "-n", "2", *place.flags])
    shown = capsys.readouterr().out
    assert ids[2] in shown
    assert "more: redline log " in shown
    assert f" --before {ids[1]}\n" in shown
    main(["log", "--before", ids[1], *place.flags])
    assert capsys.readouterr().out.startswith(ids[0])


def test_doctor_speaks_json(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json", *place.flags])
    told = json.loads(capsys.readouterr().out)
    assert {"platform", "root", "sandbox", "ripgrep", "history"} <= {
        finding["about"] for finding in told["findings"]
    }


def test_completions_know_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions", "words", "--", ""]) == 0
    script = capsys.readouterr().out
    for command in ("serve", "undo", "doctor"):
        assert command in script
