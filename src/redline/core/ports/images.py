"""Reading pictures."""

from __future__ import annotations

from typing import Protocol

from redline.core.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes, what they are, and how large."""

    data: bytes = field(repr=False)
    mime: str
    width: int
    height: int


class Images(Protocol):
    """Images as PNG, JPEG, GIF or WebP, recognised by their content."""

    def recognise(self, data: bytes) -> Image | None:
        """Return what *data* is; None when it is no picture of these kinds."""

    def fit(self, image: Image, *, width: int, height: int, limit: int) -> Image:
        """*image* made smaller until it fits; unchanged when it does. Raises ContentError."""
