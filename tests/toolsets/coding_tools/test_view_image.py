"""view_image over the wire."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image as Pillow

from tests.toolsets.coding_tools.conftest import Tools
from tests.wire.client import connect


def _picture(kind: str, size: tuple[int, int]) -> bytes:
    out = BytesIO()
    Pillow.effect_noise(size, 90).convert("RGB").save(out, kind)
    return out.getvalue()


@pytest.mark.requirement("coding-image")
@pytest.mark.parametrize(
    ("kind", "mime"),
    [("PNG", "image/png"), ("GIF", "image/gif"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")],
)
def test_a_picture_comes_as_block_and_as_data_url(tools: Tools, kind: str, mime: str) -> None:
    data = _picture(kind, (30, 20))
    tools.write({"misnamed.txt": data})
    result = tools.result("view_image", {"path": "misnamed.txt"})
    block = result["content"][0]
    assert (block["type"], block["mimeType"]) == ("image", mime)
    assert b64decode(block["data"]) == data
    found = result["structuredContent"]
    assert (found["width"], found["height"], found["bytes"]) == (30, 20, len(data))
    assert (found["mime_type"], found["resized"], found["path"]) == (mime, False, "misnamed.txt")
    assert found["base64"] == block["data"]
    assert found["data_url"] == f"data:{mime};base64,{block['data']}"
    assert found["original"] == {
        "bytes": len(data),
        "width": 30,
        "height": 20,
        "mime_type": mime,
    }


@pytest.mark.requirement("coding-image-outputs")
def test_the_bytes_travel_as_asked(tools: Tools) -> None:
    tools.write({"a.png": _picture("PNG", (30, 20))})
    url = tools.result("view_image", {"path": "a.png", "output": "data_url"})
    assert [block["type"] for block in url["content"]] == ["text"]
    assert url["structuredContent"]["data_url"].startswith("data:image/png;base64,")
    compact = tools.result("view_image", {"path": "a.png", "output": "compact"})
    assert [block["type"] for block in compact["content"]] == ["image", "text"]
    assert "base64" not in compact["structuredContent"]


@pytest.mark.requirement("coding-image-resize")
def test_a_large_picture_is_resized_or_refused(tools: Tools) -> None:
    tools.write({"a.png": _picture("PNG", (400, 200))})
    found = tools.ok("view_image", path="a.png", max_width=100)
    assert (found["width"], found["height"], found["resized"]) == (100, 50, True)
    assert found["original"]["width"] == 400
    small = tools.ok("view_image", path="a.png", max_bytes=4096)
    assert small["bytes"] <= 4096
    error = tools.fails("view_image", path="a.png", max_bytes=1024, auto_resize=False)
    assert error["code"] == "OUTPUT_TOO_LARGE"


@pytest.mark.requirement("coding-image-refused")
def test_what_is_no_picture_is_refused_clearly(tools: Tools) -> None:
    tools.write({"a.svg": "<?xml version='1.0'?>\n<svg/>", "b.png": "text", "d/x": ""})
    refused = tools.fails("view_image", path="a.svg")
    assert refused["code"] == "BINARY_FILE"
    assert "SVG" in refused["message"]
    assert tools.fails("view_image", path="b.png")["code"] == "BINARY_FILE"
    assert tools.fails("view_image", path="d")["code"] == "IS_DIRECTORY"
    assert tools.fails("view_image", path="../a.png")["category"] == "security"


@pytest.mark.requirement("coding-image-off")
def test_the_tool_can_be_switched_off(tmp_path: Path) -> None:
    env = {"CODING_TOOLS_MCP_ENABLE_VIEW_IMAGE": "0"}
    with connect("stdio", ["--tools", "coding"], cwd=tmp_path, env=env) as client:
        names = [tool["name"] for tool in client.list_tools()]
        assert "view_image" not in names
        assert len(names) == 11
