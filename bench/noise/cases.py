"""Cases of every kind, the same for the same seed and the same files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from bench.noise.corpus import corpus, history
from bench.trials.cases import make_cases
from bench.trials.drafts import Case


def cases(
    count: int, seed: int = 1, files: int = 400, *, is_settled: bool = False
) -> Iterator[Case]:
    """*count* cases, the same for the same seed and the same files.

    Settled ones do not change with this repository: only the interpreter's files and old commits.
    """
    rng = random.Random(seed)
    found = corpus(files, rng, is_settled=is_settled)
    return islice(make_cases(found, history(200, is_settled=is_settled), rng), count)
