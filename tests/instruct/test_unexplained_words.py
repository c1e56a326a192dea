"""A word that nothing explains stops the engine, wherever it stands."""

from __future__ import annotations

import random

import pytest

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.values import dumps
from tests.instruct.scoring import cases, documents
from tests.support import LONG

SAMPLE = 10_000 if LONG else 60
ODD = ("zorb", "European")


def _carries(proposal: Proposal, word: str) -> bool:
    """Whether the word became part of a new value or a new name."""
    low = word.lower()
    return any(
        low in "/".join(operation.new_path or operation.path).lower()
        or (operation.op not in ("remove", "move") and low in dumps(operation.value).lower())
        for operation in proposal.operations
    )


def _places(words: list[str]) -> list[int]:
    """The gaps between words that are not within quotes."""
    heads = (" ".join(words[:place]) for place in range(len(words) + 1))
    return [i for i, head in enumerate(heads) if head.count('"') % 2 == head.count("'") % 2 == 0]


@pytest.mark.requirement("json-every-word")
def test_an_odd_word_is_never_skipped() -> None:
    held = documents()
    asked = [case for case in cases() if "{" not in case.instruction]
    tried = 0
    skipped: list[str] = []
    for case in random.Random(7).sample(asked, min(SAMPLE, len(asked))):
        document, words = held[case.document], case.instruction.split(" ")
        if propose(document, case.instruction).status != "success":
            continue
        for odd in ODD:
            for place in _places(words):
                said = " ".join([*words[:place], odd, *words[place:]])
                proposal = propose(document, said)
                tried += 1
                if proposal.status == "success" and not _carries(proposal, odd):
                    skipped.append(said)
    assert tried > 300
    assert not skipped, "\n".join(skipped)
