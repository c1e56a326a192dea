"""The process that inputs are tried in: it names each input before it tries it, and may die of it.

`child.py TARGET SEED FIRST COUNT` makes its inputs itself; `child.py TARGET - SEED` tries the one
on its standard input. A native loop is ended by the kernel: the timer has no handler.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import traceback

from redline.core.errors import RedlineError
from tests.crashes.targets import TARGETS, Target

MEMORY = 2 << 30
# Processor time for one input; what is refused or done takes milliseconds.
SECONDS = float(os.environ.get("REDLINE_CRASH_SECONDS", "10"))


def main() -> None:
    """Try the inputs asked for; anything but a refusal in our own words is told and ends it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    target = TARGETS[sys.argv[1]]()
    if sys.argv[2] == "-":
        attempt(target, sys.stdin.buffer.read(), sys.argv[3])
        return
    seed, first, count = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for number in range(first, first + count):
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        attempt(target, target.make(rng_of(seed, number)), f"{seed} {number}")


def rng_of(seed: str, number: int) -> random.Random:
    """The same for the same input, in whatever batch it is tried."""
    return random.Random(f"{seed} {number}")


def attempt(target: Target, data: bytes, seed: str) -> None:
    """Try one input within its time."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        target.attempt(data, random.Random(seed))
    except RedlineError:
        pass
    except BaseException:
        sys.stderr.write(traceback.format_exc()[-1500:])
        sys.exit(3)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


if __name__ == "__main__":
    main()
