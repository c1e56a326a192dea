"""A short run of every target, and proof that a run would notice what it looks for."""

from __future__ import annotations

import random
import signal
import sys

import pytest

from redline.adapters.images import PillowImages
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.core.errors import ContentError
from tests.crashes import campaign
from tests.crashes.targets import TARGETS
from tests.support import LONG

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs timers and limits of POSIX")
INPUTS = {"repository": 25, "picture": 300, "code": 300}


@pytest.mark.slow
@pytest.mark.parametrize("target", [name for name in TARGETS if not name.startswith("planted")])
def test_no_input_takes_the_process_down(target: str) -> None:
    inputs = INPUTS.get(target, 1000) * (200 if LONG else 1)
    assert campaign.run(target, seed="suite", inputs=inputs, batch=5000) == []


@pytest.mark.parametrize(("target", "mark"), [("planted-crash", b"!"), ("planted-error", b"?")])
def test_what_kills_a_child_is_found_and_made_small(target: str, mark: bytes) -> None:
    (finding,) = campaign.run(target, seed="planted", inputs=60, batch=60)
    assert finding.smallest == mark
    assert "SIGABRT" in finding.what or "ZeroDivisionError" in finding.what


def test_a_loop_that_holds_the_interpreter_is_ended_and_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDLINE_CRASH_SECONDS", "0.3")
    monkeypatch.setattr(campaign, "_TRIES", 3)
    (finding,) = campaign.run("planted-loop", seed="planted", inputs=30, batch=30)
    assert signal.SIGVTALRM.name in finding.what


def test_inputs_are_the_same_for_the_same_seed() -> None:
    for name in ("yaml-parser", "json", "picture"):
        first, second = (TARGETS[name]().make(random.Random("x")) for _ in range(2))
        assert first == second


def test_a_picture_without_pixels_is_refused_in_words() -> None:
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(4) + b"\0\0\0\x10" + bytes(9000)
    images = PillowImages(IsolatedCalls())
    image = images.recognise(header)
    assert image is not None
    with pytest.raises(ContentError, match="no pixels"):
        images.fit(image, width=16, height=16, limit=100)
