"""From outside text to a proven place, by openat2 and by the walk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.adapters.files.disk import Disk
from redline.adapters.files.disk_portable import PortableDisk
from redline.adapters.files.platform import choose_disk
from redline.adapters.files.workspace import DiskWorkspace
from redline.core.errors import (
    AbsolutePathDenied,
    InvalidArgument,
    NotADirectory,
    NotFound,
    OutsideRoots,
    PathDenied,
    PathError,
    ReadOnlyRoot,
    SymlinkEscape,
)
from redline.core.paths import Access, show_name


@pytest.fixture(params=["chosen", "walk", "portable"])
def disk(request: pytest.FixtureRequest) -> Disk:
    return {"chosen": choose_disk, "walk": Disk, "portable": PortableDisk}[request.param]()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "ws"
    (path / "d").mkdir(parents=True)
    (path / "d/f").write_text("f")
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil/secret").write_text("secret")
    return path


@pytest.fixture
def workspace(disk: Disk, root: Path) -> Iterator[DiskWorkspace]:
    made = DiskWorkspace(disk, [str(root)])
    yield made
    made.close()


def _parts(workspace: DiskWorkspace, raw: str, **options: bool) -> tuple[str, ...]:
    return workspace.resolve(raw, Access.READ, **options).parts


def test_relative_and_absolute_text_name_the_same_place(
    workspace: DiskWorkspace, root: Path
) -> None:
    for raw in ("d/f", "./d//f", "d/../d/f", f"{root}/d/f", f"{root}/d/./f", f"{root}/../ws/d/f"):
        assert _parts(workspace, raw) == ("d", "f"), raw
    assert _parts(workspace, ".") == ()
    assert _parts(workspace, str(root)) == ()
    assert workspace.absolute(workspace.resolve("d/f", Access.READ)) == f"{root}/d/f"


def test_missing_places_resolve_unless_they_must_exist(workspace: DiskWorkspace) -> None:
    assert _parts(workspace, "new") == ("new",)
    assert _parts(workspace, "a/b/c") == ("a", "b", "c")
    with pytest.raises(NotFound):
        _parts(workspace, "new", must_exist=True)


@pytest.mark.parametrize("raw", ["", "a\0b"])
def test_empty_text_and_nul_are_malformed(workspace: DiskWorkspace, raw: str) -> None:
    with pytest.raises(InvalidArgument):
        _parts(workspace, raw)


def test_a_sibling_with_the_same_beginning_is_outside(workspace: DiskWorkspace, root: Path) -> None:
    for raw in (f"{root}-evil/secret", "../ws-evil/secret", "/", "/etc/passwd", "..", "d/../.."):
        with pytest.raises(OutsideRoots):
            _parts(workspace, raw)


def test_dots_behind_a_missing_directory_are_not_guessed(workspace: DiskWorkspace) -> None:
    for raw in ("missing/../d/f", "missing/../../ws-evil/secret"):
        with pytest.raises(PathDenied):
            _parts(workspace, raw)


def test_dots_behind_a_link_go_to_the_real_parent(workspace: DiskWorkspace, root: Path) -> None:
    (root / "d/e").mkdir()
    (root / "link").symlink_to("d/e")
    assert _parts(workspace, "link/../f") == ("d", "f")


def test_links_within_the_root_are_followed_to_their_target(
    workspace: DiskWorkspace, root: Path
) -> None:
    (root / "rel").symlink_to("d/f")
    (root / "abs").symlink_to(root / "d")
    (root / "dangling").symlink_to("d/new")
    assert _parts(workspace, "rel") == ("d", "f")
    assert _parts(workspace, "abs/f") == ("d", "f")
    assert _parts(workspace, "dangling") == ("d", "new")
    assert _parts(workspace, "rel", follow=False) == ("rel",)
    assert _parts(workspace, "abs/f", follow=False) == ("d", "f")


def test_links_that_leave_every_root_are_refused(workspace: DiskWorkspace, root: Path) -> None:
    (root / "out").symlink_to("../ws-evil")
    (root / "passwd").symlink_to("/etc/passwd")
    (root / "dangling").symlink_to("/nowhere/at/all")
    (root / "chain").symlink_to("out/secret")
    for raw in ("passwd", "dangling", "chain", f"{root}/out"):
        with pytest.raises(SymlinkEscape):
            _parts(workspace, raw)
    for raw in ("out/secret", "out/new", "out/no/new"):
        with pytest.raises(OutsideRoots, match="symbolic link on the way"):
            _parts(workspace, raw)


def test_a_circle_of_links_ends(workspace: DiskWorkspace, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(PathDenied, match="Too many"):
        _parts(workspace, "a/x")


def test_a_file_is_no_directory(workspace: DiskWorkspace) -> None:
    with pytest.raises(NotADirectory):
        _parts(workspace, "d/f/x")


def test_tools_with_relative_paths_refuse_absolute_ones_and_dots(
    workspace: DiskWorkspace, root: Path
) -> None:
    with pytest.raises(AbsolutePathDenied):
        _parts(workspace, f"{root}/d/f", relative_only=True)
    with pytest.raises(OutsideRoots):
        _parts(workspace, "d/../d/f", relative_only=True)
    assert _parts(workspace, "d/f", relative_only=True) == ("d", "f")


def test_read_only_roots_are_read_only(disk: Disk, root: Path, tmp_path: Path) -> None:
    workspace = DiskWorkspace(disk, [str(root)], [str(tmp_path / "ws-evil")])
    secret = f"{tmp_path}/ws-evil/secret"
    assert workspace.resolve(secret, Access.READ).root == 1
    with pytest.raises(ReadOnlyRoot):
        workspace.resolve(secret, Access.WRITE)
    assert [r.writable for r in workspace.roots] == [True, False]


def test_a_link_from_one_root_into_another_is_followed(
    disk: Disk, root: Path, tmp_path: Path
) -> None:
    workspace = DiskWorkspace(disk, [str(root)], [str(tmp_path / "ws-evil")])
    (root / "out").symlink_to("../ws-evil")
    found = workspace.resolve("out/secret", Access.READ)
    assert (found.root, found.parts) == (1, ("secret",))
    with pytest.raises(ReadOnlyRoot):
        workspace.resolve("out/secret", Access.WRITE)


def test_a_root_within_a_root_has_the_last_word(disk: Disk, root: Path) -> None:
    workspace = DiskWorkspace(disk, [str(root)], [str(root / "d")])
    for raw in ("d/f", f"{root}/d/f", "d"):
        assert workspace.resolve(raw, Access.READ).root == 1, raw
        with pytest.raises(ReadOnlyRoot):
            workspace.resolve(raw, Access.WRITE)
    assert workspace.resolve(f"{root}/d/../x", Access.WRITE).root == 0


def test_a_root_given_twice_is_one_and_writable_if_either_is(disk: Disk, root: Path) -> None:
    (root.parent / "alias").symlink_to(root)
    workspace = DiskWorkspace(disk, [str(root)], [str(root.parent / "alias"), str(root)])
    assert [(r.path, r.writable) for r in workspace.roots] == [(str(root), True)]
    assert workspace.resolve(f"{root.parent}/alias/d/f", Access.WRITE).parts == ("d", "f")


def test_the_whole_disk_and_home_are_too_wide(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for wide in ("/", str(tmp_path)):
        with pytest.raises(InvalidArgument, match="Too wide"):
            DiskWorkspace(disk, [wide])
    assert DiskWorkspace(disk, [str(tmp_path)], allow_any_root=True).roots[0].writable


def test_the_whole_disk_can_be_allowed(disk: Disk, root: Path) -> None:
    workspace = DiskWorkspace(disk, ["/"], allow_any_root=True)
    expected = tuple(str(root).strip("/").split("/"))
    assert _parts(workspace, f"{root}/d/f") == (*expected, "d", "f")


def test_a_missing_root_is_said_at_once(disk: Disk, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        DiskWorkspace(disk, [str(tmp_path / "none")])


def test_a_name_with_undecodable_bytes_is_taken_back_as_shown(
    workspace: DiskWorkspace, root: Path
) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (root / name).write_text("x")
    assert _parts(workspace, show_name(name), must_exist=True) == (name,)
    assert _parts(workspace, r"new\xff") == (r"new\xff",)
    (root / r"caf\xe9.txt").write_text("literal")
    assert _parts(workspace, r"caf\xe9.txt") == (r"caf\xe9.txt",)


def test_a_name_too_long_is_refused(workspace: DiskWorkspace) -> None:
    with pytest.raises(PathError, match="too long"):
        _parts(workspace, "x" * 300)


def test_the_journal_is_out_of_reach_even_in_a_root_that_holds_it(disk: Disk, root: Path) -> None:
    (root / "home/state").mkdir(parents=True)
    workspace = DiskWorkspace(disk, [str(root)])
    assert workspace.seal(str(root / "home/state"))
    (root / "way").symlink_to("home/state")
    for raw in ("home/state", "home/state/journal", "way/journal", f"{root}/home/state/x"):
        with pytest.raises(PathDenied, match="own files"):
            workspace.resolve(raw, Access.READ)
    assert workspace.holds_root(workspace.resolve("home", Access.WRITE))
    assert not workspace.holds_root(workspace.resolve("d", Access.WRITE))
    assert not workspace.seal(str(root.parent / "elsewhere"))
