"""Twenty kinds of secrets, drawn at random, and how real files carry them."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from typing import NamedTuple

_WORD = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_BASE32 = string.ascii_uppercase + "234567"
_URL = _WORD + "-_"


class Planted(NamedTuple):
    """One secret: its kind, the name it is under, its text, and the parts that none may see."""

    kind: str
    name: str
    text: str
    parts: tuple[str, ...]


def _draw(rng: random.Random, chars: str, length: int) -> str:
    return "".join(rng.choice(chars) for _ in range(length))


def _jwt(rng: random.Random) -> str:
    def part(data: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")

    head, body = {"alg": "HS256", "typ": "JWT"}, {"sub": _draw(rng, _WORD, 12), "iat": 1700000000}
    return f"{part(head)}.{part(body)}.{_draw(rng, _URL, 43)}"


def _private_key(rng: random.Random, kind: str, size: int) -> str:
    body = base64.b64encode(rng.randbytes(size)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])


def _slack(rng: random.Random) -> str:
    digits = string.digits[1:]
    return f"xoxb-{_draw(rng, digits, 12)}-{_draw(rng, digits, 12)}-{_draw(rng, _WORD, 24)}"


def _password(rng: random.Random) -> str:
    return _draw(rng, _WORD + "!@#%^&*", rng.randint(16, 28)) + rng.choice(string.digits) + "aZ"


_KINDS: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "aws-id": ("AWS_ACCESS_KEY_ID", lambda r: "AKIA" + _draw(r, _BASE32, 16)),
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", lambda r: _draw(r, _WORD + "+/", 40)),
    "github": ("GITHUB_TOKEN", lambda r: "ghp_" + _draw(r, _WORD, 36)),
    "github-fine": ("GH_PAT", lambda r: "github_pat_" + _draw(r, _WORD + "_", 82)),
    "gitlab": ("GITLAB", lambda r: "glpat-" + _draw(r, _WORD, 20)),
    "stripe": ("STRIPE_KEY", lambda r: "sk_live_" + _draw(r, _WORD, 24)),
    "slack": ("SLACK_BOT", _slack),
    "google": ("MAPS", lambda r: "AIza" + _draw(r, _URL, 35)),
    "openai": ("OPENAI", lambda r: f"sk-proj-{_draw(r, _WORD, 58)}T3BlbkFJ{_draw(r, _WORD, 58)}"),
    "anthropic": ("CLAUDE", lambda r: f"sk-ant-api03-{_draw(r, _URL, 93)}AA"),
    "npm": ("NPM", lambda r: "npm_" + _draw(r, _WORD, 36)),
    "pypi": ("PYPI", lambda r: "pypi-AgEIcHlwaS5vcmc" + _draw(r, _URL, 120)),
    "sendgrid": ("MAIL", lambda r: f"SG.{_draw(r, _URL, 22)}.{_draw(r, _URL, 43)}"),
    "huggingface": ("HUB", lambda r: "hf_" + _draw(r, string.ascii_letters, 34)),
    "jwt": ("SESSION", _jwt),
    "rsa-key": ("KEY", lambda r: _private_key(r, "RSA PRIVATE KEY", 600)),
    "ssh-key": ("DEPLOY", lambda r: _private_key(r, "OPENSSH PRIVATE KEY", 290)),
    "url-password": ("DATABASE", lambda r: f"postgres://app:{_draw(r, _WORD, 18)}@db:5432/app"),
    "password": ("db_password", _password),
    "api-key": ("service_api_key", lambda r: _draw(r, _HEX, 40)),
}  # fmt: skip
KINDS = tuple(_KINDS)


def plant(kind: str, rng: random.Random) -> Planted:
    """Return a new secret of *kind*."""
    name, draw = _KINDS[kind]
    text = draw(rng)
    if text.startswith("-----"):
        parts = tuple(line for line in text.splitlines()[1:-1] if len(line) >= 16)
    elif kind == "url-password":
        parts = (text.split(":")[2].split("@")[0],)
    else:
        parts = (text,)
    return Planted(kind, name, text, parts)


def write_into(name: str, text: str, secrets: list[Planted], rng: random.Random) -> str:
    """Return the content of the file *name* with *secrets* at random lines, in its language."""
    lines = text.split("\n")
    for each in secrets:
        lines.insert(rng.randint(0, len(lines)), _line(name, each))
    return "\n".join(lines)


def _line(name: str, each: Planted) -> str:
    if "\n" in each.text:
        if name.endswith((".py", ".env")):
            return f'{each.name} = """{each.text}"""' if name.endswith(".py") else each.text
        if name.endswith((".yaml", ".yml")):
            return "\n".join([f"{each.name}: |", *(f"  {row}" for row in each.text.split("\n"))])
        return f'  "{each.name}": {json.dumps(each.text)},'
    if name.endswith((".yaml", ".yml")):
        return f'{each.name}: "{each.text}"'
    if name.endswith(".json"):
        return f'  "{each.name}": "{each.text}",'
    if name.endswith(".env"):
        return f"{each.name}={each.text}"
    return f'{each.name} = "{each.text}"'
