"""view_image: recognize an image by its content, resize it to fit, and answer with it."""

from __future__ import annotations

from base64 import b64encode

from redline.core.errors import BinaryFile, IsADirectory, TooLarge
from redline.core.ports.images import Image
from redline.core.ports.tree import Kind
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import existing, shown, success
from redline.toolsets.tool import Json

# The largest file that is read: far above any max_bytes, because a larger image may be resized.
_MAX_FILE = 64 << 20
_SVG_MARKS = (b"<svg", b"<?xml", b"<!DOCTYPE svg")


def view_image(call: Call) -> Result:
    """Return the image as an image block, a data URL, or both."""
    arguments = call.arguments
    path = existing(call, arguments["path"])
    where = shown(path)
    entry = call.runtime.tree.stat(path)
    if entry is not None and entry.kind is Kind.DIRECTORY:
        raise IsADirectory(where)
    data = call.runtime.tree.read(path, _MAX_FILE)
    original = call.runtime.images.recognise(data)
    if original is None:
        raise _no_image(where, data)
    limit = arguments.get("max_bytes", 5242880)
    width, height = arguments.get("max_width", 2000), arguments.get("max_height", 2000)
    warnings: list[str] = []
    image = original
    if arguments.get("auto_resize", True):
        image = call.runtime.images.fit(original, width=width, height=height, limit=limit)
    elif original.width > width or original.height > height:
        warnings.append("larger than max_width or max_height, and auto_resize is off")
    if len(image.data) > limit:
        raise TooLarge(
            where,
            f"The image is too large ({len(image.data)} bytes, the limit is {limit}): {where}",
            hint="raise max_bytes or turn auto_resize on",
        )
    return _answer(arguments.get("output", "mcp_image"), where, image, original, warnings)


def _answer(output: str, where: str, image: Image, original: Image, warnings: list[str]) -> Result:
    encoded = b64encode(image.data).decode()
    fields: Json = {
        "path": where,
        "mime_type": image.mime,
        "bytes": len(image.data),
        "width": image.width,
        "height": image.height,
        "resized": image is not original,
        "original": {
            "bytes": len(original.data),
            "width": original.width,
            "height": original.height,
            "mime_type": original.mime,
        },
        "warnings": warnings,
    }
    if output != "compact":
        fields |= {"base64": encoded, "data_url": f"data:{image.mime};base64,{encoded}"}
    if output == "data_url":
        return success(fields)
    block = {"type": "image", "data": encoded, "mimeType": image.mime}
    return success(fields, [block])


def _no_image(where: str, data: bytes) -> BinaryFile:
    head = data[:1024].lstrip().lower()
    if any(head.startswith(mark.lower()) for mark in _SVG_MARKS) and b"<svg" in data[:4096].lower():
        return BinaryFile(
            where,
            f"SVG is text with scripts, not a picture that can be shown: {where}",
            hint="read it with read_file, or convert it to PNG",
        )
    return BinaryFile(
        where,
        f"Not a PNG, JPEG, GIF or WebP image: {where}",
        hint="the content decides, not the name; text is read with read_file",
    )
