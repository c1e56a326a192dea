"""Runs the probes of fields.toml: a field that some program sees changed."""

from __future__ import annotations

import pytest

from redline.core.errors import RedlineError
from redline.policy.field_changes import compare
from redline.policy.field_patterns import FieldPattern
from tests.probes.frame import Probe, each, probes

PROBES = probes("fields")


@pytest.mark.requirement("policy-fields-readers")
@each(PROBES, "field")
def test_a_field_that_some_program_sees_changed_is_changed(probe: Probe) -> None:
    pattern = FieldPattern.parse(probe["field"])
    try:
        touched = compare(
            lambda *_: None, probe["name"], probe["old"].encode(), probe["new"].encode()
        )
    except RedlineError:
        touched = None  # not known, so it may be all of them
    is_touched = touched is None or any(pattern.matches(steps) for steps in touched)
    assert is_touched is not probe.get("untouched", False), touched
