"""Broken and hostile documents: no crash, no hang, verified or unchanged."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from redline.documents.formats import FORMATS, sniff
from tests.documents.corpus import files
from tests.documents.mutations import exercise, mutate
from tests.documents.writers import random_data, write, writer_of
from tests.support import LONG

# 20,000 inputs for each of five formats in the long mode.
ROUNDS = 20_000 if LONG else 250


@pytest.mark.parametrize("form", FORMATS)
def test_mutated_documents_are_edited_right_or_refused(form: str) -> None:
    rng = random.Random(f"fuzz {form}")
    corpus = [source for _, source in files(3)] if form == "yaml" else []
    ends: Counter[str] = Counter()
    for _ in range(ROUNDS):
        base = write(form, writer_of(form).data(rng, 2), rng)
        if corpus and rng.random() < 0.3:
            base = rng.choice(corpus)[: rng.randrange(40, 600)]
        ends[exercise(mutate(base, rng), form, rng)] += 1
    assert ends["edited"] > ROUNDS // 20, ends
    assert ends["refused document"] > ROUNDS // 20, ends


def test_sniffing_takes_any_bytes() -> None:
    rng = random.Random("sniff")
    for _ in range(ROUNDS):
        form = rng.choice(["yaml", "json", "json5", "toml"])
        source = mutate(write(form, random_data(rng, 1), rng), rng)
        assert sniff(source) in FORMATS
