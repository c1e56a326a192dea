"""Locks on places, across threads and processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.adapters.files.locks import BUCKETS, PlaceLocks, bucket_of
from redline.core.errors import Locked
from tests.support import open_below


def test_a_held_place_is_refused_after_the_wait(tmp_path: Path) -> None:
    held = PlaceLocks(str(tmp_path)).acquire([1, 2], directories=False)
    impatient = PlaceLocks(str(tmp_path), wait=0.0)
    with pytest.raises(Locked):
        impatient.acquire([2, 3], directories=False)
    impatient.acquire([3], directories=False).release()
    held.release()
    impatient.acquire([1, 2, 3], directories=False).release()


def test_moving_directories_waits_for_everybody_and_everybody_for_it(tmp_path: Path) -> None:
    locks = PlaceLocks(str(tmp_path), wait=0.0)
    one = locks.acquire([1], directories=False)
    two = locks.acquire([2], directories=False)
    with pytest.raises(Locked):
        locks.acquire([3], directories=True)
    one.release()
    two.release()
    alone = locks.acquire([3], directories=True)
    with pytest.raises(Locked):
        locks.acquire([4], directories=False)
    alone.release()


def test_a_refused_wait_leaves_nothing_held_and_no_more_open_each_time(tmp_path: Path) -> None:
    locks = PlaceLocks(str(tmp_path), wait=0.0)
    held = locks.acquire([5], directories=False)
    counts = set()
    for _ in range(5):
        with pytest.raises(Locked):
            locks.acquire([1, 5, 9], directories=False)
        counts.add(len(open_below(tmp_path)))
    assert len(counts) == 1
    locks.acquire([1, 9], directories=False).release()
    held.release()


def test_only_so_many_lock_files_stay_open_and_closing_closes_them(tmp_path: Path) -> None:
    locks = PlaceLocks(str(tmp_path), wait=0.0)
    for bucket in range(BUCKETS):
        locks.acquire([bucket], directories=False).release()
    assert 0 < len(open_below(tmp_path)) < 50
    locks.close()
    assert open_below(tmp_path) == []


def test_a_lock_file_that_was_removed_and_made_again_is_locked_anew(tmp_path: Path) -> None:
    locks = PlaceLocks(str(tmp_path), wait=0.0)
    locks.acquire([1], directories=False).release()
    (tmp_path / "001").unlink()
    held = PlaceLocks(str(tmp_path), wait=0.0).acquire([1], directories=False)
    with pytest.raises(Locked):
        locks.acquire([1], directories=False)
    held.release()


def test_two_holders_in_one_process_never_share_a_lock(tmp_path: Path) -> None:
    locks = PlaceLocks(str(tmp_path), wait=0.0)
    locks.acquire([1], directories=False).release()
    held = locks.acquire([1], directories=False)
    with pytest.raises(Locked):
        locks.acquire([1], directories=False)
    held.release()
    locks.acquire([1], directories=False).release()


def test_the_number_of_lock_files_is_bounded_and_case_does_not_matter(tmp_path: Path) -> None:
    buckets = {bucket_of((1, 2), f"name-{number}") for number in range(5000)}
    assert buckets <= set(range(BUCKETS))
    assert bucket_of((1, 2), "README") == bucket_of((1, 2), "readme")
    assert bucket_of((1, 2), "\udcff") in range(BUCKETS)
