"""Where the workspaces of a server are: a folder, or a list in a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.adapters.workspaces.folder import FolderOfWorkspaces
from redline.adapters.workspaces.listed import ListedWorkspaces
from redline.core.errors import InvalidArgument
from redline.core.ports.teams import WorkspaceDirectory
from redline.settings import Settings, SettingsError
from redline.wiring.workspace_set import check_apart

BAD = ("", ".", "..", ".x", "a/b", "a\0b", "a b", "-x", "a..b", "x" * 65, "ä")


def make(kind: str, top: Path) -> WorkspaceDirectory:
    folder = top / "ws"
    folder.mkdir()
    if kind == "folder":
        return FolderOfWorkspaces(str(folder), str(top / "state"))
    (top / "list.toml").write_text(f'# ours\nroot = "{folder}"  # new ones\n')
    return ListedWorkspaces(str(top / "list.toml"), str(top / "state"))


@pytest.mark.requirement("many-admin")
@pytest.mark.parametrize("kind", ["folder", "list"])
def test_workspaces_are_made_archived_and_restored(kind: str, tmp_path: Path) -> None:
    directory = make(kind, tmp_path)
    assert list(directory.list()) == []
    made = directory.create("billing.v2")
    assert made.path == str(tmp_path / "ws" / "billing.v2")
    assert made.state_dir == str(tmp_path / "state" / "billing.v2")
    Path(made.path, "a.txt").write_text("a")
    directory.create("other")
    assert [entry.name for entry in directory.list()] == ["billing.v2", "other"]
    with pytest.raises(InvalidArgument):
        directory.create("other")
    assert directory.list_archived() == []
    directory.archive("billing.v2")
    assert directory.list_archived() == ["billing.v2"]
    assert directory.find("billing.v2") is None
    assert [entry.name for entry in directory.list()] == ["other"]
    for wrong in ("billing.v2", "nothing"):
        with pytest.raises(InvalidArgument):
            directory.archive(wrong)
    with pytest.raises(InvalidArgument):
        directory.create("billing.v2")  # its history is that of the archived one
    assert directory.restore("billing.v2") == made
    assert Path(made.path, "a.txt").read_text() == "a"
    directory.mark_parked("other", "s3://bucket/other")
    found = directory.find("other")
    assert found is not None
    assert found.parked_at == "s3://bucket/other"
    directory.mark_parked("other", "")
    assert directory.find("other") == directory.list()[1]
    if kind == "list":
        assert (tmp_path / "list.toml").read_text().startswith("# ours\nroot = ")


@pytest.mark.requirement("many-admin", "many-apart")
@pytest.mark.parametrize("kind", ["folder", "list"])
def test_names_that_lead_elsewhere_are_none(kind: str, tmp_path: Path) -> None:
    directory = make(kind, tmp_path)
    before = sorted(os.listdir(tmp_path))
    for name in BAD:
        assert directory.find(name) is None
        for change in (directory.create, directory.archive, directory.restore):
            with pytest.raises(InvalidArgument):
                change(name)
    assert sorted(os.listdir(tmp_path)) == before


def test_links_and_files_in_a_folder_are_no_workspaces(tmp_path: Path) -> None:
    directory = make("folder", tmp_path)
    directory.create("real")
    (tmp_path / "ws" / "link").symlink_to(tmp_path / "ws" / "real")
    (tmp_path / "ws" / "file").write_text("x")
    (tmp_path / "ws" / ".git").mkdir()
    assert [entry.name for entry in directory.list()] == ["real"]
    assert directory.find("link") is None
    assert directory.find("file") is None


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "[workspaces.a]\n",
        '[workspaces.a]\npath = "relative"\n',
        '[workspaces.a]\npath = "/x"\npolcy = "/y"\n',
        '[workspaces.a]\npath = "/x"\nread_only = "yes"\n',
        '[workspaces."a/b"]\npath = "/x"\n',
        "[workspaces\n",
    ],
)
def test_a_mistake_in_the_list_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "list.toml").write_text(text)
    with pytest.raises(InvalidArgument, match=r"list\.toml|Not a name"):
        ListedWorkspaces(str(tmp_path / "list.toml")).list()


@pytest.mark.requirement("many-settings")
def test_workspaces_within_each_other_or_in_sight_of_commands_are_refused(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(outer / "inner")
    for second in (outer / "inner", tmp_path / "link"):
        (tmp_path / "list.toml").write_text(
            f'[workspaces.a]\npath = "{outer}"\n[workspaces.b]\npath = "{second}"\n'
        )
        with pytest.raises(SettingsError, match="in each other"):
            check_apart(ListedWorkspaces(str(tmp_path / "list.toml")), Settings())
    (tmp_path / "list.toml").write_text('[workspaces.a]\npath = "/usr/share"\n')
    with pytest.raises(SettingsError, match="Every command can read"):
        check_apart(ListedWorkspaces(str(tmp_path / "list.toml")), Settings())
