"""Many threads over one editor, as a server has them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import StaleBase
from redline.core.ports.history import HistoryQuery, Origin
from tests.engine.bench import Bench
from tests.support import open_below


def test_threads_editing_one_file_lose_nothing(bench: Bench) -> None:
    (bench.root / "f").write_bytes(b"")
    path = bench.at("f")
    refused = threading.local()

    def append(number: int) -> None:
        while True:
            before = bench.tree.state(path)
            assert isinstance(before, FileState)
            assert before.content is not None
            after = FileState.of(before.content + b"%d\n" % number)
            try:
                bench.editor.commit(ChangeSet((Change(path, before, after),)), Origin("t"))
            except StaleBase:
                refused.any = True
                continue
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(40)))
    lines = (bench.root / "f").read_bytes().split()
    assert sorted(int(line) for line in lines) == list(range(40))
    assert len(bench.history.list(HistoryQuery(limit=100))) == 40


def test_threads_on_many_files_leave_no_descriptor_and_no_litter(bench: Bench) -> None:
    bench.commit(bench.write("warm", "x"))

    def work(number: int) -> None:
        bench.commit(bench.mkdir(f"d{number}"), bench.write(f"d{number}/f", str(number)))
        bench.commit(bench.move(f"d{number}", f"e{number}"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(24)))
    before = len(open_below(bench.root.parent))
    for number in range(24, 34):
        work(number)
    assert len(open_below(bench.root.parent)) <= before
    assert sorted(bench.snapshot()) == sorted(
        ["warm"] + [n for i in range(34) for n in (f"e{i}", f"e{i}/f")]
    )
    for _ in range(68):
        bench.undo()
    assert sorted(bench.snapshot()) == ["warm"]
