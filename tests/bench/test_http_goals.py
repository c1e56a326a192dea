"""The goals of the HTTP benchmark are judged by its facts."""

from __future__ import annotations

from bench.programs.http import judge


def test_a_ratio_below_the_goal_or_a_client_that_costs_too_much_is_missed() -> None:
    good = {"calls/s to the bare python sdk, 1 clients": 0.83, "idle KB: redline": 40.0}
    assert judge(good) == []
    slow = {**good, "calls/s to the bare python sdk, 64 clients": 0.99}
    assert judge(slow) == ["calls/s to the bare python sdk, 64 clients: 0.99, below 1.0"]
    alone = {**good, "calls/s to the bare typescript sdk, 1 clients": 0.82}
    assert judge(alone) == ["calls/s to the bare typescript sdk, 1 clients: 0.82, below 0.83"]
    assert judge({**good, "idle KB: redline": 40.1}) == ["an idle client: 40.1 KB, over 40"]
    assert judge({**good, "idle KB: bare python sdk": 90.0}) == [], "what peers cost is theirs"
