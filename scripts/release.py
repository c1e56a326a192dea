"""What a release is made of besides the wheel: its notes, and the bundle for Claude Desktop.

python scripts/release.py notes [VERSION]       the changelog's section, the newest by default
python scripts/release.py bundle NODE MCPB OUT  a .mcpb file, packed by npm's @anthropic-ai/mcpb
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
BUNDLED = ("pyproject.toml", "README.md", "LICENSE", "src")
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\].*$", re.MULTILINE)


def notes(changelog: str, version: str | None = None) -> str:
    """The section of *version*, or the first one, without its heading."""
    found = list(_HEADING.finditer(changelog))
    for number, heading in enumerate(found):
        if version is None or heading["version"] == version:
            end = found[number + 1].start() if number + 1 < len(found) else len(changelog)
            return changelog[heading.end() : end].strip() + "\n"
    known = ", ".join(heading["version"] for heading in found)
    raise SystemExit(f"No such version in the changelog: {version}\nhint: it has {known}")


def stage(target: Path) -> None:
    """Lay out in *target* what the bundle holds: the manifest, its icon and the source."""
    shutil.copytree(REPO / "packaging" / "mcpb", target, dirs_exist_ok=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in BUNDLED:
        source = REPO / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy2(source, target / name)


def bundle(node: str, mcpb: str, out: str) -> None:
    """Pack the bundle."""
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        subprocess.run([node, mcpb, "pack", folder, out], check=True)


def main(arguments: list[str]) -> int:
    """Run the part that is asked for."""
    match arguments:
        case ["notes", *version]:
            text = (REPO / "CHANGELOG.md").read_text("utf-8")
            sys.stdout.write(notes(text, version[0] if version else None))
        case ["bundle", node, mcpb, out]:
            bundle(node, mcpb, out)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
