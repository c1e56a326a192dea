"""Pictures are told by their content and made to fit; nothing huge is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image as Pillow

from redline.adapters.images import PillowImages
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.core.errors import ContentError, TooLarge
from redline.core.ports.images import Image

WORKERS = IsolatedCalls()
IMAGES = PillowImages(WORKERS)


@pytest.fixture(scope="module", autouse=True)
def _close() -> Iterator[None]:
    yield
    WORKERS.close()


def _picture(kind: str, size: tuple[int, int] = (40, 30), **options: object) -> bytes:
    out = BytesIO()
    Pillow.effect_noise(size, 90).convert("RGB").save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "mime", "options"),
    [
        ("PNG", "image/png", {}),
        ("GIF", "image/gif", {}),
        ("JPEG", "image/jpeg", {}),
        ("JPEG", "image/jpeg", {"progressive": True}),
        ("WEBP", "image/webp", {}),
        ("WEBP", "image/webp", {"lossless": True}),
    ],
)
def test_each_kind_is_recognised_with_its_size(
    kind: str, mime: str, options: dict[str, object]
) -> None:
    data = _picture(kind, **options)
    assert IMAGES.recognise(data) == Image(data, mime, 40, 30)


@pytest.mark.parametrize(
    "data",
    [b"", b"<svg/>", b"\x89PNG\r\n\x1a\n", b"GIF8", b"\xff\xd8\xff", b"RIFFxxxxWEBP", b"text"],
)
def test_what_is_no_picture_is_not_recognised(data: bytes) -> None:
    assert IMAGES.recognise(data) is None


def test_a_picture_that_fits_is_left_alone() -> None:
    image = IMAGES.recognise(_picture("PNG"))
    assert image is not None
    assert IMAGES.fit(image, width=40, height=30, limit=len(image.data)) is image


def test_a_large_picture_is_scaled_and_keeps_its_shape() -> None:
    image = IMAGES.recognise(_picture("PNG", (400, 200)))
    assert image is not None
    smaller = IMAGES.fit(image, width=100, height=100, limit=1 << 20)
    assert (smaller.width, smaller.height, smaller.mime) == (100, 50, "image/png")
    assert IMAGES.recognise(smaller.data) == smaller


def test_the_byte_limit_is_met() -> None:
    image = IMAGES.recognise(_picture("PNG", (400, 400)))
    assert image is not None
    smaller = IMAGES.fit(image, width=2000, height=2000, limit=20_000)
    assert len(smaller.data) <= 20_000


def test_a_bomb_is_refused_unopened() -> None:
    data = bytearray(_picture("PNG"))
    data[16:24] = (100_000).to_bytes(4, "big") * 2
    image = IMAGES.recognise(bytes(data))
    assert image is not None
    with pytest.raises(TooLarge, match="100000 x 100000"):
        IMAGES.fit(image, width=2000, height=2000, limit=1 << 20)


def test_a_damaged_picture_is_a_content_error() -> None:
    data = _picture("PNG", (400, 400))[:200]
    image = IMAGES.recognise(data)
    assert image is not None
    with pytest.raises(ContentError, match="decoded"):
        IMAGES.fit(image, width=10, height=10, limit=1 << 20)
