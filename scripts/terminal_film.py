"""Write docs/pictures/terminal.svg: a real session in a terminal, as an animated picture.

python scripts/terminal_film.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "terminal.svg"
SESSION = (
    "redline edit shop.py --old 'rate = 2' --new 'rate = 3'",
    "redline edit shop.py --old 'rate = 2' --new 'rate = 4'",
    "redline run -- rm -rf notes",
    "redline log",
    "redline undo",
    "ls notes",
)
SHOP = "rate = 2\n\n\ndef price(amount):\n    return amount * rate\n"
LINE, MARGIN, WIDTH = 19, 18, 900
COLOURS = {"$": "#e6edf3", "+": "#7ee787", "-": "#ffa198", "hint": "#e3b341"}


def play() -> list[tuple[str, float]]:
    """Run the session in a project of its own; return its lines with the second each appears."""
    lines, clock = [], 0.6
    with tempfile.TemporaryDirectory() as top:
        project = Path(top, "shop")
        (project / "notes").mkdir(parents=True)
        (project / "notes" / "prices.md").write_text("Raise them in May.\n")
        (project / "shop.py").write_text(
            "rate = 2\n\n\ndef price(amount):\n    return amount * rate\n"
        )
        env = {**os.environ, "XDG_STATE_HOME": f"{top}/state", "NO_COLOR": "1", "COLUMNS": "100"}
        env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
        for command in SESSION:
            lines.append((f"$ {command}", clock))
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=project,
                env=env,
                text=True,
                capture_output=True,
                check=False,
            )
            said = (done.stdout + done.stderr).splitlines()
            lines += [(each[:104], clock + 0.9) for each in said if each]
            clock += 2.2 + 0.15 * len(said)
    return lines


def draw(lines: list[tuple[str, float]]) -> str:
    """Return the picture; each line appears in its time and the film starts again."""
    whole = lines[-1][1] + 5
    height = MARGIN * 2 + LINE * len(lines)
    rules, texts = [], []
    for number, (line, start) in enumerate(lines):
        at = 100 * start / whole
        rules.append(
            f"@keyframes l{number}{{0%,{at:.2f}%{{opacity:0}}{at + 0.4:.2f}%,100%{{opacity:1}}}}"
            f"#l{number}{{animation:l{number} {whole:.1f}s infinite}}"
        )
        colour = next((c for mark, c in COLOURS.items() if line.startswith(mark)), "#b1bac4")
        y = MARGIN + LINE * (number + 1) - 5
        texts.append(
            f'<text id="l{number}" x="{MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">'
            f"{escape(line)}</text>"
        )
    still = "@media (prefers-reduced-motion:reduce){text{animation:none!important}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' aria-label="A session in a terminal"><style>text{font:13.5px ui-monospace,Menlo,'
        f"Consolas,monospace}}{''.join(rules)}{still}</style>"
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#161b22"/>{"".join(texts)}</svg>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(play()), "utf-8")
    print(PICTURE)
