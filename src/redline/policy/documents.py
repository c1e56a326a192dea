"""Answer the policy's questions about documents in workers that can be killed."""

from __future__ import annotations

from collections.abc import Callable

from redline.core.errors import DocumentError, InvalidArgument, LimitReached, PolicyUnreadable
from redline.core.ports.confined import Confined
from redline.core.records import dataclass
from redline.documents import isolated
from redline.documents.isolated import DocumentSource
from redline.policy.field_changes import touched_fields
from redline.policy.field_patterns import Steps


@dataclass(frozen=True, slots=True)
class ConfinedDocuments:
    """See `judging.DocumentTests`; `read` returns the bytes of a schema file by its full path."""

    confined: Callable[[], Confined]
    read: Callable[[str], bytes]

    def touched(self, name: str, old: bytes | None, new: bytes | None) -> list[Steps] | None:
        """Return the paths of the values that differ; None where that is not known."""
        return touched_fields(self.confined(), name, old, new)

    def is_valid(self, name: str, content: bytes, schema: str) -> bool:
        """Return whether *content* conforms to a schema file; PolicyUnreadable if that is bad."""
        confined = self.confined()
        try:
            form = isolated.detect(confined, name, content)
            problems, _ = isolated.validate(
                confined, DocumentSource(content, form), schema, self.read
            )
        except (DocumentError, LimitReached):
            return False
        except InvalidArgument as error:
            raise PolicyUnreadable(
                f"A schema of the policy cannot be used, so nothing is changed: {error.message}",
                hint="the person who keeps the policy must repair the schema file",
            ) from None
        return not problems
