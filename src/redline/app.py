"""The composition root: builds everything on first use; the only importer of adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

from redline.settings import Settings

if TYPE_CHECKING:
    from redline.core.ports import Grants, Reads, Regex


class Redline:
    """One workspace with everything a handler may use (see dialects.tool.Runtime).

    Each property imports its adapter when first asked for, so a server that only lists tools
    never pays for them.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def claim_std_streams(self) -> tuple[BinaryIO, BinaryIO]:
        """The protocol's own stdin and stdout."""
        from redline.adapters.std_streams import claim_std_streams

        return claim_std_streams()

    def audit_sink(self) -> Callable[[dict[str, Any]], None]:
        """Where audit lines go when a file was named."""
        from redline.adapters.audit_file import open_audit_file

        return open_audit_file(self.settings.audit_log or "")

    def close(self) -> None:
        """Let go of what was built: every part that has a `close` is closed, once."""
        for part in list(vars(self).values()):
            close = getattr(part, "close", None)
            if callable(close):
                close()

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """Settings a dialect may ask for by name."""
        return {
            "strict_syntax": self.settings.strict_syntax,
            "sandbox": self.settings.sandbox,
            "exec_allow_roots": self.settings.exec_allow_roots,
        }

    @cached_property
    def reads(self) -> Reads:
        """What each connection was shown."""
        from redline.adapters.reads import MemoryReads

        return MemoryReads()

    @cached_property
    def grants(self) -> Grants:
        """Permissions a person gave."""
        from redline.adapters.grants import MemoryGrants

        return MemoryGrants()

    @cached_property
    def regex(self) -> Regex:
        """Regular expressions in killable workers."""
        from redline.adapters.regex_worker import RegexWorkers

        return RegexWorkers()
