"""Cases of every kind, the same for the same seed and the same files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from bench.noise.corpus import corpus, history
from redline.trials.cases import make_cases
from redline.trials.drafts import Case


def cases(count: int, seed: int = 1, files: int = 400) -> Iterator[Case]:
    """*count* cases, the same for the same seed and the same files."""
    rng = random.Random(seed)
    return islice(make_cases(corpus(files, rng), history(200), rng), count)
