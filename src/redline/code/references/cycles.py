"""Free the reference cycles of an answer as soon as it is complete."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collect_cycles() -> Iterator[None]:
    """Collect the cycles made inside the block when it ends.

    Syntax trees are native memory, which the collector does not count: by itself it would run too
    late. Nothing made inside the block leaves the youngest generation, so that is all it visits.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if was_enabled:
            gc.enable()
