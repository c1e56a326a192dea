"""Park and wake: the same tree, only what is new is moved, and an interruption changes nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.core.errors import Busy, CannotApply, InvalidArgument, StoreUnavailable
from redline.teams.adapters.parked import chunks, moving
from redline.teams.adapters.parked.move_lock import moving_alone
from redline.teams.adapters.parked.moving import MovedWorkspace, park, wake
from redline.teams.adapters.parked.signing import ParkKeys

Facts = dict[str, tuple[object, ...]]
KEYS: ParkKeys


@pytest.fixture(autouse=True)
def keys(tmp_path_factory: pytest.TempPathFactory) -> None:
    global KEYS
    KEYS = ParkKeys(str(tmp_path_factory.mktemp("keys")))


class FolderStore:
    """Objects as files; `before` and `after` are called around every step that counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.put_bytes = 0
        self.before: Callable[[str], None] = lambda _: None
        self.after: Callable[[str], None] = lambda _: None

    def put(self, name: str, data: bytes) -> None:
        self.before("put " + name)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(path.name + ".half")
        half.write_bytes(data)
        half.replace(path)
        self.put_bytes += len(data)
        self.after("put " + name)

    def get(self, name: str, limit: int) -> bytes | None:
        self.before("get " + name)
        try:
            data = (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None
        if len(data) > limit:
            raise StoreUnavailable(f"too large: {name}")
        return data

    def has(self, name: str) -> bool:
        self.before("has " + name)
        return (self.folder / name).exists()

    def list(self, prefix: str) -> list[str]:
        self.before("list " + prefix)
        files = (self.folder / prefix).glob("*") if (self.folder / prefix).exists() else []
        return sorted(prefix + path.name for path in files)

    def delete(self, name: str) -> None:
        self.before("delete " + name)
        (self.folder / name).unlink(missing_ok=True)


def facts_of(top: Path) -> Facts:
    """Everything about a tree that must come back."""
    found: Facts = {}
    for path in [top, *sorted(top.rglob("*"))]:
        status = path.lstat()
        name, mode = str(path.relative_to(top)), stat.S_IMODE(status.st_mode)
        if path.is_symlink():
            found[name] = ("link", os.readlink(path), status.st_mtime_ns)
        elif path.is_dir():
            found[name] = ("directory", mode, status.st_mtime_ns)
        else:
            found[name] = ("file", mode, status.st_mtime_ns, path.read_bytes())
    return found


class Place:
    """A workspace with a history on one machine."""

    def __init__(self, base: Path, owner: str = "here") -> None:
        self.base = base
        base.mkdir(exist_ok=True)
        self.root, self.state = base / "ws" / "site", base / "state" / "site"
        self.moved = MovedWorkspace("site", str(self.root), str(self.state), owner)

    def fill(self, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.root.mkdir(parents=True)
        (self.state / "blobs").mkdir(parents=True)
        (self.state / "journal").write_bytes(chance.randbytes(3000))
        (self.state / "blobs" / "x").write_bytes(b"same")
        (self.root / "empty").mkdir()
        (self.root / "deep" / "er").mkdir(parents=True)
        (self.root / "link").symlink_to("deep/er")
        (self.root / "dangling").symlink_to("/nowhere/at all")
        for number in range(30):
            folder = chance.choice([self.root, self.root / "deep", self.root / "deep" / "er"])
            path = folder / f"f{number} ü\n"
            path.write_bytes(chance.randbytes(chance.choice([0, 1, 100, 70_000])))
            path.chmod(chance.choice([0o644, 0o600, 0o755, 0o444]))
        os.write(
            os.open(os.fsencode(self.root) + b"/not-utf8-\xff", os.O_WRONLY | os.O_CREAT), b"x"
        )
        (self.root / "copy").write_bytes(b"same")
        os.utime(self.root / "copy", ns=(1, 123_456_789))
        (self.root / "deep").chmod(0o750)

    def facts(self) -> tuple[Facts, Facts]:
        return facts_of(self.root), facts_of(self.state)

    def is_clean(self) -> bool:
        """Whether no half of a move is left beside the workspace."""
        return not [p for p in (*self.base.glob("*/.*.redline-*"),) if "old-" not in p.name]


@pytest.mark.requirement("moving-same")
def test_what_comes_back_is_what_was_parked(tmp_path: Path) -> None:
    here, there = Place(tmp_path / "a"), Place(tmp_path / "b", "there")
    store = FolderStore(tmp_path / "store")
    here.fill()
    before = here.facts()
    report = park(here.moved, store, KEYS)
    assert report.files == len([each for each in before[0].values() if each[0] == "file"])
    assert not here.root.exists()
    assert not here.state.exists()
    assert here.is_clean()
    wake(there.moved, store, KEYS)
    found = there.facts()
    assert json.loads(found[1].pop("former-paths")[3]) == [str(here.root)]  # type: ignore[arg-type]
    assert [found[0], found[1] | {".": before[1]["."]}] == list(before)
    assert there.is_clean()


@pytest.mark.requirement("moving-new-only")
def test_a_second_time_moves_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 50_000)
    monkeypatch.setattr(chunks, "PACK_BYTES", 200_000)
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    log = here.state / "journal"
    log.write_bytes(random.Random(3).randbytes(400_000))
    assert park(here.moved, store, KEYS).moved_bytes > 400_000
    wake(here.moved, store, KEYS)
    with log.open("ab") as stream:
        stream.write(b"one more line\n")
    (here.root / "new").write_bytes(b"n" * 10)
    (here.root / "copy").rename(here.root / "moved")
    store.put_bytes = 0
    before = here.facts()
    report = park(here.moved, store, KEYS)
    assert report.moved_bytes <= 50_000 + 10 + 14
    assert store.put_bytes <= report.moved_bytes + 10_000
    wake(here.moved, store, KEYS)
    assert here.facts() == before
    (here.root / "new").unlink()
    for path in here.root.glob("f*"):
        path.unlink()
    log.write_bytes(b"")
    before = here.facts()
    park(here.moved, store, KEYS)
    wake(here.moved, store, KEYS)
    assert here.facts() == before


@pytest.mark.requirement("moving-interrupted")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_store_that_fails_at_any_step_changes_nothing(tmp_path: Path, when: str) -> None:
    here = Place(tmp_path / "a")
    here.fill()
    before, failed = here.facts(), 0
    store = FolderStore(tmp_path / "store")
    for action in (park, wake):
        for number in range(1, 100):
            count = [0]

            def fail(_: str, count: list[int] = count, number: int = number) -> None:
                count[0] += 1
                if count[0] == number:
                    raise StoreUnavailable("injected")

            setattr(store, when, fail)
            try:
                action(here.moved, store, KEYS)
            except StoreUnavailable:
                failed += 1
                if action is park:
                    assert here.facts() == before
                    assert here.is_clean()
                else:
                    assert not here.root.exists()
                continue
            finally:
                setattr(store, when, lambda _: None)
            break
        assert here.root.exists() is (action is wake)
    assert failed >= (4 if when == "before" else 3)
    assert here.facts() == before


@pytest.mark.requirement("moving-interrupted")
@pytest.mark.parametrize("then", ["park", "wake"])
def test_a_process_that_is_killed_at_any_step_loses_nothing(tmp_path: Path, then: str) -> None:
    """Each store operation and each rename is a step; the child ends before it or after it."""
    ended = 0
    for number in range(1, 100):
        base = tmp_path / str(number)
        base.mkdir()
        here, store = Place(base), FolderStore(base / "store")
        here.fill(number)
        before = here.facts()
        if _dies_at(number, here, store):
            ended += 1
            if then == "park":
                park(here.moved, store, KEYS)
                assert not here.root.exists()
            wake(here.moved, store, KEYS)
        else:
            wake(here.moved, store, KEYS)
        assert here.facts() == before, number
        assert here.is_clean(), number
        if ended < number:
            break
    assert ended >= 20


def _dies_at(number: int, here: Place, store: FolderStore) -> bool:
    """Park and wake in a child that ends at its *number*th step; whether it came that far."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    count = 0

    def step(_: str = "") -> None:
        nonlocal count
        count += 1
        if count == number:
            os._exit(9)

    rename = os.rename

    def rename_in_steps(source: str, target: str) -> None:
        step()
        rename(source, target)
        step()

    try:
        store.before = store.after = step
        moving.os.rename = rename_in_steps  # type: ignore[attr-defined]
        park(here.moved, store, KEYS)
        wake(here.moved, store, KEYS)
    finally:
        os._exit(0)


@pytest.mark.requirement("moving-one-copy")
def test_a_workspace_is_awake_at_one_place(tmp_path: Path) -> None:
    here, there = Place(tmp_path / "a"), Place(tmp_path / "b", "there")
    store = FolderStore(tmp_path / "store")
    here.fill()
    park(here.moved, store, KEYS)
    wake(there.moved, store, KEYS)
    with pytest.raises(InvalidArgument, match="awake elsewhere: there"):
        wake(here.moved, store, KEYS)
    other = Place(tmp_path / "c", "other")
    other.fill(2)
    with pytest.raises(InvalidArgument, match="is awake at this address"):
        park(other.moved, store, KEYS)
    (there.root / "later").write_text("later")
    park(there.moved, store, KEYS)
    with pytest.raises(InvalidArgument, match="rests at this address"):
        park(other.moved, store, KEYS)
    assert other.root.exists()
    wake(here.moved, store, KEYS)
    assert (here.root / "later").read_text() == "later"


@pytest.mark.requirement("moving-same")
def test_a_store_that_changed_a_part_is_found_out(tmp_path: Path) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    park(here.moved, store, KEYS)
    (pack,) = (tmp_path / "store" / "packs").iterdir()
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.write_bytes(data)
    with pytest.raises(StoreUnavailable, match="lost or changed"):
        wake(here.moved, store, KEYS)
    assert not here.root.exists()


@pytest.mark.requirement("moving-verified")
@pytest.mark.parametrize("lost", ["packs/", "manifests/"])
def test_nothing_is_removed_here_that_the_store_did_not_keep(tmp_path: Path, lost: str) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    before = here.facts()

    def lose(step: str) -> None:
        if step.startswith("put " + lost):
            (store.folder / step.removeprefix("put ")).write_bytes(b"something else")

    store.after = lose
    with pytest.raises(StoreUnavailable, match="lost or changed"):
        park(here.moved, store, KEYS)
    assert here.facts() == before
    store.after = lambda _: None
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            path.unlink()
    park(here.moved, store, KEYS)
    wake(here.moved, store, KEYS)
    assert here.facts() == before


@pytest.mark.requirement("moving-verified")
def test_a_pack_of_an_earlier_time_that_is_gone_is_noticed(tmp_path: Path) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    park(here.moved, store, KEYS)
    wake(here.moved, store, KEYS)
    before = here.facts()
    (pack,) = (tmp_path / "store" / "packs").iterdir()
    pack.unlink()
    with pytest.raises(StoreUnavailable, match="lost or changed a pack"):
        park(here.moved, store, KEYS)
    assert here.facts() == before


def test_one_process_at_a_time_moves_a_workspace(tmp_path: Path) -> None:
    root = str(tmp_path / "site")
    with moving_alone(root):
        child = os.fork()
        if child == 0:
            try:
                with moving_alone(root):
                    pass
            except Busy:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        with pytest.raises(Busy, match="being moved: site"), moving_alone(root):
            pass
    with moving_alone(root):
        pass
    assert not list(tmp_path.iterdir())


def test_what_has_no_content_is_refused_and_stays(tmp_path: Path) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    os.mkfifo(here.root / "pipe")
    with pytest.raises(CannotApply, match="pipe"):
        park(here.moved, store, KEYS)
    assert here.root.exists()
    assert here.is_clean()


@pytest.mark.requirement("moving-interrupted")
def test_what_is_written_while_it_is_parked_is_parked_too(tmp_path: Path) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()

    def write(step: str) -> None:
        if step.startswith("put packs/") and here.root.exists():
            (here.root / "late").write_text("late")
            (here.root / "copy").write_text("changed")

    store.before = write
    park(here.moved, store, KEYS)
    store.before = lambda _: None
    wake(here.moved, store, KEYS)
    assert (here.root / "late").read_text() == "late"
    assert (here.root / "copy").read_text() == "changed"


@pytest.mark.requirement("moving-signed")
def test_a_workspace_of_another_server_is_woken_only_when_its_key_is_trusted(
    tmp_path: Path,
) -> None:
    here, there = Place(tmp_path / "a"), Place(tmp_path / "b", "there")
    store, others = FolderStore(tmp_path / "store"), ParkKeys(str(tmp_path / "others"))
    here.fill()
    before = here.facts()
    park(here.moved, store, others)
    with pytest.raises(InvalidArgument, match="Another server parked this workspace") as refused:
        wake(there.moved, store, KEYS)
    assert others.own in refused.value.message
    assert not there.root.exists()
    wake(there.moved, store, ParkKeys(str(tmp_path / "mine"), [others.own]))
    assert there.facts()[0] == before[0]
    with pytest.raises(InvalidArgument, match="Not the key of a server"):
        ParkKeys(str(tmp_path / "mine"), [others.own[:-1]])


@pytest.mark.requirement("moving-signed")
def test_a_workspace_is_woken_under_its_own_name(tmp_path: Path) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    park(here.moved, store, KEYS)
    with pytest.raises(InvalidArgument, match="Another workspace is parked there: site"):
        wake(here.moved._replace(name="other"), store, KEYS)
    assert not here.root.exists()


@pytest.mark.requirement("moving-signed")
def test_chunks_of_a_server_that_is_not_trusted_are_sent_again(tmp_path: Path) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    before = here.facts()
    sent = park(here.moved, store, ParkKeys(str(tmp_path / "others"))).moved_bytes
    wake(here.moved, store, ParkKeys(str(tmp_path / "others")))
    for pack in (store.folder / "packs").iterdir():
        pack.unlink()
    assert park(here.moved, store, KEYS).moved_bytes == sent
    wake(here.moved, store, KEYS)
    assert here.facts() == before


@pytest.mark.requirement("moving-signed")
def test_what_the_disk_has_no_room_for_is_refused_before_it_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, store = Place(tmp_path / "a"), FolderStore(tmp_path / "store")
    here.fill()
    park(here.moved, store, KEYS)
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(moving.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(CannotApply, match="and 1000 are free"):
        wake(here.moved, store, KEYS)
    assert not here.root.exists()
