"""Draw the icon of the packages: lines of text, one of them struck through and written anew."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

REPO = Path(__file__).resolve().parent.parent
SIZE, INK, RED, PAPER = 512, "#37474f", "#c62828", "#ffffff"
# Left, right and middle of each line of text, in pixels.
LINES = ((104, 408, 136), (104, 360, 216), (104, 392, 376))
OLD, NEW = LINES[1], (104, 408, 296)


def icon() -> Image.Image:
    """The icon, drawn four times as large and made smaller so that edges are smooth."""
    scale = 4
    image = Image.new("RGBA", (SIZE * scale, SIZE * scale), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    edge = SIZE * scale - 1
    pen.rounded_rectangle((0, 0, edge, edge), 96 * scale, PAPER, INK, 8 * scale)

    def stroke(line: tuple[int, int, int], width: int, colour: str, beyond: int = 0) -> None:
        left, right, middle = line
        box = (left - beyond, middle - width // 2, right + beyond, middle + width // 2)
        pen.rounded_rectangle([value * scale for value in box], width * scale // 2, colour)

    for line in LINES:
        stroke(line, 36, "#b0bec5" if line == OLD else INK)
    stroke(OLD, 14, RED, 24)
    stroke(NEW, 36, RED)
    return image.resize((SIZE, SIZE), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    for place in ("mcpb", "claude-plugin/.claude-plugin"):
        icon().save(REPO / "packaging" / place / "icon.png", optimize=True)
