"""Real-world YAML, written with seeds: workflows, compose, Kubernetes, OpenAPI, Helm, Ansible.

Every file mixes what such files mix in practice: comments everywhere, block and flow style, block
scalars with shell in them, anchors and merges, quoted versions, empty values, odd indents.
"""

# ruff: noqa: E501 - the templates keep the lines of the files they write

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

Writer = Callable[[random.Random], str]
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "web",
    "api",
    "worker",
    "cache",
    "queue",
    "proxy",
    "auth",
    "search",
    "mail",
    "billing",
]
IMAGES = ["nginx", "redis:7-alpine", "ghcr.io/acme/app", "postgres:16.2", "registry.local:5000/x/y"]


def _word(rng: random.Random) -> str:
    return rng.choice(WORDS) + rng.choice(["", "", str(rng.randrange(90)), "-" + rng.choice(WORDS)])


def _comment(rng: random.Random) -> str:
    return rng.choice(
        ["", "", "", "  # keep", " # TODO: bump", "\t# tabbed", "  # it's: {odd} [text]"]
    )


def _scalar(rng: random.Random) -> str:
    return rng.choice(
        [
            str(rng.randrange(65536)),
            f'"{rng.randrange(9)}.{rng.randrange(20)}"',
            f"'{_word(rng)}''s'",
            "true",
            "null",
            "~",
            f"{_word(rng)} {_word(rng)}",
            f"https://example.com/{_word(rng)}?q=1#frag",
            f"0.{rng.randrange(99)}",
            '"esc \\"q\\" \\u00e9\\n"',
            "2024-01-31",
            "1_000",
            "é ü 漢字",
        ]
    )


def _flow(rng: random.Random) -> str:
    return rng.choice(
        [
            f"[{_word(rng)}, {_word(rng)}]",
            "[]",
            "{}",
            f"{{{_word(rng)}: {rng.randrange(9)}, 'k y': \"v, w\"}}",
            f"[ {_word(rng)} , {{a: [1, 2]}}, ]",
        ]
    )


def _script(rng: random.Random, indent: str) -> str:
    mark = rng.choice(["|", "|-", ">", ">-"])
    lines = [
        f'echo "{_word(rng)}: $X" # not a comment',
        "if [ -f a ]; then",
        "  cat <<EOF",
        "  key: value",
    ]
    rng.shuffle(lines)
    body = "\n".join(indent + line for line in ["set -e", "", *lines[: rng.randrange(1, 5)]])
    return f"{mark}\n{body}"


def workflow(rng: random.Random) -> str:
    """A GitHub workflow."""
    jobs = ""
    for number in range(rng.randrange(1, 5)):
        jobs += f"  job{number}:{_comment(rng)}\n    runs-on: ubuntu-{rng.choice(['22.04', 'latest'])}\n"
        if rng.random() < 0.5:
            jobs += f"    strategy:\n      matrix:\n        python: ['3.11', \"3.12\", 3.13]{_comment(rng)}\n"
        jobs += "    steps:\n"
        for _ in range(rng.randrange(1, 6)):
            jobs += f"      - uses: actions/{_word(rng)}@v{rng.randrange(1, 5)}{_comment(rng)}\n"
            if rng.random() < 0.5:
                jobs += f"        with:\n          {_word(rng)}: {_scalar(rng)}{_comment(rng)}\n"
            if rng.random() < 0.4:
                jobs += f"      # run it\n      - name: {_word(rng)}\n        run: {_script(rng, '          ')}\n"
    on = rng.choice(
        [
            "on: push",
            "on: [push, pull_request]",
            "on:\n  push:\n    branches: [ main ]\n  workflow_dispatch:",
        ]
    )
    return (
        f"name: {_word(rng)}{_comment(rng)}\n\n{on}\n\nenv:\n  A: {_scalar(rng)}\n\njobs:\n{jobs}"
    )


def compose(rng: random.Random) -> str:
    """A compose file."""
    text = f'# compose\nversion: "3.{rng.randrange(9)}"\n\nx-common: &common\n  restart: always{_comment(rng)}\n  logging: {{driver: json-file}}\n\nservices:\n'
    for number in range(rng.randrange(1, 6)):
        text += f"  {_word(rng)}_{number}:\n    <<: *common\n    image: {rng.choice(IMAGES)}{_comment(rng)}\n"
        text += f'    ports:\n    - "{rng.randrange(9999)}:80"{_comment(rng)}\n    - 443:443\n'
        text += (
            f"    environment:\n      KEY_{number}: {_scalar(rng)}{_comment(rng)}\n      EMPTY:\n"
        )
        if rng.random() < 0.5:
            text += f"    command: {_flow(rng)}{_comment(rng)}\n"
        text += "\n" if rng.random() < 0.5 else ""
    return text + "volumes:\n  data: {}\n"


def kubernetes(rng: random.Random) -> str:
    """Kubernetes manifests, sometimes several documents."""
    parts = []
    for _ in range(rng.randrange(1, 4)):
        name = _word(rng)
        parts.append(
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}{_comment(rng)}\n"
            f"  labels: &l{{LBL}}\n    app.kubernetes.io/name: {name}\n    tier: {_scalar(rng)}\n"
            f"  annotations:\n    note: {_script(rng, '      ')}\n"
            f"spec:\n  replicas: {rng.randrange(9)}{_comment(rng)}\n  selector:\n    matchLabels: *l{{LBL}}\n"
            f"  template:\n    spec:\n      containers:\n      - name: {name}\n        image: {rng.choice(IMAGES)}{_comment(rng)}\n"
            f'        args: {_flow(rng)}\n        resources:\n          limits: {{cpu: 500m, memory: "128Mi"}}{_comment(rng)}\n'
            f"        env:\n        - {{name: A, value: {_word(rng)}}}\n        - name: B\n          value: {_scalar(rng)}\n".replace(
                "{LBL}", str(rng.randrange(99))
            ).replace("l{LBL}", "l")
        )
    cleaned = [_same_anchor(part) for part in parts]
    return rng.choice(["", "---\n"]) + "---\n".join(cleaned)


def _same_anchor(part: str) -> str:
    import re

    return re.sub(r"([&*])l\d+", r"\1labels", part)


def openapi(rng: random.Random) -> str:
    """An OpenAPI description."""
    text = f"openapi: 3.1.0\ninfo:\n    title: {_word(rng)}{_comment(rng)}\n    version: '1.{rng.randrange(9)}'\n    description: {_script(rng, '        ')}\npaths:\n"
    for _ in range(rng.randrange(1, 5)):
        text += f"    /{_word(rng)}/{{id}}/{rng.randrange(999)}:\n        get:\n            tags: {_flow(rng)}\n"
        text += f"            parameters:\n                - name: {_word(rng)}\n                  in: query{_comment(rng)}\n                  required: false\n"
        text += f"            responses:\n                '200':\n                    description: >-\n                        Some long\n                        text{_word(rng)}\n                \"404\": {{description: no}}\n"
    return text


def helm(rng: random.Random) -> str:
    """Helm values."""
    text = "# Default values.\n# This is a YAML-formatted file.\n\n"
    for _ in range(rng.randrange(3, 12)):
        key = _word(rng) + str(rng.randrange(10_000))
        text += f"# -- {key}: what it does\n"
        kind = rng.randrange(5)
        if kind == 0:
            text += f"{key}: {_scalar(rng)}{_comment(rng)}\n"
        elif kind == 1:
            text += f"{key}: {_flow(rng)}{_comment(rng)}\n  # requests:\n  #   cpu: 100m\n"
        elif kind == 2:
            text += f"{key}:\n  enabled: false{_comment(rng)}\n  # off: by default\n  hosts:\n    - host: chart.local\n      paths: []\n"
        elif kind == 3:
            text += f"{key}:\n\n  nested:\n\n    deep: {_scalar(rng)}\n"
        else:
            text += f"{key}: {_script(rng, '  ')}\n"
        text += "\n" * rng.randrange(3)
    return text


def ansible(rng: random.Random) -> str:
    """An Ansible playbook."""
    text = "---\n# play\n"
    for _ in range(rng.randrange(1, 4)):
        text += f'- hosts: {_word(rng)}{_comment(rng)}\n  become: yes\n  vars:\n    {_word(rng)}: "{{{{ {_word(rng)} }}}}"\n  tasks:\n'
        for _ in range(rng.randrange(1, 6)):
            text += f"    - name: {_word(rng)} the {_word(rng)}{_comment(rng)}\n      apt: name={_word(rng)} state=present\n      when: x is defined and y == 'z'\n"
            if rng.random() < 0.4:
                text += (
                    f"      register: r\n      loop:\n      - {_scalar(rng)}\n      - {{a: 1}}\n\n"
                )
            if rng.random() < 0.3:
                text += (
                    f"    - shell: {_script(rng, '        ')}\n      args:\n        chdir: /tmp\n"
                )
    return text


KINDS: dict[str, Writer] = {
    "workflow": workflow,
    "compose": compose,
    "kubernetes": kubernetes,
    "openapi": openapi,
    "helm": helm,
    "ansible": ansible,
}


def files(each: int) -> Iterator[tuple[str, bytes]]:
    """*each* files of every kind."""
    for kind, write in KINDS.items():
        for seed in range(each):
            yield f"{kind}-{seed}", write(random.Random(f"{kind}{seed}")).encode()


def variants(source: bytes) -> Iterator[tuple[str, bytes]]:
    """The file as written, with CRLF, with a BOM and without its final newline."""
    yield "plain", source
    yield "crlf", source.replace(b"\n", b"\r\n")
    yield "bom", b"\xef\xbb\xbf" + source
    yield "open", source.rstrip(b"\n")


def forty_thousand_lines(source: bytes) -> bytes:
    """Copies of the file with 40,000 lines or more: one list, or one stream of documents."""
    if b"\n---" in source:
        item = b"---\n" + source.removeprefix(b"---\n")
        return item * (40_000 // item.count(b"\n") + 1)
    lines = source.removeprefix(b"---\n").rstrip(b"\n").split(b"\n")
    item = b"\n".join([b"- copy:", *(b"    " + line if line else line for line in lines)]) + b"\n"
    return item * (40_000 // item.count(b"\n") + 1)
