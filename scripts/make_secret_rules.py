"""Write src/redline/secrets/rules.json: formats of keys, from the rules that Kingfisher ships.

Usage: make_secret_rules.py PROGRAM, where PROGRAM is the `kingfisher` of the package
kingfisher-bin (docs/dependencies.md names the version). Its built-in rules are those of
Betterleaks (MIT). Kept is what a format alone decides: rules that need the name of a service
beside the value are left to Redline's own rule about names.
"""

from __future__ import annotations

import json
import re
import re._constants as kinds
import re._parser as parser
import subprocess
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "src" / "redline" / "secrets" / "rules.json"
SOURCE = "Betterleaks rules (MIT, github.com/betterleaks/betterleaks), from kingfisher-bin {}"
# Not secrets by themselves (addresses, public ids), decided by words around them, or covered by
# Redline's own rules about private keys, addresses with passwords and names.
LEFT_OUT = re.compile(
    r"url|host|domain|client-id|account-name|-id\b|-id\.|public|kubernetes|curl-|gcp-service|"
    r"gcp-app|private-key|tenant|project-key|kimi|zai-|deepseek|voyage|amplitude|aiven|bitly|"
    r"canva-client|cloudinary|couchbase|clickhouse-cloud-key|influx|azure-storage|jwt-base64|"
    r"generic|mongodb-conn|incoming|nuget|repository|temporal|freemius|cloud-name|key-id\.|lark|"
    r"facebook-access|tableau|credentials|cloudflareapi|octopus|oauth2access|session-cookie|"
    r"salesforce|hashicorp-tf|azure-ad|mobile-sdk|client-sdk|resend|aws-session|notify|"
    r"slack-app-token|slackapplevel"
)
# Looked for in every text, so they must be rare in it: longer than this, or among these.
SHORTEST = 4
SHORT = {"hf_", "SG."}
COMMON = {"test", "prod", "live", ".acc", "4b1d", "_mmk", "prf_", "tss_", "lip_", "apk_", "ion_"}
# Where the texts that every match has are not found, or found too short.
LITERALS = {
    "aws-access-token": ["A3T", "AKIA", "ASIA", "ABIA", "ACCA"],
    "cloudflare-api-key": ["cfut_", "cfat_"],
    "github-app-token": ["ghu_", "ghs_"],
    "jwt": ["eyJ"],
    "slack-legacy-token": ["xoxo-", "xoxs-"],
    "slack-legacy-workspace-token": ["xoxa-", "xoxr-"],
    "slack-user-token": ["xoxp-", "xoxe-"],
    "square-access-token": ["EAAA", "sq0atp-"],
    "stripe-access-token": ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
    "vault-service-token": ["hvs."],
}


def choose(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rules that are kept, each with the texts of which one is in every match."""
    kept: dict[str, dict[str, Any]] = {}
    for rule in rules:
        name = re.sub(r"^(betterleaks\.|veles\.secrets/)|\.\d$", "", rule["id"])
        pattern = rule["pattern"]
        if LEFT_OUT.search(name) or "(?:=|>|:{1,3}=" in pattern or pattern.startswith("(?x)"):
            continue
        # The end of a value is no part of it, and a mask may follow.
        pattern = pattern.replace("""(?:\\\\?['"\\x60]|[\\s;]|\\\\[nr]|$)""", "")
        if name == "jwt":  # JSON that is an object begins so
            pattern = pattern.replace("ey[", "eyJ[")
        literals = set(LITERALS.get(name, ())) or find_literals(parse(pattern))
        is_rare = all(len(each) >= SHORTEST or each in SHORT for each in literals)
        if not literals or (not is_rare and name not in LITERALS) or literals & COMMON:
            print(f"left out: {name}: {literals} {pattern[:60]}", file=sys.stderr)
            continue
        kept[pattern] = {"kind": name, "pattern": pattern, "literals": sorted(literals)}
    return sorted(kept.values(), key=lambda rule: str(rule["kind"]))


def parse(pattern: str) -> Any:
    """Parse a pattern in RE2's syntax as one of Python's."""
    plain = re.sub(r"\(\?-?[is]+\)", "", pattern)
    plain = re.sub(r"\(\?-?[is]+:", "(?:", plain).replace("[[:alnum:]]", "[A-Za-z0-9]")
    return parser.parse(plain.replace(r"\z", r"\Z"))


def find_literals(items: Any) -> set[str]:
    """Return texts of which every match has one: the set whose shortest is longest."""
    best: set[str] = set()
    run = ""
    for kind, value in [*items, (None, None)]:
        if kind is kinds.LITERAL:
            run += chr(value)
            continue
        found = {run} if run else set()
        run = ""
        candidates = [found]
        if kind is kinds.SUBPATTERN:
            candidates.append(find_literals(value[3]))
        elif kind is kinds.BRANCH:
            parts = [find_literals(branch) for branch in value[1]]
            candidates.append(set().union(*parts) if all(parts) else set())
        elif kind is kinds.MAX_REPEAT and value[0] >= 1:
            candidates.append(find_literals(value[2]))
        for each in candidates:
            if each and min(map(len, each)) > min(map(len, best), default=0):
                best = each
    return best


def main(program: str) -> None:
    """Ask *program* for its rules and write those that are kept."""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    listed = subprocess.run(
        [program, "rules", "list", "--format", "json"], capture_output=True, text=True, check=True
    )
    rules = choose(json.loads(listed.stdout))
    lines = ",\n".join(json.dumps(rule) for rule in rules)
    source = json.dumps(SOURCE.format(version.stdout.split()[-1]))
    TARGET.write_text(f'{{"source": {source},\n"rules": [\n{lines}\n]}}\n')
    print(len(rules), "rules")


if __name__ == "__main__":
    main(*sys.argv[1:])
