"""One value set in YAML, JSON, JSONC, JSON5 and TOML documents, beside the usual libraries.

    python -m bench.programs.documents [--short]

Every program gets a process of its own, reads the file once and sets a value several times; CPU is
per set (parse, change, verify or print), memory what the process grew by while it did so. Goals: 1
MB of YAML within 300 ms (600 ms where every node has a tag) and 8 times faster than npm yaml, 10 KB
within 3 ms; 1 MB of TOML within 200 ms; 50 MB of JSON five times faster than json.loads/dumps and
than jq, 10 KB below 1 ms, and at most four times the file in memory, the file itself counted in.
YAML and TOML are parsed whole, old and new, in a worker process: what a round trip to it adds is a
row of its own.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.library.measure import REPO, Report, Row
from bench.library.peers import NODE, npm_package, python_program
from bench.library.yaml_shapes import LEVELS, SMALL, YAML_SHAPES

US = "redline"
# A child starts with the peak of the process that forked it, so the peak is asked of its own memory
# map and reset before the work.
PYTHON = """
import json, sys, time
def memory(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))
source = open(sys.argv[1], "rb").read()
rounds = int(sys.argv[2])
{prepare}
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")
base = memory("VmRSS")
times = []
for _ in range(rounds):
    start, cpu = time.perf_counter(), time.process_time()
    {work}
    times.append((time.process_time() - cpu, time.perf_counter() - start))
peak = memory("VmHWM")
print(json.dumps({{"times": times, "grew": (peak - base) / 1024}}))
"""
# What is loaded to change a file at all, or a large one, is no part of what one file takes.
WARM = {
    "yaml": ("", "k{n}: [1, two]\n", ""),
    "toml": ("", "k{n} = [1, 'two']\n", ""),
    "json": ("{\n", '"k{n}": [1, 2],\n', '"z": 1}\n'),
    "jsonc": ("{\n", '"k{n}": [1, 2], // b\n', '"z": 1}\n'),
    "json5": ("{\n", "k{n}: [1, 'two'], // b\n", "z: 1}\n"),
}
OURS = """
sys.path.insert(0, {src!r})
from redline.documents.formats import open_document
from redline.documents.base.path import parse_path
path = parse_path({path!r})
head, line, tail = {warm!r}
for count in (3, 8000):
    warm = head + "".join([line.format(n=number) for number in range(count)]) + tail
    open_document(warm.encode(), {form!r}).set(("k2",), "2")
"""
NODE_SCRIPT = """
const fs = require('fs');
const source = fs.readFileSync(process.argv[2], 'utf8');
const rounds = Number(process.argv[3]);
const path = JSON.parse(process.argv[4]);
%(prepare)s
const base = process.memoryUsage().rss;
const times = [];
let peak = base;
for (let i = 0; i < rounds; i++) {
  const start = performance.now(), cpu = process.cpuUsage();
  %(work)s
  const used = process.cpuUsage(cpu);
  times.push([(used.user + used.system) / 1e6, (performance.now() - start) / 1e3]);
  peak = Math.max(peak, process.memoryUsage().rss);
}
console.log(JSON.stringify({times, grew: (peak - base) / 1048576}));
"""


def yaml_document(size: int) -> bytes:
    """Services with comments, lists and flow mappings."""
    item = (
        "  svc{n}:\n    image: nginx:1.{n}  # pinned\n    ports:\n      - 80\n"
        '      - "443"\n    env: {{A: 1, B: two}}\n\n'
    )
    return b"services:\n" + _filled(size, item)


def toml_document(size: int) -> bytes:
    """Tables with strings, arrays and comments."""
    return _filled(size, '[svc{n}]\nimage = "nginx:1.{n}" # pinned\nports = [80, 443]\n\n')


def json_document(size: int, comment: str = "") -> bytes:
    """Records in a list."""
    item = (
        '  {{"id": {n}, "name": "user {n}", "tags": ["a", "b"], "x": {{"y": null, "z": 1.50}}}},'
        f"{comment}\n"
    )
    body = _filled(size, item)
    return b'{"rows": [\n' + body.rstrip(b",\n" + comment.encode()) + b"\n]}\n"


def json5_document(size: int) -> bytes:
    """Records with bare names, single quotes, hexadecimal numbers, trailing commas and notes."""
    item = (
        "  {{id: {n:#x}, name: 'user {n}', tags: ['a', 'b',], x: {{y: null, z: +.50}},}}, // note\n"
    )
    return b"{rows: [\n" + _filled(size, item) + b"]}\n"


def flat_document(form: str, size: int) -> bytes:
    """One object with many members, as the format would have them."""
    item = {"json5": "  key{n}: '{n:#x}', // note\n", "jsonc": '  "key{n}": "{n}", // note\n'}
    body = _filled(size, item.get(form, '  "key{n}": "{n}",\n'))
    return b"{\n" + (body.rstrip(b",\n") if form == "json" else body) + b"\n}\n"


def _filled(size: int, item: str) -> bytes:
    pieces, length, number = [], 0, 0
    while length < size:
        piece = item.format(n=number).encode()
        pieces.append(piece)
        length += len(piece)
        number += 1
    return b"".join(pieces)


def python(program: str, prepare: str, work: str, file: Path, rounds: int) -> dict[str, Any]:
    """Run a measured Python program."""
    code = PYTHON.format(prepare=prepare, work=work)
    return _run([program, "-c", code, str(file), str(rounds)])


def node(prepare: str, work: str, file: Path, rounds: int, path: list[Any]) -> dict[str, Any]:
    """Run a measured Node program."""
    script = NODE_SCRIPT % {"prepare": prepare, "work": work}
    with tempfile.NamedTemporaryFile("w", suffix=".cjs") as program:
        program.write(script)
        program.flush()
        return _run([str(NODE), program.name, str(file), str(rounds), json.dumps(path)])


def _run(argv: list[str]) -> dict[str, Any]:
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def add(report: Report, task: str, who: str, found: dict[str, Any]) -> None:
    """The best CPU of all rounds and the middle wall time, as one row."""
    cpu = min(pair[0] for pair in found["times"]) * 1000
    walls = sorted(pair[1] * 1000 for pair in found["times"])
    report.add(
        Row(task, who, cpu, walls[len(walls) // 2], walls[-1], rss_mb=max(found["grew"], 0.0))
    )


def ours(report: Report, task: str, form: str, path: str, value: str, file: Path, n: int) -> None:
    """Measure Redline's own engine."""
    prepare = OURS.format(src=str(REPO / "src"), path=path, form=form, warm=WARM[form])
    work = f"open_document(source, {form!r}).set(path, {value!r})"
    add(report, task, US, python(sys.executable, prepare, work, file, n))


WORKER = """
sys.path.insert(0, {src!r})
from redline.wiring.workspace import Redline
from redline.documents.isolated import apply_edits
from redline.documents.editing import DocEdit, Options
from redline.documents.base.path import parse_path
from redline.settings import Settings
confined = Redline(Settings(workspace={folder!r}, allow_any_root=True)).confined
edits = [DocEdit("set", parse_path({path!r}), {value!r})]
apply_edits(confined, "a.{form}", source, edits, Options())
"""


def in_worker(report: Report, form: str, path: str, value: str, file: Path) -> None:
    """Measure one set through the worker; its wall time counts, as the CPU is another process's."""
    facts = {"src": str(REPO / "src"), "folder": str(file.parent)}
    prepare = WORKER.format(path=path, value=value, form=form, **facts)
    work = f"apply_edits(confined, 'a.{form}', source, edits, Options())"
    found = python(sys.executable, prepare, work, file, 30)
    add(report, f"{form} 10 KB, through the worker", US, found)


def measure_yaml(report: Report, folder: Path, large: int, *, slow_peers: bool) -> None:
    """YAML, small and large."""
    for task, size in (("yaml 10 KB", 10_000), ("yaml 1 MB", large)):
        file = folder / "document.yaml"
        file.write_bytes(yaml_document(size))
        middle = file.read_bytes().count(b"image:") // 2
        rounds = 30 if size <= 10_000 else 5
        ours(report, task, "yaml", f"services.svc{middle}.image", "nginx:2", file, rounds)
        if size <= 10_000:
            in_worker(report, "yaml", f"services.svc{middle}.image", "nginx:2", file)
        if not slow_peers:
            continue
        path = ["services", f"svc{middle}", "image"]
        package = npm_package("yaml")
        prepare = f"const YAML = require({json.dumps(str(package))});"
        work = "const d = YAML.parseDocument(source); d.setIn(path, 'nginx:2'); d.toString();"
        add(report, task, "npm yaml", node(prepare, work, file, 3, path))
        ruamel = str(python_program("ruamel.yaml", "python"))
        prepare = "import io; from ruamel.yaml import YAML; y = YAML(); text = source.decode()"
        work = (
            f"d = y.load(text); d['services']['svc{middle}']['image'] = 'nginx:2'; "
            "y.dump(d, io.StringIO())"
        )
        add(report, task, "ruamel.yaml", python(ruamel, prepare, work, file, 1))


def measure_odd_yaml(report: Report, folder: Path) -> None:
    """Shapes that are hard to take apart, and one mapping of 100,000 keys."""
    file = folder / "odd.yaml"
    for size, shapes, rounds in ((1_000_000, tuple(YAML_SHAPES), 3), (10_000, SMALL, 30)):
        for shape in shapes:
            head, item, tail, path, value = YAML_SHAPES[shape]
            body = _filled(size, item)
            file.write_bytes(head.encode() + body + tail.encode())
            middle = path.format(len(body) // len(item.format(n=size // 10)) // 2)
            ours(report, f"yaml {shape}, {_size(size)}", "yaml", middle, value, file, rounds)
    per_level = 1_000_000 // LEVELS // 60
    lines = [
        "  " * level + line
        for level in range(LEVELS)
        for line in [*(f"k{n}: value number {n}\n" for n in range(per_level)), "down:\n"]
    ]
    file.write_bytes("".join([*lines, "  " * LEVELS + "leaf: 1\n"]).encode())
    path = ".".join(["down"] * LEVELS + ["leaf"])
    ours(report, f"yaml {LEVELS} levels, 1 MB", "yaml", path, "2", file, 3)
    file.write_bytes(b"".join(b"key%06d: 1\n" % n for n in range(100_000)))
    ours(report, "yaml 100,000 keys", "yaml", "key050000", "2", file, 3)


def measure_json(report: Report, folder: Path, large: int, *, peers: bool) -> None:
    """JSON, small and large, and its relatives."""
    for task, size in (("json 10 KB", 10_000), ("json 50 MB", large)):
        file = folder / "document.json"
        file.write_bytes(json_document(size))
        middle = file.read_bytes().count(b'"id"') // 2
        rounds = 30 if size <= 10_000 else 3
        ours(report, task, "json", f"rows[{middle}].name", '"new"', file, rounds)
        work = f"d = json.loads(source); d['rows'][{middle}]['name'] = 'new'; json.dumps(d)"
        add(
            report, task, "json loads/dumps", python(sys.executable, "", work, file, min(rounds, 3))
        )
        if peers and shutil.which("jq") and size > 10_000:
            _measure_jq(report, task, file, middle)


def measure_relatives(report: Report, folder: Path, large: int, *, peers: bool) -> None:
    """JSONC and JSON5, small and large."""
    for form in ("jsonc", "json5"):
        for size in (10_000, 1_000_000, min(large, 30_000_000)):
            task = f"{form} {_size(size)}"
            file = folder / f"document.{form}"
            jsonc = form == "jsonc"
            file.write_bytes(json_document(size, " // note") if jsonc else json5_document(size))
            middle = file.read_bytes().count(b"name") // 2
            rounds = 30 if size <= 10_000 else 3
            ours(report, task, form, f"rows[{middle}].name", '"new"', file, rounds)
            if peers and form == "jsonc" and size == 1_000_000:
                package = npm_package("jsonc-parser")
                prepare = f"const J = require({json.dumps(str(package))});"
                work = "J.applyEdits(source, J.modify(source, path, 'new', {}));"
                found = node(prepare, work, file, 3, ["rows", middle, "name"])
                add(report, task, "jsonc-parser", found)


def measure_flat(report: Report, folder: Path) -> None:
    """One large object of each of the JSON formats."""
    for form in ("json", "jsonc", "json5"):
        file = folder / f"flat.{form}"
        file.write_bytes(flat_document(form, 1_000_000))
        middle = file.read_bytes().count(b"key") // 2
        ours(report, f"{form} 1 MB, one object", form, f"key{middle}", '"new"', file, 3)


def _size(size: int) -> str:
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1000} KB"


def _measure_jq(report: Report, task: str, file: Path, middle: int) -> None:
    program = (
        "import json, os, resource, subprocess, sys, time\n"
        f"argv = ['jq', '-c', '.rows[{middle}].name = \"new\"', sys.argv[1]]\n"
        "start = time.perf_counter()\n"
        "subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "times = [(used.ru_utime + used.ru_stime, time.perf_counter() - start)]\n"
        "print(json.dumps({'times': times, 'grew': used.ru_maxrss / 1024}))\n"
    )
    add(report, task, "jq", _run([sys.executable, "-c", program, str(file)]))


def measure_toml(report: Report, folder: Path, *, peers: bool) -> None:
    """TOML, small and large."""
    for size in (10_000, 1_000_000):
        task = f"toml {_size(size)}"
        file = folder / "document.toml"
        file.write_bytes(toml_document(size))
        middle = file.read_bytes().count(b"image") // 2
        rounds = 30 if size <= 10_000 else 3
        ours(report, task, "toml", f"svc{middle}.image", '"nginx:2"', file, rounds)
        if peers:
            tomlkit = str(python_program("tomlkit", "python"))
            prepare = "import tomlkit; text = source.decode()"
            work = (
                f"d = tomlkit.parse(text); d['svc{middle}']['image'] = 'nginx:2'; tomlkit.dumps(d)"
            )
            add(report, task, "tomlkit", python(tomlkit, prepare, work, file, 1))


# Shapes without sections: an item, what stands around all of them, a path into the middle.
TOML_SHAPES = {
    "flat keys": ('key{n} = "value {n}"\n', "", "", "key{n}"),
    "one array": ('  {{ x = {n}, y = ["a", 1.5] }},\n', "a = [\n", "]\n", "a[{n}].x"),
    "dotted keys": ("a.b{n}.c = {n}\n", "", "", "a.b{n}.c"),
}


def measure_odd_toml(report: Report, folder: Path) -> None:
    """TOML without sections, small and large."""
    file = folder / "odd.toml"
    for shape, (item, before, after, path) in TOML_SHAPES.items():
        for size in (10_000, 1_000_000):
            body = _filled(size, item)
            file.write_bytes(before.encode() + body + after.encode())
            middle = path.format(n=body.count(b"\n") // 2)
            rounds = 30 if size <= 10_000 else 3
            ours(report, f"toml {shape}, {_size(size)}", "toml", middle, "7", file, rounds)


# Milliseconds of CPU for one set, by task.
GOALS = {
    r"^yaml 1 MB": 300,
    r"^yaml .+, 1 MB": 600,
    r"^yaml .*10 KB": 3,
    r"^toml .*1 MB": 200,
    r"^json.* 10 KB": 1,
}


def judge(report: Report, sizes: dict[str, int]) -> list[str]:
    """The goals that are missed."""
    cpu = {(row.task, row.who): row.cpu_ms for row in report.rows}
    grew = {row.task: row.rss_mb for row in report.rows if row.who == US}
    missed = []
    for pattern, most in GOALS.items():
        slow = [task for task, who in cpu if who == US and re.search(pattern, task)]
        missed += [f"{task}: over {most} ms" for task in slow if cpu[task, US] > most]
    for task, who, factor in (
        ("yaml 1 MB", "npm yaml", 8),
        ("json 50 MB", "json loads/dumps", 5),
        ("json 50 MB", "jq", 5),
    ):
        if (task, who) in cpu and cpu[task, who] < factor * cpu[task, US]:
            missed.append(f"{task}: not {factor} times faster than {who}")
    for task, size in sizes.items():
        # The source itself is in memory before and counts as one of the four.
        if grew[task] > 3 * size / 1e6:
            missed.append(f"{task}: more than four times the file in memory")
    return missed


def main(arguments: list[str]) -> int:
    """Measure, show, save; exit 1 when a goal is missed."""
    short = "--short" in arguments
    yaml_size, json_size = (1_000_000, 5_000_000) if short else (1_000_000, 50_000_000)
    report = Report("documents", facts={"yaml": yaml_size, "json": json_size})
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as directory:
        folder = Path(directory)
        measure_yaml(report, folder, yaml_size, slow_peers=not short)
        measure_odd_yaml(report, folder)
        measure_json(report, folder, json_size, peers=not short)
        measure_relatives(report, folder, json_size, peers=not short)
        measure_flat(report, folder)
        measure_toml(report, folder, peers=not short)
        measure_odd_toml(report, folder)
    report.ratios(US)
    sizes = {"json 50 MB": json_size}
    for form in ("jsonc", "json5"):
        sizes |= {f"{form} 1 MB": 1_000_000}
    sizes |= {f"{form} 1 MB, one object": 1_000_000 for form in ("json", "jsonc", "json5")}
    missed = judge(report, sizes)
    report.facts["missed"] = missed
    report.finish(short=short)
    for goal in missed:
        print(f"missed: {goal}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
