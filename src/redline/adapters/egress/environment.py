"""The variables by which programs inside the sandbox find the proxy."""

from __future__ import annotations

_OWN = "localhost,127.0.0.1,::1"  # the command's own servers


def variables(port: int) -> dict[str, str]:
    """What a command whose proxy listens at *port* gets in its environment."""
    proxy = f"http://127.0.0.1:{port}"
    found = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), proxy)
    found["no_proxy"] = _OWN
    found |= {name.upper(): value for name, value in found.items()}
    found |= dict.fromkeys(("npm_config_proxy", "npm_config_https_proxy", "PIP_PROXY"), proxy)
    found |= dict.fromkeys(("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"), proxy)
    return found | {"npm_config_noproxy": _OWN, "NODE_USE_ENV_PROXY": "1"}
