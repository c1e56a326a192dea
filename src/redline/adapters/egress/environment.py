"""The variables by which programs inside the sandbox find the proxy."""

from __future__ import annotations

from redline.adapters.sandbox.visible_paths import PROXY_PORT

_PROXY = f"http://127.0.0.1:{PROXY_PORT}"
_OWN = "localhost,127.0.0.1,::1"  # the command's own servers


def variables() -> dict[str, str]:
    """What a command that has the proxy gets in its environment."""
    found = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), _PROXY)
    found["no_proxy"] = _OWN
    found |= {name.upper(): value for name, value in found.items()}
    found |= dict.fromkeys(("npm_config_proxy", "npm_config_https_proxy", "PIP_PROXY"), _PROXY)
    found |= dict.fromkeys(("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"), _PROXY)
    return found | {"npm_config_noproxy": _OWN, "NODE_USE_ENV_PROXY": "1"}
