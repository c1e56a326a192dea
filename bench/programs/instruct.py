"""How long a preview takes, by size of the document and kind of instruction.

    python -m bench.programs.instruct [--short]

Parsing the document is part of each preview.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

from bench.library.measure import Report, Row, spread
from redline.instruct.engine import propose
from redline.instruct.model.values import parse

INSTRUCTIONS = (
    "Set the age of person 17 name to Ann",
    "Set the email of Person 40 to new@example.com",
    "Remove every record whose age is greater than 62 and whose status is inactive",
    "Set status to archived for every record with age over 62 or status pending",
    "Remove the email of all records",
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


def measure(report: Report, count: int, repeats: int) -> None:
    """The rows for one size of document."""
    text = json.dumps(records(count))
    size = f"{len(text) / 1000:.0f} KB"
    times: list[float] = []
    slowest = ("", 0.0)
    for _ in range(repeats):
        for instruction in INSTRUCTIONS:
            started = time.process_time()
            propose(parse(text), instruction)
            spent = (time.process_time() - started) * 1000
            times.append(spent)
            slowest = max(slowest, (instruction, spent), key=lambda pair: pair[1])
    row = Row(f"preview, {size}", "redline", statistics.fmean(times), *spread(times))
    row.note = f"slowest {slowest[1]:.1f} ms: {slowest[0]}"
    report.add(row)


def main(arguments: list[str]) -> int:
    """Three sizes of document."""
    short = "--short" in arguments
    report = Report("instruct", facts={"instructions": len(INSTRUCTIONS)})
    for count, repeats in ((50, 20), (550, 10), (5000, 4)):
        measure(report, count, 1 if short else repeats)
    report.finish(short=short)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
