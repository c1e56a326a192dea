"""Flags, environment and config file become one validated value, read once.

Precedence: flag, then environment (`REDLINE_` + the name in capitals), then config file, then the
default. A config file is one the person names or keeps in their own configuration directory; a
workspace never brings its own, since that could widen what an agent may do there.
"""

# Without `from __future__ import annotations`: annotations that are text would be compiled, one by
# one, whenever a server starts.
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class SettingsError(Exception):
    """A setting that cannot be used; the message says which and where it came from."""


class Settings(NamedTuple):
    """Everything a person can choose; every field has a default that works without set-up."""

    # When empty, only `directories` are roots.
    workspace: str = "."
    # Many workspaces instead: a folder with a directory for each, or a TOML file that lists them.
    workspaces: str | None = None
    # Close a workspace of many that had no request for these seconds.
    workspace_idle: float = 600.0
    # How many of many are open at once; for a further one the longest idle is closed.
    max_open: int = 64
    # Park one of many that had no call for these days (0: never), beneath the address of a store.
    park_after_days: float = 0.0
    park_to: str | None = None
    # Keys of other servers whose parked workspaces this one wakes.
    park_trust: tuple[str, ...] = ()
    # The Redis that several servers share to work as one, and where the others reach this one.
    shared: str | None = None
    reachable_at: str | None = None
    # Further roots as (path, writable), in the order given.
    directories: tuple[tuple[str, bool], ...] = ()
    allow_any_root: bool = False
    state_dir: str | None = None
    # Whether a server records what other programs change.
    record: bool = True
    history_days: float = 30.0
    history_size: int = 1 << 30
    # Empty: `agent`, and over HTTP every toolset at an address of its own.
    tools: tuple[str, ...] = ()
    read_only: bool = False
    # Whether answers of the toolset agent carry structuredContent beside their text.
    structured: bool = False
    tool_names: str = "auto"
    errors: str = "auto"
    protocol: str | None = None
    llm: str = "off"
    sessions: str = "memory"
    sandbox: str = "safe"
    exec_allow_roots: tuple[str, ...] = ()
    # Host names that commands in safe mode reach through a proxy: NAME, *.NAME, NAME:PORT.
    allow_domains: tuple[str, ...] = ()
    # Whether commands and file tools may write git directories; files there can be executed later,
    # outside the sandbox.
    git_writes: bool = False
    # Patterns of files that are written only with a person's consent, added to the defaults of
    # `core.guarded`; "!PATTERN" removes a default.
    guarded_paths: tuple[str, ...] = ()
    # The file with the rules about changes; None is policy.toml in the configuration directory.
    policy: str | None = None
    view_image: bool = True
    strict_syntax: bool = False
    # Whether changes of the toolset agent are formatted and checked unless a call says otherwise.
    check: bool = False
    trace: bool = False
    otel: bool = False
    audit_log: str | None = None
    # The file that some of these were read from; no setting of its own.
    config: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    auth_token: str | None = None
    oauth_issuer: str | None = None
    oauth_audience: str | None = None
    # The claim of access tokens that names the person.
    oauth_name_claim: str = "sub"
    # A TOML file of people, their tokens and rights.
    users: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_body: int = 1 << 20
    receive_timeout: float = 30.0
    max_connections: int = 256
    max_sessions: int = 100
    session_idle: float = 1800.0
    rate_limit: float = 200.0
    max_calls: int = 16

    @property
    def roots(self) -> tuple[tuple[str, bool], ...]:
        """Every root as (path, writable); the first is the workspace."""
        own = ((self.workspace, True),) if self.workspace else ()
        return own + self.directories


def load(
    flags: Mapping[str, Any], environ: Mapping[str, str], config: Mapping[str, Any] | None = None
) -> Settings:
    """Build validated Settings from all sources; SettingsError says what is wrong and where."""
    values = gather(flags, environ, config)
    if "directories" in values and "workspace" not in values:
        values["workspace"] = ""
    if values.get("shared"):
        values.setdefault("sessions", values["shared"])
    if "workspaces" in values:
        _check_many(values)
        values["workspace"] = ""
    settings = Settings(**values)
    _check_together(settings)
    _check_roots(settings)
    return settings


def gather(
    flags: Mapping[str, Any], environ: Mapping[str, str], config: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the values that the sources set, each checked by itself."""
    values: dict[str, Any] = {}
    for source, given in (
        ("config file", _flatten(config or {})),
        ("environment", _from_environment(environ)),
        ("command line", {k: v for k, v in flags.items() if v is not None}),
    ):
        for name, value in given.items():
            values[name] = _parse(name, value, source)
    return values


def read_config(path: str) -> dict[str, Any]:
    """Read a TOML config file; its keys are the names of Settings."""
    import tomllib
    from pathlib import Path

    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as failure:
        raise SettingsError(f"Cannot read config file: {path}: {failure.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as failure:
        raise SettingsError(f"Config file is not valid TOML: {path}: {failure}") from None


def config_path(environ: Mapping[str, str]) -> str | None:
    """Return the default config file: REDLINE_CONFIG, or the one in the person's own directory."""
    import os

    chosen = environ.get("REDLINE_CONFIG")
    if chosen:
        return chosen
    own = os.path.join(config_home(environ), "redline.toml")
    return own if os.path.isfile(own) else None


def config_home(environ: Mapping[str, str]) -> str:
    """Return the person's own configuration directory; no tool and no command reaches it."""
    import os

    home = environ.get("HOME") or os.path.expanduser("~")
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, "redline")


def policy_path(chosen: str | None, environ: Mapping[str, str]) -> tuple[str, bool]:
    """Return the file with the rules about changes, and whether it was chosen: then it must exist.

    Without a choice it is the one in the person's own directory, which need not exist.
    """
    import os

    chosen = chosen or environ.get("REDLINE_POLICY")
    path = chosen or os.path.join(config_home(environ), "policy.toml")
    return os.path.abspath(os.path.expanduser(path)), bool(chosen)


def read_sandbox_profile(path: str) -> tuple[tuple[str, bool], ...]:
    """Read the directories of a JSON profile: `read_write`, then `read_only`."""
    import json
    from pathlib import Path

    try:
        profile = json.loads(Path(path).read_text("utf-8"))
    except OSError as failure:
        raise SettingsError(f"Cannot read sandbox profile: {path}: {failure.strerror}") from None
    except ValueError as failure:
        raise SettingsError(f"Sandbox profile is not valid JSON: {path}: {failure}") from None
    if not isinstance(profile, dict):
        raise SettingsError(f"Sandbox profile must be a JSON object: {path}")
    found: list[tuple[str, bool]] = []
    for key, writable in (("read_write", True), ("read_only", False)):
        listed = profile.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            raise SettingsError(f"{key} must be a list of directories: {path}")
        found += [(item, writable) for item in listed]
    return tuple(found)


_ALIASES = {
    "CODING_TOOLS_MCP_WORKSPACE": "workspace",
    "CODING_TOOLS_MCP_TRACE": "trace",
    "CODING_TOOLS_MCP_ENABLE_VIEW_IMAGE": "view_image",
    "CODING_TOOLS_MCP_EXEC_ALLOW_ROOTS": "exec_allow_roots",
}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found = {name: environ[key] for key, name in _ALIASES.items() if environ.get(key)}
    for name in PARSERS:
        value = environ.get(f"REDLINE_{name.upper()}")
        if value:
            found[name] = value
    return found


def _flatten(config: Mapping[str, Any]) -> dict[str, Any]:
    given = {key.replace("-", "_"): value for key, value in config.items()}
    writable, readable = given.pop("allow_write", []), given.pop("allow_read", [])
    if writable or readable:
        given["directories"] = [(p, True) for p in writable] + [(p, False) for p in readable]
    unknown = sorted(set(given) - (set(Settings._fields) - {"config"}))
    if unknown:
        raise SettingsError(f"Unknown setting in config file: {unknown[0]}")
    return given


def _parse(name: str, value: Any, source: str) -> Any:
    parse = PARSERS.get(name)
    if parse is None:
        return value
    try:
        return parse(value)
    except (ValueError, TypeError) as failure:
        raise SettingsError(f"Bad {name} from {source}: {failure}") from None


def _check_roots(settings: Settings) -> None:
    """Refuse roots at start that the workspace would refuse at its first use."""
    import os

    home = os.path.realpath(os.path.expanduser("~"))
    for path, _ in settings.roots:
        real = os.path.realpath(path)
        if not os.path.isdir(real):
            raise SettingsError(f"No such directory: {path}")
        if not settings.allow_any_root and real in (home, os.path.dirname(real)):
            kind = "The home directory" if real == home else "The root directory"
            raise SettingsError(
                f"{kind} is too broad for a workspace: {path}\n"
                "hint: name a project directory, or pass --allow-any-root"
            )
        if settings.state_dir and not settings.allow_any_root:
            _refuse_inside(settings.state_dir, real)


def _refuse_inside(state_dir: str, root: str) -> None:
    """Refuse a state directory that tools and commands could write."""
    import os

    if os.path.join(os.path.realpath(state_dir), "").startswith(os.path.join(root, "")):
        raise SettingsError(
            f"The state directory lies inside the workspace: {state_dir}\n"
            "hint: choose a directory outside of every allowed directory"
        )


def _check_many(values: Mapping[str, Any]) -> None:
    """Refuse settings that many workspaces cannot have together."""
    import os

    for name in ("workspace", "directories", "exec_allow_roots"):
        if values.get(name):
            raise SettingsError(f"--workspaces does not go with {name}: each has its own directory")
    if values.get("sandbox", "safe") != "safe":
        raise SettingsError(
            f"Many workspaces are kept apart in safe mode only: --sandbox {values['sandbox']}\n"
            "hint: serve a workspace that needs more with a server of its own"
        )
    if not os.path.exists(values["workspaces"]):
        raise SettingsError(f"No such folder or file: {values['workspaces']}")


def _check_together(settings: Settings) -> None:
    if settings.park_after_days or settings.park_to:
        if not settings.workspaces:
            raise SettingsError("--park-after-days is for many workspaces: --workspaces")
        if not settings.park_after_days or not settings.park_to:
            raise SettingsError("--park-after-days and --park-to go together")
    asks_for_token = settings.auth_token or settings.oauth_issuer or settings.users
    if not is_loopback(settings.host) and not asks_for_token:
        raise SettingsError(
            f"A token is required to listen beyond this machine: {settings.host}\n"
            "hint: set REDLINE_AUTH_TOKEN (16 characters or more), --users or --oauth-issuer"
        )
    if settings.auth_token is not None and len(settings.auth_token) < 16:
        raise SettingsError("The auth token must have 16 characters or more")
    if settings.oauth_issuer and not settings.oauth_issuer.startswith(("https://", "http://")):
        raise SettingsError(f"--oauth-issuer takes a URL, got {settings.oauth_issuer}")
    if settings.oauth_issuer and not settings.oauth_audience:
        raise SettingsError("--oauth-issuer needs --oauth-audience: the URL of this server")
    _check_group(settings)


def _check_group(settings: Settings) -> None:
    """Refuse settings with which several servers cannot work as one."""
    if settings.shared is None:
        if settings.reachable_at is not None:
            raise SettingsError("--reachable-at is for servers that work as one: pass --shared too")
        return
    if not settings.shared.startswith(("redis://", "rediss://", "unix://")):
        raise SettingsError("--shared takes redis://HOST:PORT/DB")
    if settings.reachable_at is None:
        if settings.host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
            raise SettingsError(
                f"Other servers cannot reach this one at {settings.host}\n"
                "hint: pass --reachable-at http://HOST:PORT"
            )
    elif not settings.reachable_at.startswith(("http://", "https://")):
        raise SettingsError(f"--reachable-at takes http://HOST:PORT, got {settings.reachable_at}")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach *host*."""
    return host in ("localhost", "::1", "[::1]") or (
        host.startswith("127.") and host.replace(".", "").isdigit()
    )


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off", ""):
        return False
    raise ValueError(f"expected 1 or 0, got {value}")


def _choice(*legal: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in legal:
            raise ValueError(f"expected one of {', '.join(legal)}, got {value}")
        return str(value)

    return parse


def _tool_names(value: Any) -> str:
    # An earlier name of "original".
    return _choice("auto", "original", "portable")("original" if value == "seed" else value)


def _number(minimum: float) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        number = float(value)
        if not minimum <= number < float("inf"):
            raise ValueError(f"expected a number of at least {minimum:g}, got {value}")
        return number

    return parse


def parse_size(value: Any) -> int:
    """Parse a number of bytes such as 500M or 2G."""
    text = str(value).strip().upper().removesuffix("IB").removesuffix("B")
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    shift = units.get(text[-1:], 0)
    try:
        number = float(text[:-1] if shift else text)
    except ValueError:
        raise ValueError(f"expected a size such as 500M, got {value}") from None
    if not 0 <= number < 1 << 50:
        raise ValueError(f"expected a size such as 500M, got {value}")
    return int(number * (1 << shift))


def _whole_number(minimum: int, maximum: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        number = int(value)
        if not minimum <= number <= maximum:
            raise ValueError(f"expected {minimum} to {maximum}, got {value}")
        return number

    return parse


def _names(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else list(value)
    return tuple(part.strip() for part in parts if part.strip())


def _toolsets(value: Any) -> tuple[str, ...]:
    names = _names(value)
    if not names:
        raise ValueError("No such toolset: (none)")
    return names


def _domains(value: Any) -> tuple[str, ...]:
    from redline.core.access.domains import parse_domains

    return tuple(str(domain) for domain in parse_domains(_names(value)))


def _paths(value: Any) -> tuple[str, ...]:
    import os

    parts = value.split(os.pathsep) if isinstance(value, str) else list(value)
    return tuple(part for part in parts if part)


def _directories(value: Any) -> tuple[tuple[str, bool], ...]:
    return tuple((str(path), bool(writable)) for path, writable in value)


_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
PARSERS: dict[str, Callable[[Any], Any]] = {
    "workspace": str,
    "workspaces": str,
    "workspace_idle": _number(1),
    "max_open": _whole_number(1, 10_000),
    "park_after_days": _number(0),
    "park_to": str,
    "park_trust": _names,
    "shared": str,
    "reachable_at": str,
    "directories": _directories,
    "allow_any_root": _flag,
    "state_dir": str,
    "record": _flag,
    "history_days": _number(0),
    "history_size": parse_size,
    "tools": _toolsets,
    "read_only": _flag,
    "structured": _flag,
    "tool_names": _tool_names,
    "errors": _choice("auto", "result"),
    "protocol": _choice(*_REVISIONS),
    "llm": str,
    "sessions": str,
    "sandbox": _choice("safe", "trusted", "dangerous"),
    "exec_allow_roots": _paths,
    "allow_domains": _domains,
    "git_writes": _flag,
    "guarded_paths": _names,
    "policy": str,
    "view_image": _flag,
    "strict_syntax": _flag,
    "check": _flag,
    "trace": _flag,
    "otel": _flag,
    "audit_log": str,
    "host": str,
    "port": _whole_number(0, 65535),
    "auth_token": str,
    "oauth_issuer": str,
    "oauth_audience": str,
    "oauth_name_claim": str,
    "users": str,
    "allowed_hosts": _names,
    "allowed_origins": _names,
    "max_body": parse_size,
    "receive_timeout": _number(0.1),
    "max_connections": _whole_number(1, 100_000),
    "max_sessions": _whole_number(1, 100_000),
    "session_idle": _number(1),
    "rate_limit": _number(0),
    "max_calls": _whole_number(1, 1000),
}
