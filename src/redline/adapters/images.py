"""Images recognised by their content, and made smaller with Pillow; bombs are refused unopened.

Only a worker decodes: Pillow's decoders are native code.
"""

from __future__ import annotations

import struct
import warnings
from io import BytesIO
from typing import Any

from redline.core.errors import ContentError, TimeLimit, TooLarge, WorkerDied
from redline.core.ports.confined import Budget, Confined
from redline.core.ports.images import Image

# Decoded pixels; a picture that claims more is not decoded.
MAX_PIXELS = 64_000_000
_BUDGET = Budget(20.0, 2 << 30)
_QUALITIES = (85, 70, 50, 30)
_SHRINK = 0.75
_SMALLEST = 16
_ORIENTATION = 0x0112
_UPRIGHT = 1


class PillowImages:
    """See `core.ports.images.Images`."""

    def __init__(self, confined: Confined) -> None:
        self._confined = confined

    def recognise(self, data: bytes) -> Image | None:
        """Return what *data* is, read from its header alone."""
        return recognise(data)

    def fit(self, image: Image, *, width: int, height: int, limit: int) -> Image:
        """*image* made smaller until it fits *width*, *height* and *limit* bytes."""
        fits_frame = image.width <= width and image.height <= height
        if fits_frame and len(image.data) <= limit:
            return image
        if not image.width or not image.height:
            raise ContentError("image", "The image has no pixels: its size is zero")
        if image.width * image.height > MAX_PIXELS:
            raise TooLarge(
                "image",
                f"Too many pixels to resize: {image.width} x {image.height}",
                hint="view a smaller version of the image",
            )
        scale = min(1.0, width / image.width, height / image.height)
        given = (image.data, image.mime, image.width, image.height, scale, limit)
        try:
            found = self._confined.call("redline.adapters.images:shrink", given, budget=_BUDGET)
        except (TimeLimit, WorkerDied):
            raise ContentError("image", "The image cannot be decoded: its decoder failed") from None
        return Image(*found)


def recognise(data: bytes) -> Image | None:
    """Return what *data* is, read from its header alone."""
    for read in (_png, _gif, _jpeg, _webp):
        found = read(data)
        if found is not None:
            mime, width, height = found
            return Image(data, mime, width, height)
    return None


def shrink(_ask: Any, *asked: Any) -> tuple[bytes, str, int, int]:
    """The worker's part of `fit`, in plain data."""
    *image, scale, limit = asked
    found = _shrunk(Image(*image), scale, limit)
    return found.data, found.mime, found.width, found.height


def _shrunk(image: Image, scale: float, limit: int) -> Image:
    from PIL import Image as Pillow

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Pillow.open(BytesIO(image.data), formats=["PNG", "GIF", "JPEG", "WEBP"]) as opened:
                opened.seek(0)
                opened.load()
                turned = opened.getexif().get(_ORIENTATION, _UPRIGHT)
                picture: Any = opened.copy()
        except Exception as error:  # whatever a damaged picture makes the decoder say
            raise ContentError("image", f"The image cannot be decoded: {error}") from None
    while True:
        size = (
            max(1, round(image.width * scale)),
            max(1, round(image.height * scale)),
        )
        smaller = _resize(picture, size)
        for data, mime in _encodings(smaller, image.mime, turned):
            if len(data) <= limit:
                return Image(data, mime, *smaller.size)
        if min(size) <= _SMALLEST:
            raise TooLarge("image", f"The image cannot be made smaller than {limit} bytes")
        scale *= _SHRINK


def _resize(picture: Any, size: tuple[int, int]) -> Any:
    from PIL import Image as Pillow

    if picture.mode not in ("RGB", "RGBA", "L"):
        picture = picture.convert("RGBA")
    return picture if picture.size == size else picture.resize(size, Pillow.Resampling.LANCZOS)


def _encodings(picture: Any, mime: str, turned: int) -> Any:
    """Return the picture as its own kind where that pays, then as ever coarser JPEG.

    The mark that it is to be shown *turned* is kept; what else was known of it is not.
    """
    from PIL import Image as Pillow

    marks = {}
    if turned != _UPRIGHT:
        exif = Pillow.Exif()
        exif[_ORIENTATION] = turned
        marks["exif"] = exif
    if mime != "image/jpeg":
        yield _encode(picture, "PNG", **marks), "image/png"
    opaque = picture.convert("RGB")
    for quality in _QUALITIES:
        yield _encode(opaque, "JPEG", quality=quality, **marks), "image/jpeg"


def _encode(picture: Any, kind: str, **options: Any) -> bytes:
    out = BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


_Found = tuple[str, int, int]


def _png(data: bytes) -> _Found | None:
    if not data.startswith(b"\x89PNG\r\n\x1a\n") or data[12:16] != b"IHDR" or len(data) < 24:
        return None
    width, height = struct.unpack(">II", data[16:24])
    return "image/png", width, height


def _gif(data: bytes) -> _Found | None:
    if data[:6] not in (b"GIF87a", b"GIF89a") or len(data) < 10:
        return None
    width, height = struct.unpack("<HH", data[6:10])
    return "image/gif", width, height


def _jpeg(data: bytes) -> _Found | None:
    if not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return "image/jpeg", width, height
        alone = marker == 0x01 or 0xD0 <= marker <= 0xD8
        at += 2 if alone else 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None


def _webp(data: bytes) -> _Found | None:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        width = 1 + int.from_bytes(data[24:27], "little")
        return "image/webp", width, 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return "image/webp", 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", data[26:30])
        return "image/webp", width & 0x3FFF, height & 0x3FFF
    return None
