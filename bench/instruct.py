"""How long a preview takes, by size of the document and kind of instruction.

python bench/instruct.py            prints p50 and p95 of CPU time, parsing included
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

from redline.instruct.engine import propose
from redline.instruct.values import parse

INSTRUCTIONS = (
    "Set the age of person 17 name to Ann",
    "Set the email of Person 40 to new@example.com",
    "Remove every record whose age is greater than 62 and whose status is inactive",
    "Set status to archived for every record with age over 62 or status pending",
    "Increase the score of all active records by 10%",
    'Set /records/3/name to "Zed"',
    "Update the email",
    "Make everything better somehow",
)


def records(count: int) -> dict[str, Any]:
    """A document of *count* people."""
    return {
        "records": [
            {
                "id": number,
                "name": f"Person {number}",
                "email": f"p{number}@example.com",
                "age": 18 + number % 47,
                "status": ("active", "inactive", "pending")[number % 3],
                "score": number * 1.5,
                "tags": ["a", "b"],
                "address": {"city": "Berlin", "zip": "10115"},
            }
            for number in range(count)
        ]
    }


def measure(count: int, repeats: int) -> None:
    """Print the times for one size."""
    text = json.dumps(records(count))
    times: list[float] = []
    slowest = ("", 0.0)
    for _ in range(repeats):
        for instruction in INSTRUCTIONS:
            started = time.process_time()
            propose(parse(text), instruction)
            spent = (time.process_time() - started) * 1000
            times.append(spent)
            slowest = max(slowest, (instruction, spent), key=lambda pair: pair[1])
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"{len(text) / 1000:8.0f} KB {count:6} records  p50 {statistics.median(times):7.1f} ms"
        f"  p95 {p95:7.1f} ms  slowest {slowest[1]:.1f} ms: {slowest[0]}"
    )


if __name__ == "__main__":
    for size, times_each in ((50, 20), (550, 10), (5000, 4)):
        measure(size, times_each)
